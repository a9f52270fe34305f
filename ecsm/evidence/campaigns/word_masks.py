# SPDX-License-Identifier: Apache-2.0
"""The random bits that change digits of a word engine: a shift register with linear feedback.

It is seeded once for each product and moves in every cycle (rtl/word/word_core.sv). All that is
taken of it is linear in its 32 bits. So who sees one of its bits at each of 32 digits or more knows
it at all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor

import numpy as np
import numpy.typing as npt

STATE = 32  # bits of the register
TAPS = (31, 21, 1, 0)  # x^32 + x^22 + x^2 + x + 1
TRIES = 3  # different digits that the register is computed from
Numbers = npt.NDArray[np.int64]


class Register:
    """The register at digits, as it was at the first one: each bit then is a sum of bits.

    ``order``: how many bits change the order of entries. They are the lowest ones, and the one
    above changes the sign, unless ``taken`` names for each of them the bits whose sum it is.
    """

    def __init__(
        self, cycles: Sequence[int], order: int, taken: Sequence[Sequence[int]] = ()
    ) -> None:
        """``cycles``: in which each digit is taken, or as many before."""
        sums = taken or [[i] for i in range(order + 1)]
        rows, at, found = [1 << i for i in range(STATE)], cycles[0], []
        for cycle in cycles:
            for _ in range(cycle - at):
                feedback = 0
                for tap in TAPS:
                    feedback ^= rows[tap]
                rows = [feedback, *rows[:-1]]
            at = cycle
            found.append([reduce(xor, (rows[i] for i in of)) for of in sums])
        bits = np.array(found, dtype=np.int64)[:, :, None] >> np.arange(STATE) & 1
        self._order, self._sign = bits[:, :order], bits[:, order]
        parts = (len(cycles) * i // TRIES for i in range(TRIES))
        self._solved = [s for p in parts if (s := _inverse(self._sign, p)) is not None]

    def orders(self, signs: Numbers) -> tuple[Numbers, npt.NDArray[np.float64]]:
        """Return the numbers that change the order, a row for each digit, a column for each lane.

        ``signs``: the bits that change the sign, as they were seen; some may be wrong. With the
        numbers comes the share of these bits that agrees in each lane, of those that the register
        was not computed from; 0 if nothing is known.
        """
        best = np.zeros(signs.shape[1])
        state = np.zeros((STATE, signs.shape[1]), dtype=np.int64)
        for chosen, inverse in self._solved:
            tried = inverse @ signs[chosen] & 1
            rest = np.delete(np.arange(len(signs)), chosen)  # the others agree whatever they are
            agrees = ((self._sign[rest] @ tried & 1) == signs[rest]).sum(axis=0) / max(1, len(rest))
            state = np.where(agrees > best, tried, state)
            best = np.maximum(agrees, best)
        numbers = np.zeros_like(signs)
        for bit in range(self._order.shape[1]):
            numbers += (self._order[:, bit] @ state & 1) << bit
        return numbers, best


def _inverse(rows: Numbers, first: int) -> tuple[list[int], Numbers] | None:
    """Return STATE rows, from ``first`` on and around, that are independent, and their inverse."""
    basis: dict[int, tuple[int, int]] = {}  # by the highest bit: a sum of rows, and which ones
    chosen: list[int] = []
    for number in (*range(first, len(rows)), *range(first)):
        row, which = sum(int(b) << i for i, b in enumerate(rows[number])), 1 << len(chosen)
        while row and row.bit_length() in basis:
            other, names = basis[row.bit_length()]
            row, which = row ^ other, which ^ names
        if row:
            basis[row.bit_length()] = row, which
            chosen.append(number)
    if len(chosen) < STATE:
        return None
    inverse = np.zeros((STATE, STATE), dtype=np.int64)
    known: list[tuple[int, int]] = []  # a single bit of the state, and the rows that it is
    for bit in range(1, STATE + 1):
        row, which = basis[bit]
        for i, names in known:
            if row >> i & 1:
                row, which = row ^ 1 << i, which ^ names
        known.append((bit - 1, which))
        inverse[bit - 1] = which >> np.arange(STATE) & 1
    return chosen, inverse
