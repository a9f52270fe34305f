# SPDX-License-Identifier: Apache-2.0
"""ecsm_sequencer against its model: see sequencer_cocotb.py for what is asserted."""

from __future__ import annotations

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run
from tests.rtl.common.sequencers import (
    Program,
    programs_to_json,
    random_programs,
    sequencer_top,
)

CORNERS = (
    Program((1, 2), (0, 0)),
    Program((1, 2), (3, 0)),
    Program((1, 2), (0, 3)),
    Program((1, 2), (0, 0), first=1, last=1, count=9),
    Program((1, 2), (2, 1), first=0, last=1, count=3),
    Program((1, 2, 3, 4), (0, 0, 0, 0), first=1, last=3, count=2),
    Program((1, 2, 3, 4), (0, 1, 0, 7), first=2, last=2, count=16),
    Program(tuple(range(16)), (0,) * 16, first=1, last=15, count=4),
    Program(tuple(range(17)), (0,) * 16 + (1,), first=15, last=16, count=5),
)


def check(programs: list[Program]) -> None:
    run(
        "sequencer_group",
        [rtl_file("ecsm_sequencer")],
        "tests.rtl.common.sequencer_cocotb",
        text=sequencer_top(programs),
        env={"PROGRAMS": programs_to_json(programs)},
    )


def test_corner_and_random_programs() -> None:
    check([*CORNERS, *random_programs(15, seed=1)])
