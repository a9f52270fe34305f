# SPDX-License-Identifier: Apache-2.0
"""The dataflow graph of a program: linear forms, and the operations that consume them.

A :class:`Form` is a sum of :class:`Term`; each term is ``guard ? c * atom^(2^k) : 0``. An atom is
anything a register can hold: an input, a loop variable, a product, a held sum. Atom ``ONE`` is the
constant 1, so constants are terms too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ecsm.formulas import dataflow
from ecsm.formulas.dataflow import ONE as ONE

Condition = tuple[str, int]
Guard = tuple[str, int, bool]  # condition, and the value it must have
STREAMS = ("key", "role")
"""Conditions that come bit by bit: the recoded scalar, and the random roles of a masked ladder."""
RESULT = "result"
"""The test of the answer, which nothing else waits for."""


@dataclass(frozen=True, order=True)
class Map:
    """The linear map v -> c * v^(2^k) over GF(2^m)."""

    k: int = 0
    c: int = 1

    @property
    def is_identity(self) -> bool:
        """True for v -> v."""
        return self.k == 0 and self.c == 1


IDENTITY = Map()


@dataclass(frozen=True)
class Term:
    """``map(atom)`` where the guard holds (always, without one), else 0."""

    map: Map
    atom: int
    guard: Guard | None = None

    @property
    def plain(self) -> bool:
        """Whether it is always the atom itself."""
        return self.guard is None and self.map.is_identity

    def sort_key(self) -> tuple[int, int, int, str]:
        """Order terms the same way in every run."""
        return (self.atom, self.map.k, self.map.c, repr(self.guard))


class Form(frozenset[Term], dataflow.Form[Term]):
    """A sum of terms; the empty form is zero."""

    def __xor__(self, other: object) -> Form:
        """Sum of two forms; a term and its twin cancel, and [g]t + [not g]t = t."""
        if not isinstance(other, frozenset):
            return NotImplemented
        terms = set(frozenset.__xor__(self, other))
        for t in sorted(terms, key=Term.sort_key):
            if t not in terms or t.guard is None:
                continue
            twin = Term(t.map, t.atom, (*t.guard[:2], not t.guard[2]))
            if twin in terms:
                terms -= {t, twin}
                terms ^= {Term(t.map, t.atom)}
        return Form(terms)

    def __iter__(self) -> Iterator[Term]:
        """Terms in a fixed order."""
        return iter(sorted(super().__iter__(), key=Term.sort_key))


class Kind(Enum):
    """What an operation is."""

    PRODUCT = "product"
    HOLD = "hold"
    TEST = "test"


@dataclass(frozen=True)
class Op(dataflow.Op[Kind, Term]):
    """One operation over GF(2^m); a test defines no atom.

    A hold with ``passes`` > 1 writes its form once and then applies ``step`` to its own register
    ``passes - 1`` times.
    """

    passes: int = 1
    step: Map = IDENTITY

    @property
    def keys(self) -> set[int]:
        """Bits of the streams that guard a term of this operation, by number."""
        return {t.guard[1] for t in self.terms if t.guard and t.guard[0] in STREAMS}

    @property
    def late(self) -> bool:
        """Whether a term waits for what the tests find."""
        return any(t.guard and t.guard[0] not in STREAMS for t in self.terms)

    @property
    def decides(self) -> bool:
        """Whether it is a test that other operations wait for."""
        return self.kind is Kind.TEST and self.name != RESULT


@dataclass
class Segment(dataflow.Segment[Op]):
    """The body of the loop, or the tail. Bits of the scalar are numbered from 0 at its start."""

    bits: int = 0


@dataclass
class Graph(dataflow.Graph[Segment]):
    """A program over GF(2^m): load, then the loop, then the tail.

    ``variables``: x, y, then the loop's own; ``load[i]`` is the form over the port (atoms 0 = x,
    1 = y) that variable i is loaded with. Body outputs are the loop's own variables in the same
    order. Atoms 0..n-1 are the variables in every segment; the tail's outputs are x and y of the
    result. ``random``: the variable that the request loads with a random number, if one is.
    """

    m: int
    load: list[Form]
    random: int | None = None

    @property
    def bits(self) -> int:
        """Bits of the streams: the load takes one, each step one, and the answer the last."""
        return self.trips * self.body.bits + self.tail.bits + 2

    def all_ops(self) -> Iterable[Op]:
        """Operations of body and tail."""
        yield from self.body.ops
        yield from self.tail.ops
