# SPDX-License-Identifier: Apache-2.0
"""word_core with polynomials: products and squares of every field of SEC 2.

What words mean is checked here by BinaryField; word_cocotb.py compares words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ecsm.curves import BinaryCurve, curve
from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.sec2 import SEC2_CURVES
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.binary_multiply import binary_multiplication, scalar_octets
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Order
from ecsm.status import Status
from tests.rtl.word.test_word_core import (
    CHAIN,
    WATCH,
    Job,
    chain,
    check,
    documented,
    moved,
    octets_of,
)

FIELDS = {c.field.m: c.field for c in SEC2_CURVES}
WALKS = ("product", "square", "xor", "sum", "reduced")  # with numbers between polynomials


def program(f: Polynomial) -> Built:
    """Return a program: operation i asks for a and b and answers walk i of them."""
    a = Assembler(f, depth=512)
    left, right, result = a.numbers(3)
    labels = [a.label() for _ in WALKS]
    a.dispatch(*labels)
    for walk, label in zip(WALKS, labels, strict=True):
        a.place(label)
        for number in (left, right):
            a.transfer(Order.IN, number, octets_of(f))
        single = walk in ("square", "reduced")
        of = walk if walk != "reduced" or f.folds else "xor"
        a.move(of, result, left, left if single else right)
        a.transfer(Order.OUT, result, octets_of(f))
        a.order(Order.DONE)
    return a.built()


def edges(f: Polynomial, count: int) -> Iterator[int]:
    """Yield elements, where products are folds of any words: edge words and any others."""
    rng, bits = random.Random(f.bits), f.most(0, 0)
    ones, top = (1 << f.W) - 1, 1 << f.W - 1
    yield from (0, 1, f.field.poly % (1 << bits), (1 << bits) - 1, 1 << bits - 1)
    for _ in range(count):
        words = [rng.choice((0, 1, top, top - 1, ones, rng.getrandbits(f.W)))
                 for _ in range(f.used)]  # fmt: skip
        yield sum(w << f.W * i for i, w in enumerate(words)) % (1 << bits)


def right(f: Polynomial, walk: str, a: int, b: int) -> int:
    """Return what a walk makes, as an element; by shifts and no product of ours."""
    g = f.field
    if walk == "xor":
        return g.reduce(a ^ b)
    if walk == "reduced":
        return g.reduce(a) if f.folds else 0
    product = g.mul(g.reduce(a), g.reduce(a if walk == "square" else b))
    return g.mul(product, g.inv(g.reduce(f.radix)))


@pytest.mark.parametrize(
    ("m", "width"),
    [pytest.param(m, 32, marks=pytest.mark.always if m in (163, 233) else pytest.mark.full)
     for m in FIELDS]
    + [pytest.param(m, w, marks=pytest.mark.full) for m, w in ((163, 16), (233, 64))],
)  # fmt: skip
def test_walks_compute_what_they_say(m: int, width: int, tmp_path: Path) -> None:
    f = Polynomial(FIELDS[m], width, 7 if width == 32 else 1)
    built, jobs = program(f), []
    values = list(edges(f, 200))
    random.Random(7).shuffle(values)
    for i, (a, b) in enumerate(zip(values, values[1:] + values[:1], strict=True)):
        op = i % len(WALKS)
        given = [v.to_bytes(octets_of(f), "big") for v in (a, b)]
        host = Strings(*given)
        built.engine().run(op, host)
        result = int.from_bytes(host.out[0], "big")
        if WALKS[op] == "sum":
            assert result == (a + b) % (1 << 8 * octets_of(f))
        else:
            assert f.field.reduce(result) == right(f, WALKS[op], a, b), WALKS[op]
        moves = [moved(given, host.out)]
        jobs.append({"op": op, "kind": WALKS[op], "moves": moves, "status": Status.OK})
    check(built, jobs, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("m", FIELDS)
def test_ten_thousand_products_of_a_field(m: int, tmp_path: Path) -> None:
    """Each takes the result of the one before: what differs once differs at the end."""
    g, f = FIELDS[m], Polynomial(FIELDS[m], 32, 7)
    rng, inverse = random.Random(m), g.inv(g.reduce(f.radix))
    x, y = rng.getrandbits(m), rng.getrandbits(m)
    built, given = chain(f, "xor", "xor"), [v.to_bytes(octets_of(f), "big") for v in (x, y)]
    host = Strings(*given)
    built.engine().run(0, host)
    for _ in range(CHAIN * CHAIN):
        x = g.mul(g.mul(x, y), inverse) ^ y
        y = g.mul(g.sqr(y), inverse) ^ x
    assert [g.reduce(int.from_bytes(v, "big")) for v in host.out] == [x, y]
    job = {"op": 0, "kind": "chain", "moves": [moved(given, host.out)], "status": Status.OK}
    check(built, [job], tmp_path)


def test_an_answer_leaves_nothing_of_its_job(tmp_path: Path) -> None:
    """Of products whose upper words are kept beside the numbers meanwhile."""
    f = Polynomial(BinaryField(163, (7, 6, 3, 0)), 32, 7)
    given = [(v % (1 << 192)).to_bytes(octets_of(f), "big") for v in (3**140, 5**90)]
    host = Strings(*given)
    program(f).engine().run(0, host)
    jobs = [{"op": 0, "kind": "product", "moves": [moved(given, host.out)], "status": Status.OK}]
    left = "u_mac.acc_q, u_mac.gen_binary.poly_acc_q, u_mac.gen_binary.low_q"
    assert "u_mac.acc_q" in WATCH
    check(program(f), jobs, tmp_path, beside=WATCH.replace("u_mac.acc_q", left))


# ------------------------------------------------------------------------------ kP
def kp_job(c: BinaryCurve, k: int, point: tuple[int, int], answer: Any) -> Job:
    """Return a job of :func:`binary_multiplication`: ``answer`` a point, None, or a status."""
    octets = -(-c.field.m // 8)
    strings = [k.to_bytes(scalar_octets(c), "big"), *(v.to_bytes(octets, "big") for v in point)]
    if isinstance(answer, Status):
        return {"op": 0, "kind": answer.name, "moves": [moved(strings, [])], "status": answer}
    found = [bytes([answer is None]), *(v.to_bytes(octets, "big") for v in answer or (0, point[1]))]
    kind = "infinity" if answer is None else "kP"
    return {"op": 0, "kind": kind, "moves": [moved(strings, found)], "status": Status.OK}


@pytest.mark.parametrize(
    "name", [pytest.param("sect163r2", marks=pytest.mark.always),
             *(pytest.param(n, marks=pytest.mark.full)
               for n in ("sect163k1", "sect193r1", "sect233r1", "sect239k1", "sect283r1",
                         "sect409k1", "sect571r1"))]
)  # fmt: skip
def test_kp_of_standard_curves(name: str, tmp_path: Path, libcrypto: ModuleType) -> None:
    c = curve(name)
    assert isinstance(c, BinaryCurve)
    rng, n, g = random.Random(name), c.n, c.generator
    scalars = [1, n - 1, n + 1, rng.randrange(n)]
    jobs = [kp_job(c, k, g, libcrypto.kp(name, k % n, g)) for k in scalars]
    other = libcrypto.kp(name, rng.randrange(1, n), g)
    jobs.append(kp_job(c, scalars[-1], other, libcrypto.kp(name, scalars[-1], other)))
    two = (0, c.field.sqrt(c.b))
    jobs += [kp_job(c, 3, two, two)]
    off, far = Status.POINT_NOT_ON_CURVE, (g[0] | 1 << c.field.m, g[1])
    jobs += [kp_job(c, 3, (g[0], g[1] ^ 1), off), kp_job(c, 3, (0, 0), off)]
    jobs += [kp_job(c, 3, far, Status.COORDINATE_OUT_OF_RANGE)]
    check(binary_multiplication(c), jobs, tmp_path, dropped=[1, 40, 5000], stalled=jobs[-1:],
          cycles={"kP": documented(name, 32)})  # fmt: skip


# In words of 16 bits no field is smaller. A curve of points of orders 1, 2, 4, 127, 254 and 508.
TOY = BinaryCurve("toy9", BinaryField(9, (1, 0)), a=0, b=1, generator=(22, 452), n=127, h=4)


@pytest.mark.parametrize(
    "step", [pytest.param(101, marks=pytest.mark.full), pytest.param(1, marks=pytest.mark.slow)]
)
def test_kp_on_a_toy_curve_for_every_scalar_and_point(step: int, tmp_path: Path) -> None:
    """Every scalar on a point of each order; every ``step``-th one on each other point."""
    c, most, met = TOY, TOY.h * TOY.n + 3, set[int]()
    jobs = []
    for i, point in enumerate(p for p in c.points() if p is not None):
        order = next(k for k in (1, 2, 4, 127, 254, 508) if c.mul(k, point) is None)
        every = 1 if order not in met else step
        met.add(order)
        jobs += [kp_job(c, k, point, c.mul(k, point)) for k in range(i % every, most, every)]
    assert met == {2, 4, 127, 254, 508}
    check(binary_multiplication(c, 16), jobs, tmp_path)
