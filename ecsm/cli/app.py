# SPDX-License-Identifier: Apache-2.0
"""The command line. Exit codes: docs/guide/command-line.md."""

from __future__ import annotations

import argparse
import math
import re
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from ecsm import __version__
from ecsm.backend.tool import FlowError
from ecsm.cli import (
    boards,
    campaigns,
    compare,
    core,
    demo,
    device,
    encryption,
    evidence,
    explore,
    keys,
    measure,
    scheme,
    serve,
    soc,
)
from ecsm.cli.common import FAILED, USAGE, Command, Parser, UsageError, complain, tell
from ecsm.cli.files import check_inputs, check_outputs, drop_unwritten, open_streams, place_of
from ecsm.cores.store import StaleSchedule
from ecsm.device.base import DeviceError, NoDevice
from ecsm.device.extras import NotInstalled, missing
from ecsm.device.request import BadRequest
from ecsm.names import UnknownName
from ecsm.presets.table import every_preset
from ecsm.results.kept import NoPlace
from ecsm.results.record import DamagedResult
from ecsm.status import CoreError


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = Parser(prog="ecsm", description="Elliptic-curve scalar multipliers.")
    top.add_argument("--version", action="version", version=f"ecsm {__version__}")
    sub = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Command, text: str, json_too: bool = False) -> argparse.ArgumentParser:
        p = sub.add_parser(name, help=text, description=text)
        p.set_defaults(run=run, usage=p.format_usage)
        if json_too:
            p.add_argument("--json", action="store_true", help="print JSON")
        return p

    groups = (
        core, device, demo, keys, scheme, encryption, serve, measure, compare, explore,
        evidence, campaigns, soc, boards,
    )  # fmt: skip
    for group in groups:
        group.commands(add)
    return top


class Terminated(KeyboardInterrupt):
    """SIGTERM, SIGHUP or one of ALARMS: ends a command like an interrupt, and leaves no more."""


ALARMS = (signal.SIGALRM, signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT)
"""Signals that end a program unless it handles them: of ``timeout -s``, ``ulimit -t``, Ctrl-\\."""


TWICE_S = 1
"""Seconds in which a signal that comes again is the same: ``timeout`` sends it to a process and to
its group."""

_came: dict[int, float] = {}
"""Signals that have come while a command ran, the first one first, and when."""


def _signalled(number: int, frame: object) -> None:
    now = monotonic()
    if now - _came.get(number, -math.inf) < TWICE_S:
        return
    _came[number] = now
    raise _raised(number)


def _raised(number: int) -> KeyboardInterrupt:
    """Return what a signal raises."""
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    open_streams()
    try:
        return _main(argv)
    finally:
        drop_unwritten()


def _main(argv: Sequence[str] | None) -> int:
    if threading.current_thread() is not threading.main_thread():
        return _answered(argv)
    # A terminal that is closed ends a command, too, but not one under nohup.
    ends = [s for s in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN]
    ends += [s for s in ALARMS if signal.getsignal(s) == signal.SIG_DFL]
    _came.clear()
    before = {s: signal.signal(s, _signalled) for s in ends}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, _signalled)
    # A parent that ignores the end of its children hands that down: no status of a tool would come.
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        return _answered(argv)
    except KeyboardInterrupt:  # one more, while the first one was answered
        return 128 + next(iter(_came), signal.SIGINT)
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


OPTION = re.compile(r"--[a-z][a-z-]+(?==|$)")


def _too_many(args: argparse.Namespace, unknown: list[str]) -> str:
    """Return the complaint about arguments.

    Only the name of an option and a preset are repeated: another argument may be a scalar.
    """
    if option := OPTION.match(unknown[0]):
        return f"there is no option {option[0]}: see ecsm {args.command} --help"
    many = "an argument" if len(unknown) == 1 else f"{len(unknown)} arguments"
    names = {p.name for p in every_preset()} if "[--preset " in args.usage() else set()
    meant = "".join(f" (did you mean --preset {name}?)" for name in unknown if name in names)
    return f"{many} too many{meant}: see ecsm {args.command} --help"


def _command(argv: Sequence[str] | None, args: argparse.Namespace) -> int:
    """Run a command, after a look at where it writes; ``args`` gets its arguments."""
    if any("\0" in argument for argument in argv or ()):  # from Python: no program can be
        raise UsageError("an argument has a NUL in it")
    try:
        _, unknown = parser().parse_known_args(argv, args)
    except SystemExit:
        sys.stdout.flush()  # of the help
        raise
    if unknown:
        raise UsageError(_too_many(args, unknown))
    check_inputs(args)
    check_outputs(args)
    code: int = args.run(args)
    with suppress(BrokenPipeError):  # nobody reads on: what was found out stays
        sys.stdout.flush()
    return code


def _unmixed(argv: Sequence[str] | None, args: argparse.Namespace) -> int:
    """Run a command. A library that a signal breaks off may make another exception of it."""
    try:
        return _command(argv, args)
    except Exception:
        if not _came:
            raise
        raise _raised(next(iter(_came))) from None


def _answered(argv: Sequence[str] | None) -> int:
    """Run a command; return its exit code, and say in one line what went wrong.

    A command may have other codes: ``failed`` where it gets no result, ``unheard`` where nobody
    reads on what it says before it has come to its end.
    """
    args = argparse.Namespace(failed=FAILED, unheard=0)
    try:
        return _unmixed(argv, args)
    except (UsageError, UnknownName, NoDevice, NotInstalled, BadRequest, NoPlace) as error:
        complain(str(error))
        return USAGE
    except ModuleNotFoundError as error:
        if (lacking := missing(error)) is None:
            raise
        tell(f"ecsm: {lacking}")
        return USAGE
    except ImportError as error:  # of a library that could not run a program as it was loaded
        if not isinstance(error.__cause__, OSError):
            raise
        tell(f"ecsm: {error.__cause__.strerror}")
    except CoreError as error:
        complain(f"{type(error).__name__}: {error}")  # the name of a status
    except BrokenPipeError:
        return int(args.unheard)
    except OSError as error:
        complain(f"{place_of(error)}{error.strerror or error}")
    except (DamagedResult, DeviceError, FlowError, StaleSchedule) as error:
        tell(f"ecsm: {error}")
    except MemoryError:
        tell("ecsm: there is not enough memory")
    except Exception:  # a fault of this program
        if args.failed == FAILED:
            raise  # Python's exit code is the same
        with suppress(OSError):
            traceback.print_exc()
    except Terminated as signalled:
        tell("ecsm: terminated")
        return 128 + int(signalled.args[0])
    except KeyboardInterrupt:
        tell("ecsm: interrupted")
        return 128 + signal.SIGINT
    return int(args.failed)
