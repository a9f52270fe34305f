# SPDX-License-Identifier: Apache-2.0
"""Areas of the hand-written units: measured, kept, and shown in the documents."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.backend.units import UnitArea, synthesise_unit, unit_digest, unit_path, unit_table
from ecsm.hdl.units import UNITS, Unit
from ecsm.progress import Progress
from ecsm.resources import resource
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, load, read_json, write_json
from tests.results.files import Told

ROOT = resource()

SMALL = Unit("zeroize", "sym_zeroize")


def test_a_unit_is_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    with Progress() as log:
        result = synthesise_unit(SMALL, "ecp5", log, tmp_path)
    assert result.area == {"lut": 2, "ff": 1, "dsp": 0, "bram": 0}
    assert load(UnitArea, unit_path(SMALL.name, "ecp5", tmp_path)) == result
    row = unit_table(tmp_path, [SMALL]).splitlines()[-1]
    assert [cell.strip() for cell in row.split("|")[1:-1]] == [
        "`zeroize`", "`sym_zeroize`", "2", "1", "0", "0", str(result.levels), "",
    ]  # fmt: skip


def test_the_passes_are_told(tmp_path: Path) -> None:
    told = Told()
    synthesise_unit(SMALL, "ecp5", told, tmp_path)
    assert {"zeroize: slang", "zeroize: abc9"} <= set(told.lines)


def test_parameters_are_part_of_what_is_measured(tmp_path: Path) -> None:
    few, many = (Unit("words", "sym_words", {"Num": n, "W": 8}) for n in (1, 4))
    with Progress() as log:
        areas = [synthesise_unit(unit, "ecp5", log, tmp_path).area["ff"] for unit in (few, many)]
    assert areas == [8 + 1, 32 + 1]
    assert unit_digest(few) != unit_digest(many)
    # What was kept last is of another unit than the first.
    assert "of an earlier commit" in unit_table(tmp_path, [few])


def test_what_is_not_measured_says_so(tmp_path: Path) -> None:
    assert "not measured" in unit_table(tmp_path, [SMALL])


def test_kept_areas_are_of_the_units_there_are() -> None:
    files = sorted((RESULTS / "units").glob("*.json"))
    assert files
    for file in files:
        record = load(UnitArea, file)
        assert record is not None
        assert file.name == f"{record.unit}.{record.target}.json"
        assert record.unit in UNITS
        assert record.origin.command == f"ecsm units {record.unit} --target {record.target}"
        assert "/" not in json.dumps(replace(record, script=[]).cells)
        assert str(ROOT) not in file.read_text(encoding="utf-8")


def test_areas_of_another_unit_are_refused(tmp_path: Path) -> None:
    write_json(unit_path("aes", "ecp5", tmp_path), read_json(unit_path("kdf", "ecp5", RESULTS)))
    with pytest.raises(DamagedResult, match="another unit or target"):
        unit_table(tmp_path)


def test_an_unknown_unit_is_a_wrong_call() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", "units", "sha3"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 2
    assert "there is no unit 'sha3': did you mean " in done.stderr
    assert "sha256" in done.stderr
