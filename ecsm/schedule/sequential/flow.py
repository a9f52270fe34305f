# SPDX-License-Identifier: Apache-2.0
"""Which word of a program is next: jumps, routines, loops, as ``word_control`` has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ecsm.schedule.sequential.words import Do, Move, Order, Word


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


OPEN = 3  # routines that may be open
MOST = 1 << 22  # words, before a part of a program is taken for one without an end


def steps(program: Sequence[Word], first: int, last: int) -> int:
    """Return how many words are executed from one to another one, which is not counted.

    Branches are taken if they are ``usual``. Raises ValueError if the way does not come there.
    """
    flow, count = Flow(first), 0
    while flow.pc != last or flow.stack[0]:
        word = program[flow.pc]
        if isinstance(word, Move):
            flow.pc += 1
        else:
            flow.follow(word, word.usual)
        count += 1
        if count > MOST:
            raise ValueError(f"word {last} is not reached from word {first}")
    return count


def nesting(program: Sequence[Word], firsts: Iterable[int]) -> int:
    """Return how many routines are open at once, at most, from some first words on."""
    known: dict[int, int] = {}

    def deepest(first: int) -> int:
        if first in known:
            return known[first]
        known[first] = len(program)  # of a routine that calls itself
        found, seen, todo = 0, {first}, [first]
        while todo:
            pc = todo.pop()
            word = program[pc]
            after = {pc + 1}
            if isinstance(word, Do):
                if word.order is Order.CALL:
                    found = max(found, 1 + deepest(word.target))
                elif word.order in (Order.JUMP, Order.LOOP, Order.BRANCH):
                    after.add(word.target)
                if word.order in (Order.JUMP, Order.RETURN, Order.DONE):
                    after.discard(pc + 1)
            todo += after - seen
            seen |= after
        known[first] = found
        return found

    return max(map(deepest, firsts), default=0)
