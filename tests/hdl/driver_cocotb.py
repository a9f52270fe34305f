# SPDX-License-Identifier: Apache-2.0
"""What a package's driver says of registers that go wrong; run by test_cocotb.py."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from ecsm.hdl.ecsm_cocotb import CoreRegisters, EcsmError, NoAnswer, Refused, start


async def driver(dut: Any) -> CoreRegisters:
    import ecsm_package  # type: ignore[import-not-found]  # of the package that is tried

    found: CoreRegisters = await start(dut, ecsm_package)
    return found


@cocotb.test()
async def refusals_are_exceptions(dut: Any) -> None:
    core = await driver(dut)
    assert await core.read("ID") == int.from_bytes(b"ECSM", "big")
    with pytest.raises(Refused, match="writing 0x000 is refused"):
        await core.write("ID", 1)
    with pytest.raises(Refused, match="reading 0x044 is refused"):
        await core.read("COMMAND")
    assert await core.read("ERROR") == 1
    with pytest.raises(EcsmError, match="has no register NONE"):
        await core.read("NONE")
    with pytest.raises(ValueError, match="k has more than"):
        await core.multiply(1 << 32, None)
    with pytest.raises(ValueError, match="SCALAR has more than 5 bits"):
        await core.put("SCALAR", 1 << 5, 5)
    await core.zeroize()


@cocotb.test()
async def what_never_answers_is_told(dut: Any) -> None:
    core = await driver(dut)
    core.master.patience = 20
    dut.rst_ni.value = 0
    with pytest.raises(NoAnswer, match="no answer from 0x000 in 20 cycles"):
        await core.read("ID")


@cocotb.test()
async def an_access_that_is_given_up_is_not_the_next_one(dut: Any) -> None:
    """Behind a reset, and behind a task that was cancelled in each of its cycles."""
    core = await driver(dut)
    version = await core.read("VERSION")
    core.master.patience = 20
    for cycles in range(1, 6):
        dut.rst_ni.value = 0
        with pytest.raises(NoAnswer):
            await core.read("ID")
        dut.rst_ni.value = 1
        await ClockCycles(dut.clk_i, cycles)
        assert await core.read("VERSION") == version
    for cycles in range(1, 6):
        task = cocotb.start_soon(core.read("ID"))
        await ClockCycles(dut.clk_i, cycles)
        task.cancel()
        assert await core.read("VERSION") == version


@cocotb.test()
async def a_pause_before_each_access(dut: Any) -> None:
    core = await driver(dut)
    gaps = iter((3, 0, 5, 1))
    core.master.gap = lambda: next(gaps)
    for _ in range(4):
        assert await core.read("ID") == int.from_bytes(b"ECSM", "big")
    assert next(gaps, None) is None
