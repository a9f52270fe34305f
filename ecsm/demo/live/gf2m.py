# SPDX-License-Identifier: Apache-2.0
"""A kP on a core over GF(2^m): its wires, held against the schedule.

Word i of the program executes in cycle i + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ecsm.cores.design import BinaryDesign
from ecsm.curves import Point
from ecsm.demo.live.record import Cycle, Digits, LiveError, Part, Record, Start, Write, parts
from ecsm.formulas.gf2m.graph import Kind, Op
from ecsm.measure.tracing import TracingDevice
from ecsm.measure.vcd import probe
from ecsm.schedule.types import CAPTURE, Slot

SPAN = 12  # cycles of the strip, at least


def record_gf2m(d: BinaryDesign, k: int, log: Callable[[str], None] | None = None) -> Record:
    """Simulate k times the generator with tracing.

    Raises as :func:`ecsm.demo.live.recorder.record`.
    """
    p, point, names = d.preset, d.preset.curve.generator, Names(d)
    with TracingDevice(p.name, log) as device:
        if log:
            log(f"recording a kP of {p.name}")
        result, happened = device.trace(
            k, point, lambda lines: names.read(probe(lines, names.signals))
        )
        cycles = device.last_cycles
    if names.answer != result or len(names.keys) != p.m + 1 or cycles != d.schedule.cycles:
        raise LiveError(f"{p.name}: the traced kP is not the one on the port")
    several = "s" if p.multipliers > 1 else ""
    registers = d.microcode.registers
    found = _parts(d)
    return Record(
        preset=p.name, curve=p.curve.name,
        about=f"{p.multipliers} multiplier{several} ({p.describe()}), {registers} registers of"
        f" {p.m} bits",
        bits=p.m, field_bits=p.m, k=k, point=point, result=result,
        cycles=cycles, happened=happened, parts=found,
        inversion=_inversion(d), units=[f"multiplier {i}" for i in range(p.multipliers)],
        registers=[f"r{i}" for i in range(registers)], digits=Digits(p.m),
        opening=found[2].first, span=min(cycles, max(SPAN, 6 * p.units.interval)),
    )  # fmt: skip


def _placed(d: BinaryDesign) -> Iterator[tuple[Op, Slot, int]]:
    """Yield every operation of a kP with its slot and the cycle in which it starts."""
    g, s = d.graph, d.schedule
    for turn, (part, segment) in enumerate(g.turns()):
        for op in segment.ops:
            slot = s.slots[part][op.atom]
            yield op, slot, CAPTURE + 1 + turn * s.ii + slot.time


def _parts(d: BinaryDesign) -> list[Part]:
    g, s = d.graph, d.schedule
    first = CAPTURE + 1
    turns = [(first + i * s.ii, f"turn {i + 1} of {g.trips}") for i in range(g.trips)]
    tail = (first + g.trips * s.ii, "tail")
    return parts([(0, "request"), (CAPTURE, "load"), *turns, tail], s.cycles)


def _inversion(d: BinaryDesign) -> Part:
    """Return the cycles of the Itoh-Tsujii chain, whose products are named for its powers."""
    latency = d.preset.units.latency
    at = [t for op, _, t in _placed(d) if op.name.startswith("β") and op.kind is Kind.PRODUCT]
    return Part("inversion", min(at), max(at) + latency - 1)


class Names:
    """What the schedule says of every cycle, and the reader of a trace that holds it against it."""

    def __init__(self, d: BinaryDesign) -> None:
        self._d = d
        self._started: dict[tuple[int, int], str] = {}  # (cycle, unit)
        self._written: dict[tuple[int, int], str] = {}  # (cycle, register)
        self._tested: dict[int, str] = {}
        self.keys: list[int] = []  # recoded bits, as the core used them
        self.answer: Point = None
        units = d.preset.units
        registers = d.schedule.variables
        for name, form, r in zip(d.graph.variables, d.graph.load, registers, strict=True):
            if form.single != registers.index(r):
                self._written[CAPTURE, r] = f"load {name}"
        for r, name in enumerate(("x", "y")):
            self._written[0, r] = f"{name} of P"
        for op, slot, t in _placed(d):
            if op.kind is Kind.TEST:
                self._tested[t] = op.name
            elif op.kind is Kind.PRODUCT:
                assert slot.unit is not None
                self._started[t, slot.unit] = op.name
                if slot.register is not None:
                    self._written[t + units.latency - 1, slot.register] = op.name
            else:
                assert slot.register is not None
                for i in range(op.passes):
                    more = f", pass {i + 1} of {op.passes}" if op.passes > 1 else ""
                    self._written[t + i, slot.register] = op.name + more
        out = d.microcode.out
        for r in range(d.microcode.registers):
            if r not in out:
                self._written[d.schedule.cycles - 1, r] = "cleared"
        engine = "u_engine."
        self._registers = [f"{engine}register[{i}]" for i in range(d.microcode.registers)]
        self._operands = [
            [f"{engine}gen_mul[{u}].operand[{s}]" for s in range(2)] for u in range(units.count)
        ]
        self._flags = {
            name: engine + name
            for name in ("start_q", "write_q", "test_q", "zero", "key", "word_shift",
                         "rsp_valid_o", "rsp_infinity_o", "rsp_x_o", "rsp_y_o")
        }  # fmt: skip
        self._flags["accept"] = f"{engine}u_front.accept"

    @property
    def signals(self) -> list[str]:
        """The signals that are read."""
        operands = [s for pair in self._operands for s in pair]
        return [*self._registers, *operands, *self._flags.values()]

    def read(self, samples: Iterable[dict[str, int]]) -> dict[int, Cycle]:
        """Return what happened in each cycle in which something did. Raises :class:`LiveError`."""
        happened: dict[int, Cycle] = {}
        t = -1  # the cycle of the sample; -1 before the request
        before: dict[str, int] = {}
        started: dict[tuple[int, int], str] = {}
        pending: list[int] = []  # registers that get a value at the end of the cycle before
        for sample in samples:
            v = {name: sample[path] for name, path in self._flags.items()}
            if t < 0 and not v["accept"]:
                continue
            t += 1
            for r in pending:
                name = self._written.get((t - 1, r))
                if name is None:
                    raise LiveError(f"cycle {t - 1} writes register {r}, and the schedule does not")
                write = Write(r, name, sample[self._registers[r]])
                happened.setdefault(t - 1, Cycle()).writes.append(write)
            if v["rsp_valid_o"]:
                if not v["rsp_infinity_o"]:
                    self.answer = (v["rsp_x_o"], v["rsp_y_o"])
                break
            self._bits(t, v, before, happened)
            cycle = Cycle()
            for u in range(len(self._operands)):
                if v["start_q"] >> u & 1:
                    cycle.starts.append(self._product(t, u, sample, before))
                    started[t, u] = cycle.starts[-1].name
            if v["test_q"]:
                cycle.tests.append((self._tested.get(t, ""), bool(v["zero"])))
            if cycle:
                found = happened.setdefault(t, Cycle())
                found.starts, found.tests = cycle.starts, cycle.tests
            pending = [r for r in range(len(self._registers)) if v["write_q"] >> r & 1]
            before = dict(sample)
        written = sum(len(c.writes) for c in happened.values())
        if started != self._started or written != len(self._written):
            raise LiveError(f"{self._d.preset.name}: the trace does less than the schedule")
        return dict(sorted(happened.items()))

    def _bits(
        self, t: int, v: dict[str, int], before: dict[str, int], happened: dict[int, Cycle]
    ) -> None:
        """Note a recoded bit that is decoded from this cycle on: its word executes in the next."""
        if t > 1 and not before[self._flags["word_shift"]]:
            return
        m = self._d.preset.m
        if len(self.keys) > m:
            return
        self.keys.append(v["key"])
        index = max(m - len(self.keys), 0)
        value = self.keys[-1] if len(self.keys) > m else sum(self.keys) & 1
        happened.setdefault(t + 1, Cycle()).digit = (index, str(value))

    def _product(self, t: int, unit: int, sample: dict[str, int], before: dict[str, int]) -> Start:
        units = self._d.preset.units
        name = self._started.get((t, unit))
        if name is None:
            raise LiveError(f"multiplier {unit} starts in cycle {t}, and the schedule does not")
        # Operand registers take in a cycle what the multiplier has in the next.
        at = before if units.ahead else sample
        a, b = (at[s] for s in self._operands[unit])
        busy = min(units.interval, units.latency)
        return Start(unit, name, t + busy - 1, t + units.latency - 1, (a, b))
