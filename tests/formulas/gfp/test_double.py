# SPDX-License-Identifier: Apache-2.0
"""The programs of aG + bP on numbers: every pair of scalars of a toy, and what they cost."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import Point
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.complete import CompleteWeierstrass
from ecsm.formulas.gfp.double import CompleteDouble, EndomorphismDouble
from ecsm.formulas.gfp.graph import Kind
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import PRIME_PRESETS

TOYS = ("toyp5-v", "toyp7-v", "toyp8-v")
REAL = ("p256-verify", "p384-verify", "k256-verify")


def run(p: PrimePreset, k: int, point: Point) -> tuple[Point, bool, int]:
    """Run the program; return its answer, whether the point is on the curve, and the products."""
    program = p.program
    assert isinstance(program, CompleteDouble | EndomorphismDouble)
    digits = iter(reversed(p.recode(k).digits))
    now = {"digit": 1}

    def advance() -> None:
        now["digit"] = next(digits)
        f.index = (abs(now["digit"]) - 1) // 2

    def condition(name: str) -> bool:
        return {"negative": now["digit"] < 0, "infinity": point is None}[name]

    f = Numbers(p.curve.p, p.divsteps, condition, advance=advance)
    for i, entry in enumerate(program.fixed):
        for column, v in zip(COLUMNS, entry, strict=True):
            f.table[program.entries + i, column] = f.const(v)
    x, y = (Num(p.curve.p, v) for v in (point or (0, 0)))
    program.prepare(f, x, y)
    advance()
    state = program.start(f, x, y)
    for _ in range(program.digits - 1):
        advance()
        state = program.step(f, state)
    if p.endomorphism:  # the image for k2's lowest digit is the tail's
        advance()
    program.finish(f, state)
    assert next(digits, None) is None
    x, y = (Num(p.curve.p, f.answers[name]) for name in "xy")
    assert x.value == 0 or y.value != 0  # infinity has both zero, and no point has y = 0
    return (x.value, y.value) if y.value else None, f.flags["curve"], f.products


@pytest.mark.parametrize("name", TOYS)
def test_pairs_of_scalars_on_a_toy(name: str) -> None:
    """All scalars a with some b, all b with some a, and every point, infinity too."""
    p, rng = PRIME_PRESETS[name], random.Random(name)
    points, bits = [*p.curve.points()], p.curve.n.bit_length()
    products = set()
    for i in range(1 << bits):
        for a, b in ((i, rng.getrandbits(bits)), (rng.getrandbits(bits), i), (i, -i % p.curve.n)):
            point = rng.choice([*points[:3], *points])
            answer, on_curve, count = run(p, a << bits | b, point)
            assert answer == p.multiple(a << bits | b, point), (a, b, point)
            assert on_curve or point is None
            products.add(count)
    assert len(products) == 1


@pytest.mark.parametrize("name", REAL)
def test_a_standard_curve(name: str) -> None:
    p, rng = PRIME_PRESETS[name], random.Random(name)
    n, bits = p.curve.n, p.curve.n.bit_length()
    m = rng.randrange(1, n)
    point = p.curve.mul(m, p.curve.generator)
    for a, b in ((0, 0), (1, 0), (0, 1), (n, n - 1), (n - m, 1), (m * 5 % n, 5), (m, n - 1)):
        assert run(p, a << bits | b, point)[0] == p.multiple(a << bits | b, point), (a, b)
    assert run(p, 5 << bits | 7, None)[0] == p.curve.mul(5, p.curve.generator)


def test_a_point_off_the_curve_is_noticed() -> None:
    p = PRIME_PRESETS["toyp7-v"]
    assert not run(p, 5, (0, 0))[1]


def test_the_fixed_entries_are_points_and_as_an_addition_takes_them() -> None:
    for name in (*TOYS, *REAL):
        p = PRIME_PRESETS[name]
        program, c, q = p.program, p.curve, p.curve.p
        assert isinstance(program, CompleteDouble | EndomorphismDouble)
        assert isinstance(c, PrimeCurve)
        b = c.b if c.a else program.nine_b * pow(9, -1, q)  # type: ignore[union-attr]
        for x, y, z, first, second in program.fixed:
            assert (y * y * z - x**3 - c.a * x * z * z - b * z**3) % q == 0
            want = (x - b * z, 3 * z - b * x) if c.a else (3 * b * z, 3 * b * x)
            assert (first, second) == tuple(v % q for v in want)
            assert z == (name not in TOYS or x != 0 or y != 1)


def test_the_loop_has_the_levels_of_kp() -> None:
    """The second accumulator stands beside the chain, and costs a doubling and an addition."""
    p = PRIME_PRESETS["p256-verify"]
    body = p.graph().body
    level: dict[int, int] = {}
    for op in body.ops:
        below = max([level.get(a, 0) for a in op.atoms], default=0)
        level[op.atom] = below + (op.kind is Kind.PRODUCT)
    assert max(level.values()) == 2 * 5 + 2 + 1
    # Two doublings are before an addition, which needs no bZ: two products less.
    assert len(body.products()) == 14 * 6 - 2 * 2 + 2 * 18
    assert isinstance(p.program, CompleteWeierstrass)


def test_lookups_of_constants_are_named_and_wait_for_no_table() -> None:
    for name in REAL:
        for segment in PRIME_PRESETS[name].graph().segments.values():
            for atom, text in segment.inputs.items():
                assert (atom in segment.fixed) == text.startswith("G")
                assert (atom in segment.lookups) == text.startswith(("G", "T"))
