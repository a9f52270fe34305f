# SPDX-License-Identifier: Apache-2.0
"""The word engine in Python: the model that the RTL is held against, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ecsm.curves.gf2m.field import poly_mul
from ecsm.schedule.sequential.flow import Flow
from ecsm.schedule.sequential.walk import GUARD, Slot, Walk
from ecsm.schedule.sequential.words import (
    DECOYS,
    DIGIT_BITS,
    KEY_SLOTS,
    OFFSET_BITS,
    PC_BITS,
    Capture,
    Condition,
    Do,
    Mask,
    Move,
    Order,
    Table,
    Word,
)


def scratch(depth: int) -> int:
    """Return the first word of the scratch number, at the memory's end.

    It may have a word more than others. The last two words are not used: the last word that is read
    has been cleared three cycles before the clearing's end.
    """
    return depth - (1 << OFFSET_BITS)


class Units(Protocol):
    """What is outside: strings of octets, commands, conditions."""

    def read(self, port: int, octets: int) -> bytes:
        """Return octets of the input."""
        ...

    def write(self, port: int, octets: bytes) -> None:
        """Take octets of the output."""
        ...

    def command(self, number: int, argument: int) -> None:
        """Do what a unit is told."""
        ...

    def holds(self, condition: int, argument: int) -> bool:
        """Return whether a condition holds, that is not the flag."""
        ...

    def key_slot(self) -> int:
        """Return the key slot of the job."""
        ...


class Strings:
    """A host without units: strings in and out."""

    def __init__(self, *given: bytes) -> None:
        self.given, self.out = list(given), list[bytes]()

    def read(self, port: int, octets: int) -> bytes:
        """Return the next string."""
        string = self.given.pop(0)
        assert (port, len(string)) == (0, octets)
        return string

    def write(self, port: int, octets: bytes) -> None:
        """Keep a string."""
        assert port == 0
        self.out.append(octets)

    def command(self, number: int, argument: int) -> None:
        """There is no unit."""
        raise NotImplementedError

    def holds(self, condition: int, argument: int) -> bool:
        """There is no unit."""
        raise NotImplementedError

    def key_slot(self) -> int:
        """There are no keys."""
        return 0


@dataclass
class Engine:
    """A memory of words of ``W`` bits and what runs on it. ``memory`` has the initial values.

    The random bits that change the order of what the RTL does, and no result, are 0 here.
    """

    W: int
    walks: Sequence[Walk]
    program: Sequence[Word]
    memory: list[int]
    stride: int  # words from a number to the next
    key: int = 0  # the number that stands for that of the key slot
    work: int = 0  # the first word that a program's end clears
    table: Sequence[int] = ()  # words of constants
    step: int = 1  # words from a number of them to the next
    decoys: int = 0  # the first of 16 numbers: see DECOYS
    flag: bool = False
    bits: int = 0  # of the digit, five
    slots: int = 0  # that were executed
    _slot: int = 0
    _index: int = 0

    def run(self, operation: int, units: Units) -> int:
        """Run an operation and clear what it leaves; return its status."""
        flow, steps, self._index = Flow(min(operation, 31)), 0, 0
        self._slot = units.key_slot()
        while True:
            word = self.program[flow.pc]
            steps += 1
            if isinstance(word, Move):
                for i in range(word.times):
                    self.move(word, i)
                flow.pc += 1
                continue
            holds = self.flag
            if word.order is Order.DONE:
                self.memory[self.work :] = [0] * (len(self.memory) - self.work)
                self.flag, self.bits = False, 0
                return word.argument
            if word.order is Order.IN:
                self._put(self._string(word), units.read(word.port, word.argument))
            elif word.order is Order.OUT:
                units.write(word.port, self._octets(self._string(word), word.argument))
            elif word.order is Order.SET and word.number:
                self._index = word.argument + (self._index if word.counter else 0)
            elif word.order is Order.COMMAND:
                units.command(word.number, word.argument)
                self._slot = units.key_slot()
            elif word.order is Order.BRANCH and word.number == Condition.STEPS:
                holds, steps = (steps - 1) % (1 << PC_BITS) == word.argument, 0
            elif word.order is Order.BRANCH and word.number != Condition.FLAG:
                holds = units.holds(word.number, word.argument)
            flow.follow(word, holds != bool(word.counter))

    @property
    def _scratch(self) -> int:
        return scratch(len(self.memory))

    def _string(self, w: Do) -> int:
        """Return the address of a string's last octets."""
        index = self._index if w.indexed else 0
        return (w.number * self.stride + w.first + index) % len(self.memory)

    def _put(self, at: int, octets: bytes) -> None:
        """Let words from an address on be a string's."""
        value, step = int.from_bytes(octets, "big"), self.W // 8
        for i in range(-(-len(octets) // step)):
            self.memory[at + i] = value >> self.W * i & (1 << self.W) - 1

    def _octets(self, at: int, octets: int) -> bytes:
        """Return the lowest octets of words from an address on."""
        words = -(-octets // (self.W // 8))
        value = sum(self.memory[at + i] << self.W * i for i in range(words))
        return (value & (1 << 8 * octets) - 1).to_bytes(octets, "big")

    def _first(self, number: int) -> int:
        """Return the address of a number."""
        if self.key and number in (self.key, self.key + KEY_SLOTS):
            number += self._slot % KEY_SLOTS
        return number * self.stride

    @property
    def digit(self) -> int:
        """The digit, odd."""
        return 2 * self.bits - 31

    def move(self, w: Move, entry: int = 0) -> None:
        """Execute a walk; ``entry``: how often it was before, of a word that repeats it."""
        acc, shift, zero = 0, False, True
        limit = 1 << 2 * self.W + GUARD - 1
        for s in self.walks[w.walk].slots:
            self.slots += 1
            acc = 0 if s.first else acc >> self.W if shift else acc
            term = self._term(s, w, entry)
            acc = acc ^ term if s.carryless else acc + term
            if not -limit <= acc < limit:
                raise OverflowError(f"the accumulator overflows in {self.walks[w.walk].name}")
            shift = s.shift
            if s.write:
                low = acc & (1 << self.W) - 1
                self.memory[self._to(s, w, entry)] = low
                zero = zero and (s.to_scratch or not low)
            if s.last:
                self._capture(w.capture, low, zero, acc >> self.W, s.doubled)

    def _term(self, s: Slot, w: Move, entry: int) -> int:
        first = self._scratch if s.scratch_a else self._first(w.a)
        a = self._word(self.memory[first + s.offset_a], s.signed_a)
        b = self._word(self._right(s, w, entry), s.signed_b)
        if not s.sum:
            return poly_mul(a, b) if s.carryless else a * b << s.doubled
        if w.mask is Mask.CHOOSE:
            return b if self.flag else a
        if s.carryless:
            return a ^ b
        return a - b if s.subtract else a + b

    def _to(self, s: Slot, w: Move, entry: int) -> int:
        """Return where a word is written."""
        first = self._scratch if s.to_scratch else self._first(w.d)
        if self._other(w, entry):
            first = self._first(self.decoys + entry) if w.has_decoys else self._scratch
        return first + s.to

    def _other(self, w: Move, entry: int) -> bool:
        """Return whether a walk reads an entry of a table that is not that of the digit."""
        if w.mask is Mask.SIGN:
            return bool(entry) != (self.digit < 0)
        return w.mask is Mask.PICK and Table(w.immediate).whole and entry != abs(self.digit) // 2

    def _right(self, s: Slot, w: Move, entry: int) -> int:
        """Return the word on the right."""
        if s.const_b:
            return self.memory[s.offset_b]
        if w.mask is not Mask.PICK:
            number = w.b | entry if w.mask is Mask.SIGN else w.b
            return self.memory[self._first(number) + s.offset_b]
        number = w.b + (entry if Table(w.immediate).whole else abs(self.digit) // 2)
        if not Table(w.immediate).constant:
            return self.memory[self._first(number) + s.offset_b]
        number %= DECOYS
        return self.table[number * self.step + s.offset_b] if s.offset_b < self.step else 0

    def _word(self, word: int, signed: bool) -> int:
        return word - (signed * (word >> self.W - 1) << self.W)

    def _capture(self, capture: Capture, top: int, zero: bool, above: int, serial: bool) -> None:
        if capture is Capture.SIGN:
            self.flag = bool(top >> self.W - 1)
        elif capture is Capture.ZERO:
            self.flag = zero
        elif capture is Capture.DIGIT and serial:
            self.bits = (2 * self.bits + above % 2) % 32
        elif capture is Capture.DIGIT:
            self.bits = above % (1 << DIGIT_BITS) + 8
