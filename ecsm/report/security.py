# SPDX-License-Identifier: Apache-2.0
"""Tables of evidence: what is proven, what changing bits tell, what faults do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ecsm.cores.store import StaleSchedule, design
from ecsm.evidence.campaigns.fault import LATE, MODES, NONE, OFF, ON, OUTCOMES, Faults
from ecsm.evidence.campaigns.leak import Leak
from ecsm.evidence.campaigns.leak_report import size
from ecsm.evidence.campaigns.signing import PREFIX, scheme_digest
from ecsm.evidence.kept import Record, load_evidence
from ecsm.evidence.proof import Proven
from ecsm.markdown import markdown_table, number
from ecsm.presets.table import UnknownPreset
from ecsm.results.kept import RESULTS
from ecsm.results.sources import current_digest


def _kept(kind: type[Record], folder: Path) -> Iterator[tuple[str, Record]]:
    """Yield the results of a folder, with the first cell of their rows."""
    for file in sorted(folder.glob("*.json")):
        found = load_evidence(kind, file)
        old = "" if _digest(found.preset) == found.origin.rtl else ", at an earlier commit"
        yield f"`{found.preset}`{old}", found


def _digest(name: str) -> str | None:
    try:
        if name.startswith(PREFIX):
            return scheme_digest(design(name.removeprefix(PREFIX)))
        return current_digest(name)
    except (StaleSchedule, UnknownPreset):
        return None


def _percent(share: float, low: float, high: float) -> str:
    return f"{share:.2%} ({low:.2%} to {high:.2%})"


def leak_table() -> str:
    """Return what traces tell: tests on many, and templates on one."""
    rows = []
    for name, r in _kept(Leak, RESULTS / "leak"):
        single = "-"
        if r.single is not None:
            single = _percent(r.single.accuracy, r.single.low, r.single.high)
        tests = [f"{size(v.worst)}, {number(v.over)}" for v in (r.first, r.second)]
        null = max(r.null_first.worst, r.null_second.worst)
        rows.append(
            [name, r.vary, number(r.traces), number(r.cycles), *tests, f"{null:.1f}",
             f"{r.threshold:.2f}", single]
        )  # fmt: skip
    head = ["preset", "random", "traces", "cycles", "first order: t, cycles over",
            "second order: t, cycles over", "control: t", "threshold",
            "bits of the digits that one trace shows"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8})


def fault_table() -> str:
    """Return what faults do to answers."""
    rows = []
    for name, r in sorted(
        _kept(Faults, RESULTS / "fault"), key=lambda f: (f[1].preset, MODES.index(f[1].mode))
    ):
        of = {s.name: s for s in r.outcomes}
        share = [f"{of[OUTCOMES[i]].share:.2%}" for i in (OFF, ON)]
        stopped = sum(of[OUTCOMES[i]].share for i in (LATE, NONE))
        rows.append(
            [name, r.mode, number(r.wrong.count), f"{of['right'].share:.2%}",
             _percent(r.wrong.share, r.wrong.low, r.wrong.high), *share,
             f"{of['error status'].share:.2%}", f"{stopped:.2%}"]
        )  # fmt: skip
    head = ["preset", "fault", "faults", "right", "wrong with status ok",
            "wrong, not on the curve", "wrong, on the curve", "error status",
            "late, or no answer"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8})


def proof_table() -> str:
    """Return what is proven of which preset, and how long it takes."""
    rows = []
    for name, r in _kept(Proven, RESULTS / "prove"):
        for q in r.proofs:
            netlist = f"{q.name}, mapped" if q.netlist == "ecp5" else q.name
            faults = f"{q.found} of {q.faults}"
            rows.append([name, netlist, number(q.cells), q.verdict, faults, q.seconds])
        rows += [[name, what, "-", why, "-", "-"] for what, why in r.missing.items()]
    head = ["preset", "proof", "cells", "verdict", "seeded faults found", "seconds"]
    return markdown_table(head, rows, {2, 4, 5})
