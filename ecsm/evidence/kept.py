# SPDX-License-Identifier: Apache-2.0
"""Read kept evidence: its figures have to follow from its counts, its name from what it is of."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from ecsm.evidence.campaigns.fault import MODES, SHOWN, SILENT, Faults, Share, is_wrong
from ecsm.evidence.campaigns.leak import Leak, Verdict
from ecsm.evidence.campaigns.moments import threshold, wilson
from ecsm.evidence.campaigns.single import Single
from ecsm.evidence.campaigns.subjects import subject_class
from ecsm.evidence.proof import Proven
from ecsm.evidence.taint.record import Taint
from ecsm.results.evidence import leak_path
from ecsm.results.record import agree, load

Record = TypeVar("Record", Leak, Faults, Proven)
NEAR = 0.01  # to which t and its threshold are kept


def load_evidence(kind: type[Record], path: Path) -> Record:
    """Return the evidence of a file that is there.

    Raises :class:`ecsm.results.record.DamagedResult`, also for that of another preset.
    """
    found = load(kind, path)
    assert found is not None
    if isinstance(found, Leak):
        _check_leak(path, found)
    elif isinstance(found, Faults):
        _check_faults(path, found)
    else:
        _check_proven(path, found)
    return found


def _check_leak(path: Path, r: Leak) -> None:
    own = path.name == leak_path(r.preset, r.vary, path.parent.parent, r.digits).name
    agree(path, own, f"it is of {r.preset}, {r.vary}" + f", {r.digits} digits" * bool(r.digits))
    agree(path, min(r.traces, r.cycles, r.state) > 0, "no campaign has these traces or cycles")
    right = r.threshold == round(threshold(r.cycles), 3)
    agree(path, right, "the threshold is not that of its cycles")
    for name in ("first", "second", "null_first", "null_second"):
        verdict: Verdict = getattr(r, name)
        agree(path, _follows(verdict, r), f"{name}: the cycles over the threshold are not its t's")
    if r.single is not None:
        agree(path, _adds_up(r.single), "single: a share or a bound is not that of its counts")
    if r.taint is not None:
        agree(path, _holds(r.taint, r), "taint: its cycles are not those of the trace")


def _follows(v: Verdict, r: Leak) -> bool:
    """Whether cycles are over the threshold if, and only if, the greatest t is."""
    above = v.worst >= r.threshold - NEAR if v.over else v.worst <= r.threshold + NEAR
    return 0 <= v.over <= r.cycles and v.worst >= 0 and above


def _holds(t: Taint, r: Leak) -> bool:
    """Whether cycles over the threshold are failures or exempt, and all are of the trace."""
    counts = [t.holds, *(a.without for a in t.assumed if a.without is not None)]
    words = [(w.holds, w.failures, w.over, w.ran) for w in r.words]
    each = all(
        held is not None and failed is not None and 0 <= failed <= min(held, over) and held <= ran
        for held, failed, over, ran in words
    )
    total = sum(w.failures or 0 for w in r.words) <= t.failures <= t.holds
    over = (
        t.failures + t.exempt == r.first.over
        and min(t.failures, t.blinded) >= 0
        and t.blinded <= t.exempt
    )
    return over and total and each and all(t.holds <= n <= r.cycles for n in counts)


def _adds_up(s: Single) -> bool:
    if not (0 <= s.right <= s.bits and s.bits > 0):
        return False
    if not 0 <= s.digits_right <= s.digits or not 0 <= s.scalars_right <= s.scalars:
        return False
    if s.digits and s.digits_right > s.right:
        return False
    low, high = wilson(s.right, s.bits)
    return (s.accuracy, s.low, s.high) == (
        round(s.right / s.bits, 5), round(low, 5), round(high, 5),
    )  # fmt: skip


def _check_faults(path: Path, r: Faults) -> None:
    agree(path, path.stem == f"{r.preset}.{r.mode}", f"it is of {r.preset}, {r.mode}")
    agree(path, r.mode in MODES, f"there is no fault {r.mode}")
    agree(path, min(r.cycles, r.state) > 0, "no core has these cycles or bits")
    names = list(subject_class(r.preset).outcomes)
    agree(path, [s.name for s in r.outcomes] == names, "its outcomes are others")
    again = [r.again] if r.again is not None else []
    for s in (r.wrong, *again, *r.outcomes, *r.modules, *r.phases):
        sound = 0 <= s.hits <= s.count and s == Share.of(s.name, s.hits, s.count)
        agree(path, sound, f"{s.name}: a share or a bound is not that of its counts")
    count, hits = r.wrong.count, [s.hits for s in r.outcomes]
    agree(path, count > 0 and sum(hits) == count, "its outcomes are not of all faults")
    silent = sum(s.hits for s in r.outcomes if s.name == SILENT)
    agree(path, all(s.count == silent for s in again), "again is not of those without an answer")
    shown = sum(s.again for s in r.silent)
    few = all(shown <= s.hits and len(r.silent) == min(silent, SHOWN) for s in again)
    few = few and (bool(again) or not r.silent)
    agree(path, few, "what is shown is not of those without an answer")
    wrong = sum(s.hits for s in r.outcomes if is_wrong(s.name))
    agree(path, r.wrong.hits == wrong, "wrong is not the sum of its kinds")
    for parts in (r.modules, r.phases):
        total = sum(s.count for s in parts), sum(s.hits for s in parts)
        agree(path, total == (count, r.wrong.hits), "its parts are not of all faults")


def _check_proven(path: Path, r: Proven) -> None:
    agree(path, path.stem == r.preset, f"it is of {r.preset}")
    agree(path, bool(r.proofs), "it has no proofs")
    for q in r.proofs:
        sound = q.faults > 0 and 0 <= q.found <= q.faults and q.cells > 0
        agree(path, sound, f"{q.name}: no proof has these faults or cells")
