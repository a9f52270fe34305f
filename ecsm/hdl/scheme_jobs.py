# SPDX-License-Identifier: Apache-2.0
"""Jobs for a machine of schemes and what it must answer: for the testbench of a package.

One key, known answers (:mod:`ecsm.oracle.answers`), and what must be refused. Every operation of
keys, signatures, agreement and digests that the machine has is run; of the others, which are random
or long, none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ecsm.curves import CURVE25519, EDWARDS25519
from ecsm.hdl.machines import Machine
from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.oracle.answers import known_answers
from ecsm.status import Status

SLOT, EMPTY = 1, 0
HASHES = ("sha1", "sha224", "sha256", "sha384", "sha512")


@dataclass(frozen=True)
class Job:
    """One request: strings in, and the status and strings that must come out."""

    name: str
    operation: int
    slot: int = EMPTY
    strings: tuple[bytes, ...] = ()
    status: Status = Status.OK
    answer: tuple[bytes, ...] = ()


def _flip(octets: bytes) -> bytes:
    """Return octets with their last bit changed."""
    return octets[:-1] + bytes([octets[-1] ^ 1])


def jobs(m: Machine) -> list[Job]:
    """Return the jobs in their order, the same for the same machine."""
    has = set(m.program.operations)
    found: list[Job] = []

    def add(name: str, operation: str, *strings: bytes, slot: int = SLOT,
            status: Status = Status.OK, answer: tuple[bytes, ...] = ()) -> None:  # fmt: skip
        if operation in has:
            number = m.program.number(operation)
            found.append(Job(name, number, slot, strings, status, answer))

    if m.tables:
        tables = m.tables()
        wrong = Status.UNSUPPORTED
        found.append(Job("tables with a wrong bit", LOAD_OPERATION, 0, (_flip(tables),), wrong))
        found.append(Job("tables", LOAD_OPERATION, 0, (tables,)))
    for name in HASHES:
        for message in (b"", b"abc", bytes(range(200))):
            digest = hashlib.new(name, message).digest()
            add(f"{name} of {len(message)} octets", name, message, answer=(digest,))
    k = known_answers(m.curve)
    public = (k["public"],) if "public" in k else (k["x"], k["y"])
    add("public key of an empty slot", "public", status=Status.NO_KEY)
    add("load a key", "load", k["key"])
    add("its public key", "public", answer=public)
    if m.curve == CURVE25519:
        add("x25519", "x25519", k["peer"], answer=(k["secret"],))
        add("x25519 with u = 0", "x25519", bytes(32), status=Status.LOW_ORDER_POINT)
    elif m.curve == EDWARDS25519:
        signed = (*public, k["signature"], k["message"])
        add("sign", "sign-ed25519", k["message"], answer=(k["signature"],))
        add("verify", "verify-ed25519", *signed)
        add("verify another message", "verify-ed25519", *signed[:2], _flip(signed[2]),
            status=Status.SIGNATURE_INVALID)  # fmt: skip
    else:
        peer, signature = (k["peer_x"], k["peer_y"]), (k["r"], k["s"])
        off = (k["peer_x"], _flip(k["peer_y"]))
        add("ecdh", "ecdh", *peer, answer=(k["secret"],))
        add("ecdh with no point", "ecdh", *off, status=Status.POINT_NOT_ON_CURVE)
        add("sign", "sign-sha256", k["digest"], answer=signature)
        add("verify", "verify-sha256", *public, k["digest"], *signature)
        other = bytes([k["digest"][0] ^ 1]) + k["digest"][1:]  # a short order leaves the end unread
        add("verify another digest", "verify-sha256", *public, other, *signature,
            status=Status.SIGNATURE_INVALID)  # fmt: skip
    add("forget the key", "forget")
    add("its public key, now", "public", status=Status.NO_KEY)
    return found
