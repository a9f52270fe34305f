# SPDX-License-Identifier: Apache-2.0
"""The word engine's ECDSA and ECDH: what a machine of them has, whatever the field.

:class:`~ecsm.schemes.word.prime.PrimeMachine` is for y^2 = x^3 + ax + b,
:class:`~ecsm.schemes.word.binary.BinaryMachine` for y^2 + xy = x^3 + ax^2 + b.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ecsm.schedule.sequential.field import CurvePoints
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.words import Capture, Condition, Order
from ecsm.schemes.options import HEDGED
from ecsm.schemes.word.hashing import Hash, Hashing
from ecsm.schemes.word.known import known_r
from ecsm.schemes.word.lengths import MORE_WORDS, alpha_pieces, more_lengths
from ecsm.schemes.word.machine import DIGEST, GENERATOR, ORDER, SEEDS, Machine
from ecsm.status import Status

if TYPE_CHECKING:
    from ecsm.schemes.word.text import Texts

HEDGE = 32  # random octets behind a nonce's seed
FAULTS = "what differs when it is computed again is a fault"
FAULT = "infinity is no multiple of the base point by 1 .. n - 1: only a fault gives it"


class Weierstrass(Machine):
    """A machine of products of points.

    ``multiply``, ``base``: routines that let ``points.s`` be the product of it, or of the base
    point. ``finish``: one that lets it be affine and plain, and ``points.k`` 1 if it is infinite,
    else 0.
    """

    points: CurvePoints
    multiply: int
    base: int
    finish: int
    text_unit: Texts

    # ---------------------------------------------------------------- a kind of curve
    @abstractmethod
    def take_points(self) -> CurvePoints:
        """Take the constants of points. Raises ValueError for a curve that it is not for."""

    @abstractmethod
    def require_group(self, status: Status = Status.LOW_ORDER_POINT) -> None:
        """Answer ``status`` unless the point s is in the group of the base point."""

    @abstractmethod
    def cofactor_kp(self, parts: list[int]) -> None:
        """Let s be the affine plain product of the point s by h times the sum of the parts."""

    @abstractmethod
    def again_base(self, bad: int) -> None:
        """Go to ``bad`` unless r is x of the nonce times the base point, modulo n; e is lost."""

    @abstractmethod
    def verified(self, u: int, v: int, invalid: int) -> None:
        """Go to ``invalid`` unless r is x of u times the base point plus v times s, modulo n."""

    @property
    @abstractmethod
    def buffer(self) -> int:
        """The first number of 28 that have no use when products are made."""

    @abstractmethod
    def sum_x(self, x1: int, y1: int, infinite: int) -> None:
        """Let s's x be that of the sum of s and another point, all affine and plain.

        Go to ``infinite`` if it has none. Of an engine with all schemes.
        """

    # ---------------------------------------------------------------- numbers
    def take_numbers(self) -> None:
        """Take the numbers that change."""
        a, pts = self.a, self.points
        pts.take()
        self.nonce, self.r, self.s, self.apart = a.scattered(4)
        self.part = a.scattered(2)
        self.T = pts.free[-1]
        self.drawn = self.r if self.order_bits == 8 * DIGEST else self.s
        self.text, self.tail = pts.texts

    def lengths(self, h: Hash) -> Iterable[int]:
        """Return of how many octets hashes are whose length a program knows."""
        keys = 1 + 2 * self.octets
        seeds = [1 + octets for octets in SEEDS] if h.name == GENERATOR else []
        found = [h.block + h.digest + more for more in (0, 1, keys, keys + HEDGE, *seeds)]
        return [*found, *more_lengths(self, h)] if self.preset.full else found

    def more_words(self) -> Iterable[int]:
        """Return more constants of a word that programs send to a hash."""
        return MORE_WORDS if self.preset.full else ()

    def _constants(self, order: Modulus) -> None:
        super()._constants(order)
        self.known_r = self.a.number(known_r(self.curve, self.hash))
        if self.preset.full:
            self.take_more()

    def routines(self) -> None:
        """Append what is called."""
        super().routines()
        a = self.a
        self.nonce_seed = {}
        for name, hashing in self.hash.items():
            with a.routine(f"nonce_seed {name}") as self.nonce_seed[name]:
                hashing.instantiate(lambda hashing=hashing: self._nonce_seed(hashing))  # type: ignore[misc]
        with a.routine("check_signature", returns=False) as self.check_signature:
            self._check_signature()

    def _nonce_seed(self, hashing: Hashing) -> None:
        """Send d and e, and random octets if the nonce is hedged. Source: RFC 6979, 3.2, 3.6."""
        plain, done = self.a.label(), self.a.label()
        for number in (self.d, self.e):
            hashing.send(number, self.octets)
        self.jump(plain, Condition.OPTIONS, HEDGED, negate=True)
        hashing.padded((self.drawn, HEDGE), before=2 * self.octets)
        self.go(done)
        self.a.place(plain)
        hashing.padded(before=2 * self.octets)
        self.a.place(done)

    def _check_signature(self) -> None:
        """Answer whether r, s is a signature of e by the point s, in Montgomery's form.

        Source: SEC 1, 4.1.4, from step 4 on.
        """
        invalid = self.fail(Status.SIGNATURE_INVALID)
        self.enter(self.s, self.s, "s")
        self.a.call(self.inverse)
        self.copy(self.s, self.points.free[0], "1/s")
        for number, name, to in ((self.e, "e/s", self.nonce), (self.r, "r/s", self.K)):
            self.product(self.d, self.s, number, name)
            self.modulo(to, self.d, name)
        self.verified(self.nonce, self.K, invalid)
        self.end()

    def before_keys(self) -> None:
        """Append routines that those of keys need."""
        a, pts = self.a, self.points
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.n - 2, self.s, pts.free[:-1], "1/s", ORDER)
        with a.routine("use_point") as self.use_point:
            self._use_point()
        with a.routine("share") as self.share:
            self._share()

    def copies(self, to: Sequence[int], of: Sequence[int], note: str = "") -> None:
        """Copy coordinates."""
        for d, v in zip(to, of, strict=True):
            self.copy(d, v, note)

    def take_more(self) -> None:
        """Take constants of an engine with all schemes.

        ``half``: the bit above the lower half of the order's; ``steps``: by which a string of
        octets is moved to the left, in the order's form.
        """
        order = self.a.integers(ORDER)
        self.half = self.a.number(1 << -(-self.order_bits // 2))
        self.steps = {
            octets: self.a.number(order.enter(1 << 8 * octets) % order.p)
            for octets in alpha_pieces(self.octets)
        }

    # ---------------------------------------------------------------- keys
    def keep_key(self, d: int) -> None:
        """Put a plain private key into the slot: where masks are, as the sum of two numbers."""
        if not self.preset.protected:
            self.copy(self.key, d)
            self.a.order(Order.RETURN)
            return
        self.copy(self.points.free[0], self.zero, "the key is not what is read")
        self.stir()
        self.copy(self.key, d, "the key, for now")
        self.copy(self.other_key, self.zero)
        self.go(self.parted)

    def split_key(self) -> None:
        """Split the slot's key anew."""
        self.stir()
        self.parted = self.a.here()
        self.a.call(self.mask)
        self.a.move("sum", self.key, self.key, self.T, note="new parts of the key")
        self.again(self.key)
        self.between()
        self.a.move("difference", self.other_key, self.other_key, self.T)
        self.again(self.other_key)

    def one_copy(self) -> None:
        """Let both copies of e and of the key's parts be what is read on the left.

        A product reads its right operand in the other copy of the memory. So a fault in one copy
        is in one of two results, of which one was computed before, and one is behind this.
        """
        first, *others = self.key_parts
        for number in (first, *others):
            self.copy(number, number, "both copies")

    def plain_key(self, d: int, parts: list[int]) -> None:
        """Let ``d`` be the key itself, for the hash of a nonce."""
        if len(parts) == 1:
            self.copy(d, parts[0])
        else:
            first, second = parts
            self.a.move("sum", d, first, second)
            self.modulo(d, d, "the key")

    def _share(self) -> None:
        """Let d be T (e + r times the key) / R, part by part."""
        a, (factor, term, _) = self.a, self.points.q
        self.enter(factor, self.r, "r")
        self.product(factor, factor, self.T, "b r")
        self.product(self.d, self.T, self.e, "b e")
        for part in self.key_parts:
            self.product(term, factor, part, "b r d, or a part of it")
            a.move("sum", self.d, self.d, term)

    # ---------------------------------------------------------------- points
    def point(self) -> None:
        """Take a point from the host into s, plain."""
        for number, name in zip(self.points.s, "xy", strict=False):
            self.take(number, self.points.octets, name)

    def _use_point(self) -> None:
        """Take the plain point s into Montgomery's form; answer if it is none."""
        outside = self.fail(Status.COORDINATE_OUT_OF_RANGE)
        self.points.check(outside, self.fail(Status.POINT_NOT_ON_CURVE))

    def kp(self, parts: list[int]) -> None:
        """Let s be the affine plain multiple of the point s, and k 1 if it is infinite."""
        self.scalar_of(parts)
        self.product_of_point()

    def product_of_base(self) -> None:
        """Let s be the base point's affine plain product by the scalar, k 1 if it is infinite."""
        self._affine_product(self.base)

    def product_of_point(self) -> None:
        """Let s be its affine plain product by the scalar, and k 1 if it is infinite."""
        self._affine_product(self.multiply)

    def _affine_product(self, routine: int) -> None:
        """Call a routine of a product, and finish; answer FAULT_DETECTED if words are missing."""
        with self.counted():
            self.a.call(routine)
        self.a.call(self.finish)

    def base_point(
        self, parts: list[int], status: Status = Status.FAULT_DETECTED, public: str = FAULT
    ) -> None:
        """Let s be the affine plain multiple of the base point; answer ``status`` if there is none.

        By 1 .. n - 1 there is one.
        """
        self.scalar_of(parts)
        self.product_of_base()
        self.infinite(status, public)

    def give_point(self) -> None:
        """Hand s out, and end."""
        for number, name in zip(self.points.s, "xy", strict=False):
            self.give(number, self.points.octets, name)
        self.end()

    def infinite(self, status: Status, public: str = "") -> None:
        """Answer ``status`` if the last product is infinity."""
        t, k = self.points.free[0], self.points.k
        self.a.move("difference", t, self.zero, k, capture=Capture.SIGN)
        self.abort(status, public=public)
