# SPDX-License-Identifier: Apache-2.0
"""An initial block has no case, and calls nothing that could have one.

Yosys' slang frontend takes the default of every case that it executes in an initial block, without
a word. Tables are made there by ``if``, or are constants.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RTL = Path(__file__).parents[2] / "rtl"
BLOCK = re.compile(r"^( *)initial begin\n(.*?)^\1end\n", re.MULTILINE | re.DOTALL)
BAD = re.compile(r"\bcase[xz]?\b|(?<![$'\w])[a-z]\w*\(")  # a call; not $bits, not 8'(x)
MAY = re.compile(r"\b(if|for) \(")


def faults(text: str) -> list[str]:
    """Return what is not allowed in the initial blocks of a file."""
    bodies = (re.sub(r"//.*", "", body) for _, body in BLOCK.findall(text))
    return [found for body in bodies for found in BAD.findall(MAY.sub("", body))]


@pytest.mark.parametrize("file", sorted(RTL.rglob("*.sv")), ids=lambda f: f.stem)
def test_an_initial_block_has_no_case(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == len(re.findall(r"^ *initial begin\n", text, re.MULTILINE))
    assert not faults(text)


def test_a_case_or_a_call_is_found() -> None:
    for line in ("unique case (i)", "casez (i)", "m[i] = value(i);"):
        assert faults(f"  initial begin\n    for (;;) begin\n      {line}\n    end\n  end\n")
    assert not faults("  initial begin\n    if (a) m[i] = W'(Table[i]); // value(i)\n  end\n")
