# SPDX-License-Identifier: Apache-2.0
"""What has been measured of the presets, side by side."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ecsm.backend.nextpnr import DEVICE_HAS
from ecsm.backend.synth import farm_name, farm_sources, recipe
from ecsm.cores.store import design
from ecsm.markdown import markdown_table, number
from ecsm.measure.cost import simulated, slowest
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import all_presets, is_toy
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import (
    Origin,
    Pnr,
    Synth,
    Unrouted,
    by_seed,
    load_pnr,
    load_synth,
    load_unrouted,
)
from ecsm.results.sources import current_digest, sources

NOT_MEASURED = "not measured"
NONE = "-"  # the same, in a table
TOO_LARGE = "too large"
NOT_ROUTED = "not routed"
OF_CORES = ("ecp5", "xc7", "cmos")  # targets that cores are synthesised for
REAL = [p for p in all_presets() if not is_toy(p)]


@dataclass(frozen=True)
class Measured:
    """The results of one preset, None where there is none; ``digest`` is its design's now.

    ``unrouted``: runs that did not route, where none of the design as it is did.
    """

    preset: AnyPreset
    ecp5: Synth | None
    xc7: Synth | None
    cmos: Synth | None
    pnr: Pnr | None
    digest: str | None
    unrouted: Unrouted | None = None

    @property
    def results(self) -> dict[str, Synth | Pnr]:
        """The results that there are."""
        found = {"pnr": self.pnr, "ecp5": self.ecp5, "xc7": self.xc7, "cmos": self.cmos}
        return {name: r for name, r in found.items() if r is not None}

    @property
    def cycles(self) -> int:
        """Cycles of the core that has the clock; if there is none, of one that has an area."""
        return next(r.cycles for r in self.results.values())

    @property
    def too_large(self) -> bool:
        """Whether the core is known to have more cells of a kind than the device."""
        area = {} if self.ecp5 is None else self.ecp5.area
        return any(area.get(kind, 0) > there for kind, there in DEVICE_HAS.items())

    @property
    def no_clock(self) -> str:
        """What a table has instead of a clock that is not there."""
        return TOO_LARGE if self.too_large else NONE if self.unrouted is None else NOT_ROUTED

    def state(self, of: Collection[str] = (*OF_CORES, "pnr")) -> str:
        """Say which results are of another design than the preset's is now, and of which commit.

        One that takes other cycles than the row says, says how many.
        """
        old: dict[str, list[str]] = {}
        for name in of:
            r = self.results.get(name)
            if r is not None and r.origin.rtl != self.digest:
                o = r.origin
                commit = "an unknown commit" if o.commit is None else o.commit[:8]
                then = f" of {number(r.cycles)} cycles" * (r.cycles != self.cycles)
                old.setdefault(commit + " with changes" * o.dirty, []).append(name + then)
        return "; ".join(
            f"{', '.join(names)} at an earlier commit ({commit})" for commit, names in old.items()
        )

    def carried(self, of: Collection[str] = (*OF_CORES, "pnr")) -> str:
        """Say which results were measured on another text of the same circuit."""
        names = [n for n in of if (r := self.results.get(n)) is not None and r.origin.carried]
        return f"{', '.join(names)} carried" if names else ""

    def remarks(self, of: Collection[str] = (*OF_CORES, "pnr")) -> str:
        """Return what a table says of the results: :meth:`state` and :meth:`carried`."""
        return "; ".join(filter(None, [self.state(of), self.carried(of)]))


def measured(root: Where = RESULTS) -> list[Measured]:
    """Return the presets with real curves of which anything is measured."""
    found = []
    for p in REAL:
        ecp5, xc7, cmos = (load_synth(p.name, t, root) for t in OF_CORES)
        pnr = load_pnr(p.name, root)
        if any((ecp5, xc7, cmos, pnr)):
            digest = current_digest(p.name)
            unrouted = None if pnr is not None else load_unrouted(p.name, root)
            if unrouted is not None and unrouted.origin.rtl != digest:
                unrouted = None
            found.append(Measured(p, ecp5, xc7, cmos, pnr, digest, unrouted))
    return found


def in_short(p: AnyPreset, root: Where = RESULTS) -> str:
    """Return clock, time and area of a preset on ECP5 in one phrase; those of older RTL say so."""
    ecp5, pnr = load_synth(p.name, "ecp5", root), load_pnr(p.name, root)
    digest = current_digest(p.name)

    def part(text: str, origin: Origin) -> str:
        return text if origin.rtl == digest else f"{text} (of earlier RTL)"

    parts = [] if pnr is None else [part(f"{pnr.mhz:.1f} MHz, {pnr.us:.2f} us", pnr.origin)]
    parts += [] if ecp5 is None else [part(f"{number(ecp5.area['lut'])} LUT4", ecp5.origin)]
    return ", ".join(parts) or NOT_MEASURED


def farm_in_short(p: AnyPreset, engines: int, root: Where = RESULTS) -> str:
    """Return the area of a farm of a preset's cores on xc7 in one phrase."""
    found = load_synth(farm_name(p.name, engines), "xc7", root)
    if found is None:
        return NOT_MEASURED
    text = f"{engines} cores: {in_cells(found)} LUT6 / FF / DSP on xc7"
    core = sources(design(p.name))
    now = (farm_sources(core, engines).digest, recipe(core, "xc7"))
    return text if (found.origin.rtl, found.script) == now else f"{text} (of earlier RTL)"


