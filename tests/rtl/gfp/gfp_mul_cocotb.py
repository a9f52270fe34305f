# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gfp_mul and gfp_add; run by test_gfp_mul.py.

A new pair of operands every cycle; after the latency, and not before, the result is congruent to
the product (the sum) and its limbs are within the bounds that ecsm/curves/gfp/residues.py promises.
"""

from __future__ import annotations

import json
import os
import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import Timer

C = json.loads(os.environ["GFP_UNITS"])
P, LIMB, LIMBS = C["p"], 2 * C["word"], C["limbs"]
SUM_LATENCY = C["sum_latency"]


def value(limbs: list[int]) -> int:
    return sum(v << LIMB * i for i, v in enumerate(limbs))


def pack(limbs: list[int], bits: int) -> int:
    return sum(v << bits * i for i, v in enumerate(limbs))


def unpack(flat: int, bits: int) -> list[int]:
    return [flat >> bits * i & ((1 << bits) - 1) for i in range(LIMBS)]


def operands(rng: random.Random) -> list[list[int]]:
    """Return corners: zero, one, all ones, one limb only, p and multiples, carried numbers."""
    most = C["most"]
    corners = [[0] * LIMBS, list(most)]
    for i in range(LIMBS):
        corners += [[m if i == j else 0 for j, m in enumerate(most)]]
        corners += [[0 if i == j else m for j, m in enumerate(most)]]
    mask = (1 << LIMB) - 1
    for v in (1, 2, P - 1, P, P - 2, P >> 1, (1 << P.bit_length()) - 1):
        corners.append([v >> LIMB * i & mask for i in range(LIMBS)])
    for shift in range(0, P.bit_length(), max(1, P.bit_length() // 24)):
        corners.append([(1 << shift) >> LIMB * i & mask for i in range(LIMBS)])
    rng.shuffle(corners)
    return corners


@cocotb.test()
async def results_are_congruent_and_within_bounds(dut: Any) -> None:
    rng = random.Random(1)
    corners = operands(rng)
    pairs = [(a, b) for a in corners for b in corners]
    rng.shuffle(pairs)
    pairs = pairs[: C["count"]]
    for _ in range(C["count"]):
        a, b = ([rng.randrange(m + 1) for m in C["most"]] for _ in range(2))
        pairs.append((a, b))
    products: deque[int] = deque()
    sums: deque[int] = deque()
    seen = 0
    for a, b in [*pairs, *([([0] * LIMBS, [0] * LIMBS)] * 16)]:
        dut.clk_i.value = 0
        dut.a_i.value = pack(a, C["operand"])
        dut.b_i.value = pack(b, C["operand"])
        products.append(value(a) * value(b) % P)
        sums.append(value(a) % P)
        await Timer(1, "ns")
        for port, queue, latency, limit in (
            (dut.product_o, products, C["latency"], C["limit"][0]),
            (dut.sum_o, sums, SUM_LATENCY, C["limit"][1]),
        ):
            if len(queue) > latency:
                limbs = unpack(int(port.value), C["register"])
                assert value(limbs) % P == queue.popleft(), (port._name, seen)
                assert all(v <= m for v, m in zip(limbs, limit, strict=True)), limbs
                seen += 1
        dut.clk_i.value = 1
        await Timer(1, "ns")
    assert seen > len(pairs)
