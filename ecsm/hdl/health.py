# SPDX-License-Identifier: Apache-2.0
"""Cutoffs of the health tests of a noise source: parameters of ``rtl/symmetric/sym_health.sv``.

``entropy``: bits of min-entropy that a sample is assessed at, above 0; ``alarm``: a false alarm
comes with probability 2^-alarm a test, 20 to 40.

Source: NIST SP 800-90B, sections 4.4.1 and 4.4.2.
"""

from __future__ import annotations

import math
from fractions import Fraction


def repetition_cutoff(entropy: float, alarm: int = 20) -> int:
    """Return the equal samples in a row at which the repetition count test fails."""
    return 1 + math.ceil(alarm / entropy)


def proportion_cutoff(entropy: float, window: int = 512, alarm: int = 20) -> int:
    """Return how often a window's first sample comes for the adaptive proportion test to fail.

    ``window``: samples, 1024 for samples of one bit, 512 for others. Raises ValueError if no number
    of them is so rare: there is no such test of that window.
    """
    p = Fraction(2.0**-entropy)
    # P(more than k of the window), from the top down.
    tail, k = Fraction(0), window
    while True:
        tail += math.comb(window, k) * p**k * (1 - p) ** (window - k)
        if tail > Fraction(1, 1 << alarm):
            break
        k -= 1
    if k == window:
        raise ValueError(f"{window} samples of {entropy} bits are too few for 2^-{alarm}")
    return 1 + k


def samples(bits: int, entropy: float, sample_width: int, word: int) -> int:
    """Return the samples with ``bits`` of entropy: as many as make whole words of ``word`` bits."""
    need = math.ceil(bits / entropy)
    step = math.lcm(sample_width, word) // sample_width
    return -(-need // step) * step
