# SPDX-License-Identifier: Apache-2.0
"""Commands that measure a core in an open flow: synth, pnr, units."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from ecsm.backend.countermeasures import (
    Costs,
    core_refusal,
    measure_core,
    measure_unit,
    unit_refusal,
)
from ecsm.backend.gowin import GOWIN
from ecsm.backend.netlist import COUNTED, UnknownCells
from ecsm.backend.nextpnr import (
    DEVICES,
    ICE40,
    MANY_BLOCKS,
    PLACER,
    PLACERS,
    ROUTER,
    ROUTERS,
    SPEEDS,
    Options,
    describe_path,
    target_of,
)
from ecsm.backend.pnr import NothingRouted, Sweep, place
from ecsm.backend.synth import TARGETS, synthesise
from ecsm.backend.tool import FlowError, with_own_nextpnr
from ecsm.backend.units import UnitArea, synthesise_unit
from ecsm.cli.common import (
    FAILED,
    Add,
    Once,
    UsageError,
    add_engines,
    add_results,
    named,
    positive,
    results_of,
    some_up_to,
    tell,
)
from ecsm.hdl.build import ATTACHMENTS
from ecsm.hdl.farm import no_farm
from ecsm.hdl.units import UNITS
from ecsm.names import no_such
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset, only_here
from ecsm.progress import Progress
from ecsm.results.kept import Where
from ecsm.results.record import DEVICE, Pnr, Synth

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from ecsm.backend.liberty import CellArea

DEVICE_NAME, DEVICE_SPEED = DEVICE.rpartition("-")[0], int(DEVICE.rpartition("-")[2])
TIMEOUT_MIN = 90.0  # of one run of place and route


def _own_target(name: str) -> str:
    """Return what a preset or a unit is synthesised for if nothing else is asked for."""
    p = None if name in UNITS else any_preset(name)
    return p.target if isinstance(p, WordPreset) else "ecp5"


def _device(args: argparse.Namespace) -> str:
    """Return the device that is asked for, else the preset's. Raises UsageError for none."""
    (ice40,) = ICE40
    name = args.device or (ice40 if _own_target(args.preset) == "ice40" else DEVICE_NAME)
    p = any_preset(args.preset)
    if target_of(name) not in (p.families if isinstance(p, WordPreset) else ("ecp5", "gowin")):
        raise UsageError(f"{args.preset} has blocks of another family than that of {name}")
    if name not in (*ICE40, *GOWIN):
        return f"{name}-{args.speed or DEVICE_SPEED}"
    if args.speed is not None:
        raise UsageError(f"--speed: {name} has no speed grades")
    return str(name)


def _check(name: str) -> None:
    """Refuse a name that is none, or by which no result can be kept."""
    if why := only_here(any_preset(name)):
        raise UsageError(f"{why}; its netlist is that of {name.partition(':')[0]}")


def _cells(args: argparse.Namespace) -> int:
    """Measure in standard cells."""
    from ecsm.backend.liberty import read_cells, synthesise_cells

    if args.target or args.attach or args.engines > 1:
        raise UsageError("--liberty is of bare cores, without --target, --attach and --engines")
    try:
        library = read_cells(args.liberty)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{args.liberty}: {error.strerror}") from None

    def measure(name: str, log: Progress, root: Where) -> CellArea:
        return synthesise_cells(name, library, log, root)

    results, failed = _measured(args, args.presets, measure, _print_cells)
    if results and not args.json:
        print(f"{library.name}: areas in its unit, wires and memories not counted")
    return FAILED if failed else 0


def _print_cells(r: CellArea, head: bool) -> None:
    if head:
        print(f"{'preset':21}{'NAND2':>10}{'area':>14}{'ff':>8}{'memory bits':>13}")
    print(f"{r.preset:21}{r.nand2:>10}{r.area:>14g}{r.flip_flops:>8}{r.memory_bits:>13}")


def _synth(args: argparse.Namespace) -> int:
    for name in args.presets:
        _check(name)
    if args.countermeasures:
        if args.engines > 1 or args.attach or args.liberty or args.target not in (None, "ecp5"):
            raise UsageError("--countermeasures is of cores by themselves, on ECP5")
        if whys := [text for name in args.presets if (text := core_refusal(name))]:
            raise UsageError(whys[0])
        return _costs(args, args.presets, measure_core)
    if args.liberty:
        return _cells(args)
    for name in args.presets:
        if args.engines > 1 and (why := no_farm(any_preset(name))):
            raise UsageError(f"--engines: {why}")
        if args.attach:
            if args.engines > 1:
                raise UsageError("--attach takes one engine")
            from ecsm.backend.attached import attached_sources

            try:
                attached_sources(name, args.attach)
            except ValueError as error:
                raise UsageError(str(error)) from None

    def measure(name: str, target: str, log: Progress, root: Where) -> Synth:
        if args.attach:
            from ecsm.backend.attached import synthesise_attached

            return synthesise_attached(name, args.attach, target, log, root)
        return synthesise(name, target, log, root, args.engines)

    return _each(args, args.presets, measure)


