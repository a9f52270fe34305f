# SPDX-License-Identifier: Apache-2.0
"""Formulas over a prime field on symbols: trace a program into its dataflow graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gfp.graph import OF_DIGITS, ONE, Form, Graph, Kind, Op, Segment, Term
from ecsm.formulas.gfp.program import Program, Variables


@dataclass(frozen=True)
class Sym:
    """A symbolic value: one linear form."""

    form: Form

    def __add__(self, other: Sym) -> Sym:
        """Sum of forms."""
        return Sym(self.form.plus(other.form))

    def __sub__(self, other: Sym) -> Sym:
        """Difference of forms."""
        return Sym(self.form.plus(other.form.scaled(-1)))

    def __rmul__(self, k: int) -> Sym:
        """Multiple of a form."""
        return Sym(self.form.scaled(k))


class Tracer:
    """Record the operations of one segment; ``inputs`` become atoms 0, 1, ...

    ``radix``: the machine holds radix * v modulo p for v, and divides a product by it. Formulas do
    not see that. Where a number comes in or goes out as itself, a factor makes up for it.
    """

    def __init__(self, p: int, divsteps: Divsteps, inputs: list[str], radix: int = 1) -> None:
        self.p = p
        self.divsteps = divsteps
        self.radix = radix
        self.segment = Segment(inputs=dict(enumerate(inputs)))
        self._next = len(inputs)
        self._known: dict[object, Sym] = {}
        self._turn = 0  # of the window's digits
        self._signed: dict[int, int] = {}  # the digit that an atom was negated for last

    def atom(self, atom: int) -> Sym:
        """Return the value of an atom."""
        return Sym(Form([Term(atom, 1)]))

    def entered(self, name: str, atom: int) -> Sym:
        """Return the value of an input that the machine has as itself."""
        return self.mul(f"{name}·R", self.atom(atom), self.const(self.radix))

    def const(self, c: int) -> Sym:
        """Return a constant."""
        return Sym(Form([Term(ONE, c % self.p)] if c % self.p else []))

    def _new(self, count: int = 1) -> int:
        atom = self._next
        self._next += count
        return atom

    def _record(
        self, kind: Kind, name: str, forms: tuple[Form, ...],
        index: int = 0, thread: int = 0, ahead: int = 0,
    ) -> int:  # fmt: skip
        atom = self._new(4 if kind is Kind.MATRIX else 1)
        op = Op(atom, kind, name, forms, index, thread, ahead)
        signed = self._with_sign(op.terms)
        if {self._signed[a] for a in signed} - {self._turn}:
            raise TraceError("a value has the sign of another digit")
        if signed and self._turn:
            self.segment.turns[op.atom] = self._turn
        self.segment.ops.append(op)
        return op.atom

    def mul(self, name: str, a: Sym, b: Sym) -> Sym:
        """Return the product; equal products are one, and 0 and 1 need none."""
        for left, right in ((a, b), (b, a)):
            if not right.form:
                return right
            if right.form == Form([Term(ONE, 1)]):
                return left
        key = (frozenset((a.form, b.form)), self._digit(a, b))
        if key not in self._known:
            self._known[key] = self.atom(self._record(Kind.PRODUCT, name, (a.form, b.form)))
        return self._known[key]

    def sum(self, name: str, v: Sym) -> Sym:
        """Return the sum, an atom of its own; equal sums are one."""
        key = (v.form, self._digit(v))
        if key not in self._known:
            self._known[key] = self.atom(self._record(Kind.SUM, name, (v.form,)))
        return self._known[key]

    def _digit(self, *values: Sym) -> int:
        """Return the number of the digit whose sign values have that are no entries; else 0."""
        return self._turn if self._with_sign([t for v in values for t in v.form]) else 0

    def _with_sign(self, terms: Iterable[Term]) -> set[int]:
        """Return the atoms that have a digit's sign; without entries, which have their own's."""
        signed = {t.atom for t in terms if t.guard and t.guard[0] in OF_DIGITS}
        return signed - {ONE} - self.segment.lookups.keys()

    def copy(self, v: Sym) -> int:
        """Return another sum of what is one already, or a product."""
        return self._record(Kind.SUM, "copy", (v.form,))

    def negate(self, condition: str, v: Sym) -> Sym:
        """Return the form that is -v under the condition and v otherwise."""
        entries = self.segment.lookups.keys() & set(v.form.atoms)
        others = {self.segment.turns.get(a, 0) for a in entries} - {self._turn}
        if condition == "negative" and others:
            raise TraceError("an entry can be negated for the sign of its own digit only")
        if condition in OF_DIGITS:
            self._signed |= dict.fromkeys(v.form.atoms, self._turn)
        return self._either(condition, v, -1 * v)

    def select(self, condition: str, v: Sym, other: Sym) -> Sym:
        """Return the form that is ``other`` under the condition and v otherwise."""
        if condition in OF_DIGITS:
            if self._turn:
                raise TraceError("only the first digit of a window chooses")
            self._signed |= dict.fromkeys((*v.form.atoms, *other.form.atoms), 0)
        return self._either(condition, v, other)

    def _either(self, condition: str, v: Sym, other: Sym) -> Sym:
        if any(t.guard for t in (*v.form, *other.form)):
            raise TraceError("a choice within a choice: make a sum of the inner one first")
        terms = [
            Term(t.atom, t.coefficient, (condition, value))
            for value, form in ((False, v.form), (True, other.form))
            for t in form
        ]
        return Sym(Form.of(terms))

    def ahead(self, distance: int, v: Sym) -> Sym:
        """Return a sum of what another thread has."""
        self._single(v, "another thread's value")
        return self.atom(self._record(Kind.SUM, f"ahead {distance}", (v.form,), ahead=distance))

    def lookup(self, column: str, fixed: bool = False) -> Sym:
        """Return a column of the table's entry: an input of the segment."""
        for atom, name in self.segment.lookups.items():
            if name == column and self.segment.turns.get(atom, 0) == self._turn:
                return self.atom(atom)
        atom = self._new()
        self.segment.inputs[atom] = f"{'G' if fixed else 'T'}{self._turn or ''}.{column}"
        self.segment.lookups[atom] = column
        if fixed:
            self.segment.fixed.add(atom)
        if self._turn:
            self.segment.turns[atom] = self._turn
        return self.atom(atom)

    def next_digit(self) -> None:
        """Count the window's digits."""
        self._turn += 1

    def _single(self, v: Sym, what: str) -> int:
        atom = v.form.single
        if atom is None or atom in self.segment.inputs:
            raise TraceError(f"{what} needs a product or a sum")
        return atom

    def store(self, entry: int, column: str, v: Sym) -> None:
        """Write a product or a sum into the table; one that another entry has is copied."""
        atom = self._single(v, "a store")
        if any(other != entry for other, _ in self.segment.stores.get(atom, ())):
            atom = self.copy(v)
        self.segment.stores.setdefault(atom, []).append((entry, column))

    def keep(self, column: str, v: Sym) -> None:
        """Write a product or a sum into the digit's entry."""
        atom = self._single(v, "an entry")
        if atom in self.segment.kept:
            atom = self.copy(v)
        self.segment.kept[atom] = (column, self._turn)

    def _take(self, kind: Kind, name: str, v: Sym, thread: int = 0) -> int:
        """Give a sum to a unit that takes the adder's result as it comes.

        The unit takes one thread's; for every other thread the adder repeats the sum.
        """
        atom = self._single(v, name)
        op = next(o for o in self.segment.ops if o.atom == atom)
        if op.kind is not Kind.SUM:
            raise TraceError(f"{name} needs a sum")
        if thread:
            v = self.atom(self._record(Kind.SUM, op.name, (v.form,)))
        return self._record(kind, name, (v.form,), thread=thread)

    def test(self, name: str, v: Sym, thread: int = 0) -> None:
        """Test a thread's sum for zero."""
        self._take(Kind.TEST, name, v, thread)

    def answer(self, name: str, v: Sym, thread: int = 0) -> None:
        """Reduce a thread's sum and answer it."""
        if self.radix != 1:
            itself = self.mul(f"{name}/R", v, self.const(pow(self.radix, -1, self.p)))
            v = self.sum(f"{name}/R", itself)
        self._take(Kind.ANSWER, name, v, thread)

    def divide(self, v: Sym) -> tuple[int, int]:
        """Start the division steps for a sum; return batches, and 2^-steps for their matrices.

        A matrix comes in as itself, once a batch, and the sum goes out as the radix times itself.
        """
        self._take(Kind.DIVIDE, "divide", v)
        d = self.divsteps
        return d.batches, d.scale(self.p) * pow(self.radix, d.batches + 1, self.p) % self.p

    def matrix(self, batch: int) -> tuple[Sym, Sym, Sym, Sym]:
        """Return the entries of a batch's matrix."""
        first = self._record(Kind.MATRIX, f"matrix {batch}", (), batch)
        u, v, q, r = (self.atom(first + i) for i in range(4))
        return u, v, q, r

    def masks(self) -> tuple[Sym, Sym, Sym, Sym]:
        """Return the random numbers, which stand where the matrix of a division will."""
        first = self._new(4)
        self.segment.masks |= {first + i: i for i in range(4)}
        u, v, q, r = (self.atom(first + i) for i in range(4))
        return u, v, q, r


