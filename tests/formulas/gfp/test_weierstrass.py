# SPDX-License-Identifier: Apache-2.0
"""The program over prime fields on numbers, against the curve reference, and against its trace."""

from __future__ import annotations

import random
from dataclasses import astuple, dataclass, field, replace

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.recode import (
    check_window,
    high_range,
    recode_window,
    top_values,
    window_digits,
)
from ecsm.curves.toy import TOY_PRIME_CURVES
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.complete import CompleteWeierstrass
from ecsm.formulas.gfp.graph import Kind
from ecsm.formulas.gfp.trace import Sym, Tracer, trace
from ecsm.formulas.gfp.weierstrass import State, Weierstrass
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import PRIME_PRESETS

XY = tuple[int, int]
WINDOWS = (2, 3, 4, 5)
PRIME_ORDER = [c for c in TOY_PRIME_CURVES if c.h == 1]


def suitable(c: PrimeCurve, w: int) -> bool:
    """Whether windows of w bits are safe for every scalar."""
    try:
        check_window(c.n, w)
    except ValueError:
        return False
    return True


SUITABLE = [(c, w) for c in PRIME_ORDER for w in WINDOWS if suitable(c, w)]


def label(v: object) -> str:
    return v.name if isinstance(v, PrimeCurve) else str(v)


def program(c: PrimeCurve, w: int, fewest: bool = False) -> Weierstrass:
    return Weierstrass(c.p, c.a, c.b, w, window_digits(c.n, w), top_values(c.n, w), fewest)


@dataclass
class Run:
    """The program's answer for k * point and what it says on its way."""

    point: Point
    on_curve: bool
    products: int
    entries: dict[int, Point]


def kp(c: PrimeCurve, w: int, k: int, point: XY, fewest: bool = False) -> Run:
    """Run the program on numbers."""
    recoded = recode_window(k, c.n, w)
    digits = list(reversed(recoded.digits))
    sign = {"negative": False}

    def condition(name: str) -> bool:
        return sign[name] if name == "negative" else recoded.negate != f.negative

    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), condition)
    todo = program(c, w, fewest)
    x, y = (Num(c.p, v) for v in point)
    todo.prepare(f, x, y)
    f.index = (digits[0] - 1) // 2
    assert f.index < todo.top
    state = todo.start(f, x, y)
    for d in digits[1:]:
        f.index, sign["negative"] = (abs(d) - 1) // 2, d < 0
        state = todo.step(f, state)
    todo.finish(f, state)
    answer = None if recoded.zero else (f.answers["x"], f.answers["y"])
    return Run(answer, f.flags["curve"], f.products, entries(f, c, todo))


def entries(f: Numbers, c: PrimeCurve, todo: Weierstrass) -> dict[int, Point]:
    """The table's points; their Z's powers must be powers."""
    points: dict[int, Point] = {}
    for i in range(todo.entries):
        x, y, z, zz, zzz = (f.table[i, name].value for name in ("X", "Y", "Z", "ZZ", "ZZZ"))
        assert zz == z * z % c.p
        assert zzz == z**3 % c.p
        points[2 * i + 1] = (x * pow(zz, -1, c.p) % c.p, y * pow(zzz, -1, c.p) % c.p) if z else None
    return points


@pytest.mark.parametrize("fewest", [False, True])
@pytest.mark.parametrize(("c", "w"), SUITABLE, ids=label)
def test_every_scalar_on_toy_curves(c: PrimeCurve, w: int, fewest: bool) -> None:
    rng = random.Random(f"{c.name} {w}")
    points = [p for p in c.points() if p is not None]
    products = set()
    for k in range(1 << c.n.bit_length()):
        point = rng.choice(points)
        done = kp(c, w, k, point, fewest)
        assert done.point == c.mul(k, point), (k, point)
        assert done.on_curve
        products.add(done.products)
    assert len(products) == 1
    assert done.entries == {i: c.mul(i, point) for i in done.entries}


def test_suitable_windows_are_tested() -> None:
    assert {c.name for c, _ in SUITABLE} == {c.name for c in PRIME_ORDER}
    assert {high_range(c.n, w) for c, w in SUITABLE} == {True, False}
    assert {top_values(c.n, w) == 1 for c, w in SUITABLE} == {True, False}