def _units(args: argparse.Namespace) -> int:
    unknown = [name for name in args.units if name not in UNITS]
    if unknown:
        raise UsageError(no_such("unit", unknown[0], UNITS, "ecsm units --help"))
    if args.countermeasures:
        if not args.units or args.target != "ecp5":
            raise UsageError("--countermeasures is of named scheme machines, on ECP5")
        if whys := [text for name in args.units if (text := unit_refusal(UNITS[name]))]:
            raise UsageError(whys[0])
        return _costs(args, args.units, lambda name, *more: measure_unit(UNITS[name], *more))

    def measure(name: str, target: str, log: Progress, root: Where) -> UnitArea:
        return synthesise_unit(UNITS[name], target, log, root)

    return _each(args, args.units or list(UNITS), measure)


def _costs(
    args: argparse.Namespace, names: list[str], measure: Callable[[str, Progress, Where], Costs]
) -> int:
    """Measure what the countermeasures of each cost, keep it, and print it."""
    _, failed = _measured(args, names, measure, lambda r, _: _print_costs(r))
    return FAILED if failed else 0


R = TypeVar("R", bound="DataclassInstance")


def _measured(
    args: argparse.Namespace,
    names: list[str],
    measure: Callable[[str, Progress, Where], R],
    show: Callable[[R, bool], None],
) -> tuple[list[R], bool]:
    """Measure each and ``show`` it, the first with True; all as JSON if that is asked for.

    Return them, and whether one failed, which does not stop the others.
    """
    root, results = results_of(args), list[R]()
    failed = False
    for name in names:
        try:
            with Progress() as progress:
                results.append(measure(name, progress, root))
        except (FlowError, UnknownCells) as error:
            tell(f"ecsm: {name}: {error}")
            failed = True
            continue
        if not args.json:
            with suppress(BrokenPipeError):  # what is measured is kept, read or not
                show(results[-1], len(results) == 1)
    if args.json:
        print(json.dumps([asdict(r) for r in results], indent=1))
    return results, failed


def _print_costs(r: Costs) -> None:
    print(f"{r.name:24}{'lut':>8}{'ff':>8}")
    for name in r.without:
        print(f"{name:24}{r.cost(name, 'lut'):>8}{r.cost(name, 'ff'):>8}")
    print(f"{'all of it':24}{r.area['lut']:>8}{r.area['ff']:>8}", flush=True)


def _each(
    args: argparse.Namespace,
    names: list[str],
    measure: Callable[[str, str, Progress, Where], Synth | UnitArea],
) -> int:
    """Measure each and print it; one that fails does not stop the others."""
    targets = {name: args.target or _own_target(name) for name in names}

    def one(name: str, log: Progress, root: Where) -> Synth | UnitArea:
        return measure(name, targets[name], log, root)

    results, failed = _measured(args, names, one, _print_synth)
    if results and not args.json:
        print("\n".join(COUNTED[target] for target in dict.fromkeys(r.target for r in results)))
    return FAILED if failed else 0


def _print_synth(r: Synth | UnitArea, head: bool) -> None:
    name = r.preset if isinstance(r, Synth) else r.unit
    keys = [*r.area, "levels"]
    if head:
        columns = "".join(f"{key:>12}" for key in keys)
        what = "preset" if isinstance(r, Synth) else "unit"
        print(f"{what:24}{'target':7}{columns}{'seconds':>9}{'MB':>7}")
    columns = "".join(f"{value:>12}" for value in [*r.area.values(), r.levels])
    print(f"{name:24}{r.target:7}{columns}{r.seconds:>9.1f}{r.peak_mb:>7}", flush=True)
    print("  " + ", ".join(f"{kind} {n}" for kind, n in r.cells.items()), flush=True)


def _command(args: argparse.Namespace) -> str:
    """Return the command that repeats this measurement; where its results go is no part of it."""
    seeds = f"--seeds {args.seeds}" + (f" --first {args.first}" if args.first > 1 else "")
    seeds += f" --tries {args.tries}" * bool(args.tries)
    options = f"{seeds} --freq {args.freq:g} --rounds {args.rounds}"
    options += f" --timeout {args.timeout:g}" * (args.timeout != TIMEOUT_MIN)
    if chosen := _options(args):
        options += f" --placer {chosen.placer} --router {chosen.router}"
        options += " --floorplan" * chosen.floorplan
    device = _device(args)
    if device in ICE40:  # the preset's own, and no other nextpnr is run for it
        return f"ecsm pnr {args.preset} {options}"
    if device in GOWIN:
        return f"ecsm pnr {args.preset} {options} --device {device}"
    name, _, speed = device.rpartition("-")
    options += f" --device {name}" * (name != DEVICE_NAME)
    options += f" --speed {speed}" * (int(speed) != DEVICE_SPEED)
    return with_own_nextpnr(f"ecsm pnr {args.preset} {options}")


def _options(args: argparse.Namespace) -> Options | None:
    """Return the options asked for; None if it is left to the netlist."""
    if args.placer is None and args.router is None and args.floorplan is None:
        return None
    router = args.router or ROUTER
    return Options(args.placer or PLACER, router, bool(args.floorplan), _device(args))


