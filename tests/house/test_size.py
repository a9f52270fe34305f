# SPDX-License-Identifier: Apache-2.0
"""A file is short enough to be read at once, and a line of RTL to be seen whole."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 450  # lines: "about 400"
WIDTH = 100  # characters, as in Python
FOLDERS = ("ecsm", "rtl", "sw", "tests")
KINDS = {".c", ".cpp", ".h", ".j2", ".py", ".sv"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_short(folder: str) -> None:
    files = [f for f in (ROOT / folder).rglob("*") if f.suffix in KINDS]
    lengths = {f: len(f.read_text(encoding="utf-8").splitlines()) for f in files}
    assert len(lengths) > 10
    assert {f.name: n for f, n in lengths.items() if n > MOST} == {}


def test_lines_of_rtl_are_short() -> None:
    """Verible's rule leaves comments out that have a path or another long word."""
    files = sorted((ROOT / "rtl").rglob("*.sv"))
    assert files
    long = [
        (f.name, i)
        for f in files
        for i, line in enumerate(f.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDTH
    ]
    assert long == []
