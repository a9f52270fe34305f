# SPDX-License-Identifier: Apache-2.0
"""Run the netlist of an engine on symbolic values, cycle by cycle.

Only what changes is computed. Every net has a value of :mod:`ecsm.evidence.engine.values`; every
register is unknown at first. What a multiplier returns, and what stands for the result of the zero
tester, says :class:`Outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ecsm.evidence.engine.netlist import Box, Column, Core
from ecsm.evidence.engine.values import BOTH, CHOICE, SUM, Space, Table, Value
from ecsm.evidence.gates import Function, Net

Vector = tuple[Value, ...]
_SUM, _BOTH, _CHOICE, _ANY, _COLUMN, _TEST, _BOX = range(7)


@dataclass(frozen=True)
class Outside:
    """What is not gates.

    ``product(unit, started, a, b)``: what a multiplier makes of operands, or None if nothing is
    known of it. ``delay``: cycles from the operands to the product. ``always``: it multiplies in
    every cycle, not only when it is started. ``test(value, flags)``: what stands for the zero
    tester's result ``value`` if the flags take it.
    """

    product: Callable[[int, Value, Vector, Vector], Vector | None]
    delay: int
    always: bool
    test: Callable[[Value, Vector], Value]


@dataclass
class _Step:
    """A function in the order of the run."""

    kind: int
    outputs: tuple[int, ...]
    inputs: tuple[int, ...]
    table: Table = ()
    extra: tuple[int | None, ...] = ()
    unit: int = 0


class Run:
    """The state of a netlist, in one cycle after the other."""

    def __init__(self, core: Core, space: Space, outside: Outside) -> None:
        self.core, self.space, self.outside = core, space, outside
        self._number: dict[Net, int] = {"0": 0, "1": 1, "x": 2}
        self.values: list[Value] = [0, 1, None]
        self._readers: list[list[int]] = [[], [], []]  # steps; registers as negative numbers
        self._steps = self._compile()
        self._plan = [
            (s.kind, s.outputs[0], *(*s.inputs, 0, 0)[:2], s.table[:1] == (1,)) for s in self._steps
        ]
        self._connect()
        self._levels = _levels(self._steps, self._readers)
        self._waiting: list[list[int]] = [[] for _ in range(1 + max(self._levels, default=0))]
        self._queued = bytearray(len(self._steps))
        self._pipes: list[list[Vector]] = [
            [(None,) * len(box.p)] * max(0, outside.delay - 1) for box in core.boxes
        ]
        self._taken: dict[int, Value] = {}  # by registers, at the end of a cycle
        self._changed: set[int] = set()  # registers whose input changed
        for i in range(len(self._steps)):
            self._queue(i)

    # -- from nets to numbers

    def number(self, net: Net) -> int:
        """Return the place of a net's value."""
        if net not in self._number:
            self._number[net] = len(self.values)
            self.values.append(None)
            self._readers.append([])
        return self._number[net]

    def numbers(self, nets: Sequence[Net]) -> tuple[int, ...]:
        """Return the places of the values of nets."""
        return tuple(self.number(n) for n in nets)

    def _compile(self) -> list[_Step]:
        core = self.core
        for bits in core.ports.values():
            self.numbers(bits)
        zero = self.number(core.engine("zero")[0])
        raw = self.number("the tester's gates")
        flags = self.numbers(core.engine("test_q"))
        steps = [self._function(f, {zero: raw}) for f in core.functions]
        steps += [self._column(c) for c in core.columns]
        steps.append(_Step(_TEST, (zero,), (raw, *flags)))
        if not self.outside.delay:
            steps += [self._box(u, box) for u, box in enumerate(core.boxes)]
        self.q = self.numbers([r.q for r in core.registers])
        self._d = self.numbers([r.d for r in core.registers])
        self._resets = self.numbers([r.resets for r in core.registers])
        self._ports = [
            self.numbers((*box.a, *box.b, *box.p, box.start, box.clear)) for box in core.boxes
        ]
        return steps

    def _function(self, f: Function, renamed: Mapping[int, int]) -> _Step:
        output = self.number(f.output)
        ins = self.numbers(f.inputs)
        kind = _ANY
        if f.table in (SUM, (1, 0, 0, 1), (0, 1), (1, 0)):
            kind, ins = _SUM, (*ins, self.number("0"))[:2]  # or of one input
        elif f.table in (BOTH, CHOICE):
            kind = _BOTH if f.table == BOTH else _CHOICE
        return _Step(kind, (renamed.get(output, output),), ins, f.table)

    def _column(self, c: Column) -> _Step:
        return _Step(_COLUMN, (self.number(c.output),), self.numbers(c.address), extra=c.bits)

    def _box(self, unit: int, box: Box) -> _Step:
        inputs = self.numbers((*box.a, *box.b, box.start))
        return _Step(_BOX, self.numbers(box.p), inputs, unit=unit)

    def _connect(self) -> None:
        """Note what reads each net."""
        readers = self._readers
        for i, step in enumerate(self._steps):
            for n in set(step.inputs):
                readers[n].append(i)
        for i, d in enumerate(self._d):
            readers[d].append(~i)
        for i, r in enumerate(self._resets):
            readers[r].append(~i)

    # -- the run

    def _queue(self, i: int) -> None:
        if i < 0:
            self._changed.add(~i)
        elif not self._queued[i]:
            self._queued[i] = 1
            self._waiting[self._levels[i]].append(i)

    def set(self, n: int, value: Value) -> None:
        """Give a net a value."""
        if self.values[n] != value:
            self.values[n] = value
            for i in self._readers[n]:
                self._queue(i)

    def drive(self, port: str, bits: Sequence[Value]) -> None:
        """Give a port values."""
        for net, value in zip(self.core.ports[port], bits, strict=True):
            self.set(self.number(net), value)

    def see(self, nets: Sequence[Net]) -> Vector:
        """Return the values of nets."""
        return tuple(self.values[n] for n in self.numbers(nets))

    def port(self, name: str) -> Vector:
        """Return the values of a port."""
        return self.see(self.core.ports[name])

    def settle(self) -> None:
        """Compute every net that changes in this cycle."""
        values, plan, queued = self.values, self._plan, self._queued
        readers, waiting, levels = self._readers, self._waiting, self._levels
        changed, space = self._changed, self.space
        for queue in waiting:
            for i in queue:
                queued[i] = 0
                kind, output, x, y, inverted = plan[i]
                if kind > _CHOICE:
                    self._special(self._steps[i])
                    continue
                a, b = values[x], values[y]
                if kind == _SUM:
                    found = a ^ b if type(a) is int and type(b) is int else space.sum(a, b)
                    if inverted:
                        found = space.sum(found, 1)
                elif kind == _BOTH:
                    found = space.both(a, b)
                else:
                    found = self._chosen(self._steps[i], a, b)
                if values[output] != found:
                    values[output] = found
                    for j in readers[output]:
                        if j < 0:
                            changed.add(~j)
                        elif not queued[j]:
                            queued[j] = 1
                            waiting[levels[j]].append(j)
            queue.clear()

    def _chosen(self, step: _Step, a: Value, b: Value) -> Value:
        s = self.values[step.inputs[2]]
        if s == 0 or s == 1:
            return b if s else a
        return self.space.apply(CHOICE, (a, b, s))

    def _special(self, step: _Step) -> None:
        seen = tuple(self.values[n] for n in step.inputs)
        if step.kind == _ANY:
            self.set(step.outputs[0], self.space.apply(step.table, seen))
        elif step.kind == _COLUMN:
            address = 0
            for k, bit in enumerate(seen):
                if not isinstance(bit, int) or bit > 1:
                    self.set(step.outputs[0], None)
                    return
                address |= bit << k
            self.set(step.outputs[0], step.extra[address])
        elif step.kind == _TEST:
            self.set(step.outputs[0], self.outside.test(seen[0], seen[1:]))
        else:
            self._product(step.outputs, self._multiplied(step.unit, seen))

    def _multiplied(self, unit: int, seen: Vector) -> Vector:
        m = len(seen) // 2
        start = seen[-1]
        unknown: Vector = (None,) * m
        if not self.outside.always and start != 1:
            return unknown
        return self.outside.product(unit, start, seen[:m], seen[m : 2 * m]) or unknown

    def _product(self, places: Sequence[int], product: Vector) -> None:
        for n, value in zip(places, product, strict=True):
            self.set(n, value)

    def clock(self, rename: Callable[[dict[int, Value]], None] | None = None) -> None:
        """Go to the next cycle. ``rename`` may give what registers take other names."""
        taken = self._taken
        for i in self._changed:
            reset = self.core.registers[i].reset
            value = self.values[self._d[i]]
            if reset is not None:
                on = self.values[self._resets[i]]
                value = value if on == 1 else reset if on == 0 else None
            if value != self.values[self.q[i]]:
                taken[i] = value
        self._changed.clear()
        if rename:
            rename(taken)
        if self.outside.delay:
            self._advance()
        for i, value in taken.items():
            self.set(self.q[i], value)
        taken.clear()

    def _advance(self) -> None:
        """Give the multipliers' operands to them, and take the products that are due."""
        m = len(self.core.boxes[0].p)
        for unit, (ports, pipe) in enumerate(zip(self._ports, self._pipes, strict=True)):
            *operands, start, clear = (self.values[n] for n in (*ports[: 2 * m], *ports[3 * m :]))
            if not self.outside.always and start != 0:  # a start ends the product before it
                pipe[:] = [(None,) * m] * len(pipe)
            pipe.append(self._multiplied(unit, (*operands, start)))
            if not self.outside.always and clear != 0:
                pipe[:] = [(None,) * m] * len(pipe)
        for ports, pipe in zip(self._ports, self._pipes, strict=True):
            self._product(ports[2 * m : 3 * m], pipe.pop(0))

    def live(self) -> Iterator[Value]:
        """Yield all values that are in use, but for zeros."""
        yield from filter(None, self.values)
        yield from self._taken.values()
        for pipe in self._pipes:
            for product in pipe:
                yield from product

    def state(self) -> Vector:
        """Return the values of all registers."""
        return tuple(self.values[n] for n in self.q)


def _levels(steps: Sequence[_Step], readers: Sequence[Sequence[int]]) -> list[int]:
    """Return a number for each step that is above those of what it reads."""
    made = {n: i for i, step in enumerate(steps) for n in step.outputs}
    left = [len({made[n] for n in step.inputs if n in made}) for step in steps]
    level = [0] * len(steps)
    free = [i for i, count in enumerate(left) if not count]
    done = 0
    while free:
        i = free.pop()
        done += 1
        for j in {j for n in steps[i].outputs for j in readers[n] if j >= 0}:
            level[j] = max(level[j], level[i] + 1)
            left[j] -= 1
            if not left[j]:
                free.append(j)
    if done != len(steps):
        raise ValueError("the netlist has a loop without a register")
    return level
