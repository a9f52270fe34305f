# SPDX-License-Identifier: Apache-2.0
"""The dataflow graph of any program: operations in segments, one of which is repeated.

An atom is anything that has a place; atom ``ONE`` is the constant 1. Operations consume linear
forms of atoms, which each kind of field defines: :mod:`~ecsm.formulas.gf2m.graph`,
:mod:`~ecsm.formulas.gfp.graph`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

ONE = -1


class TraceError(ValueError):
    """A formula asked for something that one linear form cannot say, or no operation does."""


class AnyTerm(Protocol):
    """A linear function of an atom."""

    @property
    def atom(self) -> int:
        """The atom."""

    @property
    def plain(self) -> bool:
        """Whether it is always the atom itself."""


T = TypeVar("T", bound=AnyTerm, covariant=True)


class Form(Collection[T]):
    """A sum of terms; the empty form is zero."""

    @property
    def atoms(self) -> list[int]:
        """Distinct atoms other than ONE, in order."""
        return sorted({t.atom for t in self} - {ONE})

    @property
    def single(self) -> int | None:
        """The atom, if the form is just that atom."""
        if len(self) == 1 and (t := next(iter(self))).plain and t.atom != ONE:
            return t.atom
        return None


K = TypeVar("K", covariant=True)


@dataclass(frozen=True)
class Op(Generic[K, T]):
    """An operation defines the atom of its number; products have two forms, others fewer."""

    atom: int
    kind: K
    name: str
    forms: tuple[Form[T], ...] = ()

    @property
    def terms(self) -> list[T]:
        """Terms of all forms, left operand first."""
        return [t for form in self.forms for t in form]

    @property
    def atoms(self) -> set[int]:
        """Atoms that it reads."""
        return {t.atom for t in self.terms} - {ONE}


O = TypeVar("O", bound=Op[Any, Any])  # noqa: E741
S = TypeVar("S")


@dataclass
class Segment(Generic[O]):
    """Operations traced from one call.

    ``inputs`` are atoms defined outside, with their names; ``outputs`` the atoms returned.
    """

    ops: list[O] = field(default_factory=list)
    inputs: dict[int, str] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)

    def op(self, atom: int) -> O:
        """Return the operation that defines ``atom``."""
        return next(o for o in self.ops if o.atom == atom)

    def products(self) -> list[O]:
        """Return the products, in the order of the formulas."""
        return [o for o in self.ops if len(o.forms) == 2]


@dataclass
class Graph(Generic[S]):
    """A program: what precedes the loop, ``body`` repeated ``trips`` times, then ``tail``.

    ``variables`` names what the body finds in registers, renews, and leaves to the tail.
    """

    variables: list[str]
    body: S
    trips: int
    tail: S

    def turns(self) -> Iterator[tuple[str, S]]:
        """Yield the loop's turns and the tail in order, each with its name."""
        for _ in range(self.trips):
            yield "body", self.body
        yield "tail", self.tail
