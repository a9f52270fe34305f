# SPDX-License-Identifier: Apache-2.0
"""Which word of a program is next: jumps, routines, loops, as ``word_control`` has them."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.schedule.sequential.words import Do, Order


@dataclass
class Flow:
    """The place in a program: the next word, where open routines return to, two counters."""

    pc: int
    stack: tuple[int, int, int] = (0, 0, 0)
    counters: tuple[int, int] = (0, 0)

    def follow(self, w: Do, taken: bool) -> None:
        """Go on after an order; ``taken``: a branch is."""
        self.pc += 1
        if w.order is Order.SET and not w.number:
            self._count(w.counter, w.argument)
        elif w.order is Order.LOOP:
            if left := self.counters[w.counter]:
                self._count(w.counter, left - 1)
                self.pc = w.target
        elif w.order is Order.CALL:
            self.stack, self.pc = (self.pc, *self.stack[:2]), w.target
        elif w.order is Order.RETURN:
            self.pc, self.stack = self.stack[0], (*self.stack[1:], 0)
        elif w.order is Order.JUMP or (w.order is Order.BRANCH and taken):
            self.pc = w.target

    def _count(self, which: int, value: int) -> None:
        one, other = self.counters
        self.counters = (value, other) if which == 0 else (one, value)
