# SPDX-License-Identifier: Apache-2.0
"""Fill in the figures and numbers of the documents from the designs themselves.

A mark in a document names a number, and this module writes the number into the mark::

    <!-- ecsm:table presets -->
    <!-- /ecsm -->
    takes <!-- ecsm:value b163-fast.cycles -->342<!-- /ecsm --> cycles

Tables: ``implementation``, ``routed``, ``routed:PRESET,PRESET``, ``presets``, ``toys``, ``prime``,
``programs``, ``places``, ``published``, ``rebuilt``, ``inversion``, ``levels``, ``simulation``,
``tool``, ``units``, ``cells``, ``order-units``, ``word-units``, ``word``, ``word-up5k``,
``word-aims``, ``word-full``, ``word-self-test``, ``schemes``, ``schemes:more``,
``scheme-units``, ``psec``, ``soc-cycles``, ``soc-transfers``, ``soc-cores``, ``soc-area``,
``soc-place``, ``soc-schemes``, ``soc-p256``, ``families``,
``word-peers``, ``signers``, ``energy``, ``proofs``, ``leak``, ``leak-parts``, ``leak-taint``,
``leak-assumed``, ``fault``, ``fault-signature``, ``facts:PRESET``, ``microcode:PRESET``,
``word-cycles:PRESET``, ``word-curves:NETLIST``, ``order-cycles:DIGITxWORD``.
Values: ``PRESET.KEY`` with a key of :mod:`ecsm.schedule.report`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from ecsm.backend.liberty import cell_table
from ecsm.backend.units import order_cycles, unit_table
from ecsm.boards.results import bitstream_table, board_table
from ecsm.cores.design import AnyDesign
from ecsm.cores.store import StaleSchedule, design
from ecsm.cores.table import family
from ecsm.formulas.gf2m.graph import Kind
from ecsm.hdl.units import ORDER_UNITS, SCHEME_UNITS, SYMMETRIC_UNITS, WORD_UNITS
from ecsm.hdl.word_listing import picture
from ecsm.markdown import markdown_table, number
from ecsm.measure.compare import compare_table
from ecsm.measure.energy import energy_table
from ecsm.measure.psec_kem import psec_table
from ecsm.measure.published import ECSM_163, ORIGINALS, Build
from ecsm.measure.soc import area_table, core_table, cycle_table, transfer_table
from ecsm.measure.soc_p256 import p256_table, peers_table
from ecsm.measure.soc_place import place_table
from ecsm.measure.soc_schemes import scheme_cycle_table
from ecsm.names import no_such
from ecsm.presets import PRESETS
from ecsm.presets.gfp_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.table import UnknownPreset, all_presets, is_toy
from ecsm.presets.word import WORD_PRESETS
from ecsm.report import measured
from ecsm.report.aims import aim_table
from ecsm.report.charts import CHARTS
from ecsm.report.cycles import (
    scheme_table,
    self_test_table,
    word_curve_table,
    word_cycle_table,
    word_full_table,
)
from ecsm.report.datasheet import datasheets
from ecsm.report.families import family_table
from ecsm.report.programs import program_table
from ecsm.report.protection import countermeasure_table, protection_table
from ecsm.report.security import (
    fault_table,
    leak_assumed_table,
    leak_parts_table,
    leak_table,
    leak_taint_table,
    proof_table,
    signature_table,
)
from ecsm.report.signers import signer_table
from ecsm.report.word import up5k_table, word_table
from ecsm.results.record import write_text
from ecsm.schedule.gf2m.report import levels

FIGURES = {
    "docs/img/schedule-b163-fast.svg": "b163-fast",
    "docs/img/schedule-b163-halving.svg": "b163-halving",
    "docs/img/schedule-p256-fast.svg": "p256-fast",
}
WALK = "docs/img/word-product.svg"
MARK = re.compile(
    r"(?P<open><!-- ecsm:(?P<kind>\w+) (?P<name>[^ ]+) -->)(?P<old>.*?)(?P<close><!-- /ecsm -->)",
    re.DOTALL,
)
BEGIN, END = "<!-- ecsm:", "<!-- /ecsm -->"
NOT_SOLVED = "not solved"
PLACES = ("p256-small", "p256-small-lut", "p256-small-dsp")


class DocsError(ValueError):
    """A document asks for something that there is not."""


class StaleDocs(Exception):
    """Documents differ from what the designs say; ``files`` names them."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = list(files)
        names = ", ".join(str(f) for f in self.files)
        super().__init__(f"out of date: {names}; run ecsm docs")


