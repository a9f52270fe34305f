# SPDX-License-Identifier: Apache-2.0
"""Every operation of the scheme machine, for the word engines that have the units for it."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.schedule.sequential.secrets import BUFFER
from ecsm.schemes.word import ecies, encrypt, mqv, psec, wrap
from ecsm.schemes.word.weierstrass import Weierstrass

FULL: dict[str, Callable[[Weierstrass], None]] = {
    "ecmqv": mqv.agree,
    "ecies-encrypt": ecies.encrypt,
    "ecies-decrypt": ecies.decrypt,
    "ecies-xor-encrypt": ecies.encrypt_xor,
    "ecies-xor-decrypt": ecies.decrypt_xor,
    "ec-aes-encrypt": ecies.stream_encrypt,
    "ec-aes-decrypt": ecies.stream_decrypt,
    "demo-encrypt": encrypt.demo_encrypt,
    "demo-decrypt": encrypt.demo_decrypt,
    "encapsulate": psec.encapsulate,
    "decapsulate": psec.decapsulate,
    "wrap": wrap.wrap,
    "unwrap": wrap.unwrap,
}
"""By name; those of every engine are in :mod:`.operations`."""


def released(m: Weierstrass, name: str) -> set[int]:
    """Return the numbers that one of these may hand out although they depend on a secret."""
    x, y = m.points.s[:2]
    chunk = m.points.q[2]
    return {
        "ecies-encrypt": {m.e, m.d, m.T, BUFFER},
        "ecies-decrypt": {BUFFER},
        "ecies-xor-encrypt": {m.e, m.d, m.T, BUFFER},
        "ecies-xor-decrypt": {BUFFER},
        "ec-aes-encrypt": {m.r, m.s, m.V, chunk},
        "ec-aes-decrypt": {chunk},
        "ecmqv": {x},
        "demo-encrypt": {m.r, m.s, m.nonce},
        "demo-decrypt": {m.nonce},
        "encapsulate": {x, y, m.K, m.V, m.r},
        "decapsulate": {m.V, m.r},
        "wrap": {m.buffer, m.buffer + 1},
        "unwrap": set(),
    }[name]
