# SPDX-License-Identifier: Apache-2.0
"""The program of kP on y^2 = x^3 + ax + b over GF(p), of odd order, without anything around it.

input: the strings k, x, y      output: the octet 1 if kP is infinity, else 0; x; y
"""

from __future__ import annotations

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.complete import Complete
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.secrets import check
from ecsm.schedule.sequential.words import Order
from ecsm.status import Status


def multiplication(curve: PrimeCurve, W: int = 32, depth: int = 1024) -> Built:
    """Return the program of kP as operation 0. Raises ValueError for a curve that is not for it."""
    if curve.n % 2 == 0 or curve.h != 1:
        raise ValueError(f"{curve.name} has points of small order: the formulas are not for it")
    a = Assembler(Modulus(curve.p, W), depth)
    kp = Complete(a, curve)
    kp.take()
    start = a.label()
    a.dispatch(start)
    kp.routines()
    a.place(start)
    _program(a, kp, curve)
    built = a.built()
    check(built, 0, secrets={kp.k}, released={kp.k, *kp.s[:2]})  # kP and whether it is infinity
    return built


def _program(a: Assembler, kp: Complete, curve: PrimeCurve) -> None:
    """Append the operation."""
    x, y, z = kp.s
    octets = max(-(-curve.n.bit_length() // 8), a.modulus.W * (a.modulus.words - 1) // 8)
    a.transfer(Order.IN, kp.k, octets, note="k")
    for number in (x, y):
        a.transfer(Order.IN, number, kp.octets)
    outside, off, on = a.label(), a.label(), a.label()
    kp.check(outside, off)
    a.order(Order.JUMP, label=on)
    a.place(off)
    a.order(Order.DONE, argument=Status.POINT_NOT_ON_CURVE)
    a.place(outside)
    a.order(Order.DONE, argument=Status.COORDINATE_OUT_OF_RANGE)
    a.place(on)
    a.copy(z, kp.one, kp.zero)
    kp.fill()
    kp.digits(kp.k, kp.q[0])
    kp.products()
    kp.to_affine()
    a.transfer(Order.OUT, kp.k, 1)
    for number in (x, y):
        a.transfer(Order.OUT, number, kp.octets)
    a.order(Order.DONE, argument=Status.OK)
