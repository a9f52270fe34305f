# SPDX-License-Identifier: Apache-2.0
"""Campaigns in a folder of a test, and in its process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ecsm.evidence.campaigns import pieces as campaign

Ended = Iterator[tuple[str, None, str]]


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where pieces are kept: no earlier test has made any."""
    monkeypatch.setattr(campaign, "cache_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "evidence"


@pytest.fixture
def here(pieces: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let campaigns make their pieces in this process, which is quick; return where."""

    def one_by_one(
        work: Callable[..., None], calls: Mapping[str, tuple[Any, ...]], _most: int
    ) -> Ended:
        for name, arguments in calls.items():
            work(*arguments)
            yield name, None, ""

    monkeypatch.setattr(campaign, "side_by_side", one_by_one)
    return pieces