def _outputs(f: Tracer, state: Variables[Sym]) -> list[int]:
    """Return the atoms of the loop's variables; one that equals another is a sum of its own."""
    out: list[int] = []
    for v in state.values():
        if v.form.single is None:
            raise TraceError("a loop variable must be a product or a sum")
        out.append(f.copy(v) if v.form.single in out else v.form.single)
    return out


@lru_cache(maxsize=32)
def trace(program: Program, divsteps: Divsteps, radix: int = 1) -> Graph:
    """Return the dataflow graph of a program for a machine of this radix (:class:`Tracer`)."""
    p = program.p
    head = Tracer(p, divsteps, ["x", "y"], radix)
    x, y = head.entered("x", 0), head.entered("y", 1)
    head.segment.top = program.top
    program.prepare(head, x, y)
    first = program.start(head, x, y)
    head.segment.outputs = _outputs(head, first)
    names = list(first.__dataclass_fields__)
    body, tail = (Tracer(p, divsteps, names, radix) for _ in range(2))
    before, after = (type(first)(*map(f.atom, range(len(names)))) for f in (body, tail))
    body.segment.outputs = _outputs(body, program.step(body, before))
    program.finish(tail, after)
    return Graph(names, body.segment, program.digits - 1, tail.segment, head.segment)
