# SPDX-License-Identifier: Apache-2.0
"""A client of a device server: ``client.py SOCKET SEED JOBS``, every answer held to an oracle."""

from __future__ import annotations

import hashlib
import random
import sys

import ecsm
from ecsm.curves import curve
from ecsm.oracle import libcrypto
from ecsm.status import NoKey, SignatureInvalid

CURVE = curve("sect283r1")
OCTETS = CURVE.octets


def strings(point: tuple[int, int]) -> tuple[bytes, ...]:
    """A point as the device has it."""
    return tuple(v.to_bytes(OCTETS, "big") for v in point)


def main(socket: str, seed: int, jobs: int) -> None:
    """Run jobs; raises if an answer is wrong."""
    rng = random.Random(seed)
    with ecsm.open(f"unix:{socket}") as device:
        keys: dict[int, int] = {}
        for _ in range(jobs):
            slot = rng.randrange(3)
            kind = rng.choice(
                ("load", "load", "sha256", "sha256", "public", "ecdh", "sign", "no key")
            )
            if kind in ("public", "ecdh", "sign") and slot not in keys:
                kind = "load"
            match kind:
                case "load":
                    keys[slot] = rng.randrange(1, CURVE.n)
                    device.run("load", keys[slot].to_bytes(OCTETS, "big"), slot=slot)
                case "sha256":
                    message = rng.randbytes(rng.randrange(200))
                    assert device.run("sha256", message).strings == (
                        hashlib.sha256(message).digest(),
                    )
                case "no key":
                    try:
                        device.run("public", slot=3 + slot)
                        raise AssertionError("a key that nobody has loaded")
                    except NoKey:
                        pass
                case "public":
                    point = libcrypto.kp(CURVE.name, keys[slot], CURVE.generator)
                    assert point is not None
                    assert device.run("public", slot=slot).strings == strings(point)
                case "ecdh":
                    peer = libcrypto.kp(CURVE.name, rng.randrange(1, CURVE.n), CURVE.generator)
                    assert peer is not None
                    secret = libcrypto.kp(CURVE.name, keys[slot], peer)
                    assert secret is not None
                    answer = device.run("ecdh", *strings(peer), slot=slot)
                    assert answer.strings == strings(secret)[:1]
                case "sign":
                    digest = rng.randbytes(32)
                    r, s = (
                        int.from_bytes(v, "big")
                        for v in device.run("sign-sha256", digest, slot=slot).strings
                    )
                    verify(keys[slot], digest, r, s)


def verify(d: int, digest: bytes, r: int, s: int) -> None:
    """SEC 1, 4.1.4, by libcrypto's points: order and digest have 282 and 256 bits."""
    n, e = CURVE.n, int.from_bytes(digest, "big")
    w = pow(s, -1, n)
    q = libcrypto.kp(CURVE.name, d, CURVE.generator)
    point = libcrypto.double_kp(CURVE.name, e * w % n, r * w % n, q)
    if point is None or point[0] % n != r:
        raise SignatureInvalid("a wrong signature")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
