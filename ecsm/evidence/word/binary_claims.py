# SPDX-License-Identifier: Apache-2.0
"""Products and squares modulo a polynomial: see :mod:`ecsm.schedule.sequential.binary`.

x^W is the weight of a word. An operand has as many words as an element; what is above it in a
number is 0, and is written as 0.
"""

from __future__ import annotations

from ecsm.evidence.word.claims import need, no_others, segments, told_once
from ecsm.evidence.word.polynomials import Terms
from ecsm.evidence.word.symbolic import Segment, Symbolic, Wrong
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.modulus import Ring


def _remainder(value: int, f: int) -> int:
    """Return a polynomial modulo f."""
    while value.bit_length() >= f.bit_length():
        value ^= f << value.bit_length() - f.bit_length()
    return value


def _multiple(terms: Terms, f: int) -> bool:
    return not any(_remainder(c, f) for c in terms.values())


def _zeros(run: Symbolic, f: Polynomial) -> list[Segment]:
    """Return the segments that are not zeros above the element; check these."""
    found = segments(run)
    count = f.words - f.used
    for k, s in enumerate(found[len(found) - count :]):
        zero = not s.total and run.places(s) == [(False, f.used + k)]
        need(zero, "a word above the element is not 0")
    rest = found[: len(found) - count]
    told_once(found[-1], 1 if count else len(found[-1].low))
    need(not any(s.last for s in found[:-1]), "the flag is not that of the highest word")
    no_others(run, f.words)
    return rest


def _number(run: Symbolic, side: str, f: Polynomial) -> Terms:
    return run.number(side, f.used, signed=False)


def _whole(run: Symbolic, s: Segment, first: int) -> None:
    """Check that nothing is above the last word, and that the words from one on are the number."""
    need(s.carry == (0, 0), "a bit is above the last word")
    wanted = [(False, k) for k in range(len(s.low) - first)]
    need(run.places(s, first) == wanted, "its words are written elsewhere, or not all of them")


def product(run: Symbolic, ring: Ring) -> str:
    """Show that V is a b / x^(W n), or a b, modulo f."""
    assert isinstance(ring, Polynomial)
    rest = _zeros(run, ring)
    return _folded(run, ring, rest) if ring.folds else _montgomery(run, ring, rest)


def _montgomery(run: Symbolic, f: Polynomial, rest: list[Segment]) -> str:
    need(len(rest) == 1, "it has more than one sum")
    (s,), n, w = rest, f.used, run.words
    _whole(run, s, n)
    need(len(s.low) == 2 * n, "it has more or fewer columns")
    found = w.less(
        s.total, run.lows(s, 0, n), w.product(_number(run, "a", f), _number(run, "b", f))
    )
    need(run.named(found, "w"), f"a b is not all that it adds: {w.told(found)}")
    need(_multiple(found, f.field.poly), "what it adds to a b is no multiple of f")
    return "V x^(W n) = a b + q f"


def _folded(run: Symbolic, f: Polynomial, rest: list[Segment]) -> str:
    """Show V = L + K H modulo f: see the module of these walks.

    A segment's words are all of its sum, but in the last one, whose carry is O.
    """
    w, n, W = run.words, f.used, run.W
    wn = 1 << W * n
    need(len(rest) - bool(f.over) in (2, 3), "it has more or fewer sums")
    upper, *others = rest
    over = others.pop(0) if f.over else None
    lower, *copies = others
    product = w.product(_number(run, "a", f), _number(run, "b", f))
    # The first: columns n - 1 and above, or n and above.
    begins = 2 * n - len(upper.low)
    need(begins in (n - 1, n) and upper.carry == (0, 0), "a bit is above the upper columns")
    low = w.less(product, w.scaled(1 << W * begins, upper.total))  # what is below
    need(w.range(low)[1] < wn, "a lower column reaches the upper half")
    found = list(upper.low)
    base: Terms = {}  # L
    if begins < n:
        first = found.pop(0).symbol
        if first is None:
            raise Wrong("the lowest upper column is lost")
        base = {(first,): 1 << W * (n - 1)}
    base = w.sum(low, base)
    need(w.range(base)[1] < wn, "a lower column reaches the upper half")
    high = run.lows(upper, n - begins)
    k = f.short
    need(_remainder(wn ^ k, f.field.poly) == 0, "K is not x^(W n) modulo f")
    more: Terms = {}  # O
    folded = w.scaled(k, high)  # H K
    if over is not None:
        need(over.carry == (0, 0) and len(over.low) == f.over + 1, "a bit of O is lost")
        new = run.lows(over, 1)
        old = run.lows(upper, n - begins, f.over)
        more = w.less(new, old)
        # The sum is x^W (H's lowest words), and H K from column n - 1 on.
        column = w.less(over.total, w.scaled(1 << W, old))
        beneath = w.less(folded, w.scaled(1 << W * (n - 1), column))
        need(w.range(beneath)[1] < wn, "columns of H K are missing in O")
        need(_below(run, column, k, f.over), "O has more words")
    else:
        need(w.range(folded)[1] < wn, "H K has a bit above the element")
    # The last one: L + (H + O) K.
    whole = w.sum(base, w.scaled(k, w.sum(high, more)))
    difference = w.less(lower.total, whole)  # what begins with x^(W n) is not in V
    need(not any(c % wn for c in difference.values()), "the last sum is another one")
    need((k.bit_length() + max(k.bit_length() - 2, 0)) <= W * n + 1, "O K has a bit too high")
    if copies:
        (copy,) = copies
        need(copy.total == run.lows(lower) and len(lower.low) == n, "the copy is another number")
        _whole(run, copy, 0)
    else:
        need(run.places(lower) == [(False, i) for i in range(n)], "its words are written elsewhere")
    return "V = a b modulo f"


def _below(run: Symbolic, column: Terms, k: int, words: int) -> bool:
    """Whether H K from column n - 1 on has no column behind the words of O."""
    return run.words.range(column)[1] >> run.W * (words + 1) == 0


def reduced(run: Symbolic, ring: Ring) -> str:
    """Show that V is a modulo f, of fewer than m bits, for a of W n bits."""
    assert isinstance(ring, Polynomial)
    w, W, n, m = run.words, run.W, ring.used, ring.bits
    rest = _zeros(run, ring)
    a, above = _number(run, "a", ring), W * n - m
    top: Terms = {}
    need(len(rest) == 1 + bool(above), "it has more or fewer sums")
    if above:
        cut, lower = rest
        need(cut.total == {(run.operand("a", n - 1),): 1 << above}, "h is another number")
        need(cut.carry == (0, 0) and run.places(cut) == [None, (True, 0)], "h is another word")
        symbol = cut.low[1].symbol
        assert symbol is not None
        top = {(symbol,): 1}
    else:
        (lower,) = rest
    added = w.less(lower.total, a, w.scaled(ring.field.poly, top))
    need(not added, f"it adds {w.told(added)} too much")
    tail = (ring.field.poly ^ 1 << m).bit_length()
    need(above + tail - 1 <= m, "a second step is needed")
    need(len(lower.low) == n, "it has more or fewer columns")
    need(run.places(lower) == [(False, k) for k in range(n)], "its words are written elsewhere")
    return "V = a modulo f"
