# SPDX-License-Identifier: Apache-2.0
"""Find a curve by name."""

from __future__ import annotations

from ecsm.curves.curve import Curve
from ecsm.curves.gf2m.sec2 import SEC2_CURVES
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.brainpool import BRAINPOOL_CURVES
from ecsm.curves.gfp.curve25519 import CURVE25519, EDWARDS25519
from ecsm.curves.gfp.sec2 import SEC2_PRIME_CURVES
from ecsm.curves.gfp.sm2 import SM2
from ecsm.curves.toy import HALVING_TOY, TOY_CURVES, TOY_EDWARDS, TOY_PRIME_CURVES, TOY_XLINE
from ecsm.names import UnknownName, no_such

CURVES: tuple[Curve, ...] = (
    *SEC2_CURVES,
    *SEC2_PRIME_CURVES,
    *BRAINPOOL_CURVES,
    SM2,
    CURVE25519,
    EDWARDS25519,
    *TOY_CURVES,
    HALVING_TOY,
    *TOY_PRIME_CURVES,
    TOY_XLINE,
    TOY_EDWARDS,
)
"""Every curve known by name."""


def plain(name: str) -> str:
    """Return a name as it is looked up: ``NIST P-256`` and ``p256`` are one."""
    return name.lower().translate({ord(c): None for c in "-_ "}).removeprefix("nist")


_BY_NAME = {plain(name): c for c in CURVES for name in (c.name, *c.aliases)}


class UnknownCurveError(UnknownName):
    """No curve, or no binary one, has this name; the message says which are near."""

    def __init__(self, name: str, binary: bool = False) -> None:
        self.name = name
        known = [c for c in CURVES if not binary or isinstance(c, BinaryCurve)]
        names = (n for c in known for n in (*c.aliases, c.name))
        what = "binary curve" if binary else "curve"
        super().__init__(no_such(what, name, names, "ecsm curves"))


def curve(name: str) -> Curve:
    """Return the curve of that name or alias: ``sect163r2``, ``P-256``, ``nistp256``, ``toy7a``.

    Raises:
        UnknownCurveError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"a curve is named by a text, not by {type(name).__name__}")
    try:
        return _BY_NAME[plain(name)]
    except KeyError:
        raise UnknownCurveError(name) from None


def binary_curve(name: str) -> BinaryCurve:
    """Return the binary curve of that name or alias.

    Raises:
        UnknownCurveError: there is none.
    """
    found = curve(name)
    if not isinstance(found, BinaryCurve):
        raise UnknownCurveError(name, binary=True)
    return found
