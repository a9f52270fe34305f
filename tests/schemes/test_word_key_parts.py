# SPDX-License-Identifier: Apache-2.0
"""The two parts of a secret of a word engine do not meet, where their sum would show.

A product writes its quotients over those of the product before it. Quotients are linear in the
operand, so both parts' quotients add up to those of the key or the nonce, and the bits that change
from the ones to the others tell of it (``ecsm leak word-p256 --digits 1`` finds it).
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.words import KEY_SLOTS, Move
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.program import word_program
from ecsm.status import Status
from tests.schemes.conftest import SEED
from tests.schemes.model import Model
from tests.schemes.word_units import Units


@pytest.mark.parametrize("name", ["word-p256", "word-prime-p224", "word-prime"])
def test_quotients_of_one_part_are_not_written_over_those_of_the_other(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of products that follow each other in a program, none makes a part after the other one."""
    p = WORD_PRESETS[name]
    program, model, units = word_program(p), Model(p.curve), Units()
    built, (one, other) = program.built, PrimeMachine(p).part
    pairs = {built.key: 0, built.key + KEY_SLOTS: 0, one: 1, other: 1}
    writes = [any(s.to_scratch for s in w.slots) for w in built.walks]
    engine, moves = built.engine(), list[Move]()
    move = engine.move

    def seen(w: Move, entry: int = 0) -> None:
        moves.append(w)
        move(w, entry)

    monkeypatch.setattr(engine, "move", seen)
    units.samples = SEED
    made = list[int]()
    for operation, strings in (
        ("load", [model.scalar(5)]),
        ("public", []),
        ("sign-sha256", [bytes(range(32))]),
    ):
        moves.clear()
        units.begin(*strings)
        assert engine.run(program.number(operation), units) == Status.OK
        now = [w.d for w in moves if writes[w.walk]]  # the end of a program clears the quotients
        for a, b in pairwise(now):
            assert a == b or pairs.get(a, 2) != pairs.get(b, 3), "a part behind the other one"
        made += now
    assert all(made.count(part) > 1 for part in pairs)
