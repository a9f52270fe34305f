# SPDX-License-Identifier: Apache-2.0
"""A slot of a word engine does what walks take it for, in the netlist; faults are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pytest

from ecsm.evidence.gfp.cells import Cell
from ecsm.evidence.word import carryless
from ecsm.evidence.word.carryless import Carryless
from ecsm.evidence.word.netlist import CORE, Netlist, netlist
from ecsm.evidence.word.slot_cases import BASES, cases
from ecsm.evidence.word.slots import check, part, seeded, sizes
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.schedule.sequential.walk import FIELDS
from ecsm.schedule.sequential.words import Mask
from tests.evidence.word_netlists import gates

P256 = "word-p256"


@lru_cache(maxsize=1)
def whole(name: str) -> tuple[Netlist, frozenset[int]]:
    """Return the part that a slot is in, and what is known in its runs, once it is proven."""
    p = WORD_PRESETS[name]
    found, known = part(netlist(p, Progress()), p.binary), set[int]()
    assert check(found, sizes(p), known) == ""
    return found, frozenset(known)


@pytest.mark.parametrize("name", [P256, "word-prime", "word-dual"])
def test_a_slot_does_what_it_says(name: str) -> None:
    found, known = whole(name)
    faulty = list(seeded(found, set(known), 10))
    assert len(faulty) == 10
    assert all(check(f, sizes(WORD_PRESETS[name])) for f in faulty)


def test_a_carry_less_slot_adds_polynomials() -> None:
    core = gates("word-dual")
    assert Carryless(core, 32).check() == ""
    for faulty in carryless.seeded(core, 32, 6):
        assert "of polynomials is another one" in Carryless(faulty, 32).check()


def test_every_choice_of_a_slot_is_a_case() -> None:
    found = list(cases(binary=True))
    assert {c.base for c in found} == set(BASES)
    assert {c.mask for c in found} == set(Mask)
    names = [n for n in FIELDS if FIELDS[n] == 1 and n not in ("turn", "first")]
    assert all({getattr(c.slot, n) for c in found} == {False, True} for n in names)
    products = {(c.slot.doubled, c.slot.signed_a, c.slot.signed_b, c.base) for c in found
                if not (c.slot.sum or c.slot.carryless)}  # fmt: skip
    assert len(products) == 2 * 2 * 2 * len(BASES)


def broken(change: Callable[[Cell], Cell | None]) -> str:
    """Return what is wrong where each register of the netlist that ``change`` takes is another."""
    found, _ = whole(P256)
    new = [change(r) or r for r in found.words.registers]
    assert new != found.words.registers
    return check(
        replace(found, words=replace(found.words, registers=new)), sizes(WORD_PRESETS[P256])
    )


def test_a_word_that_comes_a_cycle_early_is_found() -> None:
    """The last registers of the way of a result's address are left out."""
    found, _ = whole(P256)
    nets = found.words.names[CORE + "to_q"]
    width = len(nets) // 6
    last, before = nets[-width:], nets[-2 * width : -width]

    def early(r: Cell) -> Cell | None:
        q = r.outputs["Q"]
        if not set(last) & set(q):
            return None
        driven = dict(zip(q, r.inputs["D"], strict=True))
        taken = dict(zip(last, before, strict=True))
        source = {n: d for cell in found.words.registers
                  for n, d in zip(cell.outputs["Q"], cell.inputs["D"], strict=True)}  # fmt: skip
        new = tuple(source[taken[n]] if n in taken else driven[n] for n in q)
        return replace(r, inputs={**r.inputs, "D": new})

    assert "the address of the result" in broken(early)


def test_a_carry_that_is_lost_is_found() -> None:
    """The accumulator's highest bit is 0."""
    found, _ = whole(P256)
    top = found.words.names[CORE + "u_mac.acc_q"][-1]

    def lost(r: Cell) -> Cell | None:
        if top not in r.outputs["Q"]:
            return None
        at = r.outputs["Q"].index(top)
        d = list(r.inputs["D"])
        d[at] = "0"
        return replace(r, inputs={**r.inputs, "D": tuple(d)})

    assert "the accumulator" in broken(lost)


def test_a_flag_that_is_another_bit_is_found() -> None:
    found, _ = whole(P256)
    (flag,) = found.words.names[CORE + "flag_q"]

    def other(r: Cell) -> Cell | None:
        if r.outputs["Q"] != (flag,):
            return None
        return replace(r, inputs={**r.inputs, "D": ("0",)})

    assert "the flag is not the sign" in broken(other)
