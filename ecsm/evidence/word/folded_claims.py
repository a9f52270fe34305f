# SPDX-License-Identifier: Apache-2.0
"""Products modulo k p = U - c, which are folded: see :mod:`ecsm.schedule.sequential.folded`."""

from __future__ import annotations

from ecsm.evidence.word.claims import fits, need, no_others, segments, told_once, written
from ecsm.evidence.word.polynomials import Terms
from ecsm.evidence.word.symbolic import Segment, Symbolic
from ecsm.schedule.sequential.folded import MORE, Folded
from ecsm.schedule.sequential.modulus import Modulus


def product(run: Symbolic, m: Modulus) -> str:
    """Show V = a b - q p for |a b| <= U^2 2^22, and the range of V.

    With H, the sum of the columns from U on, and t, what is above U of a b - (U - c) H: both are
    words that are written and read again, the highest one signed. Their sums are those of the first
    and the second segment, if they fit; then V - a b is a sum of multiples of U - c.
    """
    assert isinstance(m, Folded)
    w, n, top, W = run.words, m.words, m.words - 1, run.W
    found = segments(run)
    need(len(found) == 3, "it has more or fewer sums")
    upper, middle, lower = found
    written(run, upper, 0, n, scratch=True)
    places = [(True, k) for k in [*range(top), n, n + 1]]
    need(run.places(middle) == places, "a word of the second sum is written elsewhere")
    written(run, lower, 0, n)
    no_others(run, n)
    told_once(lower, n)
    need(m.above % m.p == m.fold % m.p, "the fold is another one")
    most = m.above**2 << MORE
    product = w.product(run.number("a", n), run.number("b", n))
    below = w.less(product, w.scaled(m.above, upper.total))  # a b - U T
    lo, hi = w.range(below)
    need(lo >= 0, "the columns below U have signs")
    ends = (-most - hi) // m.above, -(-most // m.above)
    fits(*ends, W * n)
    high = _signed(run, upper)
    # T of the second: the columns below U, and c H.
    folded = w.less(middle.total, below, w.scaled(m.fold, high))
    need(not folded, f"the second sum has {w.told(folded)} too much")
    t_ends = (m.fold * ends[0]) // m.above, (hi + m.fold * ends[1]) // m.above
    fits(*t_ends, 2 * W)
    whole = _signed(run, middle)
    t = w.scaled(1, {k: v >> W * top for k, v in whole.items() if v >> W * top})
    # V - a b, with T = H and T = the second's words: what is left is -(U - c) (H + t).
    rest = w.less(lower.total, product)
    rest = w.sum(rest, w.less(middle.total, whole))
    rest = w.sum(rest, w.scaled(m.above, w.less(upper.total, high)))
    wanted = w.scaled(m.fold - m.above, w.sum(high, t))
    need(not w.less(rest, wanted), "what it adds to a b is no multiple of p")
    need((m.above - m.fold) % m.p == 0, "U - c is no multiple of p")
    v = m.fold * t_ends[0], m.above - 1 + m.fold * t_ends[1]
    fits(*v, W * n)
    need(max(v[1], -v[0]) <= m.bound(m.above, m.above << MORE), "the bound is another one")
    return f"V = a b - q p for |a b| <= 2^{most.bit_length() - 1}"


def _signed(run: Symbolic, s: Segment) -> Terms:
    """Return the words of a segment, the highest one as a signed word."""
    w, symbol = run.words, s.low[-1].symbol
    assert symbol is not None
    rest = run.lows(s, 0, len(s.low) - 1)
    need(symbol in run.signed, "the highest word is not read with its sign")
    return w.sum(rest, {(run.signed[symbol],): 1 << run.W * (len(s.low) - 1)})
