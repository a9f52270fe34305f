# SPDX-License-Identifier: Apache-2.0
"""Inputs that make every carry of a reduction happen, and right results; run by test_gfp_carries.

Of the sparse reduction the words of a product are driven, which are as free as their bounds say:
see tests/rtl/gfp/carries.py.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.curves.gfp.montgomery import Montgomery
from tests.rtl.gfp.carries import Forms, directed_sums, preset

UNIT = preset(os.environ["CARRIES"])
R = UNIT.residues
COUNT = int(os.environ["CARRIES_COUNT"])  # random inputs beside the directed ones
SUM_LATENCY = 2
CLEAR = 4  # cycles
CORNERS = 6
Limbs = Sequence[int]


def pack(limbs: Limbs, bits: int) -> int:
    return sum(v << bits * i for i, v in enumerate(limbs))


def check(flat: int, want: int, limit: Limbs, given: Limbs) -> None:
    """Compare a result: congruent to ``want``, and no limb above its bound."""
    limbs = [flat >> R.register * i & ((1 << R.register) - 1) for i in range(R.limbs)]
    assert R.value(limbs) % R.p == want % R.p, given
    assert all(v <= m for v, m in zip(limbs, limit, strict=True)), given


async def edge(dut: Any) -> None:
    dut.clk_i.value = 1
    await Timer(1, "ns")
    dut.clk_i.value = 0
    await Timer(1, "ns")


@cocotb.test()
async def sums_are_right(dut: Any) -> None:
    """A sum every cycle."""
    given = list(directed_sums(R, random.Random(1), 40 * COUNT))
    for t in range(len(given) + SUM_LATENCY):
        if t >= SUM_LATENCY:
            v = given[t - SUM_LATENCY]
            check(int(dut.sum_o.value), R.value(v), R.sum_limit, v)
        dut.v_i.value = pack(given[min(t, len(given) - 1)], R.operand)
        await edge(dut)


@cocotb.test(skip=isinstance(R, Montgomery))
async def reductions_are_right(dut: Any) -> None:
    """The reduction without ranks answers at once."""
    bits = R.reduction.sum_bits
    for cuts in Forms(R, R.reduction).directed(random.Random(2), COUNT):
        flat = [v & (1 << bits) - 1 for v in cuts]
        dut.cut_i.value = pack(flat, bits)
        await edge(dut)
        value = sum(v << R.word * j for j, v in enumerate(cuts))
        check(int(dut.q_o.value), value, R.product_limit, flat)


def operands(rng: random.Random) -> Iterator[Limbs]:
    yield from (R.most, *(R.split(v) for v in (0, 1, R.p - 1, R.p, (1 << R.bits) - 1)))
    yield from directed_sums(R, rng, COUNT)


@cocotb.test(skip=not isinstance(R, Montgomery))
async def montgomery_products_are_right(dut: Any) -> None:
    """Every pair of corners, and directed operands."""
    inverse = pow(R.radix, -1, R.p)
    given = list(operands(random.Random(3)))
    pairs = [(a, b) for a in given[:CORNERS] for b in given[:CORNERS]]
    pairs += zip(given, given[::-1], strict=True)
    dut.clear_i.value, dut.start_i.value = 1, 0
    for _ in range(CLEAR):
        await edge(dut)
    dut.clear_i.value = 0
    for a, b in pairs:
        dut.a_i.value, dut.b_i.value = pack(a, R.operand), pack(b, R.operand)
        for t in range(UNIT.multiplying):
            dut.start_i.value = t == 0
            await edge(dut)
        check(int(dut.q_o.value), R.value(a) * R.value(b) * inverse, R.product_limit, (*a, *b))
