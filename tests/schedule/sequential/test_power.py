# SPDX-License-Identifier: Apache-2.0
"""Chains of squares and products: each is the power that it says, in the places that it says."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.power import chain, power, windows
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Order


def prime(name: str) -> PrimeCurve:
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    return c


P256, K256 = prime("P-256"), prime("secp256k1")
RNG = random.Random(1)
EXPONENTS = [*range(2, 70), P256.p - 2, P256.n - 2, K256.p - 2, K256.n - 2, 1 << 200,
             *(RNG.getrandbits(RNG.randrange(2, 300)) + 2 for _ in range(60))]  # fmt: skip


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_a_chain_is_the_power_of_its_exponent(exponent: int) -> None:
    """Where its values are, they are as long as a step needs them."""
    for places in (10, 7):
        made, at = chain(exponent, list(range(places)))
        numbers, held = [-1, *at], {-1: 1}
        for step, d in zip(made.steps, at, strict=True):
            value = held[numbers[step.of]] << step.squares
            held[d] = value + (held[numbers[step.times]] if step.times >= 0 else 0)
            assert step.times < 0 or step.squares == 0 or d != numbers[step.times]
        assert held[0] == exponent


def test_runs_of_ones_are_few_products() -> None:
    found = [chain(e, list(range(10)))[0].products for e in
             (P256.p - 2, P256.n - 2, K256.p - 2)]  # fmt: skip
    assert found == [13, 39, 19]


def test_windows_are_the_exponent() -> None:
    for exponent in EXPONENTS:
        for width in (1, 2, 4):
            for longest in (1, 8, 64):
                value = 0
                for squares, window in windows(exponent, width, longest):
                    assert window % 2 == 1 or window == 0
                    value = (value << squares) + window
                assert value == exponent


@pytest.mark.parametrize("exponent", [P256.p - 2, P256.n - 2, 1 << 40, 0xF00F, 0xFFFF_0001])
def test_the_program_of_a_power(exponent: int) -> None:
    m, x = Modulus(P256.p), RNG.randrange(P256.p)
    a = Assembler(m)
    base, *free = a.numbers(11)
    a.transfer(Order.IN, base, 36)
    power(a, exponent, base, free, "x")
    a.transfer(Order.OUT, free[0], 36)
    a.order(Order.DONE)
    host = Strings(m.enter(x).to_bytes(36, "big"))
    a.built().engine().run(0, host)
    assert (m.enter(pow(x, exponent, m.p)) - int.from_bytes(host.out[0], "big")) % m.p == 0
