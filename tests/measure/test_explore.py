# SPDX-License-Identifier: Apache-2.0
"""``ecsm explore``: which points a grid has, one real point, going on, and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cores import store
from ecsm.cores.gf2m import Binary
from ecsm.cores.store import figures
from ecsm.cores.table import family
from ecsm.measure import grid
from ecsm.measure.explore import Better, better, closing, picture, table
from ecsm.measure.grid import Found, Grid, Work, kept, scheduled, solve_point
from ecsm.presets import PRESETS
from ecsm.progress import Progress
from ecsm.results.record import DamagedResult, load_synth, write_json
from ecsm.schedule.types import Schedule, Unschedulable
from tests.cli.test_cli import ecsm

GRID = Grid("toy7a", "karatsuba", [1, 2], [1, 2, 4], [1, 2], [0, 1, 2], [3], [0, 1])
ONE_POINT = (
    "explore", "--curve", "toy5a", "--multipliers", "1", "--stages", "1", "--depth", "1",
)  # fmt: skip
DONE = Found("x-toy7a-1-a", "karatsuba", 1, 40, 39, 700, 250, 6)


def wanted(placed: bool = False, seeds: int = 1, jobs: int = 0) -> Work:
    return Work(1.0, 1.0, jobs, placed, seeds, 60.0)


def test_a_grid_has_every_combination_that_a_multiplier_has_once() -> None:
    names = [p.name for p in GRID.presets()]
    # One and four stages have no height to choose; with two it is at most the depth.
    assert len(names) == len(set(names)) == 2 * 2 * (2 * 1 + (2 + 3) + 2 * 1)
    serial = replace(GRID, kind="serial", digit=[2, 3])
    assert [p.multiplier.digit for p in serial.presets()] == [2] * 2 + [3] * 2 + [2] * 2 + [3] * 2
    segmented = list(replace(GRID, kind="segmented", ahead=[0]).presets())
    assert {(p.multiplier.kind, p.multiplier.stages) for p in segmented} == {
        ("segmented", s) for s in (1, 2, 4)
    }
    assert len(segmented) == 6


def test_the_table_is_in_order_and_says_what_is_missing() -> None:
    placed = replace(DONE, preset="x-toy7a-1-b", mhz=50.0, us=0.8)
    failed = replace(DONE, preset="x-toy7a-1-c", lut=0, failure="no netlist: why")
    nothing = Found("x-toy7a-1-d", "karatsuba", 1, 0, 0, 0, 0, 0, failure="no schedule: why")
    lines = table([nothing, DONE, failed, placed]).splitlines()[2:]
    assert [line.split("`")[1][-1] for line in lines] == ["b", "a", "c", "d"]
    assert "50.0 | 0.80" in lines[0]
    assert "| 40 | 39 |  |  |  |  |  | no netlist: why" in lines[2]
    assert "|  |  |  |  |  |  |  | no schedule: why" in lines[3], "a figure that nobody found"


FAST = Grid("sect163r2", "karatsuba", [3], [1], [3], [0], [1], [0])
PIPELINED = Grid("sect163r2", "karatsuba", [2], [2], [3], [0, 3], [1], [1])


def test_a_better_preset_of_the_same_shape_is_named() -> None:
    (p,) = FAST.presets()
    cycles, area = figures(PRESETS["b163-fast"]).cycles, load_synth("b163-fast", "ecp5")
    assert area is not None
    found = replace(DONE, preset=p.name, cycles=cycles + 44)
    beside = better(p, found)
    assert beside == Better("b163-fast", cycles, area.area["lut"])
    assert better(p, replace(found, cycles=0, lut=0, failure="no schedule")) == beside
    assert better(p, replace(found, cycles=cycles - 1)) is None
    (row,) = table([found], {p.name: beside}).splitlines()[2:]
    assert row.endswith(f"|  | `b163-fast`: {cycles}, {area.area['lut']:,} LUT4 |")


def test_of_as_many_cycles_the_smaller_area_is_better() -> None:
    area = load_synth("b163-pipelined", "ecp5")
    assert area is not None
    cycles, lut = figures(PRESETS["b163-pipelined"]).cycles, area.area["lut"]
    for p in PIPELINED.presets():  # whatever the height
        larger = replace(DONE, preset=p.name, cycles=cycles, lut=lut + 1)
        assert better(p, larger) == Better("b163-pipelined", cycles, lut)
        assert better(p, replace(larger, lut=lut)) is None
    (other,) = replace(PIPELINED, height=[0], ahead=[0]).presets()
    assert better(other, replace(DONE, preset=other.name, cycles=9_999)) is None


def test_the_end_says_what_the_solver_had() -> None:
    (p,) = FAST.presets()
    above = replace(DONE, preset=p.name, cycles=999, bound=998)
    beside = better(p, above)
    assert beside is not None
    text = closing([above, DONE, replace(DONE, cycles=39)], {p.name: beside}, wanted())
    assert text.startswith("Solver: 1 s for each length of the loop (--timing-seconds), then 1 s")
    assert "than the proven bound, that more time may lower: 2 of 3." in text
    assert "a preset of the same shape is better: 1 of 3.\nA preset may have b" in text
    assert closing([DONE], {}, wanted()).endswith("a preset of the same shape is better: 0 of 1.")


def test_a_point_is_no_worse_than_a_preset_of_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver without time finds none, or a worse one; the preset's schedule is there."""

    def unsolved(*_: object) -> None:
        raise Unschedulable("no time")

    monkeypatch.setattr(Binary, "solve", unsolved)
    for p in (*PIPELINED.presets(), *FAST.presets()):
        monkeypatch.setitem(PRESETS, p.name, p)
    for p in PIPELINED.presets():
        monkeypatch.setitem(store._elsewhere, p.name, tmp_path)
        solve_point(p, wanted())
        rank = family(p).rank
        assert rank(store.load(p)) == rank(store.load(PRESETS["b163-pipelined"]))
    (p,) = FAST.presets()  # b163-fast has more maps: another program
    with pytest.raises(Unschedulable):
        solve_point(p, wanted())


