# SPDX-License-Identifier: Apache-2.0
"""Integers of a proof against integers of Python, and cells of words against both."""

from __future__ import annotations

import random

import pytest

from ecsm.evidence.gates import UnknownCell
from ecsm.evidence.gfp.cells import Bits, Cell, apply, bits_of, clocked, number_of
from ecsm.evidence.gfp.integers import Impossible, Integers, Number, Polynomial, constant
from ecsm.evidence.gfp.words import Run, Words, read


class Valued:
    """Symbols with values; cuts and atoms have those that follow."""

    def __init__(self, z: Integers, given: dict[int, int]) -> None:
        self.z, self.values = z, given
        self.atoms = {at: exact for exact, at in z._atoms.items()}

    def symbol(self, at: int) -> int:
        if at not in self.values:
            if at in self.z._cut_of:
                inside, bits = self.z._cut_of[at]
                self.values[at] = self(inside) >> bits
            else:
                self.values[at] = self(self.atoms[at])
        return self.values[at]

    def __call__(self, p: Polynomial) -> int:
        total = 0
        for monomial, c in p.terms.items():
            for at in monomial:
                c *= self.symbol(at)
            total += c
        return total


def some_numbers(
    rng: random.Random, z: Integers, roots: list[Number], values: list[int]
) -> list[tuple[Number, int]]:
    """Return numbers that random operations make, with their values."""
    found = list(zip(roots, values, strict=True))
    for _ in range(25):
        (a, x), (b, y) = rng.choice(found), rng.choice(found)
        low, bits = rng.randrange(6), rng.randrange(1, 7)
        what = rng.randrange(7)
        if what == 0 and abs(x * y) < 1 << 40:
            found.append((z.product(a, b), x * y))
        elif what == 1:
            found.append((z.sum(a, b), x + y))
        elif what == 2:
            found.append((z.sum(a, b, -1), x - y))
        elif what == 3:
            k = rng.choice((-3, -1, 2, 8, 1 << low))
            found.append((z.times(k, a), k * x))
        elif what == 4:
            found.append((z.floor(a, low), x >> low))
        elif what == 5:
            found.append((z.part(a, low, low + bits), (x >> low) % (1 << bits)))
        else:
            half = 1 << bits - 1
            part = ((x >> low) + half) % (1 << bits) - half
            found.append((z.part(a, low, low + bits, signed=True), part))
    return found


@pytest.mark.parametrize("seed", range(100))
def test_numbers_are_what_they_stand_for(seed: int) -> None:
    """The polynomials of random operations have their values, between their bounds."""
    rng = random.Random(seed)
    ends = [sorted((rng.randrange(-9, 40), rng.randrange(0, 300))) for _ in range(3)]
    for _ in range(8):
        z, again = Integers(), random.Random(seed)
        roots = [z.symbol(hi, lo) for lo, hi in ends]
        values = [rng.choice((lo, hi, rng.randint(lo, hi))) for lo, hi in ends]
        numbers = some_numbers(again, z, roots, values)
        held = Valued(z, dict(enumerate(values)))
        for number, value in numbers:
            assert held(number.exact) == value
            assert held(number.loose) == value
            assert number.lo <= value <= number.hi
        tight = [(z.tight(number), value) for number, value in numbers]
        held = Valued(z, dict(enumerate(values)))
        assert all(number.lo <= value <= number.hi for number, value in tight)
        for at, (lo, hi) in enumerate(z.ranges):
            assert lo <= held.symbol(at) <= hi


def test_the_parts_of_a_number_add_up_to_it() -> None:
    z = Integers()
    a = z.sum(z.symbol(1 << 70), z.symbol(1 << 69))
    parts = [z.part(a, 18 * i, 18 * i + 18) for i in range(4)]
    total = sum(((1 << 18 * i) * v.exact for i, v in enumerate(parts)), constant(0))
    assert total == a.exact  # 72 bits hold it
    assert max(v.hi for v in parts) == (1 << 18) - 1
    lost = sum(((1 << 18 * i) * v.exact for i, v in enumerate(parts[:3])), constant(0))
    assert lost != a.exact


def test_a_cut_of_a_cut_is_one_cut() -> None:
    z = Integers()
    a = z.symbol(1 << 30)
    assert z.floor(z.floor(a, 5), 6).exact == z.floor(a, 11).exact
    assert z.floor(a, 5).exact != z.floor(a, 6).exact


def test_a_sign_is_one_symbol() -> None:
    z = Integers()
    a = z.symbol(100, -100)
    assert z.floor(a, 7).exact == z.floor(a, 9).exact
    assert z.part(a, 0, 8, signed=True).exact == a.exact
    assert z.part(a, 0, 7, signed=True).exact != a.exact  # 7 bits do not hold it
    assert z.part(a, 0, 8).exact != a.exact


