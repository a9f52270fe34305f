# SPDX-License-Identifier: Apache-2.0
"""Keys: load, generate, erase, return the public key. Random generator; key agreement."""

from __future__ import annotations

from ecsm.schemes import masking
from ecsm.schemes.assembler import Place
from ecsm.schemes.machine import Machine, Scalar, Shares
from ecsm.schemes.masking import D
from ecsm.schemes.options import COFACTOR
from ecsm.schemes.words import From, If, To, Unit
from ecsm.status import Status


def load(m: Machine) -> None:
    """From the host a private key, a string as long as the order, into the slot."""
    place = m.element()
    m.host_element(m.order_octets, place)
    m.scalar(place, D, Status.SCALAR_OUT_OF_RANGE)
    masking.keep_key(m)
    m.end()


def forget(m: Machine) -> None:
    """Empty the slot."""
    masking.forget_key(m)
    m.end()


def generate(m: Machine) -> None:
    """A random private key into the slot; to the host the public key's x and y.

    Pairwise check: d G is computed twice and must be one point.
    Source: FIPS 186-5, A.2.2.
    """
    key = masking.random_scalar(m)
    public = (m.element(), m.element())
    m.kp(key, m.generator)
    m.kp(None, None)
    m.answer(Status.FAULT_DETECTED)
    m.take(public)
    m.answer(Status.FAULT_DETECTED)
    m.command(Unit.FORGET)
    m.differ(From.X, public[0])
    m.differ(From.Y, public[1])
    m.abort(Status.FAULT_DETECTED, If.DIFFERS)
    if isinstance(key, Shares):
        masking.reveal(m, key, D)
    masking.keep_key(m)
    point_out(m, public)
    m.end()


def point_out(m: Machine, point: tuple[Place, Place] | tuple[From, From]) -> None:
    """Hand a point out: two strings."""
    for v in point:
        m.as_string(v, To.HOST, m.coordinate_octets, last=True)


def public(m: Machine) -> None:
    """To the host the public key of the slot's key: x and y."""
    m.kp(masking.key(m), m.generator)
    m.answer(Status.FAULT_DETECTED)
    point_out(m, (From.X, From.Y))
    m.end()


def instantiate(m: Machine, test: bool) -> None:
    """Seed the random generator, from noise or, for a test, from test samples."""
    m.command(Unit.RANDOM, 0 | test << 2)
    m.abort(Status.OK, If.NONCE)
    m.end()


def require_group(m: Machine, q: tuple[Place, Place]) -> None:
    """Answer LOW_ORDER_POINT if n Q is not infinity: d Q would reveal d modulo h."""
    if m.curve.h == 1:
        return
    m.kp(m.constant(m.n, m.element_bits), q)
    m.abort(Status.OK, If.POINT_BAD)
    m.abort(Status.LOW_ORDER_POINT, If.INFINITY, negate=True)
    m.command(Unit.KP_NEXT)


def cofactor_product(m: Machine, scalar: Scalar, q: tuple[Place, Place]) -> None:
    """Begin h scalar Q, of SEC 1's cofactor primitive; LOW_ORDER_POINT if h Q is infinite."""
    if m.curve.h == 1:
        m.kp(scalar, q)
        return
    first = (m.element(), m.element())
    m.kp(m.constant(m.curve.h, m.element_bits), q)
    m.answer(Status.LOW_ORDER_POINT)
    m.take(first)
    m.kp(scalar, first)


def primitive_product(m: Machine, scalar: Scalar, q: tuple[Place, Place]) -> None:
    """Begin the product of SEC 1's Diffie-Hellman primitive: plain, or with the flag COFACTOR.

    The plain one answers LOW_ORDER_POINT for a point outside the group of order n. Without a
    cofactor both are the same. Source: SEC 1, sections 3.3.1 and 3.3.2.
    """
    if m.curve.h == 1:
        m.kp(scalar, q)
        return
    cofactor, begun = m.label(), m.label()
    m.jump_flags(cofactor, COFACTOR, COFACTOR)
    require_group(m, q)
    m.kp(scalar, q)
    m.jump(begun)
    m.place(cofactor)
    cofactor_product(m, scalar, q)
    m.place(begun)


def agree(m: Machine, cofactor: bool) -> None:
    """From the host a point Q; to the host the x of d Q, or of h d Q: the shared secret.

    The plain one refuses points outside the group of prime order: n Q must be infinity. With the
    cofactor a point of small order gives infinity, which is refused.
    Source: SEC 1, sections 3.3.1, 3.3.2, 3.2.2.1.
    """
    key = masking.key(m)
    q = m.host_point()
    if cofactor:
        cofactor_product(m, key, q)
    else:
        require_group(m, q)
        m.kp(key, q)
    m.answer(Status.LOW_ORDER_POINT)
    m.as_string(From.X, To.HOST, m.coordinate_octets, last=True)
    m.end()
