# SPDX-License-Identifier: Apache-2.0
"""What every program over a prime field is: a head, a loop over digits, a tail that inverts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, Generic

from ecsm.formulas.gfp.algebra import Algebra, V


@dataclass(frozen=True)
class Variables(Generic[V]):
    """What the loop takes and renews."""

    def values(self) -> list[V]:
        """Return the values in the order of the fields."""
        return [getattr(self, f.name) for f in fields(self)]


class Program(ABC):
    """A program modulo ``p`` over ``digits`` digits of the scalar, the highest first.

    The head, which has the highest digit, looks at no entries of the table but the first ``top``.
    ``threads`` run together and share one inversion.
    """

    p: int
    digits: int
    top: int
    threads: int

    @abstractmethod
    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the point and fill the table, if there is one."""

    @abstractmethod
    def start(self, f: Algebra[V], x: V, y: V) -> Variables[V]:
        """Return the loop's variables after the highest digit."""

    @abstractmethod
    def step(self, f: Algebra[V], s: Any) -> Variables[V]:
        """One turn of the loop, of a digit."""

    @abstractmethod
    def finish(self, f: Algebra[V], s: Any) -> None:
        """Answer the coordinates."""

    def answer(self, f: Algebra[V], name: str, v: V) -> None:
        """Answer a coordinate, thread by thread."""
        v = f.sum(name, v)
        for thread in range(self.threads):
            f.answer(name, v, thread)

    def test(self, f: Algebra[V], name: str, v: V, flag: str = "curve") -> None:
        """Test a value for zero, thread by thread: the point, or the "result", is one if it is."""
        v = f.sum(name, v)
        for thread in range(self.threads):
            f.test(flag, v, thread)

    def inverse(self, f: Algebra[V], z: V) -> V:
        """Return +-1/z; several threads invert the product of their z and take out the others'.

        A thread without a result uses 1 for z, so that the product is not zero. The product of the
        others covers a window of threads, which doubles or grows by one for each bit of its size.
        """
        if self.threads == 1:
            return self.invert(f, f.sum("Z", z))
        z = f.sum("Z or 1", f.select("invalid", z, f.const(1)))
        others, size = z, 1
        for bit in f"{self.threads - 1:b}"[1:]:
            others, size = f.mul("ΠZ", others, f.ahead(size, others)), 2 * size
            if bit == "1":
                others, size = f.mul("ΠZ", z, f.ahead(1, others)), size + 1
        others = f.ahead(1, others)
        product = f.sum("ΠZ", f.mul("ΠZ", z, others))
        return f.mul("Z⁻¹", others, self.invert(f, product))

    def invert(self, f: Algebra[V], z: V) -> V:
        """Return +-1/z; "flip" knows the sign. 0 for z = 0."""
        batches, scale = f.divide(z)
        d = e = f.const(0)
        for i in range(batches):
            u, v, q, r = f.matrix(i)
            if i == 0:
                d, e = f.mul("v·c", v, f.const(scale)), f.mul("r·c", r, f.const(scale))
                continue
            d, e = (
                f.mul("u·d", u, d) + f.mul("v·e", v, e),
                f.mul("q·d", q, d) + f.mul("r·e", r, e),
            )
        return d
