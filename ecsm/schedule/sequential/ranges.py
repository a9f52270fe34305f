# SPDX-License-Identifier: Apache-2.0
"""What routines for points have in common, whatever the field."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Capture, Mask, Order

FREE = 11  # numbers for what is between
Triple = Sequence[int]
"""Numbers of X, Y, Z."""


@dataclass
class CurvePoints(ABC):
    """Numbers and routines of a curve: what schemes know of them.

    ``p``: what coordinates are below; ``n``: the order; ``one``: 1 as products have it;
    ``square``: what brings a number into that form. ``s``: the point that a product is of, and its
    result; ``k``: the scalar; ``q``: numbers that no routine but a product's changes; ``free[0]``:
    the operand and result of the routine ``canonical``; ``texts``: the first numbers of two
    strings, of 28 words and of four, which a product changes. ``octets``: of a coordinate.
    """

    a: Assembler

    octets: int = field(init=False)
    zero: int = field(init=False)
    unit: int = field(init=False)
    one: int = field(init=False)
    square: int = field(init=False)
    p: int = field(init=False)
    n: int = field(init=False)
    k: int = field(init=False)
    s: list[int] = field(init=False)
    q: list[int] = field(init=False)
    free: list[int] = field(init=False)
    texts: tuple[int, int] = field(init=False)
    canonical: int = field(init=False)

    def base_constants(self) -> None:  # noqa: B027
        """Take the constants of the base point, if it has products of its own."""

    def wide_constants(self) -> None:  # noqa: B027
        """Take the constants that wide scalars need, if there are any."""

    @abstractmethod
    def take(self) -> None:
        """Take the numbers that change; behind all constants and what outlives a program."""

    @abstractmethod
    def routines(self) -> None:
        """Append what is called."""

    @abstractmethod
    def check(self, outside: int, off: int) -> None:
        """Let s's plain x and y be as products have them; go to a label if they are no point.

        ``outside``: a coordinate is none; ``off``: the curve has no such point.
        """

    def reduce(self, mod: str = "", modulus: int | None = None) -> None:
        """Let free[0] be its own value / R, from 0 to p - 1; the flag is set if it is 0.

        A product with 1 is from 0 to p, or to 2 p if its last step is another one (see modulus).
        ``mod``: another modulus, of which ``modulus`` is the number.
        """
        a, t, less = self.a, self.free[0], self.free[1]
        p = self.p if modulus is None else modulus
        walk = f"product mod {mod}" if mod else "product"
        a.move(walk, t, t, self.unit, note="from Montgomery's form")
        for _ in range(1 if a.integers(mod).factor == 1 else 2):
            a.move("difference", less, t, p, capture=Capture.SIGN, note="less the modulus")
            a.move("sum", t, less, t, mask=Mask.CHOOSE, capture=Capture.ZERO, drained=True,
                   note="below it")  # fmt: skip

    def in_range(self, number: int, limit: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless a number is below the number ``limit``; ``public``: see Do."""
        self.a.move("difference", self.free[0], number, limit, capture=Capture.SIGN)
        self.a.order(Order.BRANCH, label=bad, counter=1, public=public, note="not below")

    def enter(self, number: int) -> None:
        """Take a number below 2^(W words) into Montgomery's form."""
        self.a.move("product", number, number, self.square, note="Montgomery's form")
