# SPDX-License-Identifier: Apache-2.0
"""``ecsm pnr``: a toy core through the real tools, and through a nextpnr of the machine's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.results.record import DamagedResult, Pnr, load, load_pnr, pnr_path
from ecsm.results.sources import current_digest
from tests.results.files import ecsm

TOY = "toy7-small"
TELLS = """echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version 9.8.7+own-1)' >&2
test "$1" = --version && exit
echo '{"fmax": {"clk": {"achieved": 123.456}}, "critical_paths": []}' > report.json
"""
Own = Callable[[str], str]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """Write a shell script that stands for the machine's own nextpnr; return its path."""

    def write(script: str) -> str:
        program = tmp_path / "own-nextpnr"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return str(program)

    return write


def test_a_toy_core_is_placed_and_routed(tmp_path: Path) -> None:
    args = (
        "pnr",
        TOY,
        "--seeds",
        1,
        "--tries",
        2,
        "--rounds",
        1,
        "--results",
        tmp_path / "results",
    )
    cache = str(tmp_path / "cache")  # under /tmp, which nextpnr does not see
    done = ecsm(*args, "--critical", ECSM_CACHE=cache)
    assert done.returncode == 0, done.stderr
    placed = dict(re.findall(r"seed (\d) at 100 MHz: placed, ([\d.]+) MHz expected", done.stderr))
    assert set(placed) == {"1", "2"}
    best = max(placed, key=lambda seed: float(placed[seed]))
    assert f"seed {best} at 100 MHz: routing" in done.stderr
    result = load(Pnr, pnr_path(TOY, tmp_path / "results"))
    assert result is not None
    assert 40 < result.mhz < 400
    assert result.mhz == result.mhz_median
    assert result.cycles == design(TOY).microcode.cycles
    assert result.us == pytest.approx(result.cycles / result.mhz, abs=1e-3)
    assert result.origin.rtl == current_digest(TOY)
    assert result.origin.command.startswith(f"ecsm pnr {TOY} --seeds 1 --tries 2 ")
    assert set(result.origin.tools) == {"ecsm", "yosys", "nextpnr"}
    path = result.best.path
    assert sum(h.ns for h in path) == pytest.approx(1000 / result.mhz, abs=0.1)
    assert path[0].name != "LUT"  # it begins and ends in registers
    assert path[-1].name != "LUT"
    assert f"best {result.mhz:.2f} MHz" in done.stdout
    assert "critical path" in done.stdout
    assert str(tmp_path) not in pnr_path(TOY, tmp_path / "results").read_text()

    again = ecsm(*args, "--json", ECSM_CACHE=cache)
    assert f"kept, {result.mhz:.2f} MHz" in again.stderr
    assert json.loads(again.stdout)["mhz"] == result.mhz


def test_a_nextpnr_of_the_machine_is_run_instead(tmp_path: Path, own: Own) -> None:
    args = ("pnr", TOY, "--seeds", 1, "--rounds", 1, "--json", "--results", tmp_path)
    cache = str(tmp_path / "cache")
    done = ecsm(*args, ECSM_CACHE=cache, ECSM_NEXTPNR=own(TELLS))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["mhz"] == 123.46
    assert result["origin"]["tools"]["nextpnr"] == "9.8.7+own-1"


