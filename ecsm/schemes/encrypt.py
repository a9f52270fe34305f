# SPDX-License-Identifier: Apache-2.0
"""Hybrid encryption of streams (EC-AES), ECIES simplified for a demonstration, digests."""

from __future__ import annotations

from ecsm.schemes.assembler import Place
from ecsm.schemes.keys import point_out, primitive_product, require_group
from ecsm.schemes.machine import DIGESTS, Machine, Scalar
from ecsm.schemes.masking import key as use_key
from ecsm.schemes.masking import random_scalar
from ecsm.schemes.words import From, Mode, Move, To, Unit
from ecsm.status import Status

KEY = 32
CTR, DECRYPT, REKEY, AES256, PAD = 1, 1 << 1, 1 << 2, 2 << 3, 1 << 5  # of the command to AES


def whole(
    m: Machine,
    source: From | Place,
    sink: To | Place,
    most: int = 0,
    last: bool = True,
    beside: Place | None = None,
) -> None:
    """Move a string of any length, at most ``most`` octets if that is not 0.

    It is added to ``beside``; ``most`` must then be given.
    """
    read = source if isinstance(source, Place) else beside
    m.emit(
        Move(
            source if isinstance(source, From) else From.MEMORY,
            sink if isinstance(sink, To) else To.MEMORY,
            Mode.COPY if beside is None else Mode.XOR,
            address=0 if read is None else read.address,
            target=sink.address if isinstance(sink, Place) else 0,
            octets=most,
            whole=True,
            last=last,
        )
    )


def shared_secret(m: Machine) -> Place:
    """Return the place of the shared secret Z, the next answer's x."""
    m.answer(Status.LOW_ORDER_POINT)
    z = m.string(m.coordinate_octets)
    m.as_string(From.X, z, m.coordinate_octets)
    m.command(Unit.KP_NEXT)
    return z


def start_aes(
    m: Machine, key: Place, iv: Place, octets: int, cbc: bool = False, decrypt: bool = False
) -> None:
    """Begin AES with a key of 16 or 32 octets: in CTR, or in CBC with padding."""
    mode = (PAD if cbc else CTR) | (DECRYPT if decrypt else 0)
    m.command(Unit.AES, mode | REKEY | (AES256 if octets == KEY else 0))
    m.text(key, To.AES_KEY, octets)
    m.text(iv, To.AES_IV, 16)


def ephemeral(m: Machine, random: int = 0) -> tuple[Scalar, tuple[Place, Place]]:
    """Take a random scalar k; return it and the place of k G.

    So many octets of From.RANDOM are drawn while the product is made.
    """
    k = random_scalar(m)
    m.kp(k, m.generator)
    if random:
        m.random(random)
    r = (m.element(), m.element())
    m.answer(Status.FAULT_DETECTED)
    m.take(r)
    return k, r


def demo_encrypt(m: Machine) -> None:
    """The simplified ECIES of a demonstration, without KDF or tag: not to be used for secrets.

    From the host Q and a message as long as a coordinate; to the host r G and m XOR x(r Q).
    """
    q = m.host_point()
    message = m.string(m.coordinate_octets)
    m.text(From.HOST, message, m.coordinate_octets)
    k, r = ephemeral(m)
    m.kp(k, q)
    sealed = m.string(m.coordinate_octets)
    m.answer(Status.LOW_ORDER_POINT)
    m.mask(From.X, message, sealed)
    point_out(m, r)
    m.text(sealed, To.HOST, m.coordinate_octets, last=True)
    m.end()


def demo_decrypt(m: Machine) -> None:
    """The other way: from the host r G and what was sealed; to the host the message."""
    key = use_key(m)
    r = m.host_point()
    sealed, message = m.string(m.coordinate_octets), m.string(m.coordinate_octets)
    m.text(From.HOST, sealed, m.coordinate_octets)
    require_group(m, r)
    m.kp(key, r)
    m.answer(Status.LOW_ORDER_POINT)
    m.mask(From.X, sealed, message)
    m.text(message, To.HOST, m.coordinate_octets, last=True)
    m.end()


def _key(m: Machine) -> Place:
    """Return the place of the key that X9.63's KDF makes of the next answer."""
    key, z = m.string(KEY), shared_secret(m)
    m.kdf(m.alg, KEY, x963=True)
    m.text(z, To.KDF, m.coordinate_octets, last=True)
    m.text(From.KDF, key, KEY)
    return key


def ec_aes_encrypt(m: Machine) -> None:
    """From the host a public key, then a message of any length; to the host R, an IV, the stream.

    The key is X9.63's of the shared secret, AES-256 in CTR. No tag: what is altered is not seen.
    """
    q = m.host_point()
    iv = m.string(16) if m.masked else None
    if iv:  # before a core takes random words
        m.random(16)
        m.text(From.RANDOM, iv, 16)
    k, r = ephemeral(m, random=0 if iv else 16)
    primitive_product(m, k, q)
    if iv is None:
        iv = m.string(16)
        m.text(From.RANDOM, iv, 16)
    key = _key(m)
    point_out(m, r)
    m.text(iv, To.HOST, 16, last=True)
    start_aes(m, key, iv, KEY)
    whole(m, From.AES, To.HOST)
    whole(m, From.HOST, To.AES)
    m.end()


def ec_aes_decrypt(m: Machine) -> None:
    """From the host R, the IV, the stream; to the host the message."""
    secret = use_key(m)
    r = m.host_point()
    iv = m.string(16)
    m.text(From.HOST, iv, 16)
    primitive_product(m, secret, r)
    key = _key(m)
    start_aes(m, key, iv, KEY, decrypt=True)
    whole(m, From.AES, To.HOST)
    whole(m, From.HOST, To.AES)
    m.end()


def digest(m: Machine, name: str) -> None:
    """From the host a message of any length; to the host its digest."""
    m.command(Unit.HASH, list(DIGESTS).index(name))
    whole(m, From.HOST, To.HASH)
    m.text(From.HASH, To.HOST, DIGESTS[name], last=True)
    m.end()
