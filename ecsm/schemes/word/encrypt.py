# SPDX-License-Identifier: Apache-2.0
"""Encryption on the word engine but for ECIES: the strings and statuses of :mod:`..encrypt`."""

from __future__ import annotations

from ecsm.schemes.word.operations import AGAIN
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import Status

SECRET = "a public key of which a product is infinite is refused"


def ephemeral(m: Weierstrass, key: int, point: tuple[int, int]) -> None:
    """Let a number be a random scalar k, and two the plain k G. K, V, r and s are lost."""
    a = m.a
    again = a.here()
    a.call(m.draw)
    m.copy(key, m.r)
    m.in_order(key, again, AGAIN)
    m.stir()
    m.base_point([key])
    m.copies(point, m.points.s[:2], "k G")


def take_point(m: Weierstrass, to: tuple[int, int]) -> None:
    """Take a point from the host, plain; answer if it is none."""
    m.point()
    m.copies(to, m.points.s[:2])
    m.a.call(m.use_point)


def demo_encrypt(m: Weierstrass) -> None:
    """The simplified ECIES of a demonstration, without KDF or tag: not to be used for secrets.

    From the host Q and a message as long as a coordinate; to the host r G and m XOR x(r Q).
    """
    octets, key, r = m.points.octets, m.K, (m.r, m.s)
    take_point(m, (m.e, m.d))
    m.take(m.nonce, octets, "message")
    ephemeral(m, key, r)
    m.copies(m.points.s[:2], (m.e, m.d))
    m.a.call(m.use_point)
    m.kp([key])
    m.infinite(Status.LOW_ORDER_POINT, SECRET)
    m.a.move("xor", m.nonce, m.nonce, m.points.s[0], note="sealed")
    for number in (*r, m.nonce):
        m.give(number, octets)
    m.end()


def demo_decrypt(m: Weierstrass) -> None:
    """The other way: from the host r G and what was sealed; to the host the message."""
    m.need_key()
    take_point(m, (m.e, m.d))
    m.take(m.nonce, m.points.octets, "sealed")
    m.require_group()
    m.kp(m.parts())
    m.infinite(Status.LOW_ORDER_POINT, SECRET)
    m.a.move("xor", m.nonce, m.nonce, m.points.s[0], note="message")
    m.give(m.nonce, m.points.octets)
    m.end()
