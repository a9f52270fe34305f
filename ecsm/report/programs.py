# SPDX-License-Identifier: Apache-2.0
"""Which program each preset over a prime field runs."""

from __future__ import annotations

from ecsm.formulas.gfp.base import CompleteBase, EdwardsBase, EndomorphismBase
from ecsm.formulas.gfp.buckets import CompleteBuckets, EndomorphismBuckets
from ecsm.formulas.gfp.complete import CompleteWeierstrass
from ecsm.formulas.gfp.double import CompleteDouble, EndomorphismDouble
from ecsm.formulas.gfp.edwards import Edwards
from ecsm.formulas.gfp.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.gfp.masked import MaskedLadder
from ecsm.formulas.gfp.program import Program
from ecsm.formulas.gfp.weierstrass import Weierstrass
from ecsm.formulas.gfp.xfewest import XLadderFewest
from ecsm.formulas.gfp.xladder import XLadder
from ecsm.markdown import markdown_table
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import is_toy

# What a program does, and where docs/theory/prime-programs.md, or a page beside it, tells of it.
_TEXTS: dict[type[Program], tuple[str, str]] = {
    Weierstrass: ("windows from the top, Jacobian coordinates", "#the-program"),
    CompleteWeierstrass: ("windows from the top, complete formulas", "#complete-formulas"),
    CompleteBuckets: (
        "windows from the lowest up into buckets, complete formulas", "#digits-from-the-lowest-up",
    ),
    EndomorphismBuckets: (
        "the same, of two halves by the endomorphism", "endomorphism.md#from-the-lowest-digits-up",
    ),
    WeierstrassEndomorphism: (
        "endomorphism: windows of two halves from the top, complete formulas",
        "endomorphism.md",
    ),
    CompleteDouble: ("aG + bP, windows from the top, complete formulas", "#ag--bp"),
    EndomorphismDouble: (
        "aG + bP, endomorphism: windows of two halves, complete formulas", "#ag--bp",
    ),
    CompleteBase: ("kG, combs of constants, complete formulas; beside kP", "#kg"),
    EndomorphismBase: ("the same on y^2 = x^3 + b", "#kg"),
    EdwardsBase: ("the same on an Edwards curve", "#kg"),
    XLadder: ("ladder of single bits on x alone", "curve25519.md#x25519"),
    XLadderFewest: (
        "the same with the fewest products, for threads", "curve25519.md#x25519-in-turns",
    ),
    MaskedLadder: ("masked ladder of single bits, complete formulas", "#a-masked-ladder"),
    Edwards: (
        "windows from the lowest up into buckets, complete law of an Edwards curve",
        "curve25519.md#ed25519",
    ),
}  # fmt: skip


def program_table() -> str:
    """Return the programs with the presets that run them, toys aside."""
    presets: dict[type[Program], list[str]] = {kind: [] for kind in _TEXTS}
    for p in PRIME_PRESETS.values():
        for q in filter(None, (p, p.base)):
            if not is_toy(p):
                presets[type(q.program)].append(f"`{p.name}`")
    rows = [
        [
            f"[{text}]({where})",
            f"`{kind.__module__.rpartition('.')[2]}.py`",
            ", ".join(presets[kind]) or "toys only",
        ]
        for kind, (text, where) in _TEXTS.items()
    ]
    return markdown_table(["program", "of `ecsm/formulas`", "presets"], rows, set())
