# SPDX-License-Identifier: Apache-2.0
"""The program of a word engine's schemes: its operations, and what the engine is built with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve, PrimeFieldCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.curves.own import BadCurve
from ecsm.names import UnknownName, no_such
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.schedule.sequential.built import Built, TooLong
from ecsm.schedule.sequential.program import OPERATIONS as WORDS
from ecsm.schedule.sequential.secrets import check
from ecsm.schemes.inputs import flags_of
from ecsm.schemes.program import texts
from ecsm.schemes.word import eddsa, x25519
from ecsm.schemes.word.binary import BinaryMachine
from ecsm.schemes.word.ecies import text_routines
from ecsm.schemes.word.ed25519 import Edwards
from ecsm.schemes.word.full import FULL, released
from ecsm.schemes.word.machine import Machine
from ecsm.schemes.word.operations import operations as prime_operations
from ecsm.schemes.word.operations import operations_with_cofactor
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.text import Texts
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.schemes.word.x25519 import Montgomery
from ecsm.status import Status

NARROW, WIDE = (tuple(texts(wide)) for wide in (False, True))
OWN = {
    "x25519": NARROW.index("ecdh"),
    "sign-ed25519": 28,
    "verify-ed25519": 29,
    "self-test": 30,
    "wrap": 28,
    "unwrap": 29,
}
"""Numbers of operations that no scheme machine has: one for one, or of none of its own.

There are 32, of which the last one stands for all above. No engine has Ed25519 and AES.
"""
ROOMIEST = "word-prime"
"""The netlist that takes each curve of one's own."""

Text = Callable[[Any], None]


@dataclass(frozen=True)
class Kind:
    """The schemes of a kind of curve.

    ``operations``: by name, with these hashes; ``released``: numbers that an operation may hand
    out although they depend on a secret.
    """

    machine: type[Machine]
    operations: Callable[[Collection[str]], Mapping[str, Text]]
    released: Callable[[Any, str], set[int]]


def _released(m: Weierstrass, name: str) -> set[int]:
    """Return the numbers of a public key, of a shared secret or of a signature."""
    if name in FULL:
        return released(m, name)
    if name.startswith("sign-"):
        return {m.r, m.s}
    return set(m.points.s[: 1 if name.startswith("ecdh") else 2])


def _released_ed25519(m: Edwards, name: str) -> set[int]:
    """Return the number of a public key, or of a signature."""
    return {m.part[0] if name == "sign-ed25519" else m.e}


KINDS: dict[type[PrimeFieldCurve | BinaryCurve], Kind] = {
    PrimeCurve: Kind(PrimeMachine, prime_operations, _released),
    BinaryCurve: Kind(BinaryMachine, operations_with_cofactor, _released),
    EdwardsCurve: Kind(Edwards, eddsa.operations, _released_ed25519),
    XLine: Kind(Montgomery, x25519.operations, lambda m, _: {m.d}),
}


def word_operations(p: WordPreset) -> dict[str, Text]:
    """Return the operations of a preset by name."""
    found = dict(KINDS[type(p.curve)].operations(p.hashes))
    return found | FULL if p.full and p.weierstrass else found


def number_of(operation: str) -> int:
    """Return an operation's number, which it has in one of the two scheme machines, or here."""
    if operation in OWN:
        return OWN[operation]
    return (NARROW if operation in NARROW else WIDE).index(operation)


@dataclass(frozen=True)
class WordProgram:
    """What a word engine is built with, and the operations that it has."""

    operations: tuple[str, ...]
    built: Built
    routines: tuple[tuple[int, str], ...]  # the first word of each, in order; "" is none

    def routine(self, word: int) -> str:
        """Return the routine that a word is in, "" if it is in none."""
        return next((name for first, name in reversed(self.routines) if first <= word), "")

    def number(self, operation: str) -> int:
        """Return req_op_i of an operation. Raises UnknownName if there is none of that name."""
        if operation not in self.operations:
            complaint = no_such("operation", operation, self.operations, "docs/guide/operations.md")
            raise UnknownName(complaint)
        return number_of(operation)


@lru_cache(maxsize=2 * len(WORD_PRESETS))
def word_program(p: WordPreset) -> WordProgram:
    """Return the program of a preset. Raises ValueError for a curve that it is not for.

    For a curve of one's own that is BadCurve.
    """
    try:
        made = _assembled(p)
        _check(p, made)
    except ValueError as error:
        if p.own is None:
            raise
        bits = f"p of {p.field_bits} bits and n of {p.scalar_bits} bits"
        other = "" if p.netlist == ROOMIEST else f"; {ROOMIEST} has more room"
        why = f"{p.netlist} has no place for the program of a curve with {bits}{other}: {error}"
        raise BadCurve(f"{p.name}: {why}") from None
    return made.program


@lru_cache(maxsize=2 * len(WORD_PRESETS))
def unchecked(p: WordPreset) -> Built:
    """Return what the program of a preset is built of, to tell it from others: not to run it.

    That it tells no secret is not looked at, which is most of the time that a program takes.
    """
    return _assembled(p).program.built


@dataclass(frozen=True)
class _Assembled:
    """A program, the machine that it was made by, and its operations, one of each text."""

    program: WordProgram
    machine: Machine
    names: Collection[str]


def _assembled(p: WordPreset) -> _Assembled:
    try:
        return _program(p, squares=True)
    except TooLong:
        return _program(p, squares=False)


def _program(p: WordPreset, squares: bool) -> _Assembled:
    kind, has = KINDS[type(p.curve)], word_operations(p)
    m = kind.machine(p, squares)
    names = {text: name for name, text in reversed(has.items())}  # one of each text
    starts = {text: m.a.label() for text in has.values()}
    labels = {number_of(name): starts[text] for name, text in has.items()}
    if len(labels) < len(has):
        raise ValueError("two operations have one number")
    for number in range(WORDS):
        m.go(labels[number] if number in labels else m.fail(Status.UNSUPPORTED))
    m.routines()
    if p.full and isinstance(m, Weierstrass):
        m.text_unit = Texts(m)
        text_routines(m.text_unit)
    for text, label in starts.items():
        m.a.place(label)
        m.allow(flags_of(names[text]))
        text(m)
    m.ends()
    return _Assembled(WordProgram(tuple(has), m.a.built(), m.a.routines()), m, names.values())


def _secrets(m: Machine, name: str) -> set[int]:
    """Return the numbers that an operation reads a secret into from the host."""
    if name == "unwrap":
        assert isinstance(m, Weierstrass)
        return {m.buffer, m.buffer + 1}
    return {m.d} if name == "load" else set()


def _check(p: WordPreset, made: _Assembled) -> None:
    """Raise :class:`~ecsm.schedule.sequential.secrets.Leaks` if an operation tells a secret."""
    m, released = made.machine, KINDS[type(p.curve)].released
    kept = {m.key, m.other_key, m.random_key, m.random_value, m.masks}
    if p.full:
        kept.add(m.device)
    for name in made.names:
        secrets = _secrets(m, name)
        check(made.program.built, number_of(name), secrets, released(m, name), kept)
