# SPDX-License-Identifier: Apache-2.0
"""The programs of the field unit and of the point unit, made from the formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m import total
from ecsm.formulas.gf2m.algebra import sqr
from ecsm.formulas.gf2m.ladder import Ladder, State
from ecsm.formulas.gf2m.points import invert
from ecsm.narrow.assembler import Segment, assemble, cleared
from ecsm.narrow.instruction import FLAG_CURVE, FLAG_INFINITY, Instr, Model, Op
from ecsm.narrow.recorder import Derived, Recorder, Sum

DIGIT = 32
FIELD_REGISTERS = ("A", "B", "C")
"""What the host sees of a field unit: two operands, the result."""
POINT_REGISTERS = ("X1", "Y1", "X2", "Y2", "K", "X3", "Y3")
"""What the host sees of a point unit: two points, the scalar, the result."""


@dataclass(frozen=True)
class Run:
    """A program: where it begins and which of the host's registers it reads, empties and fills."""

    name: str
    entry: int
    needs: tuple[int, ...]
    clears: tuple[int, ...]
    fills: tuple[int, ...]


@dataclass(frozen=True)
class Firmware:
    """The programs of a unit.

    ``kind``: ``field`` or ``point``; ``digit``: bits that its multiplier takes a cycle;
    ``depth``: registers in all.
    """

    kind: str
    curve: BinaryCurve
    digit: int
    registers: tuple[str, ...]
    depth: int
    consts: tuple[int, ...]
    runs: tuple[Run, ...]
    code: tuple[Instr, ...]

    @property
    def digits(self) -> int:
        """Cycles of a product after the one it begins in."""
        return -(-self.curve.field.m // self.digit)

    def model(self) -> Model:
        """Return a model of the unit with empty registers."""
        return Model(self.curve.field, self.consts, self.digits)

    def run(self, name: str) -> Run:
        """Return a program by name."""
        return next(r for r in self.runs if r.name == name)

    def cycles(self, name: str) -> int:
        """Return the cycles in which the unit is busy with a program."""
        return self.model().run(self.code, self.run(name).entry)[0]


class _Builder:
    """Programs one after another, constants once."""

    def __init__(
        self, kind: str, curve: BinaryCurve, digit: int, registers: tuple[str, ...]
    ) -> None:
        self.kind, self.curve, self.digit, self.registers = kind, curve, digit, registers
        self.digits = -(-curve.field.m // digit)
        self.host = range(len(registers))
        self.code: list[Instr] = []
        self.consts: list[int] = []
        self.runs: list[Run] = []

    def names(self, text: str) -> tuple[int, ...]:
        """Return the numbers of registers, from their names with blanks between."""
        return tuple(self.registers.index(name) for name in text.split())

    def place(self, instrs: list[Instr]) -> None:
        """Append instructions, constants numbered."""
        for i in instrs:
            if i.op is Op.CONST:
                if i.arg not in self.consts:
                    self.consts.append(i.arg)
                i = replace(i, arg=self.consts.index(i.arg))
            self.code.append(i)

    def end(self, name: str, entry: int, needs: str, fills: str, clears: str = "") -> None:
        """End a program: its own registers and those in ``clears`` become zero."""
        written = {i.dst for i in self.code[entry:] if i.op in (Op.SUM, Op.POWER, Op.MUL, Op.CONST)}
        emptied = self.names(clears)
        first, *rest = [*cleared(sorted({*written, *emptied} - {*self.host} | {*emptied})), STOP]
        self.code += [replace(first, wait=True), *rest]
        run = Run(name, entry, self.names(needs), emptied, self.names(fills))
        self.runs.append(run)

    def straight(
        self,
        name: str,
        needs: str,
        fills: str,
        formula: Callable[[Recorder, list[Sum]], list[Sum]],
        derived: Derived | None = None,
    ) -> None:
        """Add a program without a loop; ``formula`` takes and returns values by register."""
        entry, f = len(self.code), Recorder(self.curve.field.m, derived or {})
        inputs = self.names(needs)
        values = [f.input(self.registers[r]) for r in inputs]
        results = formula(f, values)
        self.place(assemble(self._segment(f, dict(enumerate(inputs)), results, fills), self.digits))
        self.end(name, entry, needs, fills)

    def _segment(
        self,
        f: Recorder,
        inputs: dict[int, int],
        results: list[Sum],
        fills: str,
        clears: str = "",
    ) -> Segment:
        atoms = [f.whole(v, "result") for v in results]
        outputs = dict(zip(self.names(fills), atoms, strict=True))
        flags = {}
        if "off" in f.derived:
            flags = {f.need("off"): FLAG_CURVE, f.need("nowhere"): FLAG_INFINITY}
        kept = [r for r in self.host if r not in (*outputs, *self.names(clears))]
        return Segment(f, inputs, outputs, flags, kept)

    def ladder(self) -> None:
        """Add kP: (X3, Y3) = K (X1, Y1)."""
        c = self.curve
        entry, program = len(self.code), Ladder(c.a, c.b, z_roots=False)
        x, y, key = self.names("X1 Y1 K")
        free = len(self.host)
        state = tuple(range(free, free + 4))
        const_b = free + 4

        def begin(extra: dict[str, int]) -> tuple[Recorder, list[Sum], dict[int, int]]:
            f = Recorder(c.field.m, total.LADDER_DERIVED)
            values = [f.input(name) for name in extra]
            return f, values, dict(enumerate(extra.values()))

        f, (vx,), inputs = begin({"x": x})
        start = program.start(f, vx)
        outputs = {r: f.whole(v, "start") for r, v in zip(state, start.values(), strict=True)}
        outputs[const_b] = f.whole(f.const(c.b), "b")
        self.place(assemble(Segment(f, inputs, outputs, kept=self.host), self.digits))
        self.code.append(Instr(Op.KEY, a=key, arg=1, note="to the top of K"))

        loop = len(self.code)
        names = {"x": x, "K": key, **dict(zip(("xs", "ts", "xd", "cd"), state, strict=True))}
        f, values, inputs = begin({**names, "b": const_b})
        f.known_const(c.b, values[6])
        f.bit(1)
        made = program.step(f, State(*values[2:6]), 0, values[0])
        outputs = {r: f.whole(v, "state") for r, v in zip(state, made.values(), strict=True)}
        kept = (*self.host[:5], const_b)
        self.place(assemble(Segment(f, inputs, outputs, kept=kept), self.digits))
        self.code.append(Instr(Op.LOOP, arg=loop, wait=True, note="next bit"))

        f, values, inputs = begin({**names, "b": const_b, "y": y})
        f.known_const(c.b, values[6])
        f.test("xzero", values[0])
        f.test("yzero", values[7])
        f.bit(1)
        result = program.finish(f, State(*values[2:6]), 0, values[0], values[7])
        result = total.answer(f, result)
        self.place(assemble(self._segment(f, inputs, list(result), "X3 Y3", "K"), self.digits))
        self.end("multiply", entry, "X1 Y1 K", "X3 Y3", "K")

    def firmware(self) -> Firmware:
        """Return the programs."""
        used = max(
            max(i.dst, i.a, i.b) for i in self.code if i.op not in (Op.TEST, Op.LOGIC, Op.KEY)
        )
        depth = max(used + 1, len(self.registers))
        return Firmware(
            self.kind, self.curve, self.digit, self.registers, depth, tuple(self.consts),
            tuple(self.runs), tuple(self.code),
        )  # fmt: skip


STOP = Instr(Op.STOP, wait=True, note="end")


@lru_cache(maxsize=32)
def field_unit(curve: BinaryCurve, digit: int = DIGIT) -> Firmware:
    """Return the programs of the field unit: C = A B, A^2, A + B, 1/A (and 1/0 = 0)."""
    b = _Builder("field", curve, digit, FIELD_REGISTERS)
    b.straight("mul", "A B", "C", lambda f, v: [f.mul("A·B", v[0], v[1])])
    b.straight("square", "A", "C", lambda f, v: [sqr(f, v[0])])
    b.straight("add", "A B", "C", lambda f, v: [v[0] + v[1]])
    b.straight("invert", "A", "C", lambda f, v: [invert(f, v[0])])
    return b.firmware()


@lru_cache(maxsize=32)
def point_unit(curve: BinaryCurve, digit: int = DIGIT) -> Firmware:
    """Return the programs of the point unit.

    ``add``: (X3, Y3) = (X1, Y1) + (X2, Y2); ``double``: 2 (X1, Y1); ``multiply``: K (X1, Y1), which
    forgets K. :mod:`ecsm.formulas.gf2m.total` says what they answer to what.
    """
    a, b = curve.a, curve.b
    p = _Builder("point", curve, digit, POINT_REGISTERS)
    p.straight(
        "add", "X1 Y1 X2 Y2", "X3 Y3",
        lambda f, v: list(total.add(f, a, b, (v[0], v[1]), (v[2], v[3]))), total.ADD_DERIVED,
    )  # fmt: skip
    p.straight(
        "double", "X1 Y1", "X3 Y3",
        lambda f, v: list(total.double(f, a, b, (v[0], v[1]))), total.DOUBLE_DERIVED,
    )  # fmt: skip
    p.ladder()
    return p.firmware()


UNITS: dict[str, Callable[[BinaryCurve, int], Firmware]] = {
    "field": field_unit,
    "point": point_unit,
}
