# SPDX-License-Identifier: Apache-2.0
"""Packages with the Verilator of a distribution: Debian 12 has 5.006, far older than the pinned."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from ecsm.hdl.package_texts import OLDEST_VERILATOR, OLDEST_VERILATOR_REGISTERS
from tests.fusesoc import run_fusesoc

FOLDER = Path(__file__).parents[2] / ".cache" / "debian" / "usr"
VERILATOR = FOLDER / "bin" / "verilator"
ENVIRONMENT = {"PATH": os.environ["PATH"], "VERILATOR_ROOT": str(FOLDER / "share" / "verilator")}

pytestmark = pytest.mark.skipif(
    not VERILATOR.is_file(), reason="no Verilator of Debian: .ci/fetch-debian"
)


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", f"VERILATOR={VERILATOR}", "OPT=-O0", *arguments], cwd=folder, env=ENVIRONMENT,
        capture_output=True, text=True, check=False, timeout=550,
    )  # fmt: skip


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@pytest.fixture
def version() -> str:
    said = subprocess.run(
        [str(VERILATOR), "--version"], env=ENVIRONMENT, capture_output=True, text=True, check=True
    ).stdout
    found = re.match(r"Verilator ([\d.]+) ", said)
    assert found
    return found[1]


@pytest.mark.parametrize(
    "build",
    [Build(subject("toy7-fast")), Build(subject("toyp5-v")), Build(subject("toy7-fast"), 3),
     Build(subject("word-p256"))],
    ids=lambda build: build.name,
)  # fmt: skip
def test_the_testbench_passes(build: Build, tmp_path: Path, version: str) -> None:
    assert number(version) >= number(OLDEST_VERILATOR)
    done = make(package(build, tmp_path / "package"))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert re.search(r"^PASS \d+ ", done.stdout, re.M)


def test_the_target_of_fusesoc_passes(tmp_path: Path) -> None:
    package(Build(subject("toy7-fast")), tmp_path / "package")
    path = os.pathsep.join([str(VERILATOR.parent), ENVIRONMENT["PATH"]])
    done = run_fusesoc(
        tmp_path, "--cores-root=package", "run", "--target=sim", "ecsm:cores:ecsm_toy7_fast",
        verilator={**ENVIRONMENT, "PATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert re.search(r"^PASS \d+ ", done.stdout, re.M)


def test_what_has_registers_says_which_it_needs(tmp_path: Path, version: str) -> None:
    if number(version) >= number(OLDEST_VERILATOR_REGISTERS):
        pytest.skip(f"Verilator {version} runs it")
    done = make(package(Build(subject("toy7-fast"), attach="axil"), tmp_path / "package"))
    assert done.returncode != 0
    assert f"too old: {OLDEST_VERILATOR_REGISTERS} or later" in done.stdout
