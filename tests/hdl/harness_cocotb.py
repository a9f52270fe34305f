# SPDX-License-Identifier: Apache-2.0
"""A kP through the serial pins of a harness; run by test_harness.py."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.cores.store import binary_design
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS
from ecsm.hdl.vectors import Case, Oracle, edge_cases

DESIGN = binary_design(os.environ["PRESET"])
P = DESIGN.preset
TAG = 0xA5
INPUTS = ("zeroize_i", "shift_i", "serial_i", "req_valid_i", "rsp_ready_i")


async def cycle(dut: Any, **pins: int) -> dict[str, int]:
    """Run a cycle with the named inputs high or low, the others low; return the outputs."""
    dut.clk_i.value = 0
    for name in INPUTS:
        getattr(dut, name).value = pins.get(name, 0)
    await Timer(1, "ns")
    dut.clk_i.value = 1
    await Timer(1, "ns")
    return {n: int(getattr(dut, n).value) for n in ("req_ready_o", "rsp_valid_o", "serial_o")}


def request(case: Case) -> str:
    """Return the bits of a request, the first first."""
    fields = ((case.op, 4), (case.k, P.m), (case.x, P.coordinate_bits),
              (case.y, P.coordinate_bits), (int(case.infinity), 1), (TAG, TAG_BITS))  # fmt: skip
    return "".join(f"{value:0{width}b}" for value, width in fields)


async def answer(dut: Any, case: Case) -> tuple[int, ...]:
    """Send a case through the pins; return status, x, y, infinity, tag and cycles."""
    for bit in request(case):
        await cycle(dut, shift_i=1, serial_i=int(bit))
    await cycle(dut)  # the last bit is on its way
    await cycle(dut, req_valid_i=1)
    for _ in range(DESIGN.microcode.cycles + 10):
        if (await cycle(dut))["rsp_valid_o"]:
            break
    else:
        raise AssertionError("no response")
    await cycle(dut, rsp_ready_i=1)
    await cycle(dut)
    widths = (4, P.coordinate_bits, P.coordinate_bits, 1, TAG_BITS, CYCLE_BITS)
    bits = ""
    for _ in range(sum(widths) + 2):
        bits += str((await cycle(dut, shift_i=1))["serial_o"])
    # The first bit stands at the end already; the pin's register and shift_i's come after it.
    bits = bits[1:]
    values = []
    for width in widths:
        values.append(int(bits[:width], 2))
        bits = bits[width:]
    return tuple(values)


@cocotb.test()
async def every_edge_case_is_answered(dut: Any) -> None:
    dut.rst_ni.value = 0
    await cycle(dut)
    dut.rst_ni.value = 1
    await cycle(dut)
    oracle = Oracle(P)
    for case in edge_cases(P):
        want = oracle.answer(case)
        x, y = want.point or (0, 0)
        got = await answer(dut, case)
        expected = (want.status, x, y, int(want.infinity), TAG, DESIGN.microcode.cycles)
        assert got == expected, f"{case.name}: {got}, not {expected}"
