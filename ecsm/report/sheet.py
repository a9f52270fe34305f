# SPDX-License-Identifier: Apache-2.0
"""``DATASHEET.md`` of a package: what it takes in cycles, area and clock, and how to cite it.

Figures are the kept results of the same preset. What is of older RTL says so, and what is not
measured is named with the command that measures it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ecsm import __version__
from ecsm.backend.attached import load_attached
from ecsm.backend.gowin import GOWIN
from ecsm.backend.nextpnr import DEVICES, ICE40, SPEEDS, target_of
from ecsm.curves.strength import security_bits
from ecsm.hdl.build import Build
from ecsm.markdown import markdown_table, number
from ecsm.measure.schemes import SchemeCycles, digest, load_scheme_cycles
from ecsm.measure.word_schemes import load_word_schemes
from ecsm.presets.table import protects_keys
from ecsm.presets.word import WordPreset
from ecsm.report.families import at_most
from ecsm.report.word import ms
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, Synth, by_seed, load_pnr, load_synth
from ecsm.results.sources import current_digest
from ecsm.templates import render

OLD = "of an earlier commit"
AREAS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "block RAM", "spram": "SPRAM"}
TARGETS = {
    "ecp5": "Lattice ECP5", "ice40": "Lattice iCE40", "gowin": "Gowin", "xc7": "AMD 7 series",
}  # fmt: skip


def sheet(build: Build, root: Where = RESULTS) -> str:
    """Return the page of a package. Raises DamagedResult."""
    p = build.preset
    return render(
        "report/package.md",
        about=build.about(),
        bits=security_bits(p.curve),
        build=build,
        clocks=clock_table(build, root),
        cycles=_cycle_table(build, root),
        figures=area_table(build, root),
        made_of=build.made_of(),
        netlist=_netlist(build),
        p=p,
        name=build.name,
        protected=protects_keys(p),
        version=__version__,
        word=isinstance(p, WordPreset),
    )


def _state(current: bool) -> str:
    return "" if current else OLD


def _netlist(build: Build) -> str:
    """Return the preset whose netlist it is: tables of a curve are none of their own."""
    p = build.preset
    return p.netlist_name if isinstance(p, WordPreset) else p.name


def _kept_cycles(build: Build, root: Where) -> SchemeCycles | None:
    """Return the cycles of its schemes that are kept, None if there are none."""
    if isinstance(build.design, WordPreset):
        return load_word_schemes(root).get(build.preset.name)
    return load_scheme_cycles(build.preset.name, build.wide, root)


def _cycle_table(build: Build, root: Where) -> str:
    """Return what operations take, "" if nothing is kept."""
    head = ["operation", "cycles", "state"]
    if not build.schemes:
        assert build.core is not None  # a word engine has schemes
        core = build.core
        rows = [["kP", number(core.microcode.cycles), ""]]
        rows += [["kG", number(core.base_cycles), ""]] if core.base else []
        return markdown_table(head, rows, {1})
    found = _kept_cycles(build, root)
    if found is None:
        return ""
    state = _state(found.rtl == digest(found.preset, found.wide))
    rows = [[name, number(cycles), state] for name, cycles in found.cycles.items()]
    return markdown_table(head, rows, {1})


def _areas(build: Build, root: Where) -> Iterator[tuple[str, Synth, bool]]:
    """Yield what is measured: of what, its area, whether that is of the RTL as it is."""
    name = _netlist(build)
    alone = "one engine" if build.engines > 1 else "the engine" if build.attach else "this package"
    if build.schemes and build.core is not None:
        alone = "the core without schemes"
    now = current_digest(name)
    for target in TARGETS:
        if (found := load_synth(name, target, root)) is not None:
            yield alone, found, found.origin.rtl == now
        if build.attach and build.engines == 1 and not (build.schemes and build.core):
            behind, current = load_attached(name, build.attach, target, root)
            if behind is not None:
                yield "this package", behind, current


def area_table(build: Build, root: Where) -> str:
    """Return what is measured by Yosys, "" if nothing is."""
    rows = [
        [what, TARGETS[synth.target], *(number(synth.area.get(kind, 0)) for kind in AREAS),
         synth.levels, _state(current)]
        for what, synth, current in _areas(build, root)
    ]  # fmt: skip
    head = ["of", "family", *AREAS.values(), "levels", "state"]
    return markdown_table(head, rows, set(range(2, len(head) - 1))) if rows else ""


def _routed(name: str, root: Where) -> Iterator[Pnr]:
    devices = (*(f"{d}-{speed}" for d in DEVICES for speed in SPEEDS), *ICE40, *GOWIN)
    for device in devices:
        if (found := load_pnr(name, root, device)) is not None:
            yield found


def clock_table(build: Build, root: Where) -> str:
    """Return the clocks that are measured, "" if none is.

    Beside the clocks of a word engine is the time of a signature.
    """
    name = _netlist(build)
    kept = _kept_cycles(build, root) if isinstance(build.preset, WordPreset) else None
    sign = kept.cycles.get("sign") if kept else None
    now = current_digest(name)
    rows = []
    for r in _routed(name, root):
        bound = at_most(r.device, load_synth(name, target_of(r.device), root))
        clocks = (f"{bound}{mhz:.1f}" for mhz in (r.mhz, r.mhz_median))
        time = [ms(sign, r.mhz)] if sign else []
        state = _state(r.origin.rtl == now)
        rows.append([r.device, *clocks, len(by_seed(r.runs)), *time, state])
    head = ["device and speed grade", "MHz, best", "MHz, median", "seeds"]
    head += ["ms of a signature, at the best", "state"] if sign else ["state"]
    return markdown_table(head, rows, set(range(1, len(head) - 1))) if rows else ""
