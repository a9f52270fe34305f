# SPDX-License-Identifier: Apache-2.0
"""Programs of the word engine: formulas in order, bounds, places, and kP on the model."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.homogeneous import Homogeneous, small
from ecsm.schedule.sequential.flow import steps
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.multiply import multiplication
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.recorder import Linear, OutOfRange, Recorder, placed
from ecsm.schedule.sequential.words import Do, Order
from ecsm.status import Status


def prime(name: str) -> PrimeCurve:
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    return c


P256 = Modulus(prime("P-256").p)


@pytest.mark.parametrize(
    ("name", "in_add", "in_double"),
    [("P-256", 14, (3, 5)), ("secp256k1", 12, (2, 6)), ("brainpoolP256r1", 17, (3, 7))],
)
def test_the_formulas_have_the_products_of_their_source(
    name: str, in_add: int, in_double: tuple[int, int]
) -> None:
    c = prime(name)
    r = Recorder(Modulus(c.p))
    (x, y, z), (x2, y2, z2) = ([r.input(f"{v}{i}", 2) for v in "xyz"] for i in (1, 2))
    a, b3 = r.input("a", 1), r.input("3b", 1)
    f: Homogeneous[Linear] = Homogeneous(
        r,
        small(c.a, c.p),
        small(3 * c.b, c.p),
        a,
        b3,
    )
    f.add((x, y, z), (x2, y2, z2))
    assert sum(s.walk in ("product", "square") for s in r.steps) == in_add
    before = len(r.steps)
    f.double_jacobian((x, y, z))
    kinds = [s.walk for s in r.steps[before:]]
    assert (kinds.count("product"), kinds.count("square")) == in_double


def test_a_number_that_may_not_fit_is_refused() -> None:
    r = Recorder(P256)
    with pytest.raises(OutOfRange):
        r.sum("too large", (1 << 31) * r.input("x", 2))
    a = Assembler(P256)
    x, y = a.numbers(2)
    with pytest.raises(OutOfRange, match="more than 4 p"):
        a.segment(lambda r: [5 * r.input("x", 1)], [y], {"x": x}, [], 4)


def test_values_without_a_positive_term_are_refused() -> None:
    r = Recorder(P256)
    x = r.input("x", 1)
    for v in (x - x, x - 2 * x):
        with pytest.raises(ValueError, match="v "):
            r.sum("v", v)


def test_places_are_checked() -> None:
    r = Recorder(P256)
    x, y = r.input("x", 1), r.input("y", 1)
    t = r.mul("t", x, y)
    last = r.sum("last", r.mul("u", t, x) + y)
    (made,) = last.terms
    inputs = {r.names["x"]: 1, r.names["y"]: 2}
    assert [to for _, to, _ in placed(r.steps, inputs, {made: 1}, [9, 8])][-1] == 1
    with pytest.raises(ValueError, match="all are taken"):
        placed(r.steps, inputs, {made: 1}, [])
    with pytest.raises(ValueError, match="still read"):
        placed(r.steps, inputs, {next(iter(t.terms)): 1}, [9, 8])


def test_the_assembler_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="words are not supported"):
        Assembler(Modulus((1 << 2000) - 1))
    a = Assembler(P256, depth=128)
    a.number()
    with pytest.raises(ValueError, match="constants come before"):
        a.number(3)
    with pytest.raises(ValueError, match="no room"):
        a.numbers(9)
    for _ in range(2049):
        a.order(Order.RETURN)
    with pytest.raises(ValueError, match="too long"):
        a.built()
    many = Assembler(P256, constants=64)
    (n,) = many.numbers(1)
    for k in range(32):
        many.move(f"times {k % 16 + 3}" if k < 16 else f"gather {k}", n, n)
    with pytest.raises(ValueError, match="directory"):
        many.move("sum", n, n)


def test_only_curves_that_the_formulas_are_for() -> None:
    with pytest.raises(ValueError, match="points of small order"):
        multiplication(prime("toyp9b"), 16)


@pytest.mark.parametrize(
    ("name", "width"),
    [("toyp5a", 16), ("toyp6a", 16), ("toyp7a", 8), ("toyp8a", 16), ("toyp8k", 8), ("toyp8e", 16),
     ("toyp9a", 16)],
)  # fmt: skip
def test_kp_on_toy_curves(name: str, width: int) -> None:
    c = prime(name)
    built = multiplication(c, width)
    scalar, octets = (Modulus(c.p, width).words - 1) * width // 8, -(-c.p.bit_length() // 8)
    rng = random.Random(name)
    points = [p for p in c.points() if p is not None]

    slots = set()
    for k in [*range(12), c.n - 1, c.n, (1 << 8 * scalar) - 1,
              *(rng.randrange(1 << 8 * scalar) for _ in range(60))]:  # fmt: skip
        x, y = rng.choice(points)
        engine = built.engine()
        host = Strings(k.to_bytes(scalar, "big"), *(v.to_bytes(octets, "big") for v in (x, y)))
        status = engine.run(0, host)
        slots.add(engine.slots)
        infinity, *xy = (int.from_bytes(v, "big") for v in host.out)
        found = None if infinity else tuple(xy)
        assert (status, found) == (Status.OK, c.mul(k, (x, y)))
    assert len(slots) == 1


def test_bounds_are_those_of_linear_forms() -> None:
    assert (Linear({0: 1}) + Linear({0: 1, 1: 2}) - Linear({1: 2})).terms == {0: 2}


def test_words_that_are_left_out_or_executed_again_are_noticed() -> None:
    """A product's words are counted in its loops and routines; each other number is a fault."""
    a = Assembler(P256)
    one, fault, begin, twice = a.number(1), a.label(), a.label(), a.label()
    (x,) = a.numbers(1)
    a.order(Order.JUMP, label=begin)
    a.place(twice)
    a.move("sum", x, x, x)
    a.move("sum", x, x, one)
    a.order(Order.RETURN)
    a.place(begin)
    with a.counted(fault), a.repeat(5, counter=0):
        a.call(twice)
    a.order(Order.DONE, argument=Status.OK)
    a.place(fault)
    a.order(Order.DONE, argument=Status.FAULT_DETECTED)
    built = a.built()
    assert built.engine().run(0, Strings()) == Status.OK
    changed = 0
    for at, word in enumerate(built.program):
        if isinstance(word, Do) and word.order is Order.SET:
            others = [replace(word, argument=word.argument ^ 1 << bit) for bit in range(10)]
        elif isinstance(word, Do) and word.order in (Order.CALL, Order.LOOP):
            others = [Do(Order.SET, counter=1)]  # as if it were skipped
        else:
            continue
        for other in others:
            engine = built.engine()
            engine.program = [*built.program[:at], other, *built.program[at + 1 :]]
            assert engine.run(0, Strings()) == Status.FAULT_DETECTED, (at, other)
            changed += 1
    assert changed == 12


def test_a_way_that_does_not_end_is_refused() -> None:
    with pytest.raises(ValueError, match="is not reached"):
        steps([Do(Order.JUMP, target=0), Do(Order.DONE)], 0, 1)
