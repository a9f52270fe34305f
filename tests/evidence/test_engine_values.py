# SPDX-License-Identifier: Apache-2.0
"""Values of nets of an engine, against their bits for every choice of the symbols."""

from __future__ import annotations

import random
from itertools import product

from ecsm.evidence.engine.values import (
    CHOICE,
    AllZero,
    Cases,
    Space,
    Value,
    choice,
    symbols,
    where,
)

CONDITIONS, SYMBOLS = 3, 6  # bits 1 to 3 of a form are conditions, 4 to 6 are other symbols
SPACE = Space(0b1110)
POINTS = [2 * i + 1 for i in range(1 << SYMBOLS)]  # bit 0 of a form is the constant


def at(value: Value, point: int) -> int | None:
    """Return a value where the symbols have the bits of a number."""
    if isinstance(value, int):
        return (value & point).bit_count() & 1
    if isinstance(value, Cases):
        return at(value.high if value.bit & point else value.low, point)
    if isinstance(value, AllZero):
        return value.zero ^ any(at(form, point) for form in value.forms)
    return None


def table(value: Value) -> tuple[int | None, ...]:
    return tuple(at(value, point) for point in POINTS)


def some(rng: random.Random, depth: int = 2) -> Value:
    """Return a value that functions make of forms, without a product of other symbols."""
    if depth and rng.random() < 0.7:
        condition = 2 << rng.randrange(CONDITIONS)
        return SPACE.apply(CHOICE, (some(rng, depth - 1), some(rng, depth - 1), condition))
    return rng.getrandbits(SYMBOLS + 1)


def test_functions_of_values() -> None:
    """Where a result is known it is right, and it is known wherever one input decides."""
    rng = random.Random(1)
    known = 0
    for _ in range(3000):
        values = [some(rng) for _ in range(rng.choice([1, 2, 2, 3]))]
        if rng.random() < 0.2:
            values[0] = None
        function = tuple(rng.getrandbits(1) for _ in range(1 << len(values)))
        found = table(SPACE.apply(function, values))
        for point, got in zip(POINTS, found, strict=True):
            inputs = [at(v, point) for v in values]
            possible = {
                function[sum(b << k for k, b in enumerate(bits))]
                for bits in product((0, 1), repeat=len(values))
                if all(b == i or i is None for b, i in zip(bits, inputs, strict=True))
            }
            assert got is None or possible == {got}
            known += got is not None
    assert known > 3000 * len(POINTS) / 4


def test_sums_are_always_known_and_equal_functions_are_equal_values() -> None:
    rng = random.Random(2)
    seen: dict[tuple[int | None, ...], Value] = {}
    for _ in range(4000):
        a, b = some(rng), some(rng)
        found = SPACE.apply((0, 1, 1, 0), (a, b))
        bits = table(found)
        assert None not in bits
        assert seen.setdefault(bits, found) == found
        assert seen.setdefault(table(a), a) == a
        assert hash(seen[bits]) == hash(found)
    assert any(isinstance(v, Cases) for v in seen.values())


def test_a_tree_of_a_zero_test() -> None:
    forms = [0b0010000, 0b0100001, 0b1010000]
    any_of = SPACE.apply((0, 1, 1, 1), (SPACE.apply((0, 1, 1, 1), forms[:2]), forms[2]))
    zero = SPACE.apply((1, 0), (any_of,))
    assert zero == AllZero(frozenset(forms), 1)
    inverted = [SPACE.apply((1, 0), (form,)) for form in forms]
    nor = SPACE.apply((0, 0, 0, 1), (SPACE.apply((0, 0, 0, 1), inverted[:2]), inverted[2]))
    assert nor == zero
    assert table(zero) == tuple(int(not any(at(f, p) for f in forms)) for p in POINTS)
    assert SPACE.apply((0, 1, 1, 0), (zero, forms[0])) is None
    assert SPACE.apply((0, 0, 0, 1), (any_of, zero)) is None


def test_a_product_of_forms_is_not_known() -> None:
    assert SPACE.apply((0, 1, 1, 0), (None, 0b10000)) is None
    assert SPACE.apply((0, 0, 0, 1), (None, 0)) == 0
    assert SPACE.apply(CHOICE, (0b10000, 0b10000, None)) == 0b10000
    three = SPACE.apply((0, 0, 0, 1, 0, 1, 1, 1), (0b10000, 0b100000, 0b1000000))
    assert three is None


def test_cases() -> None:
    both = choice(2, 0b10000, 0b100000)
    assert isinstance(both, Cases)
    assert choice(2, 1, 0) == 0b11
    assert choice(2, both, both) == both
    assert (where(both, 2, 0), where(both, 2, 1)) == (0b10000, 0b100000)
    assert where(0b10010, 2, 1) == 0b10001
    assert symbols(both) == 0b110010
    assert symbols(AllZero(frozenset({0b10001, 0b100000}), 1)) == 0b110000
    assert symbols(None) == 0
