# SPDX-License-Identifier: Apache-2.0
"""What programs of schemes are written with: numbers of the curve, operations of the units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from ecsm.curves import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.presets.gf2m import RANDOM_WORD
from ecsm.presets.gfp_table import AnyPreset
from ecsm.schemes.assembler import Assembler, Label, Place, octets_of, words_of
from ecsm.schemes.words import WORD, From, If, Mode, Move, To, Unit, Word
from ecsm.status import Status

SLOTS, SLOT_WORDS = 4, 32
MEMORY = range(SLOTS * SLOT_WORDS, 512)
REGISTERS = 8
STRING = REGISTERS  # the order unit's string, as a register's number

DIGESTS = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
"""Octets of a digest, in the order of sym_pkg::alg_e."""
NARROW = ("sha1", "sha224", "sha256")
WIDE = ("sha384", "sha512")
"""Hashes of a machine, the longest last."""


class Order(IntEnum):
    """Operations of the order unit (ecsm_order_pkg::order_op_e)."""

    ADD = 0
    SUB = 1
    MUL = 2
    INV = 3
    MOD = 4
    REDUCE = 5
    CHECK = 6
    XOR = 7


class Modulus(IntEnum):
    """What it works modulo."""

    ORDER = 0
    FIELD = 1


@dataclass(frozen=True)
class Register:
    """A register of the order unit."""

    number: int


class Shares(NamedTuple):
    """A scalar in two places: it is their xor."""

    masked: Place
    mask: Place


Scalar = Place | Register | Shares


class Machine(Assembler):
    """An assembler that knows the curve of a core."""

    def __init__(self, preset: AnyPreset, wide: bool = False) -> None:
        super().__init__(MEMORY)
        self.hashes = WIDE if wide else NARROW
        """That it has."""
        hashed = self.hashes[-1]
        self.alg = list(DIGESTS).index(hashed)
        """The longest one: that of key derivation, if the flags do not say another."""
        self.tag = DIGESTS[hashed]
        """Octets of the longest tag."""
        self.preset = preset
        assert isinstance(preset.curve, BinaryCurve | PrimeCurve)
        self.curve = preset.curve
        self.n = self.curve.n
        prime = isinstance(self.curve, PrimeCurve)
        field = preset.field_bits
        self.order_bits = self.n.bit_length()
        self.width = max(self.order_bits, field)
        """Bits of a register of the order unit."""
        self.words = words_of(self.width)
        self.coordinate_octets = octets_of(field)
        self.order_octets = octets_of(self.order_bits)
        self.core_octets = RANDOM_WORD // 8 * -(-preset.random_bits // RANDOM_WORD)
        """Random octets that the core takes with every request."""
        self.masked = self.core_octets > 0
        """Whether scalars are in shares (:mod:`ecsm.schemes.masking`)."""
        self.mask_octets = self.order_octets + 8
        """Of a random number modulo the order, so that it is nearly uniform."""
        masks = self.mask_octets if self.masked else 0
        self.random_octets = max(self.order_octets, 32, masks, self.core_octets)
        """Of a random string, at most."""
        self.double = preset.double
        """Whether the core computes aG + bP."""
        self.threads = preset.threads
        """Jobs that the core runs together."""
        self.binary = not prime
        self._drawn = False  # a draw that no move has taken yet
        self.tails: dict[str, Label] = {}
        """Where programs go on that several operations have, by name."""
        if {words_of(8 * self.coordinate_octets), words_of(self.order_bits)} != {self.words}:
            raise ValueError(f"{self.curve.name}: order and field are not of as many words")
        gx, gy = self.curve.generator
        self.generator = tuple(self.constant(v, self.element_bits) for v in (gx, gy))

    @property
    def element_bits(self) -> int:
        """Bits of every number in memory: whole words."""
        return WORD * self.words

    # -------------------------------------------------------------- numbers and strings
    def emit(self, word: Word) -> None:
        """Append a word."""
        self._drawn &= not (isinstance(word, Move) and word.source is From.RANDOM)
        super().emit(word)

    def element(self) -> Place:
        """Take memory for a scalar or a coordinate."""
        return self.number(self.element_bits)

    def key_element(self, number: int) -> Place:
        """Return the place of a number in the key slot (:mod:`ecsm.schemes.masking`)."""
        return self._in_slot(number, 0)

    def pair_element(self, number: int = 0) -> Place:
        """Return the place of a number in the slot beside."""
        return self._in_slot(number, SLOT_WORDS)

    def _in_slot(self, number: int, base: int) -> Place:
        if not 0 <= number < SLOT_WORDS // self.words:
            raise ValueError(f"a slot of {SLOT_WORDS} words has no number {number}")
        return Place(base + number * self.words, self.element_bits, "number", key=True)

    def copy(
        self, source: From | Place | Register, sink: To | Place | Register, last: bool = False
    ) -> None:
        """Move a number as it is."""
        self._number(source, sink, self.element_bits, "number", last=last)

    def as_string(
        self, source: From | Place | Register, sink: To | Place, octets: int, last: bool = False
    ) -> None:
        """Move a number as a string of so many octets."""
        number = self.element_bits - 8 * octets
        if number < 0 or number >= WORD:
            raise ValueError(f"{octets} octets are not {self.words} words")
        self._number(source, sink, 8 * octets, "string", last=last)

    def _number(
        self,
        source: From | Place | Register,
        sink: To | Place | Register,
        bits: int,
        to: str,
        last: bool,
    ) -> None:
        register = 0
        if isinstance(source, Register):
            register, source = source.number, From.ORDER
        if isinstance(sink, Register):
            register, sink = sink.number, To.ORDER
        self.move(
            source, sink, "number", bits, "string" if to == "string" else "number", last=last,
            register=register,
        )  # fmt: skip

    def from_string(self, source: From | Place, sink: To | Place | Register, bits: int) -> None:
        """Move the first ``bits`` bits of a string as a number."""
        if words_of(bits) != self.words:
            raise ValueError(f"{bits} bits are not {self.words} words")
        register = 0
        if isinstance(sink, Register):
            register, sink = sink.number, To.ORDER
        self.move(source, sink, "string", bits, "number", register=register)

    def text(
        self,
        source: From | Place,
        sink: To | Place,
        octets: int,
        last: bool = False,
        before: int = 0,
    ) -> None:
        """Move a string of so many octets as it is."""
        self.move(source, sink, "string", 8 * octets, before=before, last=last)

    def xor(self, source: From, beside: Place, sink: To | Place, octets: int) -> None:
        """Move a string, added to another one of as many octets."""
        self.move(source, sink, "string", 8 * octets, mode=Mode.XOR, beside=beside)

    def mask(self, source: From, beside: Place, sink: Place) -> None:
        """Move a coordinate as a string, added to another one of as many octets."""
        bits = 8 * self.coordinate_octets
        self.move(source, sink, "number", bits, "string", mode=Mode.XOR, beside=beside)

    def differ(self, source: From | Register, beside: Place) -> None:
        """Set If.DIFFERS if a number differs from ``beside``; it stays set."""
        register = source.number if isinstance(source, Register) else 0
        self.move(
            From.ORDER if isinstance(source, Register) else source, To.NOTHING, "number",
            self.element_bits, mode=Mode.COMPARE, beside=beside, register=register,
        )  # fmt: skip

    def octet_string(self, value: int, octets: int) -> Place:
        """Return the place of a constant string."""
        return self.constant(value, 8 * octets, "string")

    # -------------------------------------------------------------- the order unit
    def order(
        self,
        op: Order,
        target: Register | None = None,
        a: Register | None = None,
        b: Register | None = None,
        modulus: Modulus = Modulus.ORDER,
        bits: int = 0,
    ) -> None:
        """Let the order unit begin ``target`` <- a op b."""
        t, i, j = (0 if r is None else r.number for r in (target, a, b))
        self.command(Unit.ORDER, op | t << 3 | i << 6 | j << 9 | modulus << 12 | bits << 13)

    def reduce(self, source: From | Place, octets: int, target: Register, bits: int) -> None:
        """Let ``target`` be the first ``bits`` bits of a string, modulo the order."""
        self.order(Order.REDUCE, target, bits=bits)
        self.move(source, To.ORDER, "string", 8 * octets, last=True, register=STRING)

    def scalar(self, place: Place, r: Register, status: Status) -> None:
        """Load a register with the number at ``place``; answer ``status`` if not in 1 .. n - 1."""
        self.copy(place, r)
        self.order(Order.CHECK, a=r)
        self.command(Unit.FORGET)
        self.differ(r, place)  # bits that the register has not
        self.abort(status, If.DIFFERS)
        self.abort(status, If.RANGE, negate=True)

    # -------------------------------------------------------------- random octets, key derivation
    def random(self, octets: int) -> None:
        """Let the next string of From.RANDOM be random, of so many octets; wait until it is there.

        Answers NO_ENTROPY if it cannot be. Raises ValueError for more than ``random_octets``.
        """
        if octets > self.random_octets:
            raise ValueError(f"{octets} random octets are more than {self.random_octets}")
        self.command(Unit.RANDOM, 2 | octets << 8)
        self.abort(Status.OK, If.NONCE)
        self._drawn = True

    def kdf(
        self,
        alg: int,
        octets: int,
        x963: bool = False,
        info: bool = False,
        message: bool = False,
        again: bool = False,
    ) -> None:
        """Begin the derivation of so many octets; with ``message`` of as many more as that has.

        ``x963``: ANSI X9.63's, not MGF1. Z is expected then, and with ``info`` SharedInfo; with
        ``again`` those of the last one count.
        """
        flags = x963 | info << 1 | message << 2 | again << 3
        self.command(Unit.KDF, alg | flags << 3 | octets << 8)

    # -------------------------------------------------------------- the core
    def kp(self, scalar: Scalar | None, point: Iterable[Place] | None) -> None:
        """Begin a kP; None repeats the operand of the one before.

        A scalar that is not in shares is one that may be seen, if the machine is masked.
        """
        if self.masked:
            self._random_for_core()
            self._point(point)
        if isinstance(scalar, Shares):
            for part in scalar:
                self.copy(part, To.SCALAR)
        elif scalar is not None:
            if self.double or self.masked:
                self.copy(self.constant(0, self.element_bits), To.SCALAR)
            self.copy(scalar, To.SCALAR)
        if not self.masked:
            self._point(point)
        self.command(Unit.KP)

    def double_kp(self, a: Register, b: Register, point: Iterable[Place]) -> None:
        """Begin aG + bP, on a core that computes it."""
        self.copy(a, To.SCALAR)
        self.copy(b, To.SCALAR)
        self._point(point)
        self.command(Unit.KP)

    def _random_for_core(self) -> None:
        """Draw what the core takes with its next request: first, so that no operand waits for it.

        Nothing checks an operand, so a fault in one that waits would make another product.
        """
        if self._drawn:
            raise ValueError("a draw waits for the program: the core's would wait for ever")
        self.command(Unit.RANDOM, 2 | 1 << 3 | self.core_octets << 8)
        self.abort(Status.OK, If.NONCE)

    def _point(self, point: Iterable[Place] | None) -> None:
        for place, port in zip(point or (), (To.X, To.Y), strict=False):
            self.copy(place, port)

    def answer(self, infinity: Status) -> None:
        """Wait for the oldest kP; its status ends the program, infinity with ``infinity``."""
        self.abort(Status.OK, If.POINT_BAD)
        self.abort(infinity, If.INFINITY)

    def take(self, point: tuple[Place, Place]) -> None:
        """Store the coordinates of the oldest result, and release it."""
        for port, place in zip((From.X, From.Y), point, strict=True):
            self.copy(port, place)
        self.command(Unit.KP_NEXT)

    # -------------------------------------------------------------- the host
    def host_point(self) -> tuple[Place, Place]:
        """Take a point from the host: two strings."""
        x, y = self.element(), self.element()
        for place in (x, y):
            self.from_string(From.HOST, place, 8 * self.coordinate_octets)
        return x, y

    def host_element(self, octets: int, sink: Place | Register) -> None:
        """Take a number from the host, a string of so many octets."""
        self.from_string(From.HOST, sink, 8 * octets)

    def need_key(self) -> None:
        """Answer NO_KEY if the slot is empty."""
        self.abort(Status.NO_KEY, If.KEY)
