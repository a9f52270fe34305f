# SPDX-License-Identifier: Apache-2.0
"""What a formula may ask of a prime field, and the same on numbers: the reference model.

A formula is plain Python over values. ``+``, ``-`` and multiplication by a small integer are
linear and free at a multiplier's or an adder's operand; :meth:`Algebra.mul` occupies a multiplier,
:meth:`Algebra.sum` an adder. :class:`Numbers` computes, :class:`ecsm.formulas.gfp.trace.Tracer`
records the same formula as a dataflow graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from ecsm.curves.gfp.divsteps import Divsteps, Matrix, negative


class Value(Protocol):
    """A residue, known (a number) or symbolic (a linear form)."""

    def __add__(self: V, other: V, /) -> V:
        """Sum."""
        ...

    def __sub__(self: V, other: V, /) -> V:
        """Difference."""
        ...

    def __rmul__(self: V, k: int, /) -> V:
        """Multiple by a small positive integer."""
        ...


V = TypeVar("V", bound=Value)


class Algebra(Protocol, Generic[V]):
    """Operations of a formula over values of type ``V``.

    Conditions are named: "negative" is the sign of the window's digit, "swap" the digit of a
    ladder, "role" the random bit beside it, "flip" means that the result must be negated, "invalid"
    that there is no result. Several jobs, the threads, may run the same formula at once; an
    operation that names no thread is
    executed in all of them.
    """

    def const(self, c: int) -> V:
        """Return the constant ``c`` modulo p."""
        ...

    def mul(self, name: str, a: V, b: V) -> V:
        """Return a*b; ``name`` is what pictures and microcode comments show."""
        ...

    def sum(self, name: str, v: V) -> V:
        """Return v, added up and carried."""
        ...

    def negate(self, condition: str, v: V) -> V:
        """Return -v where the condition holds, else v."""
        ...

    def select(self, condition: str, v: V, other: V) -> V:
        """Return ``other`` where the condition holds, else v."""
        ...

    def ahead(self, distance: int, v: V) -> V:
        """Return v, a product or a sum, of the thread ``distance`` ahead, cyclically."""
        ...

    def lookup(self, column: str, fixed: bool = False) -> V:
        """Return a coordinate of the table's entry that the window's digit names.

        ``fixed``: it is one of the constant entries, which no one stores.
        """
        ...

    def next_digit(self) -> None:
        """Let "negative" and lookups be of the next digit, in a window with several."""
        ...

    def store(self, entry: int, column: str, v: V) -> None:
        """Write a product or a sum into the table."""
        ...

    def keep(self, column: str, v: V) -> None:
        """Write a product or a sum into the entry that the window's digit names."""
        ...

    def divide(self, v: V) -> tuple[int, int]:
        """Start the division steps for 1/v of thread 0, for all of them.

        Return the number of batches, and 2^-steps.
        """
        ...

    def matrix(self, batch: int) -> tuple[V, V, V, V]:
        """Return the transition matrix (u, v, q, r) of a batch."""
        ...

    def masks(self) -> tuple[V, V, V, V]:
        """Return the random numbers of the job, none 0; only the head may."""
        ...

    def test(self, name: str, v: V, thread: int = 0) -> None:
        """Set the flag ``name`` of a thread to (v == 0)."""
        ...

    def answer(self, name: str, v: V, thread: int = 0) -> None:
        """Answer the reduced v as the coordinate ``name`` of a thread."""
        ...


@dataclass(frozen=True)
class Num:
    """One residue modulo p."""

    p: int
    value: int

    def __add__(self, other: Num) -> Num:
        """Sum modulo p."""
        return Num(self.p, (self.value + other.value) % self.p)

    def __sub__(self, other: Num) -> Num:
        """Difference modulo p."""
        return Num(self.p, (self.value - other.value) % self.p)

    def __rmul__(self, k: int) -> Num:
        """Multiple modulo p."""
        return Num(self.p, self.value * k % self.p)


@dataclass
class Numbers:
    """Evaluate a formula of one thread modulo p; ``condition`` answers every choice.

    ``index`` is the table's entry that the digit names; ``advance`` renews it for a window's next
    digit. ``flags`` and ``answers`` collect what the formula tells, ``products`` counts.
    """

    p: int
    divsteps: Divsteps
    condition: Callable[[str], bool]
    index: int = 0
    advance: Callable[[], None] = lambda: None
    table: dict[tuple[int, str], Num] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)
    products: int = 0
    matrices: list[Matrix] = field(default_factory=list)
    negative: bool = False  # the last division's f is -1
    random: tuple[int, int, int, int] = (1, 1, 1, 1)

    def const(self, c: int) -> Num:
        """Return the constant ``c`` modulo p."""
        return Num(self.p, c % self.p)

    def mul(self, name: str, a: Num, b: Num) -> Num:
        """Return a*b modulo p."""
        del name
        self.products += 1
        return Num(self.p, a.value * b.value % self.p)

    def sum(self, name: str, v: Num) -> Num:
        """Return v."""
        del name
        return v

    def negate(self, condition: str, v: Num) -> Num:
        """Return -v where the condition holds, else v."""
        return self.const(-v.value) if self.condition(condition) else v

    def select(self, condition: str, v: Num, other: Num) -> Num:
        """Return ``other`` where the condition holds, else v."""
        return other if self.condition(condition) else v

    def ahead(self, distance: int, v: Num) -> Num:
        """Return v: the only thread is ahead of itself."""
        del distance
        return v

    def lookup(self, column: str, fixed: bool = False) -> Num:
        """Return a coordinate of the entry ``index``."""
        del fixed
        return self.table[self.index, column]

    def next_digit(self) -> None:
        """Call ``advance``."""
        self.advance()

    def store(self, entry: int, column: str, v: Num) -> None:
        """Write into the table."""
        self.table[entry, column] = v

    def keep(self, column: str, v: Num) -> None:
        """Write into the entry ``index``."""
        self.table[self.index, column] = v

    def divide(self, v: Num) -> tuple[int, int]:
        """Run all division steps."""
        d = self.divsteps
        self.matrices.clear()
        for matrix, after in d.run(self.p, v.value):
            self.matrices.append(matrix)
            self.negative = negative(after.f)
        return d.batches, d.scale(self.p)

    def matrix(self, batch: int) -> tuple[Num, Num, Num, Num]:
        """Return the transition matrix of a batch."""
        m = self.matrices[batch]
        return self.const(m.u), self.const(m.v), self.const(m.q), self.const(m.r)

    def masks(self) -> tuple[Num, Num, Num, Num]:
        """Return ``random``."""
        u, v, q, r = (self.const(number) for number in self.random)
        return u, v, q, r

    def test(self, name: str, v: Num, thread: int = 0) -> None:
        """Record whether v is zero."""
        assert thread == 0
        self.flags[name] = v.value == 0

    def answer(self, name: str, v: Num, thread: int = 0) -> None:
        """Record an answer."""
        assert thread == 0
        self.answers[name] = v.value
