# SPDX-License-Identifier: Apache-2.0
"""ecsm_order against Python's integers and the reference of binary fields: see order_cocotb.py."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ecsm.backend.lint import lint_unit
from ecsm.curves import curve
from ecsm.curves.order import Modulus, OrderUnit
from ecsm.hdl.units import Unit
from tests.rtl.cocotb_run import run
from tests.rtl.scalar.order import REGISTERS, sources, unit_top, units_to_json

# Polynomials of every degree with a second term as low as digits of four bits need.
POLYNOMIALS = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011}


def toys(
    primes: Sequence[int], degree: int, width: int, digit: int, word: int, segment: int = 0
) -> list[OrderUnit]:
    """Return units for primes of one length, each with a polynomial beside."""
    binary = Modulus(POLYNOMIALS[degree], binary=True)
    return [OrderUnit((Modulus(p), binary), width, digit, word, segment) for p in primes]


# "room": registers longer than the moduli.
TOYS = {
    "bit": toys((17, 19, 23, 29, 31), 5, 5, 1, 4),
    "two-room": toys((5, 7), 3, 5, 2, 4),
}
MORE_TOYS = {
    "bit-room": toys((17, 23, 31), 6, 6, 1, 8),
    "two": toys((17, 19, 23, 29, 31), 5, 5, 2, 8, segment=3),
    "four": toys((37, 43, 59, 61), 6, 6, 4, 4, segment=4),
    "four-room": toys((11, 13), 6, 6, 4, 32),
}
SIZES = {
    "sect163r2": (1, 32),
    "sect283r1": (4, 64),
    "P-256": (4, 64, 88),
}
MORE_SIZES = {
    "sect163r1": (2, 16),
    "sect233r1": (2, 64),
    "sect283k1": (2, 32),
    "sect571r1": (8, 64, 96),
    "secp256k1": (2, 32),
    "P-384": (8, 64, 64),
    "P-521": (4, 32),
    "brainpoolP256r1": (4, 64),
    "secp224r1": (16, 64),
}


def check(units: list[OrderUnit], **env: str) -> None:
    """Run every test of order_cocotb.py on these units."""
    files = [REGISTERS, *sources()]
    env |= {"UNITS": units_to_json(units)}
    run("order_group", files, "tests.rtl.scalar.order_cocotb", text=unit_top(units), env=env)


@pytest.mark.parametrize("name", TOYS)
def test_every_number_of_toy_moduli(name: str) -> None:
    check(TOYS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_TOYS)
def test_every_number_of_more_toy_moduli(name: str) -> None:
    check(MORE_TOYS[name])


@pytest.mark.parametrize("name", SIZES)
def test_moduli_of_a_curve(name: str) -> None:
    check([OrderUnit.of(curve(name), *SIZES[name])], CURVE=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES | MORE_SIZES)
def test_moduli_of_more_curves(name: str) -> None:
    check([OrderUnit.of(curve(name), *(SIZES | MORE_SIZES)[name])], CURVE=name, CASES="40")


def test_one_modulus_and_three() -> None:
    """There is nothing to choose from; and a number of moduli that is no power of 2."""
    p, n = Modulus(61), Modulus(53)
    binary = Modulus(POLYNOMIALS[6], binary=True)
    for moduli in ((n,), (n, p, binary)):
        check([OrderUnit(moduli, 6, 2, 4)], PAIRS="0")


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"Modulus": "7'h3c"}, "a modulus must be odd"),
        ({"Modulus": "7'h3"}, "a modulus must be odd and of W - D .. W bits"),
        ({"Modulus": "7'b1110001", "Binary": "1'b1"}, "no exponent in the D - 1 below its degree"),
        ({"D": 3}, "D and Word must be powers of 2"),
        ({"Word": 2}, "D at most 16 and at most Word"),
        ({"NumReg": 6}, "NumReg a power of 2"),
    ],
)
def test_parameters_are_checked(changed: dict[str, int | str], complaint: str) -> None:
    unit = OrderUnit((Modulus(61),), 6, 4, 8)
    clean, text = lint_unit(Unit("wrong", "ecsm_order", unit.parameters | changed))
    assert not clean
    assert complaint in text
