# SPDX-License-Identifier: Apache-2.0
"""Exactly once, proven by induction: see farm_proof.sv for what is proven and what is assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from tests.rtl.attach.induction import prove

PROOF = Path(__file__).with_name("farm_proof.sv")
MODULES = ("ecsm_slot", "ecsm_round_robin", "ecsm_farm")


@pytest.mark.parametrize("engines", [1, 2, 3])
def test_every_job_is_answered_exactly_once(engines: int, tmp_path: Path) -> None:
    prove(PROOF, f"N={engines}", MODULES, tmp_path)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("ecsm_farm", "move = ~valid_q | rsp_ready_i", "move = 1'b1"),
        ("ecsm_farm", "engine_req_ready_i & ~waiting", "engine_req_ready_i | waiting"),
        ("ecsm_farm", " & ~finished[i] & ~zeroize_i", " & ~finished[i]"),
        ("ecsm_round_robin", "others = candidate_i & ~chosen_q", "others = candidate_i"),
        ("ecsm_slot", "full_q <= ~clear_i & (", "full_q <= ("),
    ],
    ids=["answer-lost", "two-in-a-slot", "load-in-zeroize", "chosen-twice", "left-by-zeroize"],
)
def test_a_fault_breaks_the_proof(module: str, old: str, new: str, tmp_path: Path) -> None:
    with pytest.raises(FlowError, match="proof did fail"):
        prove(PROOF, "N=2", MODULES, tmp_path, module, old, new)
