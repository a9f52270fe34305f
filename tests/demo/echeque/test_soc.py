# SPDX-License-Identifier: Apache-2.0
"""The e-cheque on the system on chip: its firmware signs, encrypts, decrypts and verifies."""

from __future__ import annotations

import hashlib

import pytest

from ecsm.curves import Curve, curve
from ecsm.demo.echeque.core import Core, Trail
from ecsm.schemes.encoding import Key
from tests.demo.echeque.conftest import PRESET


@pytest.mark.slow
def test_a_cheque_on_sect233r1_with_sha1() -> None:
    _cheque("b233-small", "sect233r1")


def test_a_cheque_on_the_quickest_preset() -> None:
    _cheque(PRESET, "sect163r2")


def _product(c: Curve, d: int) -> tuple[int, int]:
    found = c.mul(d, c.generator)
    assert found
    return found


def _cheque(preset: str, name: str) -> None:
    core = Core(preset, kind="soc")
    try:
        c = curve(name)
        d = c.n * 3 // 7
        key, trail = Key(c, d, _product(c, d)), Trail(preset)
        message = b"pay 12.50 to Ada, number 7"
        signature = core.sign(key, message, trail)
        assert trail.steps[1].octets == (("digest", hashlib.sha1(message).digest()),)
        r, iv, sealed = core.encrypt(key, message, trail)
        assert core.decrypt(key, r, iv, sealed, trail) == message
        assert core.verify(key, message, signature, trail)
        assert not core.verify(key, message + b"0", signature, trail)
        assert all(step.cycles for step in trail.steps)
    finally:
        core.close()
