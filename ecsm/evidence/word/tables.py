# SPDX-License-Identifier: Apache-2.0
"""The tables of a word engine, as its memories have them: slots, starts, words, first words.

They are the string that is loaded, or the parameters of the generated module. A walk is what the
engine makes of them: the slots from its start to the second one behind that with ``turn``. Only
the name of a walk is the compiler's; it says which claim is to be proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ecsm.hdl.word_emit import WORD_BITS, word_parameters
from ecsm.hdl.word_image import Load, image
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.walk import FIELDS, SLOT_BITS, TURN, Slot
from ecsm.schedule.sequential.words import (
    DIGIT_BITS,
    NUMBER_BITS,
    PC_BITS,
    SLOT_ADDRESS_BITS,
    WALK_BITS,
    Capture,
    Do,
    Mask,
    Move,
    Order,
    Word,
)


@dataclass(frozen=True)
class Tables:
    """Numbers of the tables. ``names``: of the walks, in the order of ``starts``."""

    W: int
    stride: int  # words from a number to the next
    slots: tuple[int, ...]
    starts: tuple[int, ...]
    words: tuple[int, ...]
    values: tuple[int, ...]
    names: tuple[str, ...]

    @cached_property
    def walks(self) -> list[list[Slot]]:
        """The slots of each walk; none if it has no end."""
        return [self._walk(start) for start in self.starts[: len(self.names)]]

    def _walk(self, start: int) -> list[Slot]:
        found: list[Slot] = []
        for word in self.slots[start:]:
            found.append(slot(word))
            if len(found) >= TURN and found[-TURN].turn:
                return found
        return []

    @cached_property
    def program(self) -> list[Word]:
        """The words of the program."""
        return [program_word(w) for w in self.words]

    def constant(self, offset: int, signed: bool) -> int:
        """Return a word of those that walks multiply with. Raises IndexError."""
        word = self.values[offset]
        return word - (signed * (word >> self.W - 1) << self.W)

    def changed(self, slot_at: int, new: int) -> Tables:
        """Return the tables with another slot in a place."""
        return replace(self, slots=(*self.slots[:slot_at], new, *self.slots[slot_at + 1 :]))


def _fields(word: int, *bits: int) -> list[int]:
    """Return the fields of a word, the first one highest."""
    found = []
    for width in reversed(bits):
        found.append(word & (1 << width) - 1)
        word >>= width
    return found[::-1]


def slot(word: int) -> Slot:
    """Return what a slot of the table says."""
    values = _fields(word, *FIELDS.values())
    return Slot(**{
        name: value if FIELDS[name] > 1 or name == "to" else bool(value)
        for name, value in zip(FIELDS, values, strict=True)
    })  # type: ignore[arg-type]  # fmt: skip


def program_word(word: int) -> Word:
    """Return what a word of the program says."""
    if word >> WORD_BITS - 1:
        _, drained, mask, capture, walk, d, a, b, immediate = _fields(
            word, 1, 1, 2, 2, WALK_BITS, *[NUMBER_BITS] * 3, DIGIT_BITS
        )
        return Move(walk, d, a, b, Mask(mask), Capture(capture), immediate, bool(drained))
    _, order, counter, number, target, argument, beyond = _fields(
        word, 1, 4, 1, NUMBER_BITS, PC_BITS, PC_BITS, 1
    )
    return Do(Order(order), counter, number, target | beyond << PC_BITS, argument)


def _literal(value: int | str, bits: int) -> tuple[int, ...]:
    """Return the parts of a literal of SystemVerilog, the lowest first."""
    size, number = str(value).split("'h")
    whole = int(number, 16)
    return tuple(whole >> i & (1 << bits) - 1 for i in range(0, int(size), bits))


def tables(built: Built, loaded: bool) -> Tables:
    """Return the tables of a program: of the string that is loaded, or of the parameters."""
    names = tuple(w.name for w in built.walks)
    if not loaded:
        p = word_parameters(built)
        return Tables(
            built.W, built.stride, _literal(p["Slots"], SLOT_BITS),
            _literal(p["Starts"], SLOT_ADDRESS_BITS), _literal(p["Words"], WORD_BITS),
            _literal(p["Values"], built.W), names,
        )  # fmt: skip
    found: dict[int, dict[int, int]] = {kind: {} for kind in Load}
    octets = image(built)
    for i in range(0, len(octets) - 8, 8):
        kind, address, value = _fields(int.from_bytes(octets[i : i + 8], "big"), 4, 12, 48)
        found[kind][address] = value
    slots, starts, words, values = (
        _dense(found[k]) for k in (Load.SLOT, Load.START, Load.PROGRAM, Load.MEMORY)
    )
    return Tables(built.W, built.stride, slots, starts, words, values, names)


def _dense(words: dict[int, int]) -> tuple[int, ...]:
    return tuple(words.get(i, 0) for i in range(max(words) + 1))


def read_at(walk: Sequence[Slot], side: str) -> dict[int, list[int]]:
    """Return for each word of the operand ``side`` (a, b) the slots that read it."""
    found: dict[int, list[int]] = {}
    for i, s in enumerate(walk):
        if side == "a" and not s.scratch_a:
            found.setdefault(s.offset_a, []).append(i)
        if side == "b" and not s.const_b:
            found.setdefault(s.offset_b, []).append(i)
    return found
