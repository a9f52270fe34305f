# SPDX-License-Identifier: Apache-2.0
"""Walks of 25519 on the model: products that are folded, strings that are turned round."""

from __future__ import annotations

import random

import pytest

from ecsm.curves.gfp.curve25519 import N, P
from ecsm.schedule.sequential.built import back_to_back
from ecsm.schedule.sequential.folded import MORE, Folded
from ecsm.schedule.sequential.machine import Engine
from ecsm.schedule.sequential.modulus import Modulus, OutOfRange
from ecsm.schedule.sequential.walk import Constants, Walk, peel, product, total, turn
from ecsm.schedule.sequential.words import Move

STRIDE = 17
A, B, D = 10, 12, 14


def engine(*walks: Walk, constants: Constants) -> Engine:
    memory = [*constants.words, *[0] * (2048 - len(constants.words))]
    return Engine(32, walks, [], memory, STRIDE)


def put(e: Engine, number: int, value: int, words: int = 9) -> None:
    for i in range(words):
        e.memory[number * STRIDE + i] = value >> 32 * i & 0xFFFF_FFFF


def get(e: Engine, number: int, words: int = 9) -> int:
    value = sum(e.memory[number * STRIDE + i] << 32 * i for i in range(words))
    return value - (value >> 32 * words - 1 << 32 * words)


def factors(rng: random.Random) -> tuple[int, int]:
    """Two numbers whose product is small enough; near limits more often than at random."""
    first = rng.choice([0, 1, 5, 32, 224, 255, 256, 257, 266, 276])
    second = min(2 * 256 + MORE - first, 276)
    a, b = (rng.choice([rng.getrandbits(n), (1 << n) - 1 - rng.randrange(3)]) if n else 0
            for n in (first, second))  # fmt: skip
    return rng.choice([-1, 1]) * a, rng.choice([-1, 1]) * b


@pytest.mark.parametrize("p", [P, 2**255 - 31, 2**256 - 189])
def test_a_folded_product_is_right_and_small(p: int) -> None:
    m, c, rng = Folded(p), Constants(32, 96), random.Random(p)
    e = engine(product(m, c), product(m, c, True), constants=c)
    for _ in range(2000):
        a, b = factors(rng)
        put(e, A, a)
        put(e, B, b)
        e.move(Move(0, D, A, B))
        found = get(e, D)
        assert (found - a * b) % p == 0
        assert -(m.fold**2) << MORE + 1 <= found <= m.bound(abs(a), abs(b))
        assert abs(found) < m.rests * p
        if a * a <= m.above**2 << MORE:
            e.move(Move(1, A, A, A))  # in its place
            assert (get(e, A) - a * a) % p == 0


def test_factors_that_are_too_large() -> None:
    m = Folded(P)
    assert m.bound(1 << 267, 1 << 267) < 3 * P
    with pytest.raises(OutOfRange):
        m.bound(1 << 267, 1 << 268)


@pytest.mark.parametrize("p", [N, 2**255 - 2**200 - 1, 2**192 - 2**64 - 1, 2**254 - 127])
def test_moduli_that_cannot_be_folded(p: int) -> None:
    with pytest.raises(ValueError, match="no power of two less a small number"):
        Folded(p)


@pytest.mark.parametrize("first", [0, 8, 9])
@pytest.mark.parametrize("to", [0, 8, 9])
def test_a_string_is_turned_round(first: int, to: int) -> None:
    c, rng = Constants(32, 96), random.Random(first)
    e = engine(peel(c, first), turn(c, to), constants=c)
    for _ in range(20):
        octets = rng.randbytes(32)
        before = [rng.getrandbits(32) for _ in range(STRIDE)]
        e.memory[D * STRIDE : (D + 1) * STRIDE] = before
        e.memory[A * STRIDE + first : A * STRIDE + first + 8] = [
            int.from_bytes(octets[i : i + 4], "big") for i in range(28, -1, -4)
        ]
        e.move(Move(0, B, A))
        e.move(Move(1, D, B))
        after = e.memory[D * STRIDE : (D + 1) * STRIDE]
        value = sum(word << 32 * i for i, word in enumerate(after[to : to + 8]))
        assert value == int.from_bytes(octets, "little")
        if to == 0:
            assert after[8] == 0
        kept = set(range(STRIDE)) - set(range(to, to + 8 + (to == 0)))
        assert all(after[i] == before[i] for i in kept)


def test_walks_follow_each_other_at_once() -> None:
    c, m = Constants(32, 96), Folded(P)
    walks = [product(m, c), product(m, c, True), total(9), total(9, subtract=True)]
    walks += [f(c, first) for f in (peel, turn) for first in (0, 8, 9)]
    walks += [product(Modulus(N, 32, 9), c)]
    assert back_to_back(walks)


@pytest.mark.parametrize("to", [0, 8])
def test_a_walk_ends_with_a_word_that_is_written(to: int) -> None:
    """Else the RTL would take the next number for one that is not 0."""
    for w in (turn(Constants(32, 96), to), peel(Constants(32, 96), to)):
        assert w.slots[-1].write
        assert w.slots[-1].last