def test_a_schedule_that_is_wrong_is_solved_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user cannot: a point is no preset."""
    (p, *_) = PIPELINED.presets()
    monkeypatch.setitem(PRESETS, p.name, p)
    monkeypatch.setitem(store._elsewhere, p.name, tmp_path)
    good = store.load(PRESETS["b163-pipelined"])
    monkeypatch.setattr(Binary, "solve", lambda *_: good)
    solve_point(p, wanted())
    right = store.path(p.name).read_text()
    data = json.loads(right)
    data["body"][next(iter(data["body"]))][0] += 1  # its time
    for wrong in (json.dumps(data), "[" * 99_999, "\0"):
        store.path(p.name).write_text(wrong)
        store.design.cache_clear()
        with Progress() as log:
            store.check(scheduled(p, wanted(), log))
        assert store.path(p.name).read_text() == right
    store.design.cache_clear()


def test_a_better_schedule_that_another_run_has_kept_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs in one folder solve the same point; the last one put its own over the other's."""
    (p, *_) = PIPELINED.presets()
    monkeypatch.setitem(PRESETS, p.name, p)
    monkeypatch.setitem(store._elsewhere, p.name, tmp_path)
    monkeypatch.setattr(grid, "alike", lambda _: [])
    good = store.load(PRESETS["b163-pipelined"])
    worse = replace(good, cost=good.cost + 1)

    def solve(*_: object) -> Schedule:
        store.save(p, good)
        return worse

    monkeypatch.setattr(Binary, "solve", solve)
    solve_point(p, wanted())
    assert store.load(p).cost == good.cost
    store.design.cache_clear()


def test_the_picture_has_what_is_placed_or_else_the_cycles() -> None:
    placed = replace(DONE, preset="x-toy7a-1-b", mhz=50.0, us=0.8)
    assert "cycles" in picture([DONE], "t")
    both = picture([DONE, placed], "t")
    assert "microseconds" in both
    assert "1-b" in both
    assert "1-a" not in both


def test_a_point_that_failed_is_tried_again(tmp_path: Path) -> None:
    def finished(found: Found, placed: bool, seeds: int = 1, jobs: int = 0) -> bool:
        write_json(tmp_path / "points" / f"{found.preset}.json", asdict(found))
        return kept(tmp_path, found.preset, wanted(placed, seeds, jobs)) == found

    slow = replace(DONE, failure="not routed in 0.1 min")
    assert finished(DONE, placed=False)
    assert not finished(DONE, placed=True)
    routed = replace(DONE, mhz=50.0, us=0.8, seeds=2)
    assert finished(routed, placed=True)
    assert finished(routed, placed=True, seeds=2)
    assert not finished(routed, placed=True, seeds=3)
    assert finished(replace(DONE, jobs=5), placed=False, jobs=5)
    assert not finished(replace(DONE, jobs=5), placed=False, jobs=6)
    assert finished(slow, placed=False)
    assert not finished(slow, placed=True)
    assert not finished(replace(DONE, lut=0, failure="no netlist: killed"), placed=False)


@pytest.mark.parametrize(
    "wrong",
    [{"preset": "x-toy7a-1-b"}, {"preset": "p"}, {"lut": -7}, {"cycles": -1}, {"mhz": 50.0},
     {"mhz": 50.0, "us": -1.0}, {"mhz": 50.0, "us": 0.0}],
)  # fmt: skip
def test_a_point_that_no_core_has_is_damaged(wrong: dict[str, object], tmp_path: Path) -> None:
    write_json(tmp_path / "points" / f"{DONE.preset}.json", {**asdict(DONE), **wrong})
    with pytest.raises(DamagedResult, match=r"x-toy7a-1-a\.json is damaged"):
        kept(tmp_path, DONE.preset, wanted())


