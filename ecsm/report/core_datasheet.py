# SPDX-License-Identifier: Apache-2.0
"""Datasheets of the recommended cores, a generated page each, in ``docs/integrate/datasheets``."""

from __future__ import annotations

from ecsm import __version__
from ecsm.cores.store import design
from ecsm.cores.table import family
from ecsm.curves import BinaryCurve
from ecsm.curves.strength import security_bits
from ecsm.hdl.build import Build
from ecsm.hdl.package_texts import port_facts
from ecsm.markdown import markdown_table, number
from ecsm.presets import table
from ecsm.presets.word import WordPreset
from ecsm.report.sheet import area_table, clock_table
from ecsm.report.word import earlier
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, Synth, load_pnr, load_synth
from ecsm.results.sources import current_digest
from ecsm.schemes.program import has_schemes
from ecsm.templates import render

HIGH, LOW = "▔", "▁"
VARIANTS = ("-check", "-full")
"""How names end of cores that are the same, and protected."""
MEASURED = ("cycles of kP", "ECP5: LUT", "MHz, best")


def recommended() -> list[str]:
    """Return the cores that have a page."""
    return [p.name for p in table.recommended() if not isinstance(p, WordPreset)]


def wave(cycles: int, threads: int) -> str:
    """Return a picture of a job from the request to the answer, ``cycles`` later.

    With ``threads`` more requests may follow.
    """
    marks = ["0", "1", "2", "..", number(cycles), "+1", "+2"]
    rows = {
        "req_valid_i": "1000000", "req_ready_o": "1110000" if threads > 1 else "1000000",
        "rsp_valid_o": "0000110",
        "rsp_ready_i": "0000010",
        "rsp_*": "0000110",
    }  # fmt: skip
    width = max(7, max(map(len, marks)) + 2)
    lines = ["cycle".ljust(14) + "".join(mark.ljust(width) for mark in marks)]
    for name, bits in rows.items():
        drawn = "".join((HIGH if bit == "1" else LOW) * width for bit in bits)
        lines += ["", name.ljust(14) + drawn]  # a low line is apart from the next one's high
    return "\n".join(("    " + line).rstrip() for line in lines)


def _measured(name: str, root: Where) -> tuple[Synth | None, Pnr | None, list[str]]:
    """Return area and clock of a core on ECP5, and its cells of a table: cycles, area, clock."""
    synth, pnr = load_synth(name, "ecp5", root), load_pnr(name, root)
    cells = [
        number(design(name).microcode.cycles),
        number(synth.area["lut"]) if synth else "-", f"{pnr.mhz:.1f}" if pnr else "-",
    ]  # fmt: skip
    return synth, pnr, cells


def cost_table(name: str, root: Where) -> str:
    """Return a core beside its protected variants: cycles, area, clock; "" if it has none."""
    known = {p.name for p in table.all_presets()}
    names = [name, *(name + end for end in VARIANTS if name + end in known)]
    if len(names) == 1:
        return ""
    rows = []
    for each in names:
        synth, pnr, cells = _measured(each, root)
        now = current_digest(each)
        found = {"area": synth, "clock": pnr}
        old = earlier([what for what, kept in found.items() if kept and kept.origin.rtl != now])
        rows.append([f"`{each}`", *cells, old])
    head = ["core", *MEASURED, "state"]
    return markdown_table(head, rows, {1, 2, 3})


def index(engines: str, root: Where = RESULTS) -> str:
    """Return the page that lists the pages of cores, and of word engines by a table of theirs."""
    rows = []
    for name in recommended():
        p = design(name).preset
        *_, cells = _measured(name, root)
        rows.append([f"[`{name}`]({name}.md)", p.curve.name, *cells, p.about])
    head = ["core", "curve", *MEASURED, "what it is"]
    return render(
        "report/datasheets.md", cores=markdown_table(head, rows, {2, 3, 4}), engines=engines
    )


def datasheet(name: str, root: Where = RESULTS) -> str:
    """Return the page of a core. Raises KeyError for one that is not known."""
    d = design(name)
    p = d.preset
    build = Build(d)
    return render(
        "report/core_datasheet.md",
        **port_facts(d),
        p=p,
        about=build.about(),
        aliases=list(p.curve.aliases),
        areas=area_table(build, root),
        binary=isinstance(p.curve, BinaryCurve),
        bits=security_bits(p.curve),
        clocks=clock_table(build, root),
        cost=cost_table(name, root),
        cycles=number(d.microcode.cycles),
        base_cycles=number(d.base_cycles) if d.base else "",
        alone=number(d.cycles_alone),
        registers=d.microcode.registers,
        schemes=has_schemes(p),
        theory=family(p).theory(p),
        version=__version__,
        wave=wave(d.cycles_alone, getattr(p, "threads", 1)),
    )
