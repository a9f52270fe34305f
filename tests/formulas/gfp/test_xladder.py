# SPDX-License-Identifier: Apache-2.0
"""The x-line's ladder on numbers, against the reference, and against its trace."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from ecsm.curves import CURVE25519, XLine
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.recode import swaps
from ecsm.curves.toy import TOY_XLINE
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.graph import Kind
from ecsm.formulas.gfp.trace import Sym, Tracer, trace
from ecsm.formulas.gfp.xfewest import XLadderFewest
from ecsm.formulas.gfp.xladder import LadderOfLine, XLadder
from ecsm.presets.gfp_table import PRIME_PRESETS

Run = Callable[[XLine, int, int, int], tuple[int, int]]


def run(todo: LadderOfLine, k: int, x: int, look: Callable[[Any, int], None]) -> Numbers:
    """Run a program for an even k; ``look`` at each step's variables, and its products."""
    swap = False
    f = Numbers(todo.p, Divsteps.enough(todo.p, todo.p, 6, 1), lambda _: swap)
    todo.prepare(f, Num(todo.p, x), Num(todo.p, 0))
    assert f.flags["curve"]
    s = todo.start(f, Num(todo.p, x), Num(todo.p, 0))
    top, *digits = reversed(swaps(k, todo.digits).digits)
    assert top == 1
    for digit in digits:
        swap, before = digit == 1, f.products
        s = todo.step(f, s)
        look(s, f.products - before)
    todo.finish(f, s)
    return f


def fewest(c: XLine, k: int, bits: int, x: int) -> tuple[int, int]:
    """Run the program for threads, alone; return x and the number of products."""

    def look(_: object, products: int) -> None:
        assert products == 10

    f = run(XLadderFewest(c.p, c.c, bits), k, x, look)
    return f.answers["x"], f.products


def ladder(c: XLine, k: int, bits: int, x: int) -> tuple[int, int]:
    """Run the program for one job; return x and the number of products."""

    def look(s: Any, _: int) -> None:
        assert s.w2.value == c.c * s.z2.value % c.p
        assert s.w3.value == c.c * s.z3.value % c.p
        assert (s.ux3.value, s.uz3.value) == (x * s.x3.value % c.p, x * s.z3.value % c.p)

    f = run(XLadder(c.p, c.c, bits), k, x, look)
    assert f.answers["y"] == 0
    return f.answers["x"], f.products


@pytest.mark.parametrize("program", [ladder, fewest])
@pytest.mark.parametrize("bits", [2, 5, 8])
def test_every_even_scalar_times_every_x_of_the_toy(bits: int, program: Run) -> None:
    """Points of the curve and its twist, low orders and infinity among the results."""
    c = TOY_XLINE
    seen, zero = set(), 0
    for x in range(c.p):
        for k in range(1 << bits - 1, 1 << bits, 2):
            got, products = program(c, k, bits, x)
            assert (got, 0) == c.multiple(k, (x, 0)), (k, x)
            seen.add(products)
            zero += got == 0
    assert len(seen) == 1
    assert zero


@pytest.mark.parametrize("program", [ladder, fewest])
def test_curve25519(program: Run) -> None:
    c, rng = CURVE25519, random.Random(1)
    for x in (0, 1, c.p - 1, 2, 9, *(rng.randrange(c.p) for _ in range(3))):
        k = c.decode_scalar(rng.getrandbits(256))
        assert (program(c, k, 255, x)[0], 0) == c.multiple(k, (x, 0))


def test_a_v_is_refused() -> None:
    c = TOY_XLINE
    for v in range(c.p):
        f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), lambda _: False)
        XLadder(c.p, c.c, 7).prepare(f, Num(c.p, 3), Num(c.p, v))
        assert f.flags["curve"] == (v == 0)


def test_presets_take_this_program() -> None:
    found = [p for p in PRIME_PRESETS.values() if isinstance(p.curve, XLine)]
    assert {p.curve_name for p in found} == {"curve25519", "toyp7x"}
    for p in found:
        assert isinstance(p.curve, XLine)
        program = XLadder if p.threads == 1 else XLadderFewest
        assert p.program == program(p.curve.p, p.curve.c, p.field_bits, threads=p.threads)


def test_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="infinity would spoil"):
        XLadder(109, 3, 7, threads=3)


def test_the_trace_is_two_levels_of_17_products_and_two_choices() -> None:
    c = CURVE25519
    graph = trace(XLadder(c.p, c.c, 255), Divsteps.enough(c.p, c.p, 60, 2))
    body = graph.body
    assert graph.trips == 254
    assert len(body.products()) == 17
    assert [o.kind for o in body.ops].count(Kind.SUM) == 2
    level: dict[int, int] = {}
    for op in body.ops:
        before = max((level.get(a, 0) for a in op.atoms), default=0)
        level[op.atom] = before + (op.kind is Kind.PRODUCT)
    assert max(level.values()) == 2
    assert len(set(graph.head.outputs)) == len(graph.variables) == 8
    (digit,) = body.digit_turns()
    assert {o.name for o in digit} == {"X of the chosen", "Z of the chosen", "cXZ"}


def test_a_choice_of_a_choice_or_of_a_later_digit_is_refused() -> None:
    f = Tracer(31, Divsteps(6, 1, 3), ["x", "y"])
    x, y = f.atom(0), f.atom(1)
    chosen = f.select("swap", x, y)
    assert chosen != f.select("swap", y, x)
    assert chosen != Sym(x.form)
    for pair in ((chosen, x), (x, chosen)):
        with pytest.raises(TraceError, match="choice"):
            f.select("flip", *pair)
    f.next_digit()
    with pytest.raises(TraceError, match="first digit"):
        f.select("swap", x, y)
