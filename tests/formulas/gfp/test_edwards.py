# SPDX-License-Identifier: Apache-2.0
"""The program of Edwards curves on numbers: every pair of points, then every scalar."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves import EDWARDS25519, EdwardsCurve, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.recode import corrected
from ecsm.curves.toy import TOY_EDWARDS
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.edwards import Edwards, Extended
from ecsm.formulas.gfp.trace import trace
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.presets.gfp_table import PRIME_PRESETS


def program(c: EdwardsCurve, w: int) -> Edwards:
    return Edwards(c.p, c.d, w, -(-c.scalar_bits // w))


def numbers(c: EdwardsCurve) -> Numbers:
    return Numbers(c.p, Divsteps.enough(c.p, c.p, 60, 2), lambda _: False)


def kp(c: EdwardsCurve, w: int, k: int, point: tuple[int, int]) -> tuple[Point, int]:
    """Run the program; return its answer and how many products it took."""
    todo = program(c, w)
    recoded = corrected(k, todo.digits, w)
    digits = iter(reversed(recoded.digits))
    now = {"digit": next(digits)}

    def advance() -> None:
        now["digit"] = next(digits)
        f.index = recoded.entry(now["digit"])

    def condition(name: str) -> bool:
        return now["digit"] < 0 if name == "negative" else f.negative

    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), condition, advance=advance)
    f.table |= {(i, column): f.const(0) for i in range(todo.entries) for column in COLUMNS[:4]}
    x, y = (Num(c.p, v) for v in point)
    todo.prepare(f, x, y)
    assert f.flags["curve"]
    s = todo.start(f, x, y)
    for _ in range(todo.digits - 1):
        advance()
        s = todo.step(f, s)
    advance()
    todo.finish(f, s)
    assert next(digits, None) is None
    return (f.answers["x"], f.answers["y"]), f.products


def extended(f: Numbers, point: Point, rng: random.Random) -> Extended[Num]:
    """Return a point by a random representative."""
    assert point is not None
    z = rng.randrange(1, f.p)
    x, y = point
    return Extended(*(f.const(v) for v in (x * z, y * z, z, x * y * z)))


def affine(c: EdwardsCurve, s: Extended[Num]) -> Point:
    """Return the point; its T must be XY/Z."""
    assert s.t.value * s.z.value % c.p == s.x.value * s.y.value % c.p
    z = pow(s.z.value, -1, c.p)
    return s.x.value * z % c.p, s.y.value * z % c.p


def test_every_sum_and_double_of_the_toys_points() -> None:
    """The neutral element, equal, opposite and points of small order are like the others."""
    c, rng = TOY_EDWARDS, random.Random(1)
    f, todo = numbers(c), program(c, 2)
    for p in c.points():
        s = extended(f, p, rng)
        assert affine(c, todo.double(f, s)) == c.double(p)
        for q in c.points():
            total = todo.add(f, s.addend(), extended(f, q, rng).addend())
            assert affine(c, total) == c.add(p, q), (p, q)


@pytest.mark.parametrize("w", [2, 3, 4])
def test_every_scalar_times_every_point_of_the_toy(w: int) -> None:
    c, rng = TOY_EDWARDS, random.Random(w)
    seen = set()
    for point in c.points():
        assert point is not None
        for k in (0, 1, 13, 104, 255, *rng.sample(range(256), 25)):
            answer, products = kp(c, w, k, point)
            assert answer == c.mul(k, point), (k, point)
            seen.add(products)
    assert len(seen) == 1


def test_edwards25519() -> None:
    c, rng = EDWARDS25519, random.Random(2)
    top = 2**256 - 1
    for k in (0, 1, 8, c.n - 1, c.n, c.n + 1, 8 * c.n, top, rng.getrandbits(256)):
        point = c.add(c.mul(rng.randrange(c.n), c.generator), (0, c.p - 1))  # not of order n
        assert point is not None
        assert kp(c, 4, k, point)[0] == c.mul(k, point)


def test_the_curve_flag_is_the_equation() -> None:
    c = TOY_EDWARDS
    todo = program(c, 2)
    on = 0
    for x in range(c.p):
        for y in range(c.p):
            f = numbers(c)
            todo.prepare(f, Num(c.p, x), Num(c.p, y))
            assert f.flags["curve"] == c.contains((x, y))
            on += f.flags["curve"]
    assert on == c.n * c.h


def test_presets_take_this_program() -> None:
    found = [p for p in PRIME_PRESETS.values() if isinstance(p.curve, EdwardsCurve)]
    assert {p.curve_name for p in found} == {"edwards25519", "toyp7d"}
    for p in found:
        assert isinstance(p.curve, EdwardsCurve)
        assert p.program == program(p.curve, p.window)


def test_the_trace_keeps_buckets() -> None:
    c = EDWARDS25519
    graph = trace(program(c, 4), Divsteps.enough(c.p, c.p, 60, 2))
    assert graph.trips == 63
    assert len(graph.body.products()) == 4 * 7 + 1 + 9
    assert not any(s.stores for s in graph.segments.values())
    assert [column for column, _ in graph.head.kept.values()] == ["X", "Y", "ZZ"]
    for segment in (graph.body, graph.tail):
        assert {column for column, _ in segment.kept.values()} == {"X", "Y", "Z", "ZZ"}
    level: dict[int, int] = {}
    for op in graph.body.products():
        level[op.atom] = 1 + max((level.get(a, 0) for a in op.atoms), default=0)
    assert max(level.values()) == 8  # those of four doublings: the sum is beside them


def test_a_curve_has_this_program_only() -> None:
    with pytest.raises(ValueError, match="takes one thread"):
        replace(PRIME_PRESETS["ed25519"], threads=6)
    with pytest.raises(ValueError, match="window must be at least 2"):
        replace(PRIME_PRESETS["ed25519"], window=1)
