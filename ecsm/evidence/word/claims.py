# SPDX-License-Identifier: Apache-2.0
"""What each walk computes, shown of what its slots add up to (:mod:`.symbolic`).

Each function shows the claim of a kind of walk, or raises Wrong, and returns it in words. V is the
number that is written; R is 2^(W n) for numbers of n words. A sum of the words that are written is
V modulo R; it is V if V is from -R/2 to R/2 - 1, since the highest word is signed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.evidence.word.polynomials import Terms
from ecsm.evidence.word.symbolic import Masks, Segment, Symbolic, Wrong
from ecsm.evidence.word.tables import Tables
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.walk import OCTETS, PIECES, TURNED, Slot


def need(holds: bool, what: str) -> None:
    """Raise Wrong unless a claim holds."""
    if not holds:
        raise Wrong(what)


def segments(run: Symbolic) -> list[Segment]:
    """Return the segments that add or write something, or tell of a number."""
    return [s for s in run.segments if s.total or s.low or s.last]


def only(run: Symbolic) -> Segment:
    """Return the only segment."""
    found = segments(run)
    need(len(found) == 1, "it has not one sum, but more or none")
    return found[0]


def written(run: Symbolic, s: Segment, first: int, words: int, scratch: bool = False) -> None:
    """Check that the low words from one on are those of a number, and no others of it."""
    wanted = [(scratch, k) for k in range(words)]
    need(run.places(s, first) == wanted, "its words are written elsewhere, or not all of them")


def no_others(run: Symbolic, words: int) -> None:
    """Check that words of d are written once each, and no word behind the number."""
    found = {to: len(v) for (away, to), v in run.written.items() if not away}
    need(found == dict.fromkeys(range(words), 1), "it writes other words of d than the number's")


def told_once(s: Segment, columns: int) -> None:
    """Check that the flag is told with the number's highest word, and only there."""
    need([at for at, _, _ in s.last] == [columns], "the flag is not that of the highest word")


def told_at_end(walk: Sequence[Slot]) -> None:
    """Check that flags are told with the last word of d that is written, or of what is written."""
    words = [i for i, s in enumerate(walk) if s.write and not s.to_scratch]
    words = words or [i for i, s in enumerate(walk) if s.write]
    told = [i for i, s in enumerate(walk) if s.last]
    need(told == words[-1:], "the flag is not that of the last word")


def equal(run: Symbolic, found: Terms, wanted: Terms) -> None:
    """Check that two polynomials are the same."""
    if more := run.words.less(found, wanted):
        raise Wrong(f"it adds {run.words.told(more)} too much")


def fits(lo: int, hi: int, bits: int) -> None:
    """Check that a number fits signed words."""
    half = 1 << bits - 1
    need(-half <= lo <= hi < half, "its result may not fit the words of a number")


