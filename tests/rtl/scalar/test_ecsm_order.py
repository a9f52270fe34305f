# SPDX-License-Identifier: Apache-2.0
"""ecsm_order against Python's integers and the reference of binary fields: see order_cocotb.py."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ecsm.curves import curve
from ecsm.curves.order import Modulus, OrderUnit
from tests.rtl.cocotb_run import run
from tests.rtl.scalar.order import REGISTERS, sources, unit_top, units_to_json

# z^3 + z + 1, ..., of every degree with a term as low as a digit of four bits needs.
POLYNOMIALS = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10000011}


def toys(
    primes: Sequence[int], width: int, degree: int, digit: int, word: int, segment: int = 0
) -> list[OrderUnit]:
    """Return units for primes, each with a polynomial beside."""
    binary = Modulus(POLYNOMIALS[degree], binary=True)
    return [OrderUnit((Modulus(p), binary), width, digit, word, segment) for p in primes]


TOYS = {
    "bit": toys((17, 19, 23, 29, 31), 5, 5, 1, 4),
    "bit-room": toys((17, 23, 31), 6, 6, 1, 8),
    "two": toys((17, 19, 23, 29, 31), 5, 5, 2, 8, segment=3),
    "two-room": toys((5, 7), 5, 3, 2, 4),
    "four": toys((37, 43, 59, 61), 6, 6, 4, 4, segment=4),
    "four-room": toys((11, 13), 6, 7 - 1, 4, 32),
}
REAL = {
    "sect163r2": OrderUnit.of(curve("sect163r2"), 1, 32),
    "sect233r1": OrderUnit.of(curve("sect233r1"), 2, 64),
    "sect283r1": OrderUnit.of(curve("sect283r1"), 4, 64),
    "sect571r1": OrderUnit.of(curve("sect571r1"), 8, 64, segment=96),
    "P-256": OrderUnit.of(curve("P-256"), 4, 64, segment=88),
    "secp256k1": OrderUnit.of(curve("secp256k1"), 2, 32),
    "P-384": OrderUnit.of(curve("P-384"), 8, 64, segment=64),
    "P-521": OrderUnit.of(curve("P-521"), 4, 32),
    "brainpoolP256r1": OrderUnit.of(curve("brainpoolP256r1"), 4, 64),
}


def check(units: list[OrderUnit], **env: str) -> None:
    """Run every test of order_cocotb.py on these units."""
    files = [REGISTERS, *sources()]
    env |= {"UNITS": units_to_json(units)}
    run("order_group", files, "tests.rtl.scalar.order_cocotb", text=unit_top(units), env=env)


@pytest.mark.parametrize("name", TOYS)
def test_every_number_of_toy_moduli(name: str) -> None:
    check(TOYS[name])


@pytest.mark.parametrize("name", REAL)
def test_moduli_of_the_standards(name: str) -> None:
    check([REAL[name]])
