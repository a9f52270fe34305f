# SPDX-License-Identifier: Apache-2.0
"""PSEC-KEM on the word engine: see :mod:`ecsm.schemes.psec`, whose strings and statuses it has."""

from __future__ import annotations

from ecsm.schedule.sequential.words import Capture, Condition, Order, Port
from ecsm.schemes.options import GIVEN
from ecsm.schemes.psec import H_LEN, KEY_LEN
from ecsm.schemes.word.lengths import COUNTER, PIECE, PSEC_HASH, UNCOMPRESSED, alpha_octets
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import Status

CAPSULE = "that a capsule is none is the answer"
NONE = "a public key of which a product is infinite is refused"


def xor(m: Weierstrass, d: int, a: int, b: int, capture: Capture = Capture.NONE) -> None:
    """Let a string of 32 octets be the sum of two; ``capture``: the flag."""
    words = m.words_of(H_LEN)
    short = m.a.modulus.words < words
    m.a.move(f"xor {words}" if short else "xor", d, a, b, capture=capture, note="XOR")


def _derive(m: Weierstrass, r: int) -> None:
    """Let the nonce be alpha, t modulo n, and V and r the key, of KDF(0, r).

    ``r``: the number of the string. V has the key's octets up to the end of a digest, r the rest.
    """
    a, h, counter, piece = m.a, m.hash[PSEC_HASH], m.points.free[2], m.points.free[3]
    left = alpha_octets(m.octets)

    def begin() -> None:
        h.begin()
        h.send(m.zero, COUNTER)
        h.send(r, H_LEN)
        h.send(counter, COUNTER)
        h.pad(2 * COUNTER + H_LEN)

    def take(number: int, octets: int) -> None:
        a.transfer(Order.IN, number, octets, Port.HASH)

    m.copy(counter, m.zero)
    m.copy(m.nonce, m.zero)
    while True:
        begin()
        room = H_LEN
        while left and room:
            octets = min(PIECE, left, room)
            m.copy(piece, m.zero)
            take(piece, octets)
            m.product(m.nonce, m.nonce, m.steps[octets], "to the left")
            a.move("sum", m.nonce, m.nonce, piece, note="octets of t")
            left, room = left - octets, room - octets
        a.move("sum", counter, counter, m.unit)
        if room and not left:
            break
    take(m.V, room)
    if room < KEY_LEN:
        begin()
        take(m.r, KEY_LEN - room)
    m.modulo(m.nonce, m.nonce, "alpha")


def _give_key(m: Weierstrass) -> None:
    """Hand out the key that was derived, and end."""
    first = H_LEN - alpha_octets(m.octets) % H_LEN
    m.give(m.V, first, "key", part=first < KEY_LEN)
    if first < KEY_LEN:
        m.give(m.r, KEY_LEN - first, "its rest")
    m.end()


def _mask(m: Weierstrass, to: int, x: int, y: int, secret: int) -> None:
    """Let a string be KDF(1, 4, C1, x of the secret point)."""
    h, octets = m.hash[PSEC_HASH], m.points.octets
    h.begin()
    h.send(m.unit, COUNTER)
    h.mark(1, UNCOMPRESSED)
    for number in (x, y, secret):
        h.send(number, octets)
    h.send(m.zero, COUNTER)
    h.pad(2 * COUNTER + 1 + 3 * octets)
    h.read(to)


def encapsulate(m: Weierstrass) -> None:
    """From the host the public key W; to the host C1's x and y, c2, and the key.

    The string r is random; in test mode with the flag GIVEN the host gives it behind W.
    """
    a, (x, y, _) = m.a, m.points.s
    given, has_r = a.label(), a.label()
    m.point()
    m.copies((m.e, m.d), (x, y), "W")
    a.call(m.use_point)
    m.jump(given, Condition.OPTIONS, GIVEN)
    a.call(m.draw)
    m.copy_string(m.K, m.drawn)
    m.go(has_r)
    a.place(given)
    m.abort(Status.UNSUPPORTED, Condition.TEST, negate=True)
    m.take(m.K, H_LEN, "r")
    a.place(has_r)
    m.stir()
    _derive(m, m.K)
    m.copies((x, y), (m.e, m.d), "W")
    a.call(m.use_point)
    m.kp([m.nonce])
    m.infinite(Status.LOW_ORDER_POINT, NONE)
    m.copy(m.e, x, "x of alpha W")
    m.base_point([m.nonce])
    _mask(m, m.s, x, y, m.e)
    xor(m, m.K, m.K, m.s)
    m.give(x, m.points.octets, "C1")
    m.give(y, m.points.octets)
    m.give(m.K, H_LEN, "c2")
    _give_key(m)


def decapsulate(m: Weierstrass) -> None:
    """From the host C1's x and y and c2; to the host the key, or AUTHENTICATION_FAILED.

    A C1 outside the group of prime order fails as others do, in fewer cycles: it is no alpha G.
    """
    a, (x, y, _) = m.a, m.points.s
    failed = m.fail(Status.AUTHENTICATION_FAILED)
    m.need_key()
    m.point()
    m.copies((m.e, m.d), (x, y), "C1")
    m.take(m.K, H_LEN, "c2")
    a.call(m.use_point)
    m.require_group(Status.AUTHENTICATION_FAILED)
    m.kp(m.parts())
    m.infinite(Status.AUTHENTICATION_FAILED, CAPSULE)
    _mask(m, m.s, m.e, m.d, x)
    xor(m, m.K, m.K, m.s)
    _derive(m, m.K)
    m.base_point([m.nonce], Status.AUTHENTICATION_FAILED, CAPSULE)
    m.differ(x, m.e, failed, CAPSULE)
    m.differ(y, m.d, failed, CAPSULE)
    _give_key(m)
