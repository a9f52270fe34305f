# SPDX-License-Identifier: Apache-2.0
"""Tables of evidence: what is proven, what changing bits tell, what faults do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ecsm.cores.store import StaleSchedule
from ecsm.evidence.campaigns import textbook
from ecsm.evidence.campaigns.fault import MODES, Faults
from ecsm.evidence.campaigns.leak import Leak
from ecsm.evidence.campaigns.leak_report import held, second, size
from ecsm.evidence.campaigns.signing import PREFIX, Signature
from ecsm.evidence.campaigns.subject import ERROR, LATE, NONE, OFF, ON, RIGHT, CoreJobs
from ecsm.evidence.campaigns.subjects import subject_class
from ecsm.evidence.campaigns.word_multiple import WordMultiple
from ecsm.evidence.campaigns.word_signing import WordSignature
from ecsm.evidence.kept import Record, load_evidence
from ecsm.evidence.proof import Proven
from ecsm.hdl.machines import machine
from ecsm.markdown import markdown_table, number
from ecsm.presets.table import UnknownPreset
from ecsm.presets.word import is_word_engine
from ecsm.results.kept import RESULTS
from ecsm.results.sources import measured_digest, scheme_digest


def _kept(kind: type[Record], folder: Path) -> Iterator[tuple[str, Record]]:
    """Yield the results of a folder, with the first cell of their rows."""
    for file in sorted(folder.glob("*.json")):
        found = load_evidence(kind, file)
        old = ", at an earlier commit" * (_digest(found.preset) != found.origin.rtl)
        yield f"`{found.preset}`{old or ', carried' * bool(found.origin.carried)}", found


def _digest(name: str) -> str | None:
    try:
        if name.startswith(PREFIX):
            return scheme_digest(machine(name.removeprefix(PREFIX)))
        return measured_digest(name)
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
            if r.single.scalars:
                whole = f"{number(r.single.scalars_right)} of {number(r.single.scalars)}"
                single += f"; all of {whole} scalars"
        tests = [f"{size(v.worst)}, {number(v.over)}" for v in (r.first, r.second)]
        null = max(r.null_first.worst, r.null_second.worst)
        rows.append(
            [name, _vary(r), number(r.traces), number(r.cycles), *tests, f"{null:.1f}",
             f"{r.threshold:.2f}", single]
        )  # fmt: skip
    head = ["preset", "random", "traces", "cycles", "first order: t, cycles over",
            "second order: t, cycles over", "control: t", "threshold",
            "bits of the digits that one trace shows"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8})


def _vary(r: Leak) -> str:
    """Return what is random, and where traces end."""
    return r.vary + f", to digit {r.digits}" * bool(r.digits)


def leak_parts_table() -> str:
    """Return in which parts of a word engine's program traces tell something of the secret."""
    rows = []
    for name, r in _kept(Leak, RESULTS / "leak"):
        if is_word_engine(r.preset.removeprefix(PREFIX)):
            rows += [
                [name, _vary(r), w.name, number(w.ran), number(w.over), size(w.worst), *second(w),
                 *held(w)]
                for w in r.words
            ]  # fmt: skip
    head = ["preset", "random", "part of the program", "cycles", "over, first order", "worst t",
            "over, second order", "worst t", "hold the secret", "over and hold it"]  # fmt: skip
    return markdown_table(head, rows, {3, 4, 5, 6, 7, 8, 9})


def leak_taint_table() -> str:
    """Return of word engines' kP how many cycles hold the secret, and which are exempt."""
    rows = []
    for name, r in _kept(Leak, RESULTS / "leak"):
        if (t := r.taint) is not None:
            rows.append(
                [name, _vary(r), number(r.traces), number(r.cycles), number(t.holds),
                 number(r.first.over), number(t.failures),
                 f"{number(t.exempt)} ({t.exempt / r.cycles:.3%})", number(t.blinded)]
            )  # fmt: skip
    head = ["preset", "random", "traces", "cycles", "hold the secret", "over, first order",
            "over and hold it", "over and exempt", "of these only blinded"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8})


def leak_assumed_table() -> str:
    """Return what the analyses of cycles that hold a secret assume."""
    rows = []
    for name, r in _kept(Leak, RESULTS / "leak"):
        if r.taint is not None:
            rows += [
                [name, _vary(r), a.name, a.where, a.reason,
                 "-" if a.without is None else number(a.without)]
                for a in r.taint.assumed
            ]  # fmt: skip
    head = ["preset", "random", "assumption", "where", "why", "hold the secret without it"]
    return markdown_table(head, rows, {5})


def fault_table() -> str:
    """Return what faults do to answers of cores."""
    rows = []
    for name, r in _faults(CoreJobs, WordMultiple):
        of = [s.share for s in r.outcomes]
        rows.append(
            [*_first(name, r), f"{of[RIGHT]:.2%}", _wrong(r), f"{of[OFF]:.2%}", f"{of[ON]:.2%}",
             f"{of[ERROR]:.2%}", f"{of[LATE] + of[NONE]:.2%}"]
        )  # fmt: skip
    head = ["preset", "fault", "faults", "right", "wrong with status ok",
            "wrong, not on the curve", "wrong, on the curve", "error status",
            "late, or no answer"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8})


def signature_table() -> str:
    """Return what faults do to signatures."""
    rows = []
    for name, r in _faults(Signature, WordSignature):
        of = [s.share for s in r.outcomes]
        rows.append(
            [*_first(name, r), f"{of[textbook.RIGHT] + of[textbook.LATE]:.2%}",
             f"{of[textbook.NONCE]:.2%}", _wrong(r), f"{of[textbook.KEY]:.2%}",
             f"{of[textbook.ERROR]:.2%}", f"{of[textbook.OCTETS]:.2%}",
             f"{of[textbook.NONE]:.2%}"]
        )  # fmt: skip
    head = ["preset", "fault", "faults", "right", "valid, another nonce", "wrong with status ok",
            "wrong, gives the key", "error status", "other length", "no answer"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6, 7, 8, 9})


def _faults(*of: type[CoreJobs] | type[Signature]) -> list[tuple[str, Faults]]:
    """Return the campaigns of faults of cores, or of signatures."""
    found = [f for f in _kept(Faults, RESULTS / "fault") if subject_class(f[1].preset) in of]
    return sorted(found, key=lambda f: (f[1].preset, MODES.index(f[1].mode)))


def _first(name: str, r: Faults) -> list[str]:
    return [name, r.mode, number(r.wrong.count)]


def _wrong(r: Faults) -> str:
    return _percent(r.wrong.share, r.wrong.low, r.wrong.high)


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
