# SPDX-License-Identifier: Apache-2.0
"""Known answers of one key on a curve: its public key, a secret, a signature.

Products come from libcrypto if it has the curve, nonces are those of RFC 6979, section 3.2. For
X25519 and Ed25519 the answers come from PyCryptodome.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import partial

from Crypto.Hash import SHA512
from Crypto.Protocol.DH import key_agreement
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from ecsm.curves import CURVE25519, EDWARDS25519, Curve, Point
from ecsm.oracle import libcrypto

MESSAGE = b"libecsm does over every HAL what it must"


def nonce(n: int, d: int, digest: bytes) -> int:
    """Return the nonce of RFC 6979 by HMAC with SHA-256; n: the order, d: the key."""
    bits = n.bit_length()
    octets = -(-bits // 8)

    def number(string: bytes) -> int:
        return int.from_bytes(string, "big") >> max(0, 8 * len(string) - bits)

    def mac(key: bytes, text: bytes) -> bytes:
        return hmac.new(key, text, "sha256").digest()

    of = d.to_bytes(octets, "big") + (number(digest) % n).to_bytes(octets, "big")
    k, v = bytes(32), b"\1" * 32
    for separator in (b"\0", b"\1"):
        k = mac(k, v + separator + of)
        v = mac(k, v)
    while True:
        t = b""
        while len(t) < octets:
            v = mac(k, v)
            t += v
        found = number(t[:octets])
        if 0 < found < n:
            return found
        k = mac(k, v + b"\0")
        v = mac(k, v)


def product_of(c: Curve) -> Callable[[int, Point], Point]:
    """Return the multiplication of points: libcrypto's if it has the curve, else the textbook's."""
    return partial(libcrypto.kp, c.name) if libcrypto.knows(c.name) else c.mul


def known_answers(c: Curve) -> dict[str, bytes]:
    """Return strings by name: a key, its public key, a secret, a signature, a digest.

    Of a curve of points: ``message``, ``digest``, ``key``, ``x``, ``y``, ``peer_x``, ``peer_y``,
    ``secret``, ``r``, ``s``. Of Curve25519 ``key``, ``public``, ``peer``, ``secret``. Of Ed25519
    ``key``, ``public``, ``message``, ``signature``, and those of Ed25519ph ``digest``,
    ``prehashed``.
    """
    return _of_octets(c) if c in (CURVE25519, EDWARDS25519) else _of_points(c)


def _of_octets(c: Curve) -> dict[str, bytes]:
    """Return the answers of X25519, or of Ed25519 and Ed25519ph."""
    name = "Curve25519" if c == CURVE25519 else "Ed25519"
    private, other = bytes(range(32)), bytes(range(100, 132))
    key, peer = (ECC.construct(curve=name, seed=octets) for octets in (private, other))
    found = {"key": private, "public": key.public_key().export_key(format="raw")}
    if c == CURVE25519:
        secret = key_agreement(static_priv=key, static_pub=peer.public_key(), kdf=bytes)
        return {**found, "peer": peer.public_key().export_key(format="raw"), "secret": secret}
    signer, digest = eddsa.new(key, "rfc8032"), SHA512.new(MESSAGE)
    return {
        **found, "message": MESSAGE, "signature": signer.sign(MESSAGE),
        "digest": digest.digest(), "prehashed": signer.sign(digest),
    }  # fmt: skip


def _of_points(c: Curve) -> dict[str, bytes]:
    """Return the answers of ECDSA and ECDH."""
    n, octets, multiply = c.n, c.octets, product_of(c)
    scalar = -(-n.bit_length() // 8)
    d, other = n * 3 // 7, n * 2 // 5

    def product(k: int, p: Point) -> tuple[int, int]:
        found = multiply(k, p)
        assert found is not None
        return found

    public, peer = product(d, c.generator), product(other, c.generator)
    digest = hashlib.sha256(MESSAGE).digest()
    e = int.from_bytes(digest, "big") >> max(0, 256 - n.bit_length())
    k = nonce(n, d, digest)
    r = product(k, c.generator)[0] % n
    s = pow(k, -1, n) * (e + r * d) % n
    return {
        "message": MESSAGE,
        "digest": digest,
        "key": d.to_bytes(scalar, "big"),
        "x": public[0].to_bytes(octets, "big"),
        "y": public[1].to_bytes(octets, "big"),
        "peer_x": peer[0].to_bytes(octets, "big"),
        "peer_y": peer[1].to_bytes(octets, "big"),
        "secret": product(d, peer)[0].to_bytes(octets, "big"),
        "r": r.to_bytes(scalar, "big"),
        "s": s.to_bytes(scalar, "big"),
    }
