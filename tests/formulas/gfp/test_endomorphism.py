# SPDX-License-Identifier: Apache-2.0
"""The program with the endomorphism on numbers, against the curve reference and its trace."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.endomorphism import Decomposition, beta, decomposition, small_form
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.toy import TOY_PRIME_CURVES
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.gfp.trace import Tracer, trace
from ecsm.formulas.gfp.weierstrass import State
from ecsm.presets.gfp_table import PRIME_PRESETS

K1 = next(c for c in SEC2_PRIME_CURVES if c.name == "secp256k1")
TOY = next(c for c in TOY_PRIME_CURVES if c.name == "toyp8e")


def program(c: PrimeCurve, d: Decomposition) -> WeierstrassEndomorphism:
    return WeierstrassEndomorphism(
        c.p,
        c.a,
        c.b,
        d.w,
        d.digits,
        1 << (d.w - 1),
        beta=beta(c, d.lam),
        u=small_form(c)[0],
        nine_b=small_form(c)[1],
    )


def kp(c: PrimeCurve, d: Decomposition, k: int, point: tuple[int, int]) -> tuple[Point, bool, int]:
    """Run the program; return its answer, whether the point is on the curve, and the products."""
    recoded = d.recode(k)
    digits = iter(reversed(recoded.digits))
    now = {"digit": 1}

    def advance() -> None:
        now["digit"] = next(digits)
        f.index = (abs(now["digit"]) - 1) // 2

    def condition(name: str) -> bool:
        return now["digit"] < 0 if name == "negative" else f.negative

    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), condition, advance=advance)
    todo = program(c, d)
    x, y = (Num(c.p, v) for v in point)
    todo.prepare(f, x, y)
    advance()
    state = todo.start(f, x, y)
    for _ in range(todo.digits - 1):
        advance()
        state = todo.step(f, state)
    advance()
    todo.finish(f, state)
    assert next(digits, None) is None
    answer = None if recoded.zero else (f.answers["x"], f.answers["y"])
    return answer, f.flags["curve"], f.products


@pytest.mark.parametrize("w", [2, 3])
def test_every_scalar_on_a_toy(w: int) -> None:
    d = decomposition(TOY.n, w, 3)
    points = [p for p in TOY.points() if p is not None]
    rng = random.Random(w)
    seen = set()
    for k in range(1 << d.bits):
        for point in rng.sample(points, 3):
            answer, on_curve, products = kp(TOY, d, k, point)
            assert answer == TOY.mul(k, point), (k, point)
            assert on_curve
            seen.add(products)
    assert len(seen) == 1


def test_secp256k1() -> None:
    d = decomposition(K1.n, 5)
    rng = random.Random(1)
    n, lam = K1.n, d.lam
    point = K1.mul(rng.randrange(n), K1.generator)
    assert point is not None
    edges = [0, 1, 2, n - 1, n, n + 1, 2**256 - 1, lam, n - lam, 58 * lam % n, n - 58 * lam % n]
    seen = set()
    for k in [*edges, *(rng.randrange(n) for _ in range(5))]:
        answer, on_curve, products = kp(K1, d, k, point)
        assert answer == K1.mul(k, point), hex(k)
        assert on_curve
        seen.add(products)
    assert len(seen) == 1


def test_presets_take_this_program() -> None:
    found = [p for p in PRIME_PRESETS.values() if p.endomorphism and not (p.double or p.upward)]
    assert {p.curve_name for p in found} == {"secp256k1", "toyp8e"}
    for p in found:
        assert isinstance(p.curve, PrimeCurve)
        alone = program(p.curve, decomposition(p.curve.n, p.window, p.halves))
        assert p.program == replace(alone, threads=p.threads)


def test_the_trace_has_a_lookup_for_every_digit() -> None:
    d = decomposition(K1.n, 5)
    graph = trace(program(K1, d), Divsteps.enough(K1.p, K1.p, 60, 2))
    assert graph.trips == d.digits - 1
    columns = {"X", "Y", "Z", "ZZ", "ZZZ"}
    head = graph.head
    used = {a for o in head.ops for a in o.atoms & head.lookups.keys()}
    assert {head.lookups[a] for a in used} == {"X", "Y", "Z"}
    assert set(graph.tail.lookups.values()) == columns
    body = graph.body
    assert len(body.lookups) == 10
    for turn in (0, 1):
        of = {name for a, name in body.lookups.items() if body.turns.get(a, 0) == turn}
        assert of == columns
    image, own = body.digit_turns()
    assert {o.name for o in image} - {o.name for o in own} == {"βX", "β·3bX"}
    signed = [o.name for o in body.ops if any(t.guard for t in o.terms)]
    assert sorted(signed) == sorted(["C = Y1Y2", "X1Y2", "Y2Z1"] * 2)


@pytest.mark.parametrize("c", [TOY, K1], ids=lambda c: c.name)
def test_the_formulas_are_complete(c: PrimeCurve) -> None:
    """Sums and doubles of any points, on the curve of small constant: infinity, equal, opposite."""
    todo = program(c, decomposition(c.n, 2, 3 if c is TOY else 18))
    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), lambda _: False)
    rng = random.Random(2)
    u = todo.u

    def given(point: Point) -> State[Num]:
        """Any representation of a point, Y as a difference."""
        z, split = rng.randrange(1, c.p), rng.randrange(c.p)
        x, y = (u**2 * point[0] * z, u**3 * point[1] * z) if point else (0, z)
        return State(*(f.const(v) for v in (x, y + split, split, z if point else 0)))

    def found(s: State[Num]) -> Point:
        if s.z.value == 0:
            assert s.x.value == 0
            assert (s.ya - s.yb).value
            return None
        back = pow(s.z.value, -1, c.p)
        x, y = s.x.value * back, (s.ya - s.yb).value * back
        return x * pow(u, -2, c.p) % c.p, y * pow(u, -3, c.p) % c.p

    few: list[Point] = [None, *(c.mul(k, c.generator) for k in (1, 2, 3, c.n - 1, c.n - 2))]
    points = list(c.points()) if c is TOY else few
    for p in points:
        assert found(todo.double(f, given(p))) == c.double(p)
        for q in points:
            s = given(q)
            entry = todo._scaled(f, s.x, s.ya - s.yb, s.z)
            assert found(todo.join(f, given(p), entry)) == c.add(p, q), (p, q)


def test_a_sign_belongs_to_the_entry_of_its_digit() -> None:
    f = Tracer(31, Divsteps(6, 1, 3), ["x"])
    first = f.lookup("Y")
    f.next_digit()
    second = f.lookup("Y")
    assert first != second
    f.negate("negative", second)
    with pytest.raises(TraceError, match="the sign of its own digit only"):
        f.negate("negative", first)


def test_a_sign_is_used_while_its_digit_is_there() -> None:
    f = Tracer(31, Divsteps(6, 1, 3), ["x"])
    early = f.negate("negative", f.atom(0))
    first = f.sum("first", early)
    f.next_digit()
    with pytest.raises(TraceError, match="the sign of another digit"):
        f.sum("late", early)
    second = f.sum("second", f.negate("negative", f.atom(0)))
    assert first != second
    assert f.segment.turns == {second.form.single: 1}
