# SPDX-License-Identifier: Apache-2.0
"""Domain parameters of Curve25519 and edwards25519, one curve in two forms, p = 2^255 - 19.

Source: RFC 7748, 4.1. Checked by ``tests/curves/gfp/test_curve25519.py`` by their mathematics.
"""

from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.xline import XLine

P = 2**255 - 19
N = 2**252 + 0x14DEF9DEA2F79CD65812631A5CF5D3ED

CURVE25519 = XLine("curve25519", P, a=486662, generator=(9, 0), n=N, h=8, aliases=("X25519",))

EDWARDS25519 = EdwardsCurve(
    "edwards25519",
    P,
    d=-121665 * pow(121666, -1, P) % P,
    generator=(
        15112221349535400772501151409588531511454012693041857206046113283949847762202,
        46316835694926478169428394003475163141307993866256225615783033603165251855960,
    ),
    n=N,
    h=8,
    aliases=("Ed25519",),
)
