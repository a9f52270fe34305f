# SPDX-License-Identifier: Apache-2.0
"""The program of a core's schemes: its operations and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ecsm.curves import BinaryCurve, curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.names import UnknownName, joined, no_such
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import EveryPreset, presets_of, protects_keys
from ecsm.presets.word import WordPreset
from ecsm.schemes import ecies, encrypt, keys, mqv, psec, signature
from ecsm.schemes.assembler import words_of
from ecsm.schemes.inputs import flags_of
from ecsm.schemes.machine import NARROW, SLOT_WORDS, WIDE, Machine
from ecsm.schemes.masking import NUMBERS
from ecsm.schemes.words import If, Word
from ecsm.status import Status

OPERATIONS = 64  # words that begin one each
WORD_BITS = 64  # of the machine's memory; strings and numbers of one word are not shifted right

Text = Callable[[Machine], None]


@dataclass(frozen=True)
class Program:
    """Words, constants, and where operations begin: ``operations`` are in order of req_op_i."""

    operations: tuple[str, ...]
    words: tuple[Word, ...]
    constants: tuple[int, ...]
    texts: tuple[tuple[int, str], ...]

    def number(self, operation: str) -> int:
        """Return req_op_i of an operation. Raises UnknownName if there is none of that name."""
        try:
            return self.operations.index(operation)
        except ValueError:
            complaint = no_such("operation", operation, self.operations, "docs/guide/operations.md")
            raise UnknownName(complaint) from None


def without_schemes(p: EveryPreset, wide: bool = False) -> str | None:
    """Return why a preset has no schemes, None if it is a word engine or they fit its core.

    ``wide``: with SHA-384 and SHA-512.
    """
    if isinstance(p, WordPreset):
        lacks = wide and "sha512" not in p.hashes
        return f"{p.name} has no SHA-384 and no SHA-512" if lacks else None
    if p.variable_time:
        return f"{p.name} is not in constant time: no scheme uses it"
    if not isinstance(p.curve, BinaryCurve | PrimeCurve):
        return (
            f"{p.curve.name} is no Weierstrass curve: word-prime-x25519 and word-prime-ed25519"
            " have schemes of such curves"
        )
    if p.random_bits and len(NUMBERS) * words_of(p.field_bits) > SLOT_WORDS:
        return f"{p.name}: a key in {len(NUMBERS)} numbers is longer than a slot of a machine"
    if min(p.curve.n.bit_length(), p.field_bits) <= WORD_BITS:
        return f"{p.curve.name} is too small for schemes: they want more than {WORD_BITS} bits"
    return None


def without_protection(p: EveryPreset, wide: bool, option: str) -> str | None:
    """Return why a machine does not protect its keys, and which do; None if it does.

    A core that has no schemes has no machine: that is said instead. ``option``: takes it as it is.
    """
    if protects_keys(p):
        return None
    if (why := without_schemes(p)) is not None:
        return why
    others = [
        q.name
        for q in presets_of(curve(p.curve_name))
        if protects_keys(q) and without_schemes(q, wide) is None
    ]
    instead = f"{joined(others[:3], 'or')} does; " if others else ""
    return (
        f"{p.name} does not protect keys from who measures or disturbs it: {instead}"
        f"{option} takes it as it is (docs/security/ladders.md)"
    )


def has_schemes(p: EveryPreset) -> bool:
    """Whether a preset is a word engine, or its core can have schemes around it."""
    return without_schemes(p) is None


def texts(wide: bool = False) -> dict[str, Text]:
    """Return the operations by name, in the order of their numbers.

    ``wide``: of the hashes SHA-384 and SHA-512.
    """
    found: dict[str, Text] = {
        "load": keys.load,
        "forget": keys.forget,
        "seed": lambda m: keys.instantiate(m, test=False),
        "seed-test": lambda m: keys.instantiate(m, test=True),
        "generate": keys.generate,
        "public": keys.public,
        "ecdh": lambda m: keys.agree(m, cofactor=False),
        "ecdh-cofactor": lambda m: keys.agree(m, cofactor=True),
        "ecmqv": mqv.agree,
        "ecies-encrypt": lambda m: ecies.encrypt(m, xor=False),
        "ecies-decrypt": lambda m: ecies.decrypt(m, xor=False),
        "ec-aes-encrypt": encrypt.ec_aes_encrypt,
        "ec-aes-decrypt": encrypt.ec_aes_decrypt,
        "demo-encrypt": encrypt.demo_encrypt,
        "demo-decrypt": encrypt.demo_decrypt,
    }
    for digest in WIDE if wide else NARROW:
        found[digest] = lambda m, d=digest: encrypt.digest(m, d)  # type: ignore[misc]
        found[f"sign-{digest}"] = lambda m, d=digest: signature.sign(m, d)  # type: ignore[misc]
        found[f"verify-{digest}"] = lambda m, d=digest: signature.verify(m, d)  # type: ignore[misc]
    if not wide:
        found["encapsulate"] = psec.encapsulate
        found["decapsulate"] = psec.decapsulate
    found["ecies-xor-encrypt"] = lambda m: ecies.encrypt(m, xor=True)
    found["ecies-xor-decrypt"] = lambda m: ecies.decrypt(m, xor=True)
    return found


@lru_cache(maxsize=8)
def program(p: AnyPreset, wide: bool = False) -> Program:
    """Return the program of a preset's schemes; ValueError for a core that has none."""
    if why := without_schemes(p):
        raise ValueError(why)
    todo = texts(wide)
    m = Machine(p, wide)
    starts = [m.label() for _ in todo]
    for label in starts:
        m.jump(label)
    for _ in range(OPERATIONS - len(todo)):
        m.abort(Status.UNSUPPORTED, If.ALWAYS)
    for label, (name, text) in zip(starts, todo.items(), strict=True):
        with m.scheme(name):
            m.place(label)
            m.allow(flags_of(name))
            text(m)
    return Program(
        tuple(todo), tuple(m.program()), tuple(m.constants), tuple(sorted(m.texts.items()))
    )
