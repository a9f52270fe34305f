# SPDX-License-Identifier: Apache-2.0
"""Domain parameters, and the field and curve reference model.

>>> from ecsm.curves import curve
>>> c = curve("B-163")
>>> c.contains(c.mul(7, c.generator))
True
"""

from ecsm.curves.curve import Curve, Point, PointEncodingError
from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.sec2 import SEC2_CURVES
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.brainpool import BRAINPOOL_CURVES
from ecsm.curves.gfp.curve25519 import CURVE25519, EDWARDS25519
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.sec2 import SEC2_PRIME_CURVES
from ecsm.curves.gfp.weierstrass import PrimeCurve, PrimeFieldCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.curves.registry import CURVES, UnknownCurveError, binary_curve, curve
from ecsm.curves.toy import TOY_CURVES, TOY_PRIME_CURVES

__all__ = [
    "BRAINPOOL_CURVES",
    "CURVE25519",
    "CURVES",
    "EDWARDS25519",
    "SEC2_CURVES",
    "SEC2_PRIME_CURVES",
    "TOY_CURVES",
    "TOY_PRIME_CURVES",
    "BinaryCurve",
    "BinaryField",
    "Curve",
    "EdwardsCurve",
    "Point",
    "PointEncodingError",
    "PrimeCurve",
    "PrimeFieldCurve",
    "UnknownCurveError",
    "XLine",
    "binary_curve",
    "curve",
]
