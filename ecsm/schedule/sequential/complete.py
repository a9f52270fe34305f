# SPDX-License-Identifier: Apache-2.0
"""Products of points by formulas without exceptions: the same words run for every k and every P.

Each turn of a product doubles four times, in Jacobian coordinates, and adds the entry of a digit by
a complete formula.
"""

from __future__ import annotations

from ecsm.schedule.sequential.points import ENTRIES, Points
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask


class Complete(Points):
    """Routines of a product k P, P affine."""

    def routines(self) -> None:
        """Append what is called."""
        super().routines()
        with self.a.routine("sixteen") as self.sixteen:
            self._sixteen()

    def _sixteen(self) -> None:
        """Append 16 s: four doublings in Jacobian coordinates, which are fewer products.

        Infinity is known by its Z, and gets a Y that is not 0.
        """
        a, (_, y, z), free = self.a, self.s, self.free
        a.copy(free[0], z, self.zero)
        a.call(self.canonical)
        self._step(lambda f: f.to_jacobian)
        a.move("sum", y, y, self.one, mask=Mask.CHOOSE, drained=True, note="1 if Z is 0")
        with a.repeat(DIGIT_BITS, counter=1):
            a.call(self.double)
        self._step(lambda f: f.from_jacobian)

    def fill(self) -> None:
        """Fill the table with P, 3 P, .. 15 P of the triple s."""
        self.entry(0)
        self._copy(self.q, self.s, "P")
        self.a.call(self.add)
        self._copy(self.q, self.s, "2 P")
        self._copy(self.s, self.table[0], "P")
        for e in range(1, ENTRIES):
            self.a.call(self.add)
            self.entry(e)

    def products(self) -> None:
        """Let s be the product by the scalar k, which is cut."""
        a = self.a
        self._digit()
        self._copy(self.s, self.q, "the first")
        with a.repeat(self.turns() - 1, counter=0):
            a.call(self.sixteen)
            self._digit()
            a.call(self.add)

    def _digit(self) -> None:
        """Let q be the entry of the next digit."""
        self.a.move("digit", self.k, self.k, capture=Capture.DIGIT, note="next digit")
        self.a.call(self.lookup)

    def divide(self) -> None:
        """Append x = X/Z and y = Y/Z of s; free[0] is 1/Z."""
        for number in self.s[:2]:
            self.a.move("product", number, number, self.free[0])
