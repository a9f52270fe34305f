# SPDX-License-Identifier: Apache-2.0
"""docs/guide/provider.md works as it is written: a server, the openssl command, Python, C."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.docs import guide
from tests.sw.provider import missing

PAGE = guide.ROOT / "docs" / "guide" / "provider.md"


def test_the_page_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking := missing():
        pytest.skip(f"sw/provider cannot be tried: {lacking}")
    for name in ("ECSM_SOCKET", "OPENSSL_CONF", "OPENSSL_MODULES"):
        monkeypatch.delenv(name, raising=False)
    work = guide.copy_package(tmp_path)
    for name in ("provider", "link", "frame"):
        shutil.copytree(guide.ROOT / "sw" / name, work / "sw" / name)
    try:
        assert guide.follow(PAGE, work) >= 15
    finally:
        with contextlib.suppress(OSError, ValueError):
            os.kill(int((work / "serve.pid").read_text()), signal.SIGTERM)


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 0
