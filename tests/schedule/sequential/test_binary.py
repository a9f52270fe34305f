# SPDX-License-Identifier: Apache-2.0
"""Products of polynomials on the model of the word engine, against BinaryField."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.sec2 import SEC2_CURVES
from ecsm.schedule.sequential.binary import (
    Polynomial,
    _folded,
    _montgomery,
    in_place,
    reduced,
    xor,
)
from ecsm.schedule.sequential.built import back_to_back
from ecsm.schedule.sequential.machine import Engine
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.walk import (
    NOTHING,
    Constants,
    Slot,
    Walk,
    patient,
    product,
    total,
    walk,
)
from ecsm.schedule.sequential.words import Move

FIELDS = {c.field.m: c.field for c in SEC2_CURVES}
STRIDE = 32  # words from a number to the next
A, B, D = 8, 9, 10


class Bench:
    """Walks of a polynomial on an engine."""

    def __init__(self, f: Polynomial, *walks: Walk, constants: Constants) -> None:
        self.f = f
        memory = [*constants.words, *[0] * (STRIDE * 12 - len(constants.words))]
        self.engine = Engine(f.W, walks, [], memory, STRIDE)

    def __call__(self, which: int, a: int, b: int, to: int = D) -> int:
        """Return the result of a walk."""
        memory, f = self.engine.memory, self.f
        memory[D * STRIDE : (D + 1) * STRIDE] = [(1 << f.W) - 1] * STRIDE
        for number, value in ((A, a), (B, b)):
            memory[number * STRIDE : number * STRIDE + f.words] = f.of(value)
        self.engine.move(Move(which, to, A, B))
        words = memory[to * STRIDE : to * STRIDE + f.words]
        assert not any(words[f.used :])
        return sum(w << f.W * i for i, w in enumerate(words))


def bench(f: Polynomial) -> Bench:
    """Return product, square, sum, both in an operand's place and, of folds, reduction."""
    c = Constants(f.W, 64)
    walks = [product(f, c), product(f, c, square=True), xor(f.words)]
    walks += [in_place(f, c, square) for square in (False, True)]
    walks += [reduced(f, c)] if f.folds else []
    return Bench(f, *walks, constants=c)


def compare(run: Bench, a: int, b: int) -> None:
    """Check every walk of two numbers."""
    f, g = run.f, run.f.field
    left, right, inverse = g.reduce(a), g.reduce(b), g.inv(g.reduce(f.radix))
    bits = f.most(a.bit_length(), b.bit_length())
    for which, wanted in ((0, g.mul(left, right)), (1, g.sqr(left))):
        found = run(which, a, a if which else b)
        assert g.reduce(found) == g.mul(wanted, inverse)
        assert found.bit_length() <= bits
        for place in (A, B):
            assert run(which + 3, a, a if which else b, place) == found
    assert run(2, a, b) == a ^ b
    if f.folds:
        assert run(5, a, a) == left


def operands(f: Polynomial, count: int) -> list[int]:
    """Return edges and others, of as many bits as a product may have."""
    rng, bits = random.Random(f.bits), f.most(0, 0)
    ones, top = (1 << f.W) - 1, 1 << f.W - 1
    found = [0, 1, f.field.poly % (1 << bits), (1 << bits) - 1, 1 << bits - 1]
    while len(found) < count:
        words = [rng.choice((0, 1, top, top - 1, ones, rng.getrandbits(f.W)))
                 for _ in range(f.used)]  # fmt: skip
        found.append(sum(w << f.W * i for i, w in enumerate(words)) % (1 << bits))
    return found


@pytest.mark.parametrize("m", FIELDS)
def test_products_of_the_standards_fields(m: int) -> None:
    run = bench(Polynomial(FIELDS[m], 32, 7))
    values = operands(run.f, 100)
    for i, a in enumerate(values):
        compare(run, a, values[i * 37 % len(values)])


@pytest.mark.full
@pytest.mark.parametrize("m", FIELDS)
def test_ten_thousand_products(m: int) -> None:
    run = bench(Polynomial(FIELDS[m], 32, 7))
    values = operands(run.f, 10_000)
    for i, a in enumerate(values):
        compare(run, a, values[i * 4021 % len(values)])


@pytest.mark.parametrize(("m", "width"), [(163, 16), (233, 16), (283, 64), (409, 64), (283, 16)])
def test_words_of_other_widths(m: int, width: int) -> None:
    run = bench(Polynomial(FIELDS[m], width))
    values = operands(run.f, 20)
    for i, a in enumerate(values):
        compare(run, a, values[-i])


TOYS = (
    (BinaryField(7, (1, 0)), 4, True),  # folds: numbers have 8 bits
    (BinaryField(6, (1, 0)), 3, True),  # folds without a second one
    (BinaryField(7, (4, 0)), 4, False),
)


@pytest.mark.parametrize(("field", "width", "folds"), TOYS, ids=str)
def test_toy_fields_in_words_of_few_bits(field: BinaryField, width: int, folds: bool) -> None:
    """Every pair of numbers that a product may have."""
    f = Polynomial(field, width, 3)
    assert f.folds == folds
    run = bench(f)
    for a in range(1 << f.most(0, 0)):
        for b in range(1 << f.most(0, 0)):
            compare(run, a, b)


def test_both_ways_are_right_where_both_are_for_a_field() -> None:
    for m in (233, 409):
        f = Polynomial(FIELDS[m])
        c = Constants(f.W)
        g, rng = f.field, random.Random(m)
        a, b = rng.getrandbits(m), rng.getrandbits(m)
        ways = (_montgomery(f, c, square=False, own=False), _folded(f, c, square=False, own=False))
        run = Bench(f, *ways, constants=c)
        assert g.mul(g.reduce(run(0, a, b)), g.reduce(1 << 32 * f.used)) == g.mul(a, b)
        assert g.reduce(run(1, a, b)) == g.mul(a, b)


def test_the_form_of_an_element() -> None:
    for m, field in FIELDS.items():
        f, v = Polynomial(field), 3**40 % (1 << m)
        inverse = field.inv(field.reduce(f.radix))
        assert field.mul(field.mul(v, f.square), inverse) == f.enter(v)
        assert field.mul(f.enter(v), inverse) == v


def test_walks_follow_each_other_and_those_of_numbers_at_once() -> None:
    for field in FIELDS.values():
        f = Polynomial(field, 32, 7)
        c, n = Constants(32), Modulus((1 << f.words * 32 - 11) - 9)
        of_field = [product(f, c), product(f, c, square=True), xor(f.words)]
        of_field += [reduced(f, c)] if f.folds else []
        assert n.words == f.words
        every = [*of_field, product(n, c), total(f.words)]
        assert back_to_back([patient(w, every) for w in every])


def test_fields_that_it_is_not_for() -> None:
    with pytest.raises(ValueError, match="f is not for it"):
        Polynomial(BinaryField(5, (2, 0)), 32)
    with pytest.raises(ValueError, match="more bits"):
        Polynomial(FIELDS[163]).of(1 << 192)
    with pytest.raises(ValueError, match="more bits"):
        Polynomial(FIELDS[163]).of(-1)


def test_a_walk_is_of_one_kind() -> None:
    with pytest.raises(ValueError, match="of numbers and of polynomials"):
        Walk("mixed", (replace(NOTHING, carryless=True), NOTHING, NOTHING))
    for sign in ("doubled", "subtract", "signed_a", "signed_b"):
        with pytest.raises(ValueError, match="signs of polynomials"):
            walk("signed", [replace(Slot(carryless=True), **{sign: True})])
