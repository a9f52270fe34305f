# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gf2m_reduce and gf2m_linear; run by test_gf2m_linear.py."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.curves.gf2m.field import BinaryField

CASE = json.loads(os.environ["LINEAR_CASE"])


@cocotb.test(skip="matrices" not in CASE)
async def map_is_sum_of_columns(dut: Any) -> None:
    """The image is the sum of the columns at the set bits of x: unit vectors, corners, random."""
    m, matrices = CASE["m"], [[int(c, 16) for c in columns] for columns in CASE["matrices"]]
    rng = random.Random(1)
    mask = (1 << m) - 1
    inputs = [0, mask, *(1 << j for j in range(m)), *(rng.getrandbits(m) for _ in range(200))]
    for x in inputs:
        dut.x_i.value = x
        await Timer(1, "ns")
        flat = int(dut.y_o.value)
        for i, columns in enumerate(matrices):
            want = 0
            for j, column in enumerate(columns):
                if x >> j & 1:
                    want ^= column
            assert flat >> (i * m) & mask == want, f"matrix {i}, x = {x:#x}"


@cocotb.test(skip="reductions" not in CASE)
async def remainder_is_right(dut: Any) -> None:
    """The remainder is c mod f: all unit vectors (the map is linear), all ones, random c."""
    width = CASE["width"]
    cases = [(BinaryField(m, tuple(e)), in_width) for m, e, in_width in CASE["reductions"]]
    rng = random.Random(2)
    mask = (1 << width) - 1
    for c in [
        0,
        mask,
        *(1 << j for j in range(width)),
        *(rng.getrandbits(width) for _ in range(200)),
    ]:
        dut.c_i.value = sum(
            (c & ((1 << in_width) - 1)) << (i * width) for i, (_, in_width) in enumerate(cases)
        )
        await Timer(1, "ns")
        flat = int(dut.p_o.value)
        for i, (field, in_width) in enumerate(cases):
            want = field.reduce(c & ((1 << in_width) - 1))
            assert flat >> (i * width) & mask == want, f"{field}, c = {c:#x} in {in_width} bits"
