# SPDX-License-Identifier: Apache-2.0
"""rtl/README.md: a row for each module, with a page and a test (test_docs.py: that they exist)."""

from __future__ import annotations

import re
from pathlib import Path

RTL = Path(__file__).parents[2] / "rtl"
ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| \[[\w-]+\.md\]\([^)]+\) \| `tests/[^`]+` \|$")


def rows() -> list[tuple[str, str]]:
    """Return folder and module of each row of the map."""
    found: list[tuple[str, str]] = []
    folder = ""
    for line in (RTL / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            folder = line.split()[1].rstrip("/:")
        elif row := ROW.match(line):
            found.append((folder, row[1]))
    return found


def test_every_module_has_one_row_under_its_folder() -> None:
    files = [(str(f.parent.relative_to(RTL)), f.stem) for f in RTL.rglob("*.sv")]
    assert sorted(rows()) == sorted(files)
