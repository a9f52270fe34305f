# SPDX-License-Identifier: Apache-2.0
"""The message for a name that is not found: it suggests similar names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile

NEAREST = 3  # names that a complaint suggests
FEW = 6  # names that a complaint lists, if there are not more


class UnknownName(KeyError):
    """Nothing has this name; the message is of :func:`no_such`."""

    def __str__(self) -> str:
        """Return the message without the quotes of KeyError."""
        return str(self.args[0])


def joined(names: Sequence[str], word: str) -> str:
    """Return names in a sentence: ``a, b or c``."""
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names most like ``name``, at most :data:`NEAREST`; case does not matter.

    Of two that are equally like it, the one that begins as it does for longer.
    """
    wanted, by_lower = name.lower(), dict[str, str]()
    for other in known:
        by_lower.setdefault(other.lower(), other)

    def likeness(other: str) -> tuple[float, int]:
        start = takewhile(lambda pair: pair[0] == pair[1], zip(other, wanted, strict=False))
        return SequenceMatcher(None, other, wanted).ratio(), len(list(start))

    close = get_close_matches(wanted, by_lower, max(1, len(by_lower)))
    return [by_lower[found] for found in sorted(close, key=likeness, reverse=True)[:NEAREST]]


def no_such(what: str, name: str, known: Iterable[str], see: str) -> str:
    """Return the complaint about a name that is not found.

    ``what``: the kind of thing, ``known``: the names there are, ``see``: a command that shows them.
    """
    names = list(known)
    start = f"there is no {what} {name!r}"
    if 0 < len(names) <= FEW:
        return f"{start}: choose {joined(names, 'or')}"
    near = nearest(name, names)
    if not near:
        return f"{start}: {see} shows all"
    return f"{start}: did you mean {joined(near, 'or')}? {see} shows all"
