# SPDX-License-Identifier: Apache-2.0
"""CITATION.cff says what pyproject.toml says, and names no person."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import ecsm

yaml = pytest.importorskip("yaml", reason="no yaml")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["project"]
    return found


def test_it_has_what_the_format_asks_for(citation: dict[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert all(citation[name] for name in ("message", "title", "abstract", "keywords"))


def test_version_and_licence_are_those_of_the_package(
    citation: dict[str, Any], project: dict[str, Any]
) -> None:
    assert project["dynamic"] == ["version"]
    assert str(citation["version"]) == ecsm.__version__
    assert citation["license"] == project["license"]


def test_the_authors_are_those_of_the_package(
    citation: dict[str, Any], project: dict[str, Any]
) -> None:
    assert citation["authors"] == project["authors"] == [{"name": "The ECSM authors"}]
