# SPDX-License-Identifier: Apache-2.0
"""What the taint analysis of a word engine's kP assumes: each with a reason, bound to the program.

Labels say what bits depend on. That a number tells nothing of the secret although it depends on it,
because a random number is in it, is arithmetic, which labels do not know. So it is said here, of
what certain words of the program write to a certain number, and of nothing else. The random number
has a label, too: where it is not in what is written, nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from ecsm.evidence.taint.flow import EVERY, PLANES, Rule, first_part, mask, second_part, secret
from ecsm.schedule.sequential.words import Do, Move, Order
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.program import WordProgram

SCALAR, POINT = "scalar", "point"
RESULT = "result"


class Becomes(Enum):
    """What labels become of what is written; of all but the first, where the mask is in it."""

    MASK = auto()
    """It is the random number of this assumption."""
    MASK_SECOND = auto()
    """It is that number, and the other part of what it is added to: B, too."""
    FIRST = auto()
    """The secret is one part of it: A in place of K."""
    SECOND = auto()
    """The other part: B."""
    BLINDED = auto()
    """Neither part is told: without A and B."""
    MULTIPLE = auto()
    """The secret is not told: without K."""
    COORDINATE = auto()
    """A coordinate that has a Z: A where the result is *not* assumed to be public."""
    INVERSE = auto()
    """1/Z, which unblinds it: B there."""


@dataclass(frozen=True)
class Change:
    """What words of a routine that write a number do to its labels.

    ``operation``: in which operation. ``words``: how many words of the number, from the lowest on.
    ``operand``: of walks, the number b; 0 for all that write ``number``. ``last``: only the last of
    these words.
    """

    operation: str
    routine: str
    number: int
    words: int
    becomes: Becomes
    operand: int = 0
    last: bool = False


@dataclass(frozen=True)
class Assumption:
    """``where``: in which routine which number; ``reason``: why it is so."""

    name: str
    where: str
    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Fixed:
    """Registers that are what they are in the run that is followed; ``reason``: why that may be."""

    name: str
    registers: str
    reason: str


FIXED = (
    Fixed(
        "conditions", "u_scheme.u_core.u_control.condition_q",
        "a branch looks at what is public, as the program says of each (secrets.py)",
    ),
    Fixed(
        "order of entries", "u_scheme.u_core.u_random.",
        "the order in which entries are read is random, and shows; an entry's place does not",
    ),
    Fixed(
        "health of the noise", "u_scheme.u_noise.u_health.",
        "the noise source passes its tests; they know no secret",
    ),
)  # fmt: skip


def assumptions(m: PrimeMachine, vary: str, operation: str) -> tuple[Assumption, ...]:
    """Return what is assumed of a machine's product of a point, the scalar or the point secret."""
    x, y, _ = m.points.s
    n, wide = m.a.modulus.words, 2 * m.a.stride
    result = Assumption(
        RESULT, "multiply: x and y; inverse: 1/Z",
        "d Q is what is computed for the host; what is made of a coordinate and 1/Z is not blinded",
        (
            *(Change(operation, "multiply", c, n, Becomes.COORDINATE, last=True) for c in (x, y)),
            Change(operation, "inverse", m.points.free[0], n, Becomes.INVERSE),
        ),
    )  # fmt: skip
    if not m.preset.protected:
        return (result,)
    if vary == POINT:
        coordinates = Assumption(
            "coordinates", "multiply: x and y",
            "x Z^2 and y Z^3 with a Z that is new and random",
            (
                Change(operation, "multiply", m.T, n, Becomes.MASK),
                *(
                    Change(operation, "multiply", c, n, Becomes.MULTIPLE, m.points.free[0])
                    for c in (x, y)
                ),
            ),
        )  # fmt: skip
        return (coordinates, result)
    # d + T as it is written has a carry in its highest word, which tells of d: only the others, and
    # the number after its reduction, are as random as T.
    parts = Assumption(
        "parts of the key", "load, new_parts: the key's two numbers, the mask",
        "d + T and -T modulo the order with a new random T of 256 bits: one alone is random",
        (
            Change("load", "mask", m.T, n, Becomes.MASK_SECOND),
            Change("load", "new_parts", m.key, n - 1, Becomes.FIRST, m.T),
            Change("load", "new_parts", m.key, n, Becomes.FIRST, m.order_one),
            Change("load", "new_parts", m.other_key, n, Becomes.SECOND),
        ),
    )  # fmt: skip
    scalar = Assumption(
        "blinded scalar", "scalar: k",
        "d + r n with 127 new random bits of r; the parts are added to r n, one after the other",
        (
            Change(operation, "scalar", m.T, n, Becomes.MASK),
            *(
                Change(operation, "scalar", m.points.k, wide, Becomes.BLINDED, part)
                for part in m.part
            ),
        ),
    )  # fmt: skip
    return (parts, scalar, result)


def writers(program: WordProgram, change: Change) -> list[int]:
    """Return the words of the program that a change is of. Raises ValueError if there is none."""
    found = []
    for at, word in enumerate(program.built.program):
        if program.routine(at) != change.routine:
            continue
        walk = isinstance(word, Move) and word.d == change.number
        taken = isinstance(word, Do) and word.order == Order.IN and word.number == change.number
        if walk and change.operand and isinstance(word, Move):
            walk = word.b == change.operand
        if walk or (taken and not change.operand):
            found.append(at)
    if not found:
        raise ValueError(f"no word of {change.routine} writes the number {change.number}")
    return found[-1:] if change.last else found


def rules(
    program: WordProgram, assumed: Sequence[Assumption], operation: str
) -> list[Rule]:  # fmt: skip
    """Return the rules of an operation. Plane 0 has all assumptions, plane 1 + i not number i."""
    every = (1 << PLANES) - 1
    assert len(assumed) < PLANES
    found = []
    for number, one in enumerate(assumed):
        without = 1 << 1 + number
        for change in one.changes:
            if change.operation != operation:
                continue
            labels = _labels(change.becomes, mask(number), every & ~without, without)
            low = change.number * program.built.stride
            found += [
                Rule(writer, low, low + change.words, *labels)
                for writer in writers(program, change)
            ]
    return found


def _labels(
    becomes: Becomes, masked: int, planes: int, without: int
) -> tuple[int, int, int, int]:  # fmt: skip
    """Return which labels it needs; which labels stay, which become A, and which are added."""
    k, a, b = (of(planes) for of in (secret, first_part, second_part))
    return {
        Becomes.MASK: (0, EVERY, 0, masked),
        Becomes.MASK_SECOND: (0, EVERY, 0, masked | b),
        Becomes.FIRST: (masked, EVERY & ~(k | b), k, 0),
        Becomes.SECOND: (masked, EVERY, 0, b),
        Becomes.BLINDED: (masked, EVERY & ~(a | b), 0, 0),
        Becomes.MULTIPLE: (masked, EVERY & ~k, 0, 0),
        Becomes.COORDINATE: (0, EVERY, 0, first_part(without)),
        Becomes.INVERSE: (0, EVERY, 0, second_part(without)),
    }[becomes]
