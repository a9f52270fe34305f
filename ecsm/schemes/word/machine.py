# SPDX-License-Identifier: Apache-2.0
"""What schemes on the word engine are written with: numbers, strings, arithmetic, kP.

Numbers from the host, keys and digests are *plain*: whole numbers from 0. Those modulo the order
that a formula works on are in Montgomery's form of the order.
"""

from __future__ import annotations

from contextlib import nullcontext

from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.points import ENTRIES, Points, Triple
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Command, Condition, Order, Port
from ecsm.status import Status

ORDER = "order"
DIGEST = 32  # octets
BLOCK, HEAD = 64, 56  # octets of a hash's block, and of it before the length


class Machine:
    """An assembler that knows the curve and the units of ``word_scheme``."""

    def __init__(self, preset: WordPreset) -> None:
        self.curve, self.preset = preset.curve, preset
        n, p = self.curve.n, self.curve.p
        words = max(Modulus(p, preset.W).words, Modulus(n, preset.W).words)
        moduli = Modulus(p, preset.W, words), Modulus(n, preset.W, words)
        self.a = Assembler(moduli[0], preset.depth, {ORDER: moduli[1]})
        self.points = Points(self.a, self.curve)
        self.octets = -(-n.bit_length() // 8)
        """Of a scalar."""
        if {n.bit_length(), p.bit_length(), 8 * self.octets} != {8 * DIGEST} or self.curve.h != 1:
            raise ValueError(f"{self.curve.name}: the word engine's schemes are for 256 bits")
        self._constants(moduli[1])
        self._numbers()
        self._ends: dict[Status, int] = {}

    def _constants(self, order: Modulus) -> None:
        a, curve = self.a, self.curve
        self.zero, self.unit = self.points.zero, self.points.unit
        self.n, self.square = a.number(order.p), a.number(order.enter(order.radix))
        m = a.modulus
        self.ones, self.most_draws, self.mark = (a.number(v) for v in (ONES, DRAWS - 1, 0x80))
        self.lengths = {octets: a.number(8 * octets) for octets in LENGTHS}
        self.block_bits, self.most_tail = a.number(8 * BLOCK), a.number(HEAD - 1)
        infinity = [self.zero, self.points.one, self.zero]
        self.base_table: list[Triple] = [infinity]
        for e in range(1, ENTRIES):
            point = curve.mul(e, curve.generator)
            assert point is not None
            xy = [a.number(m.enter(v)) for v in point]
            self.base_table.append([*xy, self.points.one])

    def _numbers(self) -> None:
        """Take what outlives a program, then the rest.

        ``K``, ``V``: the state of the HMAC that makes nonces and random octets.
        """
        a = self.a
        self.key = a.key()
        self.random_key, self.random_value, self.draws = a.kept(3)
        self.points.take()
        self.K, self.V, self.T = a.numbers(3)
        self.e, self.d, self.nonce, self.r, self.s, self.x, self.y = a.numbers(7)
        self.k_base = a.number()  # what the base point is multiplied by
        # Octets of a seed, or of a message's block, the last eight apart: in the table's place.
        self.text, _, self.tail = self.points.table[1]

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
        """Fill the table of the plain point s; answer if it is none."""
        outside = self.fail(Status.COORDINATE_OUT_OF_RANGE)
        self.points.check(outside, self.fail(Status.POINT_NOT_ON_CURVE))
        self.points.fill()

    # ---------------------------------------------------------------- numbers
    def copy(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be ``a``."""
        self.a.copy(d, a, self.zero, note)

    def in_order(self, number: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless a plain number is in 1 .. n - 1."""
        t, a = self.points.free[0], self.a
        a.move("difference", t, number, self.n, capture=Capture.SIGN, note="less n")
        self.jump(bad, negate=True, public=public)
        a.move("sum", t, number, self.zero, capture=Capture.ZERO)
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
        with a.routine() as self.canonical:
            pts.reduce(ORDER, self.n)
        with a.routine() as self.inverse:
            pts.power(self.curve.n - 2, self.s, "s", ORDER)
        with a.routine() as self.lookup_base:
            pts.pick(self.base_table)
        with a.routine() as self.use_point:
            self._use_point()
        with a.routine() as self.multiply:
            self.products(q=True, base=False)
        with a.routine() as self.multiply_base:
            self.products(q=False, base=True)
        with a.routine() as self.affine:
            pts.affine()
        with a.routine() as self.mac_begin:
            self._mac(Port.INNER)
        with a.routine() as self.mac_end:
            a.transfer(Order.IN, self.T, DIGEST, Port.HASH)
            self._mac(Port.OUTER)
            self.hashed(self.T, DIGEST)
            self.pad(BLOCK + DIGEST)
            a.transfer(Order.IN, self.T, DIGEST, Port.HASH)
        with a.routine() as self.refresh:
            self.mac((self.V, DIGEST), (self.zero, 1))
            self.copy(self.K, self.T)
            self.next_value()
        with a.routine() as self.next:
            self.next_value()

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

    def draw(self, number: int) -> None:
        """Let a number be 32 random octets, one Generate call; answer NO_ENTROPY without a seed.

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
        self.copy(number, self.V)
        a.call(self.refresh)
        self.copy(self.random_key, self.K)
        self.copy(self.random_value, self.V)
        a.move("sum", self.draws, self.draws, self.unit, note="draws")

    # ---------------------------------------------------------------- points
    def products(self, q: bool, base: bool) -> None:
        """Let s be k times the table's point, or ``k_base`` times the base point, or their sum."""
        a, pts = self.a, self.points
        scalars = [(pts.k, pts.lookup)] * q + [(self.k_base, self.lookup_base)] * base
        for number in (pts.s[0], pts.s[2]):
            self.copy(number, self.zero)
        self.copy(pts.s[1], pts.one, "infinity")
        for scalar, _ in scalars:
            a.move("sum", scalar, scalar, pts.eights, note="digits and 8")
        for turn in range(2):  # the first one does not double
            with a.repeat(pts.turns, counter=0) if turn else nullcontext():
                if turn:
                    with a.repeat(DIGIT_BITS, counter=1):
                        a.call(pts.double)
                for scalar, lookup in scalars:
                    if turn:
                        a.move("digit", scalar, scalar, capture=Capture.DIGIT, note="next digit")
                    else:
                        a.move("sum", scalar, scalar, self.zero, capture=Capture.DIGIT)
                        a.move("sum", pts.free[0], self.zero, self.zero, drained=True,
                               note="wait for the digit")  # fmt: skip
                    a.call(lookup)
                    a.call(pts.add)

    def base(self, scalar: int) -> None:
        """Let s be the affine plain multiple of the base point, and k 1 if it is infinite."""
        self.copy(self.k_base, scalar)
        self.a.call(self.multiply_base)
        self.a.call(self.affine)

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
LENGTHS = [BLOCK + DIGEST + more for more in (0, 1, 1 + 48, 1 + 64, 1 + 96)]
"""Octets of all that is hashed: one text, with a mark, and with a seed (of a test, of a nonce)."""
