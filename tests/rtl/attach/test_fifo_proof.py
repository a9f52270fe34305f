# SPDX-License-Identifier: Apache-2.0
"""Nothing stays of a word in a queue, proven by induction: see fifo_proof.sv."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from ecsm.hdl.files import RTL
from tests.rtl.common.netlist import yosys

PROOF = Path(__file__).with_name("fifo_proof.sv")
FIFO = RTL / "attach/ecsm_axil_fifo.sv"


def prove(depth: int, folder: Path, old: str = "", new: str = "") -> None:
    """Prove the invariant for all inputs and all reachable states; raises FlowError if it fails.

    The text ``old`` of the queue is replaced first.
    """
    text = FIFO.read_text("utf-8")
    if old:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / FIFO.name).write_text(text, encoding="utf-8")
    yosys(
        folder,
        f"read_slang --top fifo_proof -G Depth={depth} {FIFO.name} {PROOF}",
        "proc",
        "flatten",
        "memory",
        "async2sync",
        "opt",
        "techmap",
        "opt -fast",
        # The invariant holds after the reset, and one step after wherever it holds.
        "sat -tempinduct -seq 1 -maxsteps 1 -set allowed_o 1 -prove holds_o 1 -verify",
    )


@pytest.mark.parametrize("depth", [2, 4, 8])
def test_nothing_stays_of_a_word(depth: int, tmp_path: Path) -> None:
    prove(depth, tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scrub_q <= '0;", "scrub_q <= CountW'(Depth);"),
        ("~put & scrub_q != pop_q", "~put & ~clear_i & scrub_q != pop_q"),
        ("put ? data_i : '0", "data_i"),
        ("room_o = CountW'(Depth) - (put_q - scrub_q)", "room_o = CountW'(Depth) - count_o"),
    ],
    ids=["left-by-reset", "left-by-clear", "not-zero", "room-too-early"],
)
def test_a_fault_breaks_the_proof(old: str, new: str, tmp_path: Path) -> None:
    with pytest.raises(FlowError, match="proof did fail"):
        prove(4, tmp_path, old, new)
