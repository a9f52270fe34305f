# SPDX-License-Identifier: Apache-2.0
"""docs/integrate/litex.md works as it is written; ``ecsm.litex.ECSM`` says what it cannot build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from litex.build.sim import SimPlatform

from ecsm.hdl.package import PackageError
from ecsm.litex import ECSM
from ecsm.presets.table import UnknownPreset
from tests.docs import guide

PAGE = guide.ROOT / "docs" / "integrate" / "litex.md"


def test_the_page_works_as_written(tmp_path: Path) -> None:
    package = guide.copy_package(tmp_path)
    shutil.copytree(guide.ROOT / "sw", package / "sw")
    work = tmp_path / "mine"
    work.mkdir()
    assert guide.follow(PAGE, work, package) >= 10


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 1  # the picture


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimPlatform:
    monkeypatch.chdir(tmp_path)
    return SimPlatform("SIM", [], name="system")


def test_a_core_has_no_noise_and_its_files_are_sources(
    platform: SimPlatform, tmp_path: Path
) -> None:
    block = ECSM(platform, "toy7-fast")
    assert not hasattr(block, "noise")
    files = [Path(source[0]) for source in platform.sources]
    assert files[-1] == tmp_path / "build/ecsm/toy7-fast-wishbone/rtl/ecsm_toy7_fast_wishbone.sv"
    assert all(file.is_file() for file in files)
    assert (block.headers / "ecsm_block_core.h").is_file()


def test_two_blocks_define_no_module_twice(platform: SimPlatform, tmp_path: Path) -> None:
    """Each has a package of its own, with the same files in it; a file of another design stays."""
    other = tmp_path / "ecsm_rank.sv"
    other.write_text("")
    platform.add_source(str(other))
    for preset in ("toy7-fast", "word-p256", "word-p256"):
        ECSM(platform, preset)
    names = [Path(source[0]).name for source in platform.sources]
    assert sorted(n for n in names if names.count(n) > 1) == ["ecsm_rank.sv"] * 2
    assert {"ecsm_toy7_fast_wishbone.sv", "ecsm_word_p256_schemes_wishbone.sv"} <= set(names)


def test_what_cannot_be_built_is_said(platform: SimPlatform, tmp_path: Path) -> None:
    with pytest.raises(UnknownPreset):
        ECSM(platform, "b164-small")
    with pytest.raises(ValueError, match="no Weierstrass curve"):
        ECSM(platform, "x25519", schemes=True)
    with pytest.raises(ValueError, match=r"does not protect keys .* unprotected=True takes it"):
        ECSM(platform, "b163-small", schemes=True)
    with pytest.raises(ValueError, match="unprotected is of schemes, and this core has none"):
        ECSM(platform, "toy7-fast", unprotected=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("")
    with pytest.raises(PackageError, match="was not made by ecsm build"):
        ECSM(platform, "toy7-fast", folder=other)
    assert platform.sources == []
