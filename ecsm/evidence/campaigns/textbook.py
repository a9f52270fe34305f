# SPDX-License-Identifier: Apache-2.0
"""ECDSA by the textbook, for who has the key: what a signature of a machine is held against.

Sources: SEC 1, section 4.1; RFC 6979, section 3.2.
"""

from __future__ import annotations

import hmac
from typing import Any

HASH = "sha256"
KINDS = (
    "right", "right, at another time", "right, another nonce", "error status", "no answer",
    "too few or too many octets", "wrong: with the right one it gives the key", "wrong: other",
)  # fmt: skip
"""What a fault makes of a signature. "Wrong" does not verify; "another nonce" does."""
RIGHT, LATE, NONCE, ERROR, NONE, OCTETS, KEY, OTHER = range(len(KINDS))


class Textbook:
    """Signatures on a curve, of digests of HASH. Strings of numbers have ``octets`` octets."""

    def __init__(self, curve: Any) -> None:
        self._curve, self.n = curve, int(curve.n)
        self.octets = (self.n.bit_length() + 7) // 8

    def number(self, text: bytes) -> int:
        """Return a string's highest bits, at most as many as the order has."""
        return int.from_bytes(text, "big") >> max(0, 8 * len(text) - self.n.bit_length())

    def nonce(self, d: int, digest: bytes) -> int:
        """Return the first nonce of RFC 6979, which may be none: 0, or not below n."""
        e = self.number(digest) % self.n
        seed = b"".join(v.to_bytes(self.octets, "big") for v in (d, e))
        key, v = bytes(32), b"\1" * 32
        for mark in (b"\0", b"\1"):
            key = hmac.digest(key, v + mark + seed, HASH)
            v = hmac.digest(key, v, HASH)
        text = b""
        while len(text) < self.octets:
            v = hmac.digest(key, v, HASH)
            text += v
        return self.number(text[: self.octets])

    def _x(self, k: int) -> int:
        """Return r of a nonce; 0, which no signature has, of the nonce 0."""
        point = self._curve.mul(k % self.n, self._curve.generator) if k % self.n else None
        return int(point[0]) % self.n if point else 0

    def _second(self, d: int, digest: bytes, k: int, r: int) -> int:
        """Return s."""
        return pow(k, -1, self.n) * (self.number(digest) + d * r) % self.n

    def sign(self, d: int, digest: bytes, k: int) -> tuple[int, int]:
        """Return r and s."""
        r = self._x(k)
        return r, self._second(d, digest, k, r)

    def verifies(self, d: int, digest: bytes, r: int, s: int) -> bool:
        """Whether a signature verifies under the public key of d."""
        if not (0 < r < self.n and 0 < s < self.n):
            return False
        u = pow(s, -1, self.n)
        return self._x(u * self.number(digest) + u * r * d) == r  # u1 G + u2 Q, with Q = d G

    def kind(self, d: int, digest: bytes, k: int, right: tuple[int, int], r: int, s: int) -> int:
        """Return what a signature is, the right one being ``right``, of the nonce k.

        Two signatures of a digest with one nonce give the key if their r differ: a wrong r that
        the right nonce and key made an s of is such a one.
        """
        if (r, s) == right:
            return RIGHT
        if self.verifies(d, digest, r, s):
            return NONCE
        same = (r - right[0]) % self.n and s == self._second(d, digest, k, r)
        return KEY if same else OTHER
