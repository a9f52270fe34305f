# SPDX-License-Identifier: Apache-2.0
"""What walks of a program do to each other: who reads what is being written.

A walk may begin in the slot behind the last one of the walk before. A word that is written in a
slot can be read by the seventh slot after it; the sixth would read it while it is written, and
those before see what was there. So of every two walks that may follow each other, the second must
read no word of the first one's result too early, unless it waits until nothing is under way. A
walk whose result has the place of an operand must have read a word before the new one is there.

Which walks follow each other is the program's: orders that do not wait (SET, LOOP, JUMP, CALL,
RETURN) are passed through, a RETURN to behind every CALL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ecsm.evidence.word.symbolic import Wrong
from ecsm.evidence.word.tables import Tables
from ecsm.schedule.sequential.machine import scratch
from ecsm.schedule.sequential.walk import DISTANCE, Slot
from ecsm.schedule.sequential.words import Capture, Do, Mask, Move, Order, Table

WAITING = frozenset({Order.BRANCH, Order.IN, Order.OUT, Order.DONE, Order.COMMAND})
SUMS = ("sum", "difference", "aside", "wide-sum", "string", "widen", "xor", "wide-xor")
DIGITS = ("digit", "wide-digit", "gather")
FLAG = {Mask.CHOOSE: 6}
DIGIT = {Mask.PICK: 10, Mask.SIGN: 10}
"""Slots from one with ``last`` to the first one of a walk that needs its flag, or its digit.

