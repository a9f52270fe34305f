# SPDX-License-Identifier: Apache-2.0
"""Products and sums of every width are Python's, in both places; run by test_gfp_places.py."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.presets.gfp_core import sum_lanes
from tests.rtl.gfp.places import PRODUCTS, SUMS, WIDTH


def pairs(rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield all of four bits; all ones and one, at every bit, so that carries go any distance."""
    yield from ((a, b) for a in range(16) for b in range(16))
    ones = (1 << WIDTH) - 1
    for i in range(WIDTH):
        for b in (1 << i, ones, ones ^ 1 << i):
            yield ones, b
            yield ones >> i, b
            yield b, ones << i & ones
    for _ in range(2000):
        yield rng.getrandbits(WIDTH), rng.getrandbits(WIDTH)


@cocotb.test()
async def products_and_sums_are_right(dut: Any) -> None:
    """A pair every cycle; products at once, sums when their lanes are through."""
    past: deque[tuple[int, int]] = deque(maxlen=sum_lanes(WIDTH) + 1)  # the latest first
    for a, b in pairs(random.Random(1)):
        past.appendleft((a, b))
        dut.clk_i.value = 0
        dut.a_i.value, dut.b_i.value = a, b
        await Timer(1, "ns")
        products, sums = int(dut.p_o.value), int(dut.s_o.value)
        for w, place in PRODUCTS:
            ones = (1 << w) - 1
            assert products & (1 << 2 * w) - 1 == (a & ones) * (b & ones), (w, place)
            products >>= 2 * w
        for w, place in SUMS:
            latency = sum_lanes(w) if place else 0
            if len(past) > latency:
                assert sums & (1 << w) - 1 == sum(past[latency]) & (1 << w) - 1, (w, place)
            sums >>= w
        dut.clk_i.value = 1
        await Timer(1, "ns")
