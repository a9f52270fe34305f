# SPDX-License-Identifier: Apache-2.0
"""What each scheme answers, from its standard, hashlib, libcrypto and a curve's model."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from ecsm.curves import Curve, Point
from tests.rtl.symmetric import libcrypto
from tests.rtl.symmetric.model import HmacDrbg, kdf


def ctr(key: bytes, iv: bytes, data: bytes) -> bytes:
    """AES in counter mode."""
    return libcrypto.aes("ctr", key, iv, data) if data else b""


def seal(cipher: str, key: bytes, message: bytes, pad: bool = True) -> bytes:
    """AES as ECIES has it, of zeros as IV or counter; CBC is padded."""
    mode = cipher.split("-")[1]
    if mode == "ctr":
        return ctr(key, bytes(16), message)
    return libcrypto.aes(mode, key, bytes(16), message, pad=pad)


def xor(a: bytes, b: bytes) -> bytes:
    """The sum of two strings of one length."""
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Model:
    """Schemes on a curve; points are pairs of strings as the device has them."""

    curve: Curve

    @property
    def order_octets(self) -> int:
        """Octets of a scalar."""
        return -(-self.curve.n.bit_length() // 8)

    @property
    def octets(self) -> int:
        """Octets of a coordinate."""
        return self.curve.octets

    def scalar(self, k: int) -> bytes:
        """A scalar as the device has it."""
        return k.to_bytes(self.order_octets, "big")

    def strings(self, point: Point) -> tuple[bytes, bytes]:
        """A point as the device has it."""
        assert point is not None
        x, y = (v.to_bytes(self.octets, "big") for v in point)
        return x, y

    def point(self, x: bytes, y: bytes) -> Point:
        """The other way."""
        return int.from_bytes(x, "big"), int.from_bytes(y, "big")

    def public(self, d: int) -> tuple[bytes, bytes]:
        """D G."""
        return self.strings(self.curve.mul(d, self.curve.generator))

    def secret(self, d: int, point: Point) -> bytes:
        """X of d times a point."""
        return self.strings(self.curve.mul(d, point))[0]

    def bits2int(self, octets: bytes) -> int:
        """RFC 6979, section 2.3.2."""
        value, extra = int.from_bytes(octets, "big"), 8 * len(octets) - self.curve.n.bit_length()
        return value >> extra if extra > 0 else value

    def sign(self, d: int, digest: bytes, alg: str, more: bytes = b"") -> tuple[bytes, bytes]:
        """ECDSA with the nonce of RFC 6979, and additional octets (section 3.6)."""
        n = self.curve.n
        e = self.bits2int(digest) % n
        nonces = HmacDrbg(alg, self.scalar(d) + self.scalar(e) + more)
        while True:
            k = self.bits2int(nonces.generate(self.order_octets))
            if not 0 < k < n:
                continue
            point = self.curve.mul(k, self.curve.generator)
            assert point is not None
            r = point[0] % n
            s = pow(k, -1, n) * (e + r * d) % n
            if r and s:
                return self.scalar(r), self.scalar(s)

    def rejected(self, d: int, digest: bytes, alg: str) -> int:
        """How many nonces RFC 6979 rejects before the one that it takes."""
        e = self.bits2int(digest) % self.curve.n
        nonces = HmacDrbg(alg, self.scalar(d) + self.scalar(e))
        drawn = iter(lambda: self.bits2int(nonces.generate(self.order_octets)), None)
        return next(i for i, k in enumerate(drawn) if 0 < k < self.curve.n)

    def draw(self, drbg: HmacDrbg, octets: int) -> bytes:
        """The device's next random string: the first octets of one Generate call."""
        return drbg.generate(max(self.order_octets, 32))[:octets]

    def primitive(self, d: int, r: Point, cofactor: bool = False) -> bytes:
        """SEC 1, section 3.3: the secret of the plain or the cofactor primitive."""
        return self.secret(d * self.curve.h if cofactor else d, r)

    def ecies_keys(
        self, d: int, r: Point, octets: int, alg: str, info: bytes, cofactor: bool = False
    ) -> bytes:
        """SEC 1, section 5.1.3: the key of the primitive's secret."""
        return kdf(alg, self.primitive(d, r, cofactor), octets, 1, info)

    def ecies(
        self,
        z: bytes,
        message: bytes,
        infos: tuple[bytes, bytes] = (b"", b""),
        cipher: str = "aes256-ctr",
        kdf_hash: str = "sha256",
        mac_hash: str = "sha256",
    ) -> tuple[bytes, bytes]:
        """SEC 1, section 5.1.3: what is sealed and its tag, of a secret; a cipher may be "xor"."""
        size = len(message) if cipher == "xor" else int(cipher[3:6]) // 8
        tag_octets = hashlib.new(mac_hash).digest_size
        key = kdf(kdf_hash, z, size + tag_octets, 1, infos[0])
        one = key[:size]
        sealed = xor(message, one) if cipher == "xor" else seal(cipher, one, message)
        return sealed, hmac.digest(key[size:], sealed + infos[1], mac_hash)

    def avf(self, x: int) -> int:
        """SEC 1, section 6.1: the associate value."""
        half = -(-self.curve.n.bit_length() // 2)
        return x % (1 << half) + (1 << half)

    def mqv(self, d1: int, d2: int, static: Point, ephemeral: Point) -> bytes:
        """SEC 1, section 3.4."""
        c = self.curve
        own = c.mul(d2, c.generator)
        assert own is not None
        assert ephemeral is not None
        s = (d2 + self.avf(own[0]) * d1) % c.n
        total = c.add(ephemeral, c.mul(self.avf(ephemeral[0]), static))
        return self.strings(c.mul(c.h * s, total))[0]

    def encapsulate(self, w: Point, r: bytes) -> tuple[bytes, ...]:
        """PSEC-KEM: C1's x and y, c2, the key."""
        c, t_octets = self.curve, self.order_octets + 16
        derived = kdf("sha256", bytes(4) + r, t_octets + 32, 0)
        alpha = int.from_bytes(derived[:t_octets], "big") % c.n
        c1 = self.public(alpha)
        z = b"\0\0\0\1\4" + b"".join(c1) + self.secret(alpha, w)
        mask = kdf("sha256", z, 32, 0)
        return (*c1, xor(r, mask), derived[t_octets:])
