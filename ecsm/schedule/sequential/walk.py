# SPDX-License-Identifier: Apache-2.0
"""Walks: products, sums and shifts of numbers as lists of slots, one a cycle.

A slot adds a product or a sum of two words to the accumulator and may write the accumulator's low
word. A product is computed column by column (product scanning): the slots of column k are the
products a[i] b[k - i], and quotients of columns before times words of the modulus. ``rtl/word`` has
the machine, :mod:`~ecsm.schedule.sequential.modulus` the mathematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch

from ecsm.schedule.sequential.modulus import Modulus, Ring, Term
from ecsm.schedule.sequential.words import CONSTANT_BITS, OFFSET_BITS, packed

DISTANCE = 7  # slots after which a written word can be read
GUARD = 8  # bits of the accumulator above those of a product
TURN = 3  # the slot with ``turn``, counted from a walk's end

PIECES = 5  # of a scalar, for a comb
TURNED, OCTETS = 8, 4  # words of a string that is turned round, and octets of a word

SMALL = (0, 1)
"""Constants that are always there: 0 makes a slot that adds nothing."""


@dataclass(frozen=True)
class Slot:
    """One cycle: see ``word_pkg::slot_t``. ``to``: a word of d, or of the scratch number."""

    turn: bool = False
    to: int = 0
    scratch_a: bool = False
    offset_a: int = 0
    const_b: bool = False
    offset_b: int = 0
    subtract: bool = False
    first: bool = False
    last: bool = False
    write: bool = False
    to_scratch: bool = False
    shift: bool = False
    sum: bool = False
    doubled: bool = False
    signed_a: bool = False
    signed_b: bool = False
    carryless: bool = False

    def word(self) -> int:
        """Return the slot as it stands in the table."""
        return packed(*((int(getattr(self, name)), bits) for name, bits in FIELDS.items()))


FIELDS = {
    name: {"to": OFFSET_BITS, "offset_a": OFFSET_BITS, "offset_b": CONSTANT_BITS}.get(name, 1)
    for name in Slot.__dataclass_fields__
}
"""Fields of a slot in their order, with their bits."""

SLOT_BITS = sum(FIELDS.values())
NOTHING = Slot(const_b=True)  # adds a word times 0


@dataclass
class Constants:
    """Words that slots multiply with, the first ``most`` ones of the memory."""

    width: int
    most: int = 32
    words: list[int] = field(default_factory=lambda: list(SMALL))

    def place(self, value: int) -> int:
        """Return the offset of a word; a negative one is signed. Raises ValueError if full."""
        word = value & (1 << self.width) - 1
        if word not in self.words:
            self.words.append(word)
        if len(self.words) > self.most:
            raise ValueError(f"more constants than {self.most} words")
        return self.words.index(word)

    def operand(self, value: int) -> Slot:
        """Return a slot with a constant on the right."""
        return Slot(const_b=True, offset_b=self.place(value), signed_b=value < 0)


@dataclass(frozen=True)
class Walk:
    """Slots that compute one number."""

    name: str
    slots: tuple[Slot, ...]

    def __post_init__(self) -> None:
        if len(self.slots) < TURN:
            raise ValueError(f"the walk {self.name} has fewer than {TURN} slots")
        if len({s.carryless for s in self.slots}) > 1:
            raise ValueError(f"the walk {self.name} has slots of numbers and of polynomials")
        if any(s.carryless and (s.doubled or s.subtract or s.signed_a or s.signed_b)
               for s in self.slots):  # fmt: skip
            raise ValueError(f"the walk {self.name} has signs of polynomials")

    @property
    def carryless(self) -> bool:
        """Whether it computes with polynomials over GF(2)."""
        return self.slots[0].carryless

    def reads(self, side: str) -> dict[int, int]:
        """Return for each word of the operand ``side`` (a, b) the slot that reads it first."""
        found: dict[int, int] = {}
        for i, s in enumerate(self.slots):
            if (s.const_b, s.offset_b) == (True, 0):  # times 0
                continue
            if side == "a" and not s.scratch_a:
                found.setdefault(s.offset_a, i)
            if side == "b" and not s.const_b:
                found.setdefault(s.offset_b, i)
        return found

    @property
    def writes(self) -> dict[int, int]:
        """For each word of d the slot that writes it, counted from the end: 1 is the last."""
        return {
            s.to: len(self.slots) - i
            for i, s in enumerate(self.slots)
            if s.write and not s.to_scratch
        }

    def early(self, before: Walk, side: str) -> int:
        """Return how many slots too early this walk reads the number that ``before`` makes."""
        reads = self.reads(side)
        late = [
            DISTANCE - left - reads[word] for word, left in before.writes.items() if word in reads
        ]
        return max(0, *late) if late else 0


def peak(w: Walk, width: int) -> int:
    """Return a bound of the accumulator's magnitude in a walk, whatever the operands are."""
    bound = top = 0
    shift = False
    if w.carryless:
        return (1 << 2 * width - 1) - 1
    for s in w.slots:
        bound = 0 if s.first else (bound >> width) + 1 if shift else bound
        bound += 2 << width if s.sum else (1 << 2 * width) << s.doubled
        top, shift = max(top, bound), s.shift
    return top


