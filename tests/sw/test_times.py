# SPDX-License-Identifier: Apache-2.0
"""`ecsm psec`: the program's times are read, kept and shown; what is missing is said."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from ecsm.cli import main
from ecsm.measure import psec_kem
from ecsm.measure.psec_kem import Software, SoftwareTime, missing, psec_table, software_path
from ecsm.measure.schemes import SchemeCycles, Schemes, schemes_path
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, load, write_json
from tests.sw.conftest import CURVES, needed

KEPT = Software(
    "ecsm psec", "a processor", "a compiler; GMP 6", 200,
    [SoftwareTime(c, w, 1500.0 + i, 140.25) for i, c in enumerate(CURVES) for w in psec_kem.WAYS],
)  # fmt: skip


def test_times_are_measured_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The endomorphism and the projective coordinates are worth it, as everywhere."""
    needed()
    with Progress() as log:
        psec_kem.psec(9, True, log, tmp_path)
    record = load(Software, software_path(tmp_path))
    assert record is not None
    assert json.loads(capsys.readouterr().out) == asdict(record)
    assert [(r.curve, r.way) for r in record.results] == [
        (c, w) for c in CURVES for w in psec_kem.WAYS
    ]
    us = {(r.curve, r.way): r.encapsulate_us for r in record.results}
    for c in CURVES:
        assert 0 < us[c, "projective"] < us[c, "affine"]
    for way in psec_kem.WAYS:
        assert us["secp256k1", way] < us["secp256r1", way]


def test_the_table(tmp_path: Path) -> None:
    assert psec_table(tmp_path) == "Not measured."
    write_json(software_path(tmp_path), asdict(KEPT))
    lines = psec_table(tmp_path).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines[2:5]]
    assert cells[0] == ["18 ms", "18 ms", "14 ms", "14 ms"]
    assert cells[1] == cells[2] == ["1.500 ms", "0.140 ms", "1.501 ms", "0.140 ms"]
    assert "medians of 200; a processor; a compiler; GMP 6." in lines[-1]
    found = {"encapsulate": 16_000, "decapsulate": 16_001, "ecdh": 7_000}
    cores = [SchemeCycles(p, c, "", found) for c, p in psec_kem.CORES.items()]
    other = SchemeCycles("p256-small", "secp256r1", "", {"encapsulate": 99})
    write_json(schemes_path(tmp_path), asdict(Schemes("ecsm schemes", [*cores, other])))
    (row,) = (line for line in psec_table(tmp_path).splitlines() if "cycles" in line)
    twice = [*KEPT.results[:-1], KEPT.results[0]]
    for results in ([], KEPT.results[:-1], twice, [replace(KEPT.results[0], encapsulate_us=0.0)]):
        write_json(software_path(tmp_path), asdict(replace(KEPT, results=results)))
        with pytest.raises(DamagedResult, match="each way on each curve"):
            psec_table(tmp_path)
    assert row.count("16,000 cycles") == row.count("16,001 cycles") == 2
    assert "99" not in row


def test_kept_times_are_of_the_program_there_is() -> None:
    record = load(Software, software_path(RESULTS))
    assert record is not None
    assert record.operations == psec_kem.OPERATIONS
    assert {(r.curve, r.way) for r in record.results} == {
        (c, w) for c in CURVES for w in psec_kem.WAYS
    }


def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No header, no compiler: one line, exit code 1."""
    monkeypatch.setattr(psec_kem, "HEADERS", ("no/such/header.h",))
    lacking = missing()
    assert lacking is None or "missing" in lacking
    with pytest.raises(FlowError, match="is missing"):
        psec_kem.build_program(tmp_path)
    assert main(["psec"]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("ecsm: psec_kem: ")
    monkeypatch.setenv("CC", "no-such-compiler")
    assert missing() in ("no-such-compiler is missing", "make is missing")
