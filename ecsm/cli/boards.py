# SPDX-License-Identifier: Apache-2.0
"""Command for boards: bitstream."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ecsm.backend.nextpnr import ROUTER, ROUTERS
from ecsm.boards.board import MINUTES, NOISE, NOISE_BAUD, board, boards
from ecsm.cli.boot import MINIMUM, MOST, PUBLIC, public_point
from ecsm.cli.common import (
    FAILED,
    Add,
    UsageError,
    add_results,
    add_unprotected,
    at_most,
    check_unit,
    positive,
    results_of,
    some_up_to,
    tell,
)
from ecsm.cli.files import folder_of
from ecsm.device.transport import BAUD

if TYPE_CHECKING:
    from ecsm.boards.make import Content
    from ecsm.boards.results import Bitstream

FASTEST = 400.0  # MHz, of any clock here


def _bitstream(args: argparse.Namespace) -> int:
    from ecsm.backend.tool import FlowError
    from ecsm.boards.designs import board_design
    from ecsm.boards.make import How, bitstream, loading
    from ecsm.progress import Progress

    content = _content(args)
    note = check_unit(args.design, args)
    d = board_design(args.design, board(args.board), args.clock)
    if args.program is not None and not d.program:
        raise UsageError(f"--program: {args.design} has no processor; schemes-PRESET has one")
    folder = folder_of(args, f"{args.design}-{args.board}")
    root = results_of(args)
    how = How(args.seed, args.router, 60 * args.timeout)
    note()
    try:
        with Progress() as log:
            found = bitstream(d, how, folder, log, root, _command(args), content)
    except FlowError as error:
        tell(f"ecsm: {error}")
        return FAILED
    if args.json:
        print(json.dumps(asdict(found), indent=1))
        return 0
    _print(found, folder)
    for command in loading(d, folder):
        print(f"  {command}")
    return 0


def _content(args: argparse.Namespace) -> Content:
    """Return what the memory of a system on chip holds. Raises UsageError."""
    from ecsm.boards.designs import BOOT
    from ecsm.boards.make import application, boot_content
    from ecsm.soc.serial import PROGRAM

    if args.design != BOOT:
        if args.trusted or args.minimum is not None:
            raise UsageError(f"--public and --minimum are of {BOOT}, not of {args.design}")
        return application(PROGRAM if args.program is None else args.program)
    if args.program is not None:
        raise UsageError(f"--program: {BOOT} takes its program from the serial port, signed")
    if not args.trusted:
        raise UsageError(f"{BOOT} needs --public, the key that programs are verified with")
    return boot_content(public_point(args.trusted), args.minimum or 1)


def _command(args: argparse.Namespace) -> str:
    """Return what makes the result again."""
    text: str = f"ecsm bitstream {args.design} --board {args.board} --seed {args.seed}"
    text += "" if args.clock is None else f" --clock {args.clock:g}"
    text += f" --router {args.router}" * (args.router != ROUTER)
    text += " --unprotected" * args.unprotected
    text += f" --public {quote(args.trusted)}" if args.trusted else ""
    text += "" if args.minimum is None else f" --minimum {args.minimum}"
    return text + ("" if args.program is None else f" --program {quote(args.program)}")


def _print(b: Bitstream, folder: Path) -> None:
    from ecsm.boards.results import NOT_RUN

    clocks = ", ".join(f"{c.mhz:.2f} MHz of {c.wanted_mhz:g} wanted" for c in b.clocks)
    print(f"{b.design} on {b.board}: {b.octets:,} octets in {folder}")
    print(f"clock: {clocks}")
    print(f"{NOT_RUN}. To load it:")


def commands(add: Add) -> None:
    """Add the command."""
    p = add("bitstream", _bitstream, "make a bitstream for a board; no board is needed", True)
    p.add_argument(
        "design", metavar="DESIGN",
        help="a preset: its core or word engine with a self-test, the verdict on an LED;"
        f" schemes-PRESET: the system on chip, a device at its serial port ({BAUD:,} Bd);"
        " boot: the same system, which takes a program from there and starts it if it is signed;"
        f" {NOISE}: raw samples of the noise source ({NOISE_BAUD:,} Bd)",
    )  # fmt: skip
    p.add_argument("--board", required=True, metavar="BOARD", help=f"of {', '.join(boards())}")
    p.add_argument("-o", "--output", metavar="DIR", help="default: build/DESIGN-BOARD")
    p.add_argument(
        "--clock", type=at_most(FASTEST), metavar="MHZ",
        help="of the design, made by a PLL if it is not the oscillator's; default: the board's",
    )  # fmt: skip
    p.add_argument(
        "--program", metavar="APP",
        help="of the system on chip, as ecsm soc run takes it; default: serve."
        " Another one needs no new place and route",
    )  # fmt: skip
    p.add_argument("--public", dest="trusted", metavar="KEY", help=f"of boot: {PUBLIC}")
    p.add_argument(
        "--minimum", type=some_up_to(MOST), metavar="N", help=f"of boot: {MINIMUM}; default: 1"
    )
    p.add_argument(
        "--seed", type=some_up_to(100_000), default=1, help="of the placer, default %(default)s"
    )
    p.add_argument("--router", choices=tuple(ROUTERS), default=ROUTER, help=f"default {ROUTER}")
    p.add_argument(
        "--timeout", type=positive, default=MINUTES, metavar="MIN",
        help="of place and route, default %(default)s",
    )  # fmt: skip
    add_unprotected(p)
    add_results(p)