def walk(name: str, slots: Sequence[Slot], once: bool = True) -> Walk:
    """Return a walk, with stalls where a slot would read too early.

    ``once``: the last word that is written is the last one of a number. The RTL begins to look
    for a number that is 0 behind it, so a walk that writes words has one.
    """
    done: list[Slot] = []
    written: dict[int, int] = {}
    for s in slots:
        while s.scratch_a and len(done) < written.get(s.offset_a, -DISTANCE) + DISTANCE:
            done.append(NOTHING)
        if s.write and s.to_scratch:
            written[s.to] = len(done)
        done.append(s)
    while len(done) < TURN:
        done.insert(0, NOTHING)
    done[0] = replace(done[0], first=True)
    writes = [i for i, s in enumerate(done) if s.write and not s.to_scratch]
    last = writes[-1] if writes else len(done) - 1
    done[last] = replace(done[last], last=done[last].last or once)
    done[-TURN] = replace(done[-TURN], turn=True)
    if any(s.carryless for s in slots):
        done = [replace(s, carryless=True) for s in done]
    return Walk(name, tuple(done))


def patient(w: Walk, others: Sequence[Walk]) -> Walk:
    """Return a walk that can follow others at once, with stalls before it if need be."""
    stalls = max((w.early(before, side) for before in others for side in ("a", "b")), default=0)
    if not stalls:
        return w
    nothing = replace(NOTHING, carryless=w.carryless)
    first = [replace(nothing, first=True), *[nothing] * (stalls - 1)]
    return Walk(w.name, (*first, *w.slots))


@singledispatch
def product(m: Ring, constants: Constants, square: bool = False) -> Walk:
    """Return the walk of a b / R, or of a^2 / R, modulo m; R is 1 for some kinds of moduli."""
    raise TypeError(f"no walk has products modulo {m}")


@product.register
def _(m: Modulus, constants: Constants, square: bool = False) -> Walk:
    """Return the walk of a product modulo p by Montgomery's steps."""
    n = m.words
    slots: list[Slot] = []
    for k in range(2 * n):
        column = list(squares(n, k) if square else pairs(n, k))
        steps = n if not m.final else n - 1
        for t in m.steps:
            if 0 <= k - t.place < steps:
                column.append(_quotient(constants, k - t.place, t))
        column.sort(key=lambda s: s.offset_a if s.scratch_a else -1)
        if m.final:
            if k == n - 1:
                column += _last_quotient(m, constants)
            column += [_quotient(constants, n - 1, t) for t in m.final if n - 1 + t.place == k]
        column = column or [NOTHING]
        if k < n and not (m.final and k == n - 1):
            column[-1] = replace(column[-1], write=True, to_scratch=True, to=k, shift=True)
        elif k < n:
            column[-1] = replace(column[-1], shift=True)
        else:
            column[-1] = replace(column[-1], write=True, to=k - n, shift=True)
        slots += column
    return walk("square" if square else "product", slots)


def _pair(n: int, i: int, j: int) -> Slot:
    return Slot(offset_a=i, offset_b=j, signed_a=i == n - 1, signed_b=j == n - 1)


def pairs(n: int, k: int) -> list[Slot]:
    """Return the products of column k of n words times n."""
    return [_pair(n, i, k - i) for i in range(max(0, k - n + 1), min(n, k + 1))]


def squares(n: int, k: int) -> list[Slot]:
    """Return those of a square: each one once."""
    return [replace(s, doubled=s.offset_a < s.offset_b) for s in pairs(n, k)
            if s.offset_a <= s.offset_b]  # fmt: skip


