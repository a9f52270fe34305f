# SPDX-License-Identifier: Apache-2.0
"""Domain parameters, and the field and curve reference model.

>>> from ecsm.curves import curve
>>> c = curve("B-163")
>>> c.contains(c.mul(7, c.generator))
True
"""

from ecsm.curves.binary import BinaryCurve, Point, PointEncodingError
from ecsm.curves.field import BinaryField
from ecsm.curves.registry import CURVES, UnknownCurveError, curve
from ecsm.curves.sec2 import SEC2_CURVES
from ecsm.curves.toy import TOY_CURVES

__all__ = [
    "CURVES",
    "SEC2_CURVES",
    "TOY_CURVES",
    "BinaryCurve",
    "BinaryField",
    "Point",
    "PointEncodingError",
    "UnknownCurveError",
    "curve",
]
