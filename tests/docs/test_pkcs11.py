# SPDX-License-Identifier: Apache-2.0
"""docs/guide/pkcs11.md works as it is written: server, module, pkcs11-tool, ssh, GnuTLS."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.docs import guide
from tests.sw.pkcs11 import missing

PAGE = guide.ROOT / "docs" / "guide" / "pkcs11.md"


def test_the_page_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking := missing("pkcs11-tool", "ssh-keygen", "p11tool", "certtool"):
        pytest.skip(f"sw/pkcs11 cannot be tried: {lacking}")
    for name in ("ECSM_SOCKET", "ECSM_GROUP"):
        monkeypatch.delenv(name, raising=False)
    work = guide.copy_package(tmp_path)
    for name in ("pkcs11", "link", "frame"):
        shutil.copytree(guide.ROOT / "sw" / name, work / "sw" / name)
    try:
        assert guide.follow(PAGE, work) >= 12
    finally:
        with contextlib.suppress(OSError, ValueError):
            os.kill(int((work / "serve.pid").read_text()), signal.SIGTERM)


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 1  # the picture
