# SPDX-License-Identifier: Apache-2.0
"""Words of the word engine's programs: walks with operands, and orders. See ``word_pkg``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

OFFSET_BITS, NUMBER_BITS, WALK_BITS = 5, 7, 4
DIGIT_BITS, PC_BITS, SLOT_ADDRESS_BITS = 4, 10, 10


class Mask(IntEnum):
    """What a sum does with its operands."""

    NONE = 0
    PICK = 1
    CHOOSE = 2
    SIGN = 3


class Capture(IntEnum):
    """What a walk tells of its result."""

    NONE = 0
    SIGN = 1
    ZERO = 2
    DIGIT = 3


class Order(IntEnum):
    """Words that are no walks."""

    SET = 0
    LOOP = 1
    JUMP = 2
    CALL = 3
    RETURN = 4
    BRANCH = 5
    IN = 6
    OUT = 7
    DONE = 8


def packed(*fields: tuple[int, int]) -> int:
    """Return fields (value, bits) as one number, the first one highest. ValueError: too large."""
    word = 0
    for value, bits in fields:
        if value < 0 or value >> bits:
            raise ValueError(f"{value} does not fit {bits} bits")
        word = word << bits | value
    return word


@dataclass(frozen=True)
class Move:
    """A walk with the numbers of its operands; ``drained``: it waits until nothing is under way."""

    walk: int
    d: int
    a: int = 0
    b: int = 0
    mask: Mask = Mask.NONE
    capture: Capture = Capture.NONE
    immediate: int = 0
    drained: bool = False
    note: str = ""

    def word(self) -> int:
        """Return the word of the program."""
        return packed(
            (1, 1), (self.drained, 1), (self.mask, 2), (self.capture, 2), (self.walk, WALK_BITS),
            (self.d, NUMBER_BITS), (self.a, NUMBER_BITS), (self.b, NUMBER_BITS),
            (self.immediate, DIGIT_BITS),
        )  # fmt: skip


@dataclass(frozen=True)
class Do:
    """An order."""

    order: Order
    counter: int = 0
    number: int = 0
    target: int = 0
    argument: int = 0

    def word(self) -> int:
        """Return the word of the program."""
        return packed(
            (0, 1), (self.order, 4), (self.counter, 1), (self.number, NUMBER_BITS),
            (self.target, PC_BITS), (self.argument, PC_BITS), (0, 2),
        )  # fmt: skip


Word = Move | Do
