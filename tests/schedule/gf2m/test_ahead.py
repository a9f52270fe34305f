# SPDX-License-Identifier: Apache-2.0
"""Operands loaded a cycle ahead: what a gate becomes in the word before."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import binary_curve
from ecsm.formulas.gf2m.graph import IDENTITY, Map
from ecsm.schedule.gf2m.ahead import NotAhead, ahead, compose
from ecsm.schedule.gf2m.words import Gate, Guard, Sink, Source, Word

GF = binary_curve("toy7a").field
A: Sink = ("operand", 0, 0)
R3: Source = ("reg", 3)
KEY: Guard = (("key", True),)


def reads(source: Source, guard: Guard = (), map_: Map = IDENTITY) -> Word:
    return Word(gates={Gate(A, map_, source, guard)}, start={0})


def writes(*gates: tuple[Map, Source, Guard], shift: bool = False) -> Word:
    sink: Sink = ("write", 3, 0)
    return Word(gates={Gate(sink, m, s, g) for m, s, g in gates}, write={3}, shift=shift)


def operands(*words: Word) -> list[set[Gate]]:
    return [{g for g in w.gates if g.sink == A} for w in ahead([Word(), *words], GF)]


def test_composition_is_one_map_after_the_other() -> None:
    rng = random.Random(1)
    for _ in range(50):
        outer, inner = (Map(rng.randrange(7), rng.randrange(1, 128)) for _ in range(2))
        both = compose(GF, outer, inner)
        for v in range(128):
            once = GF.mul(inner.c, GF.frob(v, inner.k))
            assert GF.mul(both.c, GF.frob(v, both.k)) == GF.mul(outer.c, GF.frob(once, outer.k))


def test_a_register_at_rest_is_read_a_cycle_earlier() -> None:
    assert operands(Word(), reads(R3)) == [set(), {Gate(A, IDENTITY, R3)}, set()]


def test_a_register_that_is_written_is_read_where_its_value_comes_from() -> None:
    written = writes((Map(1), ("mul", 1), ()), (IDENTITY, ("const", 5), ()))
    (_, now, _) = operands(written, reads(R3, map_=Map(1)))
    five = ("const", GF.frob(5, 1))
    assert now == {Gate(A, Map(2), ("mul", 1)), Gate(A, IDENTITY, five)}


@pytest.mark.parametrize("shift", [False, True])
def test_the_bit_of_the_next_word_is_the_next_one_only_after_a_shift(shift: bool) -> None:
    (_, now, _) = operands(Word(shift=shift), reads(R3, KEY))
    assert now == {Gate(A, IDENTITY, R3, (("next" if shift else "key", True),))}


def test_the_load_takes_a_bit_without_a_shift() -> None:
    (now, _) = operands(reads(R3, KEY))
    assert now == {Gate(A, IDENTITY, R3, (("next", True),))}


def test_both_guards_must_hold_and_may_exclude_each_other() -> None:
    written = writes((IDENTITY, ("mul", 0), KEY), (IDENTITY, ("mul", 1), (("key", False),)))
    (_, now, _) = operands(written, reads(R3, KEY))
    assert now == {Gate(A, IDENTITY, ("mul", 0), KEY)}
    written.shift = True
    (_, now, _) = operands(written, reads(R3, KEY))
    both = (("key", True), ("next", True))
    other = (("key", False), ("next", True))
    assert now == {Gate(A, IDENTITY, ("mul", 0), both), Gate(A, IDENTITY, ("mul", 1), other)}


def test_a_term_that_is_due_twice_cancels() -> None:
    again = Word(gates={Gate(A, IDENTITY, R3), Gate(A, IDENTITY, ("reg", 4))}, start={0})
    written = writes((IDENTITY, ("reg", 4), ()), (IDENTITY, ("mul", 0), ()))
    (_, now, _) = operands(written, again)
    assert now == {Gate(A, IDENTITY, ("mul", 0))}


def test_what_cannot_be_had_earlier_is_refused() -> None:
    with pytest.raises(NotAhead, match="affine"):
        operands(writes((IDENTITY, ("mul", 0), (("affine", True),))), reads(R3))
    twice = Word(gates={Gate(A, IDENTITY, R3), Gate(A, IDENTITY, ("reg", 4), KEY)}, start={0})
    with pytest.raises(NotAhead, match="due twice"):
        operands(writes((IDENTITY, ("reg", 4), ())), twice)
    with pytest.raises(NotAhead, match="load"):
        ahead([reads(R3)], GF)
