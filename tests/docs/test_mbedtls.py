# SPDX-License-Identifier: Apache-2.0
"""docs/guide/mbedtls.md works as it is written: a package, the library, a program, TLS."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs import guide
from tests.sw.mbedtls import missing, sources

PAGE = guide.ROOT / "docs" / "guide" / "mbedtls.md"


def test_the_page_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking := missing():
        pytest.skip(f"sw/mbedtls cannot be tried: {lacking}")
    for name in ("ECSM_SIM", "ECSM_MBEDTLS"):
        monkeypatch.delenv(name, raising=False)
    work = guide.copy_package(tmp_path)
    for name in ("mbedtls", "libecsm", "firmware", "frame"):
        shutil.copytree(guide.ROOT / "sw" / name, work / "sw" / name)
    for name in (".ci", ".cache"):
        (work / name).mkdir()
    shutil.copy(guide.ROOT / ".ci" / "fetch-mbedtls", work / ".ci")
    (work / ".cache" / "mbedtls").symlink_to(sources())
    assert guide.follow(PAGE, work) == 9


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 1  # the picture
