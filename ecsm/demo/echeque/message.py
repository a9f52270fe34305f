# SPDX-License-Identifier: Apache-2.0
"""The message on the network: a head with the curve's name, R, the IV and the encrypted cheque.

Octets: ``EC1``, the length of the curve's name, the name, x and y of R, the IV of 16 octets, the
encrypted cheque.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.curves import Curve, UnknownCurveError, curve

HEAD = b"EC1"
IV = 16
MOST = 4096  # octets of a message


class BadMessage(ValueError):
    """Octets are no message of this kind."""


@dataclass(frozen=True)
class Message:
    """A message and where its parts are."""

    curve: Curve
    r: bytes
    iv: bytes
    sealed: bytes

    def encode(self) -> bytes:
        """Return the octets."""
        return b"".join(octets for _, octets in self.parts())

    def parts(self) -> list[tuple[str, bytes]]:
        """Return the parts in order, each with a name."""
        name = self.curve.name.encode()
        head = HEAD + bytes([len(name)]) + name
        return [("head", head), ("R", self.r), ("IV", self.iv), ("encrypted", self.sealed)]


def decode(octets: bytes) -> Message:
    """Return the message. Raises :class:`BadMessage`."""
    start = len(HEAD) + 1
    if not start <= len(octets) <= MOST or not octets.startswith(HEAD):
        raise BadMessage("it does not begin as a message does")
    end = start + octets[start - 1]
    try:
        c = curve(octets[start:end].decode("ascii"))
    except (UnknownCurveError, UnicodeDecodeError):
        raise BadMessage("it names no curve that is known here") from None
    if c.name.encode() != octets[start:end]:
        raise BadMessage("it names no curve that is known here")
    r_end = end + 2 * c.octets
    if len(octets) <= r_end + IV:
        raise BadMessage("it is cut short")
    return Message(c, octets[end:r_end], octets[r_end : r_end + IV], octets[r_end + IV :])
