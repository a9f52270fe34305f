# SPDX-License-Identifier: Apache-2.0
"""Formulas on numbers: the reference model of every program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ecsm.curves.gf2m.field import BinaryField


@dataclass(frozen=True)
class Num:
    """One field element; ``+`` is XOR."""

    value: int

    def __add__(self, other: Num) -> Num:
        """Sum in GF(2^m)."""
        return Num(self.value ^ other.value)


@dataclass
class Numbers:
    """Evaluate a formula in ``gf``; ``condition(name, index)`` answers every select.

    ``flags`` collects the tests, ``products`` counts the calls of :meth:`mul`.
    """

    gf: BinaryField
    condition: Callable[[str, int], bool]
    flags: dict[str, bool] = field(default_factory=dict)
    products: int = 0

    @property
    def m(self) -> int:
        """Degree of the field."""
        return self.gf.m

    def const(self, c: int) -> Num:
        """Return the constant ``c``."""
        return Num(c)

    def mul(self, name: str, a: Num, b: Num) -> Num:
        """Return a*b mod f."""
        del name
        self.products += 1
        return Num(self.gf.mul(a.value, b.value))

    def frob(self, v: Num, k: int) -> Num:
        """Return v^(2^k)."""
        return Num(self.gf.frob(v.value, k))

    def scale(self, name: str, c: int, v: Num) -> Num:
        """Return c*v."""
        del name
        return Num(self.gf.mul(c, v.value))

    def power(self, name: str, v: Num, k: int) -> Num:
        """Return v^(2^k)."""
        del name
        return self.frob(v, k)

    def select(self, condition: tuple[str, int], a: Num, b: Num) -> Num:
        """Return ``a`` if the condition holds, else ``b``."""
        return a if self.condition(*condition) else b

    def hold(self, name: str, v: Num) -> Num:
        """Return ``v``: registers do not change a number."""
        del name
        return v

    def test(self, name: str, v: Num) -> None:
        """Record whether ``v`` is zero."""
        self.flags[name] = v.value == 0
