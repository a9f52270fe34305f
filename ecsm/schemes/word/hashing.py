# SPDX-License-Identifier: Apache-2.0
"""Hashes on the word engine: what is sent to the hash, HMAC, and the generator made of it.

``word_hash`` takes whole blocks, so the program pads. A hash that is read in part begins anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ecsm.schedule.sequential.words import Command, Order, Port

if TYPE_CHECKING:
    from ecsm.schemes.word.machine import Machine


@dataclass(frozen=True)
class Hash:
    """A hash of FIPS 180-4; ``kind``: as CommandHash names it. Sizes are in octets."""

    name: str
    kind: int
    digest: int
    block: int

    @property
    def length(self) -> int:
        """Of the message's length at the end of the last block."""
        return self.block // 8

    @property
    def head(self) -> int:
        """Of a block before the length."""
        return self.block - self.length


HASHES = {
    h.name: h
    for h in (
        Hash("sha256", 0, 32, 64),
        Hash("sha224", 1, 28, 64),
        Hash("sha384", 2, 48, 128),
        Hash("sha512", 3, 64, 128),
        Hash("sha1", 4, 20, 64),
    )
}
"""By name."""
MARK = 0x80  # behind a message


class Hashing:
    """A hash in programs, and HMAC with the key K, which is made of numbers of the machine.

    ``K``, ``V`` and ``T`` are strings of a digest's octets there.
    """

    def __init__(self, m: Machine, h: Hash) -> None:
        self.m, self.h = m, h

    def routines(self) -> None:
        """Append what is called."""
        m, h = self.m, self.h
        with m.a.routine(f"mac_begin {h.name}") as self.mac_begin:
            self._begin(Port.INNER)
        with m.a.routine(f"mac_end {h.name}") as self.mac_end:
            self.read(m.T)
            self._begin(Port.OUTER)
            self.send(m.T, h.digest)
            self.pad(h.block + h.digest)
            self.read(m.T)
        with m.a.routine(f"refresh {h.name}", returns=False) as self.refresh:
            self.mac((m.V, h.digest), (m.zero, 1))
            m.copy_string(m.K, m.T)  # and what follows
        with m.a.routine(f"next {h.name}") as self.next:  # V is HMAC(K, V)
            self.mac((m.V, h.digest))
            m.copy_string(m.V, m.T)

    def begin(self) -> None:
        """Begin a digest."""
        self.m.command(Command.HASH, self.h.kind)

    def send(self, number: int, octets: int, port: Port = Port.HASH) -> None:
        """Send octets of a number to the hash."""
        self.m.a.transfer(Order.OUT, number, octets, port)

    def read(self, number: int) -> None:
        """Read the digest."""
        self.m.a.transfer(Order.IN, number, self.h.digest, Port.HASH)

    def mark(self, octets: int, value: int) -> None:
        """Send a constant of a word's octets, and four, at most."""
        number, first = self.m.word(value)
        self.m.a.transfer(Order.OUT, number, octets, Port.HASH, f"constant {value}", first)

    def zeros(self, octets: int, port: Port = Port.HASH) -> None:
        """Send so many zeros."""
        while octets:
            part = min(octets, self.m.preset.W // 8 * self.m.a.modulus.words)
            self.send(self.m.zero, part, port)
            octets -= part

    def pad(self, octets: int) -> None:
        """End a hash of so many octets, as FIPS 180-4 has it (5.1)."""
        last = min(4, self.m.preset.W // 8)  # octets of the length that are not zero
        assert 8 * octets < 1 << 8 * last
        self.mark(1, MARK)
        self.zeros(-(octets + 1 + self.h.length) % self.h.block + self.h.length - last)
        self.mark(last, 8 * octets)

    def _begin(self, port: Port) -> None:
        """Begin a hash with the key K."""
        h = self.h
        self.begin()
        self.send(self.m.K, h.digest, port)
        self.zeros(h.block - h.digest, port)

    def mac(self, *parts: tuple[int, int]) -> None:
        """Let T be HMAC(K, parts): numbers with their octets."""
        self.m.a.call(self.mac_begin)
        for number, octets in parts:
            self.send(number, octets)
        self.pad(self.h.block + sum(octets for _, octets in parts))
        self.m.a.call(self.mac_end)

    def padded(self, *parts: tuple[int, int], before: int = 0) -> None:
        """Send parts of a seed and end the hash; ``before``: octets of it that are sent already."""
        for number, octets in parts:
            self.send(number, octets)
        self.pad(self.h.block + self.h.digest + 1 + before + sum(octets for _, octets in parts))

    def instantiate(self, seed: Callable[[], None]) -> None:
        """Let K and V be made of a seed; ``seed`` appends what sends it and ends the hash.

        Source: SP 800-90A, 10.1.2; RFC 6979, 3.2, b to g.
        """
        m, mark = self.m, self.m.points.free[0]
        m.copy_string(m.K, m.zero)
        m.copy_string(m.V, m.ones)
        m.copy(mark, m.zero, "mark")
        with m.a.repeat(2, counter=0):
            m.a.call(self.mac_begin)
            self.send(m.V, self.h.digest)
            self.send(mark, 1)
            seed()
            m.a.call(self.mac_end)
            m.copy_string(m.K, m.T)
            m.a.call(self.next)
            m.a.move("sum", mark, mark, m.unit, note="next mark")

    def joined(self, number: int, spare: int, made: Callable[[int], int]) -> None:
        """Let a number be the first bits of some digests: as many as the order has.

        ``made``: appends what makes the i-th digest, and returns where it is then.
        """
        m, bits = self.m, 8 * self.h.digest
        for i in range(-(-m.order_bits // bits)):
            right = bits * (i + 1) - m.order_bits
            to = spare if i else number
            m.shift(to, made(i), right, bits, "bits of the string")
            if i:
                m.a.move("sum", number, number, to)

    def generate(self, number: int, first: int | None = None) -> None:
        """Let a number be the first bits of octets that are made: as many as the order has.

        ``first``: where the first digest goes. Source: RFC 6979, 3.2, h.
        """
        m = self.m

        def made(i: int) -> int:
            m.a.call(self.next)
            if i == 0 and first not in (None, number):
                m.copy_string(first, m.V)
            return m.V

        self.joined(number, m.points.free[0], made)
