# SPDX-License-Identifier: Apache-2.0
"""Jobs that nobody waits for any more, by ports of their own; run by test_cocotb.py."""

from __future__ import annotations

import hashlib
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from ecsm.hdl.ecsm_cocotb import NoAnswer, start

POINT = (0x2B, 0x66)  # of toy7a


async def cancelled(job: Any, clock: Any, cycles: int) -> None:
    """Begin a job, and cancel its task."""
    task = cocotb.start_soon(job)
    await ClockCycles(clock, cycles)
    task.cancel()


async def reset(dut: Any) -> None:
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 3)


@cocotb.test()
async def the_next_job_has_its_own_answer(dut: Any) -> None:
    import ecsm_package  # type: ignore[import-not-found]  # of the package that is tried

    found = await start(dut, ecsm_package)
    if ecsm_package.SCHEMES:
        for cycles in (2, 20, 200):
            await cancelled(found.run("sha256", bytes(200)), dut.clk_i, cycles)
            await reset(dut)
            answer = await found.run("sha256", b"abc")
            assert answer.strings == [hashlib.sha256(b"abc").digest()]
        return
    five = await found.multiply(5, POINT)
    for cycles in (1, 2, 3, 5, 8, 13, 21, 34):
        await cancelled(found.multiply(3, POINT), dut.clk_i, cycles)
        assert await found.multiply(5, POINT) == five
    for cycles in (8, 13):
        task = cocotb.start_soon(found.multiply(3, POINT))
        await ClockCycles(dut.clk_i, cycles)
        await reset(dut)
        with pytest.raises(NoAnswer):
            await task
        assert await found.multiply(5, POINT) == five
