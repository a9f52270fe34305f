# SPDX-License-Identifier: Apache-2.0
"""What schemes on the word engine are written with: numbers, strings, arithmetic, random numbers.

Numbers from the host, keys and digests are *plain*: whole numbers from 0. Those modulo the order
that a formula works on are in Montgomery's form of the order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeFieldCurve
from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.field import Field
from ecsm.schedule.sequential.modulus import Modulus, Ring
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import (
    KEY_SLOTS,
    Capture,
    Command,
    Condition,
    Order,
    Port,
)
from ecsm.schemes.word.hashing import HASHES, MARK, Hash, Hashing
from ecsm.status import Status

ORDER = "order"
GENERATOR = "sha256"  # of random octets and of masks
DRAWS = 1 << 16  # of a seed
SEEDS = (96, 48)  # octets: from noise, of a test
DIGEST = 32  # octets that the random generator makes at a time
APART = 8  # octets behind a state of masks: a digest of it, and not of it and noise


class Machine(ABC):
    """An assembler that knows the curve and the units of ``word_scheme``.

    A subclass of it is for a kind of curve. ``points``: its field, and what it does with points.
    ``part``: numbers whose sum is a scalar; where nothing is protected, the first. ``T``: a digest,
    or a random number; ``text``, ``tail``: octets of a seed, or of a message's block, its length
    apart.

    ``squares``: see :class:`~ecsm.schedule.sequential.program.Assembler`.
    """

    curve: PrimeFieldCurve | BinaryCurve
    points: Field
    part: list[int]
    T: int
    r: int
    s: int
    drawn: int
    text: int
    tail: int

    def __init__(self, preset: WordPreset, squares: bool = True) -> None:
        self.curve, self.preset = preset.curve, preset
        n, width = self.curve.n, preset.W
        field = self.field(Modulus(n, width).words)
        words = field.words
        order = Modulus(n, width, words)
        self.a = Assembler(
            field, preset.depth, {ORDER: order}, preset.stride, preset.constants,
            preset.table_step, squares, preset.words, preset.full,
        )  # fmt: skip
        self.order_bits = n.bit_length()
        self.octets = -(-self.order_bits // 8)
        """Of a scalar."""
        self.points = self.take_points()
        self.longest = max(HASHES[name].digest for name in preset.hashes)
        self.string_words = max(self.words_of(self.longest), words)
        """Of a digest or a number."""
        if self.string_words > self.a.stride:
            raise ValueError(f"{preset.name}: a digest is longer than a number")
        self._constants(order)
        self._numbers()
        self._ends: dict[Status, int] = {}
        self.seeding = self.a.label()

    # ---------------------------------------------------------------- a kind of curve
    @abstractmethod
    def field(self, words: int) -> Ring:
        """Return the modulus of coordinates, in so many words at least."""

    @abstractmethod
    def take_points(self) -> Field:
        """Take the constants of points; return what computes with them."""

    @abstractmethod
    def take_numbers(self) -> None:
        """Take the numbers that change."""

    @abstractmethod
    def lengths(self, h: Hash) -> Iterable[int]:
        """Return of how many octets hashes are whose length a program knows."""

    def more_words(self) -> Iterable[int]:
        """Return more constants of a word that programs send to a hash."""
        return ()

    @abstractmethod
    def keep_key(self, d: int) -> None:
        """Put a plain private key into the slot: where masks are, as the sum of two numbers.

        It ends with what ends a routine.
        """

    @abstractmethod
    def split_key(self) -> None:
        """Split the slot's key anew."""

    @abstractmethod
    def before_keys(self) -> None:
        """Append routines that those of keys need."""

    @abstractmethod
    def products(self) -> None:
        """Append the routines of products of points."""

    def words_of(self, octets: int) -> int:
        """Return the words of so many octets."""
        return -(-8 * octets // self.preset.W)

    def word(self, value: int) -> tuple[int, int]:
        """Return the number that a small constant is in, and which word of it."""
        if value not in self._words:
            raise ValueError(f"{value} is no constant of the program")
        return self._first_word, self._words.index(value)

    def _constants(self, order: Modulus) -> None:
        a, pts = self.a, self.points
        self.zero, self.unit, self.n = pts.zero, pts.unit, pts.n
        self.square, self.order_one = a.number(order.enter(order.radix)), a.number(order.enter(1))
        self.ones = a.string(int.from_bytes(b"\1" * self.longest, "big"), self.string_words)
        self.hash = {name: Hashing(self, HASHES[name]) for name in self.preset.hashes}
        self.generator = self.hash[GENERATOR]
        blocks = {(h.h.block, h.h.head) for h in self.hash.values()}
        self.of_block = {b: (a.number(8 * b), a.number(head - 1)) for b, head in sorted(blocks)}
        """For a block's octets: its bits; the most octets that leave room for the length."""
        known = [2 * DIGEST, DIGEST + APART]
        known += [octets for h in self.hash.values() for octets in self.lengths(h.h)]
        words = [MARK, *self.more_words(), *(8 * octets for octets in known)]
        self._words = list(dict.fromkeys(words))
        self._first_word = a.string(
            sum(v << self.preset.W * i for i, v in enumerate(self._words)), len(self._words)
        )

    def _numbers(self) -> None:
        """Take what outlives a program, then the rest.

        ``K``, ``V``: the state of the HMAC that makes nonces and random octets. ``device``: of an
        engine with all schemes, the key that wraps others; 0 if there is none.
        """
        a, full = self.a, self.preset.full
        self.key = a.key(self.preset.first_key, more=int(full))
        self.device = self.key + 2 * KEY_SLOTS if full else self.key
        self.random_key, self.random_value, self.draws, self.masks = a.kept(4)
        self.K, self.V, self.e, self.d = a.numbers(4)
        self.take_numbers()

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

    def same_slot(self) -> None:
        """Answer FAULT_DETECTED if the slot is no longer the request's: nothing goes out."""
        if self.preset.protected:
            self.abort(Status.FAULT_DETECTED, Condition.EMPTY)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Answer FAULT_DETECTED if what is appended inside takes another number of words."""
        if not self.preset.protected:
            yield
            return
        with self.a.counted(self.fail(Status.FAULT_DETECTED)):
            yield

    # ---------------------------------------------------------------- strings
    def take(self, number: int, octets: int, note: str = "") -> None:
        """Take a string of so many octets from the host."""
        self.a.transfer(Order.IN, number, octets, Port.HOST, note)
        self.abort(Status.UNSUPPORTED, Condition.MALFORMED)

    def give(self, number: int, octets: int, note: str = "", part: bool = False) -> None:
        """Hand a number out as a string of so many octets; ``part``: its rest comes next."""
        self.a.transfer(Order.OUT, number, octets, Port.HOST, note, part=part)

    # ---------------------------------------------------------------- numbers
    def copy(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be ``a``."""
        self.a.copy(d, a, self.zero, note)

    def copy_string(self, d: int, a: int, capture: Capture = Capture.NONE) -> None:
        """Let a digest be another one, or a number; ``capture``: the flag."""
        self._copy_words(d, a, self.string_words, capture)

    def copy_state(self, d: int, a: int) -> None:
        """Let a part of the generator's state, a digest, be another one."""
        self._copy_words(d, a, max(self.words_of(DIGEST), self.a.modulus.words))

    def _copy_words(self, d: int, a: int, words: int, capture: Capture = Capture.NONE) -> None:
        """Let so many words be others: those of a number, or more."""
        walk = "sum" if words == self.a.modulus.words else f"string {words}"
        self.a.move(walk, d, a, self.zero, capture=capture, note="copy")

    def shift(self, d: int, a: int, right: int, bits: int, note: str = "") -> None:
        """Let ``d`` be the string ``a``, of so many bits, 2^-right times.

        It may be ``a`` if that is to the right.
        """
        self.a.move(f"shift {right} of {bits}", d, a, note=note)

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
        self.copy(d, self.remainder(a, note))

    def remainder(self, a: int, note: str = "") -> int:
        """Return free[0], which becomes the number ``a`` modulo the order; as :meth:`modulo`."""
        t = self.points.free[0]
        self.enter(t, a, note)
        self.a.call(self.canonical)
        return t

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a, pts = self.a, self.points
        pts.routines()
        with a.routine("canonical") as self.canonical:
            pts.reduce(ORDER, self.n)
        self.before_keys()
        if self.preset.protected:
            with a.routine("mask") as self.mask:
                self._mask()
            with a.routine("stir") as self.stirred:
                self._stir()
            self.part_routines()
            with a.routine("new_parts") as self.new_parts:
                self.split_key()
        with a.routine("keep", returns=False) as self.keep:
            self.keep_key(self.d)
        self.products()
        for h in self.hash.values():
            h.routines()
        with a.routine("draw") as self.draw:
            self._draw()

    def of_test(self, noise: Callable[[], None], test: Callable[[], None]) -> None:
        """Append what is done when the generator is seeded: if r is 0, or else what a test does.

        Before a program all such numbers are 0.
        """
        other, done = self.a.label(), self.a.label()
        self.a.move("sum", self.s, self.r, self.zero, capture=Capture.ZERO)
        self.jump(other, negate=True)
        noise()
        self.go(done)
        self.a.place(other)
        test()
        self.a.place(done)

    def _draw(self) -> None:
        """Let r be a random number of as many bits as the order has, of one Generate call.

        The call's first octets are in :attr:`drawn`. Without a seed the answer is NO_ENTROPY.
        Source: SP 800-90A, 10.1.2.5.
        """
        a = self.a
        self.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
        self.abort(Status.NO_ENTROPY, Condition.SEEDED, negate=True)
        a.move("difference", self.draws, self.draws, self.unit, capture=Capture.SIGN,
               note="draws that are left")  # fmt: skip
        self.abort(Status.NO_ENTROPY)
        self.copy_state(self.K, self.random_key)
        self.copy_state(self.V, self.random_value)
        self.generator.generate(self.r, first=self.drawn)
        a.call(self.generator.refresh)
        self.copy_state(self.random_key, self.K)
        self.copy_state(self.random_value, self.V)

    # ---------------------------------------------------------------- masks
    def stir(self) -> None:
        """Let noise into the state of masks; answer NO_ENTROPY if there is none."""
        if self.preset.protected:
            self.a.call(self.stirred)

    def _stir(self) -> None:
        self.a.transfer(Order.IN, self.T, DIGEST, Port.MASK)
        self.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
        self._digest(self.masks, self.T, DIGEST)

    def _digest(self, to: int, number: int, octets: int) -> None:
        """Let a number be the digest of the state of masks and of octets of a number."""
        h = self.generator
        h.begin()
        h.send(self.masks, DIGEST)
        h.send(number, octets)
        h.pad(DIGEST + octets)
        h.read(to)

    def _mask(self) -> None:
        """Let T be a random number."""
        if self.order_bits <= 8 * DIGEST:
            self._next_mask(self.T)
            if self.longest > DIGEST:  # there may be a longer digest above it
                self.shift(self.T, self.T, 0, 8 * DIGEST, "a random number")
            return
        part, spare = self.points.free[-2], self.points.free[-3]
        self.generator.joined(self.T, spare, lambda _: self._next_mask(part))

    def _next_mask(self, to: int) -> int:
        """Let a string be 32 random octets, and return it.

        They are a digest of the state, which then is one more. A request makes another one of it
        and noise (:meth:`stir`) before that.
        """
        self._digest(to, self.unit, APART)
        self.a.move("sum", self.masks, self.masks, self.unit, note="another state")
        return to

    def random_factor(self) -> None:
        """Let T be a random number modulo the order, in its form; 1 where there are no masks."""
        if self.preset.protected:
            self.a.call(self.mask)
        else:
            self.copy(self.T, self.order_one)

    # ---------------------------------------------------------------- keys
    def part_routines(self) -> None:
        """Append what is called between parts of a secret."""
        with self.a.routine("nothing") as self.nothing:
            for number in self.points.free[:2]:
                self.product(number, self.unit, self.unit, "nothing of a part")

    def between(self) -> None:
        """Let nothing of a part of a secret be where the other part comes next.

        That are the scratch number, in which a product writes its quotients over those of the last
        one, and numbers of formulas. What the bits that change tell of both parts, they tell of the
        secret.
        """
        if self.preset.protected:
            self.a.call(self.nothing)

    @property
    def other_key(self) -> int:
        """The second part of the slot's key."""
        return self.key + KEY_SLOTS

    def again(self, number: int) -> None:
        """Bring a number near the order: it stays the same modulo it."""
        self.product(number, number, self.order_one)

    def parts(self) -> list[int]:
        """Return the numbers whose sum is the slot's key; where they are two, they are new ones."""
        if self.preset.protected:
            self.a.call(self.new_parts)
        return self.key_parts

    @property
    def key_parts(self) -> list[int]:
        """The numbers whose sum is the slot's key."""
        return [self.key, self.other_key] if self.preset.protected else [self.key]

    def scalar_of(self, parts: list[int]) -> None:
        """Let the scalar of the next product be the sum of numbers."""
        sources = [*parts, self.zero] if self.preset.protected else parts
        for d, v in zip(self.part, sources, strict=False):
            if v in parts[1:]:  # behind the first one
                self.between()
            self.copy(d, v, "scalar")

    def differ(self, a: int, b: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless two plain numbers are equal."""
        t = self.points.free[0]
        self.a.move("difference", t, a, b, capture=Capture.ZERO)
        self.jump(bad, negate=True, public=public)
