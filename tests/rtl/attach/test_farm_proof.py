# SPDX-License-Identifier: Apache-2.0
"""Exactly once, proven by induction: see farm_proof.sv for what is proven and what is assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from ecsm.hdl.files import RTL
from tests.rtl.common.netlist import yosys

PROOF = Path(__file__).with_name("farm_proof.sv")
ATTACH = RTL / "attach"
MODULES = ("ecsm_slot", "ecsm_round_robin", "ecsm_farm")


def prove(engines: int, folder: Path, changed: str = "", old: str = "", new: str = "") -> None:
    """Prove the invariant for all inputs and all reachable states; raises FlowError if it fails.

    In the module ``changed`` the text ``old`` is replaced first.
    """
    for name in MODULES:
        text = (ATTACH / f"{name}.sv").read_text("utf-8")
        if name == changed:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / f"{name}.sv").write_text(text, encoding="utf-8")
    files = " ".join([*(f"{name}.sv" for name in MODULES), str(PROOF)])
    yosys(
        folder,
        f"read_slang --top farm_proof -G N={engines} {files}",
        "proc",
        "flatten",
        "async2sync",
        "opt",
        "techmap",
        "opt -fast",
        # The invariant holds after the reset, and one step after wherever it holds.
        "sat -tempinduct -seq 1 -maxsteps 1 -set allowed_o 1 -prove holds_o 1 -verify",
    )


@pytest.mark.parametrize("engines", [1, 2, 3])
def test_every_job_is_answered_exactly_once(engines: int, tmp_path: Path) -> None:
    prove(engines, tmp_path)


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
        prove(2, tmp_path, module, old, new)
