# SPDX-License-Identifier: Apache-2.0
"""Commands that simulate many runs of a core or a scheme machine: leak and fault."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ecsm.cli.common import (
    FAILED,
    Add,
    UsageError,
    add_results,
    cluster,
    count,
    results_of,
    some_up_to,
    tell,
)
from ecsm.cli.files import beside, write

MOST = 100_000_000


def _leak(args: argparse.Namespace) -> int:
    from ecsm.evidence.campaigns.leak import Plan, leak
    from ecsm.evidence.campaigns.leak_report import picture, text
    from ecsm.evidence.campaigns.pieces import CampaignError
    from ecsm.evidence.campaigns.subjects import traced_class
    from ecsm.measure.workers import NoCluster
    from ecsm.progress import Progress
    from ecsm.results.evidence import leak_path
    from ecsm.results.kept import check, written
    from ecsm.results.record import write_json

    results = results_of(args)
    _check_schemes(args.preset)
    _check_one_program(args.preset)
    subject = traced_class(args.preset)
    choices = subject.vary
    vary = choices[0] if args.vary is None else args.vary
    if vary not in choices:
        raise UsageError(f"--vary of {args.preset} is {' or '.join(choices)}")
    kept = leak_path(args.preset, vary, results, args.digits)
    if args.svg and Path(args.svg).resolve() == written(kept).resolve():
        raise UsageError(f"{args.svg} is where the result is kept: name another file")
    check(kept)
    traces = subject.traces if args.traces is None else args.traces
    training = subject.training if args.training is None else args.training
    training = 0 if vary == "point" else training
    plan = Plan(args.preset, vary, traces, training, args.bits, args.seed, args.digits)
    command = (
        f"ecsm leak {args.preset} --traces {traces} --vary {vary}"
        f" --training {training} --bits {args.bits} --seed {args.seed}"
    ) + f" --digits {args.digits}" * bool(args.digits)
    try:
        with Progress() as progress:
            found, t, core = leak(plan, command, args.scheduler, args.workers, progress)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (CampaignError, NoCluster) as error:
        tell(f"ecsm: {error}")
        return FAILED
    write_json(kept, asdict(found))
    if args.svg:
        write(args.svg, picture(found, t, core).encode())
    beside(args.svg)(json.dumps(asdict(found), indent=1) if args.json else text(found))
    return 0


def _check_schemes(name: str) -> None:
    """Raise UsageError for signatures of a preset that can have none."""
    from ecsm.evidence.campaigns.signing import PREFIX
    from ecsm.presets.table import preset
    from ecsm.presets.word import word_preset
    from ecsm.schemes.program import without_schemes

    if p := word_preset(name.removeprefix(PREFIX)):
        if p.netlist:
            raise UsageError(
                f"{name} has its program from its host, and runs here without: word-p256,"
                " word-p256-none and word-k256 have theirs in the netlist"
            )
        return
    if name.startswith(PREFIX) and (why := without_schemes(preset(name.removeprefix(PREFIX)))):
        raise UsageError(why)


def _check_one_program(name: str) -> None:
    """Raise UsageError for a core that has kG beside kP: its jobs do not take the same cycles."""
    from ecsm.cores.store import design
    from ecsm.presets.table import UnknownPreset

    with suppress(UnknownPreset):
        if design(name).base:
            raise UsageError(f"{name} has a program for kG beside kP: there are no traces of two")


def _fault(args: argparse.Namespace) -> int:
    from ecsm.evidence.campaigns.fault import Faults, Plan, fault
    from ecsm.evidence.campaigns.fault_report import text
    from ecsm.evidence.campaigns.pieces import CampaignError
    from ecsm.evidence.kept import load_evidence
    from ecsm.measure.workers import NoCluster
    from ecsm.progress import Progress
    from ecsm.results.evidence import fault_path
    from ecsm.results.kept import check, read
    from ecsm.results.record import write_json

    results = results_of(args)
    _check_schemes(args.preset)
    plan = Plan(args.preset, args.mode, args.count, args.seed)
    kept = fault_path(args.preset, args.mode, results)
    check(kept)
    if args.more and not read(kept).is_file():
        raise UsageError(f"there is no result of {args.preset}, {args.mode}, for --more to add to")
    before = load_evidence(Faults, read(kept)) if args.more else None
    command = f"ecsm fault {args.preset} --count {args.count} --mode {args.mode} --seed {args.seed}"
    try:
        with Progress() as progress:
            found = fault(plan, command, args.scheduler, args.workers, progress, before)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (CampaignError, NoCluster) as error:
        tell(f"ecsm: {error}")
        return FAILED
    write_json(kept, asdict(found))
    print(json.dumps(asdict(found), indent=1) if args.json else text(found))
    return 0


def _workers(parser: argparse.ArgumentParser) -> None:
    """Add what says where the runs are done."""
    parser.add_argument(
        "--scheduler", type=cluster, metavar="tcp://HOST:PORT",
        help="a Dask cluster that sees this machine's cache; default: this machine",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=some_up_to(1000), default=os.cpu_count() or 1,
        help="processes on this machine, default %(default)s",
    )  # fmt: skip
    parser.add_argument("--seed", type=count, default=1, help="of inputs, default %(default)s")
    add_results(parser)


def commands(add: Add) -> None:
    """Add the commands of this module."""
    p = add("leak", _leak, "measure what a core's changes tell of its secrets", json_too=True)
    of = "of a core, or schemes-PRESET: signatures of its schemes"
    p.add_argument("preset", metavar="PRESET", help=f"{of}; or a word engine: its ECDH")
    p.add_argument(
        "--traces", type=some_up_to(MOST), metavar="N",
        help="for the tests, default 16384; rounded up to pieces of 4,096; of a word engine 4096,"
        " and pieces of 1,024",
    )  # fmt: skip
    p.add_argument(
        "--vary", metavar="WHAT",
        help="what is random: scalar (default) or point; of a signature the key (default) or the"
        " nonce",
    )  # fmt: skip
    p.add_argument(
        "--training", type=count, metavar="N",
        help="traces for the templates of one trace, default 10000, of a word engine 1024; rounded"
        " up as --traces; 0, or --vary point: no templates",
    )  # fmt: skip
    p.add_argument(
        "--bits", type=some_up_to(MOST), default=50_000, metavar="N",
        help="bits of other keys that the templates guess, default %(default)s; rounded up to what"
        " one batch of traces has",
    )  # fmt: skip
    p.add_argument(
        "--digits", type=count, default=0, metavar="N",
        help="of a word engine: traces end behind so many digits of the scalar, and are made as"
        " much faster; default 0: whole traces",
    )  # fmt: skip
    p.add_argument("--svg", metavar="FILE", help="write a plot of t over time")
    _workers(p)
    p = add("fault", _fault, "measure what faults do to answers and signatures", json_too=True)
    p.add_argument("preset", metavar="PRESET", help=f"{of}; or a word engine: its ECDH")
    p.add_argument(
        "--count", type=some_up_to(MOST), default=10_240, metavar="N",
        help="faults, default %(default)s; rounded up to pieces of 2,048",
    )  # fmt: skip
    p.add_argument(
        "--mode", choices=("flip", "memory", "stuck", "skip"), default="flip",
        help="of a flip-flop (default), of a memory's bit, a flip-flop that sticks, a word that is"
        " skipped",
    )  # fmt: skip
    p.add_argument(
        "--more", action="store_true",
        help="go on behind the faults of the kept result, and add to it; --count is of all",
    )  # fmt: skip
    _workers(p)
