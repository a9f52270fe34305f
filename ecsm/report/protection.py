# SPDX-License-Identifier: Apache-2.0
"""Tables of protected cores: what protection costs and what it does, and where it is in the RTL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ecsm.cores.store import StaleSchedule, figures
from ecsm.evidence.campaigns.fault import Faults
from ecsm.evidence.campaigns.leak import Leak
from ecsm.evidence.kept import Record, load_evidence
from ecsm.hdl.files import RTL
from ecsm.markdown import markdown_table, number
from ecsm.presets.gfp_table import MASKED, PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS, PROTECTED, is_toy
from ecsm.report.measured import NONE
from ecsm.results.kept import RESULTS
from ecsm.results.record import load_pnr, load_synth
from ecsm.results.sources import measured_digest

_TAG = re.compile(r"^ *// SEC_CM: (?P<name>[A-Z0-9.]+): (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Countermeasure:
    """A tag in the RTL: ``SEC_CM: name: text`` in a comment, where the countermeasure is."""

    name: str
    text: str
    file: Path


def countermeasures() -> Iterator[Countermeasure]:
    """Yield the tags of the RTL by name."""
    found = [
        Countermeasure(tag["name"], tag["text"], file)
        for file in sorted(RTL.rglob("*.sv"))
        for tag in _TAG.finditer(file.read_text(encoding="utf-8"))
    ]
    yield from sorted(found, key=lambda c: c.name)


def countermeasure_table() -> str:
    """Return the countermeasures, where each is, and what turns red without it."""
    rows = [
        [f"`{c.name}`", c.text, f"`rtl/{c.file.relative_to(RTL).as_posix()}`",
         f"`pytest tests/evidence/test_countermeasures*.py -k {c.name}`"]
        for c in countermeasures()
    ]  # fmt: skip
    return markdown_table(["identifier", "what", "where", "its test"], rows, set())


def _variants() -> Iterator[AnyPreset]:
    for name in PROTECTED:
        if not is_toy(PRESETS[name]):
            yield from (PRESETS[name + more] for more in ("", "-check", "-full"))
    for name in MASKED:
        if not is_toy(PRIME_PRESETS[name]):
            yield from (PRIME_PRESETS[name + more] for more in ("", "-full"))


def _campaign(kind: type[Record], folder: str, name: str, rtl: str | None) -> Record | None:
    """Return a kept campaign of a preset, if it is of its RTL."""
    file = RESULTS / folder / f"{name}.json"
    if not file.exists():
        return None
    found = load_evidence(kind, file)
    return found if found.origin.rtl == rtl else None


def protection_table() -> str:
    """Return each protected preset beside the one without protection: costs, and what is left."""
    rows = []
    for p in _variants():
        try:
            cycles, rtl = number(figures(p).cycles), measured_digest(p.name)
        except StaleSchedule:
            continue
        synth, pnr = load_synth(p.name, "ecp5"), load_pnr(p.name)
        area = [NONE, NONE]
        if synth is not None and synth.origin.rtl == rtl:
            area = [number(synth.area["lut"]), number(synth.area["ff"])]
        clock = NONE if pnr is None or pnr.origin.rtl != rtl else f"{pnr.mhz:.1f}"
        leak = _campaign(Leak, "leak", f"{p.name}.scalar", rtl)
        first = single = wrong = NONE
        if leak is not None:
            first = f"{number(leak.first.over)} of {number(leak.cycles)}, {number(leak.traces)}"
            if leak.single is not None:
                s = leak.single
                single = f"{s.accuracy:.2%} ({s.low:.2%} to {s.high:.2%})"
        faults = _campaign(Faults, "fault", f"{p.name}.flip", rtl)
        if faults is not None:
            w = faults.wrong
            wrong = f"{w.share:.2%} ({w.low:.2%} to {w.high:.2%}) of {number(w.count)}"
        rows.append(
            [f"`{p.name}`", cycles, *area, clock, number(p.random_bits), first, single, wrong]
        )
    head = ["preset", "cycles", "LUT4", "flip-flops", "MHz", "random bits a job",
            "cycles over, first order, traces", "bits that one trace shows",
            "flips that give a wrong answer with status ok"]  # fmt: skip
    return markdown_table(head, rows, {1, 2, 3, 4, 5, 6, 7, 8})
