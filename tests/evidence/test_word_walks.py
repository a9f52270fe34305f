# SPDX-License-Identifier: Apache-2.0
"""What the walks of a word engine's tables compute, and that broken tables are found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.evidence.proof import FAULTS
from ecsm.evidence.word.tables import program_word, slot, tables
from ecsm.evidence.word.walks import SEEDED, Walks, check, notes, prove, seeded, walks_of
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.walk import Slot
from ecsm.schedule.sequential.words import Capture, Mask, Move
from ecsm.schemes.word.program import word_program

P256, X25519, B163 = "word-p256", "word-prime-x25519", "word-dual-b163"
OTHERS = [
    "word-prime", "word-prime-p521", "word-prime-bp512", "word-prime-k256", "word-prime-ed25519",
    "word-dual-193r1", "word-dual-b233", "word-dual-k239", "word-dual-k283", "word-dual-b571",
]  # fmt: skip


def proof(name: str, faults: int) -> None:
    found = prove(WORD_PRESETS[name], faults)
    assert found.wrong == ""
    assert (found.found, found.faults) == (faults, faults)


@pytest.mark.parametrize("name", [P256, X25519, B163])
def test_every_walk_is_what_its_name_says(name: str) -> None:
    proof(name, 20)


@pytest.mark.parametrize("name", OTHERS)
def test_walks_of_other_curves(name: str) -> None:
    proof(name, FAULTS)


def test_every_bit_of_the_tables_is_read() -> None:
    """The tables that are proven are those of the program, of both kinds of presets."""
    for name in (P256, B163):
        built = word_program(WORD_PRESETS[name]).built
        for loaded in (False, True):
            t = tables(built, loaded)
            assert t.walks == [list(w.slots) for w in built.walks]
            assert list(t.slots) == built.slots
            assert list(t.values) == list(built.values)
            assert [program_word(w).word() for w in t.words] == [w.word() for w in built.program]
            assert t.words == tuple(w.word() for w in built.program)
            assert [slot(s).word() for s in t.slots] == built.slots


def test_what_is_shown_is_said() -> None:
    told = "\n".join(notes(walks_of(WORD_PRESETS[P256])))
    assert "product (109), square (74): V R = a b + q p, 0 <= q <= 1 R" in told
    assert "product mod order (173), square mod order (141): V R = a b + q p, 0 <= q <= 2 R" in told
    assert "sum (9), aside (9)" in told
    assert "difference (9): V = a - b" in told


def test_seeded_faults_are_of_every_kind() -> None:
    w = walks_of(WORD_PRESETS[P256])
    assert set(SEEDED) == set(Slot.__dataclass_fields__) - {"subtract"}
    for faulty in seeded(w, 3 * len(SEEDED), seed=2):
        assert check(faulty)


def changed(w: Walks, walk: str, at: int, **fields: bool | int) -> str:
    """Return what is wrong with another slot of a walk; ``at`` may count from the end."""
    t = w.tables
    i = t.names.index(walk)
    place = t.starts[i] + at % len(t.walks[i])
    new = replace(slot(t.slots[place]), **fields)  # type: ignore[arg-type]
    assert new.word() != t.slots[place]
    return check(replace(w, tables=t.changed(place, new.word())))


def reprogrammed(w: Walks, at: int, **fields: object) -> str:
    """Return what is wrong with another word of the program."""
    words = list(w.tables.words)
    words[at] = replace(program_word(words[at]), **fields).word()  # type: ignore[arg-type]
    return check(replace(w, tables=replace(w.tables, words=tuple(words))))


def find(w: Walks, **fields: object) -> int:
    """Return the first walk of the program with these fields."""
    return next(
        i for i, m in enumerate(w.tables.program)
        if isinstance(m, Move) and all(getattr(m, k) == v for k, v in fields.items())
    )  # fmt: skip


def test_a_dropped_carry_is_found() -> None:
    w = walks_of(WORD_PRESETS[P256])
    first = next(i for i, s in enumerate(w.tables.walks[0]) if s.shift)
    assert "the walk product: " in changed(w, "product", first, shift=False)
    assert "the walk sum: " in changed(w, "sum", 3, shift=False)


def test_a_sign_that_is_missing_is_found() -> None:
    w = walks_of(WORD_PRESETS[P256])
    assert "the walk sum: it adds" in changed(w, "sum", 8, signed_a=False)
    assert "the walk difference: it adds" in changed(w, "difference", 8, subtract=False)


def test_a_walk_that_ends_elsewhere_is_found() -> None:
    w = walks_of(WORD_PRESETS[P256])
    assert "ends twice" in changed(w, "sum", -1, turn=True)
    assert changed(w, "product", -3, turn=False)
    assert changed(w, "product", -4, turn=True)


def test_a_word_of_the_modulus_that_is_another_one_is_found() -> None:
    w = walks_of(WORD_PRESETS[P256])
    for at in {s.offset_b for s in w.tables.walks[0] if s.const_b and s.offset_b}:
        values = list(w.tables.values)
        values[at] ^= 1
        wrong = check(replace(w, tables=replace(w.tables, values=tuple(values))))
        assert wrong == "the walk product: what it adds to a b is no multiple of p"


def test_a_quotient_that_is_read_too_early_is_found() -> None:
    """The slots between are taken out of a product modulo the order, which has stalls."""
    w = walks_of(WORD_PRESETS[P256])
    t = w.tables
    i = t.names.index("product mod order")
    start, length = t.starts[i], len(t.walks[i])
    idle = Slot(const_b=True).word()
    stall = next(k for k in range(start, start + length) if t.slots[k] == idle)
    slots = (*t.slots[:stall], *t.slots[stall + 1 : start + length], idle)
    wrong = check(replace(w, tables=replace(t, slots=(*slots, *t.slots[start + length :]))))
    assert "the walk product mod order: " in wrong
    assert "while it is written" in wrong or "old w" in wrong or "ends" in wrong


def test_programs_that_give_a_walk_what_it_is_not_for() -> None:
    w = walks_of(WORD_PRESETS[P256])
    names = w.tables.names
    square = find(w, walk=names.index("square"))
    m = w.tables.program[square]
    assert isinstance(m, Move)
    assert "squares two numbers" in reprogrammed(w, square, b=m.a ^ 1)
    product = find(w, walk=names.index("product"))
    assert "has a mask" in reprogrammed(w, product, mask=Mask.CHOOSE)
    assert "takes a digit" in reprogrammed(w, product, capture=Capture.DIGIT)
    assert "writes a constant" in reprogrammed(w, product, d=1)


def test_a_flag_that_is_needed_too_early_is_found() -> None:
    w = walks_of(WORD_PRESETS[P256])
    chosen = find(w, mask=Mask.CHOOSE, drained=True)
    assert "too early" in reprogrammed(w, chosen, drained=False)


def test_a_result_over_an_operand_that_is_still_read_is_found() -> None:
    """A folded product over GF(2) is written while its operands are read."""
    w = walks_of(WORD_PRESETS[B163])
    product = find(w, walk=w.tables.names.index("product"))
    m = w.tables.program[product]
    assert isinstance(m, Move)
    assert "has written over" in reprogrammed(w, product, d=m.a)
