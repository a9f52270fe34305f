# SPDX-License-Identifier: Apache-2.0
"""ECDSA: sign with nonces of RFC 6979, verify."""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.schemes import masking
from ecsm.schemes.assembler import Label, Place
from ecsm.schemes.machine import DIGESTS, Machine, Order, Register, Shares
from ecsm.schemes.masking import D, E, K, R, S, T, U, V
from ecsm.schemes.options import HEDGED
from ecsm.schemes.points import Affine, add
from ecsm.schemes.words import From, If, Mode, To, Unit
from ecsm.status import Status

HEDGE = 32  # octets of additional entropy
SIGN = "sign"


def alg(digest: str) -> int:
    """Return the number of a hash."""
    return list(DIGESTS).index(digest)


def sign(m: Machine, digest: str) -> None:
    """From the host the digest; to the host r, s, strings as long as the order.

    With the flag HEDGED the nonce is hedged: random octets follow the seed (RFC 6979, section 3.6).
    Source: SEC 1, section 4.1.3; RFC 6979, section 3.2.
    """
    octets = DIGESTS[digest]
    key = masking.key(m)
    digests = [m.element() for _ in range(2 if m.masked else 0)]
    hashed = m.string(octets)
    m.text(From.HOST, hashed, octets)
    for place in digests:
        m.reduce(hashed, octets, E, min(8 * octets, m.order_bits))
        m.copy(E, place)
    if not m.masked:
        m.reduce(hashed, octets, E, min(8 * octets, m.order_bits))
    seed_key, seed_digest = m.string(m.order_octets), m.string(m.order_octets)
    masked, mask = key if isinstance(key, Shares) else (key, key)
    m.as_string(mask, seed_key, m.order_octets)
    m.copy(masked, D)
    m.as_string(E, seed_digest, m.order_octets)

    more = m.string(HEDGE)
    plain, seeded = m.label(), m.label()
    m.jump_flags(plain, HEDGED, 0)
    m.random(HEDGE)
    m.text(From.RANDOM, more, HEDGE)
    m.command(Unit.NONCE, alg(digest) << 2)
    for _ in range(2):
        _seed(m, seed_key)
        m.text(seed_digest, To.NONCE, m.order_octets)
        m.text(more, To.NONCE, HEDGE, last=True)
    m.jump(seeded)
    m.place(plain)
    m.command(Unit.NONCE, alg(digest) << 2)
    for _ in range(2):
        _seed(m, seed_key)
        m.text(seed_digest, To.NONCE, m.order_octets, last=True)
    m.place(seeded)

    if SIGN in m.tails:
        m.jump(m.tails[SIGN])
        return
    again = m.here()
    m.command(Unit.NONCE, 2 | m.order_octets << 8)
    m.from_string(From.NONCE, K, m.order_bits)
    m.order(Order.CHECK, a=K)
    m.jump(again, If.RANGE, negate=True)
    if m.masked:
        m.tails[SIGN] = again  # what is behind it uses none of the digest's strings
        _sign_masked(m, again, digests)
    else:
        _sign_plain(m, again)


def _seed(m: Machine, seed_key: Place) -> None:
    """Give the nonce's generator the key: of a masked machine D, which it is xor what is there."""
    if not m.masked:
        m.text(seed_key, To.NONCE, m.order_octets)
        return
    m.move(
        From.ORDER, To.NONCE, "number", 8 * m.order_octets, "string", mode=Mode.XOR,
        beside=seed_key, register=D.number,
    )  # fmt: skip


def _sign_plain(m: Machine, again: Label) -> None:
    """Sign E with the key D and the nonce K."""
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
    _signature_out(m, R, S)


def _signature_out(m: Machine, r: Place | Register, s: Place | Register) -> None:
    for v in (r, s):
        m.as_string(v, To.HOST, m.order_octets, last=True)
    m.end()


def _sign_masked(m: Machine, again: Label, digests: Sequence[Place]) -> None:
    """Sign with the key in its slot and the nonce K, in parts and with a random factor b.

    s = (b k)^-1 (b e + b r d), with k and d as sums of two numbers. During the product of points
    all that is needed behind it is in memory, twice where a change would not be seen. At the end
    b k and b (e + r d) are computed a second time from there, and must fit s.
    """
    fault = Status.FAULT_DETECTED
    k, same = ([m.element(), m.element()] for _ in range(2))
    factor = m.element()
    masking.random_number(m, T)
    m.order(Order.SUB, U, K, T)
    for places in (k, same):
        m.copy(U, places[0])
        m.copy(T, places[1])
    nonce = masking.hide(m, K)
    m.order(Order.SUB, K, K, K)
    masking.random_number(m, T)
    m.copy(T, factor)
    m.kp(nonce, m.generator)

    x, text = m.element(), m.string(m.coordinate_octets)
    m.answer(fault)
    m.copy(From.X, x)
    m.command(Unit.FORGET)
    m.differ(From.X, x)
    m.command(Unit.KP_NEXT)
    for first, second in zip((*k, digests[0]), (*same, digests[1]), strict=True):
        m.copy(first, E)
        m.differ(E, second)
    m.as_string(x, text, m.coordinate_octets)
    masking.check_key(m)

    r, s = m.element(), m.element()
    _terms(m, text, k, factor)
    m.abort(fault, If.DIFFERS)
    m.order(Order.CHECK, a=R)
    m.jump(again, If.ZERO)
    m.copy(R, r)
    m.order(Order.INV, K, K)
    m.order(Order.MUL, S, V, K)
    m.jump(again, If.ZERO)
    m.copy(S, s)
    m.copy(digests[1], E)
    _terms(m, text, same, factor)
    m.differ(R, r)
    m.abort(fault, If.DIFFERS)
    m.copy(s, S)
    m.order(Order.MUL, S, S, K)
    m.order(Order.SUB, S, S, V)
    m.abort(fault, If.ZERO, negate=True)
    _signature_out(m, r, s)


def _terms(m: Machine, x: Place, k: Sequence[Place], factor: Place) -> None:
    """Let R be r, K be b k and V be b (e + r d), of the e in E; uses D, S, T and U."""
    m.reduce(x, m.coordinate_octets, R, 8 * m.coordinate_octets)
    m.copy(factor, T)
    m.copy(k[0], K)
    m.order(Order.MUL, K, K, T)
    m.copy(k[1], U)
    m.order(Order.MUL, U, U, T)
    m.order(Order.ADD, K, K, U)
    m.order(Order.MUL, V, E, T)
    m.order(Order.MUL, S, R, T)
    for part in masking.key_parts(m):
        m.copy(part, D)
        m.order(Order.MUL, D, D, S)
        m.order(Order.ADD, V, V, D)


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
