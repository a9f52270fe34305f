# SPDX-License-Identifier: Apache-2.0
"""Inversion by divsteps in constant time: the mathematics and the timing of gfp_divsteps.sv.

A divstep works on (delta, f, g), f odd; delta starts at 1/2, f at p, g at the value to invert::

    delta > 0 and g odd:   (1 - delta, g, (g - f) / 2)
    else:                  (1 + delta, f, (g + (g mod 2) f) / 2)

The implementation stores zeta = -(delta + 1/2), an integer that is negative when delta is positive.
After :func:`steps_needed` steps g = 0 and f = +-gcd(p, g). A batch of n steps is a matrix M with
2^n (f', g') = M (f, g). Each batch also computes (d, e) <- M (d, e) mod p, starting from (0, c). At
the end d = sign(f) 2^steps c / g mod p, which for c = 2^-steps is +-1/g.

If g = 0 mod p, then f ends as +-p, and d depends on the residue: 0 for g = 0, but not for g = p.

Source: Bernstein, Yang, Fast constant-time gcd computation and modular inversion (TCHES 2019);
the start at 1/2 is Pieter Wuille's (libsecp256k1, doc/safegcd_implementation.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    """(delta, f, g) with zeta = -(delta + 1/2); f is odd."""

    zeta: int
    f: int
    g: int


@dataclass(frozen=True)
class Matrix:
    """M = [[u, v], [q, r]] of n divsteps: |u| + |v| and |q| + |r| are at most 2^n."""

    u: int
    v: int
    q: int
    r: int

    def apply(self, x: int, y: int) -> tuple[int, int]:
        """Return M (x, y)."""
        return self.u * x + self.v * y, self.q * x + self.r * y


def start(p: int, g: int) -> State:
    """Return the state before the first step, delta = 1/2; p must be odd."""
    if p % 2 == 0:
        raise ValueError("divsteps need an odd modulus")
    return State(-1, p, g)


def batch(s: State, steps: int) -> tuple[Matrix, State]:
    """Return the matrix of ``steps`` divsteps and the state behind them."""
    zeta, f, g = s.zeta, s.f, s.g
    u, v, q, r = 1, 0, 0, 1
    for _ in range(steps):
        if g % 2 == 0:
            zeta, g = zeta - 1, g // 2
            u, v = 2 * u, 2 * v
        elif zeta < 0:
            zeta, f, g = -zeta - 2, g, (g - f) // 2
            u, v, q, r = 2 * q, 2 * r, q - u, r - v
        else:
            zeta, g = zeta - 1, (g + f) // 2
            u, v, q, r = 2 * u, 2 * v, q + u, r + v
    return Matrix(u, v, q, r), State(zeta, f, g)


def steps_needed(p: int, g_max: int) -> int:
    """Return a number of steps after which g = 0 for every 0 <= g <= ``g_max``.

    For g <= p <= 2^d it is (9437 d + 1) / 4096, rounded up: 590 for 256 bits. This is proven for
    every d (s2n-bignum, Divstep/divstep_bounds.ml, DIVSTEP_ENDTOEND_BITS_SIMPLE).

    For g above p, both below 2^d, it is the formula (45907 d + 26313) / 19929 of Wuille's analysis,
    rounded down, plus 1: 592 for 256 bits. That analysis (github.com/sipa/safegcd-bounds) follows,
    for each delta, the convex hull of all real (f, g) that can occur, and assumes g <= f. For the
    whole square 0 <= f, g <= 2^d the hulls need up to 1 step more than the formula (found for d up
    to 100 and for 224 ... 227, 256 ... 259, 384, 386, 521, 523, 578).
    """
    if g_max <= p:
        d = p.bit_length()
        return -(-(9437 * d + 1) // 4096)
    d = max(p.bit_length(), g_max.bit_length())
    return (45907 * d + 26313) // 19929 + 1


@dataclass(frozen=True)
class Divsteps:
    """Parameters of a gfp_divsteps, and its timing; cycle 0 is that of start_i.

    Args:
        batch: steps in a batch (Batch), a multiple of ``per_cycle``.
        per_cycle: steps in a cycle (PerCycle), 1 or 2.
        batches: batches in a run (NumBatch).
        rest: cycles of a batch in which nothing happens (Rest).
    """

    batch: int
    per_cycle: int
    batches: int
    rest: int = 0

    def __post_init__(self) -> None:
        if self.per_cycle not in (1, 2) or self.batch < 1 or self.batch % self.per_cycle:
            raise ValueError("per_cycle must be 1 or 2, batch a multiple of it")
        if self.batches < 1:
            raise ValueError("there must be a batch")
        if self.rest < 0:
            raise ValueError("no batch rests less than not at all")

    @classmethod
    def enough(cls, p: int, g_max: int, batch: int, per_cycle: int, rest: int = 0) -> Divsteps:
        """Return the unit with as many batches as ``g_max`` and p need."""
        return cls(batch, per_cycle, -(-steps_needed(p, g_max) // batch), rest)

    @property
    def steps(self) -> int:
        """Steps of a run."""
        return self.batch * self.batches

    @property
    def first(self) -> int:
        """First cycle in which the matrix of batch 0 is on the outputs."""
        return self.period + 2

    @property
    def period(self) -> int:
        """Cycles for which each matrix is there: the steps', one to pass carries, the rest."""
        return self.batch // self.per_cycle + 1 + self.rest

    def ready(self, index: int) -> int:
        """First cycle in which the matrix of batch ``index`` is on the outputs."""
        return self.first + index * self.period

    @property
    def latency(self) -> int:
        """First cycle with the last matrix and negative_o, and in which busy_o is low again."""
        return self.ready(self.batches - 1)

    def scale(self, p: int) -> int:
        """Return c = 2^-steps mod p, the first e."""
        return pow(2, -self.steps, p)

    def run(self, p: int, g: int) -> Iterator[tuple[Matrix, State]]:
        """Yield every batch's matrix and the state behind it."""
        s = start(p, g)
        for _ in range(self.batches):
            m, s = batch(s, self.batch)
            yield m, s

    def inverse(self, p: int, matrices: Iterable[Matrix], negative: bool) -> int:
        """Return 1/g mod p from a run's matrices and the sign of its last f."""
        d, e = 0, self.scale(p)
        for m in matrices:
            x, y = m.apply(d, e)
            d, e = x % p, y % p
        return -d % p if negative else d


def negative(f: int) -> bool:
    """Whether negative_o is set for the last f: f = 3 mod 4, which is f < 0 where f = +-1."""
    return f % 4 == 3