def _design(p: AnyPreset) -> AnyDesign | None:
    try:
        return design(p.name)
    except StaleSchedule:
        return None


def facts(d: AnyDesign) -> dict[str, object]:
    """Return the summary of a design's schedule."""
    return family(d.preset).report(d)


def _counts(p: AnyPreset, *keys: str) -> list[str]:
    """Return figures of a preset's schedule, or that there is none."""
    d = _design(p)
    if d is None:
        return [NOT_SOLVED, *[""] * (len(keys) - 1)]
    return _facts_of(d, *keys)


def _facts_of(d: AnyDesign, *keys: str) -> list[str]:
    """Return figures of a design as texts."""
    found = facts(d)
    return [number(found[key]) + " %" * key.endswith("_percent") for key in keys]


def presets() -> str:
    """Return the table of the presets with real curves over binary fields."""
    keys = ("cycles", "cycles_bound", "floor", "registers")
    rows = [
        [f"`{p.name}`", p.curve.name, p.multipliers, p.describe(), *_counts(p, *keys)]
        for p in all_presets()
        if not is_toy(p) and p.field_kind == "binary"
    ]
    head = ["preset", "curve", "mul", "multiplier", "cycles", "proven bound", "floor", "registers"]
    return markdown_table(head, rows, {2, 4, 5, 6, 7})


def toys() -> str:
    """Return the table of the toy presets, with the size of their exhaustive test."""
    rows = []
    for p in PRESETS.values():
        if is_toy(p):
            points = p.curve.n * p.curve.h
            (cycles,) = _counts(p, "cycles")
            units = f"{p.multipliers} x {p.multiplier.describe()}"
            pairs = number(points << p.m)
            rows.append([f"`{p.name}`", p.curve.name, units, cycles, points, 1 << p.m, pairs])
    head = ["preset", "curve", "multipliers", "cycles", "points", "scalars", "pairs"]
    return markdown_table(head, rows, {3, 4, 5, 6})


def prime() -> str:
    """Return the table of the presets over prime fields, toys aside."""
    keys = ("cycles", "cycles_bound", "products", "registers", "occupancy_percent")
    rows = []
    for p in PRIME_PRESETS.values():
        if is_toy(p):
            continue
        rows.append([f"`{p.name}`", p.curve.name, p.window, p.describe(), *_counts(p, *keys)])
        d = _design(p)
        if d is not None and d.base is not None:
            comb = f"{p.groups} combs of {p.columns} columns"
            rows.append([f"`{p.name}`, kG", p.curve.name, "", comb, *_facts_of(d.base, *keys)])
    head = ["preset", "curve", "window", "multiplier", "cycles", "proven bound", "products"]
    head += ["registers", "busy"]
    return markdown_table(head, rows, {2, 4, 5, 6, 7, 8})


def places() -> str:
    """Return presets that differ in where products and sums are, with what they take."""
    rows: list[list[object]] = []
    of = {m.preset.name: m for m in measured.measured()}
    for p in (PRIME_PRESETS[name] for name in PLACES):
        m = of.get(p.name)
        areas = (None, None) if m is None else (m.ecp5, m.xc7)
        shown = (measured.NOT_MEASURED if s is None else measured.in_cells(s) for s in areas)
        cycles = number(design(p.name).microcode.cycles)
        places = (f"`{p.name}`", p.multiplier_in, p.adder_in, cycles)
        rows.append([*places, *shown, "" if m is None else m.remarks()])
    head = ["preset", "products in", "sums in", "cycles"]
    head += ["ECP5: LUT4 / FF / DSP", "xc7: LUT6 / FF / DSP", "state"]
    return markdown_table(head, rows, {3, 4, 5})


def published() -> str:
    """Return the published 163-bit designs, then ours; clocks of ours are not measured."""
    rows: list[list[object]] = [
        [d.design, d.multipliers, number(d.cycles), f"{d.mhz:g}", f"{d.us:g}", d.device]
        for d in ECSM_163
    ]
    for p in PRESETS.values():
        d = None if p.m != 163 else _design(p)
        if d is not None:
            units = f"{p.multipliers} x {p.multiplier.kind}"
            cycles = number(d.microcode.cycles)
            where = f"simulated, {p.curve.name}"
            rows.append([f"**ECSM `{p.name}`**", units, cycles, "", "", where])
    head = ["design", "multipliers", "cycles", "MHz", "us", "device"]
    return markdown_table(head, rows, {2, 3, 4})


