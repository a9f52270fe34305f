# SPDX-License-Identifier: Apache-2.0
"""docs/guide/firmware.md works as it is written: C programs on the system on chip, and openssl."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.docs import guide

PAGE = guide.ROOT / "docs" / "guide" / "firmware.md"


def test_guide_works_as_written(tmp_path: Path) -> None:
    work = guide.copy_package(tmp_path)
    shutil.copytree(guide.ROOT / "sw", work / "sw", ignore=shutil.ignore_patterns("build"))
    assert guide.follow(PAGE, work) == 9


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 0