# ------------------------------------------------------------------------------ products
def montgomery(run: Symbolic, m: Modulus) -> str:
    """Show V R = a b + q p, with q from 0 to as many R as ``rests`` says, for any a and b."""
    w, n, s = run.words, m.words, only(run)
    written(run, s, n, n)
    no_others(run, n)
    told_once(s, 2 * n)
    a, b = run.number("a", n), run.number("b", n)
    quotient = w.less(s.total, run.lows(s, 0, n), w.product(a, b))
    need(run.named(quotient, "w"), f"a b is not all that it adds: {w.told(quotient)}")
    need(all(c % m.p == 0 for c in quotient.values()), "what it adds to a b is no multiple of p")
    lo, hi = w.range(quotient)
    need(lo >= 0 and hi <= m.rests * m.radix * m.p, "it adds more of p than the bound says")
    largest = m.radix >> 1
    need(-(-(largest**2 + hi) // m.radix) <= m.bound(largest, largest), "the bound is another one")
    fits(-(largest**2) // m.radix, (largest**2 + hi) // m.radix, run.W * n)
    return f"V R = a b + q p, 0 <= q <= {m.rests} R"


# ------------------------------------------------------------------------------ sums
def linear(run: Symbolic, wanted: Terms, words: int, scratch: bool = False) -> None:
    """Check that V is a sum that adds up column by column, wherever it fits."""
    s = only(run)
    equal(run, s.total, wanted)
    written(run, s, 0, words, scratch)
    no_others(run, 0 if scratch else words)
    told_once(s, words)


def total(
    tables: Tables, walk: Sequence[Slot], left: int, right: int, sign: int = 1,
    scratch: bool = False, carryless: bool = False,
) -> str:  # fmt: skip
    """Show V = a + b, or a - b; with masks: a, b, or the entry b of a table."""
    for masks in (Masks(), Masks(left=False), Masks(right=False)):
        run = Symbolic(tables, walk, masks=masks)
        a, b = run.number("a", left, not carryless), run.number("b", right, not carryless)
        parts = [a] * masks.left + [run.words.scaled(sign, b)] * masks.right
        linear(run, run.words.sum(*parts), max(left, right), scratch)
    return f"V = a {'^' if carryless else '+' if sign > 0 else '-'} b"


def times(run: Symbolic, by: int, words: int) -> str:
    """Show V = by a."""
    linear(run, run.words.scaled(by, run.number("a", words)), words)
    return f"V = {by} a"


def expand(run: Symbolic, left: int, right: int) -> str:
    """Show V = a b of unsigned words: nothing is above the last one."""
    s, w = only(run), run.words
    a, b = run.number("a", left, signed=False), run.number("b", right, signed=False)
    equal(run, s.total, w.product(a, b))
    written(run, s, 0, left + right)
    no_others(run, left + right)
    need(w.range(s.total)[1] >> run.W * (left + right) == 0, "a product may be too long")
    return "V = a b"


# ------------------------------------------------------------------------------ strings, digits
def shifted(run: Symbolic, right: int, bits: int, words: int) -> str:
    """Show V = the floor of a 2^-right, modulo R.

    In column 0 is what is lost. Lower words of a than it has add less than one there, since what is
    added is a multiple of 2^(-right modulo W).
    """
    W, s = run.W, only(run)
    by, over = 1 << -right % W, -(-right // W)
    a = {i: run.operand("a", i) for i in range(-(-bits // W))}
    wanted: Terms = {(a[i],): by << W * (i - over + 1) for i in a if 0 <= i - over + 1 <= words}
    equal(run, s.total, wanted)
    need(run.places(s)[:1] == [None], "the word that is lost is written")
    written(run, s, 1, words)
    no_others(run, words)
    return "V = floor(a 2^-s) mod R"


def digit(run: Symbolic, bits: int, words: int) -> str:
    """Show V + R digit = 2^bits a, with words of a without signs."""
    s, w = segments(run)[0], run.words
    need(not any(x.low or x.last for x in segments(run)[1:]), "it writes more than a number")
    equal(run, s.total, w.scaled(1 << bits, run.number("a", words, signed=False)))
    written(run, s, 0, words)
    no_others(run, words)
    told_once(s, words)
    need(w.range(s.total)[1] >> run.W * words < 1 << bits, "the digit has more bits")
    need(not s.last[0][2], "the digit is taken bit by bit")
    return "V + R digit = 2^4 a"


def gather(run: Symbolic, bits: int) -> str:
    """Show of each piece: it becomes twice itself, and the digit gets the bit above it."""
    words, W = -(-bits // run.W), run.W
    pieces = [s for s in segments(run) if s.low or s.last]
    need(len(pieces) == PIECES, "there are more or fewer pieces")
    for i, s in enumerate(pieces):
        wanted: Terms = {(run.operand("a", i * words + k),): 2 << W * k for k in range(words)}
        equal(run, s.total, wanted)
        places = [(False, i * words + k) for k in range(words)]
        need(run.places(s) == places, "a piece is written elsewhere")
        told_once(s, words)
        above, serial = s.last[0][1:]
        need(above[0] >= 0 and above[1] <= 1 and serial, "not one bit leaves a piece")
    no_others(run, PIECES * words)
    return "each piece: V + 2^(W w) bit = 2 a"


def spread(run: Symbolic, first: int, step: int, bits: int) -> str:
    """Show that the highest bits of piece i are a's from ``first + i step`` on.

    A piece is a 2^x, x so that its last bit comes to the top of its words, less what is above them.
    Words of a below those that it takes would change only bits below.
    """
    W, words = run.W, -(-bits // run.W)
    found = segments(run)
    need(len(found) == PIECES, "there are more or fewer pieces")
    for i, s in enumerate(found):
        end = first + step * i + bits
        low = -(-end // W) - words
        lost = len(s.low) - words
        need(lost in (0, 1) and W * (low - lost) <= end - bits, "bits of a piece are missing")
        wanted: Terms = {(run.operand("a", low + k),): 1 << -end % W << W * (k + lost)
                  for k in range(-lost, words) if low + k >= 0}  # fmt: skip
        equal(run, s.total, wanted)
        need(run.places(s)[:lost] == [None] * lost, "a word below a piece is written")
        places = [(False, i * words + k) for k in range(words)]
        need(run.places(s, lost) == places, "a piece is written elsewhere")
    no_others(run, PIECES * words)
    return "each piece: its top bits are a's"


def parity(run: Symbolic) -> str:
    """Show that the sign of the word is the lowest bit of a."""
    s = only(run)
    equal(run, s.total, {(run.operand("a", 0),): 1 << run.W - 1})
    need(run.places(s) == [(True, 0)], "a word of a number is written")
    told_once(s, 1)
    no_others(run, 0)
    return "the sign is a mod 2"


def peel(run: Symbolic, first: int) -> str:
    """Show that its words are those of a, divided by 2^8, 2^16, 2^24 and 1, rounded down."""
    found = segments(run)
    need(len(found) == TURNED * OCTETS, "there are more or fewer words")
    for i, s in enumerate(found):
        k, part = i // OCTETS, i % OCTETS + 1
        cut = part < OCTETS
        by = 1 << run.W - 8 * part if cut else 1
        equal(run, s.total, {(run.operand("a", first + k),): by})
        wanted = [None] * cut + [(False, TURNED * (part - 1) + k)]
        need(run.places(s) == wanted, "a word is written elsewhere")
    no_others(run, TURNED * OCTETS)
    return "V = a / 2^8, 2^16, 2^24, 1, rounded down"


def turn(run: Symbolic, first: int) -> str:
    """Show that its words are a's octets in the other order, modulo 2^W.

    Of a word w, which :func:`peel` made w[i] = floor(w / 2^(8 i)) of, octet i is w[i] - 2^8 w[i+1].
    """
    found = segments(run)
    need(run.W == 8 * OCTETS and len(found) == TURNED + (first == 0), "it has other words")
    parts = [OCTETS - 1, *range(OCTETS - 1)]
    for k, s in zip(reversed(range(TURNED)), found, strict=False):
        more: Terms = {}
        for i, part in enumerate(parts):
            octet = 1 << 8 * (OCTETS - 1 - i)
            above = 1 << 8 * (OCTETS + 1 - i) if i else 0
            more[(run.operand("a", TURNED * part + k),)] = octet - above
        difference = run.words.less(s.total, more)
        need(not any(c & run.all for c in difference.values()), "an octet has another weight")
        need(run.places(s) == [(False, first + TURNED - 1 - k)], "a word is written elsewhere")
    if first == 0:
        need(not found[-1].total and run.places(found[-1]) == [(False, TURNED)],
             "the word above is not 0")  # fmt: skip
    words = {to for (away, to) in run.written if not away}
    need(words == set(range(first, first + TURNED + (first == 0))), "it writes other words")
    return "V = the octets of a in the other order"
