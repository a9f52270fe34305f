# SPDX-License-Identifier: Apache-2.0
"""The command that gives evidence of a core: prove."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from ecsm.cli.common import FAILED, Add, UsageError, add_results, results_of, say, some_up_to
from ecsm.evidence.proof import ALL_NAMES, FAULTS, Proof, Proven
from ecsm.presets.table import any_preset


def _prove(args: argparse.Namespace) -> int:
    from ecsm.evidence.proofs import missing, names, prove, why_not
    from ecsm.progress import Progress
    from ecsm.results.evidence import prove_path
    from ecsm.results.kept import check
    from ecsm.results.record import write_json
    from ecsm.results.sources import measured_digest, origin_of

    name = any_preset(args.preset).name
    results = results_of(args, kept=not args.only)
    without, has = missing(name), names(name)
    if no := [n for n in args.only or () if n not in has]:
        raise UsageError(f"{name}, {no[0]}: {why_not(name, no[0])}")
    if not args.only:
        check(prove_path(name, results))
    wanted = list(dict.fromkeys(args.only or has))
    proofs: list[Proof] = []
    with Progress() as tell:
        for proof in prove(name, wanted, tell, args.faults):
            proofs.append(proof)
            if not args.json:
                _show(name, proof)
    command = f"ecsm prove {name} --faults {args.faults}"
    found = Proven(name, proofs, without, origin_of(measured_digest(name), command, "yosys"))
    if not args.only:
        write_json(prove_path(name, results), asdict(found))
    if args.json:
        each = [asdict(q) | {"holds": q.holds} for q in proofs]
        say(json.dumps(asdict(found) | {"holds": found.holds, "proofs": each}, indent=1))
    else:
        for what, why in () if args.only else without.items():
            say(f"{name}, {what}: {why}")
    return 0 if found.holds else FAILED


def _show(name: str, q: Proof) -> None:
    """Print a proof in a line, and what is to say beside it in lines of their own."""
    line = (
        f"{name}, {q.name}, {q.netlist}: {q.claim}: {q.verdict}"
        f" ({q.cells:,} cells, {q.found} of {q.faults} seeded faults found, {q.seconds:.1f} s)"
    )
    say("\n".join([line, *(f"  {note}" for note in q.notes)]))


def commands(add: Add) -> None:
    """Add the command of this module."""
    p = add(
        "prove", _prove,
        "prove claims of a core on its netlist, for all inputs: what its units compute, that no"
        " secret decides the time, the cycles of a job, answers, and that zeroize clears all",
        json_too=True,
    )  # fmt: skip
    p.add_argument("preset", metavar="PRESET", help="of a core or a word engine")
    p.add_argument(
        "--only", action="append", choices=ALL_NAMES, metavar="NAME",
        help=f"only this proof, also more than once: {', '.join(ALL_NAMES)}",
    )  # fmt: skip
    p.add_argument(
        "--faults", type=some_up_to(1000), default=FAULTS,
        help="seeded faults that each proof must find, default %(default)s",
    )  # fmt: skip
    add_results(p)
