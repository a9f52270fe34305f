# SPDX-License-Identifier: Apache-2.0
"""What a key file says: a key of a curve; and what is no key file."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.curves import Curve
from ecsm.schemes.assembler import octets_of


class BadEncoding(ValueError):
    """Octets are no key or signature of the expected kind. The message never contains them."""


@dataclass(frozen=True, repr=False)
class Key:
    """A key of a curve; ``d`` is None if only the public one is known, ``public`` if the other."""

    curve: Curve
    d: int | None
    public: tuple[int, int] | None

    def __repr__(self) -> str:
        """Say nothing of the private key."""
        return f"Key({self.curve.name}, {'private' if self.d is not None else 'public'})"

    @property
    def scalar(self) -> bytes:
        """The private key as a string as long as the order. Raises BadEncoding without one."""
        if self.d is None:
            raise BadEncoding("a private key is wanted, and this is a public one")
        return self.d.to_bytes(octets_of(self.curve.n.bit_length()), "big")

    @property
    def point(self) -> tuple[bytes, ...]:
        """The public key's coordinates as strings. Raises BadEncoding without them."""
        if self.public is None:
            raise BadEncoding("the file has no public key")
        size = self.curve.octets
        return self.public[0].to_bytes(size, "big"), self.public[1].to_bytes(size, "big")

    def with_public(self, strings: tuple[bytes, ...]) -> Key:
        """Return the key with its public part, as a device hands it out: x and y."""
        x, y = (int.from_bytes(v, "big") for v in strings)
        return Key(self.curve, self.d, (x, y))

    def public_part(self) -> Key:
        """Return the public key alone."""
        return Key(self.curve, None, self.public)
