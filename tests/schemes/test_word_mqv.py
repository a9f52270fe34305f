# SPDX-License-Identifier: Apache-2.0
"""ECMQV on every curve of the word engine with all schemes: two points come from the host."""

from __future__ import annotations

import random

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from tests.schemes.model import Model

CURVES = [name for name, p in WORD_PRESETS.items() if p.full and p.weierstrass]


@pytest.mark.parametrize("name", CURVES)
def test_secrets_of_random_pairs(name: str) -> None:
    """A number has more words than a coordinate on some curves, as secp224r1: none may stay."""
    with SchemeDevice(name) as device:
        model, rng = Model(device.curve), random.Random(name)
        n = device.curve.n
        for _ in range(3):
            d1, d2, e1, e2 = (rng.randrange(1, n) for _ in range(4))
            device.run("load", model.scalar(d1))
            device.run("load", model.scalar(d2), slot=1)
            theirs, passing = model.public(e1), model.public(e2)
            z = model.mqv(d1, d2, model.point(*theirs), model.point(*passing))
            assert device.run("ecmqv", *theirs, *passing).strings == (z,)
