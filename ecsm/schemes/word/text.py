# SPDX-License-Identifier: Apache-2.0
"""Strings of any length on the word engine: a buffer, windows of it, AES, keys made of secrets.

The buffer lies where products had their numbers. Octets of a string go down from its top, as they
do in a number, so that pieces of any number of words follow each other.
"""

from __future__ import annotations

from collections.abc import Callable

from ecsm.schedule.sequential.words import Aes, Command, Condition, Order, Port, Window
from ecsm.schemes.ecies import BLOCK, INFO, KEY, XOR_MESSAGE
from ecsm.schemes.options import CIPHER, KDF_HASH, hash_flags
from ecsm.schemes.word.hashing import MARK, Hash
from ecsm.schemes.word.lengths import COUNTER
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import Status

CHUNK = 64  # octets that are moved at a time
TOP = 532  # words of the buffer
SECOND = 276  # .. of its lower part
DERIVED = 24  # words of what a key derivation makes; the first octets are those of the cipher's key


class Texts:
    """What operations with strings of any length are written with.

    ``xor_buffer``, ``sealing_tag``, ``opening_tag``, ``stream_tag``: routines of ECIES.
    """

    xor_buffer: int
    sealing_tag: int
    opening_tag: int
    stream_tag: int

    def __init__(self, m: Weierstrass) -> None:
        self.m, self.a = m, m.a
        self.buffer = m.buffer
        self.bytes = m.preset.W // 8
        free, q = m.points.free, m.points.q
        self.counter, self.bits, self.derived = free[2], free[3], free[4]
        self.infos, self.chunk, self.count = q[:2], q[2], m.nonce
        self.before, self.copied, self.tag = m.V, m.e, m.K
        back = free[4] * self.a.stride + DERIVED > free[6] * self.a.stride
        if back or self.buffer * self.a.stride + TOP > self.a.depth - 32:
            raise ValueError(f"{m.preset.name}: the buffer has no room")

    # ---------------------------------------------------------------- windows
    def window(
        self, kind: Window = Window.TEXT, second: bool = False, count: int = 0, opened: bool = True
    ) -> None:
        """Open a window. ``count``: see Window; of another one 1: an empty string goes out."""
        self.m.command(Command.TEXT, second | opened << 2 | kind << 3 | count << 5)

    def begins(self, second: bool = False) -> None:
        """Begin a string of the host; ``second``: of two lengths."""
        self.m.command(Command.TEXT, second | 1 << 1)

    def move(
        self, order: Order, octets: int, port: Port, number: int | None = None, first: int = 0
    ) -> None:
        """Move octets of the buffer at the index."""
        at = self.buffer if number is None else number
        self.a.transfer(order, at, octets, port, first=first, indexed=True)

    def down(self, octets: int) -> None:
        """Go on by so many octets in the buffer."""
        self.a.index(-octets // self.bytes, add=True)

    def top(self, octets: int, top: int = TOP) -> None:
        """Go to the first octets."""
        self.a.index(top - octets // self.bytes)

    def send(self, port: Port) -> None:
        """Send what is in the window from the buffer."""
        self.top(CHUNK)
        again = self.a.here()
        self.move(Order.OUT, CHUNK, port)
        self.down(CHUNK)
        self.m.jump(again, Condition.DONE, negate=True)

    def take(self, most: int, last: Callable[[int], None] | None = None) -> None:
        """Take a string of so many octets at most into the buffer; answer if it is longer.

        ``last``: appends what is done when that many have come; it may go to a label.
        """
        m, done = self.m, self.a.label()
        self.begins()
        self.top(CHUNK)
        with self.a.repeat(most // CHUNK, counter=0):
            self.move(Order.IN, CHUNK, Port.MESSAGE)
            m.jump(done, Condition.OVER)
            self.down(CHUNK)
        if last:
            last(done)
        m.go(m.fail(Status.UNSUPPORTED))
        self.a.place(done)

    def one_block_more(self, done: int) -> None:
        """Take a block of AES more, where the cipher is padded."""
        m = self.m
        m.abort(Status.UNSUPPORTED, Condition.OPTIONS, CIPHER, negate=True)
        self.a.index((CHUNK - BLOCK) // self.bytes, add=True)
        self.move(Order.IN, BLOCK, Port.MESSAGE)
        m.jump(done, Condition.OVER)

    def take_info(self) -> None:
        """Take SharedInfo1."""
        m, done = self.m, self.a.label()
        self.begins(second=True)
        for number in self.infos:
            self.a.transfer(Order.IN, number, INFO // 2, Port.MESSAGE)
            m.jump(done, Condition.OVER)
        m.go(m.fail(Status.UNSUPPORTED))
        self.a.place(done)

    # ---------------------------------------------------------------- hashes
    def routines(self) -> None:
        """Append what is called."""
        a, m = self.a, self.m
        with a.routine("pad") as self.pad:
            a.transfer(Order.IN, self.bits, 8, Port.OUTER, "bits of the hash")
            number, first = m.word(MARK)
            a.transfer(Order.OUT, number, 1, Port.HASH, "mark", first)
            done, again = a.label(), a.here()
            m.jump(done, Condition.ALIGNED)
            a.transfer(Order.OUT, m.zero, 1, Port.HASH)
            m.go(again)
            a.place(done)
            a.transfer(Order.OUT, self.bits, 8, Port.HASH)
        with a.routine("kdf_block") as self.kdf_block:
            a.transfer(Order.OUT, m.points.s[0], m.points.octets, Port.HASH, "Z")
            a.transfer(Order.OUT, self.counter, COUNTER, Port.HASH)
            self.window(second=True)
            for number in self.infos:
                a.transfer(Order.OUT, number, INFO // 2, Port.HASH, "SharedInfo1", part=True)
            a.move("sum", self.counter, self.counter, m.unit)
            a.call(self.pad)
        with a.routine("derive") as self.derive:
            self._derive()
        with a.routine("keystream") as self.keystream:
            self._keystream()
        with a.routine("mac_text") as self.mac_text:
            self.send(Port.HASH)
            self.begins(second=True)
            self.window(second=True)
            again = a.here()
            a.transfer(Order.IN, self.chunk, CHUNK, Port.MESSAGE)
            a.transfer(Order.OUT, self.chunk, CHUNK, Port.HASH, "SharedInfo2", part=True)
            m.jump(again, Condition.OVER, negate=True)
            a.call(self.pad)

    def by_hash(self, mask: int, each: Callable[[Hash], None]) -> None:
        """Do what belongs to the hash of the flags under a mask."""
        a, m, done = self.a, self.m, self.a.label()
        cases = list(hash_flags(mask, tuple(m.hash)).items())
        labels = {flags: a.label() for flags, _ in cases[1:]}
        for flags, label in labels.items():
            m.jump(label, Condition.OPTIONS, flags)
        for i, (flags, name) in enumerate(cases):
            if flags in labels:
                a.place(labels[flags])
            each(m.hash[name].h)
            if i + 1 < len(cases):
                m.go(done)
        a.place(done)

    def _derive(self) -> None:
        """Let the derived octets be X9.63's of Z: a cipher's key and a tag's of 32 octets each."""

        def each(h: Hash) -> None:
            at = DERIVED
            while DERIVED - at < 2 * KEY // self.bytes:
                at -= h.digest // self.bytes
                self.m.command(Command.HASH, h.kind)
                self.a.call(self.kdf_block)
                self.a.transfer(Order.IN, self.derived, h.digest, Port.HASH, "a key", at)

        self.m.copy(self.counter, self.m.unit)
        self.by_hash(KDF_HASH, each)

    def _keystream(self) -> None:
        """Let the buffer's lower part be X9.63's of Z, as many octets as the longest key has."""

        def each(h: Hash) -> None:
            self.top(h.digest, SECOND)
            with self.a.repeat(-(-(XOR_MESSAGE + KEY) // h.digest), counter=0):
                self.m.command(Command.HASH, h.kind)
                self.a.call(self.kdf_block)
                self.move(Order.IN, h.digest, Port.HASH)
                self.down(h.digest)

        self.m.copy(self.counter, self.m.unit)
        self.by_hash(KDF_HASH, each)

    def part_of_derived(self, octet: int, octets: int) -> int:
        """Return which word of what is derived has the last octet of a piece."""
        return DERIVED - (octet + octets) // self.bytes

    # ---------------------------------------------------------------- AES
    def aes(self, what: Aes) -> None:
        """Tell AES."""
        self.m.command(Command.AES, what)

    def load(self, number: int, first: int = 0) -> None:
        """Let AES's state be 16 octets of a number."""
        self.aes(Aes.LOAD)
        self.a.transfer(Order.OUT, number, BLOCK, Port.MESSAGE, first=first)

    def read(self, number: int, first: int = 0) -> None:
        """Let 16 octets of a number be AES's state."""
        self.a.transfer(Order.IN, number, BLOCK, Port.INNER, first=first)

    def key(self, octets: int) -> None:
        """Let AES's key be the first octets that were derived."""
        self.aes(Aes.KEY)
        self.a.transfer(Order.OUT, self.derived, octets, Port.LENGTH, "key",
                        self.part_of_derived(0, octets))  # fmt: skip
        self.aes(Aes.EXPAND)

    def count_block(self) -> None:
        """Let AES's state be the counter's block, encrypted; count."""
        self.load(self.count)
        self.aes(Aes.ENCRYPT)
        self.a.move("sum", self.count, self.count, self.m.unit, note="the counter")

    def _blocks(self, kind: Window, each: Callable[[], None]) -> None:
        """Do something with each block of the window."""
        self.window(kind)
        self.top(BLOCK)
        again = self.a.here()
        each()
        self.down(BLOCK)
        self.m.jump(again, Condition.DONE, negate=True)

    def ctr(self) -> None:
        """Encrypt or decrypt the buffer in counter mode, from the counter on."""

        def each() -> None:
            self.count_block()
            self.move(Order.OUT, BLOCK, Port.MESSAGE)
            self.move(Order.IN, BLOCK, Port.INNER)

        self._blocks(Window.TEXT, each)

    def cbc_encrypt(self) -> None:
        """Encrypt the buffer in CBC with padding, from an IV of zeros."""

        def each() -> None:
            self.move(Order.OUT, BLOCK, Port.MESSAGE)
            self.aes(Aes.ENCRYPT)
            self.move(Order.IN, BLOCK, Port.INNER)

        self.load(self.m.zero)
        self._blocks(Window.PAD, each)

    def cbc_decrypt(self) -> None:
        """Decrypt the buffer in CBC, from an IV of zeros."""

        def each() -> None:
            self.aes(Aes.LOAD)
            self.move(Order.OUT, BLOCK, Port.MESSAGE)
            self.read(self.copied)
            self.aes(Aes.DECRYPT)
            self.a.transfer(Order.OUT, self.before, BLOCK, Port.MESSAGE)
            self.move(Order.IN, BLOCK, Port.INNER)
            self.m.copy(self.before, self.copied, "the block before")

        self.m.copy(self.before, self.m.zero)
        self._blocks(Window.TEXT, each)
