# SPDX-License-Identifier: Apache-2.0
"""The word engine in Python: the model that the RTL is held against, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ecsm.schedule.sequential.flow import Flow
from ecsm.schedule.sequential.walk import GUARD, Slot, Walk
from ecsm.schedule.sequential.words import (
    DIGIT_BITS,
    KEY_SLOTS,
    Capture,
    Condition,
    Do,
    Mask,
    Move,
    Order,
    Word,
)


def scratch(depth: int, stride: int) -> int:
    """Return the first word of the scratch number, which has a word more than others.

    It is cleared with the work at the memory's end. The two words behind it are not used: the last
    word that is read has been cleared three cycles before the clearing's end.
    """
    return depth - stride - 3


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
    flag: bool = False
    index: int = 0
    negative: bool = False
    slots: int = 0  # that were executed
    _slot: int = 0

    def run(self, operation: int, units: Units) -> int:
        """Run an operation and clear what it leaves; return its status."""
        flow = Flow(min(operation, 31))
        self._slot = units.key_slot()
        while True:
            word = self.program[flow.pc]
            if isinstance(word, Move):
                for _ in range(1 + (word.immediate if word.mask is Mask.NONE else 0)):
                    self.move(word)
                flow.pc += 1
                continue
            holds = self.flag
            if word.order is Order.DONE:
                self.memory[self.work :] = [0] * (len(self.memory) - self.work)
                self.flag, self.index, self.negative = False, 0, False
                return word.argument
            if word.order is Order.IN:
                self._put(self._string(word), units.read(word.port, word.argument))
            elif word.order is Order.OUT:
                units.write(word.port, self._octets(self._string(word), word.argument))
            elif word.order is Order.COMMAND:
                units.command(word.number, word.argument)
            elif word.order is Order.BRANCH and word.number != Condition.FLAG:
                holds = units.holds(word.number, word.argument)
            flow.follow(word, holds != bool(word.counter))

    @property
    def _scratch(self) -> int:
        return scratch(len(self.memory), self.stride)

    def _string(self, w: Do) -> int:
        """Return the address of a string's last octets."""
        return w.number * self.stride + w.first

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

    def move(self, w: Move) -> None:
        """Execute a walk."""
        acc, shift, zero = 0, False, True
        limit = 1 << 2 * self.W + GUARD - 1
        for s in self.walks[w.walk].slots:
            self.slots += 1
            acc = 0 if s.first else acc >> self.W if shift else acc
            acc += self._term(s, w)
            if not -limit <= acc < limit:
                raise OverflowError(f"the accumulator overflows in {self.walks[w.walk].name}")
            shift = s.shift
            if s.write:
                low = acc & (1 << self.W) - 1
                self.memory[(self._scratch if s.to_scratch else self._first(w.d)) + s.to] = low
                zero = zero and (s.to_scratch or not low)
            if s.last:
                self._capture(w.capture, low, zero, acc >> self.W)

    def _term(self, s: Slot, w: Move) -> int:
        first = self._scratch if s.scratch_a else self._first(w.a)
        a = self._word(first + s.offset_a, s.signed_a)
        b = self._word((0 if s.const_b else self._first(w.b)) + s.offset_b, s.signed_b)
        if not s.sum:
            return a * b << s.doubled
        if w.mask in (Mask.PICK, Mask.CHOOSE):
            chosen = self.index == w.immediate if w.mask is Mask.PICK else self.flag
            return b if chosen else a
        if w.mask is Mask.SIGN:
            return a - b if self.negative and not w.immediate else a + b
        return a - b if s.subtract else a + b

    def _word(self, address: int, signed: bool) -> int:
        word = self.memory[address]
        return word - (signed * (word >> self.W - 1) << self.W)

    def _capture(self, capture: Capture, top: int, zero: bool, above: int) -> None:
        if capture is Capture.SIGN:
            self.flag = bool(top >> self.W - 1)
        elif capture is Capture.ZERO:
            self.flag = zero
        elif capture is Capture.DIGIT:
            value = 2 * (above % (1 << DIGIT_BITS)) - (1 << DIGIT_BITS) + 1
            self.index, self.negative = abs(value) // 2, value < 0
