# SPDX-License-Identifier: Apache-2.0
"""Presets of the word engine: whole schemes on a curve, without a core of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve


@dataclass(frozen=True)
class WordPreset:
    """A word engine with the schemes of a curve.

    ``W``: bits of a word; ``depth``: words of its memory.
    """

    name: str
    curve_name: str
    W: int = 32
    depth: int = 1024
    about: str = ""

    @cached_property
    def curve(self) -> PrimeCurve:
        """Its curve, of odd order."""
        found = curve(self.curve_name)
        assert isinstance(found, PrimeCurve)
        return found

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"ecsm_{self.name.replace('-', '_')}_schemes"


WORD_PRESETS = {
    p.name: p
    for p in (
        WordPreset("word-p256", "P-256", about="ECDSA, ECDH, keys, SHA-256 in a corner of an FPGA"),
        WordPreset("word-k256", "secp256k1", about="the same on secp256k1"),
    )
}
"""By name."""
