# SPDX-License-Identifier: Apache-2.0
"""The countermeasures of the RTL: where each is, and the RTL without it.

A tag ``SEC_CM: IDENTIFIER: text`` in a comment marks each. :data:`REMOVALS` says what takes it
away: tests see that its claim is not kept then, and synthesis tells what it costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ecsm.hdl.files import RTL

_TAG = re.compile(r"^ *// SEC_CM: (?P<name>[A-Z0-9.]+): (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Countermeasure:
    """A tag in the RTL, and the file that it is in."""

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


class Removal(NamedTuple):
    """A module of ``rtl/``, and texts in it with what takes their places."""

    module: str
    texts: tuple[tuple[str, str], ...]


REMOVALS = {
    "CTRL.REDUNDANCY": Removal(
        "ecsm_front_check",
        (
            ("parted | changed;", "changed;"),
            ("active_o = active;", "active_o = active_i;"),
            ("word_o = word;", "word_o = word_i;"),
            (
                "word[W-2-:NumFlag] & {NumFlag{active}};",
                "word_i[W-2-:NumFlag] & {NumFlag{active_i}};",
            ),
        ),
    ),
    "DECODE.REDUNDANCY": Removal(
        "gf2m_decode_check", (("fault_o = fault_q;", "fault_o = 1'b0;"),)
    ),
    "KEY.PARITY": Removal("gfp_masks", (("fault_o = last_i & ~(", "fault_o = 1'b0 & ~("),)),
    "KEY.SHARES": Removal("gfp_masks", (("{1'b0, scalar}) ^ roles;", "{1'b0, scalar});"),)),
    "POINT.FACTOR": Removal(
        "gfp_masks", (("{fresh[FreshW*i+:FreshW], 1'b1};", "MaskW'(1);"),)
    ),
    "POINT.PLACES": Removal("gfp_masks", (("roles = fresh[RandomW-1-:RoleW];", "roles = '0;"),)),
    "POINT.RANDOM": Removal("gf2m_protect", (("{fresh[M-2:0], 1'b1};", "M'(1);"),)),
    "POINT.ROLES": Removal(
        "gf2m_protect", (("roles = fresh[RandomW-1-:RoleW];", "roles = '0;"),)
    ),
    "RESULT.CHECK": Removal(
        "ecsm_front", (("wrong = affine_d_o & ~result_i;", "wrong = 1'b0;"),)
    ),
    "RESULT.TWICE": Removal(
        "gfp_masked_answers", (("fault_o = (|differs) | (|changed);", "fault_o = 1'b0;"),)
    ),
    "SCALAR.PARITY": Removal("gf2m_protect", (("fault_o = last_i & ~whole;", "fault_o = 1'b0;"),)),
    "SCALAR.PARTS": Removal("scheme_kp", ((" ^ OneW'(scalar_q[NumPart-1]);", ";"),)),
    "SCALAR.SHARES": Removal("gf2m_protect", (("{1'b0, scalar} ^ roles;", "{1'b0, scalar};"),)),
    "STATE.REDUNDANCY": Removal(
        "gfp_masked",
        (
            (
                "held_fault = (range_q == inside_q) | (accepted_q == idle_q)"
                " | (divided_q == whole_q);",
                "held_fault = 1'b0;",
            ),
        ),
    ),
    "STATUS.REDUNDANCY": Removal("ecsm_front_check", (("parted | changed;", "parted;"),)),
    "WORD.PARITY": Removal(
        "gfp_masked_control",
        (
            (
                "(odd(decoded_q) != ~odd_q) | (active_q == check_q) | (active_q & (^word_i));",
                "active_q == check_q;",
            ),
        ),
    ),
}  # fmt: skip
"""By identifier. What a countermeasure is made of beside stays if something else reads it."""


def without(name: str, files: Sequence[Path], folder: Path) -> list[Path]:
    """Return ``files`` without a countermeasure: :func:`replaced` of its removal."""
    return replaced(REMOVALS[name], files, folder)


def replaced(removal: Removal, files: Sequence[Path], folder: Path) -> list[Path]:
    """Return ``files`` with the texts of a module replaced, in a file in ``folder``.

    Raises ValueError if the module is in none of them, or has not each text once.
    """
    module, texts = removal
    found = [f for f in files if f.name == f"{module}.sv"]
    if len(found) != 1:
        raise ValueError(f"{module} is not there")
    text = found[0].read_text(encoding="utf-8")
    for old, new in texts:
        if text.count(old) != 1:
            raise ValueError(f"{module} has not once: {old}")
        text = text.replace(old, new)
    other = folder / found[0].name
    other.write_text(text, encoding="utf-8")
    return [other if f == found[0] else f for f in files]
