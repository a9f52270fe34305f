# SPDX-License-Identifier: Apache-2.0
"""PSEC-KEM: encapsulate and decapsulate a key.

The steps, the lengths and the key derivation (MGF1 with SHA-256) are those of the NTT
specification, version 2.0. Points are uncompressed, PECP2OSP returns x of a point, and pLen is the
number of octets of the order.
"""

from __future__ import annotations

from ecsm.schemes.assembler import Place
from ecsm.schemes.keys import point_out
from ecsm.schemes.machine import DIGESTS, Machine, Register
from ecsm.schemes.masking import hide
from ecsm.schemes.masking import key as use_key
from ecsm.schemes.options import GIVEN
from ecsm.schemes.words import From, If, To, Unit
from ecsm.status import Status

H_LEN = DIGESTS["sha256"]
KEY_LEN = 32
SHA256 = list(DIGESTS).index("sha256")
ALPHA = Register(0)


def _derive(m: Machine, r: Place) -> tuple[Place, int]:
    """Set ALPHA to t mod n of t || k = KDF(0 || r); return the place of t || k, and t's octets."""
    t_octets = m.order_octets + 16
    total = t_octets + KEY_LEN
    derived = m.string(total)
    m.kdf(SHA256, total)
    m.text(m.octet_string(0, 4), To.KDF, 4)
    m.text(r, To.KDF, H_LEN, last=True)
    # t is reduced while the hash goes on.
    first = min(total, -(-t_octets // H_LEN) * H_LEN)
    m.text(From.KDF, derived, first)
    m.reduce(derived, t_octets, ALPHA, 8 * t_octets)
    if first < total:
        m.text(From.KDF, derived.part(first, total - first)[0], total - first)
    return derived, t_octets


def _mask(m: Machine, point: tuple[Place, Place]) -> None:
    """Begin KDF(1 || C1 || ..): what comes before Q goes in."""
    m.kdf(SHA256, H_LEN)
    m.text(m.octet_string(1, 4), To.KDF, 4)
    m.text(m.octet_string(4, 1), To.KDF, 1)
    for v in point:
        m.as_string(v, To.KDF, m.coordinate_octets)


def _key_out(m: Machine, derived: Place, t_octets: int) -> None:
    place, before = derived.part(t_octets, KEY_LEN)
    m.text(place, To.HOST, KEY_LEN, last=True, before=before)


def encapsulate(m: Machine) -> None:
    """From the host the public key W; to the host C1's x and y, c2, and the key.

    The string r is random; in test mode with the flag GIVEN the host gives it behind W.
    """
    w = m.host_point()
    r = m.string(H_LEN)
    given, has_r = m.label(), m.label()
    m.jump_flags(given, GIVEN, GIVEN)
    m.random(H_LEN)
    m.text(From.RANDOM, r, H_LEN)
    m.jump(has_r)
    m.place(given)
    m.abort(Status.UNSUPPORTED, If.TEST, negate=True)
    m.text(From.HOST, r, H_LEN)
    m.place(has_r)

    derived, t_octets = _derive(m, r)
    m.kp(hide(m, ALPHA), m.generator)
    m.kp(None, w)
    c1 = (m.element(), m.element())
    m.answer(Status.FAULT_DETECTED)
    m.take(c1)
    _mask(m, c1)
    c2 = m.string(H_LEN)
    m.answer(Status.LOW_ORDER_POINT)
    m.as_string(From.X, To.KDF, m.coordinate_octets, last=True)
    m.xor(From.KDF, r, c2, H_LEN)
    point_out(m, c1)
    m.text(c2, To.HOST, H_LEN, last=True)
    _key_out(m, derived, t_octets)
    m.end()


def decapsulate(m: Machine) -> None:
    """From the host C1's x and y and c2; to the host the key, or AUTHENTICATION_FAILED.

    A C1 of small order fails as others do, at the end: it is no alpha G.
    """
    key = use_key(m)
    c1 = m.host_point()
    c2, r = m.string(H_LEN), m.string(H_LEN)
    m.text(From.HOST, c2, H_LEN)
    m.kp(key, c1)
    _mask(m, c1)
    m.abort(Status.OK, If.POINT_BAD)  # infinity, whose x is 0, would say something of the key
    m.as_string(From.X, To.KDF, m.coordinate_octets, last=True)
    m.command(Unit.KP_NEXT)
    m.xor(From.KDF, c2, r, H_LEN)
    derived, t_octets = _derive(m, r)
    m.kp(hide(m, ALPHA), m.generator)
    m.answer(Status.AUTHENTICATION_FAILED)
    m.command(Unit.FORGET)
    m.differ(From.X, c1[0])
    m.differ(From.Y, c1[1])
    m.abort(Status.AUTHENTICATION_FAILED, If.DIFFERS)
    _key_out(m, derived, t_octets)
    m.end()
