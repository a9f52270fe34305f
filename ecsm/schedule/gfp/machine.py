# SPDX-License-Identifier: Apache-2.0
"""Run a prime-field program's microcode on numbers: what the RTL does, cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ecsm.curves import Point
from ecsm.curves.gfp.divsteps import Divsteps, Matrix, negative
from ecsm.curves.gfp.masked import MaskedRecoding
from ecsm.curves.gfp.residues import Residues
from ecsm.curves.recode import WindowRecoding
from ecsm.formulas.gfp.graph import OF_DIGITS, Guard
from ecsm.schedule.gfp.microcode import OF_DIGIT, Word
from ecsm.schedule.gfp.types import Units
from ecsm.schedule.program import Job, Microcode, Result

NEVER = 1 << 40  # later than any program's cycles
Table = dict[tuple[int, int], list[int]]  # by entry and column


class _Thread:
    """What one thread has of its own."""

    def __init__(self, recoded: WindowRecoding, point: Point, r: Residues, fixed: Table) -> None:
        self.masked = isinstance(recoded, MaskedRecoding)
        self.point = point
        self.recoded = recoded
        self.digits = list(reversed(self.recoded.digits))
        x, y = point or (0, 0)
        self.regs = {(0, 0): r.split(x), (1, 0): r.split(y)}
        self.written: dict[tuple[int, int], int] = {}  # when a result was on a unit's output
        self.table = dict(fixed)
        self.double = bool(fixed)
        self.stored: dict[tuple[int, int], int] = {}  # when
        self.product: dict[int, list[int]] = {}  # by the cycle they come out
        self.sums: dict[int, list[int]] = {}
        self.digit = self.shown = 0  # the one asked for, and the one whose entry is read
        self.asked_for: list[int] = []  # those before it, whose entries are on their way
        self.answers: dict[str, int] = {}
        self.tested = NEVER  # when the core knows whether the point is on the curve

    def look(self, lookup: int, following: bool) -> None:
        """End a word that asks for the next digit, or does not."""
        self.digit += following
        self.asked_for.append(self.digit)
        if len(self.asked_for) >= lookup:
            self.shown = self.asked_for.pop(0)

    @property
    def asked(self) -> int:
        """The entry of the requested digit, which a program may write."""
        return self.recoded.entry(self.digits[min(self.digit, len(self.digits) - 1)])

    @property
    def value(self) -> int:
        """The digit whose entry is read."""
        return self.digits[min(self.shown, len(self.digits) - 1)]

    @property
    def invalid(self) -> bool:
        """Whether there is no point to invert a Z of; the tests must have been made."""
        return (
            self.point is None or self.answers.get("curve", 0) != 0 or self.recoded.zero
            or self.answers.get("zero", 1) == 0
        )  # fmt: skip

    @property
    def infinite(self) -> bool:
        """Whether the answer is infinity: of aG + bP, and of a masked ladder, if y is zero."""
        if self.double or (self.masked and self.point is not None):
            return self.answers["y"] == 0
        return self.point is None or self.recoded.zero

    def result(self) -> Result:
        """Return the answer."""
        if self.point is not None and self.answers.get("curve"):
            return Result(None, False)
        if self.infinite:
            if self.masked and self.point and (self.answers["X"] or not self.answers["Y"]):
                raise ValueError("the answer is no infinity of the curve")
            return Result(None)
        if self.answers.get("result"):
            raise ValueError("the answer is no point of the curve")
        return Result((self.answers["x"], self.answers.get("y", 0)))


class Machine:
    """The datapath of one preset; ``fixed`` are constant entries of the table, those of aG + bP.

    ``masks`` are random numbers, which stand where a matrix is read before the division.
    """

    def __init__(
        self, code: Microcode[Word], units: Units, r: Residues,
        divsteps: Divsteps, recode: Callable[[int], WindowRecoding], fixed: Table | None = None,
        masks: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.code, self.units, self.r = code, units, r
        self.divsteps, self.recode, self.fixed = divsteps, recode, fixed or {}
        self.masks = masks

    def run(self, k: int, point: Point) -> Result:
        """Execute kP, alone; raises as :meth:`run_all`."""
        return self.run_all([(k, point)])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Result]:
        """Execute up to a job for each thread, all together.

        Raises ValueError where a unit or a register is used against its rules.
        """
        idle = [(0, None)] * (self.code.threads - len(jobs))
        threads = [
            _Thread(self.recode(k), point, self.r, self.fixed) for k, point in (*jobs, *idle)
        ]
        self._matrices: dict[int, Matrix] = {}
        self._inverse_negative = False
        self._free = 0
        self._divided = NEVER  # when the sign of the inverse is known
        cycle = -1
        for cycle, word in enumerate(self.code.unrolled()):
            for i, t in enumerate(threads):
                ahead = threads[(i + word.ahead) % len(threads)]
                self._operate(cycle, word, t, ahead)
            for i, t in enumerate(threads):
                self._take(cycle, word, t, i)
        if cycle + 1 < self._free:
            raise ValueError(f"the program ends before the reducer, after {cycle + 1} cycles")
        return [t.result() for t in threads[: len(jobs)]]

    def _operate(self, cycle: int, word: Word, t: _Thread, ahead: _Thread) -> None:
        """Start a thread's product and sum."""
        r, units = self.r, self.units
        sums = {
            sink: self._form(cycle, word, sink, t, ahead if sink == ("add", 0) else t)
            for sink in {g.sink for g in word.gates}
        }
        if ("mul", 0) in sums:
            t.product[cycle + units.latency] = r.product(sums["mul", 0], sums["mul", 1])
        t.sums[cycle + units.sum_latency] = r.carried(sums.get(("add", 0), [0] * r.limbs))

    def _take(self, cycle: int, word: Word, t: _Thread, number: int) -> None:
        """Give a thread's results to registers, table and units."""
        mul, add = t.product.get(cycle), t.sums.get(cycle)
        for bank, (register, unit) in word.write.items():
            t.regs[bank, register] = _need(mul if unit == "mul" else add)
            t.written[bank, register] = cycle
        for column, (number_of, unit) in word.store.items():
            entry = t.asked if number_of == OF_DIGIT else number_of
            t.table[entry, column] = _need(mul if unit == "mul" else add)
            t.stored[entry, column] = cycle
        if word.next and cycle < self.units.prepare:
            raise ValueError(f"the digit is not known that is left in cycle {cycle}")
        t.look(self.units.lookup, word.next)
        if number != word.thread:
            return
        for name in sorted(word.take):
            value = self.r.value(_need(add))
            if name == "divide":
                self._divide(cycle, value)
                continue
            if cycle < self._free:
                raise ValueError(f"the reducer is busy in cycle {cycle}")
            if "y" in t.answers and self.code.threads == 1 and not t.masked:
                raise ValueError("y stays in the reducer until it is taken")
            self._free = cycle + self.units.reduce
            if t.answers.setdefault(name, value % self.r.p) != value % self.r.p:
                raise ValueError(f"{name} differs from what it was")
            if name in ("curve", "zero"):
                t.tested = self._free + 1  # in its register

    def _divide(self, cycle: int, value: int) -> None:
        for batch, (matrix, after) in enumerate(self.divsteps.run(self.r.p, value)):
            self._inverse_negative = negative(after.f)
            self._divided = first = cycle + self.units.divide + batch * self.units.period
            self._matrices |= dict.fromkeys(range(first, first + self.units.hold), matrix)

    def _digit(self, cycle: int, t: _Thread) -> int:
        """Return the digit that a word looks at, its entry or its sign."""
        if cycle < self.units.prepare + self.units.lookup:
            raise ValueError(f"the digit is not known in cycle {cycle}")
        return t.value

    def _holds(self, cycle: int, guard: Guard, t: _Thread) -> bool:
        """Whether a condition holds; all but the digit's must be known a cycle before the word."""
        name, value = guard
        if name == "role":
            assert isinstance(t.recoded, MaskedRecoding)
            return t.recoded.role(self._digit(cycle, t)) == value
        if name in OF_DIGITS:
            return t.recoded.condition(self._digit(cycle, t)) == value
        if name == "infinity":
            return (t.point is None) == value
        at = self._divided if name == "flip" else t.tested
        if cycle <= max(at, self.units.prepare):
            raise ValueError(f"{name} is not known in cycle {cycle}")
        if name == "flip":
            return (t.recoded.negate != self._inverse_negative) == value
        return t.invalid == value

    def _form(
        self, cycle: int, word: Word, sink: tuple[str, int], t: _Thread, read: _Thread
    ) -> list[int]:
        """Return an operand of thread ``t``, whose registers are those of ``read``."""
        r = self.r
        mask = (1 << r.operand) - 1
        total = [0] * r.limbs
        for g in word.gates:
            if g.sink != sink or (g.guard and not self._holds(cycle, g.guard, t)):
                continue
            kind, index = g.source
            if kind == "matrix":
                if self._divided == NEVER and self.masks:
                    entry = self.masks[index]
                else:
                    m = self._matrices[cycle]
                    entry = (m.u, m.v, m.q, m.r)[index]
                v = [limb & mask for limb in r.spread(entry, self.divsteps.batch)]
            elif kind == "reg":
                place = (index, word.read[g.sink, index])
                if read is not t and cycle - read.written[place] < 2:
                    raise ValueError("another thread's register is read too early")
                if read is not t and word.write.get(place[0], (-1,))[0] == place[1]:
                    raise ValueError("another thread's register is read too late")
                v = read.regs[place]
            elif kind == "table":
                place = (t.recoded.entry(self._digit(cycle, t)), index)
                if cycle - t.stored.get(place, -self.units.lookup) < self.units.lookup:
                    raise ValueError("the table is read while it is written")
                v = t.table.get(place, [0] * r.limbs)  # cleared before
            elif kind == "const":
                v = list(self.code.consts[index])
            else:
                v = _need((t.product if kind == "mul" else t.sums).get(cycle))
            for i in range(r.limbs):
                shifted = v[i] << g.shift & mask
                total[i] += mask ^ shifted if g.complement else shifted
        out = [v & mask for v in total]
        if any(v > bound for v, bound in zip(out, r.most, strict=True)):
            raise ValueError("a limb of an operand is too large")
        return out


def _need(v: list[int] | None) -> list[int]:
    if v is None:
        raise ValueError("a unit has no result in this cycle")
    return v
