# SPDX-License-Identifier: Apache-2.0
"""The numbers of the narrow port, as in rtl/attach/ecsm_narrow_pkg.sv."""

from __future__ import annotations

from enum import IntEnum, IntFlag

ID = 0x4543534D
VERSION = 1
MAX_REGISTERS = 16
MAX_PAIRS = 8
FULL_BIT = 16

SIZES = {"163": "sect163r1", "193": "sect193r1", "233": "sect233r1"}
"""The curve of each size in the published comparison."""


class Func(IntEnum):
    """Kinds of functions, the lowest three bits of a function's number."""

    WRITE = 0
    EVEN = 1
    ODD = 2
    RUN = 3
    STATUS = 4
    WAIT = 5
    INFO = 6
    CLEAR = 7


class Bit(IntFlag):
    """Bits of the status."""

    BUSY = 1 << 0
    UNKNOWN = 1 << 1
    ORDER = 1 << 2
    RANGE = 1 << 3
    CURVE = 1 << 4
    INFINITY = 1 << 5


ERRORS = Bit.UNKNOWN | Bit.ORDER | Bit.RANGE | Bit.CURVE


class Info(IntEnum):
    """What :attr:`Func.INFO` answers, by index."""

    ID = 0
    VERSION = 1
    BITS = 2
    REGISTERS = 3
    RUNS = 4


def function(kind: Func, index: int = 0) -> int:
    """Return the number of a function: ``index`` 0 .. 127."""
    assert 0 <= index < 128
    return index << 3 | kind


def word_function(kind: Func, register: int, pair: int) -> int:
    """Return the number of a function of words: ``register`` 0 .. 15, ``pair`` 0 .. 7."""
    assert 0 <= register < MAX_REGISTERS
    assert 0 <= pair < MAX_PAIRS
    return function(kind, register * MAX_PAIRS + pair)
