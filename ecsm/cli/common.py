# SPDX-License-Identifier: Apache-2.0
"""What all groups of commands use: exit codes, error messages, readers of arguments."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ecsm.files import check_folder
from ecsm.hdl.farm import MOST_ENGINES
from ecsm.names import no_such
from ecsm.presets.table import (
    EveryPreset,
    UnknownPreset,
    any_preset,
    protects_keys,
)
from ecsm.results.kept import RESULTS, Where, above, own_folder

FAILED, USAGE = 1, 2
NO_NAME = "the name of a file or folder is empty"

# Digits of ASCII alone: int() and float() take those of any script.
_DIGITS = re.compile(r"[0-9]{1,18}")
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)")
_REAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_AT_ONCE = 4000  # decimal digits that int() reads, whatever its limit is

Command = Callable[[argparse.Namespace], int]


class Add(Protocol):
    """Add a command to the parser: its name, what runs it, what it does."""

    def __call__(
        self, name: str, run: Command, text: str, json_too: bool = False
    ) -> argparse.ArgumentParser:
        """Return the command's own parser; ``json_too`` gives it ``--json``."""


class Parser(argparse.ArgumentParser):
    """Answers a wrong choice with the names near it; takes ``--`` for no value of an option."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        named = action.metavar if isinstance(action.metavar, str) else action.dest
        names, see = map(str, action.choices), f"{self.prog} --help"
        message = no_such(named.lower(), str(value), names, see)
        raise argparse.ArgumentError(action, message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")  # it would read as none
        return super()._get_values(action, arg_strings)


class UsageError(Exception):
    """The command was called wrongly."""


class Once(argparse.Action):
    """Take a list of names, each once: none is measured, solved or checked twice."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        """Keep the names in the order in which they came first."""
        setattr(namespace, self.dest, list(dict.fromkeys(values)))


def add_unprotected(p: argparse.ArgumentParser) -> None:
    """Add the option that :func:`check_protection` reads."""
    p.add_argument(
        "--unprotected", action="store_true",
        help="take a machine that does not protect its keys from who measures or disturbs it",
    )  # fmt: skip


def check_protection(p: EveryPreset, args: argparse.Namespace) -> None:
    """UsageError for a machine that does not protect its keys, if it was not asked for.

    A core that has no schemes has no machine: that is said, and not what would protect it.
    """
    from ecsm.schemes.program import without_protection

    wide = getattr(args, "wide", False)
    if not args.unprotected and (why := without_protection(p, wide, "--unprotected")) is not None:
        raise UsageError(why)


def say_unprotected(p: EveryPreset) -> None:
    """Say at the start that a machine does not protect its keys."""
    if not protects_keys(p):
        tell(f"{p.name}: its keys are not protected from who measures or disturbs it")


def check_unit(unit: str, args: argparse.Namespace) -> Callable[[], None]:
    """UsageError for schemes of a system on chip as :func:`check_protection` has it.

    Return what says so at the start.
    """
    from ecsm.schemes.program import has_schemes
    from ecsm.soc.accelerators import SCHEMES

    if unit.startswith(SCHEMES):
        with suppress(UnknownPreset):  # it is named where the unit is looked for
            if has_schemes(p := any_preset(unit.removeprefix(SCHEMES))):
                check_protection(p, args)
                return partial(say_unprotected, p)
    return lambda: None


def integer(text: str) -> int:
    """Read an integer, decimal or ``0x...``; raises ValueError, also for digits not of ASCII."""
    found = _INTEGER.fullmatch(text)
    if not found:
        raise ValueError
    digits = found[1]
    if digits[:2].lower() == "0x":
        return int(text, 16)
    if digits[0] == "0" and digits.strip("0"):
        raise ValueError  # it might be meant as octal
    value = 0
    for at in range(0, len(digits), _AT_ONCE):
        piece = digits[at : at + _AT_ONCE]
        value = value * 10 ** len(piece) + int(piece)
    return -value if text[0] == "-" else value


def natural(text: str) -> int | None:
    """Read digits, None for what is no such number."""
    return int(text) if _DIGITS.fullmatch(text) else None


def real(text: str) -> float | None:
    """Read a number with or without a point and an exponent, None for what is none."""
    return float(text) if _REAL.fullmatch(text) else None


def scalar(text: str) -> int:
    """Read a scalar; a complaint does not repeat it, for it may be a mistyped secret."""
    try:
        return integer(text)
    except ValueError:
        raise argparse.ArgumentTypeError("not a number (decimal or 0x...)") from None


def count(text: str) -> int:
    """Read a number, 0 or more."""
    value = natural(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count: 0 or more")
    return value


def some(text: str) -> int:
    """Read a number, 1 or more."""
    value = natural(text)
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count: 1 or more")
    return value


def some_up_to(limit: int) -> Callable[[str], int]:
    """Return a reader of a number from 1 to ``limit``."""

    def read(text: str) -> int:
        value = some(text)
        if value > limit:
            raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 to {limit}")
        return value

    return read


def named(text: str) -> Path:
    """Read the path of a file or a folder. An empty one would be that of the current folder."""
    if not text:
        raise argparse.ArgumentTypeError(NO_NAME)
    return Path(text)


_CLUSTER = re.compile(r"([a-z]{2,5}://)?([\w.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})", re.ASCII)


def cluster(text: str) -> str:
    """Read the address of a Dask cluster, ``tcp://HOST:PORT``, or without ``tcp://``."""
    found = _CLUSTER.fullmatch(text)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text!r} is no address of a cluster: tcp://HOST:PORT")
    return text


