# SPDX-License-Identifier: Apache-2.0
"""Tables of protected cores: what protection costs and what it does, and where it is in the RTL."""

from __future__ import annotations

from collections.abc import Iterator

from ecsm.backend.countermeasures import Costs, load_costs
from ecsm.backend.units import unit_digest
from ecsm.cores.store import StaleSchedule, figures
from ecsm.evidence.campaigns.fault import Faults
from ecsm.evidence.campaigns.leak import Leak
from ecsm.evidence.kept import Record, load_evidence
from ecsm.hdl.countermeasures import countermeasures
from ecsm.hdl.files import RTL
from ecsm.hdl.units import UNITS
from ecsm.markdown import markdown_table, number
from ecsm.presets.gfp_table import MASKED, PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS, PROTECTED, is_toy
from ecsm.report.measured import NONE
from ecsm.results.kept import RESULTS
from ecsm.results.record import load_pnr, load_synth
from ecsm.results.sources import measured_digest

COSTLY = ("b163-small-full", "p256-small-full", "scheme-p256-full")
"""What costs of countermeasures are measured in: cores, and a scheme machine without its core."""


def countermeasure_table() -> str:
    """Return the countermeasures, where each is, what turns red without it, and what it costs."""
    costs = [found for name in COSTLY if (found := _current_costs(name))]
    rows = [
        [f"`{c.name}`", c.text, f"`rtl/{c.file.relative_to(RTL).as_posix()}`",
         f"`pytest tests/evidence/test_countermeasures*.py -k {c.name}`",
         *(_cost(found, c.name) for found in costs)]
        for c in countermeasures()
    ]  # fmt: skip
    head = ["identifier", "what", "where", "its test", *(f"in `{c.name}`" for c in costs)]
    return markdown_table(head, rows, set(range(4, len(head))))


def _current_costs(name: str) -> Costs | None:
    """Return kept costs if they are of the RTL as it is."""
    if (found := load_costs(name)) is None:
        return None
    now = unit_digest(UNITS[name]) if name in UNITS else measured_digest(name)
    return found if found.origin.rtl == now else None


def _cost(found: Costs, name: str) -> str:
    if name not in found.without:
        return "-"
    return f"{found.cost(name, 'lut'):,}, {found.cost(name, 'ff'):,}"


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
