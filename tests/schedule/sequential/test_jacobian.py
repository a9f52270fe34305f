# SPDX-License-Identifier: Apache-2.0
"""Products in Jacobian coordinates on the model: exceptions make a Z of 0, and the ladder has none.

On toy curves with every scalar, where exceptions are frequent. The comb of the base point is on
P-256.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.jacobian import RANDOM, Jacobian
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Order

Text = Callable[[Assembler, Jacobian], None]
Found = tuple[int, int] | None


def built(c: PrimeCurve, width: int, text: Text, base: bool = False, wide: bool = False) -> Built:
    """Return a program that reads k, x, y, and tells x, y and whether Z is 0."""
    a = Assembler(Modulus(c.p, width), depth=1024)
    pts = Jacobian(a, c, wide)
    if base:
        pts.base_constants()
    if wide:
        pts.wide_constants()
    pts.take()
    start = a.label()
    a.order(Order.JUMP, label=start)
    if not base:
        pts.comb = []
    pts.routines()
    a.place(start)
    octets = a.stride * width // 8
    for number in (pts.k, *pts.point):
        a.transfer(Order.IN, number, octets)
    for number in pts.point:
        pts.enter(number)
    text(a, pts)
    a.call(pts.affine)
    for number in (*pts.s[:2], pts.k):
        a.transfer(Order.OUT, number, octets)
    a.order(Order.DONE)
    return a.built()


def run(
    program: Built, c: PrimeCurve, k: int, point: tuple[int, int], *more: bytes
) -> tuple[Found, int]:
    """Return the product and the slots that it took; ``more``: further strings."""
    octets = program.stride * program.W // 8
    host = Strings(*(v.to_bytes(octets, "big") for v in (k, *point)), *more)
    engine = program.engine()
    engine.run(0, host)
    x, y, infinity = (int.from_bytes(v, "big") for v in host.out)
    return None if infinity else (x, y), engine.slots


def product(a: Assembler, pts: Jacobian) -> None:
    pts.digits(pts.k, pts.free[1])
    for d, v in zip(pts.s, [*pts.point, pts.one], strict=True):
        a.copy(d, v, pts.zero)
    a.call(pts.fill)
    pts.product()


def ladder(a: Assembler, pts: Jacobian) -> None:
    pts.digits(pts.k, pts.free[1])
    a.call(pts.ladder)
    pts.to_jacobian()


TOYS = [("toyp5a", 16), ("toyp7a", 8), ("toyp8k", 8), ("toyp6a", 16)]


@pytest.mark.parametrize(("name", "width"), TOYS)
def test_a_product_is_right_or_has_a_z_of_0(name: str, width: int) -> None:
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    points = [p for p in c.points() if p is not None]
    fast, slow = (built(c, width, text) for text in (product, ladder))
    rng, wrong, slots = random.Random(name), 0, set()
    most = 1 << (Modulus(c.p, width).words - 1) * width
    for k in [*range(1, 20), *(rng.randrange(1, most) for _ in range(80))]:
        point = rng.choice(points)
        found, taken = run(fast, c, k, point)
        slots.add(taken)
        wrong += found is None
        assert found in (None, c.mul(k, point))
        assert run(slow, c, k, point)[0] == c.mul(k, point)
    assert len(slots) == 1
    assert wrong > 0  # exceptions were tried


@pytest.mark.parametrize("name", ["P-256", "secp256k1", "brainpoolP256r1", "P-224"])
def test_products_have_no_exception_for_small_scalars(name: str) -> None:
    """Nor for those near the order: their last digits are all that they are."""
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    program, slots = built(c, 32, product), set()
    for k in (1, 2, 14, 30, c.n - 1, c.n - 2, c.n - 14):
        found, taken = run(program, c, k, c.generator)
        assert found == c.mul(k, c.generator)
        slots.add(taken)
    assert len(slots) == 1


def parted(a: Assembler, pts: Jacobian) -> None:
    """Multiply the base point as a secret is: by k and a multiple of n, of a random number."""
    random, part = a.numbers(2)
    a.copy(part, pts.k, pts.zero)
    a.transfer(Order.IN, random, RANDOM // 8)
    for to, of in zip(pts.point, pts.base, strict=True):
        a.copy(to, of, pts.zero)
    pts.random_multiple(random)
    a.move("widen", pts.k, pts.k, part)
    pts.digits(pts.k, pts.free[1], wide=True)
    for to, of in zip(pts.s, [*pts.point, pts.one], strict=True):
        a.copy(to, of, pts.zero)
    a.call(pts.fill)
    pts.product()


@pytest.mark.parametrize("name", ["P-256", "secp256k1"])
def test_no_random_number_makes_an_exception_of_a_small_scalar(name: str) -> None:
    """A scalar is the sum of two parts: itself, and up to three times the order.

    Of the random numbers, 63 was one that did: 4 (63 + 1) is 256. The others make the lowest bits
    of the multiple all zeros or ones.
    """
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    program, slots = built(c, 32, parted, base=True, wide=True), set()
    for random_number in (63, (1 << RANDOM) - 1):
        for k, more in ((1, 0), (1, 3), (-1, 4)):
            string = random_number.to_bytes(RANDOM // 8, "big")
            found, taken = run(program, c, k + more * c.n, (0, 0), string)
            assert found == c.mul(k % c.n, c.generator), (random_number, k, more)
            slots.add(taken)
    assert len(slots) == 1


def comb(count: int) -> Text:
    """Return the product of the base point by ``count`` scalars: k, and x without its form."""

    def text(a: Assembler, pts: Jacobian) -> None:
        one = [pts.cut, pts.second][:count]
        for scalar, pieces in zip((pts.k, pts.point[0]), one, strict=False):
            pts.cut_comb(scalar, pieces)
        pts.comb_product(one, None)

    return text


def plain(text: Text) -> Text:
    """Return a text that has the number x as it comes."""

    def with_x(a: Assembler, pts: Jacobian) -> None:
        a.move("product", pts.point[0], pts.point[0], pts.unit, note="as it came")
        text(a, pts)

    return with_x


@pytest.mark.parametrize("name", ["P-256", "secp256k1", "brainpoolP256r1", "P-224"])
def test_the_comb_for_small_and_large_scalars(name: str) -> None:
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    program, slots, rng = built(c, 32, comb(1), base=True), set(), random.Random(name)
    for k in [1, 2, 3, 30, c.n - 1, c.n - 2, 1 << 52, *(rng.randrange(c.n) for _ in range(3))]:
        found, taken = run(program, c, k, (0, 0))
        assert found == c.mul(k, c.generator)
        slots.add(taken)
    assert run(program, c, 0, (0, 0))[0] is None
    assert len(slots) == 1


def test_the_comb_of_two_scalars_has_no_exception() -> None:
    """Neither for the same digits at the begin nor for scalars whose sum is small."""
    c = curve("P-256")
    assert isinstance(c, PrimeCurve)
    program, rng = built(c, 32, plain(comb(2)), base=True), random.Random(4)
    some = [rng.randrange(c.n) for _ in range(8)]
    pairs = [*((v, v) for v in some[:3]), *((v, c.n - v) for v in some[:2]), *pairwise(some),
             *((v, c.n + d - v) for v, d in zip(some, (1, 2, 3, 5), strict=False))]  # fmt: skip
    for one, two in pairs:
        total = (one + two) % c.n
        assert run(program, c, one, (two % c.p, 0))[0] == (
            c.mul(total, c.generator) if total else None
        )


def test_the_exception_of_the_comb() -> None:
    """Its last sum is of equal points: Z is 0, and nothing else is wrong."""
    c = curve("P-256")
    assert isinstance(c, PrimeCurve)
    a = Assembler(Modulus(c.p))
    pts = Jacobian(a, c)
    pts.base_constants()
    k = -(pts.first_multiple << pts.columns + 1) % c.n
    program = built(c, 32, comb(1), base=True)
    assert run(program, c, k, (0, 0))[0] is None
    assert run(program, c, k + 1, (0, 0))[0] == c.mul(k + 1, c.generator)
