# SPDX-License-Identifier: Apache-2.0
"""The family of ladders over GF(2^m)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from ecsm.cores.design import BinaryDesign
from ecsm.cores.family import Family
from ecsm.curves.gf2m.masked import recode, recode_masked
from ecsm.formulas.gf2m.graph import Graph, Op
from ecsm.hdl.engines import gf2m as emitter
from ecsm.presets.gf2m import Preset, Protect
from ecsm.schedule.gf2m import machine, microcode, picture, report
from ecsm.schedule.gf2m.verify import verify
from ecsm.schedule.gf2m.words import Word
from ecsm.schedule.program import Job, Microcode, Result
from ecsm.schedule.types import Schedule


def operations(ops: Iterable[Op]) -> list[tuple[object, ...]]:
    """Return what a schedule depends on of each operation."""
    return [(o.atom, o.kind.value, [list(form) for form in o.forms], o.passes, o.step) for o in ops]


class Binary(Family[Preset, Graph, Word]):
    """The engine rtl/gf2m/engine/gf2m_engine.sv."""

    name = "gf2m"
    preset = Preset
    quality = "network cost"

    def theory(self, p: Preset) -> str:
        """Return the page of ``docs/theory`` with a core's mathematics."""
        return "binary.md"

    def identity(self, p: Preset) -> str:
        """Return a text of the program and the units."""
        graph = p.graph()
        loads = [list(form) for form in graph.load]
        ops, body, tail = operations(graph.all_ops()), graph.body, graph.tail
        return repr((ops, loads, graph.trips, body.outputs, tail.outputs, p.units))

    def solve(self, p: Preset, timing_s: float, network_s: float) -> Schedule:
        """Return the best schedule found."""
        from ecsm.schedule.gf2m.solve import Limits, solve

        limits = Limits(timing_s, network_s, p.registers)
        return solve(p.graph(), p.units, p.map_cost, p.curve.field, limits)

    def assemble(self, p: Preset, graph: Graph, s: Schedule) -> Microcode[Word]:
        """Return the microcode."""
        return microcode.assemble(graph, s, p.units, p.curve.field)

    def run(self, d: BinaryDesign, jobs: Sequence[Job]) -> list[Result]:
        """Execute the microcode on numbers; masks are drawn at random."""
        units, field = d.preset.units, d.preset.curve.field
        return [
            machine.run(d.microcode, field, units, self._streams(d, k), point) for k, point in jobs
        ]

    def _streams(self, d: BinaryDesign, k: int) -> machine.Streams:
        p = d.preset
        if d.graph.random is None:
            return machine.Streams(recode(k, p.m))
        drawn = secrets.randbits(p.random_bits)
        register = d.schedule.variables[d.graph.random]
        return machine.masked(
            k, p.curve, register, drawn >> p.m - 1, drawn << 1 & p.curve.q - 1 | 1
        )

    def digits(self, p: Preset, k: int) -> list[int]:
        """Return the recoded bits, of a masked ladder after the bit that the load takes."""
        if p.protect is Protect.FULL:
            return [0, *map(int, recode_masked(k, p.curve))]
        return [int(bit) for bit in recode(k, p.m)]

    def next_digit(self, word: Word) -> bool:
        """Whether the scalar's register moves."""
        return word.shift

    def verify(self, d: BinaryDesign) -> None:
        """Walk the schedule cycle by cycle."""
        verify(d.graph, d.schedule, d.preset.units)

    def report(self, d: BinaryDesign) -> dict[str, object]:
        """Return the figures of the schedule."""
        return report.summary(d.graph, d.schedule, d.microcode, d.preset.units)

    def draw(self, d: BinaryDesign) -> str:
        """Draw the load, turns of the loop and the tail."""
        return picture.draw(d.graph, d.schedule, d.preset.units, d.preset.name)

    def emit(self, d: BinaryDesign) -> str:
        """Return the module's text."""
        return emitter.emit(d)

    def words(self, d: BinaryDesign) -> list[int]:
        """Return the program's words."""
        return emitter.words(d)
