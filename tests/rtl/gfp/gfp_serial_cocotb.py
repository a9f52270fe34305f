# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gfp_mul_column, gfp_mul_montgomery and gfp_add_table; run by test_gfp_serial.py.

A product is congruent to a b / R, a sum to its operand, and their limbs are within the bounds that
ecsm/curves promises, after the latency, with starts as close as they may be and further apart.
Between the starts the operands change all the time.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from tests.rtl.gfp.gfp_mul_cocotb import (
    LIMB,
    LIMBS,
    SUM_LATENCY,
    C,
    P,
    operands,
    pack,
    unpack,
    value,
)

Operand = list[int]
INVERSE = pow(C["radix"], -1, P)
CLEAR = 3  # cycles, of gfp_digits
LATENCY, INTERVAL = C["latency"], C["interval"]


class Bench:
    """The unit, and what must come out in which cycle."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.cycle = dut, 0
        self.products: dict[int, tuple[Operand, Operand]] = {}
        self.seen = 0

    async def step(self, a: Operand, b: Operand, start: bool, clear: bool = False) -> None:
        """Run a cycle with these inputs and compare a product that is due in it."""
        self.dut.clk_i.value = 0
        self.dut.a_i.value = pack(a, C["operand"])
        self.dut.b_i.value = pack(b, C["operand"])
        self.dut.start_i.value, self.dut.clear_i.value = start, clear
        if start and not clear:
            self.products[self.cycle + LATENCY] = (a, b)
        await Timer(1, "ns")
        if self.cycle in self.products:
            x, y = self.products.pop(self.cycle)
            limbs = self.limbs()
            assert value(limbs) % P == value(x) * value(y) * INVERSE % P, (x, y, limbs)
            assert all(v <= m for v, m in zip(limbs, C["limit"][0], strict=True)), (x, y, limbs)
            self.seen += 1
        self.dut.clk_i.value = 1
        await Timer(1, "ns")
        self.cycle += 1

    def limbs(self) -> Operand:
        """Return what the multiplier answers."""
        return unpack(int(self.dut.product_o.value), C["register"])

    async def empty(self, rng: random.Random) -> None:
        """Clear, whatever was inside."""
        for _ in range(CLEAR):
            await self.step(*garbage(rng), False, clear=True)
            self.products.clear()


def garbage(rng: random.Random) -> tuple[Operand, Operand]:
    a, b = ([rng.randrange(m + 1) for m in C["most"]] for _ in range(2))
    return a, b


def split(v: int) -> Operand:
    return [v >> LIMB * i & ((1 << LIMB) - 1) for i in range(LIMBS)]


def chosen(rng: random.Random) -> list[tuple[Operand, Operand]]:
    """Return pairs of corners, random pairs, and of a small field every pair of reduced numbers."""
    corners = operands(rng)
    pairs = list(itertools.product(corners, corners))
    rng.shuffle(pairs)
    pairs = pairs[: C["count"]] + [garbage(rng) for _ in range(C["count"])]
    if P < 64:
        pairs += [(split(a), split(b)) for a in range(P) for b in range(P)]
    return pairs


@cocotb.test()
async def products_are_congruent_within_bounds(dut: Any) -> None:
    rng = random.Random(1)
    bench = Bench(dut)
    await bench.empty(rng)
    pairs = chosen(rng)
    for i, (a, b) in enumerate(pairs):
        gap = INTERVAL - 1 + (i % 3 == 2) * rng.randrange(2 * LATENCY)
        await bench.step(a, b, True)
        for _ in range(gap):
            await bench.step(*garbage(rng), False)
    for _ in range(LATENCY):
        await bench.step(*garbage(rng), False)
    assert bench.seen == len(pairs)


@cocotb.test()
async def a_clear_leaves_nothing(dut: Any) -> None:
    """At every cycle of a product; a new one starts rightly in the next cycle."""
    rng = random.Random(2)
    bench = Bench(dut)
    await bench.empty(rng)
    for _ in range(LATENCY + 2):  # the ranks without a clear
        await bench.step(*garbage(rng), False)
    nothing = bench.limbs()
    assert value(nothing) % P == 0
    for at in range(LATENCY + 2):
        a, b = garbage(rng)
        await bench.step(a, b, True)
        for _ in range(at):
            await bench.step(*garbage(rng), False)
        await bench.empty(rng)
        for _ in range(5):
            await bench.step(*garbage(rng), False)
        for _ in range(LATENCY):
            await bench.step(*garbage(rng), False)
            assert bench.limbs() == nothing
        await bench.empty(rng)
        await bench.step(*garbage(rng), True)
        for _ in range(LATENCY):
            await bench.step(*garbage(rng), False)
    assert bench.seen >= LATENCY + 2


@cocotb.test()
async def sums_are_congruent_within_bounds(dut: Any) -> None:
    """Corners, random sums, and every overflow of the highest limb with the lowest and most."""
    rng = random.Random(3)
    sums = [a for pair in chosen(rng) for a in pair]
    width = C["most"][-1].bit_length() - C["top"]
    for h in range(1 << width):
        for low in (0, (1 << C["top"]) - 1):
            top = h << C["top"] | low
            sums += [[*([0] * (LIMBS - 1)), top], [*C["most"][:-1], top]]
    bench = Bench(dut)
    late = SUM_LATENCY - 1  # a step ends with the cycle's last edge
    for i, v in enumerate([*sums, *sums[:late]]):
        await bench.step(v, v, False)
        if i >= late:
            limbs = unpack(int(dut.sum_o.value), C["register"])
            assert value(limbs) % P == value(sums[i - late]) % P, sums[i - late]
            assert all(v <= m for v, m in zip(limbs, C["limit"][1], strict=True)), limbs
