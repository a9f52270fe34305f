# SPDX-License-Identifier: Apache-2.0
"""The two parts of a key of a word engine do not meet, where their sum or difference would show.

A product writes its quotients over those of the product before it. Quotients are linear in the
operand, so both parts' quotients add up to those of the key, and the bits that change from the ones
to the others tell of the key (``ecsm leak word-p256 --digits 1`` finds it).
"""

from __future__ import annotations

import pytest

from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.words import KEY_SLOTS, Do, Order
from ecsm.schemes.word.program import word_program

PROTECTED = [name for name, p in WORD_PRESETS.items() if p.protected]


@pytest.mark.parametrize("name", PROTECTED)
def test_quotients_of_one_part_are_not_written_over_those_of_the_other(name: str) -> None:
    """Of products that follow each other in a routine, none makes a part after the other one."""
    built = word_program(WORD_PRESETS[name]).built
    parts = {built.key, built.key + KEY_SLOTS}
    writes = [any(s.to_scratch for s in w.slots) for w in built.walks]
    made, before = [], None
    for word in built.program:
        if isinstance(word, Do):
            before = None if word.order is Order.RETURN else before
        elif writes[word.walk]:
            part = word.d if word.d in parts else None
            assert part in (None, before) or before is None, "a part right behind the other one"
            made.append(part)
            before = part
    assert sum(part is not None for part in made) >= 4, "a key is kept, and split anew"