def test_presets_take_this_program() -> None:
    for p in PRIME_PRESETS.values():
        # test_endomorphism.py, _double, _buckets, _masked
        others = p.endomorphism or p.double or p.upward or p.masked
        if others or not isinstance(p.curve, PrimeCurve):
            continue  # test_edwards.py, test_xladder.py
        fewest = p.threads > 1 or p.kind not in ("whole", "folded")
        todo = replace(program(p.curve, p.window, fewest), threads=p.threads)
        assert isinstance(p.program, Weierstrass)
        assert astuple(p.program) == astuple(todo)
        assert isinstance(p.program, CompleteWeierstrass) == p.complete
    for c in SEC2_PRIME_CURVES:
        assert PrimePreset("any", c.name).program == program(c, 5)


@pytest.mark.parametrize("c", TOY_PRIME_CURVES, ids=label)
def test_the_curve_flag_is_the_equation(c: PrimeCurve) -> None:
    """For every pair of field elements where there are few, else a part of them."""
    todo = program(c, 2)
    on = 0
    for x in range(0, c.p, max(1, c.p // 31)):
        for y in range(c.p):
            f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), lambda _: False)
            todo.prepare(f, Num(c.p, x), Num(c.p, y))
            assert f.flags["curve"] == c.contains((x, y))
            on += f.flags["curve"]
    assert on


@pytest.mark.parametrize("c", SEC2_PRIME_CURVES, ids=label)
def test_standard_curves(c: PrimeCurve) -> None:
    w = 5
    d = c.n % (1 << w)
    rng = random.Random(c.name)
    products = set()
    point = c.mul(rng.randrange(c.n), c.generator)
    assert point is not None
    edges = [0, 1, 2, c.n - 2, c.n - 1, c.n, (1 << c.n.bit_length()) - 1]
    # Without the high range, n - 2d would end by adding a point to itself.
    for k in (*edges, c.n - 2 * d, 2 * d, rng.randrange(c.n)):
        done = kp(c, w, k, point)
        assert done.point == c.mul(k, point)
        products.add(done.products)
    assert len(products) == 1


@dataclass
class Counting(Numbers):
    """Numbers that count products as the tracer does: 0 and 1 need none, equal ones are one.

    Results are random, but the same for the same operands, so that two forms that are not the same
    have, on a large field, not the same value by chance.
    """

    rng: random.Random = field(default_factory=lambda: random.Random(1))
    known: dict[object, Num] = field(default_factory=dict)
    sums: int = 0

    def fresh(self, key: object) -> Num:
        if key not in self.known:
            self.known[key] = Num(self.p, self.rng.randrange(2, self.p))
        return self.known[key]

    def mul(self, name: str, a: Num, b: Num) -> Num:
        for left, right in ((a, b), (b, a)):
            if right.value == 0:
                return right
            if right.value == 1:
                return left
        self.products += (key := frozenset((a.value, b.value))) not in self.known
        return self.fresh(key)

    def matrix(self, batch: int) -> tuple[Num, Num, Num, Num]:
        u, v, q, r = (self.fresh((batch, i)) for i in range(4))
        return u, v, q, r

    def sum(self, name: str, v: Num) -> Num:
        self.sums += v.value not in self.known
        return self.fresh(v.value)


def random_state(c: PrimeCurve, rng: random.Random) -> State[Num]:
    return State(*(Num(c.p, rng.randrange(2, c.p)) for _ in range(4)))


@pytest.mark.parametrize("fewest", [False, True])
@pytest.mark.parametrize("w", [3, 5, 7])
@pytest.mark.parametrize("c", SEC2_PRIME_CURVES, ids=label)
def test_trace_and_numbers_count_the_same(c: PrimeCurve, w: int, fewest: bool) -> None:
    todo, steps = program(c, w, fewest), Divsteps.enough(c.p, c.p, 60, 2)
    graph = trace(todo, steps)
    rng = random.Random(2)
    columns = ("X", "Y", "Z", "ZZ", "ZZZ")

    def algebra() -> Counting:
        table = {(0, name): Num(c.p, rng.randrange(2, c.p)) for name in columns}
        return Counting(c.p, steps, lambda _: False, table=table)

    head, body, tail = (algebra() for _ in range(3))
    x, y = (Num(c.p, rng.randrange(2, c.p)) for _ in range(2))
    todo.prepare(head, x, y)
    todo.start(head, x, y)
    todo.step(body, random_state(c, rng))
    todo.finish(tail, random_state(c, rng))
    for f, name in ((head, "head"), (body, "body"), (tail, "tail")):
        segment = graph.segments[name]
        assert len(segment.products()) == f.products, name
        assert sum(o.kind is Kind.SUM for o in segment.ops) == f.sums, name
    assert graph.trips == window_digits(c.n, w) - 1
    stored = {place for places in graph.head.stores.values() for place in places}
    assert stored == {(i, name) for i in range(1 << (w - 1)) for name in columns}


