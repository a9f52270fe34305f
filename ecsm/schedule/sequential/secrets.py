# SPDX-License-Identifier: Apache-2.0
"""What depends on a secret in a program of the word engine: never a branch.

The program is followed word by word with one bit for each number: whether it depends on a secret.
Loops run as often as they do on the engine. Where a branch looks at a public flag, both ways are
followed. So every path is seen on which the engine can be.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ecsm.schedule.sequential.flow import Flow
from ecsm.schedule.sequential.program import Built
from ecsm.schedule.sequential.words import Capture, Do, Mask, Move, Order


class Leaks(ValueError):
    """A program branches on a secret, or hands out what it should not."""


@dataclass
class _Path:
    """Where the program is, and what depends on a secret."""

    flow: Flow
    secret: set[int] = field(default_factory=set)
    flag: bool = False
    digit: bool = False


def check(built: Built, operation: int, secrets: Collection[int], released: Collection[int]) -> int:
    """Follow an operation and return how many words that takes; raises :class:`Leaks`.

    ``secrets``: numbers that are secret when they are read from the input; ``released``: numbers
    that may be handed out although they depend on a secret.
    """
    paths, steps = [_Path(Flow(operation))], 0
    while paths:
        path = paths.pop()
        while True:
            word, steps = built.program[path.flow.pc], steps + 1
            if isinstance(word, Move):
                _move(path, word)
                path.flow.pc += 1
            elif word.order is Order.DONE:
                break
            else:
                paths += _order(path, word, secrets, released)
    return steps


def _move(path: _Path, w: Move) -> None:
    """Note what a walk's result depends on; a scratch word is written before it is read."""
    by = {Mask.NONE: False, Mask.CHOOSE: path.flag}.get(w.mask, path.digit)
    found = by or not path.secret.isdisjoint((w.a, w.b))
    (path.secret.add if found else path.secret.discard)(w.d)
    if w.capture is Capture.DIGIT:
        path.digit = found
    elif w.capture is not Capture.NONE:
        path.flag = found


def _order(path: _Path, w: Do, secrets: Collection[int], released: Collection[int]) -> list[_Path]:
    """Move a path on; return the other path of a branch."""
    at, other = path.flow.pc, list[_Path]()
    if w.order is Order.BRANCH:
        if path.flag:
            raise Leaks(f"word {at} branches on a secret")
        other = [replace(path, flow=replace(path.flow), secret=set(path.secret))]
        other[0].flow.follow(w, flag=True)
    elif w.order is Order.IN:
        (path.secret.add if w.number in secrets else path.secret.discard)(w.number)
    elif w.order is Order.OUT and w.number in path.secret and w.number not in released:
        raise Leaks(f"word {at} hands out number {w.number}, which depends on a secret")
    path.flow.follow(w, flag=False)
    return other
