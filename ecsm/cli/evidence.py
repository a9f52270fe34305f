# SPDX-License-Identifier: Apache-2.0
"""The command that gives evidence of a core: prove."""

from __future__ import annotations

import argparse
import json

from ecsm.cli.common import FAILED, Add, some_up_to
from ecsm.presets.table import binary_preset


def _prove(args: argparse.Namespace) -> int:
    from ecsm.evidence.multiplier import NETLISTS, as_json, prove
    from ecsm.progress import Progress

    p = binary_preset(args.preset)
    with Progress() as tell:
        proofs = [prove(p, kind, tell, args.faults) for kind in NETLISTS]
    if args.json:
        print(json.dumps(as_json(p.name, proofs), indent=1))
    else:
        for q in proofs:
            verdict = "proven" if q.holds else q.wrong or "a seeded fault was not found"
            print(
                f"{p.name}, {q.netlist}: {q.claim}: {verdict}"
                f" ({q.cells:,} cells, {q.found} of {q.faults} seeded faults found,"
                f" {q.seconds:.1f} s)"
            )
    return 0 if all(q.holds for q in proofs) else FAILED


def commands(add: Add) -> None:
    """Add the command of this module."""
    p = add(
        "prove", _prove,
        "prove that a core's multiplier over GF(2^m) is right for all operands", json_too=True,
    )  # fmt: skip
    p.add_argument("preset", metavar="PRESET")
    p.add_argument(
        "--faults", type=some_up_to(1000), default=5,
        help="seeded faults that each proof must find, one in a function; default %(default)s",
    )  # fmt: skip