def add_engines(parser: argparse.ArgumentParser, text: str) -> None:
    """Add ``--engines N``, 1 unless given; ``text`` says what N of them are."""
    parser.add_argument(
        "--engines", type=some_up_to(MOST_ENGINES), default=1, metavar="N",
        help=f"{text}: one stream of jobs, default 1",
    )  # fmt: skip


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add ``--results DIR``, where a command keeps what it measures: see :func:`results_of`."""
    parser.add_argument(
        "--results", type=named, metavar="DIR",
        help="where results are kept; those of the package are read for what is not there."
        " Default: ecsm/results in XDG_DATA_HOME, that is ~/.local/share/ecsm/results",
    )  # fmt: skip


def results_of(args: argparse.Namespace, kept: bool = True) -> Where:
    """Return the results that ``--results`` names, else this user's, above the package's.

    ``kept``: whether some are written. If so, raises :class:`UsageError` without a folder, and for
    one that cannot be written to.
    """
    chosen: Path | None = args.results or own_folder()
    if kept and chosen is None:
        raise UsageError("no home directory: --results has to name a folder")
    if kept and chosen is not None:
        try:
            check_folder(chosen)
        except OSError as error:
            why = f"{chosen}: {error.strerror}"
            raise UsageError(f"{why}: --results can name another folder") from None
    return RESULTS if chosen is None else above(chosen)


def at_most(limit: float) -> Callable[[str], float]:
    """Return a reader of a time, a frequency or the like: a number above 0, up to ``limit``."""

    def read(text: str) -> float:
        value = real(text)
        if value is None or not 0 < value <= limit:
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


def complain(message: str) -> None:
    """Say what is wrong, in one line: control characters of a name are escaped."""
    tell(
        "ecsm: " + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda c: repr(c[0])[1:-1], message)
    )


def ended(status: int) -> int:
    """Return the exit code of a program that ended with a status; say where they differ."""
    code = status & 0xFF or int(status != 0)
    if code != status:
        tell(f"ecsm: the program ended with status {status}: the exit code is {code}")
    return code


def say(text: str) -> None:
    """Say a verdict on standard output; that nobody reads it changes no exit code."""
    with suppress(BrokenPipeError):
        print(text, flush=True)


def numbers(text: str) -> list[int]:
    """Read numbers and inclusive ranges: ``1..3``, ``2,4,8``, ``1..3,8``; 0 or more each."""
    found: list[int] = []
    for part in text.split(","):
        low, dots, high = part.partition("..")
        first, last = natural(low), natural(high if dots else low)
        if first is None or last is None:
            raise argparse.ArgumentTypeError(f"{text!r}: numbers and ranges, as 1..3 or 2,4,8")
        if not first <= last <= 1000:
            raise argparse.ArgumentTypeError(f"{part!r} is not a range up to 1000")
        found += range(first, last + 1)
    return sorted(set(found))
