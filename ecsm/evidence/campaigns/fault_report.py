# SPDX-License-Identifier: Apache-2.0
"""The result of a campaign of faults as text."""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.evidence.campaigns.circuit import names_note
from ecsm.evidence.campaigns.fault import Faults, Share
from ecsm.markdown import markdown_table, number

WHAT = {
    "flip": "one flip of a random flip-flop in a random cycle",
    "memory": "one flip of a random bit of a memory, in a word that is read later",
    "stuck": "a random flip-flop stuck at 0 or 1 from a random cycle on",
    "skip": "one word of the program skipped, a random one",
}
SHOWN = 12


def share(s: Share) -> str:
    """Return a share with its bounds."""
    return f"{s.share:.2%} ({s.low:.2%} to {s.high:.2%})"


def text(found: Faults) -> str:
    """Return what was found, for a terminal."""
    w = found.wrong
    parts = [
        f"{found.preset}: {number(w.count)} faults, {WHAT[found.mode]}; {number(found.state)} bits"
        f" of state. Wrong with status ok: {share(w)}. Bounds are of 95 %."
    ]
    rows = [[s.name, number(s.hits), share(s)] for s in found.outcomes]
    parts.append(markdown_table(["answer", "faults", "share"], rows, {1, 2}))
    if found.again is not None and found.again.count:
        a = found.again
        parts.append(f"Of {number(a.count)} machines without an answer {number(a.hits)} answer"
                     " after a zeroize.")  # fmt: skip
        rows = [[s.place, number(s.cycle), s.phase, "yes" if s.again else "no"]
                for s in found.silent]  # fmt: skip
        head = ["no answer, fault in", "cycle", "phase", "answers after a zeroize"]
        parts.append(markdown_table(head, rows, {1}))
    parts += [_parts("phase", found.phases), _parts("module", found.modules[:SHOWN])]
    parts += names_note(s.name for s in found.modules[:SHOWN])
    return "\n\n".join(parts)


def _parts(what: str, parts: Sequence[Share]) -> str:
    rows = [[s.name, number(s.count), share(s)] for s in parts]
    return markdown_table([what, "faults", "wrong with status ok"], rows, {1, 2})
