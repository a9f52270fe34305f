# SPDX-License-Identifier: Apache-2.0
"""A real core behind a bus against libcrypto; run by test_block_core.py."""

from __future__ import annotations

import random
from typing import Any

from ecsm.oracle import libcrypto
from ecsm.status import Status
from tests.rtl.attach.block_core import CURVE, CYCLES, PRESET, ready
from tests.rtl.attach.bus import bus_test


@bus_test
async def products_are_libcryptos(dut: Any) -> None:
    """Scalars of every length, points of the group; the time is the core's and always the same."""
    core = await ready(dut)
    rng = random.Random(1)
    k, n = rng.randrange(CURVE.n), CURVE.n
    point = CURVE.generator
    for scalar in (1, n - 1, n, k, rng.randrange(1 << 32)):
        await core.point(point)
        await core.begin_job(scalar)
        await core.cycles(CYCLES)
        want = libcrypto.kp(CURVE.name, scalar, point)
        assert await core.result() == (Status.OK, want), hex(scalar)
        point = want or point
    bits = PRESET.scalar_bits % 32
    answer = await core.try_write(core.at("SCALAR"), 1 << bits) if bits else None
    if answer is not None:
        await core.refused("operand", answer)
