# SPDX-License-Identifier: Apache-2.0
"""kP by halving, through the device, on real curves: vectors, edges, points that are refused."""

from __future__ import annotations

import random

import pytest

import ecsm
from ecsm.cores.store import design
from ecsm.curves.gf2m.halving import BITS, OFFSET
from ecsm.presets.halving import HALVING_PRESETS
from ecsm.status import LowOrderPoint, PointNotOnCurve
from tests import vectors

every_preset = pytest.mark.parametrize("name", HALVING_PRESETS)


@every_preset
def test_edges_and_random_scalars_in_one_count_of_cycles(name: str) -> None:
    p = HALVING_PRESETS[name]
    c, h, rng = p.curve, p.halves, random.Random(7)
    top = (1 << p.scalar_bits) - 1
    scalars = [0, 1, 2, 3, 4, 5, 6, 7, 8, c.n - 1, c.n, c.n + 1, c.n - 2, top, top - 1, c.n // 2]
    for value in range(-8, 8):  # all digits alike
        plain = (value + 8) * ((1 << BITS * h.windows) - 1) // 15 - h.bias
        scalars.append((plain * pow(2, -h.last, c.n) + OFFSET * pow(8, -1, c.n)) % c.n)
    scalars += [1 << i for i in range(0, p.scalar_bits, 9)]
    scalars += [rng.getrandbits(p.scalar_bits) for _ in range(150)]
    with ecsm.open(f"sim:{name}") as device:
        cycles = set()
        for k in scalars:
            point = c.mul(rng.randrange(1, c.n), c.generator)
            assert device.kp(k, point) == c.mul(k, point)
            cycles.add(device.last_cycles)
        assert device.kp(5, None) is None
        cycles.add(device.last_cycles)
    assert cycles == {design(name).microcode.cycles}


@every_preset
def test_points_of_even_order_are_refused(name: str) -> None:
    c = HALVING_PRESETS[name].curve
    two = (0, c.field.sqrt(c.b))
    x, y = c.generator
    with ecsm.open(f"sim:{name}") as device:
        for point in (two, c.add(c.generator, two), c.add(c.mul(7, c.generator), two)):
            with pytest.raises(LowOrderPoint):
                device.kp(3, point)
        with pytest.raises(PointNotOnCurve):
            device.kp(3, (x, y ^ 1))
        assert device.kp(3, c.generator) == c.mul(3, c.generator)


def test_cavp_key_pairs() -> None:
    p = HALVING_PRESETS["b163-halving"]
    pairs = [v for v in vectors.key_pairs() if v.curve.name == p.curve.name]
    assert pairs
    with ecsm.open("sim:b163-halving") as device:
        for pair in pairs:
            assert device.kp(pair.d, p.curve.generator) == pair.public
