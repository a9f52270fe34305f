# SPDX-License-Identifier: Apache-2.0
"""What schemes on the word engine need of a curve: the interface of prime and binary ones.

:class:`~ecsm.schemes.word.machine.Machine` is the same for all curves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.binary import AnyModulus
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.ranges import CurvePoints
from ecsm.status import Status

FAULT = "infinity is no multiple of the base point by 1 .. n - 1: only a fault gives it"
OPEN = "random numbers leave a product as it is"


class Kind(ABC):
    """A curve with its products, in an assembler that has the units of ``word_scheme``.

    ``part``: numbers whose sum is the scalar of a product; where nothing is protected, the first.
    ``multiply``, ``base``: routines that let ``points.s`` be the affine plain product of it, or of
    the base point, and ``points.k`` 1 if it is infinite, else 0.
    """

    a: Assembler
    points: CurvePoints
    preset: WordPreset
    mask: int
    T: int
    part: list[int]
    multiply: int
    base: int

    @abstractmethod
    def field(self, words: int) -> AnyModulus:
        """Return the modulus of coordinates, in so many words at least."""

    @abstractmethod
    def make_points(self) -> CurvePoints:
        """Return the curve's routines. Raises ValueError for one that it is not for."""

    @abstractmethod
    def product_routines(self) -> None:
        """Append what is called: products of the point s, affine, and of the base point."""

    @abstractmethod
    def require_group(self) -> None:
        """Answer LOW_ORDER_POINT unless the point s is in the group of the base point."""

    @abstractmethod
    def cofactor_kp(self, parts: list[int]) -> None:
        """Let s be the affine plain product of the point s by h times the sum of the parts."""

    @abstractmethod
    def verified(self, u: int, v: int, invalid: int) -> None:
        """Go to ``invalid`` unless r is x of u times the base point plus v times s, modulo n."""

    @abstractmethod
    def fail(self, status: Status) -> int:
        """Return the label of an answer with this status."""

    @abstractmethod
    def copy(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be ``a``."""

    @abstractmethod
    def again(self, number: int) -> None:
        """Bring a number near the order: it stays the same modulo it."""

    @abstractmethod
    def product(self, d: int, a: int, b: int, note: str = "") -> None:
        """Let ``d`` be a b / R modulo the order."""

    def part_routines(self) -> None:
        """Append what is called between parts of a secret."""
        with self.a.routine("nothing") as self.nothing:
            for number in self.points.free[:2]:
                self.product(number, self.points.unit, self.points.unit, "nothing of a part")

    def between(self) -> None:
        """Let nothing of a part of a secret be where the other part comes next.

        That are the scratch number, in which a product writes its quotients over those of the last
        one, and numbers of formulas. What the bits that change tell of both parts, they tell of the
        secret.
        """
        if self.preset.protected:
            self.a.call(self.nothing)

    def take_parts(self) -> None:
        """Take numbers of scalars."""
        self.part = self.a.numbers(2)

    def _copies(self, to: Sequence[int], of: Sequence[int], note: str = "") -> None:
        """Copy coordinates."""
        for d, v in zip(to, of, strict=True):
            self.copy(d, v, note)
