# SPDX-License-Identifier: Apache-2.0
"""What schemes on the word engine are written with: numbers, strings, arithmetic, kP.

Numbers from the host, keys and digests are *plain*: whole numbers from 0. Those modulo the order
that a formula works on are in Montgomery's form of the order.
"""

from __future__ import annotations

from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.jacobian import Jacobian
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import (
    KEY_SLOTS,
    Capture,
    Command,
    Condition,
    Order,
    Port,
)
from ecsm.schemes.word.products import Products
from ecsm.status import Status

ORDER = "order"
DIGEST = 32  # octets
BLOCK, HEAD = 64, 56  # octets of a hash's block, and of it before the length


class Machine(Products):
    """An assembler that knows the curve and the units of ``word_scheme``."""

    def __init__(self, preset: WordPreset) -> None:
        self.curve, self.preset = preset.curve, preset
        n, p = self.curve.n, self.curve.p
        words = max(Modulus(p, preset.W).words, Modulus(n, preset.W).words)
        moduli = Modulus(p, preset.W, words), Modulus(n, preset.W, words)
        self.a = Assembler(moduli[0], preset.depth, {ORDER: moduli[1]})
        self.points = Jacobian(self.a, self.curve, preset.protected)
        self.octets = -(-n.bit_length() // 8)
        """Of a scalar."""
        if {n.bit_length(), p.bit_length(), 8 * self.octets} != {8 * DIGEST} or self.curve.h != 1:
            raise ValueError(f"{self.curve.name}: the word engine's schemes are for 256 bits")
        self._constants(moduli[1])
        self._numbers()
        self._ends: dict[Status, int] = {}

    def _constants(self, order: Modulus) -> None:
        a, pts = self.a, self.points
        self.zero, self.unit, self.n = pts.zero, pts.unit, pts.n
        pts.base_constants()
        if self.preset.protected:
            pts.wide_constants()
        self.square, self.order_one = a.number(order.enter(order.radix)), a.number(order.enter(1))
        self.ones, self.most_draws, self.mark = (a.number(v) for v in (ONES, DRAWS - 1, 0x80))
        self.lengths = {octets: a.number(8 * octets) for octets in LENGTHS}
        self.block_bits, self.most_tail = a.number(8 * BLOCK), a.number(HEAD - 1)

    def _numbers(self) -> None:
        """Take what outlives a program, then the rest.

        ``K``, ``V``: the state of the HMAC that makes nonces and random octets. ``T``: a digest.
        """
        a, pts = self.a, self.points
        self.key = a.key()
        self.random_key, self.random_value, self.draws, self.masks = a.kept(4)
        self.K, self.V, self.e, self.d = a.numbers(4)
        pts.take()
        self.nonce, self.r, self.s = a.numbers(3)
        self.take_parts()
        self.T = pts.free[-1]
        # Octets of a seed, or of a message's block, the last eight apart: in the table's place.
        self.text, self.tail = pts.table[0][0], pts.table[2][0]

    # ---------------------------------------------------------------- the program's flow
    def end(self, status: Status = Status.OK) -> None:
        """Answer."""
        self.a.order(Order.DONE, argument=status)

    def fail(self, status: Status) -> int:
        """Return the label of an answer with this status."""
        if status not in self._ends:
            self._ends[status] = self.a.label()
        return self._ends[status]

    def ends(self) -> None:
        """Append the answers of :meth:`fail`."""
        for status, label in self._ends.items():
            self.a.place(label)
            self.end(status)

    def abort(
        self, status: Status, condition: Condition = Condition.FLAG, argument: int = 0,
        negate: bool = False, public: str = "",
    ) -> None:  # fmt: skip
        """Answer ``status`` if a condition holds, or does not."""
        self.jump(self.fail(status), condition, argument, negate, public)

    def jump(
        self, label: int, condition: Condition = Condition.FLAG, argument: int = 0,
        negate: bool = False, public: str = "",
    ) -> None:  # fmt: skip
        """Go to a label if a condition holds, or does not."""
        self.a.order(Order.BRANCH, label=label, counter=int(negate), number=condition,
                     argument=argument, public=public)  # fmt: skip

    def go(self, label: int) -> None:
        """Go to a label."""
        self.a.order(Order.JUMP, label=label)

    def command(self, command: Command, argument: int = 0) -> None:
        """Tell a unit."""
        self.a.order(Order.COMMAND, number=command, argument=argument)

    def allow(self, flags: int) -> None:
        """Answer UNSUPPORTED if the request has other flags than these."""
        self.abort(Status.UNSUPPORTED, Condition.OPTIONS, 0xFF & ~flags)

    def need_key(self) -> None:
        """Answer NO_KEY if the slot is empty."""
        self.abort(Status.NO_KEY, Condition.EMPTY)

    # ---------------------------------------------------------------- strings
    def take(self, number: int, octets: int, note: str = "") -> None:
        """Take a string of so many octets from the host."""
        self.a.transfer(Order.IN, number, octets, Port.HOST, note)
        self.abort(Status.UNSUPPORTED, Condition.MALFORMED)

    def give(self, number: int, octets: int, note: str = "") -> None:
        """Hand a number out as a string of so many octets."""
        self.a.transfer(Order.OUT, number, octets, Port.HOST, note)

    def point(self) -> None:
        """Take a point from the host into s, plain."""
        for number, name in zip(self.points.s, "xy", strict=False):
            self.take(number, self.points.octets, name)

    def _use_point(self) -> None:
        """Take the plain point s into Montgomery's form; answer if it is none."""
        outside = self.fail(Status.COORDINATE_OUT_OF_RANGE)
        self.points.check(outside, self.fail(Status.POINT_NOT_ON_CURVE))

    # ---------------------------------------------------------------- numbers
    def copy(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be ``a``."""
        self.a.copy(d, a, self.zero, note)

    def in_order(self, number: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless a plain number is in 1 .. n - 1."""
        self.points.in_range(number, self.n, bad, public)
        self.a.move("sum", self.points.free[0], number, self.zero, capture=Capture.ZERO)
        self.jump(bad, public=public)

    def product(self, d: int, a: int, b: int, note: str = "") -> None:
        """Let ``d`` be a b / R modulo the order."""
        self.a.move(f"product mod {ORDER}", d, a, b, note=note)

    def enter(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be the number ``a`` in Montgomery's form of the order."""
        self.product(d, a, self.square, note)

    def modulo(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be the number ``a`` modulo the order, from 0 on; the flag is set if it is 0."""
        t = self.points.free[0]
        self.enter(t, a, note)
        self.a.call(self.canonical)
        self.copy(d, t)

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a, pts = self.a, self.points
        pts.routines()
        with a.routine("canonical") as self.canonical:
            pts.reduce(ORDER, self.n)
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.n - 2, self.s, pts.free[:-1], "1/s", ORDER)
        with a.routine("use_point") as self.use_point:
            self._use_point()
        if self.preset.protected:
            with a.routine("mask") as self.mask:
                self._mask()
            with a.routine("new_parts") as self.new_parts:
                self._new_parts()
        with a.routine("keep") as self.keep:
            self._keep(self.d)
        self.product_routines()
        with a.routine("mac_begin") as self.mac_begin:
            self._mac(Port.INNER)
        with a.routine("mac_end") as self.mac_end:
            a.transfer(Order.IN, self.T, DIGEST, Port.HASH)
            self._mac(Port.OUTER)
            self.hashed(self.T, DIGEST)
            self.pad(BLOCK + DIGEST)
            a.transfer(Order.IN, self.T, DIGEST, Port.HASH)
        with a.routine("refresh") as self.refresh:
            self.mac((self.V, DIGEST), (self.zero, 1))
            self.copy(self.K, self.T)
            self.next_value()
        with a.routine("next") as self.next:
            self.next_value()
        with a.routine("draw") as self.draw:
            self._draw()

    def _mac(self, port: Port) -> None:
        """Begin a hash with the key K."""
        self.command(Command.HASH)
        for number in (self.K, self.zero):
            self.a.transfer(Order.OUT, number, DIGEST, port)

    def hashed(self, number: int, octets: int) -> None:
        """Send octets of a number to the hash."""
        self.a.transfer(Order.OUT, number, octets, Port.HASH)

    def pad(self, octets: int) -> None:
        """End a hash of so many octets, as FIPS 180-4 has it (5.1.1)."""
        self.hashed(self.mark, 1)
        zeros = -(octets + 9) % BLOCK
        while zeros:
            part = min(zeros, DIGEST)
            self.hashed(self.zero, part)
            zeros -= part
        self.hashed(self.lengths[octets], 8)

    def mac(self, *parts: tuple[int, int]) -> None:
        """Let T be HMAC(K, parts): numbers with their octets."""
        self.a.call(self.mac_begin)
        for number, octets in parts:
            self.hashed(number, octets)
        self.pad(BLOCK + sum(octets for _, octets in parts))
        self.a.call(self.mac_end)

    def next_value(self) -> None:
        """Let V be HMAC(K, V)."""
        self.mac((self.V, DIGEST))
        self.copy(self.V, self.T)

    def instantiate(self, *parts: tuple[int, int]) -> None:
        """Let K and V be made of a seed. Source: SP 800-90A, 10.1.2; RFC 6979, 3.2, b to g."""
        self.copy(self.K, self.zero)
        self.copy(self.V, self.ones)
        for mark in (self.zero, self.unit):
            self.mac((self.V, DIGEST), (mark, 1), *parts)
            self.copy(self.K, self.T)
            self.a.call(self.next)

    def _draw(self) -> None:
        """Let r be 32 random octets, one Generate call; answer NO_ENTROPY without a seed.

        Source: SP 800-90A, 10.1.2.5.
        """
        a = self.a
        self.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
        self.abort(Status.NO_ENTROPY, Condition.SEEDED, negate=True)
        t = self.points.free[0]
        a.move("difference", t, self.most_draws, self.draws, capture=Capture.SIGN)
        self.abort(Status.NO_ENTROPY)
        self.copy(self.K, self.random_key)
        self.copy(self.V, self.random_value)
        a.call(self.next)
        self.copy(self.r, self.V)
        a.call(self.refresh)
        self.copy(self.random_key, self.K)
        self.copy(self.random_value, self.V)
        a.move("sum", self.draws, self.draws, self.unit, note="draws")

    # ---------------------------------------------------------------- masks
    def stir(self) -> None:
        """Let noise into the state of masks; answer NO_ENTROPY if there is none."""
        if self.preset.protected:
            self.a.transfer(Order.IN, self.T, DIGEST, Port.MASK)
            self.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
            self._digest(self.masks, self.masks, self.T)

    def _digest(self, to: int, *parts: int) -> None:
        """Let a number be the digest of two numbers."""
        self.command(Command.HASH)
        for number in parts:
            self.hashed(number, DIGEST)
        self.pad(DIGEST * len(parts))
        self.a.transfer(Order.IN, to, DIGEST, Port.HASH)

    def _mask(self) -> None:
        """Let T be a random number, and the state of masks another one."""
        self._digest(self.T, self.masks, self.unit)
        self._digest(self.masks, self.masks, self.zero)

    def random_factor(self) -> None:
        """Let T be a random number modulo the order, in its form; 1 where there are no masks."""
        if self.preset.protected:
            self.a.call(self.mask)
        else:
            self.copy(self.T, self.order_one)

    # ---------------------------------------------------------------- keys
    def _keep(self, d: int) -> None:
        """Put a plain private key into the slot: where masks are, as the sum of two numbers."""
        if not self.preset.protected:
            self.copy(self.key, d)
            return
        self.stir()
        self.a.call(self.mask)
        self.a.move("difference", self.key, d, self.T, note="the key less a random number")
        self.again(self.key)
        self.copy(self.other_key, self.T)
        self.again(self.other_key)

    @property
    def other_key(self) -> int:
        """The second part of the slot's key."""
        return self.key + KEY_SLOTS

    def again(self, number: int) -> None:
        """Bring a number near the order: it stays the same modulo it."""
        self.product(number, number, self.order_one)

    def parts(self) -> list[int]:
        """Return the numbers whose sum is the slot's key; where they are two, they are new ones."""
        if not self.preset.protected:
            return [self.key]
        self.a.call(self.new_parts)
        return [self.key, self.other_key]

    def _new_parts(self) -> None:
        """Split the key anew."""
        self.stir()
        self.a.call(self.mask)
        self.a.move("sum", self.key, self.key, self.T, note="new parts of the key")
        self.again(self.key)
        self.a.move("difference", self.other_key, self.other_key, self.T)
        self.again(self.other_key)

    def plain_key(self, d: int, parts: list[int]) -> None:
        """Let ``d`` be the key itself, for the hash of a nonce."""
        self.copy(d, parts[0])
        for part in parts[1:]:
            self.a.move("sum", d, d, part)
        if len(parts) > 1:
            self.modulo(d, d, "the key")

    # ---------------------------------------------------------------- points
    def scalar_of(self, parts: list[int]) -> None:
        """Let the scalar of the next product be the sum of numbers."""
        sources = [*parts, self.zero] if self.preset.protected else parts
        for d, v in zip(self.part, sources, strict=False):
            self.copy(d, v, "scalar")

    def kp(self, parts: list[int]) -> None:
        """Let s be the affine plain multiple of the point s, and k 1 if it is infinite."""
        self.scalar_of(parts)
        self.a.call(self.multiply)

    def base_point(self, parts: list[int]) -> None:
        """Let s be the affine plain multiple of the base point, and k 1 if it is infinite."""
        self.scalar_of(parts)
        self.a.call(self.base)

    def give_point(self) -> None:
        """Hand s out, and end."""
        for number, name in zip(self.points.s, "xy", strict=False):
            self.give(number, self.points.octets, name)
        self.end()

    def infinite(self, status: Status, public: str = "") -> None:
        """Answer ``status`` if the last product is infinity."""
        t, k = self.points.free[0], self.points.k
        self.a.move("difference", t, self.zero, k, capture=Capture.SIGN)
        self.abort(status, public=public)

    def differ(self, a: int, b: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless two plain numbers are equal."""
        t = self.points.free[0]
        self.a.move("difference", t, a, b, capture=Capture.ZERO)
        self.jump(bad, negate=True, public=public)


DRAWS = 65536  # of a seed
ONES = int.from_bytes(b"\1" * DIGEST, "big")
LENGTHS = [2 * DIGEST, *(BLOCK + DIGEST + more for more in (0, 1, 1 + 48, 1 + 64, 1 + 96))]
"""Octets of all that is hashed: two numbers; HMAC of one, with a mark, and with a seed."""
