# SPDX-License-Identifier: Apache-2.0
"""KDF and HMAC_DRBG in a few lines over hashlib and hmac; test_model.py holds them to others."""

from __future__ import annotations

import hashlib
import hmac


def kdf(alg: str, z: bytes, octets: int, first: int, info: bytes = b"") -> bytes:
    """Return the KDF of ANSI X9.63 (``first`` = 1), or MGF1 (0)."""
    key = b""
    while len(key) < octets:
        key += hashlib.new(alg, z + first.to_bytes(4, "big") + info).digest()
        first += 1
    return key[:octets]


class HmacDrbg:
    """HMAC_DRBG of SP 800-90A, section 10.1.2."""

    def __init__(self, alg: str, seed: bytes) -> None:
        self.alg = alg
        size = hashlib.new(alg).digest_size
        self.key, self.v = bytes(size), b"\1" * size
        self.update(seed)

    def _mac(self, message: bytes) -> bytes:
        return hmac.digest(self.key, message, self.alg)

    def update(self, seed: bytes) -> None:
        """Take a seed, or nothing, into the state; this is a reseed, too."""
        for octet in (0, 1) if seed else (0,):
            self.key = self._mac(self.v + bytes([octet]) + seed)
            self.v = self._mac(self.v)

    def generate(self, octets: int, extra: bytes = b"") -> bytes:
        """Return octets; ``extra`` is the additional input."""
        if extra:
            self.update(extra)
        out = b""
        while len(out) < octets:
            self.v = self._mac(self.v)
            out += self.v
        self.update(extra)
        return out[:octets]
