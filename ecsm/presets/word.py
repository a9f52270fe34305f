# SPDX-License-Identifier: Apache-2.0
"""Presets of the word engine: whole schemes on a curve, without a core of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve


@dataclass(frozen=True)
class WordPreset:
    """A word engine with the schemes of a curve.

    ``W``: bits of a word; ``depth``: words of its memory. ``protected``: keys are kept in two
    parts, scalars and coordinates are randomised, and what is off the curve is not handed out.
    ``hashes``: of signatures. ``stride``: words from a number to the next, 0: as many as it has;
    ``constants``: words that walks multiply with, at most. ``netlist``: the preset that it has the
    netlist of, if that takes its tables from the host; ``first_key``: the first number of keys
    there, the same for all curves.
    """

    name: str
    curve_name: str
    W: int = 32
    depth: int = 1024
    protected: bool = True
    about: str = ""
    hashes: tuple[str, ...] = ("sha256",)
    stride: int = 0
    constants: int = 32
    netlist: str = ""
    first_key: int = 0

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
    def netlist_name(self) -> str:
        """The name of what is built: its own, or that of the netlist that takes its tables."""
        return self.netlist or self.name

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"ecsm_{self.netlist_name.replace('-', '_')}_schemes"


_PRIME = WordPreset(
    "word-prime", "P-384", depth=2048, hashes=("sha256", "sha384", "sha512"), stride=17,
    constants=96, netlist="word-prime", first_key=56,
    about="every prime curve to 521 bits; a curve's tables are loaded",
)  # fmt: skip
_CURVES = {
    "p224": "P-224", "p256": "P-256", "p521": "P-521", "k256": "secp256k1", "sm2": "SM2",
    "bp256": "brainpoolP256r1", "bp384": "brainpoolP384r1", "bp512": "brainpoolP512r1",
}  # fmt: skip

WORD_PRESETS = {
    p.name: p
    for p in (
        WordPreset("word-p256", "P-256", about="ECDSA, ECDH, keys, SHA-256 in a corner of an FPGA"),
        WordPreset("word-p256-none", "P-256", protected=False, about="the same, not protected"),
        WordPreset("word-k256", "secp256k1", about="the same on secp256k1"),
        _PRIME,
        replace(_PRIME, name="word-prime-none", protected=False, about="the same, not protected"),
        *(
            replace(_PRIME, name=f"word-prime-{short}", curve_name=name,
                    about=f"word-prime with the tables of {name}")
            for short, name in _CURVES.items()
        ),
    )
}  # fmt: skip
"""By name."""


def is_word_engine(name: str) -> bool:
    """Whether a preset's name is that of a word engine."""
    return WORD_PRESETS.get(name) is not None
