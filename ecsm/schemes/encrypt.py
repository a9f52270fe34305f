# SPDX-License-Identifier: Apache-2.0
"""ECIES, its simplified demonstration, and hybrid encryption of streams (EC-AES)."""

from __future__ import annotations

from ecsm.schemes.assembler import Place
from ecsm.schemes.keys import cofactor_product, point_out, random_scalar, require_group
from ecsm.schemes.machine import DIGESTS, Machine
from ecsm.schemes.words import From, If, Mode, Move, To, Unit
from ecsm.status import Status

MESSAGE = 2048  # octets of an ECIES message, at most: it stays inside until its tag is right
KEY = 32
CTR, DECRYPT, REKEY, AES256 = 1, 1 << 1, 1 << 2, 2 << 3


def _whole(
    m: Machine, source: From | Place, sink: To | Place, most: int = 0, last: bool = True
) -> None:
    """Move a string of any length, at most ``most`` octets if that is not 0."""
    m.emit(
        Move(
            source if isinstance(source, From) else From.MEMORY,
            sink if isinstance(sink, To) else To.MEMORY,
            address=source.address if isinstance(source, Place) else 0,
            target=sink.address if isinstance(sink, Place) else 0,
            octets=most,
            whole=True,
            last=last,
        )
    )


def _keys(m: Machine, octets: int) -> Place:
    """Return the place of the X9.63 KDF's key of the shared secret, which is the next answer."""
    m.answer(Status.LOW_ORDER_POINT)
    z, keys = m.string(m.coordinate_octets), m.string(octets)
    m.as_string(From.X, z, m.coordinate_octets)
    m.command(Unit.KP_NEXT)
    m.command(Unit.KDF, m.alg | 1 << 3 | octets << 8)
    for done in range(0, octets, m.tag):
        m.text(z, To.KDF, m.coordinate_octets, last=True)
        now = min(m.tag, octets - done)
        m.text(From.KDF, keys.part(done, now)[0], now)
    return keys


def _aes(m: Machine, key: Place, mode: int, iv: Place) -> None:
    m.command(Unit.AES, mode | REKEY | AES256)
    m.text(key, To.AES_KEY, KEY)
    m.text(iv, To.AES_IV, 16)


def _ephemeral(m: Machine) -> tuple[Place, tuple[Place, Place]]:
    """Take a random scalar k; return it and the place of k G."""
    k = m.element()
    random_scalar(m, k)
    m.kp(k, m.generator)
    r = (m.element(), m.element())
    m.answer(Status.FAULT_DETECTED)
    m.take(r)
    return k, r


def _tag(m: Machine, key: Place, message: Place) -> None:
    m.command(Unit.HMAC, m.alg | 1 << 3)
    m.text(key, To.HMAC_KEY, m.tag, last=True)
    _whole(m, message, To.HMAC)


def ecies_encrypt(m: Machine) -> None:
    """From the host a public key and a message; to the host R's x and y, what is sealed, its tag.

    AES-256 in CTR from a counter of 0, HMAC and X9.63's KDF with SHA-256 (SHA-512 if the machine is
    wide) of the cofactor primitive's secret; no shared information. The message: 0 to MESSAGE
    octets.
    Source: SEC 1, section 5.1.3.
    """
    q = m.host_point()
    message = m.string(MESSAGE)
    _whole(m, From.HOST, message, MESSAGE)
    k, r = _ephemeral(m)
    cofactor_product(m, k, q)
    keys = _keys(m, KEY + m.tag)
    _aes(m, keys, CTR, m.octet_string(0, 16))
    _whole(m, From.AES, message)
    _whole(m, message, To.AES)
    _tag(m, keys.part(KEY, m.tag)[0], message)
    tag = m.string(m.tag)
    m.text(From.HMAC, tag, m.tag)
    point_out(m, r)
    _whole(m, message, To.HOST)
    m.text(tag, To.HOST, m.tag, last=True)
    m.end()


