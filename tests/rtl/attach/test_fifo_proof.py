# SPDX-License-Identifier: Apache-2.0
"""Nothing stays of a word in a queue, proven by induction: see fifo_proof.sv."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from tests.rtl.attach.induction import prove

PROOF = Path(__file__).with_name("fifo_proof.sv")
FIFO = "ecsm_block_fifo"


@pytest.mark.parametrize("depth", [2, 4, 8])
def test_nothing_stays_of_a_word(depth: int, tmp_path: Path) -> None:
    prove(PROOF, f"Depth={depth}", (FIFO,), tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scrub_q <= '0;", "scrub_q <= CountW'(Depth);"),
        ("~put & scrub_q != pop_q", "~put & ~clear_i & scrub_q != pop_q"),
        ("put ? data_i : '0", "data_i"),
        ("room_o = (scrub_q - put_q) ^ CountW'(Depth)", "room_o = CountW'(Depth) - count_o"),
    ],
    ids=["left-by-reset", "left-by-clear", "not-zero", "room-too-early"],
)
def test_a_fault_breaks_the_proof(old: str, new: str, tmp_path: Path) -> None:
    with pytest.raises(FlowError, match="proof did fail"):
        prove(PROOF, "Depth=4", (FIFO,), tmp_path, FIFO, old, new)
