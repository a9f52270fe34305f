# SPDX-License-Identifier: Apache-2.0
"""The strings and flags that an operation reads. With fewer strings it would wait for ever."""

from __future__ import annotations

from ecsm.schemes.options import (
    CIPHER,
    COFACTOR,
    DEVICE,
    GIVEN,
    HEDGED,
    KDF_HASH,
    MAC_HASH,
    PREHASHED,
)

_INPUTS = {
    "load": 1, "forget": 0, "seed": 0, "seed-test": 0, "generate": 0, "public": 0, "self-test": 0,
    "ecdh": 2, "ecdh-cofactor": 2, "ecmqv": 4,
    "ecies-encrypt": 5, "ecies-decrypt": 6, "ecies-xor-encrypt": 5, "ecies-xor-decrypt": 6,
    "ec-aes-encrypt": 3, "ec-aes-decrypt": 4, "demo-encrypt": 3, "demo-decrypt": 3,
    "encapsulate": 2, "decapsulate": 3, "x25519": 1, "sign-ed25519": 1, "verify-ed25519": 3,
    "wrap": 0, "unwrap": 1,
}  # fmt: skip
_MORE = {"encapsulate": GIVEN, "wrap": DEVICE}  # with this flag one string more
_USE_KEY = ("public", "x25519", "ecdh", "ecdh-cofactor", "ecmqv", "decapsulate", "wrap")
_OF_DIGESTS = {"sign": 1, "verify": 5, "": 1}


def inputs(operation: str, flags: int = 0) -> int:
    """Return the count of strings. Raises KeyError for an operation that is none."""
    if operation in _INPUTS:
        return _INPUTS[operation] + (flags == _MORE.get(operation))
    verb, _, digest = operation.rpartition("-")
    if not digest.startswith("sha"):
        raise KeyError(operation)
    return _OF_DIGESTS[verb]


def streamed(operation: str) -> bool:
    """Whether its last string may have any length; what hands out then does so as it takes in."""
    return operation.startswith(("ec-aes-", "sha", "verify-ed25519"))


def uses_key(operation: str) -> bool:
    """Whether it computes with the key in the slot."""
    return operation in _USE_KEY or (
        operation.startswith("sign-") or operation.endswith("-decrypt")
    )


def flags_of(operation: str) -> int:
    """Return the mask of the flags that it knows; the machine refuses every other one."""
    if operation.endswith("-ed25519"):
        return PREHASHED
    if operation.startswith("sign-"):
        return HEDGED
    if operation == "encapsulate":
        return GIVEN
    if operation == "wrap":
        return DEVICE
    if operation.startswith("ecies-xor-"):
        return COFACTOR | KDF_HASH | MAC_HASH
    if operation.startswith("ecies-"):
        return COFACTOR | CIPHER | KDF_HASH | MAC_HASH
    if operation.startswith("ec-aes-"):
        return COFACTOR
    return 0
