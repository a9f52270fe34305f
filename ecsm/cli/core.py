# SPDX-License-Identifier: Apache-2.0
"""Commands that make a core and its documents: list, curves, schedule, solve, build, lint, docs."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from functools import partial

from ecsm.cli.common import (
    FAILED,
    Add,
    Once,
    UsageError,
    add_engines,
    add_unprotected,
    positive,
    say,
    say_unprotected,
    tell,
)
from ecsm.cli.files import beside, folder_of, write
from ecsm.cores.family import SOLVE_LIMITS
from ecsm.cores.store import StaleSchedule, check, design, figures
from ecsm.cores.table import family
from ecsm.curves import CURVES, UnknownCurveError, curve
from ecsm.curves.strength import ENOUGH, only_compatible, security_bits
from ecsm.hdl import word_listing
from ecsm.hdl.build import ATTACHMENTS
from ecsm.presets.table import (
    EveryPreset,
    all_presets,
    curve_name,
    every_preset,
    is_toy,
    preset,
    presets_of,
    recommended,
)
from ecsm.presets.word import WordPreset, word_preset
from ecsm.resources import checkout

LINT_PRESETS = (
    "b163-fast", "toy7-two", "toy8-one", "toy7-small", "p256-fast", "toyp8-a", "toyp8-v",
    "toy107-halving", "p256-compact",
)  # fmt: skip
LINT_FARMS = (("toy7-fast", 3), ("toyp8-a", 2))
LINT_SCHEMES = (
    ("b163-small", False), ("b163-small-full", False), ("p256-small", False),
    ("p256-verify", False), ("p384-fast", True),
    ("word-p256", False), ("word-up5k", False), ("word-prime", False), ("word-full", False),
)  # fmt: skip
LINT_ATTACHED = (
    ("b163-small", 1, False, "axil"), ("toyp8-v", 1, False, "axil"),
    ("b163-small", 1, True, "axil"), ("toy7-fast", 3, False, "stream"),
    ("toyp8-v", 1, False, "stream"), ("word-p256", 1, True, "axil"),
    ("toyp8-v", 1, False, "wishbone"), ("b163-small", 1, True, "wishbone"),
    ("toyp8-v", 1, False, "apb"), ("word-p256", 1, True, "apb"),
)  # fmt: skip
LINT_SOC = (
    ("field-163", "tc"), ("point-163", "tc"), ("core-b163-fast", "tc"),
    ("schemes-b163-small", "tc"), ("schemes-b163-small", "lc"), ("schemes-word-p256", "tc"),
)  # fmt: skip
LINT_BOARDS = (
    ("noise", "ulx3s-85f"), ("toy7-fast", "colorlight-i5"), ("word-p256", "orangecrab"),
    ("word-up5k", "icebreaker"), ("schemes-word-p256", "ecpix5"),
)  # fmt: skip


def _row(p: EveryPreset) -> dict[str, object]:
    """Return what the list says of a preset; None for what there is not."""
    multiplier = found = None
    try:
        multiplier = p.describe()
        found = None if isinstance(p, WordPreset) else figures(p)
    except (StaleSchedule, UnknownCurveError, ValueError) as error:
        tell(f"ecsm: {p.name}: {error}")
    return {
        "preset": p.name,
        "curve": curve_name(p),
        "multipliers": p.multipliers,
        "multiplier": multiplier,
        "registers": found and found.registers,
        "cycles": found and found.cycles,
        "bound": found and found.bound,
        "about": p.about,
    }


def _list(args: argparse.Namespace) -> int:
    if args.curve is not None:
        chosen = presets_of(curve(args.curve))
        if weak := only_compatible(curve(args.curve)):
            tell(f"ecsm: {weak}")
    elif args.toys or args.json:
        chosen = every_preset()
    elif args.all:
        chosen = [p for p in every_preset() if not is_toy(p)]
    else:
        chosen = recommended()
    rows = [_row(p) for p in chosen]
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    wide = max(21, *(len(p.name) + 1 for p in chosen))
    print(f"{'preset':{wide}}{'curve':17}{'mul':>3}  {'multiplier':52}{'cycles':>7}  about")
    for row in rows:
        preset, curve_, mul, text, cycles, about = (
            "-" if row[key] is None else row[key]
            for key in ("preset", "curve", "multipliers", "multiplier", "cycles", "about")
        )
        print(f"{preset:{wide}}{curve_:17}{mul:>3}  {text:52}{cycles:>7}  {about}".rstrip())
    if args.curve is None and not args.toys:
        more = "" if args.all else "those to look at first; every one: ecsm list --all; "
        print(f"{more}toy presets, which are for tests, too: ecsm list --toys")
    return 0


def _curves(args: argparse.Namespace) -> int:
    toys = args.toys or args.json
    rows = [
        (c.name, c.aliases, c.field_name, security_bits(c), [p.name for p in presets_of(c)])
        for c in CURVES
        if toys or not c.name.startswith("toy")
    ]
    if args.json:
        keys = ("curve", "aliases", "field", "security_bits", "presets")
        print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=1))
        return 0
    print(f"{'curve':17}{'field':25}{'security':>8}{'presets':>9}  other names")
    for name, aliases, field, bits, presets in rows:
        others = ", ".join(aliases)
        print(f"{name:17}{field:25}{bits:>8}{len(presets):>9}  {others}".rstrip())
    print(f"security: bits, about; curves of less than {ENOUGH} are for compatibility alone")
    return 0


def _schedule(args: argparse.Namespace) -> int:
    word = word_preset(args.preset)
    if args.listing and args.json:
        raise UsageError("--listing is a text: it takes no --json")
    if word:
        facts = word_listing.facts(word)
    else:
        preset(args.preset)
        d = design(args.preset)
        of = family(d.preset)
        check(d)
        facts = of.report(d)
    if args.svg is not None:
        write(args.svg, (word_listing.picture(word) if word else of.draw(d)).encode())
    show = beside(args.svg)
    if args.listing:
        show("\n".join(word_listing.listing(word)) if word else of.listing(d))
        return 0
    if args.json:
        show(json.dumps({"preset": args.preset, **facts}, indent=1))
        return 0
    for key, value in facts.items():
        show(f"{key.replace('_', ' '):22} {value}")
    if args.svg:
        show(f"{'picture':22} {args.svg}")
    return 0


def _solve(args: argparse.Namespace) -> int:
    import logging

    from ecsm.cores import store
    from ecsm.files import check_writable
    from ecsm.schedule.types import Unschedulable

    if checkout() is None:
        raise UsageError("schedules are kept in a checkout; this package is installed without one")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    every = [p.name for p in all_presets()]
    asked = [preset(name) for name in (every if args.presets == ["all"] else args.presets)]
    chosen = [q for p in asked for q in family(p).programs(p)]
    failed = False
    for p in chosen:
        check_writable(store.path(p.name))
    for p in chosen:
        name, of = p.name, family(p)
        tell(f"solving {name}")
        before = None
        with suppress(StaleSchedule):
            before = store.load(p)
        try:
            found = of.solve(p, args.timing_seconds, args.network_seconds)
        except Unschedulable as error:
            tell(f"ecsm: {name}: {error}")
            failed = True
            continue
        now = of.rank(found)
        was = now if before is None else of.rank(before)
        if now <= was:
            store.save(p, found)
        else:
            tell(
                f"{name}: the schedule that is there is better, and stays: {was[0]} cycles,"
                f" {of.quality} {was[1]}; the new one: {now[0]}, {now[1]}"
            )
        made = figures(p)
        say(f"{name}: {made.cycles} cycles, bound {made.bound}, loop {found.ii}")
    return FAILED if failed else 0


def _build(args: argparse.Namespace) -> int:
    from ecsm.hdl.build import Build
    from ecsm.hdl.machines import subject
    from ecsm.hdl.package import package
    from ecsm.report.sheet import sheet

    of = subject(args.preset)
    try:
        build = Build(of, args.engines, args.schemes, args.wide, args.attach)
        if not args.unprotected:
            build.check_protection("--unprotected")
        elif not build.schemes:
            raise ValueError("--unprotected is of --schemes, and this core has none around it")
        folder = package(build, folder_of(args, build.name), args.force, sheet(build))
    except ValueError as error:
        raise UsageError(str(error)) from None
    if build.schemes:
        say_unprotected(build.preset)
    print(f"{build.name}: {folder}")
    return 0


def _lint(args: argparse.Namespace) -> int:
    from ecsm.backend.lint import all_rtl, in_order, lint_build, lint_soc, lint_style, lint_unit
    from ecsm.boards.lint import lint_board
    from ecsm.hdl.build import Build
    from ecsm.hdl.machines import subject
    from ecsm.hdl.units import UNITS

    todo = [Build(subject(name)) for name in args.presets or LINT_PRESETS]
    checks = [("verible", partial(lint_style, all_rtl()))]
    if not args.presets:
        todo += [Build(subject(name), engines) for name, engines in LINT_FARMS]
        todo += [Build(subject(n), schemes=True, wide=wide) for n, wide in LINT_SCHEMES]
        todo += [Build(subject(n), e, s, attach=attach) for n, e, s, attach in LINT_ATTACHED]
    checks += [(f"verilator -Wall {build.command}", partial(lint_build, build)) for build in todo]
    if not args.presets:
        checks += [(f"verilator -Wall {u.name}", partial(lint_unit, u)) for u in UNITS.values()]
        checks += [(f"verilator -Wall soc with {name}, {coupling}",
                    partial(lint_soc, name, coupling)) for name, coupling in LINT_SOC]  # fmt: skip
        checks += [(f"verilator -Wall {name} on {where}",
                    partial(lint_board, name, where)) for name, where in LINT_BOARDS]  # fmt: skip
    all_clean = True
    names, calls = zip(*checks, strict=True)
    for what, (ok, text) in zip(names, in_order(calls), strict=True):
        clean = ok and not text
        if text:
            print(text)
        print(f"{what}: {'clean' if clean else 'FAILED'}", flush=True)
        all_clean &= clean
    return 0 if all_clean else FAILED


def _docs(args: argparse.Namespace) -> int:
    from ecsm.report.docs import DocsError, StaleDocs, write_docs

    if (project := checkout()) is None:
        raise UsageError("the documents are in a checkout; this package is installed without one")
    try:
        paths = write_docs(project, args.check)
        print("all current" if args.check else "\n".join(map(str, paths)))
    except (StaleDocs, DocsError) as error:
        tell(f"ecsm: {error}")
        return FAILED
    return 0


def commands(add: Add) -> None:
    """Add the commands."""
    p = add("list", _list, "presets to look at first: curve, multipliers, cycles", True)
    p.add_argument("--curve", metavar="NAME", help="those of a curve: P-256, secp256r1, ...")
    p.add_argument("--all", action="store_true", help="not only those to look at first")
    p.add_argument("--toys", action="store_true", help="toy presets too; --json has them always")
    p = add("curves", _curves, "curves, with their aliases and how many presets they have", True)
    p.add_argument("--toys", action="store_true", help="toy curves too; --json has them always")
    p = add("schedule", _schedule, "verify and describe a preset's schedule", True)
    p.add_argument("preset", help="ecsm list shows all")
    p.add_argument("--svg", metavar="FILE", help="draw the schedule into a file")
    p.add_argument("--listing", action="store_true", help="print the program, a word a line")
    p = add("solve", _solve, "solve schedules anew and keep them (a minute or two each)")
    p.add_argument("presets", nargs="+", action=Once, metavar="PRESET", help="all for every preset")
    p.add_argument(
        "--timing-seconds",
        type=positive,
        default=SOLVE_LIMITS[0],
        metavar="S",
        help="for each loop length, over prime fields for each segment; default %(default)s",
    )
    p.add_argument(
        "--network-seconds",
        type=positive,
        default=SOLVE_LIMITS[1],
        metavar="S",
        help="then for the network, over prime fields for fewer registers; default %(default)s",
    )
    p = add("build", _build, "write a self-contained directory of SystemVerilog")
    p.add_argument("preset", help="the core: ecsm list shows all")
    p.add_argument("-o", "--output", metavar="DIR", help="default: build/PRESET")
    add_engines(p, "a farm of N")
    p.add_argument("--schemes", action="store_true", help="the core with its schemes around it")
    p.add_argument("--wide", action="store_true", help="of schemes: SHA-384 and SHA-512")
    p.add_argument(
        "--attach",
        choices=tuple(ATTACHMENTS),
        help="; ".join(f"{name}: behind {text}" for name, text in ATTACHMENTS.items()),
    )
    p.add_argument("--force", action="store_true", help="replace the package of another build")
    add_unprotected(p)
    p = add("lint", _lint, "check the RTL with verible and verilator -Wall")
    p.set_defaults(unheard=FAILED)
    p.add_argument("presets", nargs="*", action=Once, metavar="PRESET", help="presets to elaborate")
    p = add("docs", _docs, "write the generated figures and tables of the documents")
    p.set_defaults(unheard=FAILED)
    p.add_argument("--check", action="store_true", help="only fail if one is out of date")
