# SPDX-License-Identifier: Apache-2.0
"""Toy curves, small enough to try every scalar on every point.

Not for cryptography. The binary curves cover odd and even m, both traces of a (points of order 4
exist exactly if Tr(a) = 0), sparse and dense coefficients, trinomials and a pentanomial, and the
cofactors 2, 4 and 12. ``...k`` are like Koblitz curves (a, b in {0, 1}), ``...a`` and ``...b`` are
dense. The prime curves cover the kinds of prime of the standards (2^m - 1, 2^m - c, one without
sparse form), a = -3, dense a, a = 0 (with p = 1 modulo 3: the endomorphism; ``...e`` is isomorphic
to a curve with 9b a power of two), and orders above and below p. One has points of order two and
four. They were found by search; ``tests/curves/test_toy.py`` checks n, h and the generator by
enumeration.
"""

from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.gfp.xline import XLine

F5 = BinaryField(5, (2, 0))
F7 = BinaryField(7, (1, 0))
F8 = BinaryField(8, (4, 3, 1, 0))
F9 = BinaryField(9, (4, 0))

TOY_CURVES: tuple[BinaryCurve, ...] = (
    BinaryCurve("toy5a", F5, a=0x19, b=0x1A, generator=(0x0F, 0x0C), n=7, h=4),
    BinaryCurve("toy5k", F5, a=1, b=1, generator=(0x0A, 0x12), n=11, h=2),
    BinaryCurve("toy7a", F7, a=0x4B, b=0x3F, generator=(0x2B, 0x66), n=67, h=2),
    BinaryCurve("toy7b", F7, a=0x76, b=0x3B, generator=(0x02, 0x1C), n=11, h=12),
    BinaryCurve("toy7k", F7, a=1, b=1, generator=(0x65, 0x59), n=71, h=2),
    BinaryCurve("toy8a", F8, a=0xD6, b=0xDF, generator=(0xDE, 0x63), n=139, h=2),
    BinaryCurve("toy8b", F8, a=0xB5, b=0xD2, generator=(0x5F, 0xA6), n=71, h=4),
    BinaryCurve("toy9a", F9, a=0x199, b=0x1CD, generator=(0x06C, 0x045), n=271, h=2),
    BinaryCurve("toy9b", F9, a=0x18E, b=0x1DF, generator=(0x023, 0x00F), n=127, h=4),
    BinaryCurve("toy9k", F9, a=0, b=1, generator=(0x0AD, 0x0AF), n=127, h=4),
)
"""The binary ones, by degree and name."""

HALVING_TOY = BinaryCurve(
    "toy107h", BinaryField(107, (9, 7, 4, 0)), a=1, b=1, n=81129638414606692182851032212511, h=2,
    generator=(0x3920741C7A87CE42C8218072E8C, 0x3336996FA4C06E91F183F60C87D),
)  # fmt: skip
"""For point halving, too large to enumerate: on less, sums of halves meet exceptional cases."""

TOY_PRIME_CURVES: tuple[PrimeCurve, ...] = (
    PrimeCurve("toyp5a", 31, a=28, b=6, generator=(15, 22), n=41, h=1),
    PrimeCurve("toyp6a", 53, a=32, b=49, generator=(24, 15), n=59, h=1),
    PrimeCurve("toyp7a", 127, a=124, b=72, generator=(36, 97), n=137, h=1),
    PrimeCurve("toyp8a", 251, a=248, b=26, generator=(71, 7), n=223, h=1),
    PrimeCurve("toyp8k", 241, a=0, b=13, generator=(67, 197), n=211, h=1),
    PrimeCurve("toyp8e", 211, a=0, b=2, generator=(4, 53), n=199, h=1),
    PrimeCurve("toyp9a", 509, a=77, b=24, generator=(161, 452), n=521, h=1),
    PrimeCurve("toyp9b", 509, a=506, b=41, generator=(142, 205), n=131, h=4),
)
"""The prime ones, by size."""

TOY_XLINE = XLine("toyp7x", 109, a=43, generator=(15, 0), n=13, h=8)
TOY_EDWARDS = EdwardsCurve("toyp7d", 109, d=33, generator=(2, 56), n=13, h=8)
"""Like Curve25519 and edwards25519: one curve of order 8n in two forms, a twist of order 4n'."""
