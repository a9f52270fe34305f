# SPDX-License-Identifier: Apache-2.0
"""What a formula may ask of a field: the interface shared by numbers and traces.

Everything is a product of linear forms. ``+`` on values, :meth:`Algebra.frob`,
:meth:`Algebra.scale` and :meth:`Algebra.select` are linear and free of multipliers;
:meth:`Algebra.mul` is the one operation that occupies a multiplier.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Value(Protocol):
    """An element of GF(2^m), known (a number) or symbolic (a linear form)."""

    def __add__(self: V, other: V, /) -> V:
        """Sum in the field (XOR)."""
        ...


V = TypeVar("V", bound=Value)


class Algebra(Protocol, Generic[V]):
    """Operations of a formula over values of type ``V``.

    Conditions are named: ``("key", i)`` is the i-th bit of the recoded scalar, counted from the
    load; ``("affine", 0)`` is "the result is an affine point and no check failed";
    ``("negate", 0)`` is "the result is affine and Z2 = 0", where kP = -P.
    """

    @property
    def m(self) -> int:
        """Degree of the field."""
        ...

    def const(self, c: int) -> V:
        """Return the field constant ``c``, 0 <= c < 2^m."""
        ...

    def mul(self, name: str, a: V, b: V) -> V:
        """Return the product a*b; ``name`` is what pictures and microcode comments show."""
        ...

    def frob(self, v: V, k: int) -> V:
        """Return v^(2^k), k >= 0, as a linear map of one pass."""
        ...

    def scale(self, name: str, c: int, v: V) -> V:
        """Return c*v for a constant c of the curve (a linear map, or a product by preset)."""
        ...

    def power(self, name: str, v: V, k: int) -> V:
        """Return v^(2^k) for any k, in as many passes as the preset's maps need."""
        ...

    def select(self, condition: tuple[str, int], a: V, b: V) -> V:
        """Return ``a`` where the condition holds, else ``b``."""
        ...

    def hold(self, name: str, v: V) -> V:
        """Return v, written to a register of its own (a number is unchanged)."""
        ...

    def test(self, name: str, v: V) -> None:
        """Set the flag ``name`` to (v == 0)."""
        ...


def sqr(f: Algebra[V], v: V) -> V:
    """Return v^2."""
    return f.frob(v, 1)
