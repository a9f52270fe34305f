# SPDX-License-Identifier: Apache-2.0
"""The program from the lowest digit up on numbers, against the curve reference, and its trace."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.endomorphism import WORD, Decomposition, beta, decomposition, small_form
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.recode import WindowRecoding, recode_window, upward, window_digits
from ecsm.curves.toy import TOY_PRIME_CURVES
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.buckets import CompleteBuckets, EndomorphismBuckets
from ecsm.formulas.gfp.trace import Tracer, trace
from ecsm.presets.gfp_table import PRIME_PRESETS

MINUS_THREE = [c for c in TOY_PRIME_CURVES if c.a == c.p - 3 and c.h == 1]
STANDARD = [c for c in SEC2_PRIME_CURVES if c.a == c.p - 3]
TOY = next(c for c in TOY_PRIME_CURVES if c.name == "toyp8e")
K1 = next(c for c in SEC2_PRIME_CURVES if c.name == "secp256k1")


def program(c: PrimeCurve, w: int) -> CompleteBuckets:
    return CompleteBuckets(c.p, c.a, c.b, w, window_digits(c.n, w), 0)


def halved(c: PrimeCurve, d: Decomposition) -> EndomorphismBuckets:
    u, nine_b = small_form(c)
    return EndomorphismBuckets(
        c.p, c.a, c.b, d.w, d.digits, 0, beta=beta(c, d.lam), u=u, nine_b=nine_b
    )


def run(
    todo: CompleteBuckets | EndomorphismBuckets, recoded: WindowRecoding, point: tuple[int, int]
) -> tuple[Point, bool, int]:
    """Run the program; return its answer, whether the point is on the curve, and the products."""
    digits = iter(reversed(recoded.digits))
    now = {"digit": 1}

    def advance() -> None:
        now["digit"] = next(digits)
        f.index = recoded.entry(now["digit"])

    def condition(name: str) -> bool:
        return now["digit"] < 0 if name == "negative" else recoded.negate != f.negative

    f = Numbers(todo.p, Divsteps.enough(todo.p, todo.p, 6, 1), condition, advance=advance)
    f.table |= {(i, column): f.const(0) for i in range(todo.entries) for column in "XYZ"}
    x, y = (Num(todo.p, v) for v in point)
    todo.prepare(f, x, y)
    state = todo.start(f, x, y)
    for _ in range(todo.digits - 1):
        advance()
        state = todo.step(f, state)
    advance()
    todo.finish(f, state)
    assert next(digits, None) is None
    answer = None if recoded.zero else (f.answers["x"], f.answers["y"])
    return answer, f.flags["curve"], f.products


def kp(c: PrimeCurve, w: int, k: int, point: tuple[int, int]) -> tuple[Point, bool, int]:
    """Run the program of a curve, for windows of w bits."""
    if c.a:
        return run(program(c, w), upward(recode_window(k, c.n, w), w), point)
    d = decomposition(c.n, w, 3 if c.p < 1 << 16 else WORD)
    return run(halved(c, d), d.recode(k, upward=True), point)


@pytest.mark.parametrize("w", [2, 3, 4])
@pytest.mark.parametrize("c", [*MINUS_THREE, TOY], ids=lambda c: c.name)
def test_every_scalar_on_toy_curves(c: PrimeCurve, w: int) -> None:
    """All of the port's scalars: buckets that stay empty, meet R or its opposite, or cancel."""
    rng = random.Random(w)
    points = [p for p in c.points() if p is not None]
    seen = set()
    for k in range(1 << c.n.bit_length()):
        point = rng.choice(points)
        answer, on_curve, products = kp(c, w, k, point)
        assert answer == c.mul(k, point), (k, point)
        assert on_curve
        seen.add(products)
    assert len(seen) == 1


@pytest.mark.parametrize("c", [*STANDARD, K1], ids=lambda c: c.name)
def test_standard_curves(c: PrimeCurve) -> None:
    rng = random.Random(1)
    point = c.mul(rng.randrange(c.n), c.generator)
    assert point is not None
    edges = [0, 1, 2, c.n - 1, c.n, (1 << c.n.bit_length()) - 1]
    seen = set()
    for k in [*edges, *(rng.randrange(c.n) for _ in range(3))]:
        answer, on_curve, products = kp(c, 4, k, point)
        assert answer == c.mul(k, point), hex(k)
        assert on_curve
        seen.add(products)
    assert len(seen) == 1


def test_a_point_off_the_curve_is_told() -> None:
    c = MINUS_THREE[0]
    on = {p for p in c.points() if p is not None}
    off = next((x, y) for x in range(c.p) for y in range(c.p) if (x, y) not in on)
    assert not kp(c, 2, 3, off)[1]


def test_the_trace_keeps_buckets_and_reads_them_by_their_digits() -> None:
    c = STANDARD[1]
    todo = program(c, 4)
    graph = trace(todo, Divsteps.enough(c.p, c.p, 60, 2))
    assert graph.trips == todo.digits - 1
    assert not graph.head.lookups
    assert not any(s.stores for s in graph.segments.values())
    for segment in (graph.body, graph.tail):
        assert sorted(segment.kept.values()) == [("X", 0), ("Y", 0), ("Z", 0)]
    assert set(graph.body.turns.values()) == set()
    assert set(graph.tail.turns.values()) == set(range(1, todo.entries + 1))


def test_presets_take_this_program() -> None:
    found = [p for p in PRIME_PRESETS.values() if p.upward]
    assert {"p256-fast", "toyp5-u", "toyp8-u", "toyp8-glv-b", "k256-glv"} <= {p.name for p in found}
    for p in found:
        assert isinstance(p.curve, PrimeCurve)
        own = program(p.curve, p.window) if p.complete else halved(p.curve, p.decomposition)
        assert p.program == own
    for other in ({"threads": 6}, {"complete": False}, {"double": True}):
        with pytest.raises(ValueError, match="digits upward take complete formulas and one thread"):
            replace(found[0], **other)


def test_what_is_kept_is_a_product_or_a_sum() -> None:
    f = Tracer(31, Divsteps(6, 1, 3), ["x"])
    with pytest.raises(TraceError, match="an entry needs a product or a sum"):
        f.keep("X", f.atom(0))
