# SPDX-License-Identifier: Apache-2.0
"""The dataflow graph of a prime-field program: linear forms with integer coefficients.

An atom is anything that has a place: a register's value, a product, a sum, a coordinate of the
table's entry, a matrix of the division steps. Atom ``ONE`` is the constant 1: its coefficient is
any residue. A form's other coefficients are small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from ecsm.formulas import dataflow
from ecsm.formulas.dataflow import ONE as ONE

Guard = tuple[str, bool]  # condition, and the value it must have


@dataclass(frozen=True, order=True)
class Term:
    """``coefficient * atom`` where the guard holds (always, without one)."""

    atom: int
    coefficient: int
    guard: Guard | None = None

    @property
    def plain(self) -> bool:
        """Whether it is always the atom itself."""
        return self.guard is None and self.coefficient == 1


OF_DIGITS = ("negative", "swap", "role")  # conditions that are a digit's


class Form(tuple[Term, ...], dataflow.Form[Term]):
    """A sum of terms, one for each atom and guard; the empty form is zero."""

    @staticmethod
    def of(terms: Iterator[Term] | list[Term]) -> Form:
        """Add up terms."""
        total: dict[tuple[int, Guard | None], int] = {}
        for t in terms:
            total[t.atom, t.guard] = total.get((t.atom, t.guard), 0) + t.coefficient
        rows = sorted(total.items(), key=lambda row: (row[0][0], str(row[0][1])))
        return Form(Term(a, c, g) for (a, g), c in rows if c)

    def scaled(self, k: int) -> Form:
        """Return k times the form."""
        return Form(Term(t.atom, k * t.coefficient, t.guard) for t in self if k)

    def plus(self, other: Form) -> Form:
        """Return the sum."""
        return Form.of([*self, *other])


class Kind(Enum):
    """What an operation is; the value is the unit that it occupies."""

    PRODUCT = "mul"
    SUM = "add"
    TEST = "test"
    ANSWER = "answer"
    DIVIDE = "divide"
    MATRIX = "matrix"


@dataclass(frozen=True)
class Op(dataflow.Op[Kind, Term]):
    """One operation over GF(p); a MATRIX defines four atoms, its own and the next three.

    TEST, ANSWER and DIVIDE have one form, a single atom: their units take a sum. ``index`` is a
    matrix's batch. ``thread`` is the one that TEST, ANSWER and DIVIDE are for; a sum with ``ahead``
    reads what the thread so many ahead has.
    """

    index: int = 0
    thread: int = 0
    ahead: int = 0


@dataclass
class Segment(dataflow.Segment[Op]):
    """The preparation, the loop's body, or the tail.

    ``lookups`` are those inputs that are columns of the table; ``outputs`` the atoms of the loop
    variables; ``stores[atom]`` the places in the table that a result is written to, and a lookup in
    the same segment is of the first ``top`` entries, or of the constant ones if it is in ``fixed``.
    ``turns[atom]`` is the number of the window's digit that a lookup is of, or the sign in an
    operation; 0 if it is not there.
    ``kept[atom]`` is the column that a result is written to, in the entry of the digit of that
    number. ``masks[atom]`` is the number of a random number, which a matrix's entry stands for.
    """

    lookups: dict[int, str] = field(default_factory=dict)
    stores: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    top: int = 1
    turns: dict[int, int] = field(default_factory=dict)
    fixed: set[int] = field(default_factory=set)
    kept: dict[int, tuple[str, int]] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)

    def digit_ops(self) -> list[Op]:
        """Return the operations that look at a digit of the window: its entry or its sign."""
        return [
            o
            for o in self.ops
            if o.atoms & self.lookups.keys()
            or any(t.guard and t.guard[0] in OF_DIGITS for t in o.terms)
        ]

    def digit_turns(self) -> list[list[Op]]:
        """Return :meth:`digit_ops` by digit."""
        turns: list[list[Op]] = [[] for _ in range(1 + max(self.turns.values(), default=0))]
        for op in self.digit_ops():
            looked = op.atoms & self.lookups.keys()
            if op.atom in self.turns or not looked:
                looked = looked | {op.atom}
            (turn,) = {self.turns.get(a, 0) for a in looked}
            turns[turn].append(op)
        return turns


@dataclass
class Graph(dataflow.Graph[Segment]):
    """A program over GF(p): ``head``, then the loop, then the tail.

    Inputs of the head are x and y of the point (atoms 0 and 1). The variables are what it leaves,
    the body takes and renews, and the tail takes: atoms 0, 1, ... of those segments.
    """

    head: Segment

    @property
    def segments(self) -> dict[str, Segment]:
        """The segments by name, in order."""
        return {"head": self.head, "body": self.body, "tail": self.tail}
