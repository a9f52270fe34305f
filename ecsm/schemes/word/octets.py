# SPDX-License-Identifier: Apache-2.0
"""What X25519 and Ed25519 on the word engine share: little-endian strings, keys that are integers.

A key is a number of 256 bits, and not one modulo the order: X25519's points have other orders too,
and Ed25519's key is hashed. Where masks are, its parts are d + m and -m with a random m of 280
bits, integers. So the first part tells d with a chance of 2^-24 at most: where m is near 0 or near
2^280.
"""

from __future__ import annotations

from collections.abc import Iterable

from ecsm.curves.gfp.weierstrass import PrimeFieldCurve
from ecsm.schedule.sequential.folded import Folded
from ecsm.schedule.sequential.words import Order
from ecsm.schemes.word.hashing import Hash
from ecsm.schemes.word.machine import DIGEST, GENERATOR, SEEDS, Machine

STRING = 32  # octets of a key, of a point
MORE = 24  # bits of a mask above 256


class Octets(Machine):
    """A machine of strings of 32 octets, the lowest one first."""

    curve: PrimeFieldCurve

    def field(self, words: int) -> Folded:
        """Return p."""
        return Folded(self.curve.p, self.preset.W, words)

    def take_numbers(self) -> None:
        """Take the numbers that change."""
        a = self.a
        self.T, self.r, self.s, self.more = a.numbers(4)
        self.drawn = self.s  # of 253 bits, r has fewer octets than these
        self.part, self.peeled, self.block = a.numbers(2), a.numbers(2)[0], a.numbers(2)
        self.text = self.block[0]

    def lengths(self, h: Hash) -> Iterable[int]:
        """Return of how many octets hashes are whose length a program knows."""
        seeds = [1 + octets for octets in (*SEEDS, STRING)] if h.name == GENERATOR else []
        return [h.block + h.digest + more for more in (0, 1, *seeds)]

    def constants(self) -> None:
        """Take the constant of clamped keys."""
        self.highest = self.a.number(1 << 8 * STRING - 2)

    # ---------------------------------------------------------------- self-test
    def known_key(self) -> None:
        """Let ``drawn`` be the private key of the generator's seed 1: see :mod:`.known`."""
        h = self.generator
        h.instantiate(lambda: h.padded((self.unit, STRING)))
        self.a.call(h.next)
        self.copy_string(self.drawn, self.V)

    # ---------------------------------------------------------------- strings
    def turned(self, d: int, of: int, first: int = 0, to: int = 0) -> None:
        """Let ``d`` be the words from ``first`` on of a string, turned round, from ``to`` on."""
        self.a.move(f"peel {first}", self.peeled, of, note="octets")
        self.a.move(f"turn {to}", d, self.peeled, note="turned round")

    def low_bits(self, d: int, of: int, bits: int) -> None:
        """Let ``d`` be so many lower bits of a number of 256 bits; they are two numbers."""
        width = self.preset.W * self.a.modulus.words
        self.shift(d, of, bits - width, 8 * STRING, "to the left")
        self.shift(d, d, width - bits, width, "and back")

    def clamped(self, d: int, of: int) -> None:
        """Let ``d`` be the scalar of a number of 256 bits, which is lost. Source: RFC 7748, 5."""
        low = 3
        self.shift(of, of, low, 8 * STRING, "without the lowest bits")
        width = self.preset.W * self.a.modulus.words
        left = width - (8 * STRING - 2 - low)
        self.shift(d, of, -left, 8 * STRING, "and the highest")
        self.shift(d, d, left - low, width)
        self.a.move("sum", d, d, self.highest, note="the highest bit")

    # ---------------------------------------------------------------- keys
    def _mask_integer(self) -> None:
        """Let ``more`` be a random number of 280 bits."""
        a = self.a
        self.stir()
        a.call(self.mask)
        self.copy(self.more, self.T, "a random number")
        a.call(self.mask)
        width = self.preset.W
        self.shift(self.s, self.T, MORE - width - 8 * DIGEST, width, "and some bits")
        self.shift(self.s, self.s, width - MORE, 8 * DIGEST + width, "above it")
        a.move("sum", self.more, self.more, self.s)

    def keep_key(self, d: int) -> None:
        """Put a plain private key into the slot: where masks are, as the sum of two numbers."""
        if not self.preset.protected:
            self.copy(self.key, d)
            self.a.order(Order.RETURN)
            return
        a = self.a
        self._mask_integer()
        a.move("sum", self.key, d, self.more, note="the key and a random number")
        a.move("difference", self.other_key, self.zero, self.more, note="that number, negative")
        a.order(Order.RETURN)

    def split_key(self) -> None:
        """Split the slot's key anew."""
        a = self.a
        self._mask_integer()
        a.move("sum", self.key, self.key, self.more, note="new parts of the key")
        a.move("sum", self.key, self.key, self.other_key, note="without the old number")
        a.move("difference", self.other_key, self.zero, self.more)

    def before_keys(self) -> None:
        """Append nothing."""
