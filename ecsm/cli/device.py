# SPDX-License-Identifier: Apache-2.0
"""Commands that use a core: kp, info, test, bench."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from ecsm.cli.common import (
    FAILED,
    Add,
    Once,
    UsageError,
    add_engines,
    add_results,
    count,
    integer,
    positive,
    results_of,
    scalar,
    tell,
)
from ecsm.curves import Point, XLine
from ecsm.hdl.farm import no_farm
from ecsm.presets.table import preset
from ecsm.presets.word import WordPreset

BENCH_SECONDS = 3


def _point(text: str, name: str) -> Point:
    """Read ``G``, ``infinity`` or ``X,Y``; of an x-line ``X``."""
    curve = preset(name).curve
    alone = isinstance(curve, XLine)
    if text.lower() in ("g", "generator"):
        return curve.generator
    if text.lower() in ("infinity", "inf", "o"):
        return None
    parts = text.split(",")
    if alone and len(parts) == 1:
        parts.append("0")
    if len(parts) != 2:
        raise UsageError(f"--point takes {'X' if alone else 'X,Y'} or G or infinity")
    try:
        return integer(parts[0].strip()), integer(parts[1].strip())
    except ValueError:
        raise UsageError("--point takes two numbers, X,Y") from None


def _kp(args: argparse.Namespace) -> int:
    from ecsm.device.opening import open_device
    from ecsm.device.sim import check_job

    point = _point(args.point, args.preset)
    p = preset(args.preset)
    k = p.curve.n - 1 if args.k is None else args.k
    check_job(p, k if args.a is None else (args.a, k), point)  # it would be compiled first
    with open_device(f"sim:{args.preset}*{args.engines}", tell) as device:
        result = device.kp(k, point) if args.a is None else device.double_kp(args.a, k, point)
        cycles = device.last_cycles
    if args.json:
        xy = None if result is None else [hex(v) for v in result]
        print(json.dumps({"preset": args.preset, "result": xy, "cycles": cycles}))
    elif result is None:
        print(f"{'kP' if args.a is None else 'aG + kP'} = infinity\ncycles = {cycles}")
    else:
        print(f"x = {result[0]:#x}")
        if not isinstance(p.curve, XLine):
            print(f"y = {result[1]:#x}")
        print(f"cycles = {cycles}")
    return 0


def _info(args: argparse.Namespace) -> int:
    from ecsm.device.sim import describe
    from ecsm.hdl.machines import subject

    if args.engines > 1 and (why := no_farm(preset(args.preset))):  # a farm is of cores
        raise UsageError(why)
    uri = f"sim:{args.preset}" + (f"*{args.engines}" if args.engines > 1 else "")
    of = subject(args.preset)
    info = asdict(describe(of, uri, args.engines))
    if isinstance(of, WordPreset):  # has no kP, by which they are counted
        info |= {"registers": None, "cycles": None}
    if args.json:
        print(json.dumps(info, indent=1))
    else:
        for key, value in info.items():
            print(f"{key:14} {'-' if value is None else value}")
    return 0


def _test(args: argparse.Namespace) -> int:
    from ecsm.measure.selftest import selftest

    if args.netlist and args.engines > 1:
        raise UsageError("--netlist is of one engine")
    return selftest(args.preset, args.count, args.json, tell, args.netlist, args.engines)


def _bench(args: argparse.Namespace) -> int:
    from ecsm.measure.bench import bench, farm_bench

    for name in args.presets:
        preset(name)
    if args.presets and args.results is not None:
        raise UsageError("--results is of the chosen few: what presets by name give is not kept")
    if args.engines > 1:
        if not args.presets or args.solve or args.seconds is not None:
            raise UsageError("--engines takes the presets to measure, no --solve and no --seconds")
        return farm_bench(args.presets, args.engines, args.json)
    root = results_of(args, kept=not args.presets)
    return bench(args.presets, args.seconds or BENCH_SECONDS, args.json, args.solve, root)


def commands(add: Add) -> None:
    """Add the commands."""
    p = add("kp", _kp, "multiply a point on a simulated core", True)
    p.add_argument("--preset", default="b163-fast", help="default: %(default)s")
    p.add_argument("--k", type=scalar, help="scalar, decimal or 0x...; default n - 1")
    p.add_argument("--a", type=scalar, help="compute aG + kP, on a preset that can: see ecsm list")
    p.add_argument("--point", default="G", help="X,Y or G (default) or infinity; X on an x-line")
    add_engines(p, "on a farm of N")
    p = add("test", _test, "compare a simulated core with an independent oracle", True)
    p.set_defaults(unheard=FAILED)
    p.add_argument("preset", nargs="?", default="b163-fast", help="default: %(default)s")
    p.add_argument("--count", type=count, default=100, help="random cases, default %(default)s")
    p.add_argument("--netlist", action="store_true", help="simulate the synthesised ECP5 netlist")
    add_engines(p, "a farm of N")
    p = add("info", _info, "describe a device", True)
    p.add_argument("--preset", default="b163-fast", help="default: %(default)s")
    add_engines(p, "a farm of N")
    p = add("bench", _bench, "measure simulated cores", True)
    p.add_argument(
        "presets", nargs="*", action=Once, metavar="PRESET", help="default: a chosen few, kept"
    )
    p.add_argument("--seconds", type=positive, help=f"a preset, default {BENCH_SECONDS}")
    p.add_argument("--solve", action="store_true", help="time one solve of each too")
    add_engines(p, "the throughput of a farm of N")
    add_results(p)
