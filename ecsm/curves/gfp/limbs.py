# SPDX-License-Identifier: Apache-2.0
"""Redundant residues in limbs: model, bounds and cycles of rtl/gfp/field/gfp_canon.sv."""

from __future__ import annotations

from collections.abc import Sequence


def limbs_value(limbs: Sequence[int], limb_bits: int) -> int:
    """Return the sum of limbs[i] * 2^(limb_bits*i); limbs may be longer than limb_bits."""
    return sum(v << limb_bits * i for i, v in enumerate(limbs))


def canonical(limbs: Sequence[int], limb_bits: int, p: int) -> int:
    """Return the value of the limbs modulo p, 0 <= result < p."""
    return limbs_value(limbs, limb_bits) % p


def least_shift(count: int, limb_bits: int, in_bits: int, p: int) -> int:
    """Return the least MaxShift with which gfp_canon accepts any ``count`` limbs of in_bits bits.

    It is the least J >= 0 with V < 2^(J+1) p for all of them. A smaller one is enough if V has
    another bound.
    """
    return shift_for(limbs_value([(1 << in_bits) - 1] * count, limb_bits), p)


def shift_for(largest: int, p: int) -> int:
    """Return the least MaxShift with which gfp_canon accepts every V up to ``largest``."""
    return max((largest // p).bit_length() - 1, 0)


def canon_latency(count: int, max_shift: int) -> int:
    """Return the cycles from gfp_canon's start_i to the first one with its result.

    ``count`` is its NumLimb, ``max_shift`` its MaxShift.
    """
    return (max_shift + 3) * count + 1
