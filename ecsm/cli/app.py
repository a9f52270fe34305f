# SPDX-License-Identifier: Apache-2.0
"""The command line. Exit codes: 0, 1 for a failed check, 2 for usage."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from ecsm import __version__
from ecsm.cli import compare, core, demo, device, explore, measure, scheme, serve, soc
from ecsm.cli.common import FAILED, USAGE, Command, Parser, UsageError
from ecsm.device.base import DeviceError
from ecsm.flow.results import DamagedResult
from ecsm.names import UnknownName
from ecsm.presets.store import StaleSchedule
from ecsm.presets.table import all_presets
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

    for group in (core, device, demo, scheme, serve, measure, compare, explore, soc):
        group.commands(add)
    return top


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: it ends a command like an interrupt, and leaves as little behind."""


def _terminate(number: int, frame: object) -> None:
    raise Terminated(number)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    for closed in [name for name in ("stdout", "stderr") if getattr(sys, name) is None]:
        setattr(sys, closed, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):  # a file's name may have octets that are no text
        sys.stdout.reconfigure(errors="backslashreplace")
    if threading.current_thread() is not threading.main_thread():
        return _main(argv)
    # A terminal that is closed ends a command, too, but not one under nohup.
    ends = [s for s in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN]
    before = {s: signal.signal(s, _terminate) for s in ends}
    try:
        return _main(argv)
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


def _too_many(args: argparse.Namespace, unknown: list[str]) -> str:
    """Return the complaint about arguments; only a preset is repeated: one may be a scalar."""
    many = "an argument" if len(unknown) == 1 else f"{len(unknown)} arguments"
    names = {p.name for p in all_presets()} if "[--preset " in args.usage() else set()
    meant = "".join(f" (did you mean --preset {name}?)" for name in unknown if name in names)
    return f"{many} too many{meant}: see ecsm {args.command} --help"


def _main(argv: Sequence[str] | None) -> int:
    args, unknown = parser().parse_known_args(argv)
    if unknown:
        print(f"ecsm: {_too_many(args, unknown)}", file=sys.stderr)
        return USAGE
    try:
        code: int = args.run(args)
        sys.stdout.flush()  # a closed pipe shows here, not at exit
        return code
    except (UsageError, UnknownName) as error:
        print(f"ecsm: {error}", file=sys.stderr)
        return USAGE
    except (CoreError, DeviceError, StaleSchedule) as error:
        print(f"ecsm: {type(error).__name__}: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # Nobody reads on. What is still buffered goes nowhere, or the exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, DamagedResult) as error:
        print(f"ecsm: {error}", file=sys.stderr)
        return FAILED
    except Terminated as signalled:
        print("ecsm: terminated", file=sys.stderr)
        return 128 + int(signalled.args[0])
    except KeyboardInterrupt:
        print("ecsm: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
