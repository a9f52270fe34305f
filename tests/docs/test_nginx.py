# SPDX-License-Identifier: Apache-2.0
"""docs/guide/nginx.md works as it is written: provider, server, certificate, nginx, curl."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.docs import guide
from tests.sw.provider import missing

PAGE = guide.ROOT / "docs" / "guide" / "nginx.md"
PATH = f"{os.environ['PATH']}:/usr/sbin"


def lacking() -> str | None:
    for program in ("nginx", "curl"):
        if shutil.which(program, path=PATH) is None:
            return f"{program} is missing"
    return missing()


def test_the_page_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := lacking():
        pytest.skip(f"docs/guide/nginx.md cannot be tried: {why}")
    for name in ("ECSM_SOCKET", "ECSM_GROUP", "OPENSSL_CONF", "OPENSSL_MODULES"):
        monkeypatch.delenv(name, raising=False)
    work = guide.copy_package(tmp_path)
    for name in ("provider", "link", "frame"):
        shutil.copytree(guide.ROOT / "sw" / name, work / "sw" / name)
    try:
        assert guide.follow(PAGE, work) == 7
    finally:
        for name in ("nginx.pid", "serve.pid"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((work / name).read_text()), signal.SIGTERM)


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 1  # the picture
