# SPDX-License-Identifier: Apache-2.0
"""The masked ladder on numbers, against the curve reference: every scalar of the toys."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, Point, curve
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.masked import recode_masked
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.toy import TOY_PRIME_CURVES
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.masked import MaskedLadder, Triple
from ecsm.formulas.gfp.trace import trace


def fits(c: PrimeCurve) -> bool:
    """Whether the program is for the curve."""
    return c.h == 1 and c.a in (0, c.p - 3)


TOYS = [c for c in TOY_PRIME_CURVES if fits(c)]
STANDARD = [c for c in SEC2_PRIME_CURVES if fits(c)]
every_toy = pytest.mark.parametrize("c", TOYS, ids=lambda c: c.name)


def program(c: PrimeCurve) -> MaskedLadder:
    return MaskedLadder(c.p, c.a, c.b, c.n.bit_length() + 2)


class Run:
    """One kP, with roles and random numbers of a generator."""

    def __init__(self, c: PrimeCurve, k: int, point: tuple[int, int], rng: random.Random) -> None:
        recoded = recode_masked(k, c.n, rng.getrandbits(c.n.bit_length() + 2))
        digits = iter(reversed(recoded.digits))
        self.digit = next(digits)
        ask = {"role": recoded.role, "swap": recoded.condition}
        divsteps = Divsteps.enough(c.p, c.p, 6, 1)
        f = self.f = Numbers(c.p, divsteps, lambda name: ask[name](self.digit))
        u, v, q, r = (rng.randrange(1, c.p) for _ in range(4))
        f.random = (u, v, q, r)
        todo = program(c)
        x, y = (Num(c.p, v) for v in point)
        todo.prepare(f, x, y)
        state = todo.start(f, x, y)
        self.starts = [v.value for v in state.values()]
        for self.digit in digits:
            state = todo.step(f, state)
        todo.finish(f, state)
        self.answer: Point = (f.answers["x"], f.answers["y"])
        if f.answers["y"] == 0:
            self.answer = None


@every_toy
def test_every_scalar(c: PrimeCurve) -> None:
    """All of the port's, with leading parts that are multiples of n, or one less."""
    rng = random.Random(c.name)
    points = [p for p in c.points() if p is not None]
    counts = set()
    for k in range(1 << c.n.bit_length()):
        point = rng.choice(points)
        run = Run(c, k, point, rng)
        assert run.answer == c.mul(k, point), (k, point)
        infinite = run.answer is None
        assert run.f.flags.pop("X") or not infinite
        assert run.f.flags == {"curve": True, "result": not infinite, "Y": False}
        counts.add(run.f.products)
    assert len(counts) == 1


@every_toy
def test_sum_and_double_are_right_for_every_pair(c: PrimeCurve) -> None:
    rng = random.Random(c.name)
    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), lambda _: False)
    todo = program(c)

    def given(point: Point) -> Triple[Num]:
        factor = rng.randrange(1, c.p)
        x, y, z = (*point, 1) if point else (0, 1, 0)
        return Triple(*(Num(c.p, v * factor % c.p) for v in (x, y, z)))

    def affine(t: Triple[Num]) -> Point:
        if t.z.value == 0:
            assert t.x.value == 0
            assert t.y.value != 0
            return None
        inverse = pow(t.z.value, -1, c.p)
        return t.x.value * inverse % c.p, t.y.value * inverse % c.p

    points = list(c.points())
    for a in points:
        assert affine(todo.double_of(f, given(a))) == c.add(a, a)
        for b in rng.sample(points, min(len(points), 24)):
            assert affine(todo.sum_of(f, given(a), given(b))) == c.add(a, b)


@pytest.mark.parametrize("c", STANDARD, ids=lambda c: c.name)
def test_standard_curves(c: PrimeCurve) -> None:
    rng = random.Random(1)
    point = c.mul(rng.randrange(c.n), c.generator)
    assert point is not None
    last = (1 << c.n.bit_length()) - 1
    for k in [0, 1, 2, c.n - 1, c.n, min(c.n + 1, last), last, rng.randrange(c.n)]:
        assert Run(c, k, point, rng).answer == c.mul(k, point), hex(k)


def test_two_runs_begin_with_other_coordinates() -> None:
    c, rng = STANDARD[-1], random.Random(3)
    assert not {*Run(c, 5, c.generator, rng).starts} & {*Run(c, 5, c.generator, rng).starts}


def test_a_point_off_the_curve_is_told() -> None:
    c = TOYS[0]
    on = {*c.points()}
    off = next((x, y) for x in range(c.p) for y in range(c.p) if (x, y) not in on)
    assert not Run(c, 3, off, random.Random(4)).f.flags["curve"]


def test_the_trace_has_its_random_numbers_in_the_head_alone() -> None:
    c = STANDARD[0]
    graph = trace(program(c), Divsteps.enough(c.p, c.p, 60, 2))
    assert sorted(graph.head.masks.values()) == [0, 1, 2, 3]
    assert not graph.body.masks
    assert not graph.tail.masks
    assert graph.trips == c.n.bit_length() + 1
    assert len(graph.body.products()) == 30
    assert not any(s.lookups for s in graph.segments.values())


def test_other_curves_are_refused() -> None:
    c = curve("brainpoolP256r1")
    assert isinstance(c, PrimeCurve)
    with pytest.raises(ValueError, match="for a = 0 and a = -3"):
        program(c)
    with pytest.raises(ValueError, match="for one thread"):
        MaskedLadder(31, 28, 1, 4, threads=2)
