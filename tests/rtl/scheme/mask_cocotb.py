# SPDX-License-Identifier: Apache-2.0
"""Behaviour of scheme_mask between a generator, a program and a core; run by test_mask.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

MASKED = os.environ.get("MASKED") == "1"
INPUTS = (
    "clear", "command", "core", "in_valid", "in_data", "in_bytes", "out_ready", "random_ready",
)  # fmt: skip


class Bench:
    """The unit's clock, a generator in front of it, a program and a core behind it."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(2)

    async def begin(self) -> Bench:
        for name in INPUTS:
            getattr(self.dut, f"{name}_i").value = 0
        self.dut.rst_ni.value = 0
        await self.cycle()
        self.dut.rst_ni.value = 1
        return self

    async def cycle(self, **inputs: int) -> dict[str, int]:
        """Let a cycle pass; return the outputs that it had."""
        for name in INPUTS:
            getattr(self.dut, f"{name}_i").value = inputs.get(name, 0)
        self.dut.clk_i.value = 0
        await Timer(1, "step")
        names = ("in_ready_o", "out_valid_o", "random_valid_o", "random_o")
        seen = {name: int(getattr(self.dut, name).value) for name in names}
        self.dut.clk_i.value = 1
        await Timer(1, "step")
        return seen

    async def draw(self, octets: bytes, core: int) -> tuple[bytes, list[int]]:
        """Send a draw; return what the program got and what the core got."""
        program, at = b"", 0
        words: list[int] = []
        await self.cycle(command=1, core=core)
        for _ in range(60 * len(octets)):
            if at >= len(octets):
                return program, words
            part = octets[at : at + 8]
            ready = {name: self.rng.getrandbits(1) for name in ("out_ready", "random_ready")}
            word = int.from_bytes(part.ljust(8, b"\0"), "big")
            valid = self.rng.getrandbits(1)
            seen = await self.cycle(in_valid=valid, in_data=word, in_bytes=len(part), **ready)
            if not valid:
                assert not seen["out_valid_o"]
                assert not seen["random_valid_o"]
                continue
            assert seen["out_valid_o"] + seen["random_valid_o"] == 1
            if seen["out_valid_o"] and ready["out_ready"]:
                program += part
            if seen["random_valid_o"] and ready["random_ready"]:
                words.append(seen["random_o"])
            else:
                assert seen["random_valid_o"] or not seen["random_o"]
            at += len(part) if seen["in_ready_o"] else 0
        raise AssertionError("it takes no more")


@cocotb.test()
async def test_each_draw_goes_to_one(dut: Any) -> None:
    """Every octet once, in order; the core gets words of 32 bits, the last one with zeros."""
    bench = await Bench(dut).begin()
    for _ in range(200):
        octets = bench.rng.randbytes(bench.rng.randrange(1, 61))
        core = bench.rng.getrandbits(1)
        program, words = await bench.draw(octets, core)
        if core and MASKED:
            padded = octets.ljust(-(-len(octets) // 4) * 4, b"\0")
            parts = [padded[i : i + 4] for i in range(0, len(padded), 4)]
            assert (program, words) == (b"", [int.from_bytes(p, "big") for p in parts])
        else:
            assert (program, words) == (octets, [])


@cocotb.test()
async def test_a_clear_forgets(dut: Any) -> None:
    """Behind a clear the next word is the program's, and the core's next one begins above."""
    bench = await Bench(dut).begin()
    if not MASKED:
        return
    word = {"in_valid": 1, "in_data": 0x1122334455667788, "in_bytes": 8}
    await bench.cycle(command=1, core=1)
    seen = await bench.cycle(**word, random_ready=1)
    assert (seen["random_valid_o"], seen["random_o"]) == (1, 0x11223344)
    await bench.cycle(clear=1)
    assert not int(dut.u_mask.gen_masked.core_q.value)
    seen = await bench.cycle(**word)
    assert (seen["out_valid_o"], seen["random_valid_o"]) == (1, 0)
    await bench.cycle(command=1, core=1)
    seen = await bench.cycle(**word)
    assert seen["random_o"] == 0x11223344