def test_parts_that_are_added_up_again_have_the_bounds_of_the_sum() -> None:
    z = Integers()
    a = z.symbol(0x1234)
    again = z.sum(z.times(1 << 8, z.part(a, 8, 16)), z.part(a, 0, 8))
    assert again.hi <= 0x12FF
    assert z.tight(again).hi == 0x1234


def test_facts_are_of_one_copy() -> None:
    z = Integers()
    a = z.symbol(7)
    other = z.copy()
    other.fact(a.exact, 3, 3)
    assert other.number(a.exact, a.loose).exact == constant(3)
    assert z.number(a.exact, a.loose).exact == a.exact
    with pytest.raises(Impossible):
        other.fact(a.exact, 4, 4)


def cell(kind: str, width: int, signed: int = 0, **inputs: int) -> Cell:
    given = {f"{port}_SIGNED": signed for port in "AB"}
    nets = {port: tuple(range(n)) for port, n in inputs.items()}
    return Cell(kind, given, nets, {"Y": tuple(range(width))})


def word(z: Integers, bits: int, value: int) -> Bits:
    return bits_of(z, z.fixed(value), bits)


def value(bits: Bits) -> int:
    assert all(isinstance(b, int) for b in bits)
    return sum(b << i for i, b in enumerate(bits) if isinstance(b, int))


FUNCTIONS = {
    "$add": lambda a, b: a + b, "$sub": lambda a, b: a - b, "$mul": lambda a, b: a * b,
    "$and": lambda a, b: a & b, "$or": lambda a, b: a | b, "$xor": lambda a, b: a ^ b,
    "$xnor": lambda a, b: ~(a ^ b),
}  # fmt: skip


@pytest.mark.parametrize("signed", [0, 1])
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_of_two_words(kind: str, signed: int) -> None:
    z = Integers()
    for a in range(16):
        for b in range(8):
            x, y = (a - 16 * (a >> 3), b - 8 * (b >> 2)) if signed else (a, b)
            for width in (2, 4, 6):
                made = cell(kind, width, signed, A=4, B=3)
                got = apply(z, made, {"A": word(z, 4, a), "B": word(z, 3, b)})
                assert value(got) == FUNCTIONS[kind](x, y) % (1 << width)


def test_comparisons_and_choices() -> None:
    z = Integers()
    for a in range(8):
        for b in range(8):
            at: dict[str, Bits] = {"A": word(z, 3, a), "B": word(z, 3, b)}
            for kind, want in (("$eq", a == b), ("$ne", a != b), ("$lt", a < b), ("$ge", a >= b)):
                assert apply(z, cell(kind, 1, A=3, B=3), at) == [int(want)]
            assert apply(z, cell("$mux", 3, A=3, B=3, S=1), {**at, "S": [1]}) == at["B"]
            assert apply(z, cell("$reduce_xor", 1, A=3), at) == [a.bit_count() % 2]
            bits = {**at, "S": word(z, 3, 5)}
            assert apply(z, cell("$bwmux", 3, A=3, B=3, S=3), bits) == word(z, 3, a & 2 | b & 5)
            rows: dict[str, Bits] = {"A": word(z, 8, a << 4 | b), "S": [0, 1]}
            assert apply(z, cell("$bmux", 2, A=8, S=2), rows) == word(z, 2, a & 3)
            rows = {"A": word(z, 3, a), "S": word(z, 2, b & 3)}
            assert apply(z, cell("$demux", 12, A=3, S=2), rows) == word(z, 12, a << 3 * (b & 3))


def test_what_is_not_known_stays_unknown() -> None:
    z = Integers()
    known = word(z, 3, 5)
    unknown: Bits = [None] * 3
    for kind in FUNCTIONS:
        got = apply(z, cell(kind, 3, A=3, B=3), {"A": known, "B": unknown})
        assert None in got, kind
    assert apply(z, cell("$and", 3, A=3, B=3), {"A": known, "B": unknown}) == [None, 0, None]
    choice: dict[str, Bits] = {"A": known, "B": word(z, 3, 4), "S": [None]}
    assert apply(z, cell("$mux", 3, A=3, B=3, S=1), choice) == [None, 0, 1]
    assert apply(z, cell("$reduce_xor", 1, A=3), {"A": [1, None, 0]}) == [None]
    places: dict[str, Bits] = {"A": known, "S": [None]}
    assert apply(z, cell("$demux", 6, A=3, S=1), places) == [None, 0, None] * 2
    free = bits_of(z, z.symbol(7), 3)
    assert apply(z, cell("$eq", 1, A=3, B=3), {"A": known, "B": free}) == [None]


def test_words_that_do_not_fit_are_other_numbers() -> None:
    z = Integers()
    a, b = z.symbol(15), z.symbol(15)
    at = {"A": bits_of(z, a, 4), "B": bits_of(z, b, 4)}
    for width, fits in ((5, True), (4, False)):
        got = number_of(z, [*apply(z, cell("$add", width, A=4, B=4), at), 0], width + 1)
        assert got is not None
        assert (got.exact == a.exact + b.exact) == fits