def ecies_decrypt(m: Machine) -> None:
    """From the host R's x and y, what is sealed, its tag; to the host the message.

    Source: SEC 1, section 5.1.4.
    """
    key = m.need_key()
    r = m.host_point()
    message, tag = m.string(MESSAGE), m.string(m.tag)
    _whole(m, From.HOST, message, MESSAGE)
    m.text(From.HOST, tag, m.tag)
    cofactor_product(m, key, r)
    keys = _keys(m, KEY + m.tag)
    _tag(m, keys.part(KEY, m.tag)[0], message)
    m.command(Unit.FORGET)
    m.move(From.HMAC, To.NOTHING, "string", 8 * m.tag, mode=Mode.COMPARE, beside=tag)
    m.abort(Status.AUTHENTICATION_FAILED, If.DIFFERS)
    _aes(m, keys, CTR | DECRYPT, m.octet_string(0, 16))
    _whole(m, From.AES, To.HOST)
    _whole(m, message, To.AES)
    m.end()


def demo_encrypt(m: Machine) -> None:
    """The simplified ECIES of a demonstration, without KDF or tag: not to be used for secrets.

    From the host Q and a message as long as a coordinate; to the host r G and m + x(r Q).
    """
    q = m.host_point()
    message = m.string(m.coordinate_octets)
    m.text(From.HOST, message, m.coordinate_octets)
    k, r = _ephemeral(m)
    m.kp(k, q)
    sealed = m.string(m.coordinate_octets)
    m.answer(Status.LOW_ORDER_POINT)
    m.mask(From.X, message, sealed)
    point_out(m, r)
    m.text(sealed, To.HOST, m.coordinate_octets, last=True)
    m.end()


def demo_decrypt(m: Machine) -> None:
    """The other way: from the host r G and what was sealed; to the host the message."""
    key = m.need_key()
    r = m.host_point()
    sealed, message = m.string(m.coordinate_octets), m.string(m.coordinate_octets)
    m.text(From.HOST, sealed, m.coordinate_octets)
    require_group(m, r)
    m.kp(key, r)
    m.answer(Status.LOW_ORDER_POINT)
    m.mask(From.X, sealed, message)
    m.text(message, To.HOST, m.coordinate_octets, last=True)
    m.end()


def ec_aes_encrypt(m: Machine) -> None:
    """From the host a public key, then a message of any length; to the host R, an IV, the stream.

    The key is X9.63's of the shared secret, AES-256 in CTR. No tag: what is altered is not seen.
    """
    q = m.host_point()
    k, r = _ephemeral(m)
    cofactor_product(m, k, q)
    keys = _keys(m, KEY)
    iv = m.string(16)
    m.command(Unit.RANDOM, 2 | 16 << 8)
    m.abort(Status.OK, If.NONCE)
    m.text(From.RANDOM, iv, 16)
    point_out(m, r)
    m.text(iv, To.HOST, 16, last=True)
    _aes(m, keys, CTR, iv)
    _whole(m, From.AES, To.HOST)
    _whole(m, From.HOST, To.AES)
    m.end()


def ec_aes_decrypt(m: Machine) -> None:
    """From the host R, the IV, the stream; to the host the message."""
    key = m.need_key()
    r = m.host_point()
    iv = m.string(16)
    m.text(From.HOST, iv, 16)
    cofactor_product(m, key, r)
    keys = _keys(m, KEY)
    _aes(m, keys, CTR | DECRYPT, iv)
    _whole(m, From.AES, To.HOST)
    _whole(m, From.HOST, To.AES)
    m.end()


def digest(m: Machine, name: str) -> None:
    """From the host a message of any length; to the host its digest."""
    m.command(Unit.HASH, list(DIGESTS).index(name))
    _whole(m, From.HOST, To.HASH)
    m.text(From.HASH, To.HOST, DIGESTS[name], last=True)
    m.end()
