# SPDX-License-Identifier: Apache-2.0
"""ECMQV: a shared secret of two key pairs of each party."""

from __future__ import annotations

from ecsm.schemes import masking, points
from ecsm.schemes.assembler import Place, words_of
from ecsm.schemes.machine import Machine, Order, Register, Scalar
from ecsm.schemes.words import From, If, To, Unit
from ecsm.status import Status

S, D, V, OTHER = (Register(i) for i in (0, 1, 2, 3))


def associate(m: Machine, x: Place) -> Place:
    """Return the place of avf(Q): the lower half of x's bits, and the bit above them."""
    half = -(-m.order_bits // 2)
    count = words_of(half)
    low = Place(x.address + x.words - count, half, "number")
    cut = m.string(-(-half // 8))
    m.move(low, cut, "number", half, "string")
    value = m.element()
    at = Place(value.address + m.words - count, half, "number")
    m.move(cut, at, "string", half, "number")
    m.copy(value, V)
    m.copy(m.constant(1 << half, m.element_bits), D)
    m.order(Order.ADD, V, V, D)
    m.copy(V, value)
    return value


def _scalar(m: Machine) -> Scalar:
    """Return s of the number in S; uses D and V."""
    static, ephemeral = masking.key_parts(m), masking.key_parts(m, m.pair_element)
    if m.masked:
        parts = (D, V)
        for r, d1, d2 in zip(parts, static, ephemeral, strict=True):
            m.copy(d1, r)
            m.order(Order.MUL, r, r, S)
            m.copy(d2, OTHER)
            m.order(Order.ADD, r, r, OTHER)
        m.order(Order.ADD, S, *parts)
        return masking.hide(m, S)
    m.copy(static[0], D)
    m.order(Order.MUL, S, S, D)
    m.copy(ephemeral[0], D)
    m.order(Order.ADD, S, S, D)
    s = m.element()
    m.copy(S, s)
    return s


def agree(m: Machine) -> None:
    """From the host the other party's static and ephemeral public keys; to the host x of h s R.

    The static private key is in the slot, the ephemeral one in the slot beside: s = d2 +
    avf(Q2) d1 modulo n, R = Q2' + avf(Q2') Q1'. R, and so the secret, is in the group of order n
    times the cofactor's; an infinite one is refused.
    Source: SEC 1, section 6.2, 3.4.
    """
    low = Status.LOW_ORDER_POINT
    masking.key(m)
    m.abort(Status.NO_KEY, If.PAIR)
    ephemeral = masking.masked_anew(m, m.pair_element)
    theirs, passing = m.host_point(), m.host_point()
    points.require(m, passing)
    m.kp(ephemeral, m.generator)
    other = associate(m, passing[0])
    m.kp(other, theirs)
    x = m.element()
    m.answer(Status.FAULT_DETECTED)
    m.copy(From.X, x)
    m.command(Unit.KP_NEXT)
    own = associate(m, x)
    m.copy(own, S)
    s = _scalar(m)

    product, total = (m.element(), m.element()), (m.element(), m.element())
    m.answer(low)
    m.copy(From.X, product[0])
    m.copy(From.Y, product[1])
    m.command(Unit.FORGET)
    m.differ(From.X, passing[0])
    m.differ(From.Y, passing[1])
    m.command(Unit.KP_NEXT)
    different, summed = m.label(), m.label()
    m.jump(different, If.DIFFERS)
    m.kp(m.constant(2, m.element_bits), passing)  # the points are one
    m.answer(low)
    m.take(total)
    m.jump(summed)
    m.place(different)
    points.add(m, product, passing, low, y=True)
    m.copy(points.X3, total[0])
    m.copy(points.Y3, total[1])
    m.place(summed)
    if m.curve.h != 1:
        m.kp(m.constant(m.curve.h, m.element_bits), total)
        m.answer(low)
        m.take(total)
    m.kp(s, total)
    m.answer(low)
    m.as_string(From.X, To.HOST, m.coordinate_octets, last=True)
    m.end()
