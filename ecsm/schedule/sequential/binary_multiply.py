# SPDX-License-Identifier: Apache-2.0
"""The program of kP on y^2 + xy = x^3 + ax^2 + b over GF(2^m), without anything around it.

input: the strings k, x, y      output: the octet 1 if kP is infinity, else 0; x; y

k has as many octets as h n. The result is compared with the curve's equation.
"""

from __future__ import annotations

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.binary_points import BinaryPoints
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.modulus import SPARE
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.secrets import check
from ecsm.schedule.sequential.walk import DISTANCE
from ecsm.schedule.sequential.words import Order
from ecsm.status import Status

FAULT = "a product that is off the curve is a fault"


def scalar_octets(c: BinaryCurve) -> int:
    """Return the octets of k."""
    return -(-(c.h * c.n).bit_length() // 8)


def binary_multiplication(c: BinaryCurve, W: int = 32, depth: int = 1024) -> Built:
    """Return the program of kP as operation 0."""
    words = -(-(max(8 * scalar_octets(c), c.field.m) + SPARE) // W)
    words = max(words, DISTANCE)
    a = Assembler(Polynomial(c.field, W, words), depth)
    kp = BinaryPoints(a, c)
    kp.take()
    start = a.label()
    a.dispatch(start)
    kp.routines()
    a.place(start)
    _program(a, kp)
    built = a.built()
    check(built, 0, secrets={kp.k}, released={kp.k, *kp.s[:2]})  # kP and whether it is infinity
    return built


def _program(a: Assembler, kp: BinaryPoints) -> None:
    """Append the operation."""
    coordinates = kp.s[:2]
    outside, off, fault, infinite = (a.label() for _ in range(4))
    a.transfer(Order.IN, kp.k, scalar_octets(kp.curve), note="k")
    for number in coordinates:
        a.transfer(Order.IN, number, kp.octets)
    kp.check(outside, off)
    for to, of in zip(kp.point, coordinates, strict=True):
        a.copy(to, of, kp.zero, "P")
    kp.begin(None)
    kp.cut(blinded=False)
    a.call(kp.ladder)
    kp.infinite(infinite)
    kp.to_plain()
    kp.on_curve(fault, FAULT)
    a.place(infinite)
    a.transfer(Order.OUT, kp.k, 1)
    for number in coordinates:
        a.transfer(Order.OUT, number, kp.octets)
    a.order(Order.DONE, argument=Status.OK)
    for label, status in ((off, Status.POINT_NOT_ON_CURVE),
                          (outside, Status.COORDINATE_OUT_OF_RANGE),
                          (fault, Status.FAULT_DETECTED)):  # fmt: skip
        a.place(label)
        a.order(Order.DONE, argument=status)