def test_an_interrupted_grid_shows_what_is_known(tmp_path: Path) -> None:
    """The table is there after the first of two points; the second one is never finished."""
    command = (
        "explore", "--curve", "toy5a", "--multipliers", "1", "--stages", "1", "--depth", "1,2",
        "--timing-seconds", "20", "--network-seconds", "1", "--count", "5", "--workers", "1",
        "-o", str(tmp_path),
    )  # fmt: skip
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen([sys.executable, "-m", "ecsm", *command], stderr=said)
        shown = tmp_path / "table.md"
        while process.poll() is None and not shown.exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    assert shown.read_text().count("`x-toy5a") == 1
    assert "<svg" in (tmp_path / "pareto.svg").read_text()
    said_lines = (tmp_path / "said").read_text().splitlines()
    seconds = [int(line[1:5]) for line in said_lines if line.startswith("[")]
    assert seconds == sorted(seconds)  # the worker counts from where the command began
    assert "Warning" not in "".join(said_lines)


def test_what_a_kind_does_not_have_is_not_checked(tmp_path: Path) -> None:
    """A serial multiplier has no depth, though the default one is too much for five bits."""
    none = "tcp://127.0.0.1:1"
    done = ecsm(
        "explore", "--curve", "toy5a", "--kind", "serial", "--digit", "2", "--scheduler", none,
        "-o", str(tmp_path),
    )  # fmt: skip
    assert "3 points" in done.stderr
    assert f"no Dask cluster at {none}" in done.stderr


def test_a_small_field_has_a_depth_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Three levels, the default, are too many for seven bits."""
    seen: list[Grid] = []

    def explore(grid: Grid, *_: object) -> int:
        seen.append(grid)
        return 0

    monkeypatch.setattr("ecsm.measure.explore.explore", explore)
    for name in ("toy5a", "toy7a", "sect163r2"):
        assert main(["explore", "--curve", name, "-o", str(tmp_path)]) == 0
    assert [grid.depth for grid in seen] == [[2], [2], [3]]
    assert all(any(grid.presets()) for grid in seen)


def test_a_point_is_measured_kept_and_not_repeated(tmp_path: Path) -> None:
    command = (
        *ONE_POINT, "--timing-seconds", "20", "--network-seconds", "1", "--count", "5",
        "-o", str(tmp_path),
    )  # fmt: skip
    first = ecsm(*command)
    assert first.returncode == 0, first.stderr
    (file,) = (tmp_path / "points").glob("*.json")
    found = kept(tmp_path, file.stem, wanted())
    assert found is not None
    assert found.cycles >= found.bound > 20
    assert 100 < found.lut < 1500
    assert not found.failure
    assert f"`{found.preset}` | {found.cycles} |" in first.stdout
    assert (tmp_path / "table.md").read_text() == first.stdout
    assert "<svg" in (tmp_path / "pareto.svg").read_text()
    assert kept(tmp_path, file.stem, wanted(placed=True)) is None  # not placed: not finished
    # A second run measures nothing: it believes the kept file.
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "lut": 4321}))
    second = ecsm(*command)
    assert second.returncode == 0, second.stderr
    assert "1 of them finished before" in second.stderr
    assert "4,321" in second.stdout
    told = json.loads(ecsm(*command, "--json").stdout)
    assert told == {
        "points": [{**data, "lut": 4321, "better": None}],
        "budget": {"timing_s": 20.0, "network_s": 1.0},
    }
    # Of another design, it is measured again; here by a cluster that is not there.
    file.write_text(json.dumps({**data, "netlist": "0" * 16}))
    assert "1 points, 0 of them" in ecsm(*command, "--scheduler", "tcp://127.0.0.1:1").stderr
    for damage in ("{", "{}", "[1]"):
        file.write_text(damage)
        with pytest.raises(DamagedResult):
            kept(tmp_path, file.stem, wanted())
    assert "is damaged" in ecsm(*command).stderr


def test_a_point_without_a_schedule_is_a_failure(tmp_path: Path) -> None:
    done = ecsm(
        *ONE_POINT, "--timing-seconds", "0.000001", "-o", str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 1
    assert "1 of 1 points not done" in done.stderr
    assert "no schedule: no loop of up to" in done.stdout
    assert "within 1e-06 s each" in done.stdout, "the time is the reason"


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--curve", "P-17"], "there is no curve 'P-17'"),
        (["--curve", "toy5a", "--stages", "0..2"], "--stages is from 1 to 4"),
        (["--curve", "toy5a", "--multipliers", "3..1"], "not a range"),
        (["--curve", "toy5a", "--multipliers", "many"], "numbers and ranges"),
        (["--curve", "toy5a", "--depth", "9"], "not split that often"),
        (["--curve", "toy5a", "--kind", "serial", "--digit", "6"], "--digit is from 1 to 5"),
        (["--curve", "toy5a", "--ahead", "2"], "--ahead is 0, 1"),
        (["--curve", "toy5a", "--depth", "1", "--height", "2"], "no multiplier has"),
        ([], "--curve"),
    ],
)
def test_a_grid_that_makes_no_sense_is_one_line(args: list[str], complaint: str) -> None:
    done = ecsm("explore", *args)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = ecsm(
        *ONE_POINT, "--scheduler", "tcp://127.0.0.1:1", "-o", str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 1
    assert "no Dask cluster at tcp://127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
