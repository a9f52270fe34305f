# SPDX-License-Identifier: Apache-2.0
"""Jobs through ecsm_front: statuses, cycles, clearing, faults, randomness; every protection."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from ecsm.status import Status
from tests.rtl.common.clocked import Clocked

PROTECT = os.environ["FRONT_PROTECT"]
CYCLES = 1 + 1 + 5 * 2 + 1  # the request, and words 0, 1 and 2 five times, 3
IDLE = {
    "zeroize": 0, "req_valid": 0, "req_op": 0, "req_infinity": 0, "rsp_ready": 0, "fault": 0,
    "random_valid": 0, "curve": 1, "odd": 1, "zero": 0, "req_x": 0, "req_y": 0, "req_tag": 0,
    "result_x": 0x5A, "result_y": 0xC3, "result": 1, "flip": 0, "found": 0,
}  # fmt: skip
SEEN = (
    "req_ready", "rsp_valid", "rsp_infinity", "random_ready", "take", "clear", "flush",
    "rsp_status", "rsp_x", "rsp_y", "rsp_tag", "rsp_cycles",
)  # fmt: skip


async def ready(dut: Any) -> Clocked:
    """Return a bench whose front is idle and clear."""
    bench = Clocked(dut, tuple(IDLE), SEEN)
    await bench.begin()
    for _ in range(3):
        await bench.cycle(**IDLE)
    return bench


async def job(
    bench: Clocked, at: int = -1, change: dict[str, int] | None = None, /, **request: int
) -> dict[str, int]:
    """Run a job; return what is seen in the first cycle with a response.

    ``change``: what inputs have in cycle ``at``.
    """
    offered = IDLE | {"req_valid": 1, "random_valid": 1} | request
    seen = await bench.cycle(**offered)
    assert seen["req_ready"] == seen["take"] == 1
    assert seen["random_ready"] == (PROTECT == "Full")
    held = IDLE | {k: v for k, v in request.items() if k in ("curve", "odd", "zero", "result")}
    for t in range(1, CYCLES):
        seen = await bench.cycle(**held | ((change or {}) if t == at else {}))
        assert (seen["rsp_valid"], seen["req_ready"], seen["rsp_x"], seen["rsp_status"]) == (
            0, 0, 0, 0,
        )  # fmt: skip
    seen = await bench.cycle(**held)
    assert seen["rsp_valid"] == 1
    assert seen["rsp_cycles"] == CYCLES
    return seen


async def answered(bench: Clocked) -> None:
    """Accept the response; the front clears two ranks, then it is ready."""
    await bench.cycle(**IDLE | {"rsp_ready": 1})
    for _ in range(2):
        seen = await bench.cycle(**IDLE | {"random_valid": 1})
        assert (seen["req_ready"], seen["rsp_valid"], seen["clear"], seen["flush"]) == (0, 0, 1, 1)
        assert (seen["rsp_tag"], seen["rsp_cycles"], seen["rsp_x"]) == (0, 0, 0)
    seen = await bench.cycle(**IDLE | {"random_valid": 1})
    assert (seen["req_ready"], seen["clear"]) == (1, 0)


@cocotb.test()
async def statuses_have_their_priority(dut: Any) -> None:
    """Unsupported, out of range, not on the curve, low order, infinity, a point."""
    bench = await ready(dut)
    wrong = [
        ({"req_op": 1}, Status.UNSUPPORTED),
        ({"req_x": 1 << 8}, Status.COORDINATE_OUT_OF_RANGE),
        ({"curve": 0}, Status.POINT_NOT_ON_CURVE),
        ({"odd": 0}, Status.LOW_ORDER_POINT),
        ({"zero": 1}, Status.OK),
        ({}, Status.OK),
    ]
    for first in range(len(wrong)):
        request = {k: v for change, _ in wrong[first:] for k, v in change.items()}
        seen = await job(bench, req_tag=first + 1, **request)
        status = wrong[first][1]
        assert (seen["rsp_status"], seen["rsp_tag"]) == (status, first + 1)
        assert seen["rsp_infinity"] == int(status is Status.OK and "zero" in request)
        assert (seen["rsp_x"], seen["rsp_y"]) == (0x5A, 0xC3)  # the engine's, which gates them
        await answered(bench)


@cocotb.test()
async def an_infinite_point_is_on_every_curve(dut: Any) -> None:
    """Its coordinates are ignored, and so is what the flags say."""
    bench = await ready(dut)
    seen = await job(bench, req_infinity=1, req_x=1 << 9, curve=0, odd=0)
    assert (seen["rsp_status"], seen["rsp_infinity"]) == (Status.OK, 1)


@cocotb.test()
async def a_fault_ends_a_protected_job_without_a_result(dut: Any) -> None:
    """In any cycle of the job; the next job knows nothing of it."""
    bench = await ready(dut)
    for at in range(1, CYCLES):
        seen = await job(bench, at, {"fault": 1}, req_op=at & 1)
        if PROTECT == "None":
            assert seen["rsp_status"] == (Status.UNSUPPORTED if at & 1 else Status.OK)
        else:
            assert (seen["rsp_status"], seen["rsp_infinity"]) == (Status.FAULT_DETECTED, 0)
            assert (seen["rsp_x"], seen["rsp_y"]) == (0, 0)
        await answered(bench)
    assert (await job(bench))["rsp_status"] == Status.OK


@cocotb.test()
async def a_test_is_decoded_twice(dut: Any) -> None:
    """One more or one less than the second sequencer has is a fault, in the last cycle, too."""
    bench = await ready(dut)
    for at in range(1, CYCLES):
        for i in range(3):
            for found in (0, 7):
                seen = await job(bench, at, {"flip": 1 << i, "found": found})
                wrong = PROTECT != "None"
                assert seen["rsp_status"] == (Status.FAULT_DETECTED if wrong else Status.OK)
                assert seen["rsp_x"] == (0 if wrong else 0x5A)
                await answered(bench)


@cocotb.test()
async def a_result_that_is_not_on_the_curve_does_not_leave(dut: Any) -> None:
    """Of an affine point alone the equation is asked for."""
    bench = await ready(dut)
    for request, other in (
        ({}, None), ({"zero": 1}, Status.OK), ({"req_infinity": 1}, Status.OK),
        ({"curve": 0}, Status.POINT_NOT_ON_CURVE), ({"req_op": 1}, Status.UNSUPPORTED),
    ):  # fmt: skip
        seen = await job(bench, result=0, **request)
        judged = other is None and PROTECT != "None"
        assert seen["rsp_status"] == (Status.FAULT_DETECTED if judged else other or Status.OK)
        assert (seen["rsp_x"], seen["rsp_y"]) == ((0, 0) if judged else (0x5A, 0xC3))
        await answered(bench)


@cocotb.test()
async def a_late_fault_takes_the_result_back(dut: Any) -> None:
    """A fault while the response waits: from the next cycle on there is no result."""
    bench = await ready(dut)
    await job(bench)
    await bench.cycle(**IDLE | {"fault": 1})
    seen = await bench.cycle(**IDLE)
    want = (0x5A, Status.OK) if PROTECT == "None" else (0, Status.FAULT_DETECTED)
    assert (seen["rsp_x"], seen["rsp_status"]) == want


@cocotb.test()
async def full_protection_waits_for_randomness(dut: Any) -> None:
    """Without random bits nothing is accepted, and nothing starts."""
    bench = await ready(dut)
    for _ in range(CYCLES + 3):
        seen = await bench.cycle(**IDLE | {"req_valid": int(PROTECT == "Full")})
        assert seen["req_ready"] == (PROTECT != "Full")
        assert (seen["random_ready"], seen["rsp_valid"]) == (0, 0)
    assert (await job(bench))["rsp_status"] == Status.OK


@cocotb.test()
async def zeroize_drops_a_job_in_any_cycle(dut: Any) -> None:
    """Nothing is answered; after clearing, the next job is as ever."""
    bench = await ready(dut)
    rng = random.Random(4)
    for at in range(CYCLES + 1):
        offered = IDLE | {"req_valid": 1, "random_valid": 1, "req_tag": rng.randrange(256)}
        for t in range(at + 1):
            await bench.cycle(**(offered if t == 0 else IDLE) | {"zeroize": int(t == at)})
        for _ in range(2):
            seen = await bench.cycle(**IDLE)
            assert (seen["clear"], seen["rsp_valid"], seen["rsp_tag"]) == (1, 0, 0)
        seen = await bench.cycle(**IDLE | {"random_valid": 1})
        assert seen["req_ready"] == 1
        assert (await job(bench))["rsp_status"] == Status.OK
        await answered(bench)