def _quotient(constants: Constants, step: int, t: Term) -> Slot:
    return replace(constants.operand(t.value), scratch_a=True, offset_a=step)


def _last_quotient(m: Modulus, constants: Constants) -> list[Slot]:
    """Return slots that make the last quotient, u m/p modulo 2^W of the column's low word u.

    u is written, u (m/p - 1) added, the low word written: it is the quotient. Then the column is
    what it was again, because the same is subtracted.
    """
    n, c = m.words, m.factor - 1
    c -= (c >> m.W - 1) << m.W  # signed
    more, less = constants.operand(c), constants.operand(-c)
    return [
        replace(NOTHING, write=True, to_scratch=True, to=n),
        replace(more, scratch_a=True, offset_a=n, write=True, to_scratch=True, to=n - 1),
        replace(less, scratch_a=True, offset_a=n),
    ]


def _row(n: int, k: int) -> Slot:
    """Return a slot of a sum's word k, of n."""
    return replace(_pair(n, k, k), sum=True, write=True, to=k, shift=True)


def total(n: int, subtract: bool = False) -> Walk:
    """Return the walk of a + b, or of a - b, of n words."""
    name = "difference" if subtract else "sum"
    return walk(name, [replace(_row(n, k), subtract=subtract) for k in range(n)])


def aside(n: int) -> Walk:
    """Return the walk of a + b, of n words, to the scratch number."""
    return walk("aside", [replace(s, to_scratch=True) for s in total(n).slots])


def widen(n: int, wide: int) -> Walk:
    """Return the walk of a + b: a has ``wide`` words, b has n."""
    short = [_row(n, k) for k in range(n)]
    short[-1] = replace(short[-1], signed_a=False)
    rest = [replace(_row(wide, k), const_b=True, offset_b=0, signed_b=False)
            for k in range(n, wide)]  # fmt: skip
    return walk("widened sum", [*short, *rest])


def expand(r: int, n: int) -> Walk:
    """Return the walk of a times b, without a modulus: r words times n, all unsigned."""
    slots: list[Slot] = []
    for k in range(r + n):
        column = [Slot(offset_a=i, offset_b=k - i) for i in range(r) if 0 <= k - i < n]
        column = column or [NOTHING]
        column[-1] = replace(column[-1], write=True, to=k, shift=True)
        slots += column
    return walk("whole product", slots)


def scale(n: int, constants: Constants, by: int) -> Walk:
    """Return the walk of a, of n words, times a small constant."""
    times = constants.operand(by)
    return walk(
        f"times {by}",
        [
            replace(times, offset_a=k, signed_a=k == n - 1, write=True, to=k, shift=True)
            for k in range(n)
        ],
    )


