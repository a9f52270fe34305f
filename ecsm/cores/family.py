# SPDX-License-Identifier: Apache-2.0
"""What every family of cores can do: from a preset to its program, schedule, microcode, module.

The layers, from the lowest: presets and formulas; schedulers; the emitters of engines
(ecsm/hdl/engines), one for each family; the families, which join these; what is built from any core
(packages, farms, devices, flows). One module, :mod:`ecsm.cores.table`, chooses the family of a
preset. No other layer asks for the class of a preset.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar, cast

from ecsm.cores.design import AnyGraph, AnyWord, Design, Figures
from ecsm.hdl.engines.text import program_listing
from ecsm.presets.gfp_table import AnyPreset
from ecsm.schedule.program import Job, Microcode, Result
from ecsm.schedule.types import Schedule, ScheduleError

SOLVE_LIMITS = (30, 10)  # seconds for timing and for what follows, if no others are asked for
P = TypeVar("P", bound=AnyPreset)
G = TypeVar("G", bound=AnyGraph)
W = TypeVar("W", bound=AnyWord)


class Family(ABC, Generic[P, G, W]):
    """A kind of engine with its solver, assembler, emitter. ``preset`` is the class of its presets.

    ``name``: that of its folders. ``quality``: the name of the cost that decides between two
    schedules of equal cycles.
    """

    name: ClassVar[str]
    preset: ClassVar[type]
    quality: ClassVar[str]

    def trace(self, p: P) -> G:
        """Return the program; raises ValueError for a preset that cannot have any."""
        return cast(G, p.graph())

    @abstractmethod
    def identity(self, p: P) -> str:
        """Return a text of all that a schedule depends on: the program and the units."""

    def fingerprint(self, p: P) -> str:
        """Return a hash of what a schedule depends on."""
        return hashlib.sha256(self.identity(p).encode()).hexdigest()[:16]

    @abstractmethod
    def solve(self, p: P, timing_s: float, network_s: float) -> Schedule:
        """Return the best schedule found; raises :class:`ecsm.schedule.types.Unschedulable`.

        ``timing_s``: seconds for each length of the loop that is tried; over a prime field, for
        each segment. ``network_s``: seconds for the network; over a prime field, for the waiting
        times of each segment's results.
        """

    def rank(self, s: Schedule) -> tuple[int, int]:
        """Return the key by which the best schedule is the least: cycles, then the ``quality``."""
        return s.cycles, s.cost

    def figures(self, p: P, s: Schedule) -> Figures:
        """Return the figures of a schedule, without making microcode."""
        return Figures(s.cycles, s.cycles_bound, s.registers)

    @abstractmethod
    def theory(self, p: P) -> str:
        """Return the page of ``docs/theory`` with a core's mathematics."""

    def programs(self, p: P) -> list[P]:
        """Return the preset, and one for each other program of its core, with its schedule."""
        return [p]

    @abstractmethod
    def assemble(self, p: P, graph: G, s: Schedule) -> Microcode[W]:
        """Return the microcode; raises AssertionError, LookupError or ValueError.

        These say that the schedule is of another program.
        """

    def assemble_all(self, parts: Sequence[tuple[P, G, Schedule]]) -> list[Microcode[W]]:
        """Return the microcode of all :meth:`programs` of a core; raises as :meth:`assemble`."""
        return [self.assemble(*part) for part in parts]

    @abstractmethod
    def run(self, d: Design[P, G, W], jobs: Sequence[Job]) -> list[Result]:
        """Execute the microcode on numbers, for as many jobs as the core has threads at most.

        Raises ValueError or LookupError where it breaks a rule of the machine.
        """

    @abstractmethod
    def digits(self, p: P, k: int) -> list[int]:
        """Return what the engine makes of a scalar, from 0 up, in the order of use."""

    @abstractmethod
    def next_digit(self, word: W) -> bool:
        """Whether a word asks for the next digit."""

    @abstractmethod
    def verify(self, d: Design[P, G, W]) -> None:
        """Raise :class:`ecsm.schedule.types.ScheduleError` if the schedule is wrong."""

    def verify_on(self, d: Design[P, G, W], batches: Iterable[Sequence[Job]]) -> None:
        """Run batches of jobs: a wrong schedule breaks a rule of the machine, or errs."""
        for jobs in batches:
            try:
                found = self.run(d, jobs)
            except (ValueError, LookupError) as error:
                raise ScheduleError(str(error)) from None
            if [r.point for r in found] != [d.preset.multiple(*job) for job in jobs]:
                raise ScheduleError("it gives other points")

    @abstractmethod
    def report(self, d: Design[P, G, W]) -> dict[str, object]:
        """Return the figures of a design's schedule by name."""

    def listing(self, d: Design[P, G, W]) -> str:
        """Return a design's program, a word a line."""
        return program_listing(d.microcode, self.next_digit)

    @abstractmethod
    def draw(self, d: Design[P, G, W]) -> str:
        """Return a design's schedule as an SVG document."""

    @abstractmethod
    def emit(self, d: Design[P, G, W]) -> str:
        """Return the SystemVerilog text of the preset's module."""

    @abstractmethod
    def words(self, d: Design[P, G, W]) -> list[int]:
        """Return the control words of the program, as the module has them.

        Bits that control nothing may be left out.
        """