def _pnr(args: argparse.Namespace) -> int:
    _check(args.preset)
    device = _device(args)
    if args.floorplan and device.rpartition("-")[0] != DEVICE_NAME:
        raise UsageError(f"--floorplan has places of an {DEVICE_NAME} alone")
    if 0 < args.tries <= args.seeds:
        raise UsageError(f"--tries {args.tries}: not more than --seeds {args.seeds}")
    sweep = Sweep(
        args.seeds, args.freq, args.rounds, 60 * args.timeout, _options(args), args.again,
        args.first, args.tries, device,
    )  # fmt: skip
    root = results_of(args)
    try:
        with Progress() as progress:
            result = place(args.preset, sweep, progress, root, _command(args))
    except (NothingRouted, FlowError) as error:
        tell(f"ecsm: {error}")
        return FAILED
    if args.json:
        print(json.dumps(asdict(result), indent=1))
        return 0
    _print_pnr(result)
    if args.critical:
        print("\n".join(describe_path(result.best.path)))
    return 0


def _print_pnr(r: Pnr) -> None:
    print(f"{r.preset} on {r.device}")
    print(f"{'seed':>4}{'requested':>11}{'MHz':>9}{'seconds':>9}{'MB':>7}")
    for run in r.runs:
        if run.mhz is None:
            got = f"  {run.failure}"
        else:
            got = f"{run.mhz:9.2f}{run.seconds:9.1f}{run.peak_mb:7}"
        print(f"{run.seed:>4}{run.requested_mhz:>11g}{got}")
    print(
        f"best {r.mhz:.2f} MHz, median of the seeds {r.mhz_median:.2f} MHz;"
        f" {r.cycles} cycles in {r.us:.3f} us"
    )


def _add_countermeasures(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--countermeasures", action="store_true",
        help="once more without each of its countermeasures: what each costs",
    )  # fmt: skip


def commands(add: Add) -> None:
    """Add the commands."""
    p = add("synth", _synth, "synthesise bare cores and keep their areas", True)
    p.add_argument("presets", nargs="+", action=Once, metavar="PRESET", help="ecsm list shows all")
    p.add_argument(
        "--target", choices=TARGETS,
        help="default ecp5, of a preset for an iCE40 ice40; cmos: gate count",
    )  # fmt: skip
    add_engines(p, "a farm of N cores, each core synthesised once and counted N times")
    p.add_argument(
        "--attach", choices=tuple(ATTACHMENTS),
        help="with what ecsm build --attach puts around it, as one module",
    )  # fmt: skip
    p.add_argument(
        "--liberty", type=named, metavar="FILE",
        help="for the standard cells of a liberty file: area and NAND2 equivalents",
    )  # fmt: skip
    _add_countermeasures(p)
    add_results(p)
    p = add("units", _units, "synthesise the hand-written units and keep their areas", True)
    p.add_argument(
        "units", nargs="*", action=Once, metavar="UNIT", help=f"of {', '.join(UNITS)}; default all"
    )
    p.add_argument("--target", choices=TARGETS, default="ecp5", help="default %(default)s")
    _add_countermeasures(p)
    add_results(p)
    p = add("pnr", _pnr, "place and route a core for an FPGA and keep its clock", True)
    p.add_argument("preset", metavar="PRESET", help="ecsm list shows all")
    p.add_argument(
        "--seeds", type=some_up_to(1000), default=3, help="runs a round, default %(default)s"
    )
    p.add_argument(
        "--first", type=some_up_to(100_000), default=1, metavar="SEED",
        help="the first seed, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--tries", type=some_up_to(1000), default=0, metavar="N",
        help="place N seeds, more than --seeds, and route those with the best estimates",
    )  # fmt: skip
    p.add_argument(
        "--freq", type=positive, default=100.0, metavar="MHZ",
        help="requested in the first round, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--rounds", type=some_up_to(100), default=3,
        help="at most; each requests a tenth more than the best so far, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--timeout", type=positive, default=TIMEOUT_MIN, metavar="MIN",
        help="of one run, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--placer", choices=tuple(PLACERS),
        help=f"default {PLACER}; short: for the shortest wires, whatever the clock, when a core is"
        " not routed otherwise",
    )  # fmt: skip
    p.add_argument("--router", choices=tuple(ROUTERS), help=f"default {ROUTER}")
    p.add_argument(
        "--floorplan", action=argparse.BooleanOptionalAction,
        help="choose places for DSP blocks and memories first; if neither this nor a placer nor a"
        f" router is asked for, a core with {MANY_BLOCKS} DSP blocks or more has it, and placer"
        " static",
    )  # fmt: skip
    p.add_argument(
        "--device", choices=(*DEVICES, *ICE40, *GOWIN),
        help=f"default {DEVICE_NAME}, or that which a preset is for",
    )  # fmt: skip
    p.add_argument(
        "--speed", type=int, choices=SPEEDS,
        help=f"the speed grade of an ECP5, default {DEVICE_SPEED}, the fastest",
    )  # fmt: skip
    p.add_argument("--critical", action="store_true", help="print the best run's critical path")
    p.add_argument("--again", action="store_true", help="repeat runs that are kept")
    add_results(p)
