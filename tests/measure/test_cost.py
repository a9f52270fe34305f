# SPDX-License-Identifier: Apache-2.0
"""What the tool costs is measured cold, step by step."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ecsm.cores.family import SOLVE_LIMITS
from ecsm.cores.store import design, prime_design
from ecsm.cores.table import family
from ecsm.device.base import DeviceError
from ecsm.measure import bench
from ecsm.measure.cost import cost, measured, slowest
from ecsm.presets import binary_preset
from ecsm.presets.halving import HALVING_PRESETS
from ecsm.resources import resource
from ecsm.results.kept import RESULTS
from ecsm.results.record import SimulatedRow, Simulation, load, simulation_path
from ecsm.schedule.gf2m import solve as solver
from ecsm.schedule.gf2m.solve import Limits
from ecsm.schedule.gfp import solve as gfp_solve
from ecsm.schedule.halving import microcode as halving_microcode
from ecsm.schedule.halving import program as halving
from ecsm.schedule.halving import solve as halving_solve
from tests.cli.test_cli import ecsm

ROOT = resource()

TOY = "toy5-serial"


@pytest.mark.slow
def test_bench_compiles_anew_and_keeps_nothing(tmp_path: Path) -> None:
    done = ecsm("bench", TOY, "--seconds", "0.1", "--json", env={"ECSM_CACHE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["command"] == "ecsm bench --seconds 0.1"
    (row,) = found["results"]
    assert row["cycles"] == design(TOY).microcode.cycles
    assert row["compile_cpu_seconds"] > 1  # a warm start takes none
    assert row["runtime_cpu_seconds"] > 1
    assert 0.001 < row["elaborate_seconds"] < row["compile_cpu_seconds"]
    assert row["simulated_cycles_per_second"] > 1000
    assert row["solve_seconds"] is None
    assert not list(tmp_path.iterdir())
    assert f"{TOY}: compiling" in done.stderr


def test_a_solve_is_timed_with_the_limits_of_ecsm_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Limits] = []

    def solve(*args: object) -> object:
        assert isinstance(args[-1], Limits)
        asked.append(args[-1])
        return design(TOY).schedule

    monkeypatch.setattr(solver, "solve", solve)
    row = measured(TOY, 0.05, True, lambda _: None)
    assert asked == [Limits(*SOLVE_LIMITS, binary_preset(TOY).registers)]
    assert 0 <= row["solve_seconds"] < 10


def test_a_preset_over_a_prime_field_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    name, asked = "toyp8-a", list[object]()

    def solve(*args: object) -> object:
        asked.append(args[-1])
        return prime_design(name).schedule

    monkeypatch.setattr(gfp_solve, "solve", solve)
    row = measured(name, 0.05, True, lambda _: None)
    assert row["cycles"] == prime_design(name).microcode.cycles
    assert row["elaborate_seconds"] > 0
    assert asked == [gfp_solve.Limits(*SOLVE_LIMITS)]
    assert 0 <= row["solve_seconds"] < 10


def test_a_preset_that_halves_is_solved_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    p, asked = HALVING_PRESETS["toy107-halving"], list[object]()
    kept = design(p.name)

    def solve(*args: object) -> object:
        asked.extend(args[-2:])
        length = kept.schedule.cycles - halving.end_of_windows(p.halves) - halving_microcode.READ
        return kept.schedule.tail, length, 1

    monkeypatch.setattr(halving_solve, "solve", solve)
    again = family(p).solve(p, *SOLVE_LIMITS)
    assert asked == [*SOLVE_LIMITS]
    assert (again.cycles, again.variables) == (kept.schedule.cycles, kept.schedule.variables)


def test_a_bench_that_is_terminated_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ecsm", "bench", TOY]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}

    def compilers() -> list[Path]:
        here = str(tmp_path).encode()
        return [p for p in Path("/proc").glob("[0-9]*/cmdline") if here in reading(p)]

    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as bench_:
        while bench_.poll() is None and not compilers():
            time.sleep(0.05)
        bench_.terminate()
        _, said = bench_.communicate(timeout=60)
    assert said.splitlines()[-1] == "ecsm: terminated"
    assert bench_.returncode == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
    assert not compilers()


def reading(file: Path) -> bytes:
    """Return what a file of /proc says, nothing if its process is gone."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_the_kept_measurement_is_of_the_chosen_few() -> None:
    record = load(Simulation, simulation_path(RESULTS))
    assert record is not None
    assert [row.preset for row in record.results] == list(bench.DEFAULT)


def test_a_failure_is_one_error() -> None:
    with pytest.raises(DeviceError, match=r"measuring nobody failed: .*nobody"):
        cost("nobody", 0.1, False, lambda _: None)


def test_bench_prints_each_step_and_the_slowest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[tuple[object, ...]] = []

    def row(*args: object) -> SimulatedRow:
        asked.append(args[:3])
        return SimulatedRow(TOY, "toy7a", 99, 20.5, 4567, None, 1.25, 34.0, 33.3, 8.0, "0")

    monkeypatch.setattr(bench, "cost", row)
    assert bench.bench([TOY], 0.5, False, True, tmp_path) == 0
    assert asked == [(TOY, 0.5, True)]
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.startswith(TOY))
    assert line.split()[1:7] == ["99", "20.5", "4567", "-", "1.25", "33.3"]
    assert line.endswith("compiling the core (33 s)")


@pytest.mark.parametrize(
    ("solve", "elaborate", "compile_", "text"),
    [(None, 1.0, 70.2, "compiling the core (70 s)"), (90.0, 1.0, 70.2, "solving the schedule"),
     (1.0, 9.0, 2.0, "elaborating in Python (9 s)")],
)  # fmt: skip
def test_the_slowest_step_is_named(
    solve: float | None, elaborate: float, compile_: float, text: str
) -> None:
    row = SimulatedRow(TOY, "toy7a", 99, 20.5, 4567, solve, elaborate, compile_, compile_, 8.0, "0")
    assert slowest(row).startswith(text)
