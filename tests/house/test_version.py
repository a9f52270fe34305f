# SPDX-License-Identifier: Apache-2.0
"""Files that have the version in their text, and are not generated, have the package's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ecsm

ROOT = Path(__file__).parents[2]
WRITTEN = [
    ("CITATION.cff", r"^version: (\S+)$"),
    ("docs/guide/command-line.md", r"ecsm-(\d[\d.]*\d)-py3-none-any\.whl"),
    ("ecsm/fusesoc.core", r"ecsm:\w+:\w+:(\d\S*)"),
    ("sw/provider/provider.c", r'^#define VERSION "(\S+)"$'),
]


@pytest.mark.parametrize(("name", "pattern"), WRITTEN, ids=[name for name, _ in WRITTEN])
def test_a_written_version_is_that_of_the_package(name: str, pattern: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert set(re.findall(pattern, text, re.MULTILINE)) == {ecsm.__version__}


def test_the_changelog_has_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[(\S+)\]", text, re.MULTILINE)
    assert heads[:2] == ["Unreleased", ecsm.__version__]
    sections = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
