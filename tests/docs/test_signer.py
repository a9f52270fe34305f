# SPDX-License-Identifier: Apache-2.0
"""docs/integrate/signer.md works as it is written, in an empty directory; its figures are kept."""

from __future__ import annotations

import re
from pathlib import Path

from ecsm.measure.word_schemes import load_word_schemes
from tests.docs import guide

PAGE = guide.ROOT / "docs" / "integrate" / "signer.md"


def test_a_signer_in_an_empty_directory(tmp_path: Path) -> None:
    assert guide.follow(PAGE, tmp_path, guide.ROOT) == 7


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 0


def test_its_cycles_are_those_that_are_kept() -> None:
    kept = load_word_schemes()["word-p256"].cycles
    stated = re.findall(
        r"^\| .* \| ([\d,]+) \| `ecsm schemes --word word-p256` \|", PAGE.read_text(), re.M
    )
    assert stated == [f"{kept[name]:,}" for name in ("self-test", "sign")]
