# SPDX-License-Identifier: Apache-2.0
"""The program of a word engine's schemes: its operations, and what the engine is built with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ecsm.curves.own import BadCurve
from ecsm.names import UnknownName, no_such
from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.program import OPERATIONS as WORDS
from ecsm.schedule.sequential.program import Built, TooLong
from ecsm.schedule.sequential.secrets import check
from ecsm.schemes.inputs import flags_of
from ecsm.schemes.program import texts
from ecsm.schemes.word.machine import Machine
from ecsm.schemes.word.operations import operations
from ecsm.status import Status

NARROW, WIDE = (tuple(texts(wide)) for wide in (False, True))


def number_of(operation: str) -> int:
    """Return an operation's number, which it has in one of the two scheme machines."""
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
            complaint = no_such("operation", operation, self.operations, "docs/schemes.md")
            raise UnknownName(complaint)
        return number_of(operation)


@lru_cache(maxsize=8)
def word_program(p: WordPreset) -> WordProgram:
    """Return the program of a preset. Raises ValueError for a curve that it is not for.

    For a curve of one's own that is BadCurve.
    """
    try:
        try:
            return _program(p, squares=True)
        except TooLong:
            return _program(p, squares=False)
    except ValueError as error:
        if p.own is None:
            raise
        raise BadCurve(f"{p.name}: {error}") from None


def _program(p: WordPreset, squares: bool) -> WordProgram:
    m = Machine(p, squares)
    has = operations(p.hashes)
    names = {text: name for name, text in reversed(has.items())}  # one of each text
    starts = {text: m.a.label() for text in has.values()}
    labels = {number_of(name): starts[text] for name, text in has.items()}
    if len(labels) < len(has):
        raise ValueError("two operations have one number")
    for number in range(WORDS):
        m.go(labels[number] if number in labels else m.fail(Status.UNSUPPORTED))
    m.routines()
    for text, label in starts.items():
        m.a.place(label)
        m.allow(flags_of(names[text]))
        text(m)
    m.ends()
    built = m.a.built()
    kept = {m.key, m.other_key, m.random_key, m.random_value, m.masks}
    public = set(m.points.s[:2])  # a public key
    released = {"ecdh": {m.points.s[0]}} | {f"sign-{h}": {m.r, m.s} for h in p.hashes}
    for name in names.values():
        secrets = {m.d} if name == "load" else set()
        check(built, number_of(name), secrets, released.get(name, public), kept)
    return WordProgram(tuple(has), built, m.a.routines())
