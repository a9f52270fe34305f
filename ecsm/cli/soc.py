# SPDX-License-Identifier: Apache-2.0
"""Commands of the system on chip."""

from __future__ import annotations

import argparse
import sys

from ecsm.cli.common import Add, some, tell


def _run(args: argparse.Namespace) -> int:
    from ecsm.soc.run import run_app

    def heard(octets: bytes) -> None:
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()

    typed = b"" if sys.stdin.isatty() or not args.input else sys.stdin.buffer.read()
    done = run_app(args.app, args.unit, args.coupling, tell, heard, typed, args.limit)
    if args.cycles:
        tell(f"{done.cycles:,} cycles, status {done.status}")
    return done.status & 0xFF or int(done.status != 0)


def _bench(args: argparse.Namespace) -> int:
    from ecsm.flow.soc import soc_bench

    return soc_bench(args.sizes, args.json, not args.no_area)


def commands(add: Add) -> None:
    """Add the commands."""
    from ecsm.narrow.port import SIZES

    p = add("soc", lambda args: int(args.soc(args)), "a RISC-V system on chip with an accelerator")
    sub = p.add_subparsers(dest="verb", required=True, metavar="COMMAND")

    text = "compile a program and run it in simulation, its UART on the terminal"
    p = sub.add_parser("run", help=text, description=text + "; exits with the program's status.")
    p.add_argument("app", metavar="APP", help="the program: a file of sw/soc/apps")
    p.add_argument("--unit", default="field-163", help="field-163, point-233, core-b163-fast, ...")
    p.add_argument(
        "--coupling", choices=("tc", "lc", "software"), default="tc",
        help="custom instruction, bus, or none; default: %(default)s",
    )  # fmt: skip
    p.add_argument("--input", action="store_true", help="send standard input to its UART")
    p.add_argument("--cycles", action="store_true", help="say how many it took")
    p.add_argument("--limit", type=some, default=200_000_000, help="give up after so many cycles")
    p.set_defaults(soc=_run)

    text = "measure units tightly and loosely coupled, beside software"
    p = sub.add_parser("bench", help=text, description=text + "; the default sizes are kept.")
    p.add_argument("sizes", nargs="*", metavar="BITS", help=f"default: {' '.join(SIZES)}")
    p.add_argument("--no-area", action="store_true", help="cycles only")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.set_defaults(soc=_bench)
