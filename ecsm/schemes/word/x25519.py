# SPDX-License-Identifier: Apache-2.0
"""X25519 on the word engine: the function of RFC 7748, keys and public keys.

The slot has the scalar as it is multiplied, decoded. Strings are those of RFC 7748, 32 octets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ecsm.curves.gfp.xline import XLine
from ecsm.schedule.sequential.words import Command
from ecsm.schedule.sequential.xline import Line
from ecsm.schemes.word.known import known_x25519
from ecsm.schemes.word.octets import STRING, Octets
from ecsm.schemes.word.operations import ANSWER, PAIR, SEEDING, forget
from ecsm.status import Status

LOW = "the result is 0 for points of small order, which are public, and for no other"


class Montgomery(Octets):
    """A machine of X25519."""

    points: Line

    def take_points(self) -> Line:
        """Take the constants of points."""
        c = self.curve
        if not isinstance(c, XLine) or c.octets != STRING:
            raise ValueError(f"{c.name}: the word engine's X25519 is for curve25519")
        pts = Line(self.a, c, self.preset.protected)
        self.constants()
        self.known = self.a.number(known_x25519(c))
        return pts

    def take_numbers(self) -> None:
        """Take the numbers that change."""
        self.points.take()
        super().take_numbers()

    def products(self) -> None:
        """Append the routine of a product."""
        with self.a.routine("multiply") as self.multiply:
            self._multiply()

    def _multiply(self) -> None:
        """Let d be the string of the product of the point u; answer if that is 0.

        ``order`` is that of the group of u, times its cofactor, where scalars are blinded.
        """
        a, pts = self.a, self.points
        if self.preset.protected:
            a.call(self.mask)
            a.move("expand", pts.k, self.T, pts.order, note="a random multiple of the order")
            for part in self.part:
                a.move("widen", pts.k, pts.k, part, note="the scalar, or a part of it")
            pts.cut(pts.k)
            a.call(self.mask)
            self.copy(self.r, self.T)
            a.call(self.mask)
            pts.begin([self.r, self.T])
        else:
            pts.cut(self.part[0])
            pts.begin([pts.one, pts.one])
        a.call(pts.product)
        pts.finish()
        self.abort(Status.LOW_ORDER_POINT, public=LOW)
        self.turned(self.d, pts.free[0])

    def side(self) -> None:
        """Let order be that of the group of u."""
        if self.preset.protected:
            self.a.call(self.points.side)

    def public_key(self, parts: list[int]) -> None:
        """Let d be the string of the base point's product."""
        pts = self.points
        self.copy(pts.u, pts.base, "the base point")
        if self.preset.protected:
            self.copy(pts.order, pts.orders[0], "which is on the curve")
        self.scalar_of(parts)
        with self.counted():
            self.a.call(self.multiply)


def load(m: Montgomery) -> None:
    """From the host a private key into the slot: any string is one."""
    m.take(m.d, STRING, "private key")
    _key_of(m, m.d)
    m.a.call(m.keep)
    m.command(Command.KEY, 1)
    m.end()


def _key_of(m: Montgomery, string: int) -> None:
    """Let d be the scalar of a string."""
    m.turned(m.e, string)
    m.clamped(m.d, m.e)


def generate(m: Montgomery) -> None:
    """A random private key into the slot; to the host the public key.

    It is computed twice, and both must be one.
    """
    scalar, first = m.block[1], m.V
    m.a.call(m.draw)
    _key_of(m, m.drawn)
    m.copy(scalar, m.d)
    m.stir()
    m.public_key([scalar])
    m.copy(first, m.d)
    m.public_key([scalar])
    m.differ(first, m.d, m.fail(Status.FAULT_DETECTED), PAIR)
    m.copy(m.d, scalar)
    m.a.call(m.keep)
    m.command(Command.KEY, 1)
    m.copy(m.d, first)
    m.give(m.d, STRING, "public key")
    m.end()


def public(m: Montgomery) -> None:
    """To the host the public key of the slot's key."""
    m.need_key()
    m.public_key(m.parts())
    m.same_slot()
    m.give(m.d, STRING, "public key")
    m.end()


def agree(m: Montgomery) -> None:
    """From the host the other side's public key; to the host the shared secret.

    LOW_ORDER_POINT if that is 0. Of the point the lowest 255 bits count. Source: RFC 7748, 5, 6.1.
    """
    m.need_key()
    m.take(m.d, STRING, "u")
    m.turned(m.e, m.d)
    m.low_bits(m.points.u, m.e, m.points.curve.bits)
    m.side()
    m.scalar_of(m.parts())
    with m.counted():
        m.a.call(m.multiply)
    m.same_slot()
    m.give(m.d, STRING, "shared secret")
    m.end()


def self_test(m: Montgomery) -> None:
    """Compute a public key that is known; FAULT_DETECTED if it differs. There is no input.

    Keys and the random state stay. Source: :mod:`.known`.
    """
    m.known_key()
    _key_of(m, m.drawn)
    m.copy(m.block[1], m.d)
    m.public_key([m.block[1]])
    m.differ(m.known, m.d, m.fail(Status.FAULT_DETECTED), ANSWER)
    m.end()


def operations(hashes: Collection[str]) -> dict[str, Callable[[Montgomery], None]]:
    """Return the operations by name; there is none of a hash."""
    del hashes
    return {
        "load": load,
        "forget": forget,
        **SEEDING,
        "generate": generate,
        "public": public,
        "x25519": agree,
        "self-test": self_test,
    }
