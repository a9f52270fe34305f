# SPDX-License-Identifier: Apache-2.0
"""docs/guide/ssh.md works as it is written: a server, the agent, ssh-keygen, git."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.docs import guide

PAGE = guide.ROOT / "docs" / "guide" / "ssh.md"


def test_the_page_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("ssh-add", "ssh-keygen", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    monkeypatch.delenv("ECSM_SOCKET", raising=False)
    work = guide.copy_package(tmp_path)
    try:
        assert guide.follow(PAGE, work) >= 10
    finally:
        for name in ("agent.pid", "serve.pid"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((work / name).read_text()), signal.SIGTERM)


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 1  # the picture
