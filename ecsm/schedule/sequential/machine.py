# SPDX-License-Identifier: Apache-2.0
"""The word engine in Python: the model that the RTL is held against, word by word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ecsm.schedule.sequential.flow import Flow
from ecsm.schedule.sequential.walk import GUARD, Slot, Walk
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Move, Order, Word

STRIDE, SCRATCH = 16, 2


@dataclass
class Engine:
    """A memory of words of ``W`` bits and what runs on it. ``memory`` has the initial values."""

    W: int
    walks: Sequence[Walk]
    program: Sequence[Word]
    memory: list[int]
    flag: bool = False
    digit: int = 0
    slots: int = 0  # that were executed

    def run(self, operation: int, given: Iterator[int]) -> tuple[int, list[int]]:
        """Run an operation; return its status and the words of its output."""
        flow, out = Flow(operation), list[int]()
        while True:
            word = self.program[flow.pc]
            if isinstance(word, Move):
                self.move(word)
                flow.pc += 1
                continue
            if word.order is Order.DONE:
                return word.argument, out
            at = word.number * STRIDE
            if word.order is Order.IN:
                self.memory[at : at + word.argument] = islice(given, word.argument)
            elif word.order is Order.OUT:
                out += self.memory[at : at + word.argument]
            flow.follow(word, self.flag)

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
                self.memory[(SCRATCH if s.to_scratch else w.d) * STRIDE + s.to] = low
                zero = zero and (s.to_scratch or not low)
            if s.last:
                self._capture(w.capture, low, zero)

    def _term(self, s: Slot, w: Move) -> int:
        a = self._word((SCRATCH if s.scratch_a else w.a) * STRIDE + s.offset_a, s.signed_a)
        b = self._word((0 if s.const_b else w.b) * STRIDE + s.offset_b, s.signed_b)
        if not s.sum:
            return a * b << s.doubled
        if w.mask is Mask.PICK:
            b = b if abs(self.digit) == w.immediate else 0
        elif w.mask is Mask.CHOOSE:
            a, b = (0, b) if self.flag else (a, 0)
        elif w.mask is Mask.SIGN:
            return a - b if self.digit < 0 else a + b
        return a - b if s.subtract else a + b

    def _word(self, address: int, signed: bool) -> int:
        word = self.memory[address]
        return word - (signed * (word >> self.W - 1) << self.W)

    def _capture(self, capture: Capture, top: int, zero: bool) -> None:
        if capture is Capture.SIGN:
            self.flag = bool(top >> self.W - 1)
        elif capture is Capture.ZERO:
            self.flag = zero
        elif capture is Capture.DIGIT:
            self.digit = top % (1 << DIGIT_BITS) - (1 << DIGIT_BITS - 1)
