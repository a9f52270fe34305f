# SPDX-License-Identifier: Apache-2.0
"""The part of a netlist that some nets depend on, as a function of its state and ports.

It runs for many states and inputs at once: every net is an integer with one bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ecsm.evidence.cones import HANDSHAKE, Cones
from ecsm.evidence.core import Core
from ecsm.evidence.gates import Function, Net
from ecsm.evidence.polynomials import normal_form

MOST_PORTS = 10  # bits of ports that a run can take every value of
Lanes = tuple[int, ...]


class NotSmall(ValueError):
    """The cone has what a run over all states cannot have."""


class ConeStates:
    """The cone of some outputs: its registers, its ports, and what follows in a cycle.

    The ports of the handshake are there whether they are in the cone or not. ``registers``: their
    order is that of the bits of a state. ``more``: nets beside the outputs.
    """

    def __init__(self, core: Core, outputs: Sequence[str], more: Sequence[Net] = ()) -> None:
        nets = [n for port in outputs for n in core.outputs[port]]
        cone = Cones(core).of([*nets, *more])
        self._core, self._outputs = core, outputs
        self.registers = sorted((n for n in cone if n in core.registers), key=str)
        always = {n for port in HANDSHAKE for n in core.inputs[port]}
        self.ports = sorted((n for n in cone | always if n in core.ports), key=str)
        if len(self.ports) > MOST_PORTS:
            raise NotSmall(f"{len(self.ports)} bits of ports reach {', '.join(outputs)}")
        self._lanes = 1 << len(self.ports)
        self._all = (1 << self._lanes) - 1
        self._inputs = [self._pattern(i) for i in range(len(self.ports))]
        self._given = [self._ports_of(lane) for lane in range(self._lanes)]
        ends = list(accumulate(len(core.outputs[port]) for port in outputs))
        self._cuts = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        self._names: dict[Net, str] = {"0": "0", "1": "m"}
        self._run = self._compiled(cone)

    def _pattern(self, i: int) -> int:
        """Return the value of port bit ``i``: lane l has bit i of l."""
        return sum((lane >> i & 1) << lane for lane in range(self._lanes))

    def _name(self, net: Net) -> str:
        return self._names.setdefault(net, f"n{len(self._names)}")

    def _compiled(self, cone: set[Net]) -> Callable[..., tuple[Lanes, Lanes, int]]:
        arguments = ", ".join(map(self._name, (*self.registers, *self.ports)))
        lines = [f"def run(m, {arguments}):"]
        unknown: set[Net] = {"x"}
        for part in self._core.parts:
            if cone.isdisjoint(part.outputs):
                continue
            if not isinstance(part, Function):
                raise NotSmall("a memory or a product is in the cone")
            if unknown.isdisjoint(part.inputs):
                lines.append(f"    {self._name(part.output)} = {self._form(part)}")
            else:
                lines += self._open(part, unknown)
                unknown.add(part.output)
        following = [self._core.registers[q].d for q in self.registers]
        outputs = [n for port in self._outputs for n in self._core.outputs[port]]
        open_ones = [f"u{self._name(n)}" for n in {*following, *outputs} if n in unknown]
        results = ["".join(f"{self._name(n)}, " for n in nets) for nets in (following, outputs)]
        lines.append(f"    return ({results[0]}), ({results[1]}), {' | '.join(open_ones) or '0'}")
        made: dict[str, Any] = {}
        exec("\n".join(lines), made)
        run: Callable[..., tuple[Lanes, Lanes, int]] = made["run"]
        return run

    def _form(self, part: Function) -> str:
        """Return a function in the text of Python."""
        terms = [
            " & ".join(self._name(n) for i, n in enumerate(part.inputs) if term >> i & 1) or "m"
            for term in normal_form(part.table)
        ]
        return " ^ ".join(terms) or "0"

    def _open(self, part: Function, unknown: set[Net]) -> list[str]:
        """Return a function of inputs that may be unknown: its value, and where it is unknown."""
        can: tuple[list[str], list[str]] = [], []  # be 0, be 1: a row of the table each
        for row, result in enumerate(part.table):
            terms = []
            for i, n in enumerate(part.inputs):
                one = row >> i & 1
                name = "m" if n == "x" else self._name(n) if one else f"(m ^ {self._name(n)})"
                terms.append(f"({name} | u{self._name(n)})" if n in unknown - {"x"} else name)
            can[result].append(f"({' & '.join(terms)})")
        name = self._name(part.output)
        return [
            f"    u{name} = ({' | '.join(can[0]) or '0'})",
            f"    {name} = ({' | '.join(can[1]) or '0'})",
            f"    u{name}, {name} = u{name} & {name}, {name} & (m ^ u{name})",
        ]

    def first(self) -> list[int]:
        """Return the states in reset: one, or one for each value of what has no reset."""
        found = [0]
        for i, q in enumerate(self.registers):
            reset = self._core.registers[q].reset
            values = (0, 1) if reset is None else (reset,)
            found = [s | v << i for s in found for v in values]
            if len(found) > 1 << MOST_PORTS:
                raise NotSmall("too many registers of the cone have no reset")
        return found

    def step(self, state: int) -> list[tuple[Mapping[str, int], Mapping[str, int], int]]:
        """Return what may follow: for every value of the ports, the ports, the outputs, the state.

        Ports and outputs are numbers by name. Raises :class:`NotSmall` where a value is unknown.
        """
        wide = [self._all if state >> i & 1 else 0 for i in range(len(self.registers))]
        following, outputs, unknown = self._run(self._all, *wide, *self._inputs)
        if unknown:
            raise NotSmall("an unknown value reaches the handshake")
        after = self._numbers(following)
        ports = [self._numbers(outputs[cut]) for cut in self._cuts]
        seen = [
            dict(zip(self._outputs, values, strict=True)) for values in zip(*ports, strict=True)
        ]
        return list(zip(self._given, seen, after, strict=True))

    def _numbers(self, bits: Lanes) -> list[int]:
        """Return the number in each lane, from its bits, the lowest first."""
        same, differ = 0, []
        for i, bit in enumerate(bits):
            if bit == self._all:
                same |= 1 << i
            elif bit:
                differ.append((i, bit))
        if not differ:
            return [same] * self._lanes
        return [
            same + sum((bit >> lane & 1) << i for i, bit in differ) for lane in range(self._lanes)
        ]

    def _ports_of(self, lane: int) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for i, n in enumerate(self.ports):
            name = self._core.ports[n]
            place = self._core.inputs[name].index(n)
            found[name] = found.get(name, 0) | (lane >> i & 1) << place
        return found
