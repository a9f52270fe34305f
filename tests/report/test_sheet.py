# SPDX-License-Identifier: Apache-2.0
"""The datasheet of a package: its figures are those that are kept, and it says what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.report.sheet import sheet
from tests.curves.test_own import FRP256

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "bench/results"


def _kept(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((KEPT / f"{name}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("build", "synth", "of"),
    [
        (Build(subject("b163-fast")), "b163-fast", "this package"),
        (Build(subject("b163-small"), attach="axil"), "b163-small", "the engine"),
        (Build(subject("b163-small"), engines=3, attach="stream"), "b163-small", "one engine"),
        (Build(subject("b163-small"), schemes=True), "b163-small", "the core without schemes"),
        (Build(subject("word-p256")), "word-p256", "this package"),
        (Build(subject("word-p256"), attach="axil"), "word-p256-axil", "this package"),
        (Build(subject("word-prime-p521")), "word-prime", "this package"),
    ],
    ids=lambda value: value.name if isinstance(value, Build) else "",
)
def test_an_area_is_that_which_is_kept(build: Build, synth: str, of: str) -> None:
    area = _kept(f"synth/{synth}.ecp5")["area"]
    assert isinstance(area, dict)
    assert f"| {of} | Lattice ECP5 | {area['lut']:,} | {area['ff']:,} |" in sheet(build)


def test_clocks_are_those_which_are_kept() -> None:
    kept = _kept("pnr/word-p256.LFE5U-25F-6")
    assert f"| LFE5U-25F-6 | {kept['mhz']:.1f} |" in sheet(Build(subject("word-p256")))


def test_what_is_kept_of_another_family_is_in_it() -> None:
    areas = {name: _kept(f"synth/{name}.gowin")["area"] for name in ("b163-small", "word-p256")}
    for name, area in areas.items():
        assert isinstance(area, dict)
        row = f"| this package | Gowin | {area['lut']:,} | {area['ff']:,} |"
        assert row in sheet(Build(subject(name)))
    device, clock = "GW2AR-18-QN88", _kept("pnr/word-p256.GW2AR-18-QN88")
    best, median = (f"at most {clock[key]:.1f}" for key in ("mhz", "mhz_median"))
    assert f"| {device} | {best} | {median} |" in sheet(Build(subject("word-p256")))


def test_cycles_of_a_core_are_those_of_its_schedule_and_those_of_schemes_are_kept() -> None:
    assert "| kP | 343 |" in sheet(Build(subject("b163-fast")))
    assert "kG" not in sheet(Build(subject("b163-fast")))
    assert "| kP | 6,180 |  |\n| kG | 935 |" in sheet(Build(subject("p256-sign")))
    kept = {r["preset"]: r["cycles"] for r in _kept("word_schemes")["results"]}  # type: ignore[attr-defined]
    assert f"| sign | {kept['word-p256']['sign']:,} |" in sheet(Build(subject("word-p256")))


def test_what_is_not_measured_says_how_it_is(tmp_path: Path) -> None:
    text = sheet(Build(subject("word-p256"), attach="apb"), tmp_path)
    assert "They are not measured: `ecsm schemes --word word-p256` does it." in text
    assert text.count("It is not measured.") == 2
    assert "`ecsm synth word-p256 --attach apb`" in text


def test_no_command_measures_a_curve_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(FRP256)
    text = sheet(Build(subject(f"word-prime:{tmp_path / 'own.toml'}")))
    assert "They are not measured: no command does it for a curve of your own." in text
    assert "ecsm schemes" not in text


def test_what_is_of_an_earlier_commit_says_so(tmp_path: Path) -> None:
    kept = _kept("synth/b163-fast.ecp5")
    origin = kept["origin"]
    assert isinstance(origin, dict)
    origin["rtl"] = "0" * 64
    (tmp_path / "synth").mkdir()
    (tmp_path / "synth/b163-fast.ecp5.json").write_text(json.dumps(kept))
    text = sheet(Build(subject("b163-fast")), tmp_path)
    (row,) = (line for line in text.splitlines() if "Lattice ECP5" in line)
    assert row.endswith("| of an earlier commit |")
    assert "of an earlier commit" not in sheet(Build(subject("b163-fast")))


def test_a_key_is_not_for_a_core_that_is_not_protected() -> None:
    assert "none: for comparison, not for keys" in sheet(Build(subject("word-p256-none")))


def test_protection_is_said_of_what_has_it() -> None:
    """Of masked cores and the schemes around them, as of word engines; not of other cores."""
    for build in (
        Build(subject("p256-small-full"), schemes=True, attach="axil"),
        Build(subject("b163-small-full")),
        Build(subject("word-p256")),
    ):
        (row,) = (line for line in sheet(build).splitlines() if line.startswith("| protection |"))
        assert "| on: masked scalars and coordinates" in row, build.name
    for build in (Build(subject("p256-small")), Build(subject("p256-small"), schemes=True)):
        assert "| protection | cycles depend on no secret; no masks" in sheet(build)


def test_a_signature_has_a_time() -> None:
    """Its cycles at the best clock."""
    cycles = _kept("word_schemes")["results"]
    assert isinstance(cycles, list)
    (sign,) = (r["cycles"]["sign"] for r in cycles if r["preset"] == "word-p256")
    mhz = _kept("pnr/word-p256.LFE5U-25F-6")["mhz"]
    assert isinstance(mhz, float)
    (row,) = (
        line
        for line in sheet(Build(subject("word-p256"))).splitlines()
        if line.startswith("| LFE5U-25F-6 |")
    )
    assert f"| {sign / mhz / 1000:.2f} |" in row


def test_ecsm_build_writes_it(tmp_path: Path) -> None:
    assert main(["build", "toy7-small", "-o", str(tmp_path / "a")]) == 0
    found = (tmp_path / "a/DATASHEET.md").read_text("utf-8")
    assert found == sheet(Build(subject("toy7-small")))
    assert "DATASHEET.md" in (tmp_path / "a/README.md").read_text("utf-8")
