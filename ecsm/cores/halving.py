# SPDX-License-Identifier: Apache-2.0
"""The family of cores that halve points over GF(2^m).

The loop is written by hand, cycle by cycle (:mod:`ecsm.schedule.halving.program`). Only the tail is
traced and solved.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.cores.design import Figures, HalvingDesign
from ecsm.cores.family import Family
from ecsm.cores.gf2m import operations
from ecsm.formulas.gf2m.graph import Segment
from ecsm.hdl.engines import halving as emitter
from ecsm.presets.halving import HalvingPreset
from ecsm.schedule.halving import microcode, picture, program, report
from ecsm.schedule.halving.types import NAMES, PLAIN
from ecsm.schedule.halving.words import Word
from ecsm.schedule.program import Job, Microcode, Result
from ecsm.schedule.types import Schedule


class Halving(Family[HalvingPreset, Segment, Word]):
    """The engine rtl/gf2m/halving/gf2m_halving.sv."""

    name = "halving"
    preset = HalvingPreset
    quality = "network cost"

    def theory(self, p: HalvingPreset) -> str:
        """Return the page of ``docs/theory`` with a core's mathematics."""
        return "halving.md"

    def identity(self, p: HalvingPreset) -> str:
        """Return a text of the tail, the scalar's numbers and the registers."""
        return repr((operations(p.tail.ops), p.tail.outputs, p.halves, NAMES))

    def solve(self, p: HalvingPreset, timing_s: float, network_s: float) -> Schedule:
        """Solve what follows a preset's halvings; what precedes it is fixed."""
        from ecsm.schedule.halving.solve import solve

        room = program.room(p.tail.inputs)
        fixed = program.fixed_terms(p.curve, p.halves)
        slots, length, bound = solve(p.tail, room, fixed, timing_s, network_s)
        before = program.end_of_windows(p.halves) + microcode.READ
        return Schedule(
            ii=program.WINDOW,
            ii_bound=program.WINDOW,
            slots={"body": {}, "tail": slots},
            variables=list(room.inputs.values()),
            cycles=before + length,
            cycles_bound=before + bound,
            floor=2 * p.halves.last,
        )

    def figures(self, p: HalvingPreset, s: Schedule) -> Figures:
        """Return what a schedule says."""
        return Figures(s.cycles, s.cycles_bound, len(PLAIN))

    def assemble(self, p: HalvingPreset, graph: Segment, s: Schedule) -> Microcode[Word]:
        """Return the microcode."""
        return microcode.assemble(p.curve, p.halves, graph, s)

    def run(self, d: HalvingDesign, jobs: Sequence[Job]) -> list[Result]:
        """Execute the microcode on numbers."""
        p = d.preset
        return [microcode.run(d.microcode, p.curve, p.halves, *job) for job in jobs]

    def digits(self, p: HalvingPreset, k: int) -> list[int]:
        """Return the digits, 8 added to each."""
        return [digit.value + 8 for digit in p.halves.digits(k)]

    def next_digit(self, word: Word) -> bool:
        """Whether the digit that is caught becomes the one that is read."""
        return "shift" in word.scalar

    def verify(self, d: HalvingDesign) -> None:
        """Run the microcode on numbers, for scalars that have every digit."""
        n, g = d.preset.curve.n, d.preset.curve.generator
        self.verify_on(d, ([(k, g)] for k in (0, 1, n - 1, n // 3, n // 5, n * 3 // 7)))

    def report(self, d: HalvingDesign) -> dict[str, object]:
        """Return the figures of the schedule."""
        return report.summary(d.preset.halves, d.graph, d.schedule, d.microcode)

    def draw(self, d: HalvingDesign) -> str:
        """Draw the head, turns of the loop and the tail."""
        p = d.preset
        return picture.draw(p.curve, p.halves, d.graph, d.schedule, d.microcode, p.units, p.name)

    def emit(self, d: HalvingDesign) -> str:
        """Return the module's text."""
        return emitter.emit(d)

    def words(self, d: HalvingDesign) -> list[int]:
        """Return the program's words."""
        return emitter.words(d)
