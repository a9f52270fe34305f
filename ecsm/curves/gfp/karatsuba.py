# SPDX-License-Identifier: Apache-2.0
"""Bilinear schemes for the product of two numbers of n limbs, with fewer than n^2 products.

Two halves are multiplied by Karatsuba's method, three thirds by its form for three parts (six
products), recursively down to single limbs.

Source: A. Weimerskirch, C. Paar, "Generalizations of the Karatsuba algorithm for efficient
implementations" (2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

Column = dict[int, int]  # product -> 1 or -1


@dataclass(frozen=True)
class Scheme:
    """How a product is made.

    ``picks[j]``: the limbs (bits of a mask) whose sums product j multiplies; ``columns[k]``: which
    products are added to column k (1) and which subtracted (-1).
    """

    picks: tuple[int, ...]
    columns: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def most_limbs(self) -> int:
        """The most limbs that one sum has."""
        return max(p.bit_count() for p in self.picks)


def _parts(limbs: list[int], picks: list[int]) -> list[Column]:
    """Add the products of numbers whose limbs are the sums ``limbs``; return the columns."""
    n = len(limbs)
    if n == 1:
        picks.append(limbs[0])
        return [{len(picks) - 1: 1}]
    count = next((c for c in (2, 3) if n % c == 0), n)
    size = n // count
    parts = [limbs[i * size : (i + 1) * size] for i in range(count)]
    squares = [_parts(part, picks) for part in parts]
    columns: list[Column] = [{} for _ in range(2 * n - 1)]

    def add(at: int, part: list[Column], sign: int) -> None:
        for k, column in enumerate(part):
            for product, c in column.items():
                total = columns[at + k].get(product, 0) + sign * c
                columns[at + k][product] = total

    for i, square in enumerate(squares):
        add(2 * i * size, square, 1)
    for i in range(count):
        for j in range(i):
            both = [a | b for a, b in zip(parts[i], parts[j], strict=True)]
            at = (i + j) * size
            add(at, _parts(both, picks), 1)
            add(at, squares[i], -1)
            add(at, squares[j], -1)
    return columns


@lru_cache(maxsize=32)
def scheme(limbs: int) -> Scheme:
    """Return the scheme for numbers of so many limbs: 3 products for 2, 6 for 3, 9 for 4."""
    picks: list[int] = []
    columns = _parts([1 << i for i in range(limbs)], picks)
    rows = []
    for column in columns:
        if any(abs(c) > 1 for c in column.values()):
            raise ValueError("a product is needed twice in a column")
        rows.append(tuple(sorted((j, c) for j, c in column.items() if c)))
    return Scheme(tuple(picks), tuple(rows))
