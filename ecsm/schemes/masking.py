# SPDX-License-Identifier: Apache-2.0
"""Keys in their slots and random scalars: plain, or in shares where the core is a masked one.

A slot of a masked machine has six numbers; n is the order, all but the first two are modulo n::

    0, 1   d xor r, r      the scalar for the core
    2, 3   d - t, t        the key for what is computed modulo n
    4, 5   u, u d          tells whether 2 and 3 are still the key

r, t and u are random. Each use of the key masks 0 to 3 anew. The key is in one place as a whole
only where it is loaded or made, and for the hash of RFC 6979, which takes it word by word. A
plain machine's slot has the key as number 0.
"""

from __future__ import annotations

from collections.abc import Callable

from ecsm.schemes.assembler import Place
from ecsm.schemes.machine import Machine, Order, Register, Scalar, Shares
from ecsm.schemes.words import From, If, Unit
from ecsm.status import Status

D, E, K, R, S, T, U, V = (Register(i) for i in range(8))
KEY, SUM, CHECK = (0, 1), (2, 3), (4, 5)
NUMBERS = (*KEY, *SUM, *CHECK)
"""Numbers of a slot."""


def xor(m: Machine, target: Register, a: Register, b: Register) -> None:
    """Let ``target`` be a xor b."""
    m.order(Order.XOR, target, a, b)


def random_bits(m: Machine, sink: Place | Register) -> None:
    """Let ``sink`` be a random number of as many bits as the order."""
    m.random(m.order_octets)
    m.from_string(From.RANDOM, sink, m.order_bits)


def random_number(m: Machine, r: Register) -> None:
    """Let r be a random number modulo the order, in constant time."""
    m.random(m.mask_octets)
    m.reduce(From.RANDOM, m.mask_octets, r, 8 * m.mask_octets)


def hide(m: Machine, r: Register) -> Scalar:
    """Return a scalar of a register as the core takes it; a masked machine uses U for it."""
    if not m.masked:
        return r
    shares = Shares(m.element(), m.element())
    random_bits(m, shares.mask)
    m.copy(shares.mask, U)
    xor(m, U, U, r)
    m.copy(U, shares.masked)
    return shares


def reveal(m: Machine, shares: Shares, r: Register) -> None:
    """Let a register be a hidden scalar; uses U."""
    m.copy(shares.masked, r)
    m.copy(shares.mask, U)
    xor(m, r, r, U)


def random_scalar(m: Machine) -> Scalar:
    """Let D be random in 1 .. n - 1: the first number of as many bits that is. Return it.

    What is returned is the scalar as the core takes it.
    """
    plain = None if m.masked else m.element()
    again = m.here()
    if plain:
        random_bits(m, plain)
        m.copy(plain, D)
    else:
        random_bits(m, D)
    m.order(Order.CHECK, a=D)
    m.jump(again, If.RANGE, negate=True)
    return plain or hide(m, D)


def keep_key(m: Machine) -> None:
    """Put D into the slot as its key, which the slot then has."""
    if m.masked:
        random_number(m, T)
        random_number(m, S)
        random_bits(m, U)
        m.command(Unit.KEY, 0)  # from here on the slot has no other key
        xor(m, K, D, U)
        m.order(Order.SUB, E, D, T)
        m.order(Order.MUL, R, D, S)
        for number, r in zip(NUMBERS, (K, U, E, T, S, R), strict=True):
            m.copy(r, m.key_element(number))
    else:
        m.copy(D, m.key_element(0))
    m.command(Unit.KEY, 1)


def forget_key(m: Machine) -> None:
    """Zeroize the slot, in a program that has used no register before."""
    for number in NUMBERS if m.masked else KEY[:1]:
        m.copy(D, m.key_element(number))
    m.command(Unit.KEY, 0)


def key(m: Machine) -> Place | Shares:
    """Answer NO_KEY if the slot is empty; return the private key, masked anew; uses D, T and U."""
    m.need_key()
    return masked_anew(m, m.key_element)


def masked_anew(m: Machine, element: Callable[[int], Place]) -> Place | Shares:
    """Return the key whose numbers are at ``element``, masked anew; uses D, T and U."""
    if not m.masked:
        return element(0)
    random_bits(m, U)
    random_number(m, T)
    for number in KEY:
        m.copy(element(number), D)
        xor(m, D, D, U)
        m.copy(D, element(number))
    for number, op in zip(SUM, (Order.ADD, Order.SUB), strict=True):
        m.copy(element(number), D)
        m.order(op, D, D, T)
        m.copy(D, element(number))
    return Shares(*(element(number) for number in KEY))


def key_parts(m: Machine, element: Callable[[int], Place] | None = None) -> list[Place]:
    """Return the numbers of a slot, the request's or at ``element``, whose sum is the key."""
    return [(element or m.key_element)(number) for number in (SUM if m.masked else KEY[:1])]


def check_key(m: Machine) -> None:
    """Answer FAULT_DETECTED if the slot's numbers are not of one key; uses D, T and U."""
    factor, product = (m.key_element(number) for number in CHECK)
    m.copy(factor, T)
    m.copy(product, U)
    for part in key_parts(m):
        m.copy(part, D)
        m.order(Order.MUL, D, D, T)
        m.order(Order.SUB, U, U, D)
    m.abort(Status.FAULT_DETECTED, If.ZERO, negate=True)
