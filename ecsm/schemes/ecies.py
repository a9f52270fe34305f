# SPDX-License-Identifier: Apache-2.0
"""ECIES of SEC 1: encryption with a tag. Its options are flags of the request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ecsm.schemes.assembler import Place
from ecsm.schemes.encrypt import ephemeral, shared_secret, start_aes, whole
from ecsm.schemes.keys import point_out, primitive_product
from ecsm.schemes.machine import DIGESTS, Machine
from ecsm.schemes.masking import key as use_key
from ecsm.schemes.options import CIPHER, CIPHERS, KDF_HASH, MAC_HASH, hash_flags
from ecsm.schemes.words import From, If, Mode, Move, To, Unit
from ecsm.status import Status

MESSAGE = 2048  # octets of a message, at most: it stays inside until its tag is right
XOR_MESSAGE = 1024  # the same with XOR: the key is as long, and stays inside, too
INFO = 128  # octets of SharedInfo1, at most
BLOCK = 16  # of AES
KEY = 32  # of AES-256
SHORT_KEY = 16  # of AES-128
CTR, CBC256, CBC128 = (CIPHERS[name] for name in ("aes256-ctr", "aes256-cbc", "aes128-cbc"))


def _refuse_unknown(m: Machine, xor: bool) -> None:
    """Answer UNSUPPORTED for a cipher or a hash that is none, or that the machine has not."""
    known = {mask: set(hash_flags(mask, m.hashes)) for mask in (KDF_HASH, MAC_HASH)}
    if not xor:
        known[CIPHER] = set(CIPHERS.values())
    for mask, flags in known.items():
        step = mask & -mask
        for other in sorted(set(range(0, mask + step, step)) - flags):
            m.refuse(mask, other)


def _derive(m: Machine, octets: int, message: bool = False) -> None:
    """Begin the X9.63 KDF of the next answer, by the hash of the flags.

    SharedInfo1 comes from the host.
    """
    z = shared_secret(m)
    _kdf(m, octets, message)
    m.text(z, To.KDF, m.coordinate_octets, last=True)
    whole(m, From.HOST, To.KDF_INFO, INFO)


def _kdf(m: Machine, octets: int, message: bool, again: bool = False) -> None:
    def begin(name: str) -> None:
        alg = list(DIGESTS).index(name)
        m.kdf(alg, octets, x963=True, info=True, message=message, again=again)

    cases = hash_flags(KDF_HASH, m.hashes)
    m.choose(KDF_HASH, {flags: partial(begin, name) for flags, name in cases.items()})


def _keys(m: Machine) -> tuple[Place, Place]:
    """Return the places of the cipher's key and of the tag's.

    As many octets are derived as the longest keys have: shorter ones are the beginning.
    """
    cipher, mac = m.string(KEY), m.string(m.tag)
    _derive(m, KEY + m.tag)

    def take(key: int) -> None:
        m.text(From.KDF, cipher, key)
        m.text(From.KDF, mac, m.tag)
        if key < KEY:
            m.text(From.KDF, To.NOTHING, KEY - key)

    octets = {CTR: KEY, CBC128: SHORT_KEY, CBC256: KEY}
    m.choose(CIPHER, {cipher: partial(take, key) for cipher, key in octets.items()})
    return cipher, mac


def _start_cipher(m: Machine, key: Place, cipher: int, decrypt: bool) -> None:
    """Begin AES from an IV, or a counter, of zeros."""
    octets = SHORT_KEY if cipher == CBC128 else KEY
    start_aes(m, key, m.octet_string(0, BLOCK), octets, cbc=cipher != CTR, decrypt=decrypt)


def _start_tag(m: Machine, name: str, key: Place, behind: bool, message: Place) -> None:
    """Begin the tag of a message and SharedInfo2, which comes from the host.

    Its key is the string at ``key``; ``behind``: it begins as many octets further as the message
    has.
    """
    m.command(Unit.HMAC, list(DIGESTS).index(name) | 1 << 3)
    m.emit(
        Move(
            From.MEMORY, To.HMAC_KEY, address=key.address, octets=DIGESTS[name], behind=behind,
            last=True,
        )
    )  # fmt: skip
    whole(m, message, To.HMAC, last=False)
    whole(m, From.HOST, To.HMAC)


def _by_tag(m: Machine, each: Callable[[str], None]) -> None:
    """Do what belongs to the hash of the tag."""
    cases = hash_flags(MAC_HASH, m.hashes).items()
    m.choose(MAC_HASH, {flags: partial(each, name) for flags, name in cases})


def encrypt(m: Machine, xor: bool) -> None:
    """From the host a public key, a message, SharedInfo1 and SharedInfo2, which may be empty.

    To the host R's x and y, what is sealed, its tag. X9.63's KDF of the primitive's secret, HMAC,
    AES or XOR, as the flags say. The message: 0 to MESSAGE octets, or XOR_MESSAGE.
    Source: SEC 1, section 5.1.3.
    """
    _refuse_unknown(m, xor)
    most = XOR_MESSAGE if xor else MESSAGE
    q = m.host_point()
    message = m.string(most + m.tag)  # zeros behind it
    whole(m, From.HOST, message, most)
    k, r = ephemeral(m)
    primitive_product(m, k, q)
    if xor:
        mac = message
        _derive(m, m.tag, message=True)
        whole(m, From.KDF, message, most + m.tag, beside=message)
    else:
        key, mac = _keys(m)

        def seal(cipher: int) -> None:
            _start_cipher(m, key, cipher, decrypt=False)
            whole(m, From.AES, message)
            whole(m, message, To.AES)

        m.choose(CIPHER, {cipher: partial(seal, cipher) for cipher in CIPHERS.values()})
    tag = m.string(m.tag)

    def finish(name: str) -> None:
        _start_tag(m, name, mac, xor, message)
        m.text(From.HMAC, tag, DIGESTS[name])
        point_out(m, r)
        whole(m, message, To.HOST)
        m.text(tag, To.HOST, DIGESTS[name], last=True)
        m.end()

    _by_tag(m, finish)


def decrypt(m: Machine, xor: bool) -> None:
    """From the host R's x and y, what is sealed, its tag, SharedInfo1 and SharedInfo2.

    To the host the message. With XOR the key is derived twice: before the tag is right only that of
    the tag is used. Padding is looked at when the tag is right.
    Source: SEC 1, section 5.1.4.
    """
    _refuse_unknown(m, xor)
    most = XOR_MESSAGE if xor else MESSAGE
    secret = use_key(m)
    r = m.host_point()
    message, tag = m.string(most if xor else most + BLOCK), m.string(m.tag)
    if xor:
        whole(m, From.HOST, message, most)
    else:
        limits = {CTR: most, CBC128: most + BLOCK, CBC256: most + BLOCK}
        take = partial(whole, m, From.HOST, message)
        m.choose(CIPHER, {cipher: partial(take, limit) for cipher, limit in limits.items()})
    _by_tag(m, lambda name: m.text(From.HOST, tag, DIGESTS[name]))
    primitive_product(m, secret, r)
    if xor:
        mac = m.string(most + m.tag)
        _derive(m, m.tag, message=True)
        whole(m, From.KDF, mac)
    else:
        key, mac = _keys(m)

    def check(name: str) -> None:
        """Answer AUTHENTICATION_FAILED if the tag is another one; in constant time."""
        _start_tag(m, name, mac, xor, message)
        m.command(Unit.FORGET)
        bits = 8 * DIGESTS[name]
        m.move(From.HMAC, To.NOTHING, "string", bits, mode=Mode.COMPARE, beside=tag)
        m.abort(Status.AUTHENTICATION_FAILED, If.DIFFERS)

    _by_tag(m, check)
    if xor:
        _kdf(m, 0, message=True, again=True)
        whole(m, From.KDF, To.HOST, most, beside=message)
        m.end()
        return

    def open_(cipher: int) -> None:
        _start_cipher(m, key, cipher, decrypt=True)
        whole(m, From.AES, To.HOST if cipher == CTR else message)
        whole(m, message, To.AES)
        if cipher != CTR:
            m.abort(Status.AUTHENTICATION_FAILED, If.AES)
            whole(m, message, To.HOST)
        m.end()

    m.choose(CIPHER, {cipher: partial(open_, cipher) for cipher in CIPHERS.values()})
