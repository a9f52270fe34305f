# SPDX-License-Identifier: Apache-2.0
"""The commands ecsm leak and ecsm fault, on a toy."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm.backend import tool
from ecsm.cli import main
from ecsm.evidence.campaigns.subject import OUTCOMES
from tests.evidence.small import marked

TOY = "toy7-small"
QUICK = ("--traces", "1", "--training", "1", "--bits", "100")
Said = pytest.CaptureFixture[str]
Octets = pytest.CaptureFixture[bytes]


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
    assert told["origin"]["command"] == (
        f"ecsm leak {TOY} --traces 1 --vary scalar --training 1 --bits 100 --seed 1"
    )


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
    assert told["origin"]["command"] == f"ecsm fault {TOY} --count 1 --mode flip --seed 1"


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
        (["leak", TOY, "--vary", ""], f"--vary of {TOY} is scalar or point"),
        (["leak", TOY, "--digits", "1"], f"traces of {TOY} are not cut: it is no word engine"),
        (["fault", TOY, "--mode", "memory"], f"{TOY} has no memory that is written"),
        (["leak", TOY, "--svg", "/no/such/folder/t.svg"], "/no/such/folder"),
        (["leak", "schemes-toy7-small"], "toy7a is too small for schemes"),
        (["leak", "schemes-x25519"], "curve25519 is no Weierstrass curve"),
        (["fault", "schemes-toy7-small"], "toy7a is too small for schemes"),
        (["fault", "schemes-no-such-preset"], "no-such-preset"),
        (["fault", "schemes-"], "no preset"),
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


def test_the_kept_command_makes_the_result_again(here: Path, tmp_path: Path, capsys: Said) -> None:
    """Whatever was asked for: also what is not the default."""
    asked = (
        ["leak", TOY, *QUICK, "--seed", "7"], ["leak", TOY, "--traces", "1", "--vary", "point"],
        ["fault", TOY, "--count", "1", "--mode", "skip", "--seed", "8"],
    )  # fmt: skip
    for ask in asked:
        told = []
        for results in (tmp_path / "first", tmp_path / "again"):
            assert main([*ask, "--json", "--results", str(results)]) == 0
            told.append(json.loads(capsys.readouterr().out))
            program, *ask = told[0]["origin"]["command"].split()
            assert program == "ecsm"
        assert told[0] == told[1]


def test_the_plot_goes_to_standard_output(here: Path, tmp_path: Path, capfdbinary: Octets) -> None:
    ask = ["leak", TOY, "--traces", "1", "--training", "0", "--results", str(tmp_path / "results")]
    assert main([*ask, "--svg", "-"]) == 0
    svg = capfdbinary.readouterr().out.partition(b"</svg>")[0] + b"</svg>"
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert not Path("-").exists()


def test_the_plot_does_not_replace_the_result(here: Path, tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "leak" / f"{TOY}.scalar.json"
    file.parent.mkdir()
    file.write_text("{}")
    ask = ["leak", TOY, *QUICK, "--results", str(tmp_path), "--svg", str(file)]
    assert main(ask) == 2
    assert f"{file} is where the result is kept" in capsys.readouterr().err
    assert file.read_text() == "{}"
    assert not here.exists(), "nothing was begun"


@pytest.mark.parametrize("command", ["prove", "leak", "fault"])
def test_a_tool_that_fails_is_one_line(
    command: str, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    monkeypatch.setattr(tool, "YOSYS", "raise RuntimeError('no such day')\n")
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "empty"))
    assert main([command, TOY, "--results", str(tmp_path / "results")]) == 1
    said = capsys.readouterr()
    (line,) = [line for line in said.err.splitlines() if not line.startswith("[")]
    assert line.startswith("ecsm: RuntimeError: no such day (log: ")
    assert said.out == ""
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("command", ["leak", "fault"])
def test_a_cluster_that_is_not_there_is_one_line(
    command: str, here: Path, tmp_path: Path, capsys: Said
) -> None:
    results = tmp_path / "results"
    ask = [command, TOY, "--scheduler", "tcp://127.0.0.1:1", "--results", str(results)]
    assert main(ask) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("[")]
    assert len(said) == 1
    assert "no Dask cluster at tcp://127.0.0.1:1" in said[0]
    assert not results.exists()
