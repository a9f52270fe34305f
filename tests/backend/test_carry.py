# SPDX-License-Identifier: Apache-2.0
"""Results are carried over to another text of the same circuit, and to no other circuit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ecsm.backend.carry import main
from ecsm.backend.same_netlist import LISTED
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from ecsm.presets.word import WORD_PRESETS
from ecsm.results.sources import digest_of, sources, sources_of, tables_digest, word_digest

TOY = "toy7-small"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))


def earlier(folder: Path, pattern: str, new: str, build: Build | None = None) -> str:
    """Build a package, change its RTL as if it were of an earlier version; return its digest."""
    package(build or Build(design(TOY)), folder)
    files = [folder / name for name in (folder / LISTED).read_text().split()]
    count = 0
    for file in files:
        text, n = re.subn(pattern, new, file.read_text())
        file.write_text(text)
        count += n
    assert count
    return digest_of(files[-1].read_text(), files[:-1])


def kept(folder: Path, digest: str) -> Path:
    """Write results of a design and of another one; return the folder."""
    records = {
        "synth/toy.ecp5.json": {"area": {"lut": 7}, "origin": {"rtl": digest}},
        "pnr/toy.json": {
            "mhz": 50.5,
            "device": "LFE5U-25F",
            "netlist": "before",
            "origin": {"rtl": digest},
        },
        "simulation.json": {"results": [{"rtl": digest}, {"rtl": "another"}]},
    }
    for name, record in records.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(record))
    return folder


def test_another_name_of_a_signal_carries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = earlier(tmp_path / "old", r"\bword_shift\b", "shift_word")
    results, now = kept(tmp_path / "results", old), sources(design(TOY)).digest
    assert old != now
    command = [str(tmp_path / "old"), "--results", str(results)]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{TOY}: 3 carried\n"
    area = json.loads((results / "synth/toy.ecp5.json").read_text())
    assert area == {"area": {"lut": 7}, "origin": {"rtl": now, "carried": old}}
    clock = json.loads((results / "pnr/toy.json").read_text())
    assert (clock["mhz"], clock["origin"]) == (50.5, {"rtl": now, "carried": old})
    assert clock["netlist"] != "before"
    rows = json.loads((results / "simulation.json").read_text())["results"]
    assert rows == [{"rtl": now, "carried": old}, {"rtl": "another"}]
    assert main(command) == 0  # there is nothing left to carry
    assert capsys.readouterr().out == f"{TOY}: 0 carried\n"


def test_a_word_engine_carries_with_each_of_its_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "word-up5k"
    old = earlier(tmp_path / "old", r"\bstack_q\b", "calls_q", Build(subject(name)))
    results = kept(tmp_path / "results", old)
    loaded = {n: WORD_PRESETS[n] for n in (name, "word-up5k-none")}
    rows = [{"rtl": tables_digest(p, old)} for p in loaded.values()]
    (results / "simulation.json").write_text(json.dumps({"results": rows}))
    assert main([str(tmp_path / "old"), "--results", str(results)]) == 0
    assert capsys.readouterr().out == f"{name}: 4 carried\n"
    rows = json.loads((results / "simulation.json").read_text())["results"]
    assert [row["rtl"] for row in rows] == [word_digest(p) for p in loaded.values()]
    clock = json.loads((results / "pnr/toy.json").read_text())
    assert clock["origin"] == {"rtl": sources_of(name).digest, "carried": old}


def test_another_circuit_carries_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = earlier(tmp_path / "old", r"assign respond = rsp_valid_o & ", "assign respond = ")
    results = kept(tmp_path / "results", old)
    before = {f: f.read_bytes() for f in results.rglob("*.json")}
    assert main([str(tmp_path / "old"), "--results", str(results)]) == 1
    assert capsys.readouterr().out == f"{TOY}: another circuit\n"
    assert {f: f.read_bytes() for f in results.rglob("*.json")} == before


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (LISTED, None), (LISTED, ""), (LISTED, "none.sv"), (LISTED, "LICENSE"),
        ("parameters.json", "{}"), ("parameters.json", "["), ("parameters.json", "[]"),
        ("parameters.json", '{"preset": "none"}'), ("parameters.json", None),
        ("parameters.json", "[" * 100_000),
    ],
)  # fmt: skip
def test_a_folder_that_is_no_package_is_one_line(
    file: str, text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback, with the exit code of another circuit."""
    package(Build(design(TOY)), folder := tmp_path / "old")
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text)
    if text == "LICENSE":
        (folder / "parameters.json").unlink()
    assert main([str(folder), "--results", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"carry: {folder} is no package of a core or a word engine" in err
    assert "Traceback" not in err


def test_rtl_that_cannot_be_read_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback, with the exit code of another circuit."""
    old = earlier(tmp_path / "old", r"\bword_shift\b", "shift word")
    assert main([str(tmp_path / "old"), "--results", str(kept(tmp_path / "results", old))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"carry: {tmp_path / 'old'} has RTL that Yosys does not read: " in err


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("unit.json", '{"cut', "unit.json is damaged"),
        ("pnr/z.json", '{"origin": {"rtl": "OLD"}}', "z.json is damaged: it is of no device"),
        ("pnr/z.json", '{"device": 1, "rtl": "OLD"}', "z.json is damaged: it is of no device"),
    ],
)
def test_damaged_results_are_one_line_and_nothing_is_carried(
    name: str, text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those before the damaged one were carried, and then came a traceback."""
    old = earlier(tmp_path / "old", r"\bword_shift\b", "shift_word")
    results = kept(tmp_path / "results", old)
    (results / name).write_text(text.replace("OLD", old))
    before = {f: f.read_bytes() for f in results.rglob("*.json")}
    assert main([str(tmp_path / "old"), "--results", str(results)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert why in err
    assert {f: f.read_bytes() for f in results.rglob("*.json")} == before


def test_what_is_no_result_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = earlier(tmp_path / "old", r"\bword_shift\b", "shift_word")
    results = kept(tmp_path / "results", old)
    (results / "folder.json").mkdir()
    (results / "none.json").symlink_to("nowhere")
    (results / "other.json").write_text('[{"rtl": ["list"]}]')
    for count in ("X", "0", "65", "1000", ""):
        (results / f"synth/{TOY}-farm{count}.ecp5.json").write_text("{}")
    assert main([str(tmp_path / "old"), "--results", str(results)]) == 0
    assert capsys.readouterr().out == f"{TOY}: 3 carried\n"
