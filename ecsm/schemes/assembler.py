# SPDX-License-Identifier: Apache-2.0
"""Write programs of the scheme machine: places in memory, constants, labels, moves.

Words of 64 bits contain data in two forms. A *string* of octets begins at the left end of its first
word and has zeros after its last octet. A *number* ends at the right end of its last word and has
zeros before it. Moves convert one into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from ecsm.schemes.words import (
    CONSTANTS,
    FLAGS_BITS,
    PROGRAM_BITS,
    WORD,
    Command,
    Decide,
    From,
    If,
    Kind,
    Mode,
    Move,
    To,
    Unit,
    Word,
)
from ecsm.status import Status

Shape = Literal["string", "number"]


def words_of(bits: int) -> int:
    """Return how many words hold so many bits."""
    return -(-bits // WORD)


@dataclass(frozen=True)
class Place:
    """Data at an address: a string of ``bits`` / 8 octets, or a number of ``bits`` bits."""

    address: int
    bits: int
    shape: Shape
    key: bool = False  # the address is within the request's key slot

    @property
    def words(self) -> int:
        """Words it takes."""
        return words_of(self.bits)

    def part(self, first: int, octets: int) -> tuple[Place, int]:
        """Return the words of a string that hold some of its octets, and how many lie before."""
        word, before = divmod(first, WORD // 8)
        return Place(self.address + word, 8 * (before + octets), "string", self.key), before


@dataclass(frozen=True)
class Label:
    """A word to jump to."""

    number: int


class Assembler:
    """A program under construction; ``memory``: the addresses that programs may use."""

    def __init__(self, memory: range) -> None:
        self._memory = memory
        self._next = memory.start
        self._words: list[Word] = []
        self._labels: dict[Label, int] = {}
        self._constants: list[int] = []
        self._texts: dict[int, str] = {}
        self.most = memory.start  # the highest address that was used

    # -------------------------------------------------------------- places
    def _place(self, bits: int, shape: Shape) -> Place:
        place = Place(self._next, bits, shape)
        self._next += place.words
        if self._next > self._memory.stop:
            raise ValueError(f"the memory has no room for {bits} bits more")
        self.most = max(self.most, self._next)
        return place

    def number(self, bits: int) -> Place:
        """Take memory for a number."""
        return self._place(bits, "number")

    def string(self, octets: int) -> Place:
        """Take memory for a string."""
        return self._place(8 * octets, "string")

    @contextmanager
    def scheme(self, about: str) -> Iterator[Label]:
        """Begin a program: its label; its memory is free again at its end."""
        self._next = self._memory.start
        start = self.here()
        self._texts[len(self._words)] = about
        yield start

    def constant(self, value: int, bits: int, shape: Shape = "number") -> Place:
        """Return the place of a constant."""
        count = words_of(bits)
        if shape == "string":
            value <<= count * WORD - bits
        new = [value >> WORD * i & (1 << WORD) - 1 for i in reversed(range(count))]
        for i in range(len(self._constants) - count + 1):
            if self._constants[i : i + count] == new:
                return Place(CONSTANTS + i, bits, shape)
        self._constants += new
        if len(self._constants) > CONSTANTS:
            raise ValueError("too many constants")
        return Place(CONSTANTS + len(self._constants) - count, bits, shape)

    # -------------------------------------------------------------- words
    def label(self) -> Label:
        """Return a label that is not placed yet."""
        new = Label(len(self._labels))
        self._labels[new] = -1
        return new

    def place(self, label: Label) -> None:
        """Let a label stand for the next word."""
        self._labels[label] = len(self._words)

    def here(self) -> Label:
        """Return a label of the next word."""
        new = self.label()
        self.place(new)
        return new

    def emit(self, word: Word) -> None:
        """Append a word."""
        self._words.append(word)

    def command(self, unit: Unit, argument: int = 0) -> None:
        """Let a unit begin an operation."""
        self.emit(Command(unit, argument))

    def abort(self, status: Status, condition: If = If.ALWAYS, negate: bool = False) -> None:
        """Answer ``status`` if ``condition`` holds; OK stands for the unit's own."""
        self.emit(Decide(Kind.ABORT, condition, negate, status))

    def jump(self, label: Label, condition: If = If.ALWAYS, negate: bool = False) -> None:
        """Go on at ``label`` if ``condition`` holds."""
        self.emit(Decide(Kind.JUMP, condition, negate, target=label.number))

    def refuse(self, mask: int, flags: int) -> None:
        """Answer UNSUPPORTED if the request's flags under the mask are ``flags``."""
        self.emit(Decide(Kind.ABORT, If.FLAGS, False, Status.UNSUPPORTED, mask=mask, flags=flags))

    def allow(self, mask: int) -> None:
        """Answer UNSUPPORTED if the request has a flag that the mask has not."""
        others = ~mask & (1 << FLAGS_BITS) - 1
        self.emit(Decide(Kind.ABORT, If.FLAGS, True, Status.UNSUPPORTED, mask=others))

    def jump_flags(self, label: Label, mask: int, flags: int) -> None:
        """Go on at ``label`` if the request's flags under the mask are ``flags``."""
        self.emit(Decide(Kind.JUMP, If.FLAGS, target=label.number, mask=mask, flags=flags))

    def choose(self, mask: int, cases: Mapping[int, Callable[[], None]]) -> None:
        """Execute the choice for the request's flags under the mask; the first one if none fits."""
        (_, first), *others = cases.items()
        labels, done = [self.label() for _ in others], self.label()
        for label, (flags, _) in zip(labels, others, strict=True):
            self.jump_flags(label, mask, flags)
        first()
        for label, (_, case) in zip(labels, others, strict=True):
            if not self._ended():
                self.jump(done)
            self.place(label)
            case()
        self.place(done)

    def _ended(self) -> bool:
        last = self._words[-1]
        return isinstance(last, Decide) and last.kind is Kind.END

    def end(self) -> None:
        """Answer OK."""
        self.emit(Decide(Kind.END))

    def move(
        self,
        source: From | Place,
        sink: To | Place,
        shape: Shape,
        bits: int,
        to: Shape | None = None,
        before: int = 0,
        last: bool = False,
        mode: Mode = Mode.COPY,
        beside: Place | None = None,
        register: int = 0,
    ) -> None:
        """Move data of ``bits`` bits, and convert them from ``shape`` to the shape ``to``.

        ``before``: octets in the first word before the string, which stay. If a string becomes a
        number, its highest ``bits`` bits are used. ``last``: the sink's string ends here.
        ``beside``: the other operand of a mode. ``register``: of the order unit.
        """
        to = shape if to is None else to
        count = words_of(bits)
        octets = octets_of(bits)
        # Bits to the right, of the string as it stands in the words that are read.
        if (shape, to) == ("string", "string"):
            shift = -8 * before
        elif (shape, to) == ("string", "number"):
            shift = WORD * count - bits - 8 * before
        elif (shape, to) == ("number", "number"):
            shift = 0
        else:
            shift = bits - WORD * count
        if to == "number":
            octets = count * WORD // 8
        # To the left is to the right by the rest of a word, and a word less.
        skip = shift < 0
        right = shift % WORD
        reads = words_of(8 * before + (bits if shape == "string" else WORD * count))
        flush = -(-octets // 8) + skip - reads
        if not 0 <= flush <= 1:
            raise ValueError("a move cannot shift that far")
        move = Move(
            source if isinstance(source, From) else From.MEMORY,
            sink if isinstance(sink, To) else To.MEMORY,
            mode,
            octets=octets,
            right=right,
            skip=skip,
            flush=bool(flush),
            last=last,
        )
        if isinstance(source, Place):
            move = replace(move, address=source.address, key=source.key)
        elif beside is not None:
            move = replace(move, address=beside.address, key=beside.key)
        elif source is From.ORDER:
            move = replace(move, address=register)
        if isinstance(sink, Place):
            if sink.key and (isinstance(source, Place) or beside is not None):
                raise ValueError("what goes to a key slot cannot come from memory")
            move = replace(move, target=sink.address, key=move.key or sink.key)
        elif sink is To.ORDER or (source is From.ORDER and beside is not None):
            move = replace(move, target=register)
        self.emit(move)

    # -------------------------------------------------------------- the result
    def program(self) -> list[Word]:
        """Return the words, labels resolved."""
        found: list[Word] = []
        for w in self._words:
            if isinstance(w, Decide) and w.kind is Kind.JUMP:
                target = self._labels[Label(w.target)]
                if target < 0:
                    raise ValueError("a label has no place")
                w = replace(w, target=target)
            found.append(w)
        if len(found) > 1 << PROGRAM_BITS:
            raise ValueError(f"{len(found)} words do not fit a program")
        return found

    @property
    def constants(self) -> list[int]:
        """The words of the constants."""
        return list(self._constants)

    @property
    def texts(self) -> dict[int, str]:
        """What begins at a word, by its number."""
        return dict(self._texts)


def octets_of(bits: int) -> int:
    """Return how many octets hold so many bits."""
    return -(-bits // 8)