def rebuilt() -> str:
    """Return the published designs beside the presets that rebuild them."""
    rows: list[list[object]] = []
    for p in measured.REAL:
        if not p.published:
            continue
        d, o = design(p.name), ORIGINALS[p.published]
        ours, loop = d.microcode.cycles, d.schedule.ii
        published, off = o.basis, ""
        if o.cycles is not None:
            published = number(o.cycles) + ("" if o.basis == "one kP" else f" ({o.basis})")
            off = f"{100 * (ours - o.cycles) / o.cycles:+.1f} %"
        elif o.bit_cycles is not None:
            published = f"{o.bit_cycles} a key bit"
            off = f"{loop} a key bit"
        for b in o.builds or (Build("not built"),):
            mhz, us = ("" if v is None else f"{v:g}" for v in (b.mhz, b.us))
            theirs = [o.design, published, mhz, us, b.area, b.device]
            size = measured.in_short(p) if b.engines == 1 else measured.farm_in_short(p, b.engines)
            rows.append([*theirs, f"`{p.name}`", number(ours), off, size])
    head = ["published design", "cycles", "MHz", "us", "area", "device"]
    head += ["rebuilt", "cycles", "deviation", "clock and area"]
    return markdown_table(head, rows, {1, 2, 3, 7, 8})


def inversion() -> str:
    """Return the addition chains of the inversions, read from the programs."""
    rows: dict[int, list[object]] = {}
    for p in PRESETS.values():
        d = None if is_toy(p) or p.m in rows else _design(p)
        if d is None:
            continue
        tail = p.graph().tail
        ops = [o for o in tail.ops if o.kind is Kind.PRODUCT]
        chain = {int(n[1]): o.atom for o in ops if (n := re.match(r"β(\d+) = ", o.name))}
        start = next(o.atom for o in ops if o.name.startswith("g = "))
        level = levels(tail)
        depth = level[chain[p.m - 1]] - level[start]
        rows[p.m] = [p.m, ", ".join(map(str, [1, *sorted(chain)])), len(chain), depth]
    head = ["m", "chain of exponents", "products", "levels"]
    return markdown_table(head, (rows[m] for m in sorted(rows)), {0, 2, 3})


def level_table() -> str:
    """Return the levels of three one-cycle multipliers: the shortest known, ours, and cycles."""
    rows = []
    for p in PRESETS.values():
        d = _design(p) if p.name.endswith("-fast") and not is_toy(p) else None
        if d is not None:
            f = facts(d)
            least = 2 * (p.m - 1) + (p.m - 2).bit_length() + 1
            keys = ("levels", "floor", "tail_map_cycles", "cycles_bound", "cycles")
            rows.append([f"`{p.name}`", number(least), *(number(f[k]) for k in keys)])
    head = ["preset", "least levels", "ours", "floor", "map cycles", "proven bound", "cycles"]
    return markdown_table(head, rows, {1, 2, 3, 4, 5, 6})


def fact_table(name: str) -> str:
    """Return all figures of one preset."""
    rows = [[key.replace("_", " "), number(v)] for key, v in facts(design(name)).items()]
    return markdown_table(["figure", "value"], rows, {1})


def microcode(name: str) -> str:
    """Return the program of a preset, word by word."""
    d = design(name)
    return f"```text\n{family(d.preset).listing(d)}\n```"


