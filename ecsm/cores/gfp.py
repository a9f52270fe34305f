# SPDX-License-Identifier: Apache-2.0
"""The family of programs over prime fields, on residues."""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.cores.design import Figures, PrimeDesign
from ecsm.cores.family import Family
from ecsm.curves.gfp.masked import keys
from ecsm.formulas.gfp.graph import Graph, Segment
from ecsm.hdl.engines import gfp as emitter
from ecsm.presets.gfp import PrimePreset
from ecsm.schedule.gfp import microcode, picture, report
from ecsm.schedule.gfp.machine import Machine
from ecsm.schedule.gfp.microcode import Word
from ecsm.schedule.gfp.types import BANKS, DEPTH, clocks
from ecsm.schedule.program import Job, Microcode, Result
from ecsm.schedule.types import Schedule, Unschedulable


def _text(s: Segment) -> str:
    """Return what a schedule depends on of a segment; the names of inputs tell digits apart."""
    return (
        f"Segment(ops={s.ops}, inputs={s.inputs}, lookups={s.lookups}, outputs={s.outputs},"
        f" stores={s.stores}, top={s.top})"
    )


class Prime(Family[PrimePreset, Graph, Word]):
    """The engine rtl/gfp/engine/gfp_engine.sv."""

    name = "gfp"
    preset = PrimePreset
    quality = "registers"

    def theory(self, p: PrimePreset) -> str:
        """Return the page of ``docs/theory`` with a core's mathematics."""
        if p.scalar_unit in ("digits", "ladder"):
            return "curve25519.md"
        return "endomorphism.md" if p.endomorphism else "prime.md"

    def identity(self, p: PrimePreset) -> str:
        """Return a text of the program and the units."""
        g, parts = p.graph(), p.graph().segments
        head, body, tail = map(_text, parts.values())
        program = (
            f"Graph(p={p.curve.p}, variables={g.variables}, head={head}, body={body},"
            f" trips={g.trips}, tail={tail})"
        )
        kept = "".join(repr(s.kept) for s in parts.values() if s.kept)
        return f"({program}, {p.units}, {BANKS}, {DEPTH}){kept}"

    def solve(self, p: PrimePreset, timing_s: float, network_s: float) -> Schedule:
        """Return the best schedule found, of which words can be made."""
        from ecsm.schedule.gfp.solve import Limits, solve

        try:
            graph, units = p.graph(), p.units
        except ValueError as error:
            raise Unschedulable(str(error)) from None
        schedule = solve(graph, units, Limits(timing_s, network_s))
        try:
            self.assemble(p, graph, schedule)
        except (AssertionError, ValueError) as error:
            raise Unschedulable(f"the schedule found cannot be made words of: {error}") from None
        return schedule

    def rank(self, s: Schedule) -> tuple[int, int]:
        """Return cycles and registers."""
        return s.cycles, s.registers

    def figures(self, p: PrimePreset, s: Schedule) -> Figures:
        """Return what a schedule says."""
        found = (s.cycles, s.cycles_bound)
        cycles, bound = (clocks(c, p.threads, p.masked) + p.late for c in found)
        return Figures(cycles, bound, s.registers)

    def programs(self, p: PrimePreset) -> list[PrimePreset]:
        """Return the preset, and itself with its program for kG."""
        return [p, p.base] if p.base else [p]

    def assemble(self, p: PrimePreset, graph: Graph, s: Schedule) -> Microcode[Word]:
        """Return the microcode of one program."""
        return self.assemble_all([(p, graph, s)])[0]

    def assemble_all(
        self, parts: Sequence[tuple[PrimePreset, Graph, Schedule]]
    ) -> list[Microcode[Word]]:
        """Return the microcode of all programs of a core."""
        p = parts[0][0]
        solved = [microcode.Part(graph, s, q.units, q.late) for q, graph, s in parts]
        return microcode.assemble(solved, p.residues, p.batch, p.threads)

    def run(self, d: PrimeDesign, jobs: Sequence[Job]) -> list[Result]:
        """Execute the microcode on numbers, the jobs together."""
        d = d.of(jobs[0][1])
        p = d.preset
        masks = p.random_factors()
        machine = Machine(d.microcode, p.units, p.residues, p.divsteps, p.recode, p.fixed, masks)
        return machine.run_all(jobs)

    def digits(self, p: PrimePreset, k: int) -> list[int]:
        """Return the digits' entries in the table, and below each the digit's condition.

        Of a masked ladder they are its keys, without roles.
        """
        if p.masked:
            return [keys(k, p.curve.n) >> i & 1 for i in reversed(range(p.role_bits))]
        r = p.recode(k)
        return [r.entry(d) << 1 | r.condition(d) for d in reversed(r.digits)]

    def next_digit(self, word: Word) -> bool:
        """Whether a word asks for the next digit."""
        return word.next

    def verify(self, d: PrimeDesign) -> None:
        """Run the microcode on numbers, all threads busy."""
        p = d.preset
        n = p.curve.n << (p.scalar_bits - p.curve.n.bit_length())
        scalars = (1, n - 1, n // 3, n * 2 // 3, n // 5, n * 3 // 7, n // 11, n * 5 // 13)
        g = p.curve.generator
        points = [p.curve.double(g), g] if d.base else [g]
        jobs = [(k, point) for point in points for k in scalars]
        firsts = range(0, max(len(jobs) if d.base else 4, p.threads), p.threads)
        self.verify_on(d, (jobs[i : i + p.threads] for i in firsts))

    def report(self, d: PrimeDesign) -> dict[str, object]:
        """Return the figures of the schedule."""
        units, bound = d.preset.units, d.cycles_bound
        return report.summary(d.graph, d.schedule, d.microcode, units, bound)

    def draw(self, d: PrimeDesign) -> str:
        """Draw a turn of the loop."""
        return picture.draw(d.graph, d.schedule, d.preset.units, d.preset.name)

    def emit(self, d: PrimeDesign) -> str:
        """Return the module's text."""
        return emitter.emit(d)

    def words(self, d: PrimeDesign) -> list[int]:
        """Return the program's words."""
        return emitter.words(d)
