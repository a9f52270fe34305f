# SPDX-License-Identifier: Apache-2.0
"""Every folder of sources has a README of a screenful that names its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KINDS = {".c", ".h", ".py", ".S", ".sv"}
LONGEST = 45  # lines
NAMED = ("ecsm", "sw")  # rtl/README.md has the modules of rtl: test_rtl_map.py


def folders(part: str) -> list[Path]:
    """Return the folders of a part of the tree that have source files, at any depth."""
    return [f for f in sorted((ROOT / part).iterdir()) if f.is_dir() and sources(f)]


def sources(folder: Path) -> set[str]:
    """Return the source files of a folder by their paths in it.

    ``__init__.py`` is left out, and a C header that has a C file of its name beside it.
    """
    return {
        f.relative_to(folder).as_posix()
        for f in folder.rglob("*")
        if f.suffix in KINDS
        and f.name != "__init__.py"
        and not (f.suffix == ".h" and f.with_suffix(".c").is_file())
        and "build" not in f.relative_to(folder).parts
    }


def named(text: str) -> set[str]:
    """Return the source files that the first column of a README's tables names."""
    found: set[str] = set()
    for cell in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE):
        names = re.findall(r"`([\w/.]+)`", cell)
        found |= {name for name in names if Path(name).suffix in KINDS}
    return found


@pytest.mark.parametrize("part", ["ecsm", "rtl", "sw"])
def test_every_folder_has_a_readme_of_a_screenful(part: str) -> None:
    readmes = [f / "README.md" for f in folders(part)]
    assert len(readmes) > 3
    assert [r for r in readmes if not r.is_file()] == []
    lengths = {r: len(r.read_text(encoding="utf-8").splitlines()) for r in readmes}
    assert {str(r.relative_to(ROOT)): n for r, n in lengths.items() if n > LONGEST} == {}


@pytest.mark.parametrize("part", NAMED)
def test_the_readme_names_every_source_file_and_no_other(part: str) -> None:
    for folder in folders(part):
        there = sources(folder)
        found = named((folder / "README.md").read_text(encoding="utf-8"))
        inside = {n for n in found if not n.startswith("../")}
        assert inside == there, folder.name


def test_names_are_read_from_the_first_column() -> None:
    text = "| file | what |\n| --- | --- |\n| `a.py`, `b/c.sv` | like `d.py` |\n\n`e.py`\n"
    assert named(text) == {"a.py", "b/c.sv"}
