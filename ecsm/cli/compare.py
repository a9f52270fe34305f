# SPDX-License-Identifier: Apache-2.0
"""Commands that compare a core with software (compare, psec) or its modules (energy)."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from dataclasses import asdict

from ecsm.cli.common import (
    FAILED,
    Add,
    Once,
    UsageError,
    add_results,
    at_most,
    count,
    real,
    results_of,
    some_up_to,
    tell,
)
from ecsm.presets.table import binary_preset, preset

PRICES = "device=30,cpu=300"


def _prices(text: str) -> dict[str, float]:
    """Read ``device=USD,cpu=USD``: both, once, and a cent at least."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        key = name.strip().lower()
        usd = real(value.strip())
        if usd is None or key not in ("device", "cpu") or key in found or not 0.01 <= usd < 1e9:
            raise argparse.ArgumentTypeError(
                f"{part!r}: it takes two prices, a cent or more, as {PRICES}"
            )
        found[key] = usd
    if len(found) != 2:
        raise argparse.ArgumentTypeError(f"it takes both prices, as {PRICES}")
    return found


def _compare(args: argparse.Namespace) -> int:
    from ecsm.measure import compare
    from ecsm.oracle.libcrypto import OracleError
    from ecsm.progress import Progress
    from ecsm.results.kept import check
    from ecsm.results.record import write_json

    for name in args.presets:
        try:
            compare.rsa_bits((preset(name).curve.q - 1).bit_length())
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None
    keep = not args.presets and not args.price
    root = results_of(args, keep)
    if keep:
        check(compare.compare_path(root))
    try:
        with Progress() as progress:
            rows = compare.compare(args.presets or compare.DEFAULT, args.seconds, progress, root)
    except OracleError as error:
        tell(f"ecsm: {error}")
        return FAILED
    if keep:
        write_json(compare.compare_path(root), asdict(compare.kept(rows, args.seconds)))
    if args.json:
        print(json.dumps(compare.record(rows, args.seconds, args.price), indent=1))
    else:
        compare.show(rows, args.price)
    return 0


def _energy(args: argparse.Namespace) -> int:
    from ecsm.measure import energy
    from ecsm.progress import Progress
    from ecsm.results.kept import check
    from ecsm.results.record import write_json
    from ecsm.results.sources import provenance_of

    for name in args.presets:
        binary_preset(name)
    root = results_of(args, kept=not args.presets)
    if not args.presets:
        check(energy.energy_path(root))
    where, rows = provenance_of("verilator"), list[energy.Activity]()
    with Progress() as log:
        for name in args.presets or energy.DEFAULT:
            rows.append(energy.measure(name, args.runs, args.seed, log))
            if not args.json:
                with suppress(BrokenPipeError):  # what is measured is kept, read or not
                    energy.show(rows[-1], rows[0])
    record = energy.record(rows, args.runs, args.seed, where)
    if not args.presets:
        write_json(energy.energy_path(root), asdict(record))
    if args.json:
        print(json.dumps(asdict(record), indent=1))
    else:
        print(f"{energy.LABEL}\n{energy.PUBLISHED}")
    return 0


def _psec(args: argparse.Namespace) -> int:
    from ecsm.measure.psec_kem import psec
    from ecsm.progress import Progress

    root = results_of(args)
    with Progress() as log:
        psec(args.operations, args.json, log, root)
    return 0


def commands(add: Add) -> None:
    """Add the commands."""
    p = add("compare", _compare, "measure libcrypto's ECDH and RSA beside the core", True)
    p.add_argument(
        "presets", nargs="*", action=Once, metavar="PRESET", help="default: a chosen few, kept"
    )
    p.add_argument(
        "--seconds", type=at_most(3600), default=2,
        help="for each operation of libcrypto, default %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--price", type=_prices, metavar="device=USD,cpu=USD",
        help=f"print operations per second per dollar; as {PRICES}",
    )  # fmt: skip
    add_results(p)
    p = add("energy", _energy, "count the toggles of one kP by module (modelled)", True)
    p.add_argument(
        "presets", nargs="*", action=Once, metavar="PRESET", help="default: a chosen few, kept"
    )
    p.add_argument(
        "--runs", type=some_up_to(1000), default=3, help="random jobs, default %(default)s"
    )
    p.add_argument("--seed", type=count, default=1, help="of the jobs, default %(default)s")
    add_results(p)
    p = add("psec", _psec, "time PSEC-KEM in software beside published times and the core", True)
    p.add_argument(
        "--operations", type=some_up_to(100_000), default=200,
        help="of each kind, of which the median is taken, default %(default)s",
    )  # fmt: skip
    add_results(p)
