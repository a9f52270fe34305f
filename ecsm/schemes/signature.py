# SPDX-License-Identifier: Apache-2.0
"""ECDSA: sign with nonces of RFC 6979, verify."""

from __future__ import annotations

from ecsm.schemes.machine import DIGESTS, Machine, Order, Register
from ecsm.schemes.options import HEDGED
from ecsm.schemes.points import Affine, add
from ecsm.schemes.words import From, If, To, Unit
from ecsm.status import Status

D, E, K, R, S, T, U, V = (Register(i) for i in range(8))
HEDGE = 32  # octets of additional entropy


def alg(digest: str) -> int:
    """Return the number of a hash."""
    return list(DIGESTS).index(digest)


def sign(m: Machine, digest: str) -> None:
    """From the host the digest; to the host r, s, strings as long as the order.

    With the flag HEDGED the nonce is hedged: random octets follow the seed (RFC 6979, section 3.6).
    Source: SEC 1, section 4.1.3; RFC 6979, section 3.2.
    """
    octets = DIGESTS[digest]
    key = m.need_key()
    hashed = m.string(octets)
    m.text(From.HOST, hashed, octets)
    m.reduce(hashed, octets, E, min(8 * octets, m.order_bits))
    seed_key, seed_digest = m.string(m.order_octets), m.string(m.order_octets)
    m.as_string(key, seed_key, m.order_octets)
    m.copy(key, D)
    m.as_string(E, seed_digest, m.order_octets)

    more = m.string(HEDGE)
    plain, seeded = m.label(), m.label()
    m.jump_flags(plain, HEDGED, 0)
    m.random(HEDGE)
    m.text(From.RANDOM, more, HEDGE)
    m.command(Unit.NONCE, alg(digest) << 2)
    for _ in range(2):
        m.text(seed_key, To.NONCE, m.order_octets)
        m.text(seed_digest, To.NONCE, m.order_octets)
        m.text(more, To.NONCE, HEDGE, last=True)
    m.jump(seeded)
    m.place(plain)
    m.command(Unit.NONCE, alg(digest) << 2)
    for _ in range(2):
        m.text(seed_key, To.NONCE, m.order_octets)
        m.text(seed_digest, To.NONCE, m.order_octets, last=True)
    m.place(seeded)

    again = m.here()
    m.command(Unit.NONCE, 2 | m.order_octets << 8)
    m.from_string(From.NONCE, K, m.order_bits)
    m.order(Order.CHECK, a=K)
    m.jump(again, If.RANGE, negate=True)
    m.kp(K, m.generator)
    m.order(Order.INV, K, K)
    m.answer(Status.FAULT_DETECTED)
    x = m.string(m.coordinate_octets)
    m.as_string(From.X, x, m.coordinate_octets)
    m.command(Unit.KP_NEXT)
    m.reduce(x, m.coordinate_octets, R, 8 * m.coordinate_octets)
    m.jump(again, If.ZERO)
    m.order(Order.MUL, S, R, D)
    m.order(Order.ADD, S, S, E)
    m.order(Order.MUL, S, S, K)
    m.jump(again, If.ZERO)
    for v, last in ((R, True), (S, True)):
        m.as_string(v, To.HOST, m.order_octets, last=last)
    m.end()


def verify(m: Machine, digest: str) -> None:
    """From the host the public key's x and y, the digest, r and s. No secret is in it.

    A core of aG + bP does it in one job. Source: SEC 1, section 4.1.4.
    """
    invalid = Status.SIGNATURE_INVALID
    octets = DIGESTS[digest]
    q = m.host_point()
    hashed = m.string(octets)
    m.text(From.HOST, hashed, octets)
    r, s = m.element(), m.element()
    for place, register in ((r, R), (s, S)):
        m.host_element(m.order_octets, place)
        m.scalar(place, register, invalid)
    m.reduce(hashed, octets, E, min(8 * octets, m.order_bits))
    m.order(Order.INV, S, S)
    m.order(Order.MUL, V, R, S)
    if m.double:
        m.order(Order.MUL, U, E, S)
        m.double_kp(U, V, q)
        m.answer(invalid)
        m.copy(From.X, R)
    else:
        _sum(m, q, invalid)
    x = m.string(m.coordinate_octets)
    m.as_string(R, x, m.coordinate_octets)
    m.reduce(x, m.coordinate_octets, T, 8 * m.coordinate_octets)
    m.command(Unit.FORGET)
    m.differ(T, r)
    m.abort(invalid, If.DIFFERS)
    m.end()


def _sum(m: Machine, q: Affine, invalid: Status) -> None:
    """Let R be the x of u1 G + u2 Q, of two products, and U u1 = E S.

    Products that are equal, for which somebody has to know the discrete logarithm of Q, are
    doubled.
    """
    only_q, found = m.label(), m.label()
    if m.threads > 1:  # the second request comes before the batch starts without it
        m.order(Order.MUL, U, E, S)
        m.kp(V, q)
        m.order(Order.CHECK, a=U)
    else:
        m.kp(V, q)
        m.order(Order.MUL, U, E, S)
    m.jump(only_q, If.ZERO)
    m.kp(U, m.generator)
    m.place(only_q)

    points = [(m.element(), m.element()) for _ in range(2)]
    m.answer(invalid)
    m.take(points[0])
    m.copy(points[0][0], R)
    m.order(Order.CHECK, a=U)
    m.jump(found, If.ZERO)
    m.answer(invalid)
    m.copy(From.X, points[1][0])
    m.copy(From.Y, points[1][1])
    m.command(Unit.FORGET)
    m.differ(From.X, points[0][0])
    m.differ(From.Y, points[0][1])
    m.command(Unit.KP_NEXT)
    different = m.label()
    m.jump(different, If.DIFFERS)
    m.order(Order.ADD, T, U, U)
    m.kp(T, m.generator)
    m.answer(invalid)
    m.copy(From.X, R)
    m.command(Unit.KP_NEXT)
    m.jump(found)
    m.place(different)
    add(m, points[0], points[1], invalid)
    m.place(found)
