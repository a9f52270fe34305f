# SPDX-License-Identifier: Apache-2.0
"""What the groups of commands share: exit codes, complaints, readers of arguments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from ecsm.hdl.farm import MOST_ENGINES

FAILED, USAGE = 1, 2

Command = Callable[[argparse.Namespace], int]


class Add(Protocol):
    """Add a command to the parser: its name, what runs it, what it does."""

    def __call__(
        self, name: str, run: Command, text: str, json_too: bool = False
    ) -> argparse.ArgumentParser:
        """Return the command's own parser; ``json_too`` gives it ``--json``."""


class Parser(argparse.ArgumentParser):
    """A parser that takes ``--`` for no value of an option, where it would read as none."""

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")  # it would read as none
        return super()._get_values(action, arg_strings)


class UsageError(Exception):
    """The command was called wrongly."""


def scalar(text: str) -> int:
    """Read a scalar; a complaint does not repeat it, for it may be a mistyped secret."""
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError("not a number (decimal or 0x...)") from None


def count(text: str) -> int:
    """Read a number, 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count: 0 or more")
    return int(text)


def some(text: str) -> int:
    """Read a number, 1 or more."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count: 1 or more")
    return int(text)


def some_up_to(limit: int) -> Callable[[str], int]:
    """Return a reader of a number from 1 to ``limit``."""

    def read(text: str) -> int:
        value = some(text)
        if value > limit:
            raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 to {limit}")
        return value

    return read


def add_engines(parser: argparse.ArgumentParser, text: str) -> None:
    """Add ``--engines N``, 1 unless given; ``text`` says what N of them are."""
    parser.add_argument(
        "--engines", type=some_up_to(MOST_ENGINES), default=1, metavar="N",
        help=f"{text}: one stream of jobs, default 1",
    )  # fmt: skip


def at_most(limit: float) -> Callable[[str], float]:
    """Return a reader of a time, a frequency or the like: a number above 0, up to ``limit``."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= limit:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number above 0, at most {limit:,.0f}"
            )
        return value

    return read


positive = at_most(1_000_000)


def tell(message: str) -> None:
    """Say something on standard error, in no script's way; unheard, it stops no work."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def numbers(text: str) -> list[int]:
    """Read numbers and inclusive ranges: ``1..3``, ``2,4,8``, ``1..3,8``; 0 or more each."""
    found: list[int] = []
    for part in text.split(","):
        low, dots, high = part.partition("..")
        if not low.isdecimal() or (dots and not high.isdecimal()):
            raise argparse.ArgumentTypeError(f"{text!r}: numbers and ranges, as 1..3 or 2,4,8")
        last = int(high) if dots else int(low)
        if not int(low) <= last <= 1000:
            raise argparse.ArgumentTypeError(f"{part!r} is not a range up to 1000")
        found += range(int(low), last + 1)
    return sorted(set(found))
