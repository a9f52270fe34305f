# SPDX-License-Identifier: Apache-2.0
"""Presets of the word engine: whole schemes on a curve, without a core of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve


@dataclass(frozen=True)
class WordPreset:
    """A word engine with the schemes of a curve.

    ``W``: bits of a word; ``depth``: words of its memory. ``protected``: keys are kept in two
    parts, scalars and coordinates are randomised, and what is off the curve is not handed out.
    """

    name: str
    curve_name: str
    W: int = 32
    depth: int = 1024
    protected: bool = True
    about: str = ""
    hashes: tuple[str, ...] = ("sha256",)
    stride: int = 0  # words from a number to the next; 0: as many as it has
    constants: int = 32  # words that walks multiply with, at most
    operations: int = 32  # words that begin one each

    field_kind: ClassVar[str] = "prime"
    double: ClassVar[bool] = False
    multipliers: ClassVar[int] = 1

    @cached_property
    def curve(self) -> PrimeCurve:
        """Its curve, of odd order."""
        found = curve(self.curve_name)
        assert isinstance(found, PrimeCurve)
        return found

    @property
    def field_bits(self) -> int:
        """Bits of an element of the field."""
        return self.curve.p.bit_length()

    @property
    def coordinate_bits(self) -> int:
        """Bits of the octets of a coordinate."""
        return 8 * self.curve.octets

    @property
    def scalar_bits(self) -> int:
        """Bits of the order."""
        return self.curve.n.bit_length()

    def describe(self) -> str:
        """Return what its multiplier is, in a phrase."""
        return f"words of {self.W} bits, one product a cycle"

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"ecsm_{self.name.replace('-', '_')}_schemes"


WORD_PRESETS = {
    p.name: p
    for p in (
        WordPreset("word-p256", "P-256", about="ECDSA, ECDH, keys, SHA-256 in a corner of an FPGA"),
        WordPreset("word-p256-none", "P-256", protected=False, about="the same, not protected"),
        WordPreset(
            "word-prime",
            "P-384",
            depth=2048,
            hashes=("sha256", "sha384", "sha512"),
            stride=17,
            constants=96,
            operations=64,
            about="every prime curve to 521 bits, SHA-256 to SHA-512",
        ),
        WordPreset("word-k256", "secp256k1", about="the same on secp256k1"),
    )
}
"""By name."""


def is_word_engine(name: str) -> bool:
    """Whether a preset's name is that of a word engine."""
    return WORD_PRESETS.get(name) is not None