_TABLES: dict[str, Callable[[], str]] = {
    "implementation": measured.implementation,
    "routed": measured.routed,
    "units": lambda: unit_table(units=SYMMETRIC_UNITS.values()),
    "order-units": lambda: unit_table(units=ORDER_UNITS.values()),
    "cells": cell_table,
    "word": word_table,
    "word-up5k": up5k_table,
    "signers": signer_table,
    "families": family_table,
    "word-aims": aim_table,
    "word-full": word_full_table,
    "word-self-test": self_test_table,
    "word-units": lambda: unit_table(units=WORD_UNITS.values()),
    "schemes": scheme_table,
    "scheme-units": lambda: unit_table(units=SCHEME_UNITS.values()),
    "psec": psec_table,
    "soc-cycles": cycle_table,
    "soc-transfers": transfer_table,
    "soc-cores": core_table,
    "soc-area": area_table,
    "soc-place": place_table,
    "boards": board_table,
    "bitstreams": bitstream_table,
    "soc-schemes": scheme_cycle_table,
    "soc-p256": p256_table,
    "word-peers": peers_table,
    "tool": measured.tool,
    "energy": energy_table,
    "leak": leak_table,
    "leak-parts": leak_parts_table,
    "leak-taint": leak_taint_table,
    "leak-assumed": leak_assumed_table,
    "fault": fault_table,
    "fault-signature": signature_table,
    "protection": protection_table,
    "countermeasures": countermeasure_table,
    "proofs": proof_table,
    "compare": compare_table,
    "simulation": measured.simulation,
    "presets": presets,
    "toys": toys,
    "prime": prime,
    "programs": program_table,
    "places": places,
    "published": published,
    "rebuilt": rebuilt,
    "inversion": inversion,
    "levels": level_table,
}
_TABLES_OF: dict[str, Callable[[str], str]] = {
    "facts": fact_table,
    "microcode": microcode,
    "order-cycles": order_cycles,
    "schemes": scheme_table,
    "routed": measured.routed,
    "word-cycles": word_cycle_table,
    "word-curves": word_curve_table,
}


def table(name: str) -> str:
    """Return a table by name; raises :class:`DocsError`."""
    kind, _, preset_name = name.partition(":")
    if preset_name and kind in _TABLES_OF:
        try:
            return _TABLES_OF[kind](preset_name)
        except (UnknownPreset, ValueError, ArithmeticError) as error:
            raise DocsError(f"there is no table {name!r}: {error}") from None
    if name not in _TABLES:
        raise DocsError(no_such("table", name, [*_TABLES, *_TABLES_OF], "ecsm/report/docs.py"))
    return _TABLES[name]()


def value(name: str) -> str:
    """Return one figure, ``PRESET.KEY``; raises :class:`DocsError`."""
    preset_name, _, key = name.partition(".")
    try:
        found = facts(design(preset_name))
    except UnknownPreset as error:
        raise DocsError(f"there is no figure {name!r}: {error}") from None
    if key not in found:
        raise DocsError(no_such("figure", key, found, f"ecsm schedule {preset_name}"))
    return number(found[key])


def fill(text: str) -> str:
    """Return a document with every marked place filled anew; raises :class:`DocsError`."""
    opened, closed = (text.count(mark) for mark in (BEGIN, END))
    if not opened == closed == sum(BEGIN not in m["old"] for m in MARK.finditer(text)):
        raise DocsError("a mark is not closed, or not as <!-- ecsm:KIND NAME -->...<!-- /ecsm -->")

    def new(match: re.Match[str]) -> str:
        kind, name = match["kind"], match["name"]
        if kind == "table":
            inner = f"\n{table(name)}\n"
        elif kind == "value":
            inner = value(name)
        else:
            raise DocsError(f"ecsm:{kind} is neither a table nor a value")
        return match["open"] + inner + match["close"]

    return MARK.sub(new, text)


def write_docs(root: Path, check: bool = False) -> list[Path]:
    """Write figures and numbers into ``docs/`` and ``README.md``; return the files looked after.

    With ``check`` nothing is written. Raises :class:`StaleDocs` if a file then differs, and
    :class:`DocsError` for a mark nobody knows.
    """
    made: dict[Path, str] = {}
    pages = sorted((root / "docs").rglob("*.md"))
    for page in [p for p in (root / "README.md", *pages) if p.exists()]:
        try:
            made[page.relative_to(root)] = fill(page.read_text(encoding="utf-8"))
        except (DocsError, UnicodeDecodeError) as error:
            raise DocsError(f"{page.relative_to(root)}: {error}") from None
    for name, preset_name in FIGURES.items():
        d = design(preset_name)
        made[Path(name)] = family(d.preset).draw(d)
    made[Path(WALK)] = picture(WORD_PRESETS["word-p256"])
    made.update((Path(name), make()) for name, make in CHARTS.items())
    made.update(datasheets())
    stale = [
        path
        for path, text in made.items()
        if not (root / path).exists() or (root / path).read_bytes() != text.encode()
    ]
    if check and stale:
        raise StaleDocs(stale)
    for path in stale:
        write_text(root / path, made[path])
    return list(made)
