# SPDX-License-Identifier: Apache-2.0
"""Finding a curve by name."""

from __future__ import annotations

from ecsm.curves.binary import BinaryCurve
from ecsm.curves.sec2 import SEC2_CURVES
from ecsm.curves.toy import TOY_CURVES

CURVES: tuple[BinaryCurve, ...] = SEC2_CURVES + TOY_CURVES
"""Every curve known by name."""

_BY_NAME = {name.lower(): c for c in CURVES for name in (c.name, *c.aliases)}


class UnknownCurveError(KeyError):
    """No curve has this name; the message lists those there are."""

    def __init__(self, name: str) -> None:
        self.name = name
        names = ", ".join("/".join((c.name, *c.aliases)) for c in CURVES)
        super().__init__(f"unknown curve {name!r}; known: {names}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message quoted


def curve(name: str) -> BinaryCurve:
    """Return the curve of that name or alias, in any case: ``sect163r2``, ``B-163``, ``toy7a``.

    Raises:
        UnknownCurveError: there is none.
    """
    try:
        return _BY_NAME[name.lower()]
    except KeyError:
        raise UnknownCurveError(name) from None