The flag is there seven cycles after the slot, and a mask is made of it the cycle after its slot;
its digit eight, and a table's first address is made two cycles before the slot.
"""


def counted(walk: Sequence[Slot]) -> Iterator[tuple[int, Slot]]:
    """Yield the slots that may add to what is written: not a word times 0, nor what is lost."""
    last = max((i for i, s in enumerate(walk) if s.write or s.last), default=-1)
    for i, s in enumerate(walk[: last + 1]):
        if not (s.const_b and s.offset_b == 0 and not s.sum):
            ends = next((w for w in walk[i:] if w.write or (w.first and w is not s)), None)
            if ends is None or (ends.write and (ends is s or not ends.first)):
                yield i, s


def writes(walk: Sequence[Slot]) -> dict[int, int]:
    """Return for each word of d the slot that writes it."""
    return {s.to: i for i, s in enumerate(walk) if s.write and not s.to_scratch}


@dataclass(frozen=True)
class Between:
    """The walks of a program. ``depth``: words of the memory; ``key``, ``decoys``: see Built."""

    tables: Tables
    depth: int
    key: int
    decoys: int = 0

    @cached_property
    def moves(self) -> list[tuple[int, Move]]:
        """The walks of the program, with the word that each is in."""
        return [(i, w) for i, w in enumerate(self.tables.program) if isinstance(w, Move)]

    def reads(self, m: Move) -> dict[int, int]:
        """Return for each address that a walk may read the first slot that does, in any repeat."""
        return self._read(m, lambda old, new: min(old, new))

    def reads_last(self, m: Move) -> dict[int, int]:
        """Return the last one."""
        return self._read(m, lambda old, new: max(old, new))

    def _read(self, m: Move, better: object) -> dict[int, int]:
        found: dict[int, int] = {}
        for i, s in counted(self.tables.walks[m.walk]):
            places = [] if s.scratch_a else [m.a * self.tables.stride + s.offset_a]
            if not s.const_b:
                places += [b * self.tables.stride + s.offset_b for b in self.right(m)]
            for at in places:
                found[at] = better(found.get(at, i), i)  # type: ignore[operator]
        return found

    def right(self, m: Move) -> Iterable[int]:
        """Return the numbers that may be the right operand."""
        if m.mask is Mask.SIGN:
            return (m.b, m.b + 1)
        if m.mask is Mask.PICK:
            return () if Table(m.immediate).constant else range(m.b, m.b + 8)
        return (m.b,)

    def after(self, at: int) -> set[int]:
        """Return the walks that may follow the word before ``at`` without a wait."""
        if at not in self._after:
            self._after[at] = self._follow(at)
        return self._after[at]

    @cached_property
    def _after(self) -> dict[int, set[int]]:
        return {}

    def _follow(self, at: int) -> set[int]:
        found, waiting, seen = set[int](), [at], set[int]()
        program = self.tables.program
        while waiting:
            i = waiting.pop()
            if i in seen or i >= len(program):
                continue
            seen.add(i)
            w = program[i]
            if isinstance(w, Move):
                found.add(i)
            elif w.order is Order.RETURN:
                waiting += self._returns
            elif w.order in (Order.JUMP, Order.CALL):
                waiting.append(w.target)
            elif w.order is Order.LOOP:
                waiting += [w.target, i + 1]
            elif w.order not in WAITING:
                waiting.append(i + 1)
        return found

    @cached_property
    def _returns(self) -> list[int]:
        return [
            i + 1
            for i, w in enumerate(self.tables.program)
            if isinstance(w, Do) and w.order is Order.CALL
        ]

    def check(self) -> int:
        """Return how many pairs of walks may follow each other; raises Wrong."""
        if any(len(w) < DISTANCE for w in self.tables.walks):
            raise Wrong("a walk is shorter than the way of a slot's result")
        self._writes_are_apart()
        pairs = 0
        program = self.tables.program
        for i, m in self.moves:
            self._use(i, m)
            self._in_place(i, m)
            if m.capture is not Capture.NONE:
                self._settled(i, m)
            following = self.after(i + 1) | ({i} if m.times > 1 else set())
            pairs += len(following)
            length, made = len(self.tables.walks[m.walk]), writes(self.tables.walks[m.walk])
            for j in following:
                other = program[j]
                assert isinstance(other, Move)
                if other.drained and j != i:
                    continue
                reads = self.reads(other)
                for number, (to, slot) in product(self.written(m), made.items()):
                    at = reads.get(number * self.tables.stride + to)
                    if at is not None and length - slot + at < DISTANCE:
                        raise Wrong(f"word {j} reads what word {i} writes too early")
        return pairs

    def written(self, m: Move) -> list[int]:
        """Return the numbers that a walk may write."""
        decoys = range(self.decoys, self.decoys + 1 + Table.SIXTEEN) if m.has_decoys else ()
        return [m.d, *decoys]

    def _in_place(self, i: int, m: Move) -> None:
        reads = self.reads_last(m)
        for to, slot in writes(self.tables.walks[m.walk]).items():
            if reads.get(m.d * self.tables.stride + to, 0) > slot + DISTANCE - 2:
                raise Wrong(f"word {i} reads an operand that it has written over")

    def _settled(self, i: int, m: Move) -> None:
        """Check that no walk needs a flag, or a digit, that is still under way."""
        walk = self.tables.walks[m.walk]
        last = max((k for k, s in enumerate(walk) if s.last), default=0)
        settled = DIGIT if m.capture is Capture.DIGIT else FLAG
        waiting, most = [(i, len(walk) - last)], max(settled.values())
        while waiting:
            at, slots = waiting.pop()
            for j in self.after(at + 1):
                other = self.tables.program[j]
                assert isinstance(other, Move)
                if other.drained:
                    continue
                if slots < settled.get(other.mask, 0):
                    raise Wrong(f"word {j} needs what word {i} tells, too early")
                more = slots + other.times * len(self.tables.walks[other.walk])
                if more < most:
                    waiting.append((j, more))

    def _use(self, i: int, m: Move) -> None:
        """Check that a walk gets what its claim is for."""
        if m.walk >= len(self.tables.names):
            raise Wrong(f"word {i} has no walk")
        kind = self.tables.names[m.walk].partition(" ")[0]
        if kind.startswith("square") and m.a != m.b:
            raise Wrong(f"word {i} squares two numbers")
        if m.mask is not Mask.NONE and kind not in SUMS:
            raise Wrong(f"word {i} has a mask for what is no sum")
        if m.capture is Capture.DIGIT and kind not in DIGITS:
            raise Wrong(f"word {i} takes a digit of what has none")
        if kind == "expand" and m.d in (m.a, m.b):
            raise Wrong(f"word {i} writes over a factor")

    def _writes_are_apart(self) -> None:
        """Check that constants are never written, and that numbers end before the scratch."""
        first, end, stride = len(self.tables.values), scratch(self.depth), self.tables.stride
        keys = {self.key, self.key + 4} if self.key else set()
        for i, w in enumerate(self.tables.program):
            if isinstance(w, Move):
                words = writes(self.tables.walks[w.walk])
                at = [number * stride + to for number in self.written(w) for to in words]
                if w.d in keys:
                    at += [a + 3 * stride for a in at]
            elif w.order is Order.IN and not w.indexed:
                low = w.number * stride + w.first
                at = [low, low + (w.argument - 1) // (self.tables.W // 8)]
            else:
                continue
            if any(not first <= a < end for a in at):
                raise Wrong(f"word {i} writes a constant, or the scratch number")
