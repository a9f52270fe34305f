# SPDX-License-Identifier: Apache-2.0
"""Formulas on symbols, for a machine that executes one instruction after another.

A value is a sum of registers, each with a condition (:class:`Sum`). A sum is written to a register
when a product, a power or a test needs it. :class:`Recorder` is an
:class:`ecsm.formulas.gf2m.algebra.Algebra`, and its result is a list of :class:`Step`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ecsm.narrow.instruction import Op

Condition = tuple[str, bool]
"""A flag and the value that it must have."""
Derived = Mapping[str, tuple[Condition, Condition]]
"""Conditions that hold when two others do."""
ALWAYS: Condition = ("", True)


@dataclass(frozen=True)
class Sum:
    """A value: the sum of atoms, each where its condition holds."""

    recorder: Recorder
    terms: tuple[tuple[int, Condition], ...]

    def __add__(self, other: Sum) -> Sum:
        """Sum in the field; what is in both cancels, and [c] v + [not c] v is v."""
        left = dict.fromkeys(self.terms)
        for atom, (flag, value) in other.terms:
            twin = (atom, (flag, not value))
            if (atom, (flag, value)) in left:
                del left[atom, (flag, value)]
            elif flag and twin in left:
                del left[twin]
                left[atom, ALWAYS] = None
            else:
                left[atom, (flag, value)] = None
        return Sum(self.recorder, tuple(left))


@dataclass(frozen=True)
class Step:
    """One instruction to be: it defines ``atom``, or the flag ``flag`` if that is not empty.

    ``operands``: atoms with the condition of each; ``flags``: those of an OpLogic. ``arg`` is the
    power, the constant's value, or the instruction's.
    """

    op: Op
    name: str
    atom: int = -1
    flag: str = ""
    operands: tuple[tuple[int, Condition], ...] = ()
    flags: tuple[Condition, ...] = ()
    arg: int = 0

    @property
    def reads_flags(self) -> list[str]:
        """Flags that it looks at."""
        return [c[0] for _, c in self.operands if c[0]] + [c[0] for c in self.flags if c[0]]

    @property
    def reads(self) -> set[object]:
        """Atoms and flags that it looks at."""
        return {*(atom for atom, _ in self.operands), *self.reads_flags}


@dataclass
class Recorder:
    """Record the steps of one segment. ``key``: the flag that stands for the recoded bit.

    ``derived`` says what the conditions are that no test sets.
    """

    m: int
    derived: Derived = field(default_factory=dict)
    key: str = "key"
    steps: list[Step] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    _known: dict[object, int] = field(default_factory=dict)
    _flags: set[str] = field(default_factory=set)
    _atoms: int = 0

    def input(self, name: str) -> Sum:
        """Return a value that is in a register when the segment begins."""
        self.inputs.append(name)
        return self._atom(self._new())

    def _new(self) -> int:
        self._atoms += 1
        return self._atoms - 1

    def _atom(self, atom: int) -> Sum:
        return Sum(self, ((atom, ALWAYS),))

    def _record(
        self,
        op: Op,
        name: str,
        operands: tuple[tuple[int, Condition], ...] = (),
        arg: int = 0,
    ) -> Sum:
        key = (op, operands, arg)
        if key not in self._known:
            self._known[key] = self._new()
            self.steps.append(Step(op, name, self._known[key], operands=operands, arg=arg))
        return self._atom(self._known[key])

    def whole(self, v: Sum, name: str = "sum") -> int:
        """Return the atom of a value, summed up in a register if it has none yet."""
        terms = v.terms
        if len(terms) == 1 and terms[0][1] == ALWAYS:
            return terms[0][0]
        pair = terms[:2]
        total = self._record(Op.SUM, name, pair)
        for term in terms[2:]:
            total = self._record(Op.SUM, name, (*total.terms, term))
        return total.terms[0][0]

    def _plain(self, v: Sum, name: str) -> tuple[int, Condition]:
        return self.whole(v, name), ALWAYS

    def const(self, c: int) -> Sum:
        """Return a constant; 0 is the empty sum."""
        return self._record(Op.CONST, f"{c:#x}", arg=c) if c else Sum(self, ())

    def known_const(self, c: int, v: Sum) -> None:
        """Say that the constant ``c`` is in a register already, as the input ``v``."""
        self._known[Op.CONST, (), c] = v.terms[0][0]

    def mul(self, name: str, a: Sum, b: Sum) -> Sum:
        """Return a product."""
        if not a.terms or not b.terms:
            return Sum(self, ())
        operands = sorted((self._plain(a, f"for {name}"), self._plain(b, f"for {name}")))
        return self._record(Op.MUL, name, tuple(operands))

    def frob(self, v: Sum, k: int) -> Sum:
        """Return v^(2^k)."""
        return self.power(f"^2^{k}", v, k)

    def power(self, name: str, v: Sum, k: int) -> Sum:
        """Return v^(2^k), a square a cycle."""
        if k == 0 or not v.terms:
            return v
        return self._record(Op.POWER, name, (self._plain(v, f"for {name}"),), k)

    def scale(self, name: str, c: int, v: Sum) -> Sum:
        """Return c v: a product with a constant."""
        return v if c == 1 else self.mul(name, self.const(c), v)

    def _flag(self, condition: tuple[str, int]) -> str:
        name = self.key if condition[0] == "key" else condition[0]
        self.need(name)
        return name

    def need(self, name: str) -> str:
        """Return a flag; a derived flag is computed at its first use."""
        if name in self.derived and name not in self._flags:
            self._flags.add(name)
            pair = self.derived[name]
            for flag, _ in pair:
                self.need(flag)
            self.steps.append(Step(Op.LOGIC, name, flag=name, flags=pair))
        return name

    def select(self, condition: tuple[str, int], a: Sum, b: Sum) -> Sum:
        """Return ``a`` where the condition holds, else ``b``."""
        flag = self._flag(condition)
        acc = Sum(self, ())
        for v, value in ((a, True), (b, False)):
            if any(c != ALWAYS for _, c in v.terms):
                v = self._atom(self.whole(v, "selected"))
            acc += Sum(self, tuple((atom, (flag, value)) for atom, _ in v.terms))
        return acc

    def hold(self, name: str, v: Sum) -> Sum:
        """Return ``v`` from a register of its own."""
        return self._atom(self.whole(v, name)) if v.terms else v

    def test(self, name: str, v: Sum) -> None:
        """Set the flag ``name`` to (v = 0)."""
        terms = v.terms
        if len(terms) > 2:
            terms = ((self.whole(Sum(self, terms[:-1]), name), ALWAYS), terms[-1])
        self.steps.append(Step(Op.TEST, f"{name}?", flag=name, operands=terms))

    def bit(self, key: int) -> None:
        """Take the next bit of the key, the value of atom ``key``."""
        self.steps.append(Step(Op.KEY, "bit", flag=self.key, operands=((key, ALWAYS),)))
