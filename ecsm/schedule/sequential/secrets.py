# SPDX-License-Identifier: Apache-2.0
"""What depends on a secret in a program of the word engine: never a branch.

The program is followed word by word with one bit for each number: whether it depends on a secret.
Loops run as often as they do on the engine. Where a branch looks at a public flag, both ways are
followed, and so they are where the program says why a secret flag may be public: that a nonce is
drawn again, for instance. Every path is seen on which the engine can be; a word that was reached
before with no more secrets is not followed again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.flow import Flow
from ecsm.schedule.sequential.words import (
    Capture,
    Command,
    Condition,
    Do,
    Mask,
    Move,
    Order,
    Port,
    Table,
)

MOST = 4_000_000  # words of all paths
ENTRIES = Table.EIGHT + 1  # of a table in the memory
BUFFER = -1  # what strings with an index are in; it stays secret


class Leaks(ValueError):
    """A program branches on a secret, or hands out what it should not."""


@dataclass
class _Path:
    """Where the program is, and what depends on a secret."""

    flow: Flow
    secret: set[int] = field(default_factory=set)
    flag: bool = False
    digit: bool = False
    hash: bool = False
    aes: bool = False

    def copy(self) -> _Path:
        """Return another path that begins here."""
        return replace(self, flow=replace(self.flow), secret=set(self.secret))

    def state(self) -> tuple[object, ...]:
        """Return all that its future depends on."""
        f = self.flow
        return (f.pc, f.stack, f.counters, frozenset(self.secret), self.flag, self.digit, self.hash,
                self.aes)  # fmt: skip


@dataclass(frozen=True)
class _Rules:
    built: Built
    secrets: Collection[int]
    released: Collection[int]

    def covered(self, w: Do) -> range:
        """Return the numbers that a string of octets is in.

        An indexed one is in BUFFER, which stands for all of them.
        """
        if w.indexed:
            return range(BUFFER, BUFFER + 1)
        words = w.first - (-w.argument // (self.built.W // 8))
        return range(w.number, w.number + -(-words // self.built.stride))


def check(
    built: Built,
    operation: int,
    secrets: Collection[int],
    released: Collection[int],
    kept: Collection[int] = (),
) -> int:
    """Follow an operation and return how many words that takes; raises :class:`Leaks`.

    ``secrets``: numbers that are secret when they are read from the host; ``released``: numbers
    that may be handed out although they depend on a secret; ``kept``: numbers that are secret when
    the operation begins.
    """
    rules = _Rules(built, secrets, released)
    paths, steps, seen = [_Path(Flow(operation), set(kept))], 0, set[tuple[object, ...]]()
    while paths:
        path = paths.pop()
        while True:
            word, steps = built.program[path.flow.pc], steps + 1
            if steps > MOST:
                raise Leaks("the program does not end")
            if isinstance(word, Move):
                _move(path, word, built.decoys)
                path.flow.pc += 1
            elif word.order is Order.DONE:
                break
            else:
                if word.order is Order.BRANCH:
                    if (state := path.state()) in seen:
                        break
                    seen.add(state)
                paths += _order(path, word, rules)
    return steps


def _move(path: _Path, w: Move, decoys: int) -> None:
    """Note what a walk's result depends on; a scratch word is written before it is read."""
    by = {Mask.NONE: False, Mask.CHOOSE: path.flag}.get(w.mask, path.digit)
    right = {w.b}
    if w.mask is Mask.SIGN:
        right.add(w.b + 1)
    elif w.mask is Mask.PICK:
        table = Table(w.immediate)
        if path.digit and not table.whole:
            raise Leaks(f"word {path.flow.pc} reads an address that depends on a secret")
        right = set() if table.constant else set(range(w.b, w.b + ENTRIES))
    found = by or w.a in path.secret or not path.secret.isdisjoint(right)
    (path.secret.add if found else path.secret.discard)(w.d)
    if found and w.has_decoys:
        path.secret.update(range(decoys, decoys + Table.SIXTEEN + 1))
    if w.capture is Capture.DIGIT:
        path.digit = found
    elif w.capture is not Capture.NONE:
        path.flag = found


def _order(path: _Path, w: Do, rules: _Rules) -> list[_Path]:
    """Move a path on; return the other path of a branch."""
    at, other = path.flow.pc, list[_Path]()
    if w.order is Order.BRANCH:
        if w.number == Condition.FLAG and path.flag and not w.public:
            raise Leaks(f"word {at} branches on a secret")
        other = [path.copy()]
        other[0].flow.follow(w, taken=True)
    elif w.order is Order.IN:
        _in(path, w, rules)
    elif w.order is Order.OUT:
        _out(path, w, rules)
    elif w.order is Order.COMMAND and w.number == Command.HASH:
        path.hash = False
    path.flow.follow(w, taken=False)
    return other


def _in(path: _Path, w: Do, rules: _Rules) -> None:
    """Note whether what comes in is a secret."""
    ports = {Port.HASH: path.hash, Port.NOISE: True, Port.INNER: path.aes}
    secret = ports.get(w.port, w.number in rules.secrets)
    if secret or not w.indexed:  # else only a part of the buffer is what comes in
        (path.secret.update if secret else path.secret.difference_update)(rules.covered(w))


def _out(path: _Path, w: Do, rules: _Rules) -> None:
    """Note a secret that goes to the hash or to AES; refuse one that leaves."""
    found = path.secret.intersection(rules.covered(w))
    if w.port in (Port.MESSAGE, Port.LENGTH):
        path.aes = path.aes or bool(found)
    elif w.port != Port.HOST:
        path.hash = path.hash or bool(found)
    elif found.difference(rules.released):
        number = min(found.difference(rules.released))
        raise Leaks(f"word {path.flow.pc} hands out number {number}, which depends on a secret")
