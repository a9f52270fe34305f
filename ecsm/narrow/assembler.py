# SPDX-License-Identifier: Apache-2.0
"""From recorded formulas to instructions: order, registers, flags.

The unit executes one instruction a cycle and computes one product in parallel. List scheduling
finds the order: when the multiplier is free, the product on the longest chain starts. Instructions
that do not need a running product fill the cycles in between. Registers and flags are then
allocated in that order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ecsm.narrow.instruction import ALWAYS as G_ALWAYS
from ecsm.narrow.instruction import FLAGS, NEVER, REGISTERS, WRITES, Guard, Instr, Op
from ecsm.narrow.recorder import ALWAYS, Condition, Recorder, Step


class TooManyValues(ValueError):
    """A segment needs more registers or flags than there are."""


@dataclass(frozen=True)
class Segment:
    """Steps between two places that programs jump to.

    ``inputs``: the registers of atoms that are there at its begin; ``outputs``: the atoms that
    registers hold at its end; ``flags``: flags with a fixed number; ``kept``: registers that it
    does not touch but for its outputs.
    """

    recorder: Recorder
    inputs: Mapping[int, int]
    outputs: Mapping[int, int]
    flags: Mapping[str, int] = field(default_factory=dict)
    kept: Collection[int] = ()


def assemble(s: Segment, digits: int) -> list[Instr]:
    """Return a segment's instructions; the last product may be under way when they end.

    ``digits``: cycles of a product after the one it begins in. Raises :class:`TooManyValues`.
    """
    steps = _live(s)
    try:
        return _Allocation(s, _Scheduler(steps, digits).order()).instructions()
    except TooManyValues:
        return _Allocation(s, _Scheduler(steps, digits, sparing=True).order()).instructions()


def _live(s: Segment) -> list[Step]:
    """Return the steps that something is made of, in the order of the formulas."""
    atoms, flags = set(s.outputs.values()), set(s.flags)
    live: list[Step] = []
    for step in reversed(s.recorder.steps):
        if step.atom in atoms or step.flag in flags or step.op is Op.KEY:
            live.append(step)
            atoms |= {atom for atom, _ in step.operands}
            flags |= set(step.reads_flags)
    return live[::-1]


def _chains(steps: list[Step], digits: int) -> dict[int, int]:
    """Return for each step (by its place) the cycles of the longest chain that it begins."""
    length: dict[int, int] = {}
    after: dict[object, int] = {}
    for i in reversed(range(len(steps))):
        step = steps[i]
        made: object = step.flag or step.atom
        own = {Op.MUL: digits + 1, Op.POWER: step.arg}.get(step.op, 1)
        length[i] = own + after.get(made, 0)
        for read in step.reads:
            after[read] = max(after.get(read, 0), length[i])
    return length


class _Scheduler:
    """Puts steps in the order of execution, each with whether it waits for a product.

    Of those that can begin at once products are the first, then those on the longest chains. With
    ``sparing`` those are first of all that leave the fewest values in registers.
    """

    def __init__(self, steps: list[Step], digits: int, sparing: bool = False) -> None:
        self.steps, self.digits, self.sparing = steps, digits, sparing
        self.chains = _chains(steps, digits)
        self.left = list(range(len(steps)))
        self.readers = Counter(read for step in steps for read in step.reads)
        self.cycle, self.pending, self.lands = 0, -1, -1  # now; the product under way, its cycle

    def order(self) -> list[tuple[Step, bool]]:
        """Return the order."""
        found = []
        undone: set[object] = {step.flag or step.atom for step in self.steps}
        while self.left:
            missing = {i: self.steps[i].reads & undone for i in self.left}
            ready = [i for i in self.left if not missing[i]]
            # A constant is loaded when a step lacks nothing else.
            timely = [
                i for i in ready
                if self.steps[i].op is not Op.CONST or {self.steps[i].atom} in missing.values()
            ]  # fmt: skip
            best = min(timely or ready, key=self._rank)
            step = self.steps[best]
            found.append((step, self.cycle <= self.lands and self._reads_pending(step)))
            self._take(best)
            undone.discard(step.flag or step.atom)
        return found

    def _reads_pending(self, step: Step) -> bool:
        return any(atom == self.pending for atom, _ in step.operands)

    def _begins(self, step: Step) -> int:
        """Return the cycle in which a step can begin."""
        at = self.cycle
        if self._reads_pending(step):
            at = max(at, self.lands + 1)
        if step.op is Op.MUL:
            at = max(at, self.lands)
        return at + (step.op in WRITES and at == self.lands)

    def _grows(self, step: Step) -> int:
        """Return how many more values are in registers after a step."""
        return (not step.flag) - sum(self.readers[read] == 1 for read in step.reads)

    def _rank(self, i: int) -> tuple[int, ...]:
        step = self.steps[i]
        grows = self._grows(step) if self.sparing else 0
        return grows, self._begins(step), step.op is not Op.MUL, -self.chains[i], i

    def _take(self, i: int) -> None:
        step, at = self.steps[i], self._begins(self.steps[i])
        taken = step.arg if step.op is Op.POWER else 1
        self.cycle = at + taken + (step.op is Op.POWER and at < self.lands < at + taken)
        if step.op is Op.MUL:
            self.pending, self.lands = step.atom, at + self.digits
        self.readers.subtract(step.reads)
        self.left.remove(i)


class _Allocation:
    """Registers and flags along an order of steps."""

    def __init__(self, s: Segment, order: list[tuple[Step, bool]]) -> None:
        self.s, self.order = s, order
        self.last: dict[int, int] = dict.fromkeys(s.inputs, -1)
        self.flag_last: dict[str, int] = {}
        for i, (step, _) in enumerate(order):
            for atom, _ in step.operands:
                self.last[atom] = i
            for flag in step.reads_flags:
                self.flag_last[flag] = i
        self.wanted = {atom: register for register, atom in s.outputs.items()}
        self.last.update(dict.fromkeys(self.wanted, len(order)))

    def instructions(self) -> list[Instr]:
        """Return the instructions, copies to where outputs belong at their end."""
        s = self.s
        place: dict[int, int] = dict(s.inputs)
        flags: dict[str, int] = dict(s.flags)
        taken = {*s.kept, *s.inputs.values()}
        pool = [r for r in reversed(range(REGISTERS)) if r not in taken]
        # The registers of outputs are for temporary values if nothing else is left.
        pool.sort(key=lambda r: r not in s.outputs)
        found: list[Instr] = []
        for i, (step, waits) in enumerate(self.order):
            operands = [(place[atom], self._guard(flags, c)) for atom, c in step.operands]
            guards = [self._guard(flags, c) for c in step.flags]
            for atom in [a for a, last in self.last.items() if last <= i and a in place]:
                register = place.pop(atom)
                if register not in s.kept:
                    pool.insert(0 if register in s.outputs else len(pool), register)
            for flag in [f for f, last in self.flag_last.items() if last <= i]:
                if flag not in s.flags:
                    flags.pop(flag, None)
            found.append(self._instr(step, waits, operands, guards, place, flags, pool))
        return found + self._copies(place)

    def _copies(self, place: Mapping[int, int]) -> list[Instr]:
        """Return the copies of outputs that were not made where they belong."""
        left = {r: place[a] for r, a in self.s.outputs.items() if place[a] != r}
        found = []
        while left:
            free = [r for r in left if r not in left.values()]
            if not free:
                raise TooManyValues("outputs change places")
            found.append(Instr(Op.SUM, free[0], left.pop(free[0]), wait=True, note="copy"))
        return found

    @staticmethod
    def _guard(flags: Mapping[str, int], condition: Condition) -> Guard:
        flag, value = condition
        return G_ALWAYS if condition == ALWAYS else Guard(flags[flag], not value)

    def _instr(
        self,
        step: Step,
        waits: bool,
        operands: list[tuple[int, Guard]],
        guards: list[Guard],
        place: dict[int, int],
        flags: dict[str, int],
        pool: list[int],
    ) -> Instr:
        if step.flag:
            free = (n for n in range(FLAGS) if n not in flags.values())
            number = self.s.flags.get(step.flag, next(free, -1))
            if number < 0:
                raise TooManyValues(f"no flag is left for {step.flag}")
            flags[step.flag] = dst = number
        else:
            if (dst := self.wanted.get(step.atom, -1)) in pool:
                pool.remove(dst)
            elif pool:
                dst = pool.pop()
            else:
                raise TooManyValues(f"no register is left for {step.name}")
            place[step.atom] = dst
        if step.op is Op.LOGIC:
            a, b = guards
            return Instr(step.op, dst, guard_a=a, guard_b=b, wait=waits, note=step.name)
        (ra, ga), (rb, gb) = [*operands, (0, NEVER), (0, NEVER)][:2]
        return Instr(step.op, dst, ra, rb, ga, gb, step.arg, waits, step.name)


def cleared(registers: Iterable[int]) -> list[Instr]:
    """Return instructions that set registers to zero."""
    return [Instr(Op.SUM, r, guard_a=NEVER, note="0") for r in registers]
