# SPDX-License-Identifier: Apache-2.0
"""Yosys reads the directories that ``ecsm build`` writes, by the command of their README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.backend.tool import YOSYS, FlowError, run
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package

BUILDS = {
    "core": Build(design("toy7-fast")),
    "farm": Build(design("toy7-fast"), 3),
    "registers": Build(design("toyp5-v"), attach="axil"),
    "stream": Build(design("toy7-fast"), 3, attach="stream"),
    "schemes": Build(design("b163-small"), schemes=True),
    "word": Build(subject("word-p256")),
    "word, registers": Build(subject("word-p256"), attach="axil"),
}


def yosys(folder: Path, *commands: str) -> None:
    run(YOSYS, commands, folder, folder.with_suffix(".log"), limit_s=300)


@pytest.mark.parametrize("name", BUILDS)
def test_yosys_reads_it_by_the_command_of_its_readme(name: str, tmp_path: Path) -> None:
    build = BUILDS[name]
    folder = package(build, tmp_path / "made here").rename(tmp_path / "moved")
    (command,) = re.findall(r"`(read_slang [^`]*)`", (folder / "README.md").read_text("utf-8"))
    top = list(build.modules())[-1]
    yosys(folder, command, f"hierarchy -check -top {top}", f"select -assert-any {top}/w:*")


def test_its_own_front_end_does_not(tmp_path: Path) -> None:
    """As the README says: else the plug-in would not be needed."""
    folder = package(BUILDS["word"], tmp_path / "core")
    files = " ".join((folder / "files.f").read_text("utf-8").split())
    with pytest.raises(FlowError, match="syntax error"):
        yosys(folder, f"read_verilog -sv {files}")
