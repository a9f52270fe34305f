# SPDX-License-Identifier: Apache-2.0
"""Words of the word engine's programs: walks with operands, and orders. See ``word_pkg``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

OFFSET_BITS, CONSTANT_BITS, NUMBER_BITS, WALK_BITS = 5, 7, 7, 5
DIGIT_BITS, PC_BITS, SLOT_ADDRESS_BITS, PORT_BITS = 4, 11, 11, 3
PLACE_BITS = 6  # of a string: the word of the number that has its last octets
KEY_SLOTS = 4
DECOYS = 1 << 6  # of a table of constants' number: what is not the digit's goes to decoys


class Mask(IntEnum):
    """What a sum does with its operands: see ``mask_e`` of ``word_pkg``."""

    NONE = 0
    PICK = 1
    CHOOSE = 2
    SIGN = 3


class Table(IntEnum):
    """What Mask.PICK adds to a: of 8 numbers of the memory from b on, or of 16 constants.

    All of them, one after the other, or only that of the digit, which must be public then.
    """

    ENTRY = 0
    EIGHT = 7
    CONSTANT_ENTRY = 8
    SIXTEEN = 15

    @property
    def constant(self) -> bool:
        """Whether it is of constants."""
        return self >= Table.CONSTANT_ENTRY

    @property
    def whole(self) -> bool:
        """Whether all entries are read."""
        return self in (Table.EIGHT, Table.SIXTEEN)


class Capture(IntEnum):
    """What a walk tells of its result."""

    NONE = 0
    SIGN = 1
    ZERO = 2
    DIGIT = 3


class Order(IntEnum):
    """Words that are no walks."""

    SET = 0
    LOOP = 1
    JUMP = 2
    CALL = 3
    RETURN = 4
    BRANCH = 5
    IN = 6
    OUT = 7
    DONE = 8
    COMMAND = 9


class Condition(IntEnum):
    """What a branch asks for; all but the flag and the steps are told by the scheme machine."""

    FLAG = 0
    MALFORMED = 1  # a string of the host had a wrong length
    EMPTY = 2  # the key slot is
    OPTIONS = 3  # flags of the request under the argument are not 0
    NO_ENTROPY = 4
    SEEDED = 5
    ENDED = 6  # the message has
    SECRETS = 7  # a key has been loaded since reset
    STEPS = 8  # words executed since the last such branch: as many as the argument, modulo 2^11
    TEST = 9  # the random generator is in test mode; this and the rest: of an engine with all
    OVER = 10  # the host's string has ended
    DONE = 11  # the window is closed
    PADDING = 12  # what was decrypted is not padded
    ALIGNED = 13  # the hash's block has its 56 octets before a length


class Command(IntEnum):
    """What the scheme machine is told, with an argument."""

    KEY = 0  # the slot is full, or empty
    SEED = 1  # the random generator has a seed, or none
    TEST = 2  # samples are those of a test, or of the noise source
    HASH = 3  # a digest begins
    PAIR = 4  # the job's key slot is the one beside it; this and the rest: of an engine with all
    AES = 5  # see Aes
    TEXT = 6  # see Window


class Aes(IntEnum):
    """The argument of Command.AES."""

    LOAD = 0  # the next 16 octets replace the state
    ENCRYPT = 1
    DECRYPT = 2
    KEY = 3  # octets of a key follow
    EXPAND = 4  # they have moved


class Window(IntEnum):
    """Which octets of a string pass: of the argument of Command.TEXT."""

    TEXT = 0  # the string's
    TAIL = 1  # as many as count, behind them
    PAD = 2  # the string's, and its padding up to a block of AES
    UNPAD = 3  # the string's, less the padding of what AES has decrypted


class Port(IntEnum):
    """Where octets come from, and where they go to."""

    HOST = 0
    MESSAGE = 1  # in: the host's string, whatever its length; its end, then zeros. out: to AES
    LENGTH = 2  # in: how many of the last 64 octets were the message's. out: AES's key
    HASH = 3
    NOISE = 4  # in: samples
    INNER = 5  # out: to the hash, each octet XOR 36 (hexadecimal). in: of AES
    OUTER = 6  # out: .. XOR 5c. in: how many bits the hash has got
    MASK = 7  # in: samples of the noise source, also in a test; out: the state of masks


def packed(*fields: tuple[int, int]) -> int:
    """Return fields (value, bits) as one number, the first one highest. ValueError: too large."""
    word = 0
    for value, bits in fields:
        if value < 0 or value >> bits:
            raise ValueError(f"{value} does not fit {bits} bits")
        word = word << bits | value
    return word


@dataclass(frozen=True)
class Move:
    """A walk with the numbers of its operands; ``drained``: it waits until nothing is under way.

    ``immediate``: of Mask.PICK, which table it reads, and how (:class:`Table`); without a mask, how
    often the walk is repeated, as it is once with Mask.SIGN, for the number b + 1; b is even.
    """

    walk: int
    d: int
    a: int = 0
    b: int = 0
    mask: Mask = Mask.NONE
    capture: Capture = Capture.NONE
    immediate: int = 0
    drained: bool = False
    note: str = ""

    @property
    def times(self) -> int:
        """How often the walk is executed."""
        if self.mask in (Mask.NONE, Mask.SIGN):
            return 1 + self.immediate
        return 1 + self.immediate if self.mask is Mask.PICK and Table(self.immediate).whole else 1

    @property
    def has_decoys(self) -> bool:
        """Whether what is read for nothing goes to decoys, and not to the scratch number."""
        whole = self.mask is Mask.PICK and self.immediate == Table.SIXTEEN
        return whole and self.b >= DECOYS

    def word(self) -> int:
        """Return the word of the program."""
        return packed(
            (1, 1), (self.drained, 1), (self.mask, 2), (self.capture, 2), (self.walk, WALK_BITS),
            (self.d, NUMBER_BITS), (self.a, NUMBER_BITS), (self.b, NUMBER_BITS),
            (self.immediate, DIGIT_BITS),
        )  # fmt: skip


@dataclass(frozen=True)
class Do:
    """An order. ``public``: why a branch may look at a flag that depends on a secret.

    ``target``: of a jump; of a string, its port and the word of the number that it begins with;
    above them, whether the next order has its rest, and whether the index is added to its address.
    ``usual``: the branch is taken, but for an exception.
    """

    order: Order
    counter: int = 0
    number: int = 0
    target: int = 0
    argument: int = 0
    public: str = ""
    note: str = ""
    usual: bool = False

    @property
    def port(self) -> Port:
        """Of a string."""
        return Port(self.target % (1 << PORT_BITS))

    @property
    def first(self) -> int:
        """Of a string: which word of the number has its last octets."""
        return self.target >> PORT_BITS & (1 << PLACE_BITS) - 1

    @property
    def part(self) -> bool:
        """Of a string: whether the next order has its rest."""
        return bool(self.target >> PORT_BITS + PLACE_BITS & 1)

    @property
    def indexed(self) -> bool:
        """Of a string: whether the index is added to its address."""
        return bool(self.target >> PORT_BITS + PLACE_BITS + 1)

    def word(self) -> int:
        """Return the word of the program."""
        return packed(
            (0, 1), (self.order, 4), (self.counter, 1), (self.number, NUMBER_BITS),
            (self.target % (1 << PC_BITS), PC_BITS), (self.argument, PC_BITS),
            (self.target >> PC_BITS, 1),
        )  # fmt: skip


Word = Move | Do
