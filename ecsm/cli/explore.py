# SPDX-License-Identifier: Apache-2.0
"""The command that explores a grid of presets: explore."""

from __future__ import annotations

import argparse
import os

from ecsm.cli.common import (
    FAILED,
    Add,
    UsageError,
    cluster,
    count,
    named,
    numbers,
    positive,
    some_up_to,
    tell,
)
from ecsm.cli.files import folder_of
from ecsm.curves import binary_curve

DEPTH = 3


def _explore(args: argparse.Namespace) -> int:
    from ecsm.measure.explore import explore
    from ecsm.measure.grid import Grid, Work
    from ecsm.measure.workers import NoCluster

    found = binary_curve(args.curve)
    m = found.field.m
    if args.depth is None:
        args.depth = [min(DEPTH, m.bit_length() - 1)]
    for name, low, high in (("multipliers", 1, 4), ("stages", 1, 4), ("digit", 1, m)):
        unused = name == "digit" and args.kind == "karatsuba"
        if not unused and any(not low <= v <= high for v in getattr(args, name)):
            raise UsageError(f"--{name} is from {low} to {high}")
    if any(v > 1 for v in args.ahead):
        raise UsageError("--ahead is 0, 1 or 0,1")
    if args.kind == "karatsuba" and any(1 << v > m for v in args.depth):
        raise UsageError(f"--depth: {m} bits are not split that often")
    grid = Grid(
        found.name, args.kind, args.multipliers, args.stages, args.depth, args.height,
        args.digit, args.ahead,
    )  # fmt: skip
    work = Work(
        args.timing_seconds, args.network_seconds, args.count, args.place, args.seeds,
        60 * args.timeout,
    )  # fmt: skip
    if not any(grid.presets()):
        raise UsageError("no multiplier has any of these combinations")
    folder = folder_of(args, "explore", found.name)
    try:
        return explore(grid, work, folder, args.scheduler, args.workers, args.json)
    except NoCluster as error:
        tell(f"ecsm: {error}")
        return FAILED


def commands(add: Add) -> None:
    """Add the command."""
    from ecsm.measure.grid import KINDS

    p = add("explore", _explore, "measure a grid of presets, resumably", True)
    p.add_argument("--curve", required=True, help="sect163r2, ...")
    p.add_argument("--kind", choices=KINDS, default="karatsuba", help="default %(default)s")
    for name, default, text in (
        ("multipliers", "1..3", "how many"),
        ("stages", "1..2", "pipeline stages of a multiplier"),
        ("depth", None, "Karatsuba levels"),
        ("height", "0", "Karatsuba levels before the rank of products"),
        ("digit", "16", "bits of a digit (serial) or segment (segmented)"),
        ("ahead", "0", "operand registers: 0, 1 or 0,1"),
    ):
        p.add_argument(
            f"--{name}", type=numbers, default=default and numbers(default), metavar="N..M",
            help=f"{text}; default {default or f'{DEPTH}, or as many as the field has'}",
        )  # fmt: skip
    p.add_argument("--place", action="store_true", help="place and route too (long)")
    p.add_argument(
        "--seeds", type=some_up_to(1000), default=1, help="of a placed point, default %(default)s"
    )
    p.add_argument(
        "--timeout", type=positive, default=90.0, metavar="MIN", help="of one run of place and "
        "route, default %(default)s",
    )  # fmt: skip
    p.add_argument("--count", type=count, default=20, help="random jobs, default %(default)s")
    p.add_argument(
        "--timing-seconds", type=positive, default=60, metavar="S",
        help="of the solver, for each length of the loop, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--network-seconds", type=positive, default=60, metavar="S",
        help="then for the network: less makes larger cores, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--scheduler",
        type=cluster,
        metavar="tcp://HOST:PORT",
        help="a Dask cluster; default: this machine",
    )
    p.add_argument(
        "--workers", type=some_up_to(1000), default=max(1, (os.cpu_count() or 2) // 2),
        help="processes on this machine, default %(default)s",
    )  # fmt: skip
    p.add_argument("-o", "--output", type=named, metavar="DIR", help="default: build/explore/CURVE")
