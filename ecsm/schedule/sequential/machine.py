# SPDX-License-Identifier: Apache-2.0
"""The word engine in Python: the model that the RTL is held against, word by word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ecsm.schedule.sequential.walk import Slot, Walk
from ecsm.schedule.sequential.words import Capture, Mask, Move, Order, Word

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
    counters: list[int] = field(default_factory=lambda: [0, 0])

    def run(self, operation: int, given: Iterator[int]) -> tuple[int, list[int]]:
        """Run an operation; return its status and the words of its output."""
        pc, stack, out = operation, [0, 0], []
        while True:
            word = self.program[pc]
            pc += 1
            if isinstance(word, Move):
                self.move(word)
                continue
            match word.order:
                case Order.SET:
                    self.counters[word.counter] = word.argument
                case Order.LOOP:
                    if self.counters[word.counter]:
                        self.counters[word.counter] -= 1
                        pc = word.target
                case Order.JUMP:
                    pc = word.target
                case Order.CALL:
                    stack, pc = [pc, stack[0]], word.target
                case Order.RETURN:
                    pc, stack = stack[0], [stack[1], 0]
                case Order.BRANCH:
                    pc = word.target if self.flag else pc
                case Order.IN:
                    for i in range(word.argument):
                        self.memory[word.number * STRIDE + i] = next(given)
                case Order.OUT:
                    at = word.number * STRIDE
                    out += self.memory[at : at + word.argument]
                case Order.DONE:
                    return word.argument, out

    def move(self, w: Move) -> None:
        """Execute a walk."""
        acc, shift, zero = 0, False, True
        for s in self.walks[w.walk].slots:
            self.slots += 1
            acc = 0 if s.first else acc >> self.W if shift else acc
            acc += self._term(s, w)
            if not -(1 << 2 * self.W + 7) <= acc < 1 << 2 * self.W + 7:
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
            self.digit = top % 16 - 8
