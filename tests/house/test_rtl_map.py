# SPDX-License-Identifier: Apache-2.0
"""rtl/README.md: a row for each module, with a page and a test that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAP = ROOT / "rtl" / "README.md"
ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| \[[^]]+\]\(([^)]+)\) \| `([^`]+)` \|$")


def rows() -> dict[str, tuple[str, str, str]]:
    """Return folder, page and test of each module in the map."""
    found: dict[str, tuple[str, str, str]] = {}
    folder = ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            folder = line.split()[1].rstrip("/:")
        elif row := ROW.match(line):
            assert row[1] not in found, f"{row[1]} has two rows"
            found[row[1]] = (folder, row[2], row[3])
    return found


def test_every_module_has_a_row_under_its_folder() -> None:
    files = {f.stem: f.parent.name for f in (ROOT / "rtl").rglob("*.sv")}
    assert {module: folder for module, (folder, _, _) in rows().items()} == files


def test_pages_and_tests_of_the_rows_exist() -> None:
    named = [MAP.parent / page for _, page, _ in rows().values()]
    named += [ROOT / "tests" / test for _, _, test in rows().values()]
    assert [f for f in named if not f.is_file()] == []
