# SPDX-License-Identifier: Apache-2.0
"""Ed25519 on the word engine: the machine. Its operations: :mod:`~ecsm.schemes.word.eddsa`.

A slot has the private key, 32 octets, as a number, and its public key, which is behind the first
part's words.

A message that is signed is read twice by the hash, and a host that changed it between would get
the key. So it is kept inside, in the place of a table of points, and has a limit:
:data:`~ecsm.schemes.lengths.ED25519_MESSAGE`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.schedule.sequential.edwards import Edwards as Points
from ecsm.schedule.sequential.words import Capture, Condition, Order, Port
from ecsm.schemes.lengths import ED25519_MESSAGE
from ecsm.schemes.word.hashing import Hash
from ecsm.schemes.word.known import known_ed25519
from ecsm.schemes.word.machine import ORDER
from ecsm.schemes.word.octets import STRING, Octets
from ecsm.schemes.word.products import CombProducts
from ecsm.status import Status

HASH = "sha512"
BLOCK, DIGEST_512, LENGTH = 128, 64, 16  # octets of it
BLOCKS = 16  # of a message that is kept
assert ED25519_MESSAGE < BLOCKS * BLOCK
DOMAIN = b"SigEd25519 no Ed25519 collisions\1\0"
"""Before what Ed25519ph hashes, without a context. Source: RFC 8032, 2 (dom2)."""
PREFIXES = (STRING, 2 * STRING)  # octets before a message in its two hashes


class Edwards(Octets, CombProducts):
    """A machine of Ed25519."""

    points: Points

    def take_points(self) -> Points:
        """Take the constants of points, and of numbers modulo the order."""
        c, a, order = self.curve, self.a, self.a.integers(ORDER)
        if not isinstance(c, EdwardsCurve) or c.octets != STRING:
            raise ValueError(f"{c.name}: the word engine's Ed25519 is for edwards25519")
        pts = Points(a, c, self.preset.protected)
        self.constants()
        upper = 1 << 8 * STRING
        self.upper = a.number(order.enter(upper))
        self.upper_square = a.number(order.enter(order.enter(upper)))
        words = self.words_of(len(DOMAIN))
        self.check = a.label()
        self.domain = a.string(int.from_bytes(DOMAIN, "big"), words)
        self.rooms = {prefix: a.number((-prefix - LENGTH - 1) % BLOCK) for prefix in PREFIXES}
        """The most octets in a message's last block that leave room for its length."""
        self.prefix_bits = {prefix: a.number(8 * prefix) for prefix in PREFIXES}
        k = order.enter(order.radix) % c.n
        self.known, self.known_s = map(a.number, known_ed25519(c, k))
        return pts

    def take_numbers(self) -> None:
        """Take the numbers that change.

        ``message``: the first word of those that a message is in; ``spare``: more are ``K``, ``V``.
        """
        a, pts = self.a, self.points
        # What is turned round is so after a product, and a mask is no public scalar.
        peeled = a.numbers(2)
        self.T, self.r, self.s, self.more = a.numbers(4)
        self.drawn, self.part, self.peeled = self.s, a.numbers(2), peeled[0]
        pts.take(self.more, peeled)
        (self.spare,) = a.numbers(1)
        self.text, self.tail = pts.table[0][0], pts.table[0][1]
        self.block = [pts.table[0][2], pts.table[0][3]]
        self.message = pts.table[0][0] * a.stride
        room = 4 * len(pts.table) * a.stride
        if room < (BLOCKS + 1) * BLOCK // 4:
            raise ValueError("a message has no room in the table's place")
        self.message_end = self.message + (BLOCKS + 1) * BLOCK // 4

    def lengths(self, h: Hash) -> Iterable[int]:
        """Return of how many octets hashes are whose length a program knows."""
        known = [len(DOMAIN) + prefix + DIGEST_512 for prefix in PREFIXES]
        return [*super().lengths(h), *([STRING, *known] if h.name == HASH else [])]

    def products(self) -> None:
        """Append the routines of products, and of what is hashed."""
        with self.a.routine("base") as self.base:
            self._base()
        with self.a.routine("encode") as self.encode:
            self._encode()
        with self.a.routine("expand") as self.expand:
            self._expand()

    def message_routines(self) -> None:
        """Append those that take a message and send it: hashes are there."""
        with self.a.routine("read_message") as self.read_message:
            self._read_message()
        self.send_message = {}
        for prefix in PREFIXES:
            with self.a.routine(f"send_message {prefix}") as self.send_message[prefix]:
                self._send_message(prefix)

    def routines(self) -> None:
        """Append what is called."""
        super().routines()
        self.message_routines()

    # ---------------------------------------------------------------- products
    def _base(self) -> None:
        """Let s be the product of the base point and the sum of ``part``, not affine."""
        self.comb_product()
        if self.preset.protected:
            self.points.on_curve(self.fail(Status.FAULT_DETECTED))

    def _encode(self) -> None:
        """Let e be the string of the point s. Source: RFC 8032, 5.1.2."""
        pts = self.points
        pts.affine()
        self.top_bit(self.e, pts.s[0])
        self.a.move("sum", self.e, self.e, pts.s[1], note="y and the sign of x")
        self.turned(self.e, self.e)

    def top_bit(self, d: int, of: int) -> None:
        """Let ``d`` be the lowest bit of a number in the place of the highest one of a string."""
        width = self.preset.W * self.a.modulus.words
        self.shift(d, of, 1 - width, self.preset.W, "the lowest bit")
        self.shift(d, d, width - 8 * STRING, width, "as the highest one")

    def _expand(self) -> None:
        """Let K be the digest of the private key d, and d the scalar. Source: RFC 8032, 5.1.5."""
        h = self.hash[HASH]
        h.begin()
        h.send(self.d, STRING)
        h.pad(STRING)
        h.read(self.K)
        self.turned(self.e, self.K, first=8)
        self.clamped(self.d, self.e)

    def public_point(self) -> None:
        """Let e be the string of the public key of the private key d; d and K are lost."""
        a = self.a
        a.call(self.expand)
        self.scalar_of([self.d])
        with self.counted():
            a.call(self.base)
            a.call(self.encode)

    def scalar_of(self, parts: list[int]) -> None:
        """Let the scalar of the next product be the sum of numbers."""
        super().scalar_of(parts)
        self.again(self.part[0])

    def keep_public(self) -> None:
        """Put the public key e behind the key."""
        self.turned(self.key, self.e, to=self.a.modulus.words)

    def public_key(self) -> None:
        """Let e be the string of the slot's public key."""
        self.turned(self.e, self.key, first=self.a.modulus.words)

    # ---------------------------------------------------------------- numbers modulo the order
    def reduced(self, of: int, form: bool = False) -> list[int]:
        """Return two numbers whose sum is a digest of 64 octets modulo the order.

        ``form``: in Montgomery's form. Source: RFC 8032, 5.1.6: the octets are little-endian.
        """
        low, high = self.points.q[:2]
        self.turned(low, of, first=8)
        self.turned(high, of)
        self.product(low, low, self.square if form else self.order_one, "the lower half")
        self.product(high, high, self.upper_square if form else self.upper, "the upper one")
        return [low, high]

    # ---------------------------------------------------------------- messages
    def begin_hash(self, prehashed: bool) -> None:
        """Begin a hash."""
        h = self.hash[HASH]
        h.begin()
        if prehashed:
            h.send(self.domain, len(DOMAIN))

    def _octets(self, order: Order, at: int, octets: int, port: Port) -> None:
        """Let octets of the kept message move, from the octet ``at`` on: it is a multiple of 4."""
        first = self.message_end - (at + octets) // 4
        self.a.transfer(order, first // self.a.stride, octets, port, "message",
                        first % self.a.stride)  # fmt: skip

    def _read_message(self) -> None:
        """Take the message. ``s``: its bits; ``r``, ``spare``: blocks of the hashes, less one.

        A longer one is answered UNSUPPORTED.
        """
        a, bits = self.a, self.s
        known = a.label()
        block_bits, _ = self.of_block[BLOCK]
        self.hash[HASH].begin()
        for number in (bits, self.r):
            self.copy(number, self.zero)
        for block in range(BLOCKS):
            if block:
                a.move("sum", bits, bits, block_bits)
                a.move("sum", self.r, self.r, self.unit)
            self._octets(Order.IN, block * BLOCK, BLOCK, Port.MESSAGE)
            self.jump(known, Condition.ENDED)
        self.go(self.fail(Status.UNSUPPORTED))
        a.place(known)
        self.copy(self.T, self.zero, "no words above the octet")
        a.transfer(Order.IN, self.T, 1, Port.LENGTH)
        self.copy(self.spare, self.r)
        for prefix, blocks in zip(PREFIXES, (self.r, self.spare), strict=True):
            fits = a.label()
            a.move("difference", self.points.free[0], self.rooms[prefix], self.T,
                   capture=Capture.SIGN, note="is there room")  # fmt: skip
            self.jump(fits, negate=True)
            a.move("sum", blocks, blocks, self.unit, note="a block more")
            a.place(fits)
        for _ in range(3):
            a.move("sum", self.T, self.T, self.T, note="bits of the last octets")
        a.move("sum", bits, bits, self.T)

    def _send_message(self, prefix: int) -> None:
        """Send the message and what ends a hash of so many octets and it."""
        a, h, t = self.a, self.hash[HASH], self.T
        blocks = self.r if prefix == PREFIXES[0] else self.spare
        done, first = a.label(), (-prefix - LENGTH) % BLOCK
        self.copy(t, blocks)
        self._octets(Order.OUT, 0, first, Port.HASH)
        for block in range(BLOCKS):
            a.move("difference", t, t, self.unit, capture=Capture.SIGN)
            self.jump(done)
            self._octets(Order.OUT, first + block * BLOCK, BLOCK, Port.HASH)
        a.place(done)
        h.zeros(LENGTH - 4)
        a.move("sum", t, self.s, self.prefix_bits[prefix], note="with those before")
        h.send(t, 4)
