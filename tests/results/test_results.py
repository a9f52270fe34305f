# SPDX-License-Identifier: Apache-2.0
"""Records are read as they were written; what is damaged is refused and named."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ecsm.cores.store import design
from ecsm.results import record as results
from ecsm.results.kept import RESULTS
from ecsm.results.record import (
    DamagedResult,
    Pnr,
    Simulation,
    Synth,
    best,
    load,
    load_pnr,
    load_synth,
    load_unrouted,
    median_mhz,
    pnr_path,
    save,
    synth_path,
    write_json,
)
from tests.results.files import a_pnr, a_run, a_synth, ecsm

KINDS = ("synth", "pnr", "unrouted")
FILES = sorted(p for p in RESULTS.rglob("*.json") if p.parent.name in KINDS)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    synth, pnr = a_synth("p"), a_pnr("p")
    save(tmp_path / "s" / "x.json", synth)
    save(tmp_path / "p.json", pnr)
    assert load(Synth, tmp_path / "s" / "x.json") == synth
    assert load(Pnr, tmp_path / "p.json") == pnr
    assert [p.name for p in (tmp_path / "s").iterdir()] == ["x.json"]


def test_no_file_is_no_result(tmp_path: Path) -> None:
    assert load(Synth, tmp_path / "none.json") is None


def _without(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k != key}


GOOD = asdict(a_synth("p"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "Expecting value"),
        (json.dumps(GOOD)[:-9], "Unterminated"),
        ("[]", "synth is list, not an object"),
        (" null\n", "it has null in it, and no result"),
        (json.dumps(_without(GOOD, "area")), "area is missing"),
        (json.dumps({**GOOD, "beauty": 1}), "beauty is unknown"),
        (json.dumps({**GOOD, "cycles": "342"}), "synth.cycles is str, not int"),
        (json.dumps({**GOOD, "cycles": True}), "synth.cycles is bool, not int"),
        (json.dumps({**GOOD, "levels": None}), "synth.levels is NoneType, not int"),
        (json.dumps({**GOOD, "area": {"lut": "many"}}), "synth.area.lut is str, not int"),
        (json.dumps({**GOOD, "origin": {}}), "synth.origin: command is missing"),
        (json.dumps({**GOOD, "seconds": "x"}).replace('"x"', "1e400"), "1e400 is no number"),
        (json.dumps({**GOOD, "cycles": 10**400}), "a number of 401 digits is none of ours"),
    ],
)
def test_a_damaged_file_is_refused_with_what_is_wrong(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(DamagedResult, match=r"x\.json is damaged") as error:
        load(Synth, file)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"preset": "q"}, "another preset or target"),
        ({"target": "xc7"}, "another preset or target"),
        ({"area": {"lut": 1}}, "another preset or target"),
        ({"area": {**GOOD["area"], "lut": -3}}, "not that of its cells"),
        ({"cells": {"LUT4": 999}}, "not that of its cells"),
        ({"cycles": 0}, "no core has these cycles"),
        ({"seconds": math.nan}, "NaN is no number"),
        ({"seconds": -math.inf}, "-Infinity is no number"),
    ],
)
def test_areas_of_something_else_are_refused(
    change: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    write_json(synth_path("p", "ecp5", tmp_path), GOOD)
    assert load_synth("p", "ecp5", tmp_path) == a_synth("p")
    synth_path("p", "ecp5", tmp_path).write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(DamagedResult, match=complaint):
        load_synth("p", "ecp5", tmp_path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"preset": "q"}, "it is of q"),
        ({"mhz": 61.0}, "mhz is no run's"),
        ({"mhz": 0.0}, "mhz is no run's"),
        ({"runs": []}, "mhz is no run's"),
        ({"us": 5.8}, "us is not cycles / mhz"),
        ({"cycles": 343}, "us is not cycles / mhz"),
        ({"cycles": 0, "us": 0.0}, "no core has these cycles"),
        ({"mhz_median": 500.0}, "mhz_median is above mhz"),
        ({"mhz_median": 0.0}, "mhz_median is above mhz"),
    ],
)
def test_a_clock_that_nothing_gave_is_refused(
    change: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    good = asdict(a_pnr("p"))
    write_json(pnr_path("p", tmp_path), good)
    assert load_pnr("p", tmp_path) == a_pnr("p")
    write_json(pnr_path("p", tmp_path), {**good, **change})
    with pytest.raises(DamagedResult, match=complaint):
        load_pnr("p", tmp_path)


def test_a_file_of_brackets_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[" * 100_000)
    with pytest.raises(DamagedResult):
        load(Synth, tmp_path / "x.json")


def test_an_interrupted_write_leaves_the_old_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.json"
    save(file, a_synth("old"))

    def interrupted(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(file, a_synth("new"))
    assert load(Synth, file) == a_synth("old")
    assert list(tmp_path.iterdir()) == [file]


def test_median_is_over_the_seeds_of_the_best_options_each_at_its_best() -> None:
    runs = [
        a_run(1, 100, 50.0), a_run(1, 110, 60.0), a_run(2, 100, 40.0), a_run(3, 100, None),
        a_run(4, 90, 48.0),
        a_run(4, 100, 44.0), a_run(5, 100, 59.0, options="--y"),
    ]  # fmt: skip
    assert best(runs) == runs[1]
    assert median_mhz(runs) == 48.0


def test_the_kept_simulation_is_of_the_cores_as_they_are() -> None:
    record = load(Simulation, results.simulation_path(RESULTS))
    assert record is not None
    assert record.results
    for row in record.results:
        assert row.cycles == design(row.preset).microcode.cycles


def test_kept_results_are_sound_and_name_no_path() -> None:
    for file in FILES:
        check(file)


def check(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "/home" not in text
    assert "/work" not in text
    if file.parent.name == "synth":
        synth = load(Synth, file)
        assert synth is not None
        assert file.name == f"{synth.preset}.{synth.target}.json"
    elif file.parent.name == "unrouted":
        assert load_unrouted(file.stem, file.parents[1]) is not None
        assert load_pnr(file.stem, file.parents[1]) is None
    else:
        pnr = load(Pnr, file)
        assert pnr is not None
        assert file.name == pnr_path(pnr.preset, file.parents[1], pnr.device).name
        assert pnr.mhz == best(pnr.runs).mhz
        assert pnr.mhz_median == median_mhz(pnr.runs)
        assert pnr.us == round(pnr.cycles / pnr.mhz, 3)


def test_a_damaged_result_is_one_line_of_complaint_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "pnr" / "toy7-fast.json"
    file.parent.mkdir()
    file.write_text("{")
    done = ecsm("pnr", "toy7-fast", "--seeds", 1, "--rounds", 1, "--results", tmp_path)
    assert done.returncode == 1
    assert "toy7-fast.json is damaged" in done.stderr.splitlines()[-1]
    assert file.read_text() == "{"
