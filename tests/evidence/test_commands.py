# SPDX-License-Identifier: Apache-2.0
"""The commands ecsm leak and ecsm fault, on a toy."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm.cli import main
from ecsm.evidence.campaigns.fault import OUTCOMES
from tests.evidence.small import marked

TOY = "toy7-small"
QUICK = ("--traces", "1", "--training", "1", "--bits", "100")
Said = pytest.CaptureFixture[str]


def test_leak_says_keeps_and_draws_what_it_found(here: Path, tmp_path: Path, capsys: Said) -> None:
    svg, results = tmp_path / "t.svg", tmp_path / "results"
    ask = ["leak", TOY, *QUICK, "--results", str(results)]
    assert main([*ask, "--svg", str(svg)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{TOY}: 4,096 traces, 273 bits that count, threshold 4.")
    for part in ("No silicon was measured", "(control), second order", "One trace shows"):
        assert part in said
    root = ElementTree.fromstring(svg.read_text())
    assert root.tag.endswith("svg")
    lines = [e for e in root.iter() if e.tag.endswith("polyline")]
    assert len(lines) == 4, "both orders, of the job and of two turns"
    assert all(len(e.attrib["points"].split()) > 20 for e in lines)
    assert "threshold" in svg.read_text()
    (file,) = results.rglob("*.json")
    assert file.relative_to(results) == Path("leak", f"{TOY}.scalar.json")
    assert main([*ask, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(file.read_text())
    assert (told["preset"], told["vary"], told["traces"]) == (TOY, "scalar", 4096)
    assert told["first"]["over"] > 0
    assert told["null_first"]["over"] == told["null_second"]["over"] == 0
    assert told["single"]["accuracy"] > told["single"]["guess"]
    assert told["origin"]["command"] == f"ecsm leak {TOY} --traces 1 --vary scalar"


@pytest.mark.parametrize("name", marked((TOY, "toyp7-x", "toyp8-glv-t")))
def test_leak_of_a_point(name: str, here: Path, tmp_path: Path, capsys: Said) -> None:
    ask = ["leak", name, *QUICK, "--vary", "point", "--results", str(tmp_path), "--json"]
    assert main(ask) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["vary"], told["single"]) == ("point", None)
    assert told["first"]["over"] > 0
    assert (tmp_path / "leak" / f"{name}.point.json").exists()


def test_fault_says_and_keeps_what_it_found(here: Path, tmp_path: Path, capsys: Said) -> None:
    ask = ["fault", TOY, "--count", "1", "--results", str(tmp_path / "results")]
    assert main(ask) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{TOY}: 2,048 faults, one flip of a random flip-flop")
    assert all(f"| {name} " in said for name in OUTCOMES)
    (file,) = (tmp_path / "results").rglob("*.json")
    assert file.relative_to(tmp_path / "results") == Path("fault", f"{TOY}.flip.json")
    assert main([*ask, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(file.read_text())
    assert sum(s["hits"] for s in told["outcomes"]) == 2048
    assert sum(s["share"] for s in told["outcomes"]) == pytest.approx(1, abs=1e-4)
    assert told["origin"]["command"] == f"ecsm fault {TOY} --count 1 --mode flip"


def test_fault_in_processes(pieces: Path, tmp_path: Path, capsys: Said) -> None:
    """As a user runs it; the progress is not in the way of what is found."""
    ask = ["fault", TOY, "--count", "2049", "--mode", "stuck", "--workers", "2", "--json"]
    assert main([*ask, "--results", str(tmp_path / "results")]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["wrong"]["count"] == 4096
    assert "2 of 2 pieces" in said.err


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (["leak", "toy7-smal"], "toy7-small"),
        (["fault", "no-such-preset"], "no-such-preset"),
        (["leak", TOY, "--vary", "weather"], f"--vary of {TOY} is scalar or point"),
        (["fault", TOY, "--mode", "memory"], f"{TOY} has no memory that is written"),
        (["leak", TOY, "--svg", "/no/such/folder/t.svg"], "/no/such/folder"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    ask: list[str], complaint: str, here: Path, capsys: Said
) -> None:
    assert main(ask) == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = [line for line in said.err.splitlines() if not line.startswith("[")]
    assert line.startswith("ecsm: ")
    assert complaint in line
    assert not here.exists(), "nothing was begun"


@pytest.mark.parametrize(
    "ask",
    [
        ["leak", TOY, "--traces", "0"], ["leak", TOY, "--traces", "many"],
        ["leak", TOY, "--training", "-1"], ["leak", TOY, "--bits", "0"],
        ["leak", TOY, "--workers", "0"], ["fault", TOY, "--count", "0"],
        ["fault", TOY, "--mode", "flop"], ["fault", TOY, "--seed", "x"], ["fault"], ["leak"],
    ],
)  # fmt: skip
def test_wrong_options_are_refused(ask: list[str], here: Path, capsys: Said) -> None:
    with pytest.raises(SystemExit) as ended:
        main(ask)
    assert ended.value.code == 2
    assert f"ecsm {ask[0]}: error: " in capsys.readouterr().err
    assert not here.exists()


@pytest.mark.parametrize("command", ["leak", "fault"])
def test_a_cluster_that_is_not_there_is_one_line(
    command: str, here: Path, tmp_path: Path, capsys: Said
) -> None:
    results = tmp_path / "results"
    ask = [command, TOY, "--scheduler", "a-host-without-port", "--results", str(results)]
    assert main(ask) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("[")]
    assert len(said) == 1
    assert "no Dask cluster at a-host-without-port" in said[0]
    assert not results.exists()
