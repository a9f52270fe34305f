# SPDX-License-Identifier: Apache-2.0
"""The textbook's signatures: against RFC 6979's, and against what libcrypto verifies."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import pytest

from ecsm.evidence.campaigns.textbook import KEY, NONCE, OTHER, RIGHT, Textbook
from ecsm.oracle import libcrypto
from ecsm.presets.table import preset
from tests import signatures

DIGEST = hashlib.sha256(b"a message").digest()


def libcrypto_verifies(curve: Any, d: int, digest: bytes, r: int, s: int) -> bool:
    """Verify with the public key and libcrypto's points."""
    n = curve.n
    if not (0 < r < n and 0 < s < n):
        return False
    e = int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - n.bit_length())
    w = pow(s, -1, n)
    public = libcrypto.kp(curve.name, d, curve.generator)
    point = libcrypto.double_kp(curve.name, e * w % n, r * w % n, public)
    return point is not None and point[0] % n == r


@pytest.mark.parametrize("name", ["p256-small", "b163-small", "b233-small", "k163", "p224-small"])
def test_signatures_are_those_of_the_rfc(name: str) -> None:
    curve: Any = preset(name).curve
    book, found = Textbook(curve), 0
    for published in signatures.rfc6979(curve):
        if published.digest != "sha256":
            continue
        assert published.d is not None
        job = published.d, published.hashed
        k = book.nonce(*job)
        if 0 < k < book.n:  # else the RFC takes the next one
            assert book.sign(*job, k) == (published.r, published.s)
            found += 1
        assert book.verifies(*job, published.r, published.s)
    assert found


@pytest.mark.parametrize("name", ["p256-small", "b163-small", "k256-small"])
def test_what_verifies_does_so_for_libcrypto(name: str) -> None:
    """Right ones, with other nonces, mirrored; and what is near them, or out of range."""
    curve: Any = preset(name).curve
    book, rng, n = Textbook(curve), random.Random(1), curve.n
    for _ in range(4):
        d, k = rng.randrange(1, n), rng.randrange(1, n)
        r, s = book.sign(d, DIGEST, k)
        for near in ((r, s), (r, n - s), (r ^ 1, s), (r, s ^ 4), (s, r), (0, s), (r, 0), (r, n),
                     (r + n, s), (r, s + n)):  # fmt: skip
            valid = book.verifies(d, DIGEST, *near)
            assert valid == libcrypto_verifies(curve, d, DIGEST, *near)
            assert valid == (near in ((r, s), (r, n - s)))
        assert not book.verifies(d, hashlib.sha256(b"another").digest(), r, s)
        assert not book.verifies(d ^ 1, DIGEST, r, s)


@pytest.mark.parametrize("name", ["b163-small", "toy107-halving", "p256-small"])
def test_kinds_of_signatures(name: str) -> None:
    book, rng = Textbook(preset(name).curve), random.Random(2)
    n, d = book.n, rng.randrange(1, book.n)
    k, other = rng.randrange(1, n), rng.randrange(1, n)
    right, e = book.sign(d, DIGEST, k), book.number(DIGEST)
    kinds = {
        right: RIGHT, book.sign(d, DIGEST, other): NONCE, (right[0], n - right[1]): NONCE,
        (right[0], right[1] ^ 1): OTHER, (0, right[1]): OTHER, (right[1], right[0]): OTHER,
        (right[0], pow(k, -1, n) * (e + (d ^ 2) * right[0]) % n): OTHER,
    }  # fmt: skip
    r = right[0] ^ 6
    s = pow(k, -1, n) * (e + d * r) % n
    kinds[r, s] = KEY
    assert {sig: book.kind(d, DIGEST, k, right, *sig) for sig in kinds} == kinds


@pytest.mark.parametrize("name", ["b163-small", "p256-small"])
def test_a_wrong_signature_gives_the_key_with_the_right_one(name: str) -> None:
    """By what is public alone: both signatures, the digest and n."""
    book, rng = Textbook(preset(name).curve), random.Random(3)
    n, d, k = book.n, rng.randrange(1, book.n), rng.randrange(1, book.n)
    right, e = book.sign(d, DIGEST, k), book.number(DIGEST)
    r = rng.randrange(1, n)
    wrong = r, pow(k, -1, n) * (e + d * r) % n
    assert book.kind(d, DIGEST, k, right, *wrong) == KEY
    slope = (right[1] - wrong[1]) * pow(right[0] - wrong[0], -1, n) % n  # d / k
    inverse = (right[1] - slope * right[0]) * pow(e, -1, n) % n  # 1 / k
    assert slope * pow(inverse, -1, n) % n == d