def shifted(n: int, constants: Constants, right: int, bits: int) -> Walk:
    """Return the walk of a 2^-right, rounded down; a shift of less than 0 is to the left.

    a is a string of so many ``bits``: whole words, all unsigned. The result has n words; what is
    above them is lost.
    """
    width = constants.width
    by, over = -right % width, -(-right // width)
    times = constants.operand(1 << by)
    slots: list[Slot] = []
    for k in range(-1, n):
        i = k + over  # the word of a whose lower bits come into word k
        slot = replace(times, offset_a=i) if 0 <= i < -(-bits // width) else NOTHING
        below = k < 0  # its lower part is lost
        slots.append(replace(slot, shift=True, write=not below, to=max(k, 0)))
    return walk(f"shifted by {right}", slots)


COVER = Slot(first=True, scratch_a=True, doubled=True)
"""Lets the accumulator be any product: of word 0 of the scratch number, and of b.

It comes behind a digit, whose bits are in the accumulator above a word. If 0 came there next, the
bits that change were those of the digit. Its left operand has a bit above a word, as that of a
digit that comes from a doubled word has.
"""


def digit(n: int, constants: Constants, bits: int) -> Walk:
    """Return the walk that shifts a, of n unsigned words, left: the digit is what leaves it.

    The right operand is any number (:data:`COVER`).
    """
    by = constants.operand(1 << bits)
    slots = [replace(by, offset_a=k, write=True, to=k, shift=True) for k in range(n)]
    slots[-1] = replace(slots[-1], last=True)
    return walk("digit", [*slots, COVER], once=False)


def spread(
    n: int, constants: Constants, first: int, step: int, bits: int, pieces: int = PIECES
) -> Walk:
    """Return the walk that cuts pieces of so many bits out of a, of n words.

    Piece i begins with bit ``first + i step``. Its bits are the highest ones of a word of the
    result, or of some; what is below them is any.
    """
    W, slots = constants.width, list[Slot]()
    words = -(-bits // W)
    for piece in range(pieces):
        end = first + step * piece + bits
        by = constants.operand(1 << -end % W)
        low = -(-end // W) - words
        short = -end % W + bits > words * W  # the bits begin in a word more
        for k in range(-short, words):
            slot = replace(by, offset_a=low + k) if low + k >= 0 else NOTHING
            slots.append(replace(slot, shift=True, first=k == -short, write=k >= 0,
                                 to=piece * words + max(k, 0)))  # fmt: skip
    return walk("spread", [*slots, *[NOTHING] * DISTANCE])


def gather(constants: Constants, bits: int, more: int = 0, pieces: int = PIECES) -> Walk:
    """Return the walk that shifts pieces left: the digit is the highest bit of each.

    They are in words as :func:`spread` has them. The right operand is any number (:data:`COVER`),
    of slots before each piece and behind the last one. ``more``: slots at the end, for walks that
    read the last words of a number early.
    """
    once, slots = constants.operand(1), [COVER]
    words = -(-bits // constants.width)
    for k in range(pieces * words):
        slots.append(replace(once, offset_a=k, doubled=True, write=True, to=k, shift=True,
                             first=k % words == 0, last=k % words == words - 1))  # fmt: skip
        if slots[-1].last:
            slots.append(COVER)
    rest = max(0, DISTANCE - len(slots), DISTANCE - 1 - pieces * words)  # the next walk reads them
    return walk("gather", [*slots, *[NOTHING] * (rest + more)], once=False)


def peel(constants: Constants, first: int) -> Walk:
    """Return the walk that cuts the octets of words off, from the right, for :func:`turn`.

    Of the words w of a from ``first`` on, as many as ``TURNED``, the result has w / 2^8, w / 2^16
    and w / 2^24, rounded down, and w: each of all words, one behind the other.
    """
    slots = [NOTHING] * (DISTANCE - 1)
    once = constants.operand(1)
    for k in range(TURNED):
        for part in range(1, OCTETS):
            by = constants.operand(1 << constants.width - 8 * part)
            to = TURNED * (part - 1) + k
            slots.append(replace(by, offset_a=first + k, first=True, shift=True))
            slots.append(replace(NOTHING, write=True, to=to))
        to = TURNED * (OCTETS - 1) + k
        slots.append(replace(once, offset_a=first + k, first=True, write=True, to=to))
    return walk("peel", slots)


def turn(constants: Constants, first: int) -> Walk:
    """Return the walk that turns a string of ``TURNED`` words round, octet by octet.

    It reads what :func:`peel` has made of it. The result's words begin with ``first``; if that is
    0, a word 0 is above them. A word with the octets v[0] .. v[3], of the weights 1 .. 2^24, is the
    sum of v[i] 2^(24 - 8 i), and v[i] is w / 2^(8 i) less 2^8 w / 2^(8 i + 8), both rounded down.
    """
    weights = [1 << 24, 1 << 16, (1 << 8) - (1 << 24), 1 - (1 << 16)]  # modulo 2^32
    parts = [OCTETS - 1, *range(OCTETS - 1)]  # which has w, w / 2^8, ..
    slots = [NOTHING] * (DISTANCE - 1)
    for k in reversed(range(TURNED)):
        column = [
            replace(constants.operand(weight), offset_a=TURNED * part + k, first=part == parts[0])
            for part, weight in zip(parts, weights, strict=True)
        ]
        column[-1] = replace(column[-1], write=True, to=first + TURNED - 1 - k)
        slots += column
    top = [replace(NOTHING, first=True, write=True, to=TURNED)] if first == 0 else []
    return walk("turn", [*slots, *top])


def parity(constants: Constants) -> Walk:
    """Return the walk whose sign is set if a is odd; it writes a scratch word only."""
    by = constants.operand(1 << constants.width - 1)
    last = replace(by, write=True, to_scratch=True, shift=True)
    return walk("parity", [*[NOTHING] * (DISTANCE - 1), last])
