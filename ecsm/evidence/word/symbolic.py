# SPDX-License-Identifier: Apache-2.0
"""A walk on symbols: what its slots add up to, word for word.

The slots from one with ``first`` to the next are a *segment*. With T the sum of all that is added
in it, each term times 2^(W k) in column k, and low[k] the low word of column k,

    T = sum of low[k] 2^(W k), plus 2^(W K) c,

c being what is left above the last column. This is so by the slot alone (:mod:`.slots`), and needs
no bound. What a word is called says what is known of it: ``a3`` is word 3 of the left operand,
unsigned; ``a8s`` the highest one, signed; ``w5.1`` the first version of word 5 of the scratch
number. A low word that nobody reads and no slot writes is a symbol too, unless it must be 0 modulo
2^W because of how the words in its column were made.

Beside it, in every slot: bounds of the accumulator against its width, and what a read sees. A slot
reads a word of the scratch number that was written seven slots before, or earlier; the sixth slot
would read while the word is written, which the memory leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ecsm.evidence.word.polynomials import Terms, Words
from ecsm.evidence.word.tables import Tables
from ecsm.schedule.sequential.walk import DISTANCE, GUARD, TURN, Slot


class Wrong(ValueError):
    """A claim of a walk does not hold."""


@dataclass
class Low:
    """The low word of a column: its symbol, None if it is 0; and where it is written."""

    symbol: int | None
    written: tuple[bool, int] | None = None  # to the scratch number or to d, which word


@dataclass
class Segment:
    """``total``: T. ``digits``: for each slot with ``last`` the columns before, and c there."""

    total: Terms = field(default_factory=dict)
    low: list[Low] = field(default_factory=list)
    last: list[tuple[int, tuple[int, int], bool]] = field(default_factory=list)
    carry: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Masks:
    """What counts of a sum's operands."""

    left: bool = True
    right: bool = True


