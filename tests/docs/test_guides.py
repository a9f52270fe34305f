# SPDX-License-Identifier: Apache-2.0
"""The guides of docs/ work as they are written, in a copy of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import guide

PAGES = (
    "contribute/adding-a-curve.md",
    "contribute/adding-a-formula.md",
    "contribute/adding-a-prime.md",
    "guide/command-line.md",
    "guide/echeque.md",
    "guide/python.md",
    "guide/start.md",
    "guide/which.md",
    "integrate/farm.md",
)
LEAST = 4  # steps of a page
SHORT = {"guide/which.md": 1}  # a table and a picture


@pytest.mark.parametrize("name", PAGES)
def test_guide_works_as_written(name: str, tmp_path: Path) -> None:
    work = guide.copy_package(tmp_path)
    assert guide.follow(guide.ROOT / "docs" / name, work) >= SHORT.get(name, LEAST)


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_guide_is_tried(name: str) -> None:
    assert guide.unmarked(guide.ROOT / "docs" / name) == 0
