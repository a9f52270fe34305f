# SPDX-License-Identifier: Apache-2.0
"""Affine points in the order unit: test whether a point is on the curve; add two points."""

from __future__ import annotations

from ecsm.schemes.assembler import Place
from ecsm.schemes.machine import Machine, Modulus, Order, Register
from ecsm.schemes.words import If, Unit
from ecsm.status import Status

X1, Y1, X2, Y2, SLOPE, X3, T, Y3 = (Register(i) for i in (0, 4, 2, 5, 6, 3, 7, 1))

Affine = tuple[Place, Place]


def _field(m: Machine, op: Order, target: Register, a: Register, b: Register | None = None) -> None:
    m.order(op, target, a, b, Modulus.FIELD)


def _constant(m: Machine, value: int, r: Register) -> None:
    m.copy(m.constant(value, m.element_bits), r)


def require(m: Machine, point: Affine) -> None:
    """Answer COORDINATE_OUT_OF_RANGE or POINT_NOT_ON_CURVE for a point that is none."""
    for place, r in zip(point, (X1, Y1), strict=True):
        zero = m.label()
        m.copy(place, r)
        m.command(Unit.FORGET)
        m.differ(r, place)  # bits that the register has not
        m.abort(Status.COORDINATE_OUT_OF_RANGE, If.DIFFERS)
        m.order(Order.CHECK, a=r, modulus=Modulus.FIELD)
        m.jump(zero, If.ZERO)
        m.abort(Status.COORDINATE_OUT_OF_RANGE, If.RANGE, negate=True)
        m.place(zero)
    if m.binary:  # y (y + x) = x^2 (x + a) + b
        _field(m, Order.ADD, X3, Y1, X1)
        _field(m, Order.MUL, X3, X3, Y1)
        _constant(m, m.curve.a, T)
        _field(m, Order.ADD, T, T, X1)
        _field(m, Order.MUL, T, T, X1)
    else:  # y^2 = x (x^2 + a) + b
        _field(m, Order.MUL, X3, Y1, Y1)
        _constant(m, m.curve.a, T)
        _field(m, Order.MUL, X2, X1, X1)
        _field(m, Order.ADD, T, T, X2)
    _field(m, Order.MUL, T, T, X1)
    _field(m, Order.SUB, X3, X3, T)
    _constant(m, m.curve.b, T)
    _field(m, Order.SUB, X3, X3, T)
    m.abort(Status.POINT_NOT_ON_CURVE, If.ZERO, negate=True)


def add(m: Machine, p: Affine, q: Affine, same_x: Status, y: bool = False) -> None:
    """Let X3, and with ``y`` Y3, be those of the sum of two points.

    The program answers ``same_x`` if they have one x. Constant time but for that.
    """
    for place, r in zip((*p, *q), (X1, Y1, X2, Y2), strict=True):
        m.copy(place, r)
    _field(m, Order.SUB, X2, X2, X1)
    m.abort(same_x, If.ZERO)
    _field(m, Order.SUB, Y2, Y2, Y1)
    _field(m, Order.INV, SLOPE, X2)
    _field(m, Order.MUL, SLOPE, SLOPE, Y2)
    _field(m, Order.MUL, X3, SLOPE, SLOPE)
    if m.binary:
        _field(m, Order.ADD, X3, X3, SLOPE)
        _constant(m, m.curve.a, T)
        _field(m, Order.ADD, X3, X3, T)
    else:
        _field(m, Order.SUB, X3, X3, X1)
        _field(m, Order.SUB, X3, X3, X1)
    _field(m, Order.SUB, X3, X3, X2)  # x2 - x1
    if y:
        _field(m, Order.SUB, Y3, X1, X3)
        _field(m, Order.MUL, Y3, Y3, SLOPE)
        _field(m, Order.SUB, Y3, Y3, Y1)
        if m.binary:
            _field(m, Order.ADD, Y3, Y3, X3)
