# SPDX-License-Identifier: Apache-2.0
"""The command line. Exit codes: 0, 1 for a failed check, 2 for usage."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from ecsm import __version__
from ecsm.curves.binary import Point
from ecsm.device.base import DeviceError
from ecsm.flow import compare, energy
from ecsm.presets.store import StaleSchedule, design
from ecsm.presets.table import PRESETS, UnknownPreset, preset
from ecsm.status import CoreError

FAILED, USAGE = 1, 2


class UsageError(Exception):
    """The command was called wrongly."""


def _scalar(text: str) -> int:
    """Read a scalar; a complaint does not repeat it, for it may be a mistyped secret."""
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError("not a number (decimal or 0x...)") from None


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count: 0 or more")
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0")
    return value


def _point(text: str, name: str) -> Point:
    """Read ``G``, ``infinity`` or ``X,Y``."""
    if text.lower() in ("g", "generator"):
        return preset(name).curve.generator
    if text.lower() in ("infinity", "inf", "o"):
        return None
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError("--point takes X,Y or G or infinity")
    try:
        return int(parts[0], 0), int(parts[1], 0)
    except ValueError:
        raise UsageError("--point takes two numbers, X,Y") from None


def _progress(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _list(args: argparse.Namespace) -> int:
    rows = []
    for p in PRESETS.values():
        try:
            d = design(p.name)
        except StaleSchedule as error:
            _progress(f"ecsm: {error}")
            continue
        rows.append(
            {
                "preset": p.name,
                "curve": p.curve.name,
                "multipliers": p.multipliers,
                "multiplier": p.multiplier.describe(),
                "registers": d.microcode.registers,
                "cycles": d.microcode.cycles,
                "bound": d.schedule.cycles_bound,
                "about": p.about,
            }
        )
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    print(f"{'preset':15}{'curve':11}{'mul':>3}  {'multiplier':36}{'cycles':>7}")
    for row in rows:
        print(
            f"{row['preset']:15}{row['curve']:11}{row['multipliers']:>3}"
            f"  {row['multiplier']:36}{row['cycles']:>7}"
        )
    return 0


def _kp(args: argparse.Namespace) -> int:
    from ecsm.device.base import open_device

    point = _point(args.point, args.preset)
    k = preset(args.preset).curve.n - 1 if args.k is None else args.k
    with open_device(f"sim:{args.preset}", _progress) as device:
        result = device.kp(k, point)
        cycles = device.last_cycles
    if args.json:
        xy = None if result is None else [hex(v) for v in result]
        print(json.dumps({"preset": args.preset, "result": xy, "cycles": cycles}))
    elif result is None:
        print(f"kP = infinity\ncycles = {cycles}")
    else:
        print(f"x = {result[0]:#x}\ny = {result[1]:#x}\ncycles = {cycles}")
    return 0


def _schedule(args: argparse.Namespace) -> int:
    from ecsm.schedule.report import summary
    from ecsm.schedule.svg import draw
    from ecsm.schedule.verify import verify

    d = design(args.preset)
    verify(d.graph, d.schedule, d.preset.units)
    if args.svg is not None:
        Path(args.svg).write_text(
            draw(d.graph, d.schedule, d.preset.units, d.preset.name), encoding="utf-8"
        )
    facts = summary(d.graph, d.schedule, d.microcode, d.preset.units)
    if args.json:
        print(json.dumps({"preset": args.preset, **facts}, indent=1))
        return 0
    for key, value in facts.items():
        print(f"{key.replace('_', ' '):22} {value}")
    if args.svg:
        print(f"{'picture':22} {args.svg}")
    return 0


def _solve(args: argparse.Namespace) -> int:
    import logging

    from ecsm.presets.store import solve_preset
    from ecsm.schedule.solve import Unschedulable

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in list(PRESETS) if args.presets == ["all"] else args.presets:
        _progress(f"solving {name}")
        try:
            s = solve_preset(preset(name), args.timing_seconds, args.network_seconds)
        except Unschedulable as error:
            print(f"ecsm: {name}: {error}", file=sys.stderr)
            return FAILED
        print(f"{name}: {s.cycles} cycles, bound {s.cycles_bound}, loop {s.ii}", flush=True)
    return 0


def _build(args: argparse.Namespace) -> int:
    from ecsm.hdl.package import PackageError, package

    try:
        folder = package(design(args.preset), Path(args.output or f"build/{args.preset}"))
    except PackageError as error:
        raise UsageError(str(error)) from None
    print(f"{args.preset}: {folder}")
    return 0


def _lint(args: argparse.Namespace) -> int:
    from ecsm.flow.lint import all_rtl, lint_preset, lint_style

    for name in args.presets:
        preset(name)
    clean, text = lint_style(all_rtl())
    if text:
        print(text)
    print(f"verible: {'clean' if clean else 'FAILED'}")
    for name in args.presets or LINT_PRESETS:
        ok, text = lint_preset(name)
        if text:
            print(text)
        print(f"verilator -Wall {name}: {'clean' if ok and not text else 'FAILED'}", flush=True)
        clean = clean and ok and not text
    return 0 if clean else FAILED


LINT_PRESETS = ("b163-fast", "toy7-two", "toy8-one", "toy7-small")


def _test(args: argparse.Namespace) -> int:
    from ecsm.flow.selftest import selftest

    return selftest(args.preset, args.count, args.json, _progress, args.netlist)


def _demo(args: argparse.Namespace) -> int:
    from ecsm.flow.demo import demo

    return demo(args.preset)


def _bench(args: argparse.Namespace) -> int:
    from ecsm.flow.bench import bench

    for name in args.presets:
        preset(name)
    return bench(args.presets, args.seconds, args.json, args.solve)


def _docs(args: argparse.Namespace) -> int:
    from ecsm.flow.docs import DocsError, StaleDocs, write_docs

    try:
        paths = write_docs(check=args.check)
        print("all current" if args.check else "\n".join(map(str, paths)))
    except (StaleDocs, DocsError) as error:
        print(f"ecsm: {error}", file=sys.stderr)
        return FAILED
    return 0


def _info(args: argparse.Namespace) -> int:
    from ecsm.device.base import open_device

    with open_device(f"sim:{args.preset}", _progress) as device:
        info = asdict(device.info())
    if args.json:
        print(json.dumps(info, indent=1))
    else:
        for key, value in info.items():
            print(f"{key:14} {value}")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="ecsm", description="Elliptic-curve scalar multipliers.")
    top.add_argument("--version", action="version", version=f"ecsm {__version__}")
    sub = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], text: str, json_too: bool = False
    ) -> argparse.ArgumentParser:
        p = sub.add_parser(name, help=text, description=text)
        p.set_defaults(run=run)
        if json_too:
            p.add_argument("--json", action="store_true", help="print JSON")
        return p

    add("list", _list, "presets with curve, multipliers, cycles", True)
    p = add("kp", _kp, "multiply a point on a simulated core", True)
    p.add_argument("--preset", default="b163-fast", help="default: %(default)s")
    p.add_argument("--k", type=_scalar, help="scalar, decimal or 0x...; default n - 1")
    p.add_argument("--point", default="G", help="X,Y or G (default) or infinity")
    p = add("schedule", _schedule, "verify and describe a preset's schedule", True)
    p.add_argument("preset")
    p.add_argument("--svg", metavar="FILE", help="draw it")
    p = add("solve", _solve, "solve schedules anew and keep them (minutes each)")
    p.add_argument("presets", nargs="+", metavar="PRESET", help="all for every preset")
    p.add_argument(
        "--timing-seconds", type=_seconds, default=120, help="limit, default %(default)s"
    )
    p.add_argument(
        "--network-seconds", type=_seconds, default=60, help="limit, default %(default)s"
    )
    p = add("build", _build, "write a self-contained directory of SystemVerilog")
    p.add_argument("preset")
    p.add_argument("-o", "--output", metavar="DIR", help="default: build/PRESET")
    p = add("lint", _lint, "check the RTL with verible and verilator -Wall")
    p.add_argument("presets", nargs="*", metavar="PRESET", help="presets to elaborate")
    p = add("test", _test, "compare a simulated core with an independent oracle", True)
    p.add_argument("preset", nargs="?", default="b163-fast")
    p.add_argument("--count", type=_count, default=100, help="random cases, default %(default)s")
    p.add_argument("--netlist", action="store_true", help="simulate the synthesised ECP5 netlist")
    p = add("info", _info, "describe a device", True)
    p.add_argument("--preset", default="b163-fast", help="default: %(default)s")
    p = add("demo", _demo, "one point, one core, one table")
    p.add_argument("--preset", default="b163-fast", help="default: %(default)s")
    p = add("bench", _bench, "measure simulated cores", True)
    p.add_argument("presets", nargs="*", metavar="PRESET", help="default: a chosen few, kept")
    p.add_argument("--seconds", type=_seconds, default=3, help="a preset, default %(default)s")
    p.add_argument("--solve", action="store_true", help="time one solve of each too (minutes each)")
    p = add("docs", _docs, "write the generated figures and tables of the documents")
    p.add_argument("--check", action="store_true", help="only fail if one is out of date")
    compare.add_command(add)
    energy.add_command(add)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    args, unknown = parser().parse_known_args(argv)
    if unknown:  # not repeated: one may be a scalar
        print(f"ecsm: {len(unknown)} arguments too many: see ecsm --help", file=sys.stderr)
        return USAGE
    try:
        code: int = args.run(args)
        sys.stdout.flush()  # a closed pipe shows here, not at exit
        return code
    except (UsageError, UnknownPreset) as error:
        print(f"ecsm: {error}", file=sys.stderr)
        return USAGE
    except (CoreError, DeviceError, StaleSchedule) as error:
        print(f"ecsm: {type(error).__name__}: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # Nobody reads on. What is still buffered goes nowhere, or the exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"ecsm: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("ecsm: interrupted", file=sys.stderr)
        return 130
