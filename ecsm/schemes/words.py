# SPDX-License-Identifier: Apache-2.0
"""Words of the scheme machine's programs, as in rtl/scheme/scheme_pkg.sv."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ecsm.status import Status

WORD = 64  # bits of a word of every string
ADDRESS_BITS = 10
CONSTANTS = 1 << ADDRESS_BITS - 1  # addresses from here on are constants
OCTETS_BITS = 12
PROGRAM_BITS = 11
FLAGS_BITS = 8  # of a request
ARGUMENT_BITS = 24


class Kind(IntEnum):
    """What a word does."""

    MOVE = 0
    COMMAND = 1
    ABORT = 2
    JUMP = 3
    END = 4


class From(IntEnum):
    """Where the words of a string come from."""

    MEMORY = 0
    HOST = 1
    HASH = 2
    HMAC = 3
    KDF = 4
    NONCE = 5
    RANDOM = 6
    AES = 7
    ORDER = 8
    X = 9
    Y = 10


class To(IntEnum):
    """Where they go."""

    MEMORY = 0
    HOST = 1
    HASH = 2
    HMAC_KEY = 3
    HMAC = 4
    KDF = 5
    KDF_INFO = 6
    NONCE = 7
    AES_KEY = 8
    AES_IV = 9
    AES = 10
    ORDER = 11
    SCALAR = 12
    X = 13
    Y = 14
    NOTHING = 15


class Mode(IntEnum):
    """What is done to them on the way."""

    COPY = 0
    XOR = 1
    COMPARE = 2


class Unit(IntEnum):
    """Whom a command is for."""

    KP = 0
    KP_NEXT = 1
    HASH = 2
    HMAC = 3
    KDF = 4
    NONCE = 5
    RANDOM = 6
    AES = 7
    ORDER = 8
    KEY = 9
    FORGET = 10


class If(IntEnum):
    """What a decision depends on."""

    ALWAYS = 0
    POINT_BAD = 1
    INFINITY = 2
    ZERO = 3
    RANGE = 4
    DIFFERS = 5
    NONCE = 6
    AES = 7
    FLAGS = 8
    KEY = 9
    TEST = 10
    PAIR = 11


_MOVE = (  # fields of move_t, the highest first, and their bits
    ("source", 4), ("sink", 4), ("mode", 2), ("key", 1), ("address", ADDRESS_BITS),
    ("target", ADDRESS_BITS), ("octets", OCTETS_BITS), ("whole", 1), ("behind", 1), ("right", 6),
    ("skip", 1), ("flush", 1), ("last", 1),
)  # fmt: skip
BODY_BITS = sum(bits for _, bits in _MOVE)
WORD_BITS = BODY_BITS + 4


@dataclass(frozen=True)
class Move:
    """A string's way; the fields are said in rtl/scheme/scheme_channel.sv."""

    source: From
    sink: To
    mode: Mode = Mode.COPY
    key: bool = False
    address: int = 0
    target: int = 0
    octets: int = 0
    whole: bool = False
    behind: bool = False
    right: int = 0
    skip: bool = False
    flush: bool = False
    last: bool = False

    @property
    def bits(self) -> int:
        """The word. Raises ValueError if a field does not fit."""
        value = 0
        for name, bits in _MOVE:
            field = int(getattr(self, name))
            if not 0 <= field < 1 << bits:
                raise ValueError(f"{name} = {field} does not fit {bits} bits")
            value = value << bits | field
        return Kind.MOVE << BODY_BITS | value


@dataclass(frozen=True)
class Command:
    """A unit begins an operation."""

    unit: Unit
    argument: int = 0

    @property
    def bits(self) -> int:
        """The word. Raises ValueError if a field does not fit."""
        if not 0 <= self.argument < 1 << ARGUMENT_BITS:
            raise ValueError(f"argument {self.argument:#x} does not fit {ARGUMENT_BITS} bits")
        return Kind.COMMAND << BODY_BITS | self.unit << ARGUMENT_BITS | self.argument


@dataclass(frozen=True)
class Decide:
    """An abort with ``status`` (of a unit: its own), a jump to ``target``, or the end.

    ``mask``, ``flags``: of :attr:`If.FLAGS`, which holds if the request's flags under the mask are
    ``flags``.
    """

    kind: Kind
    condition: If = If.ALWAYS
    negate: bool = False
    status: Status = Status.OK
    target: int = 0
    mask: int = 0
    flags: int = 0

    @property
    def bits(self) -> int:
        """The word. Raises ValueError if a field does not fit."""
        if not 0 <= self.flags <= self.mask < 1 << FLAGS_BITS or self.flags & ~self.mask:
            raise ValueError(f"no flags {self.flags:#x} of {self.mask:#x}")
        if not 0 <= self.target < 1 << PROGRAM_BITS:
            raise ValueError(f"word {self.target} does not fit {PROGRAM_BITS} bits")
        head = self.condition << 1 | int(self.negate)
        for value, bits in (
            (self.mask, FLAGS_BITS), (self.flags, FLAGS_BITS), (self.status, 4),
            (self.target, PROGRAM_BITS),
        ):  # fmt: skip
            head = head << bits | value
        return self.kind << BODY_BITS | head


Word = Move | Command | Decide
