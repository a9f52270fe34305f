# SPDX-License-Identifier: Apache-2.0
"""ECMQV on the word engine: a shared secret of two key pairs of each party."""

from __future__ import annotations

from ecsm.schedule.sequential.words import Command, Condition
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import Status

REFUSED = "that a secret is infinite is the answer"


def _associate(m: Weierstrass, d: int, x: int) -> None:
    """Let ``d`` be avf(Q) in the order's form: the lower half of x's bits, and the bit above them.

    Source: SEC 1, 3.4.
    """
    half = -(-m.order_bits // 2)
    left = m.preset.W * m.a.modulus.words - half
    width = m.preset.W * m.a.modulus.words
    m.shift(d, x, -left, width, "the lower half")
    m.shift(d, d, left, width, "and back")
    m.a.move("sum", d, d, m.half, note="the bit above it")
    m.enter(d, d, "avf")


def agree(m: Weierstrass) -> None:
    """From the host the other party's static and ephemeral public keys; to the host x of h s R.

    The static private key is in the slot, the ephemeral one in the slot beside: s = d2 +
    avf(Q2) d1 modulo n, R = Q2' + avf(Q2') Q1'. It is the sum of two secret products, (h s) Q2'
    and (h s avf(Q2')) Q1', so that no product has a public scalar. If one of them is infinite, or
    the sum, the answer is LOW_ORDER_POINT.
    Source: SEC 1, section 6.2, 3.4.
    """
    a, pts, s = m.a, m.points, m.points.s
    theirs, passing, own = (m.e, m.d), (m.K, m.V), (m.r, m.s)[: len(m.key_parts)]
    parts = m.part[: len(m.key_parts)]
    m.need_key()
    m.command(Command.PAIR)
    m.abort(Status.NO_KEY, Condition.EMPTY)
    for point in (theirs, passing):
        m.copies(s[:2], (m.zero, m.zero), "no word of the last point stays above a coordinate")
        m.point()
        m.copies(point, s[:2])
        a.call(m.use_point)
    ephemeral = m.parts()
    m.base_point(ephemeral)
    _associate(m, m.nonce, s[0])
    m.copies(own, ephemeral, "a part of the ephemeral key")
    m.command(Command.PAIR)
    for d, part in zip(own, m.parts(), strict=True):
        m.product(pts.free[2], m.nonce, part, "avf d1, or a part of it")
        a.move("sum", d, d, pts.free[2], note="s, or a part of it")
        m.again(d)
        m.between()
    _associate(m, m.nonce, passing[0])
    for d, part in zip(parts, own, strict=True):
        m.product(d, m.nonce, part, "avf s, or a part of it")
        m.between()
    m.copies(s[:2], theirs)
    a.call(m.use_point)
    m.cofactor_kp(parts)
    m.infinite(Status.LOW_ORDER_POINT, REFUSED)
    m.copies(theirs, s[:2], "the first product")
    m.copies(s[:2], passing)
    a.call(m.use_point)
    m.cofactor_kp(list(own))
    m.infinite(Status.LOW_ORDER_POINT, REFUSED)
    m.sum_x(*theirs, m.fail(Status.LOW_ORDER_POINT))
    m.give(s[0], pts.octets, "x")
    m.end()
