# SPDX-License-Identifier: Apache-2.0
"""Run a prime-field program's microcode on numbers: what the RTL does, cycle by cycle."""

from __future__ import annotations

from dataclasses import dataclass, field

from ecsm.curves import Point
from ecsm.curves.divsteps import Divsteps, Matrix, negative
from ecsm.curves.prime import PrimeCurve
from ecsm.curves.recode import recode_window
from ecsm.curves.residues import Residues
from ecsm.schedule.residue_microcode import Gate, Microcode, Word
from ecsm.schedule.residue_types import DEPTH, Units


@dataclass(frozen=True)
class Result:
    """What the core answers: a point, or ``on_curve`` False with no point."""

    point: Point
    on_curve: bool


@dataclass
class _State:
    regs: dict[tuple[int, int], list[int]]
    table: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    product: dict[int, list[int]] = field(default_factory=dict)  # by the cycle they come out
    sums: dict[int, list[int]] = field(default_factory=dict)
    matrices: dict[int, Matrix] = field(default_factory=dict)
    cycle: int = 0


class Machine:
    """The datapath of one preset."""

    def __init__(
        self, curve: PrimeCurve, code: Microcode, units: Units, r: Residues,
        divsteps: Divsteps, window: int,
    ) -> None:  # fmt: skip
        self.curve, self.code, self.units, self.r = curve, code, units, r
        self.divsteps, self.window = divsteps, window

    def run(self, k: int, point: Point) -> Result:
        """Execute kP; raises ValueError where a unit or a register is used against its rules."""
        c, r, units = self.curve, self.r, self.units
        recoded = recode_window(k, c.n, self.window)
        digits = list(reversed(recoded.digits))
        x, y = point or (0, 0)
        s = _State({(0, 0): r.split(x), (1, 0): r.split(y)})
        digit, shown = 0, 0  # the digit asked for, and the one whose entry is read
        inverse_negative = False
        answers: dict[str, int] = {}
        free = 0
        for cycle, word in enumerate(self.code.unrolled()):
            s.cycle = cycle
            mul, add = s.product.get(cycle), s.sums.get(cycle)
            shown_d = digits[min(shown, len(digits) - 1)]
            guard = {"negative": shown_d < 0, "flip": recoded.negate != inverse_negative}
            places = (s, mul, add, (abs(shown_d) - 1) // 2)
            sums = {
                sink: self._form(word, sink, guard, places) for sink in {g.sink for g in word.gates}
            }
            if ("mul", 0) in sums:
                s.product[cycle + units.latency] = r.product(sums["mul", 0], sums["mul", 1])
            s.sums[cycle + units.sum_latency] = r.carried(sums.get(("add", 0), [0] * r.limbs))
            for bank, (number, unit) in word.write.items():
                s.regs[bank, number] = _need(mul if unit == "mul" else add)
            for column, (entry, unit) in word.store.items():
                s.table[entry, column] = _need(mul if unit == "mul" else add)
            for name in sorted(word.take):
                value = r.value(_need(add))
                if name == "divide":
                    for b, (matrix, after) in enumerate(self.divsteps.run(r.p, value)):
                        inverse_negative = negative(after.f)
                        first = cycle + units.divide + b * units.period
                        s.matrices |= dict.fromkeys(range(first, first + units.period), matrix)
                    continue
                if cycle < free:
                    raise ValueError(f"the reducer is busy in cycle {cycle}")
                free = cycle + units.reduce
                answers[name] = value % r.p
            shown = digit
            digit += word.next
        if point is not None and answers["curve"]:
            return Result(None, False)
        if point is None or recoded.zero:
            return Result(None, True)
        return Result((answers["x"], answers["y"]), True)

    def _form(
        self, word: Word, sink: tuple[str, int], guard: dict[str, bool],
        places: tuple[_State, list[int] | None, list[int] | None, int],
    ) -> list[int]:  # fmt: skip
        s = places[0]
        r = self.r
        mask = (1 << r.operand) - 1
        total = [0] * r.limbs
        for g in word.gates:
            if g.sink != sink or (g.guard and guard[g.guard[0]] != g.guard[1]):
                continue
            kind, index = g.source
            if kind == "matrix":
                m = s.matrices[s.cycle]
                entry_ = (m.u, m.v, m.q, m.r)[index]
                v = [limb & mask for limb in r.spread(entry_, self.divsteps.batch)]
            else:
                v = self._read(g, word, places)
            for i in range(r.limbs):
                shifted = v[i] << g.shift & mask
                total[i] += mask ^ shifted if g.complement else shifted
        out = [v & mask for v in total]
        if any(v > bound for v, bound in zip(out, r.most, strict=True)):
            raise ValueError("a limb of an operand is too large")
        return out

    def _read(
        self, gate: Gate, word: Word,
        places: tuple[_State, list[int] | None, list[int] | None, int],
    ) -> list[int]:  # fmt: skip
        (kind, index), (s, mul, add, entry) = gate.source, places
        if kind == "reg":
            return s.regs[divmod(word.read[gate.sink, gate.slot], DEPTH)]
        if kind == "table":
            return s.table[entry, index]
        if kind == "const":
            return list(self.code.consts[index])
        return _need(mul if kind == "mul" else add)


def _need(v: list[int] | None) -> list[int]:
    if v is None:
        raise ValueError("a unit has no result in this cycle")
    return v
