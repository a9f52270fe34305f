# SPDX-License-Identifier: Apache-2.0
"""Itoh-Tsujii inversion: g^-1 = (g^(2^(m-1) - 1))^2.

With beta_i = g^(2^i - 1), beta_(i+j) = beta_i^(2^j) * beta_j. The chain below doubles i up to the
leading power of two of m-1, and adds the lower powers in parallel. So its depth is
ceil(log2(m-1)) products and its length floor(log2(m-1)) + popcount(m-1) - 1. Both are minimal.
Source: T. Itoh, S. Tsujii, Information and Computation 78 (1988).
"""

from __future__ import annotations

from ecsm.formulas.gf2m.algebra import Algebra, V


def itoh_tsujii(f: Algebra[V], g: V) -> V:
    """Return beta_(m-1) = g^(2^(m-1) - 1). Its square is 1/g. The result for g = 0 is 0."""
    n = f.m - 1
    if n == 1:
        return g
    beta = g  # beta_i for i = 1, 2, 4, ...
    low: V | None = None  # beta_j, j = the bits of n seen so far
    j = 0
    i = 1
    while True:
        if n & i:
            if low is None:
                low, j = beta, i
            else:
                shifted = f.power(f"β{i}^2^{j}", beta, j)
                low, j = f.mul(f"β{i + j} = β{i}^2^{j}·β{j}", shifted, low), i + j
        if j == n:
            return low if low is not None else beta
        beta = f.mul(f"β{2 * i} = β{i}^2^{i}·β{i}", f.power(f"β{i}^2^{i}", beta, i), beta)
        i *= 2