def test_a_difference_with_its_sign_extended() -> None:
    z = Integers()
    a, b = z.symbol(15), z.symbol(15)
    at = {"A": bits_of(z, a, 4), "B": bits_of(z, b, 4)}
    bits = apply(z, cell("$sub", 5, A=4, B=4), at)
    for more, fits in (([bits[4]] * 3, True), ([0] * 3, False)):
        got = number_of(z, [*bits, *more], 8)
        assert got is not None
        assert (got.exact == a.exact - b.exact) == fits


def test_registers() -> None:
    made = Cell(
        "$sdffe", {"EN_POLARITY": 1, "SRST_POLARITY": 0, "SRST_VALUE": 2},
        {"D": (1, 2), "EN": (3,), "SRST": (4,)}, {"Q": (5, 6)},
    )  # fmt: skip
    old: Bits = [1, 1]
    for enable, reset, want in ((1, 1, [0, 0]), (0, 1, [1, 1]), (1, 0, [0, 1]), (0, 0, [0, 1])):
        at: dict[str, Bits] = {"D": [0, 0], "EN": [enable], "SRST": [reset]}
        assert clocked(made, at, old) == want
    assert clocked(made, {"D": [0, 0], "EN": [None], "SRST": [1]}, [0, 1]) == [0, None]


def test_cells_without_a_model_are_refused() -> None:
    z = Integers()
    with pytest.raises(UnknownCell, match="div"):
        apply(z, cell("$div", 3, A=3, B=3), {"A": [0] * 3, "B": [1] * 3})
    with pytest.raises(UnknownCell, match="sign"):
        apply(z, cell("$lt", 1, 1, A=3, B=3), {"A": [0] * 3, "B": [1] * 3})
    with pytest.raises(UnknownCell, match="latch"):
        clocked(cell("$dlatch", 1, D=1), {"D": [0]}, [0])


def test_registers_are_unknown_at_first_and_loops_are_refused() -> None:
    def sum_of(a: int, y: int) -> dict[str, object]:
        return {
            "type": "$add", "parameters": {"A_SIGNED": "0", "B_SIGNED": "0"},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": [a], "B": ["1"], "Y": [y]},
        }  # fmt: skip

    flop = {
        "type": "$dff", "parameters": {"CLK_POLARITY": "1"},
        "connections": {"CLK": [1], "D": [3], "Q": [2]},
        "port_directions": {"CLK": "input", "D": "input", "Q": "output"},
    }  # fmt: skip
    module: dict[str, object] = {
        "ports": {"y_o": {"bits": [3]}, "a_i": {"bits": [4]}}, "netnames": {},
    }  # fmt: skip
    counter: Words = read({**module, "cells": {"sum": sum_of(2, 3), "flop": flop}})
    run = Run(counter, Integers())
    run.settle({})
    assert run.port("y_o") == [None]
    run.state = {2: 0}
    for want in (1, 0, 1):
        run.settle({})
        assert run.port("y_o") == [want]
        run.step()
    fall = {**flop, "parameters": {"CLK_POLARITY": "0"}}
    with pytest.raises(ValueError, match="falling"):
        read({**module, "cells": {"sum": sum_of(2, 3), "flop": fall}})
    with pytest.raises(ValueError, match="loop"):
        read({**module, "cells": {"one": sum_of(3, 2), "two": sum_of(2, 3)}})


@pytest.mark.parametrize("kind", ["$and", "$or", "$xor", "$xnor"])
def test_functions_of_bits_of_symbols(kind: str) -> None:
    """Bits of words, and bits that are symbols, of which the functions are combined."""
    for a in range(8):
        for b in range(8):
            z = Integers()
            x = [*bits_of(z, z.symbol(3), 2), *bits_of(z, z.symbol(1), 1)]
            y = [bit for _ in range(3) for bit in bits_of(z, z.symbol(1), 1)]
            got = apply(z, cell(kind, 3, A=3, B=3), {"A": x, "B": y})
            again = apply(z, cell("$xor", 3, A=3, B=3), {"A": got, "B": y})
            held = Valued(z, {0: a & 3, 1: a >> 2} | {2 + i: b >> i & 1 for i in range(3)})
            for bits, want in ((got, FUNCTIONS[kind](a, b)), (again, FUNCTIONS[kind](a, b) ^ b)):
                number = number_of(z, [*bits, 0], 4)
                assert number is not None
                assert held(number.exact) == want % 8
                assert 0 <= number.lo <= want % 8 <= number.hi <= 7


def test_a_majority_is_known_where_a_sum_of_bits_needs_it() -> None:
    z = Integers()
    a, b, c = (z.symbol(1) for _ in range(3))
    total = z.sum(z.sum(a, b), c)
    high = z.floor(total, 1)
    assert high.exact == (
        a.exact * b.exact + a.exact * c.exact + b.exact * c.exact
        - 2 * (a.exact * b.exact * c.exact)
    )  # fmt: skip
    assert z.product(a, a).exact == a.exact
