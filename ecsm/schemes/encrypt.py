# SPDX-License-Identifier: Apache-2.0
"""ECIES, its simplified demonstration, and hybrid encryption of streams (EC-AES)."""

from __future__ import annotations

from ecsm.schemes.assembler import Place
from ecsm.schemes.keys import point_out, primitive_product, random_scalar, require_group
from ecsm.schemes.machine import DIGESTS, Machine
from ecsm.schemes.words import From, If, Mode, Move, To, Unit
from ecsm.status import Status

MESSAGE = 2048  # octets of an ECIES message, at most: it stays inside until its tag is right
XOR_MESSAGE = 1024  # the same with XOR: the key is as long, and stays inside, too
INFO = 128  # octets of SharedInfo1, at most
KEY = 32
CTR, DECRYPT, REKEY, AES256 = 1, 1 << 1, 1 << 2, 2 << 3


def _whole(
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


def _behind(m: Machine, place: Place, sink: To, octets: int) -> None:
    """Move so many octets, a whole string, that stand behind as many as the message has."""
    m.emit(Move(From.MEMORY, sink, address=place.address, octets=octets, behind=True, last=True))


def _secret(m: Machine) -> Place:
    """Return the place of the shared secret Z, the next answer's x."""
    m.answer(Status.LOW_ORDER_POINT)
    z = m.string(m.coordinate_octets)
    m.as_string(From.X, z, m.coordinate_octets)
    m.command(Unit.KP_NEXT)
    return z


def _derive(m: Machine, octets: int, info: bool, message: bool = False) -> None:
    """Begin the X9.63 KDF of the next answer; with ``info`` SharedInfo1 comes from the host."""
    z = _secret(m)
    m.kdf(m.alg, octets, x963=True, info=info, message=message)
    m.text(z, To.KDF, m.coordinate_octets, last=True)
    if info:
        _whole(m, From.HOST, To.KDF_INFO, INFO)


def _keys(m: Machine, octets: int, info: bool = False) -> Place:
    """Return the place of the X9.63 KDF's key of the shared secret, which is the next answer."""
    keys = m.string(octets)
    _derive(m, octets, info)
    m.text(From.KDF, keys, octets)
    return keys


def _aes(m: Machine, key: Place, mode: int, iv: Place) -> None:
    m.command(Unit.AES, mode | REKEY | AES256)
    m.text(key, To.AES_KEY, KEY)
    m.text(iv, To.AES_IV, 16)


def _ephemeral(m: Machine, random: int = 0) -> tuple[Place, tuple[Place, Place]]:
    """Take a random scalar k; return it and the place of k G.

    So many octets of From.RANDOM are drawn while the product is made.
    """
    k = m.element()
    random_scalar(m, k)
    m.kp(k, m.generator)
    if random:
        m.random(random)
    r = (m.element(), m.element())
    m.answer(Status.FAULT_DETECTED)
    m.take(r)
    return k, r


def _tag(m: Machine, message: Place) -> None:
    """Begin the tag of a message and SharedInfo2, which comes from the host; the key is there."""
    _whole(m, message, To.HMAC, last=False)
    _whole(m, From.HOST, To.HMAC)


def _check(m: Machine, tag: Place) -> None:
    """Answer AUTHENTICATION_FAILED if HMAC's tag is another one; in constant time."""
    m.command(Unit.FORGET)
    m.move(From.HMAC, To.NOTHING, "string", 8 * m.tag, mode=Mode.COMPARE, beside=tag)
    m.abort(Status.AUTHENTICATION_FAILED, If.DIFFERS)


def _sealed(m: Machine, r: tuple[Place, Place], message: Place) -> None:
    """To the host R, what is sealed, HMAC's tag."""
    tag = m.string(m.tag)
    m.text(From.HMAC, tag, m.tag)
    point_out(m, r)
    _whole(m, message, To.HOST)
    m.text(tag, To.HOST, m.tag, last=True)
    m.end()


def ecies_encrypt(m: Machine, xor: bool) -> None:
    """From the host a public key, a message, SharedInfo1 and SharedInfo2, which may be empty.

    To the host R's x and y, what is sealed, its tag. X9.63's KDF and HMAC with SHA-256 (SHA-512 if
    the machine is wide) of the primitive's secret; AES-256 in CTR from a counter of 0, or XOR.
    The message: 0 to MESSAGE octets, or XOR_MESSAGE.
    Source: SEC 1, section 5.1.3.
    """
    most = XOR_MESSAGE if xor else MESSAGE
    q = m.host_point()
    message = m.string(most + m.tag)  # zeros behind it
    _whole(m, From.HOST, message, most)
    k, r = _ephemeral(m)
    primitive_product(m, k, q)
    if xor:
        _derive(m, m.tag, info=True, message=True)
        _whole(m, From.KDF, message, most + m.tag, beside=message)
        m.command(Unit.HMAC, m.alg | 1 << 3)
        _behind(m, message, To.HMAC_KEY, m.tag)
    else:
        keys = _keys(m, KEY + m.tag, info=True)
        _aes(m, keys, CTR, m.octet_string(0, 16))
        _whole(m, From.AES, message)
        _whole(m, message, To.AES)
        m.command(Unit.HMAC, m.alg | 1 << 3)
        m.text(keys.part(KEY, m.tag)[0], To.HMAC_KEY, m.tag, last=True)
    _tag(m, message)
    _sealed(m, r, message)


def ecies_decrypt(m: Machine, xor: bool) -> None:
    """From the host R's x and y, what is sealed, its tag, SharedInfo1 and SharedInfo2.

    To the host the message. With XOR the key is derived twice: before the tag is right only that of
    the tag is used.
    Source: SEC 1, section 5.1.4.
    """
    most = XOR_MESSAGE if xor else MESSAGE
    key = m.need_key()
    r = m.host_point()
    message, tag = m.string(most), m.string(m.tag)
    _whole(m, From.HOST, message, most)
    m.text(From.HOST, tag, m.tag)
    primitive_product(m, key, r)
    if xor:
        stream = m.string(most + m.tag)
        _derive(m, m.tag, info=True, message=True)
        _whole(m, From.KDF, stream)
        m.command(Unit.HMAC, m.alg | 1 << 3)
        _behind(m, stream, To.HMAC_KEY, m.tag)
    else:
        keys = _keys(m, KEY + m.tag, info=True)
        m.command(Unit.HMAC, m.alg | 1 << 3)
        m.text(keys.part(KEY, m.tag)[0], To.HMAC_KEY, m.tag, last=True)
    _tag(m, message)
    _check(m, tag)
    if xor:
        m.kdf(m.alg, 0, x963=True, info=True, message=True, again=True)
        _whole(m, From.KDF, To.HOST, most, beside=message)
    else:
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
    k, r = _ephemeral(m, random=16)
    primitive_product(m, k, q)
    iv = m.string(16)
    m.text(From.RANDOM, iv, 16)
    keys = _keys(m, KEY)
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
    primitive_product(m, key, r)
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
