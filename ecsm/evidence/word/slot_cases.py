# SPDX-License-Identifier: Apache-2.0
"""What a slot and its walk choose: the runs of :mod:`ecsm.evidence.word.slots`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ecsm.schedule.sequential.walk import FIELDS, Slot
from ecsm.schedule.sequential.words import Capture, Mask

BASES = ("first", "same", "shift")


@dataclass(frozen=True)
class Case:
    """What chooses: bits of a slot, of its walk, and what the accumulator begins with.

    ``entry``: of a table that is read whole: whether the slot's entry is that of the digit;
    ``decoy``: whether others have decoys.
    """

    slot: Slot
    base: str = "same"
    mask: Mask = Mask.NONE
    flag: int = 0
    constant: bool = False
    immediate: int = 0
    entry: bool = True
    decoy: bool = False
    capture: Capture = Capture.NONE

    def told(self) -> str:
        """Return the case in words."""
        s = self.slot
        names = [n for n in FIELDS if FIELDS[n] == 1 and getattr(s, n)]
        return " ".join([*names, self.base, f"mask {self.mask.name.lower()}"])


def cases(binary: bool = False, decoys: bool = False) -> Iterator[Case]:
    """Yield what walks of numbers choose: masks, places and flags apart from what is added."""
    for doubled, a, b, base in product((False, True), (False, True), (False, True), BASES):
        yield Case(Slot(doubled=doubled, signed_a=a, signed_b=b), base)
    for a, b, subtract, base in product((False, True), (False, True), (False, True), BASES):
        yield Case(Slot(sum=True, signed_a=a, signed_b=b, subtract=subtract), base)
    for signed, subtract in product((False, True), repeat=2):
        s = Slot(sum=True, signed_a=signed, signed_b=signed, subtract=subtract, write=True)
        for flag in (0, 1):
            yield Case(s, "same", Mask.CHOOSE, flag)
        for entry, constant in product((False, True), (False, True)):
            immediate = 15 if constant else 7
            yield Case(s, "same", Mask.PICK, constant=constant, immediate=immediate, entry=entry)
            if constant and decoys:
                yield Case(s, "same", Mask.PICK, 0, constant, immediate, entry, decoy=True)
        for entry in (False, True):
            yield Case(s, "same", Mask.SIGN, immediate=1, entry=entry)
    for to_scratch, scratch_a, const_b, write in product((False, True), repeat=4):
        yield Case(Slot(to_scratch=to_scratch, scratch_a=scratch_a, const_b=const_b, write=write))
    for doubled, capture in product((False, True), Capture):
        s = Slot(doubled=doubled, write=True, last=True, shift=True)
        yield Case(s, capture=capture)
    for is_sum, base in product((False, True), BASES if binary else ()):
        yield Case(Slot(carryless=True, sum=is_sum, write=True), base)
