# SPDX-License-Identifier: Apache-2.0
"""Presets of the word engine: whole schemes on a curve, without a core of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from ecsm.curves import CURVES, BinaryCurve, curve
from ecsm.curves.gfp.weierstrass import PrimeCurve, PrimeFieldCurve
from ecsm.curves.own import BadCurve, read_curve
from ecsm.names import UnknownName, no_such

WIDTHS = (16, 32, 64)
"""Bits of a word."""


@dataclass(frozen=True)
class WordPreset:
    """A word engine with the schemes of a curve.

    ``W``: bits of a word; ``depth``: words of its memory. ``protected``: keys are kept in two
    parts, scalars and coordinates are randomised, and what is off the curve is not handed out.
    ``hashes``: of signatures. ``stride``: words from a number to the next, 0: as many as it has;
    ``constants``: words that walks multiply with, at most. ``netlist``: the preset that it has the
    netlist of, if that takes its tables from the host; ``first_key``: the first number of keys
    there, the same for all curves; ``table_step``: words from a constant of a comb to the next, 0:
    the fewest. ``binary``: its netlist computes with polynomials, too. ``own``: the curve, if it
    has no name here. ``ice40``: its memories and multipliers are blocks of the iCE40 UP5K.
    ``full``: its netlist has AES and SHA-1, and its programs every operation of the scheme machine;
    ``words``: of a program, at most.
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
    table_step: int = 0
    binary: bool = False
    own: PrimeCurve | None = None
    ice40: bool = False
    full: bool = False
    words: int = 2048

    double: ClassVar[bool] = False
    multipliers: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Raise ValueError for words that no scheme is computed with."""
        if self.W not in WIDTHS:
            raise ValueError(f"schemes have words of {', '.join(map(str, WIDTHS))} bits")

    @cached_property
    def curve(self) -> PrimeFieldCurve | BinaryCurve:
        """Its curve: of odd order, binary, or one of the two forms of Curve25519."""
        found = self.own or curve(self.curve_name)
        assert isinstance(found, PrimeFieldCurve | BinaryCurve)
        return found

    @property
    def weierstrass(self) -> bool:
        """Whether its schemes are ECDSA and ECDH, and not X25519 or Ed25519."""
        return isinstance(self.curve, PrimeCurve | BinaryCurve)

    @property
    def field_kind(self) -> str:
        """Whether its curve is "prime" or "binary"."""
        return "binary" if isinstance(self.curve, BinaryCurve) else "prime"

    @property
    def field_bits(self) -> int:
        """Bits of an element of the field."""
        return (self.curve.q - 1).bit_length()

    @property
    def coordinate_bits(self) -> int:
        """Bits of the octets of a coordinate."""
        return 8 * self.curve.octets

    @property
    def scalar_bits(self) -> int:
        """Bits of the order."""
        return self.curve.n.bit_length()

    @property
    def target(self) -> str:
        """The target of synthesis that its blocks are of."""
        return "ice40" if self.ice40 else "ecp5"

    @property
    def families(self) -> tuple[str, ...]:
        """The families of FPGA that have its blocks."""
        return ("ice40",) if self.ice40 else ("ecp5", "gowin")

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
    table_step=32, constants=96, netlist="word-prime", first_key=40,
    about="every prime curve to 521 bits; a curve's tables are loaded",
)  # fmt: skip
_DUAL = replace(
    _PRIME, name="word-dual", netlist="word-dual", binary=True, stride=19, constants=76,
    first_key=32, about="every prime and binary curve to 571 bits; a curve's tables are loaded",
)  # fmt: skip
_UP5K = WordPreset(
    "word-up5k", "P-256", netlist="word-up5k", first_key=32, ice40=True,
    about="ECDSA, ECDH, keys, SHA-256 on an iCE40 UP5K; its tables are loaded",
)  # fmt: skip
_FULL = replace(
    _DUAL, name="word-full", netlist="word-full", full=True, words=3072,
    hashes=("sha256", "sha1", "sha224"),
    about="every operation of the scheme machine on every curve; a curve's tables are loaded",
)  # fmt: skip
_CURVES = {
    "p224": "P-224", "p256": "P-256", "p521": "P-521", "k256": "secp256k1", "sm2": "SM2",
    "bp256": "brainpoolP256r1", "bp384": "brainpoolP384r1", "bp512": "brainpoolP512r1",
}  # fmt: skip
_BINARY = {
    "k163": "sect163k1", "r163": "sect163r1", "b163": "sect163r2", "193r1": "sect193r1",
    "193r2": "sect193r2", "k233": "sect233k1", "b233": "sect233r1", "k239": "sect239k1",
    "k283": "sect283k1", "b283": "sect283r1", "k409": "sect409k1", "b409": "sect409r1",
    "k571": "sect571k1", "b571": "sect571r1",
}  # fmt: skip


def _with_tables(p: WordPreset, short: str, curve_name: str) -> WordPreset:
    """Return a preset with the tables of another curve."""
    about = f"{p.name} with the tables of {curve_name}"
    return replace(p, name=f"{p.name}-{short}", curve_name=curve_name, about=about)


def _with_x25519(p: WordPreset) -> WordPreset:
    """Return a preset with the tables of X25519, which has no use for more hashes."""
    return replace(
        p, name=f"{p.name}-x25519", curve_name="curve25519", hashes=("sha256",),
        about=f"{p.name} with the tables of X25519",
    )  # fmt: skip


_B163 = _with_tables(_DUAL, "b163", "sect163r2")
_B233 = _with_tables(_DUAL, "b233", "sect233r1")

_ED25519 = replace(_PRIME, curve_name="edwards25519")

WORD_PRESETS = {
    p.name: p
    for p in (
        WordPreset("word-p256", "P-256", about="ECDSA, ECDH, keys, SHA-256 in a corner of an FPGA"),
        WordPreset("word-p256-none", "P-256", protected=False, about="the same, not protected"),
        WordPreset("word-k256", "secp256k1", about="the same on secp256k1"),
        _UP5K,
        replace(_UP5K, name="word-up5k-none", protected=False, about="the same, not protected"),
        _PRIME,
        replace(_PRIME, name="word-prime-none", protected=False, about="the same, not protected"),
        *(_with_tables(_PRIME, *names) for names in _CURVES.items()),
        _DUAL,
        replace(_DUAL, name="word-dual-none", protected=False, about="the same, not protected"),
        *(_with_tables(_DUAL, *names) for names in (_CURVES | _BINARY).items()),
        *(
            replace(p, name=f"{p.name}-none", protected=False, about=f"{p.name}, not protected")
            for p in (_B163, _B233)
        ),
        _FULL,
        replace(_FULL, name="word-full-none", protected=False, about="the same, not protected"),
        *(_with_tables(_FULL, *names) for names in (_CURVES | _BINARY).items()),
        *(_with_x25519(p) for p in (_PRIME, _DUAL, _FULL)),
        replace(_with_x25519(_PRIME), name="word-prime-x25519-none", protected=False,
                about="the same, not protected"),
        replace(_ED25519, name="word-prime-ed25519", about="word-prime with the tables of Ed25519"),
        replace(_ED25519, name="word-prime-ed25519-none", protected=False,
                about="the same, not protected"),
    )
}  # fmt: skip
"""By name."""


def word_preset(name: str) -> WordPreset | None:
    """Return the word engine of a name, None if there is none.

    ``word-prime:FILE`` is word-prime with tables of the curve of that file. Raises
    :class:`~ecsm.curves.own.BadCurve` for a file that is none.
    """
    of, colon, file = name.partition(":")
    found = WORD_PRESETS.get(of)
    if found is None or not colon:
        return found
    if not found.netlist:
        raise BadCurve(f"{of} has the curve {found.curve_name} alone: word-prime takes a file")
    if not file:
        raise BadCurve(f"{name} takes the file of a curve behind it")
    if not file.isprintable():
        raise BadCurve(f"{file!r}: the name of a curve's file has printable characters alone")
    own = read_curve(Path(file))
    about = f"{of} with the tables of {own.name}"
    return replace(found, name=name, curve_name=own.name, own=own, about=about)


def with_curve(name: str, curve_name: str) -> str:
    """Return the preset that is another one with the tables of a curve, or of a curve's file.

    Raises UnknownName if there is none.
    """
    p = WORD_PRESETS.get(name.partition(":")[0])  # whatever became of its file
    same = [
        q for q in WORD_PRESETS.values()
        if p and p.netlist and (q.netlist, q.protected) == (p.netlist, p.protected)
    ]  # fmt: skip
    if same and curve_name.endswith(".toml"):
        return f"{same[0].name}:{curve_name}"
    names = {known: q.name for q in same for known in (q.curve.name, *q.curve.aliases)}
    if curve_name not in names:
        raise UnknownName(
            no_such(f"curve of {name}", curve_name, names, "docs/integrate/tables.md")
        )
    return names[curve_name]


def only_here(p: object) -> str:
    """Return why others cannot be told of a preset by its name, "" if they can be.

    A device's link names its curve, and a result is kept by its preset's name: a curve of one's own
    has no name there.
    """
    if not (isinstance(p, WordPreset) and p.own) or p.own in CURVES:
        return ""
    return (
        f"{p.name}: {p.own.name} is a curve of your own, without a name that others know:"
        f" ecsm build and, in Python, sim:{p.name} take it"
    )


def is_word_engine(name: str) -> bool:
    """Whether a preset's name is that of a word engine."""
    return WORD_PRESETS.get(name.partition(":")[0]) is not None
