# SPDX-License-Identifier: Apache-2.0
"""Known answers of the word engine's self-tests, computed from the curve and the hashes alone.

Sources: SEC 1, 4.1.3; SP 800-90A, 10.1.2; RFC 6979, 3.2; RFC 7748, 5; RFC 8032, 5.1.5.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Any

from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.xline import XLine

OCTETS = 32  # of a key of Curve25519's forms


def _made(name: str, seed: bytes, octets: int) -> bytes:
    """Return the first whole digests of HMAC_DRBG with a hash, as many octets at least."""
    size = hashlib.new(name).digest_size
    key, value = bytes(size), b"\1" * size
    for mark in (b"\0", b"\1"):
        key = hmac.digest(key, value + mark + seed, name)
        value = hmac.digest(key, value, name)
    made = b""
    while len(made) < octets:
        value = hmac.digest(key, value, name)
        made += value
    return made


def _nonce(order: int, name: str, *seed: int) -> int:
    """Return the first nonce of a seed of scalars, modulo the order."""
    bits = order.bit_length()
    octets = -(-bits // 8)
    made = _made(name, b"".join(v.to_bytes(octets, "big") for v in seed), octets)
    return (int.from_bytes(made, "big") >> 8 * len(made) - bits) % order


def _key() -> bytes:
    """Return the private key of the generator's seed 1."""
    return _made("sha256", (1).to_bytes(OCTETS, "big"), OCTETS)


def known_x25519(curve: XLine) -> int:
    """Return the string of the public key of the self-test's key, as a number."""
    k = curve.decode_scalar(int.from_bytes(_key(), "little"))
    point = curve.mul(k, curve.generator)
    assert point
    return int.from_bytes(point[0].to_bytes(OCTETS, "little"), "big")


def known_ed25519(curve: EdwardsCurve, k: int) -> tuple[int, int]:
    """Return the string of the public key A, as a number, and S: S B - k A is A."""
    digest = hashlib.sha512(_key()).digest()
    a = int.from_bytes(digest[:OCTETS], "little") & (1 << 254) - 8 | 1 << 254
    public = curve.encode(curve.mul(a, curve.generator))
    return int.from_bytes(public, "big"), (k + 1) * a % curve.n


def known_r(curve: Any, hashes: Iterable[str]) -> int:
    """Return r of the nonce that the self-test makes.

    That is made with the last hash, of the key 1 and the nonce of the hash before; the first one's,
    of the key 1 and the digest 1.
    """
    n, nonce = int(curve.n), 1
    for name in hashes:
        nonce = _nonce(n, name, 1, nonce)
    x, _ = curve.mul(nonce, curve.generator)
    return int(x) % n
