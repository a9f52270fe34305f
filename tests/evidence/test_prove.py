# SPDX-License-Identifier: Apache-2.0
"""The command that proves: every proof of a preset, or those asked for."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.evidence import proofs
from ecsm.evidence.multiplier import NETLISTS
from ecsm.evidence.proof import NAMES, Proof, Proven
from ecsm.report import security
from ecsm.results.evidence import prove_path
from ecsm.results.record import load
from ecsm.results.sources import current_digest


def test_every_proof_of_a_core(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "toy7-fast", "--json", "--faults", "3"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["preset"] == "toy7-fast"
    here = [n for n in NAMES if n not in ("adder", "reducer", "division")]
    assert [q["name"] for q in data["proofs"]] == ["multiplier", *here]
    assert [q["netlist"] for q in data["proofs"][:2]] == list(NETLISTS)
    assert all(q["holds"] and q["found"] == q["faults"] == 3 for q in data["proofs"])
    assert set(data["missing"]) == set(NAMES) - set(here)


def test_a_result_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all proofs of a preset; with ``--only`` nothing is."""
    results = ["--results", str(tmp_path)]
    assert main(["prove", "toy7-small", "--only", "cones", *results]) == 0
    assert list(tmp_path.iterdir()) == []
    capsys.readouterr()
    assert main(["prove", "toy7-small", "--faults", "3", "--json", *results]) == 0
    printed = json.loads(capsys.readouterr().out)
    kept = load(Proven, prove_path("toy7-small", tmp_path))
    assert kept is not None
    assert kept.holds
    assert kept.origin.rtl == current_digest("toy7-small")
    assert kept.origin.command == "ecsm prove toy7-small --faults 3"
    assert [q.claim for q in kept.proofs] == [q["claim"] for q in printed["proofs"]]


@pytest.mark.parametrize("name", ["word-p256", "word-dual", "b163-small"])
def test_a_proof_that_is_kept_is_of_what_the_page_looks_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word engine's is of its tables, too."""
    monkeypatch.setattr("ecsm.evidence.proofs.prove", lambda *_: iter(()))
    assert main(["prove", name, "--results", str(tmp_path)]) == 0
    kept = load(Proven, prove_path(name, tmp_path))
    assert kept is not None
    assert kept.origin.rtl == security._digest(name)


def test_a_line_for_each_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "toy7-small", "--only", "latency", "--only", "cones"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if not line.startswith("  ")]
    assert [line.split(",")[1].strip() for line in told] == ["latency", "cones"]
    assert "every job ends after exactly 207 cycles" in told[0]
    assert "proven (" in told[0]
    assert "5 of 5 seeded faults found" in told[1]


@pytest.mark.parametrize(
    ("name", "without"),
    [("b163-small", "adder reducer division"), ("p256-small", "engine"),
     ("toyp8-b", "engine cones latency answers"),
     ("b163-halving", "multiplier adder reducer division engine")],
)  # fmt: skip
def test_what_there_is_no_proof_of_is_said(
    name: str, without: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(proofs.missing(name)) == without.split()
    for proof in without.split():
        assert main(["prove", name, "--only", proof]) == 2
        assert f"{name}, {proof}: " in capsys.readouterr().err


def test_a_claim_that_does_not_hold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Proof("cones", "no secret", "rtl", 7, "req_x_i reaches rsp_valid_o", 5, 0)
    blind = Proof("cones", "no secret", "rtl", 7, "", 5, 4)
    for proof, told in ((wrong, "req_x_i reaches rsp_valid_o"), (blind, "was not found")):
        assert not proof.holds
        monkeypatch.setattr(proofs.Whole, "prove", lambda *_, found=proof: found)
        assert main(["prove", "toy7-small", "--only", "cones"]) == 1
        assert told in capsys.readouterr().out


class Gone(io.TextIOBase):
    """Standard output whose reader has gone."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize(("found", "code"), [(5, 0), (4, 1)])
def test_the_verdict_does_not_need_a_reader(
    form: list[str], found: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every proof is made, and the result kept, also when ``head`` has read enough."""
    proof = Proof("cones", "no secret", "rtl", 7, "", 5, found)
    monkeypatch.setattr(proofs, "prove", lambda *_: iter([proof, proof]))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Gone())
        assert main(["prove", "toy7-small", "--results", str(tmp_path), *form]) == code
    kept = load(Proven, prove_path("toy7-small", tmp_path))
    assert kept is not None
    assert kept.proofs == [proof, proof]


def test_a_proof_that_is_asked_for_twice_is_made_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "toy7-small", "--only", "cones", "--only", "cones"]) == 0
    assert capsys.readouterr().out.count("toy7-small, cones") == 1


def test_names_that_there_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["prove", "toy7-small", "--only", "leakage"])
    assert stop.value.code == 2
    assert "leakage" in capsys.readouterr().err
    assert main(["prove", "no-such"]) == 2