class Symbolic:
    """A run of a walk. ``same``: the operands are one number. Raises :class:`Wrong`."""

    def __init__(
        self, tables: Tables, walk: Sequence[Slot], same: bool = False, masks: Masks | None = None
    ) -> None:
        self.tables, self.walk, self.same = tables, walk, same
        self.masks = masks or Masks()
        self.W, self.all = tables.W, (1 << tables.W) - 1
        if not walk:
            raise Wrong("it has no end")
        if any(s.turn for s in walk[1 - TURN :]):
            raise Wrong("it ends twice")
        if len({s.carryless for s in walk}) > 1:
            raise Wrong("it has slots of numbers and of polynomials")
        self.words = Words(walk[0].carryless)
        self.segments: list[Segment] = []
        self.written: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        self.signed: dict[int, int] = {}  # the symbol of a word: that of it as a signed one
        self._run()

    # ---------------------------------------------------------------- operands
    def operand(self, side: str, word: int, signed: bool = False) -> int:
        """Return the symbol of a word of an operand."""
        side = "a" if self.same else side
        half = self.all + 1 >> 1
        ends = (-half, half - 1) if signed else (0, self.all)
        return self.words.symbol(f"{side}{word}{'s' * signed}", *ends)

    def number(self, side: str, words: int, signed: bool = True) -> Terms:
        """Return an operand of so many words, the highest one signed if it says so."""
        found: Terms = {}
        for i in range(words):
            top = signed and i == words - 1
            found[(self.operand(side, i, top),)] = 1 << self.W * i
        return found

    def _left(self, s: Slot, at: int) -> Terms:
        if not s.scratch_a:
            return {(self.operand("a", s.offset_a, s.signed_a),): 1}
        return {(self._scratch(s.offset_a, at, s.signed_a),): 1}

    def _scratch(self, word: int, at: int, signed: bool) -> int:
        """Return the symbol of a word of the scratch number that a slot reads."""
        versions = self.written.get((True, word), [])
        if any(at - t == DISTANCE - 1 for t, _ in versions):
            raise Wrong(f"slot {at} reads scratch word {word} while it is written")
        seen = [symbol for t, symbol in versions if at - t >= DISTANCE]
        if not seen:
            return self.words.symbol(f"old w{word}", 0, self.all)
        if not signed:
            return seen[-1]
        if seen[-1] not in self.signed:
            half, name = self.all + 1 >> 1, self.words.names[seen[-1]]
            self.signed[seen[-1]] = self.words.symbol(f"{name}s", -half, half - 1)
        return self.signed[seen[-1]]

    def _right(self, s: Slot) -> Terms:
        if not s.const_b:
            return {(self.operand("b", s.offset_b, s.signed_b),): 1}
        if s.offset_b >= len(self.tables.values):
            raise Wrong(f"there is no constant {s.offset_b}")
        value = self.tables.constant(s.offset_b, s.signed_b)
        return {(): value} if value else {}

    def _term(self, s: Slot, at: int) -> Terms:
        w, right = self.words, self._right(s)
        if not s.sum:
            if not right:
                return {}
            if s.carryless and (s.doubled or s.signed_a or s.signed_b):
                raise Wrong("a polynomial is doubled or has a sign")
            return w.scaled(1 + s.doubled, w.product(self._left(s, at), right))
        if s.carryless and s.subtract:
            raise Wrong("polynomials are subtracted")
        left = self._left(s, at) if self.masks.left else {}
        right = right if self.masks.right else {}
        return w.less(left, right) if s.subtract else w.sum(left, right)

    # ---------------------------------------------------------------- slots
    def _run(self) -> None:
        w, W = self.words, self.W
        limit = 1 << 2 * W + GUARD - 1
        carry = (0, 0)
        column: Terms = {}  # of this column, what comes from below as a symbol of its own
        bounds, shift = (0, 0), False
        peeks: list[tuple[int, Terms]] = []
        pending: Low | None = None
        segment: Segment | None = None
        for at, s in enumerate(self.walk):
            if s.first:
                self._end(segment, pending, bounds)
                segment, column, bounds, peeks, pending = Segment(), {}, (0, 0), [], None
                self.segments.append(segment)
            elif segment is None:
                raise Wrong("it goes on with what the walk before left")
            elif shift:
                carry = bounds[0] >> W, bounds[1] >> W
                symbol = w.symbol(f"carry to slot {at}", *carry)
                column, bounds, peeks, pending = {(symbol,): 1}, carry, [], None
            term = self._term(s, at)
            if term:
                pending = None
            column = w.sum(column, term)
            more = w.range(term)
            if w.carryless:
                bounds = 0, max(bounds[1], more[1])
            else:
                bounds = bounds[0] + more[0], bounds[1] + more[1]
            if not -limit <= bounds[0] <= bounds[1] < limit:
                raise Wrong(f"the accumulator may overflow in slot {at}")
            place = 1 << W * len(segment.low)
            segment.total = w.sum(segment.total, w.scaled(place, term))
            if s.write:
                key = s.to_scratch, s.to
                versions = self.written.setdefault(key, [])
                letter = "w" if s.to_scratch else "d"
                if pending is None or pending.symbol is None:
                    name = f"{letter}{s.to}.{len(versions) + 1}"
                    top = bounds[1] if bounds[0] >= 0 and bounds[1] < self.all else self.all
                    symbol = w.symbol(name, 0, top)
                    peeks.append((symbol, column))
                else:
                    symbol = pending.symbol
                versions.append((at, symbol))
                pending = Low(symbol, key)
            if s.last:
                if not s.write:
                    raise Wrong("a slot without a word has the last one")
                above = bounds[0] >> W, bounds[1] >> W
                segment.last.append((len(segment.low) + 1, above, s.doubled))
            if s.shift:
                segment.low.append(pending or self._lost(column, peeks, at))
                pending = None
            shift = s.shift
        self._end(segment, pending, bounds)

    def _end(self, segment: Segment | None, pending: Low | None, bounds: tuple[int, int]) -> None:
        if segment is None:
            return
        if pending:
            segment.low.append(pending)
        segment.carry = bounds[0] >> self.W, bounds[1] >> self.W

    def _lost(self, column: Terms, peeks: Sequence[tuple[int, Terms]], at: int) -> Low:
        """Return a low word that is not written: 0, if its column is 0 modulo 2^W."""
        w = self.words
        for symbol, made in reversed(peeks):
            kept: Terms = {}
            for m, c in column.items():
                if m.count(symbol) == 1:
                    rest = tuple(x for x in m if x != symbol)
                    kept = w.sum(kept, w.product({rest: c}, made))
                else:
                    kept = w.sum(kept, {m: c})
            column = {m: c & self.all for m, c in kept.items() if c & self.all}
        if not any(c & self.all for c in column.values()):
            return Low(None)
        return Low(w.symbol(f"lost in slot {at}", 0, self.all))

    # ---------------------------------------------------------------- what is known
    def lows(self, segment: Segment, first: int = 0, count: int | None = None) -> Terms:
        """Return the sum of low words from one on, the first one with weight 1."""
        chosen = segment.low[first:] if count is None else segment.low[first : first + count]
        found: Terms = {}
        for k, low in enumerate(chosen):
            if low.symbol is not None:
                found = self.words.sum(found, {(low.symbol,): 1 << self.W * k})
        return found

    def places(self, segment: Segment, first: int = 0) -> list[tuple[bool, int] | None]:
        """Return where the low words from one on are written."""
        return [low.written for low in segment.low[first:]]

    def named(self, terms: Mapping[tuple[int, ...], int], *letters: str) -> bool:
        """Return whether a polynomial's symbols all begin with one of these letters."""
        return all(self.words.names[s].startswith(letters) for m in terms for s in m)
