# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_scalar_shift; run by test_ecsm_scalar_shift.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.scalar.scalars import scalars

W = int(os.environ["SCALAR_W"])
MASK = (1 << W) - 1


def recoded(k: int) -> list[int]:
    """Return key_(W-1) .. key_0 and key_(-1), as the module's header defines them."""
    bits = [k >> i & 1 for i in range(W)] + [0]
    return [bits[i] ^ bits[i + 1] for i in range(W - 1, -1, -1)] + [bits[0]]


async def ready(dut: Any) -> Clocked:
    bench = Clocked(dut, ("clear", "load", "shift", "scalar"), ("key", "next"))
    await bench.begin()
    return bench


@cocotb.test()
async def every_scalar_is_recoded(dut: Any) -> None:
    """The first bit in the cycle of the load, then one a shift, then zeros."""
    bench = await ready(dut)
    for k in scalars(W):
        seen = [await bench.cycle(load=1, shift=0, scalar=k)]
        # The port may change once the scalar is loaded.
        seen += [await bench.cycle(load=0, shift=1, scalar=~k & MASK) for _ in range(W + 3)]
        got = [s["key"] for s in seen]
        assert got == [*recoded(k), 0, 0, 0], f"k = {k:#x}"


@cocotb.test()
async def waits_between_shifts(dut: Any) -> None:
    """A bit stays until the shift, however late it comes."""
    bench = await ready(dut)
    rng = random.Random(2)
    for k in scalars(W)[-40:]:
        keys = recoded(k)
        assert (await bench.cycle(load=1, shift=rng.randint(0, 1), scalar=k))["key"] == keys[0]
        for key in keys[1:]:
            for _ in range(rng.randint(0, 3)):
                assert (await bench.cycle(load=0, shift=0))["key"] == key
            assert (await bench.cycle(load=0, shift=1))["key"] == key


@cocotb.test()
async def clear_leaves_zeros(dut: Any) -> None:
    """After clear, alone or with load and shift, every bit is zero."""
    bench = await ready(dut)
    for load, shift in ((0, 0), (0, 1), (1, 0), (1, 1)):
        await bench.cycle(clear=0, load=1, shift=0, scalar=MASK // 3)
        await bench.cycle(clear=1, load=load, shift=shift, scalar=MASK // 3)
        for _ in range(W + 1):
            assert (await bench.cycle(clear=0, load=0, shift=1))["key"] == 0


@cocotb.test()
async def next_is_the_key_of_the_next_cycle(dut: Any) -> None:
    """Whatever load and shift do, next_o foretells key_o of a cycle without load."""
    bench = await ready(dut)
    rng = random.Random(3)
    for k in scalars(W)[-40:]:
        foretold = (await bench.cycle(load=1, shift=rng.randint(0, 1), scalar=k))["next"]
        for _ in range(2 * W):
            seen = await bench.cycle(load=0, shift=rng.randint(0, 1), scalar=~k & MASK)
            assert seen["key"] == foretold
            foretold = seen["next"]


@cocotb.test()
async def load_replaces_a_scalar_half_used(dut: Any) -> None:
    """A second load at any time starts over."""
    bench = await ready(dut)
    for t in range(W + 1):
        await bench.cycle(load=1, shift=0, scalar=MASK)
        for _ in range(t):
            await bench.cycle(load=0, shift=1)
        k = MASK // 3
        seen = [await bench.cycle(load=1, shift=1, scalar=k)]
        seen += [await bench.cycle(load=0, shift=1) for _ in range(W)]
        assert [s["key"] for s in seen] == recoded(k)
