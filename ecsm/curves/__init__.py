# SPDX-License-Identifier: Apache-2.0
"""Domain parameters, and the field and curve reference model.

>>> from ecsm.curves import curve
>>> c = curve("B-163")
>>> c.contains(c.mul(7, c.generator))
True
"""

from ecsm.curves.binary import BinaryCurve
from ecsm.curves.brainpool import BRAINPOOL_CURVES
from ecsm.curves.curve import Curve, Point, PointEncodingError
from ecsm.curves.curve25519 import CURVE25519, EDWARDS25519
from ecsm.curves.edwards import EdwardsCurve
from ecsm.curves.field import BinaryField
from ecsm.curves.prime import PrimeCurve, PrimeFieldCurve
from ecsm.curves.registry import CURVES, UnknownCurveError, binary_curve, curve
from ecsm.curves.sec2 import SEC2_CURVES
from ecsm.curves.sec2_prime import SEC2_PRIME_CURVES
from ecsm.curves.toy import TOY_CURVES, TOY_PRIME_CURVES
from ecsm.curves.xline import XLine

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