def in_cells(s: Synth) -> str:
    """Return look-up tables, flip-flops and DSP blocks."""
    return " / ".join(number(s.area[key]) for key in ("lut", "ff", "dsp"))


def per_second(preset: AnyPreset, pnr: Pnr) -> float:
    """Return the kP a second of a core that is never short of jobs."""
    return preset.threads * 1e6 * pnr.mhz / (pnr.cycles + preset.pause)


def _area(s: Synth | None) -> list[str]:
    return [NONE if s is None else in_cells(s)]


def implementation(root: Where = RESULTS) -> str:
    """Return the table of what is measured; what is not, and what no device holds, says so.

    us is of one batch, kP/s of all jobs of it: a core with threads runs as many together.
    """
    rows = []
    for m in measured(root):
        clock, product = [number(m.cycles), *[m.no_clock] * 4], m.no_clock
        if m.pnr is not None:
            rate = number(round(per_second(m.preset, m.pnr)))
            clock[1:] = [f"{m.pnr.mhz:.1f} / {m.pnr.mhz_median:.1f}",
                         number(len(by_seed(m.pnr.runs))), f"{m.pnr.us:.2f}", rate]  # fmt: skip
        if m.pnr is not None and m.ecp5 is not None:
            product = number(round(m.ecp5.area["lut"] * m.pnr.us / 1000))
        gates = NONE if m.cmos is None else number(m.cmos.area["gates"])
        state = "; ".join(filter(None, [m.remarks(), "" if m.unrouted is None else m.unrouted.why]))
        rows.append(
            [f"`{m.preset.name}`", *clock, *_area(m.ecp5), product, *_area(m.xc7), gates, state]
        )
    if not rows:
        return f"Of clock and area: {NOT_MEASURED}."
    head = [
        "preset", "cycles", "MHz best / median", "seeds", "us", "kP/s", "LUT4 / FF / DSP",
        "kLUT4 x us", "LUT6 / FF / DSP", "gates", "state",
    ]  # fmt: skip
    return markdown_table(head, rows, set(range(1, 10)))


def routed(names: str = "", root: Where = RESULTS) -> str:
    """Return the table of what is placed and routed, the fastest first.

    ``names``: of these presets, with commas between; ValueError if one has no clock.
    """
    found = [(m, m.pnr) for m in measured(root) if m.pnr is not None]
    if names:
        chosen = names.split(",")
        found = [(m, pnr) for m, pnr in found if m.preset.name in chosen]
        if len(found) != len(chosen):
            raise ValueError("not every preset is routed, or one is named twice")
    rows = [
        [f"`{m.preset.name}`", m.preset.curve.name, number(pnr.cycles), f"{pnr.mhz:.1f}",
         f"{pnr.us:.2f}", number(round(per_second(m.preset, pnr))), _area(m.ecp5)[0],
         m.remarks(("ecp5", "pnr"))]
        for m, pnr in sorted(found, key=lambda each: each[1].us)
    ]  # fmt: skip
    head = ["preset", "curve", "cycles", "MHz", "us", "kP/s", "LUT4 / FF / DSP", "state"]
    return markdown_table(head, rows, {2, 3, 4, 5, 6}) if rows else f"Clocks: {NOT_MEASURED}."


def simulation() -> str:
    """Return what `ecsm bench` last measured of the simulated cores."""
    rows = [[name, number(r.cycles), r.simulated_kp_per_second] for name, r in simulated()]
    return markdown_table(["preset", "cycles", "simulated kP a second"], rows, {1, 2})


def tool() -> str:
    """Return what the tool itself costs for a preset, and its slowest step, from `ecsm bench`."""
    rows = []
    for name, r in simulated():
        solved = "-" if r.solve_seconds is None else r.solve_seconds
        times = [r.elaborate_seconds, r.compile_cpu_seconds, r.compile_seconds]
        speed = number(r.simulated_cycles_per_second)
        rows.append([name, solved, *times, speed, slowest(r)])
    head = ["preset", "solve, s", "trace, assemble, emit, s", "compile, CPU s", "compile, s",
            "simulated cycles a second", "slowest step measured"]  # fmt: skip
    return markdown_table(head, rows, {1, 2, 3, 4, 5})
