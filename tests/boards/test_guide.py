# SPDX-License-Identifier: Apache-2.0
"""docs/guide/boards.md: what needs no board works as it is written, and says what was not tried."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.boards.board import boards
from ecsm.boards.results import NOT_RUN
from tests.docs import guide

PAGE = guide.ROOT / "docs" / "guide" / "boards.md"


def test_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = guide.copy_package(tmp_path)
    work = tmp_path / "somewhere"
    work.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert guide.follow(PAGE, work, package) == 2


def test_the_page_names_each_board_and_says_what_was_not_tried() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \| [^|]* with an? ", text, re.M)) == set(boards())
    assert NOT_RUN in text
    assert "No estimate of the entropy is made." in text


def test_its_other_block_needs_a_board() -> None:
    """The one that no step covers."""
    assert guide.unmarked(PAGE) == 1