@pytest.mark.parametrize("c", SEC2_PRIME_CURVES, ids=label)
def test_a_radix_costs_a_product_for_each_number_that_comes_or_goes(c: PrimeCurve) -> None:
    """The point comes in and goes out by two products each; the loop is the same."""
    todo, steps = program(c, 5), Divsteps.enough(c.p, c.p, 60, 2)
    plain, other = trace(todo, steps), trace(todo, steps, radix=pow(2, 270, c.p))
    assert other.body == plain.body
    for name in ("head", "tail"):
        products, more = (g.segments[name].products() for g in (plain, other))
        assert len(more) == len(products) + 2
        added = {o.name for o in more} - {o.name for o in products}
        assert added == ({"x·R", "y·R"} if name == "head" else {"x/R", "y/R"})


def test_plain_numbers_count_the_loop_like_the_trace() -> None:
    for c in SEC2_PRIME_CURVES:
        todo = program(c, 5)
        graph = trace(todo, Divsteps.enough(c.p, c.p, 60, 2))
        f = Numbers(c.p, Divsteps.enough(c.p, c.p, 60, 2), lambda _: False)
        for name in ("X", "Y", "Z", "ZZ", "ZZZ"):
            f.table[0, name] = Num(c.p, 7)
        todo.step(f, random_state(c, random.Random(3)))
        assert f.products == len(graph.body.products())


@pytest.mark.parametrize("fewest", [False, True])
def test_doubling_and_addition_are_the_group_law(fewest: bool) -> None:
    rng = random.Random(4)
    for c in (*PRIME_ORDER, *SEC2_PRIME_CURVES):
        todo = program(c, 3, fewest)
        f = Numbers(c.p, Divsteps.enough(c.p, c.p, 60, 2), lambda _: False)
        for _ in range(10):
            point = c.mul(rng.randrange(1, c.n), c.generator)
            assert point is not None
            z, split = rng.randrange(1, c.p), rng.randrange(c.p)
            y = point[1] * z**3
            state = State(*(f.const(v) for v in (point[0] * z * z, y + split, split, z)))
            assert affine(c, todo.double(f, state)) == c.double(point)


def affine(c: PrimeCurve, s: State[Num]) -> Point:
    z = pow(s.z.value, -1, c.p)
    return s.x.value * z * z % c.p, (s.ya - s.yb).value * z**3 % c.p


def test_the_tracer_refuses_what_the_machine_cannot_do() -> None:
    f = Tracer(31, Divsteps(6, 1, 3), ["x", "y"])
    x, y = f.atom(0), f.atom(1)
    choice = f.negate("negative", x)
    with pytest.raises(TraceError, match="choice"):
        f.negate("flip", choice)
    with pytest.raises(TraceError, match="needs a product or a sum"):
        f.store(0, "X", x)
    product = f.mul("xy", x, y)
    with pytest.raises(TraceError, match="needs a sum"):
        f.test("curve", product)
    with pytest.raises(TraceError, match="needs a sum"):
        f.divide(product)
    assert f.mul("yx", y, x) == product
    assert f.mul("x·0", x, f.const(31)) == Sym(f.const(0).form)
    assert f.mul("x·1", x, f.const(32)) == x


@pytest.mark.parametrize("name", PRIME_PRESETS)
def test_no_product_is_made_for_none(name: str) -> None:
    # The last matrix of an inversion and the last doubling before an addition are made as the
    # others are; what none takes of theirs is beside the longest chain and costs no cycle.
    spared = {"q·d", "r·e", "bZ"}
    for segment in PRIME_PRESETS[name].graph().segments.values():
        read = {atom for o in segment.ops for atom in o.atoms}
        read |= {*segment.outputs, *segment.stores, *segment.kept}
        assert {o.name for o in segment.products() if o.atom not in read} <= spared
