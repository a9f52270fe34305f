# SPDX-License-Identifier: Apache-2.0
"""Commands of the system on chip."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict

from ecsm.cli import boot
from ecsm.cli.common import (
    FAILED,
    Add,
    Once,
    add_results,
    add_unprotected,
    check_unit,
    ended,
    positive,
    results_of,
    some,
    some_up_to,
    tell,
)
from ecsm.cli.files import standard_input
from ecsm.names import joined


def _run(args: argparse.Namespace) -> int:
    from ecsm.soc.run import run_app

    notes = [check_unit(args.unit, args)]

    def heard(octets: bytes) -> None:
        while notes:
            notes.pop()()
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()

    typed = b"" if not args.input or standard_input().isatty() else standard_input().read()
    done = run_app(
        args.app, args.unit, args.coupling, tell, heard, typed, args.limit, more=args.more
    )
    if args.cycles:
        tell(f"{done.cycles:,} cycles, status {done.status}")
    return ended(done.status)


def _units(args: argparse.Namespace) -> int:
    from ecsm.soc.accelerators import accelerators

    found = accelerators(args.toys or args.json)
    if args.json:
        print(json.dumps([asdict(a) for a in found], indent=1))
        return 0
    wide = 2 + max(len(a.unit) for a in found)
    print(f"{'unit':{wide}}{'curve':17}{'couplings':19}about")
    for a in found:
        print(f"{a.unit:{wide}}{a.curve:17}{', '.join(a.couplings):19}{a.about}")
    print("a field or point unit takes any binary curve by name: ecsm curves")
    return 0


def _bench(args: argparse.Namespace) -> int:
    from ecsm.measure.soc_bench import soc_bench
    from ecsm.measure.soc_p256 import p256_bench
    from ecsm.measure.soc_schemes import scheme_bench

    if args.p256:
        return p256_bench(args.json, results_of(args))
    if args.schemes:
        return scheme_bench(args.sizes, args.json, results_of(args))
    return soc_bench(args.sizes, args.json, not args.no_area, results_of(args))


def _place(args: argparse.Namespace) -> int:
    from ecsm.backend.pnr import NothingRouted
    from ecsm.backend.tool import FlowError, with_own_nextpnr
    from ecsm.measure.soc_place import COMMAND, DEFAULT, place_soc, place_table
    from ecsm.progress import Progress

    pairs = DEFAULT if args.accelerator is None else ((args.accelerator, args.coupling),)
    root = results_of(args)
    how = f"--seeds {args.seeds} --freq {args.freq:g} --timeout {args.timeout:g}"
    try:
        with Progress() as log:
            for name, coupling in pairs:
                command = with_own_nextpnr(f"{COMMAND} {name} --coupling {coupling} {how}")
                limit_s = 60 * args.timeout
                place_soc(name, coupling, args.freq, args.seeds, limit_s, log, root, command)
    except (NothingRouted, FlowError) as error:
        tell(f"ecsm: {error}")
        return FAILED
    print(place_table(root))
    return 0


def _serial(args: argparse.Namespace) -> int:
    from ecsm.soc.serial import SerialSoc

    note = check_unit(args.accelerator, args)
    with SerialSoc(args.accelerator, args.coupling, tell) as soc:
        note()
        print(f"serial:{soc.path}", flush=True)
        tell("serving; Ctrl-C ends it")
        while soc.alive():
            time.sleep(0.2)
        soc.check()
    return 0


def commands(add: Add) -> None:
    """Add the commands."""
    from ecsm.narrow.port import SIZES
    from ecsm.soc.firmware import apps

    p = add("soc", lambda args: int(args.soc(args)), "a RISC-V system on chip with an accelerator")
    sub = p.add_subparsers(dest="verb", required=True, metavar="COMMAND")

    text = "compile a program and run it in simulation, its UART on the terminal"
    p = sub.add_parser("run", help=text, description=text + "; exits with the program's status.")
    p.add_argument(
        "app", metavar="APP",
        help=f"the program: {joined(apps(), 'or')}; or a file of yours, PATH.c",
    )  # fmt: skip
    p.add_argument("more", nargs="*", metavar="FILE.c", help="sources beside a file of yours")
    p.add_argument(
        "--unit",
        default="field-163",
        metavar="UNIT",
        help="an accelerator: ecsm soc units shows all; default: %(default)s",
    )
    p.add_argument(
        "--coupling", choices=("tc", "lc", "software"), default="tc",
        help="custom instruction (tc), bus (lc), or none (software); default: %(default)s",
    )  # fmt: skip
    p.add_argument("--input", action="store_true", help="send standard input to its UART")
    p.add_argument("--cycles", action="store_true", help="say how many it took")
    p.add_argument("--limit", type=some, default=200_000_000, help="give up after so many cycles")
    add_unprotected(p)
    p.set_defaults(soc=_run, unheard=FAILED)

    text = "the accelerators there are, and how a program may reach them"
    p = sub.add_parser("units", help=text, description=text)
    p.add_argument("--toys", action="store_true", help="of toy curves too; --json has them always")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.set_defaults(soc=_units)

    boot.commands(sub)

    text = "measure units tightly and loosely coupled, beside software"
    p = sub.add_parser("bench", help=text, description=text + "; the default sizes are kept.")
    p.add_argument(
        "sizes", nargs="*", action=Once, metavar="BITS", help=f"default: {' '.join(SIZES)}"
    )
    p.add_argument("--no-area", action="store_true", help="cycles only")
    only = p.add_mutually_exclusive_group()
    only.add_argument("--schemes", action="store_true", help="only the schemes")
    only.add_argument(
        "--p256",
        action="store_true",
        help="only P-256: BearSSL on the CPU beside word-p256 (.ci/fetch-bearssl first)",
    )
    p.add_argument("--json", action="store_true", help="print JSON")
    add_results(p)
    p.set_defaults(soc=_bench)

    text = "run the system as a device at the end of a serial line, a pseudo-terminal"
    p = sub.add_parser("serial", help=text, description=text + "; prints its address.")
    p.add_argument(
        "accelerator", nargs="?", default="schemes-word-p256", metavar="ACCELERATOR",
        help="schemes-PRESET; default: %(default)s",
    )  # fmt: skip
    p.add_argument("--coupling", choices=("tc", "lc"), default="lc", help="default: %(default)s")
    add_unprotected(p)
    p.set_defaults(soc=_serial)

    text = "place and route the whole system for an LFE5U-85F and keep its clock"
    p = sub.add_parser("place", help=text, description=text + "; without a name, the chosen few.")
    p.add_argument("accelerator", nargs="?", metavar="ACCELERATOR", help="a unit, as --unit of run")
    p.add_argument("--coupling", choices=("tc", "lc"), default="tc", help="default: %(default)s")
    p.add_argument(
        "--seeds", type=some_up_to(1000), default=1, help="how many; default: %(default)s"
    )
    p.add_argument("--freq", type=positive, default=50.0, help="MHz to ask for; default: 50")
    p.add_argument("--timeout", type=positive, default=90.0, help="minutes for a run; default: 90")
    add_results(p)
    p.set_defaults(soc=_place)
