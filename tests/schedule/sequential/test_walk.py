# SPDX-License-Identifier: Apache-2.0
"""Walks of any modulus on the model of the word engine, against Python's integers."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecsm.schedule.sequential.built import back_to_back
from ecsm.schedule.sequential.machine import Engine
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.walk import (
    DISTANCE,
    GUARD,
    NOTHING,
    TURN,
    Constants,
    Slot,
    Walk,
    digit,
    gather,
    peak,
    product,
    scale,
    spread,
    total,
    walk,
)
from ecsm.schedule.sequential.words import Capture, Move
from tests.schedule.sequential.moduli import SHIPPED, edges

odd = st.integers(1, (1 << 521) - 1).map(lambda v: 2 * v + 1)
A, B, D = 3, 4, 5
STRIDE = 32  # words from a number to the next


def walks(m: Modulus, c: Constants) -> list[Walk]:
    more, less = total(m.words), total(m.words, subtract=True)
    return [product(m, c), product(m, c, square=True), more, less, scale(m.words, c, 3)]


class Bench:
    """Walks of a modulus on an engine."""

    def __init__(self, m: Modulus, constants: int = 32) -> None:
        c = Constants(m.W, constants)
        self.m, self.walks = m, walks(m, c)
        memory = [*c.words, *[0] * (STRIDE * 8 - len(c.words))]
        self.engine = Engine(m.W, self.walks, [], memory, STRIDE)

    def __call__(self, a: int, b: int) -> list[int]:
        """Return what each walk makes of two numbers."""
        memory, m, found = self.engine.memory, self.m, []
        memory[A * STRIDE : A * STRIDE + m.words] = m.of(a)
        memory[B * STRIDE : B * STRIDE + m.words] = m.of(b)
        for i, w in enumerate(self.walks):
            self.engine.move(Move(i, D, A, A if w.name == "square" else B))
            found.append(m.value(memory[D * STRIDE : D * STRIDE + m.words]))
        return found


def compare(run: Bench, a: int, b: int) -> None:
    """Check every walk of two numbers."""
    m, (ab, aa, plus, minus, three) = run.m, run(a, b)
    assert (ab * m.enter(1) - a * b) % m.p == 0
    assert (aa * m.enter(1) - a * a) % m.p == 0
    most = max(abs(a), abs(b))
    assert max(abs(ab), abs(aa)) <= m.bound(most, most)
    assert (plus, minus, three) == (a + b, a - b, 3 * a)


@settings(max_examples=150, deadline=None)
@given(odd, st.sampled_from([8, 16, 32, 64]), st.randoms(use_true_random=False))
def test_any_modulus(p: int, width: int, rng: random.Random) -> None:
    m = Modulus(p, width)
    if m.words > 30 or (m.words > 13 and width < 32):  # more constants than the engine has
        return
    limit = min(8 * p, m.radix >> 3)
    compare(Bench(m), *(rng.randrange(-limit, limit) for _ in range(2)))


@pytest.mark.parametrize("name", SHIPPED)
def test_products_of_edge_words(name: str) -> None:
    _edges(SHIPPED[name], 100)


@pytest.mark.full
@pytest.mark.parametrize("name", SHIPPED)
def test_ten_thousand_products(name: str) -> None:
    _edges(SHIPPED[name], 10_000)


def _edges(m: Modulus, count: int) -> None:
    """Compare walks of so many operands, edge words among them, each with another one."""
    run, values = Bench(m, 96), list(edges(m, count))
    for i, a in enumerate(values):
        compare(run, a, values[i * 4021 % len(values)])


@pytest.mark.full
@pytest.mark.parametrize(("p", "width"), [(101, 8), (101, 16), (31, 4)])
def test_every_pair_of_numbers_modulo_a_toy_prime(p: int, width: int) -> None:
    """From -p to p. 31 is -1 modulo 2^4: the multiple that a product adds is p itself."""
    run = Bench(Modulus(p, width))
    for a in range(-p, p + 1):
        for b in range(-p, p + 1):
            compare(run, a, b)


@pytest.mark.parametrize("p", [4, 0, 1, 2, -7])
def test_no_odd_modulus(p: int) -> None:
    with pytest.raises(ValueError, match="odd"):
        Modulus(p)


def test_few_words_of_sparse_primes() -> None:
    p256, p384 = (
        Modulus(2**256 - 2**224 + 2**192 + 2**96 - 1),
        Modulus(2**384 - 2**128 - 2**96 + 2**32 - 1),
    )
    assert (len(p256.steps), len(p384.steps), len(Modulus(2**521 - 1).steps)) == (3, 4, 1)
    assert [len(w.slots) for w in walks(p256, Constants(32))] == [109, 74, 9, 9, 9]


def test_no_word_is_read_before_it_is_written() -> None:
    for p in (101, 2**255 - 19, 2**521 - 1, (1 << 256) - 189):
        for w in walks(m := Modulus(p), Constants(m.W)):
            written: dict[int, int] = {}
            for i, s in enumerate(w.slots):
                if s.scratch_a and s.offset_a in written:
                    assert i - written[s.offset_a] >= DISTANCE
                if s.write and s.to_scratch:
                    written[s.to] = i
            assert w.slots[-TURN].turn
            assert [s.first for s in w.slots].count(True) == w.slots[0].first == 1
            assert [s.last for s in w.slots].count(True) == w.slots[-1].last == 1


def test_walks_that_follow_each_other_too_closely_are_found() -> None:
    m = Modulus(2**255 - 19)
    c = Constants(m.W)
    assert back_to_back(walks(m, c))
    assert not back_to_back(walks(Modulus(101), Constants(32)))
    backwards = replace(total(m.words), slots=total(m.words).slots[::-1])
    assert backwards.early(total(m.words), "a") > 0
    assert not back_to_back([*walks(m, c), backwards])


def test_the_accumulators_bound_holds_and_is_refused_if_it_does_not() -> None:
    m = Modulus((1 << 521) - 1)
    assert all(peak(w, 32) < 1 << 2 * 32 + GUARD - 1 for w in walks(m, Constants(32)))
    long = walk("long", [replace(NOTHING, doubled=True)] * 200)
    assert peak(long, 32) >> 2 * 32 + GUARD - 1


@pytest.mark.parametrize("value", range(16))
def test_the_digit_that_leaves_a_number_is_odd(value: int) -> None:
    """Of four bits b it is 2 b - 15: an index and a sign."""
    m = Modulus(2**255 - 19)
    c = Constants(m.W)
    w = digit(m.words, c, 4)
    memory = [*c.words, *[0] * (STRIDE * 8 - len(c.words))]
    k = value << 284 | random.Random(value).getrandbits(284)
    memory[A * STRIDE : A * STRIDE + m.words] = [k >> 32 * i & (1 << 32) - 1 for i in range(9)]
    engine = Engine(m.W, [w], [], memory, STRIDE)
    engine.move(Move(0, A, A, capture=Capture.DIGIT))
    left = memory[A * STRIDE : A * STRIDE + m.words]
    assert sum(v << 32 * i for i, v in enumerate(left)) == k << 4 & (1 << 288) - 1
    assert engine.digit == 2 * value - 15


@pytest.mark.parametrize(("width", "bits"), [(32, 26), (32, 28), (32, 39), (16, 26), (64, 26)])
def test_pieces_give_their_bits_one_by_one(width: int, bits: int) -> None:
    """Both halves of five pieces, each bit in the digit's place of its piece."""
    m = Modulus((1 << 9 * 32 + 160) - 17, width)
    c, rng = Constants(m.W), random.Random(bits)
    halves = [spread(m.words, c, 1 + half * bits, 2 * bits, bits) for half in range(2)]
    gathers = gather(c, bits)
    assert len(gathers.slots) >= DISTANCE
    assert back_to_back([*halves, gathers, total(m.words)])
    memory = [*c.words, *[0] * (STRIDE * 8 - len(c.words))]
    k = rng.getrandbits(10 * bits + 1)
    memory[A * STRIDE : A * STRIDE + m.words] = m.of(k)
    engine = Engine(m.W, [*halves, gathers], [], memory, STRIDE)
    for half in range(2):
        engine.move(Move(half, B, A))
        for column in reversed(range(bits)):
            engine.move(Move(2, B, B, capture=Capture.DIGIT))
            at = [1 + column + bits * (half + 2 * piece) for piece in range(5)]
            assert [engine.bits >> 4 - i & 1 for i in range(5)] == [k >> i & 1 for i in at]


def test_constants_are_few() -> None:
    c = Constants(16)
    for value in range(2, 32):
        assert c.place(value) == value
    assert c.place(-1 << 16) == 0
    with pytest.raises(ValueError, match="more constants"):
        c.place(99)
    assert Slot() != NOTHING
