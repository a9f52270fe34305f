# SPDX-License-Identifier: Apache-2.0
"""Kept evidence is read as it was written; what does not follow from its counts is damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ecsm.evidence.campaigns.fault import Faults
from ecsm.evidence.campaigns.leak import Leak
from ecsm.evidence.kept import load_evidence
from ecsm.evidence.proof import Proven
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult

LEAK, FAULT, PROVE = "leak/b163-small.scalar", "fault/b163-small.flip", "prove/b163-small"
SIGNATURE = "fault/schemes-b163-small.flip"
KINDS: dict[str, Any] = {"leak": Leak, "fault": Faults, "prove": Proven}


def read(file: Path) -> Leak | Faults | Proven:
    """Return the evidence of a file, by the folder that it is in."""
    found: Leak | Faults | Proven = load_evidence(KINDS[file.parent.name], file)
    return found


QUIET = {"place": "state_q", "cycle": 1, "phase": "load", "again": True}


@pytest.mark.parametrize("folder", KINDS)
def test_the_evidence_of_the_package_is_sound(folder: str) -> None:
    files = sorted((RESULTS / folder).glob("*.json"))
    assert files
    for file in files:
        assert read(file).preset == file.name.split(".")[0]


def put(*path: str | int, value: Any) -> Callable[[Any], None]:
    """Return what puts a value into a result."""

    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return edit


EDITS = [
    (LEAK, put("preset", value="b163-fast"), "it is of b163-fast, scalar"),
    (LEAK, put("vary", value="point"), "it is of b163-small, point"),
    (LEAK, put("traces", value=0), "no campaign has these traces"),
    (LEAK, put("threshold", value=900.0), "the threshold is not that of its cycles"),
    (LEAK, put("first", value={"worst": 2.0, "over": 5}), "first: the cycles over"),
    (LEAK, put("null_second", value={"worst": 99.0, "over": 0}), "null_second: the cycles over"),
    (LEAK, put("second", "over", value=10**6), "second: the cycles over"),
    (LEAK, put("single", "accuracy", value=0.5), "single: a share or a bound"),
    (LEAK, put("single", "high", value=1.0), "single: a share or a bound"),
    (LEAK, put("single", "bits", value=0), "single: a share or a bound"),
    (LEAK, put("single", "bits", value="many"), "leak.single.bits is str, not int"),
    (LEAK, put("noise", value=1), "noise is unknown"),
    (FAULT, put("mode", value="flop"), "it is of b163-small, flop"),
    (FAULT, put("wrong", "hits", value=1), "wrong with status ok: a share or a bound"),
    (FAULT, put("outcomes", 0, "share", value=0.99), "right: a share or a bound"),
    (FAULT, put("outcomes", 0, "name", value="good"), "its outcomes are others"),
    (FAULT, lambda d: d["outcomes"].pop(), "its outcomes are others"),
    (FAULT, lambda d: d["wrong"].update(d["outcomes"][0]), "wrong is not the sum of its kinds"),
    (FAULT, lambda d: d["phases"].pop(), "its parts are not of all faults"),
    (FAULT, put("cycles", value=-1), "no core has these cycles"),
    (FAULT, put("silent", value=[QUIET]), "what is shown is not of those without an answer"),
    (SIGNATURE, put("preset", value="b163-small"), "it is of b163-small, flip"),
    (SIGNATURE, put("outcomes", 1, "name", value="right, late"), "its outcomes are others"),
    (SIGNATURE, put("wrong", "hits", value=1), "wrong with status ok: a share or a bound"),
    (SIGNATURE, lambda d: d["wrong"].update(d["outcomes"][0]), "wrong is not the sum of its kinds"),
    (PROVE, put("preset", value="b163-fast"), "it is of b163-fast"),
    (PROVE, put("proofs", value=[]), "it has no proofs"),
    (PROVE, put("proofs", 0, "faults", value=0), "multiplier: no proof has these faults"),
    (PROVE, put("proofs", 0, "found", value=6), "multiplier: no proof has these faults"),
]


@pytest.mark.parametrize(("name", "edit", "complaint"), EDITS, ids=[c for _, _, c in EDITS])
def test_an_edited_result_is_damaged(
    name: str, edit: Callable[[Any], None], complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / f"{name}.json"
    file.parent.mkdir()
    shutil.copyfile(RESULTS / f"{name}.json", file)
    read(file)
    data = json.loads(file.read_text())
    edit(data)
    file.write_text(json.dumps(data))
    with pytest.raises(DamagedResult) as damaged:
        read(file)
    assert str(file) in str(damaged.value)
    assert complaint in str(damaged.value)


def held(data: Any) -> None:
    """Let a word engine's kP have cycles that hold the secret: those of loading."""
    for w in data["words"]:
        w["holds"] = w["failures"] = w["over"] if w["name"].startswith("load") else 0
    failures = sum(w["failures"] for w in data["words"])
    exempt = data["first"]["over"] - failures
    each = {"name": "mask", "where": "scalar: k", "reason": "random"}
    assumed = [each | {"without": failures + 9}, each | {"without": None}]
    data["taint"] = {
        "holds": failures + 3, "failures": failures, "exempt": exempt, "blinded": 2,
        "assumed": assumed,
    }  # fmt: skip


HELD = [
    put("taint", "exempt", value=4),
    put("taint", "failures", value=-1),
    put("taint", "holds", value=6),
    put("taint", "blinded", value=10**5),
    put("taint", "assumed", 0, "without", value=7),
    put("taint", "assumed", 0, "without", value=10**6),
    put("words", 0, "failures", value=10**5),
    put("words", 0, "holds", value=10**5),
    put("words", 0, "holds", value=None),
]


@pytest.mark.parametrize("edit", HELD)
def test_cycles_that_hold_a_secret_add_up(edit: Callable[[Any], None], tmp_path: Path) -> None:
    file = tmp_path / "leak" / "word-p256.scalar.json"
    file.parent.mkdir()
    data = json.loads((RESULTS / "leak" / file.name).read_text())
    held(data)
    file.write_text(json.dumps(data))
    assert read(file).preset == "word-p256"
    edit(data)
    file.write_text(json.dumps(data))
    with pytest.raises(DamagedResult, match="taint: its cycles are not those of the trace"):
        read(file)
