# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gfp_canon; run by test_gfp_canon.py."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Any

import cocotb

from ecsm.curves.gfp.limbs import canonical
from tests.rtl.common.clocked import Clocked
from tests.rtl.gfp.canon import canons_from_json, inputs

CANONS = canons_from_json(os.environ["CANONS"])
COUNT = int(os.environ["CANON_COUNT"])  # inputs of each instance that has too many to try all
LONGEST = max(c.latency for c in CANONS)
V_BITS = sum(c.port for c in CANONS)
OUTPUTS = ("value", "zero", "valid", "busy")
Batch = Sequence[Sequence[int]]  # the limbs of each instance


def batches(count: int, seed: int) -> list[Batch]:
    """Return inputs for all instances; equal instances share theirs, short lists begin anew."""
    per: list[Batch] = []
    for c in CANONS:
        mine = inputs(c, count, random.Random(seed))
        at, lanes = sum(o == c for o in CANONS[: len(per)]), CANONS.count(c)
        per.append(mine[at::lanes])
    longest = max(len(p) for p in per)
    return [[p[t % len(p)] for p in per] for t in range(longest)]


def pack(batch: Batch) -> int:
    """Return the flat input port's value."""
    flat = at = 0
    for c, limbs in zip(CANONS, batch, strict=True):
        for limb in limbs:
            flat |= limb << at
            at += c.in_bits
    return flat


def check(batch: Batch, t: int, seen: dict[str, int]) -> None:
    """Compare all instances, t cycles after the start, with the model: result from latency on."""
    at = 0
    for i, (c, limbs) in enumerate(zip(CANONS, batch, strict=True)):
        bits = c.p.bit_length()
        value = seen["value"] >> at & ((1 << bits) - 1)
        valid, zero = seen["valid"] >> i & 1, seen["zero"] >> i & 1
        want = canonical(limbs, c.limb, c.p)
        at += bits
        text = f"{c}, limbs {[hex(v) for v in limbs]}, t = {t}"
        assert valid == (t >= c.latency), text
        assert zero == (valid and want == 0), text
        if valid:
            assert value == want, text


async def ready(dut: Any) -> Clocked:
    bench = Clocked(dut, ("clear", "start", "v"), OUTPUTS)
    await bench.cycle(clear=1, start=0, v=0)
    bench.drive(clear=0)
    return bench


@cocotb.test()
async def values_are_canonical(dut: Any) -> None:
    """Every input gives V mod p, and zero for multiples of p, in every instance."""
    bench = await ready(dut)
    for batch in batches(COUNT, 1):
        await bench.cycle(start=1, v=pack(batch))
        for _ in range(LONGEST - 1):
            await bench.cycle(start=0, v=0)
        check(batch, LONGEST, await bench.cycle())


@cocotb.test()
async def latency_is_fixed(dut: Any) -> None:
    """The result stands from the latency on, not before, and stays; zero_o is low before."""
    bench = await ready(dut)
    for batch in random.Random(2).sample(batches(COUNT, 2), 30):
        await bench.cycle(start=1, v=pack(batch))
        for t in range(1, LONGEST + 3):
            check(batch, t, await bench.cycle(start=0, v=random.getrandbits(V_BITS)))


@cocotb.test()
async def clear_at_any_time_leaves_nothing(dut: Any) -> None:
    """After clear_i, with or without start_i, every register and output is zero."""
    bench = await ready(dut)
    ones = (1 << V_BITS) - 1
    for t in range(min(LONGEST, 60) + 2):
        for start in (0, 1):
            await bench.cycle(start=1, v=ones // 3)
            for _ in range(t):
                await bench.cycle(start=0)
            await bench.cycle(clear=1, start=start, v=ones)
            assert await bench.cycle(clear=0, start=0) == dict.fromkeys(OUTPUTS, 0), f"t = {t}"
            assert await bench.cycle() == dict.fromkeys(OUTPUTS, 0), f"t = {t}"


@cocotb.test()
async def start_at_any_time_starts_over(dut: Any) -> None:
    """A second start, before or after the first result, gives the second one in time."""
    bench = await ready(dut)
    some = batches(COUNT, 3)
    for t in range(min(LONGEST, 60) + 2):
        await bench.cycle(start=1, v=pack(some[t % len(some)]))
        for _ in range(t):
            await bench.cycle(start=0)
        batch = some[-1 - t % len(some)]
        await bench.cycle(start=1, v=pack(batch))
        for s in range(1, LONGEST + 1):
            check(batch, s, await bench.cycle(start=0))
