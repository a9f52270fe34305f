# SPDX-License-Identifier: Apache-2.0
"""The dataflow graph of any program: operations in segments, one of which is repeated.

An atom is anything that has a place; atom ``ONE`` is the constant 1. Operations consume linear
forms of atoms, which each kind of field defines: :mod:`~ecsm.formulas.gf2m.graph`,
:mod:`~ecsm.formulas.gfp.graph`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

ONE = -1


class AnyOp(Protocol):
    """An operation defines the atom of its number; products have two forms, others fewer."""

    @property
    def atom(self) -> int:
        """Its number."""
        ...

    @property
    def forms(self) -> tuple[object, ...]:
        """What it consumes."""
        ...


O = TypeVar("O", bound=AnyOp)  # noqa: E741
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
