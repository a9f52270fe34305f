# SPDX-License-Identifier: Apache-2.0
"""Drives RTL and its cells with the same values; run by test_cell_models.py."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

FILL = 1024  # cycles that write every word of every memory
CYCLES = 4000


@cocotb.test()
async def cells_and_rtl_agree(dut: Any) -> None:
    """Every memory is filled, then written and read at random; outputs agree in every cycle."""
    rng = random.Random(1)
    for i in range(CYCLES):
        dut.we_i.value = int(i < FILL or rng.random() < 0.5)
        dut.read_i.value = i if i < FILL else rng.getrandbits(10)
        dut.write_i.value = i if i < FILL else rng.getrandbits(10)
        dut.d_i.value = rng.getrandbits(36)
        dut.clk_i.value = 0
        await Timer(1, "ns")
        dut.clk_i.value = 1
        await Timer(1, "ns")
        if i >= FILL:
            assert dut.rtl_o.value == dut.gates_o.value, f"RTL and cells differ in cycle {i}"