def test_another_device_has_a_result_of_its_own(tmp_path: Path, own: Own) -> None:
    args = ("pnr", TOY, "--seeds", 1, "--rounds", 1, "--json", "--results", tmp_path)
    other = ("--device", "LFE5U-25F", "--speed", 6)
    for more in ((), other):
        done = ecsm(*args, *more, ECSM_CACHE=str(tmp_path / "cache"), ECSM_NEXTPNR=own(TELLS))
        assert done.returncode == 0, done.stderr
    large, small = load_pnr(TOY, tmp_path), load_pnr(TOY, tmp_path, "LFE5U-25F-6")
    assert large is not None
    assert small is not None
    assert (large.device, small.device) == ("LFE5U-85F-8", "LFE5U-25F-6")
    assert "--85k --speed 8 --package CABGA756 " in large.best.options
    assert "--25k --speed 6 --package CABGA381 " in small.best.options
    assert len(large.runs) == len(small.runs) == 1
    assert small.origin.command.endswith(" --device LFE5U-25F --speed 6")
    assert "--device" not in large.origin.command
    assert pnr_path(TOY, tmp_path, small.device).name == f"{TOY}.LFE5U-25F-6.json"
    pnr_path(TOY, tmp_path).write_bytes(pnr_path(TOY, tmp_path, small.device).read_bytes())
    with pytest.raises(DamagedResult, match="it is of LFE5U-25F-6"):
        load_pnr(TOY, tmp_path)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--device", "LFE5U-12F"), "LFE5U-12F"),
        (("--speed", 5), "5"),
        (("--device", "LFE5U-25F", "--floorplan"), "--floorplan has places of an LFE5U-85F alone"),
    ],
)
def test_what_no_device_has_is_refused(tmp_path: Path, more: tuple[object, ...], said: str) -> None:
    done = ecsm("pnr", TOY, *more, "--results", tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("echo '{\"fmax\": {' > report.json", "left no report that can be read"),
        ("echo '{\"fmax\": {}}' > report.json", "left no report that can be read"),
        ("echo '[]' > report.json", "left no report that can be read"),
        ("rm report.json", "left no report that can be read"),
        ("echo starting; kill -9 $$", "killed by SIGKILL, its last line: starting"),
    ],
)
def test_a_nextpnr_that_ends_oddly_is_one_line(
    tmp_path: Path, own: Own, end: str, said: str
) -> None:
    done = ecsm(
        "pnr", TOY, "--seeds", 1, "--rounds", 1, "--results", tmp_path,
        ECSM_CACHE=str(tmp_path / "cache"), ECSM_NEXTPNR=own(TELLS + end),
    )  # fmt: skip
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]
    assert not pnr_path(TOY, tmp_path).exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, "is no program"),
        ("exit 0", "tells no version"),
        ("echo '\"nextpnr-ecp5\" (Version 1.0)'; exit 3", "tells no version"),
        ("echo '\"nextpnr-ice40\" -- (Version 1.0)'", "tells no version"),
        ("printf '\\377\\376'", "tells no version"),
        ("cat; echo '\"nextpnr-ecp5\"'", "tells no version"),
    ],
    ids=["none", "silent", "failing", "another", "no text", "reads"],
)
def test_what_is_no_nextpnr_is_refused(
    tmp_path: Path, own: Own, script: str | None, said: str
) -> None:
    program = str(tmp_path / "none") if script is None else own(script)
    done = ecsm(
        "pnr", TOY, "--results", tmp_path, ECSM_NEXTPNR=program, ECSM_CACHE=str(tmp_path / "c")
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"ecsm: ECSM_NEXTPNR: {program} is no ")  # before any work
    assert said in done.stderr
    done = ecsm("soc", "place", "narrow", ECSM_NEXTPNR=program)
    assert said in done.stderr


def test_a_killed_ecsm_leaves_no_nextpnr(tmp_path: Path, own: Own) -> None:
    pid = tmp_path / "pid"
    program = own(f"{TELLS}echo $$ > {pid}\nexec sleep 120")
    process = subprocess.Popen(
        [sys.executable, "-m", "ecsm", "pnr", TOY, "--seeds", "1", "--results", str(tmp_path)],
        env={**os.environ, "ECSM_NEXTPNR": program, "ECSM_CACHE": str(tmp_path / "cache")},
    )
    while not (pid.exists() and pid.read_text().strip()):
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.wait()
    for _ in range(100):
        if not Path(f"/proc/{pid.read_text().strip()}").exists():
            return
        time.sleep(0.1)
    pytest.fail("nextpnr still runs")


@pytest.mark.parametrize(
    "args",
    [[], ["b164"], [TOY, "--seeds", "0"], [TOY, "--seeds", "9" * 23], [TOY, "--freq", "-1"],
     [TOY, "--freq", "fast"], [TOY, "--rounds", "x"], [TOY, "--placer", "hope"],
     [TOY, "--timeout", "0"], [TOY, "--tries", "0"], [TOY, "--seeds", "2", "--tries", "2"]],
)  # fmt: skip
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = ecsm("pnr", *args)
    assert done.returncode == 2
    assert done.stderr
    assert not done.stdout


def test_help_names_units_and_defaults() -> None:
    text = " ".join(ecsm("pnr", "--help").stdout.split())
    for words in ("--freq MHZ", "--timeout MIN", "default 90.0", "LFE5U-85F", "--critical"):
        assert words in text
    text = " ".join(ecsm("synth", "--help").stdout.split())
    assert "{ecp5,ice40,gowin,xc7,cmos}" in text
