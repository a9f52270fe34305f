# SPDX-License-Identifier: Apache-2.0
"""Cycles of schemes on the system on chip: in software, and on units in each coupling.

The programs ``bench_schemes`` and ``bench_block`` (sw/firmware/apps) read them from the CPU's own
counter; the second is for the scheme machine as a block. They are kept in ``soc_schemes.json``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ecsm.device.base import DeviceError
from ecsm.markdown import markdown_table, number
from ecsm.measure.soc import KINDS, SocCycles, measure, run_digest, wanted
from ecsm.narrow.port import SIZES
from ecsm.narrow.units import Unit
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import load, write_json
from ecsm.soc.accelerators import SCHEMES

COMMAND = "ecsm soc bench --schemes"
APP, BLOCK_APP = "bench_schemes", "bench_block"
OPERATIONS = {
    "sha1": "SHA-1, 64 octets",
    "aes_ctr": "AES-256 in CTR, 64 octets",
    "order_multiply": "multiply mod n",
    "order_invert": "invert mod n",
    "ecdsa_sign": "ECDSA sign",
    "ecdsa_verify": "ECDSA verify",
    "ec_aes_encrypt": "EC-AES encrypt",
    "ec_aes_decrypt": "EC-AES decrypt",
}
"""Names of the program's operations, and what they are."""


@dataclass(frozen=True)
class SocSchemes:
    """What ``command`` measured; ``block``: the operations that a scheme machine has of them."""

    command: str
    cycles: list[SocCycles]
    block: list[SocCycles]


def soc_schemes_path(root: AWhere) -> AWhere:
    """Return where the results are kept."""
    return root / "soc_schemes.json"


def _pairs(sizes: Sequence[str]) -> list[tuple[Unit, str]]:
    return [(u, coupling) for u, coupling in wanted(sizes) if u.kind in KINDS]


def _record(root: Where) -> SocSchemes:
    return load(SocSchemes, soc_schemes_path(root)) or SocSchemes(COMMAND, [], [])


def measure_schemes(sizes: Sequence[str], root: Where) -> SocSchemes:
    """Measure sizes, by default all, and keep each when it is done; return all that is kept.

    Raises :class:`DeviceError` if a scheme is wrong.
    """
    record = _record(root)
    found = {(r.unit, r.coupling): r for r in (*record.cycles, *record.block)}
    units = [(u.name, coupling) for u, coupling in _pairs(list(SIZES))]
    blocks = [(block_name(size), "lc") for size in SIZES]

    def keep(row: SocCycles) -> SocSchemes:
        found[row.unit, row.coupling] = row
        kept = ([found[key] for key in keys if key in found] for keys in (units, blocks))
        record = SocSchemes(COMMAND, *kept)
        write_json(soc_schemes_path(root), asdict(record))
        return record

    with Progress() as log:
        for u, coupling in _pairs(sizes or list(SIZES)):
            record = keep(measure(u.curve.field.m, u.name, coupling, log, APP))
        for size in sizes or list(SIZES):
            record = keep(measure(int(size), block_name(size), "lc", log, BLOCK_APP))
    return record


def block_name(size: str) -> str:
    """Return the scheme machine of a size: on the preset whose multiplier is the units'."""
    return f"{SCHEMES}soc-{size}"


def scheme_bench(sizes: Sequence[str], as_json: bool, root: Where) -> int:
    """Measure and print."""
    record = measure_schemes(sizes, root)
    print(json.dumps(asdict(record), indent=1) if as_json else scheme_cycle_table(root))
    return 0


def scheme_cycle_table(root: Where = RESULTS) -> str:
    """Return the cycles of each operation in software, the four couplings, and the block."""
    record = _record(root)
    found = {(r.unit, r.coupling): r.cycles for r in record.cycles}
    block = {r.bits: r.cycles for r in record.block}
    rows: list[list[object]] = []
    for size in SIZES:
        columns = [found.get((f"field-{size}", "software"))]
        columns += [found.get((f"{kind}-{size}", c)) for kind in KINDS for c in ("lc", "tc")]
        columns.append(block.get(int(size), {}))
        if not any(columns):
            continue
        for name, what in OPERATIONS.items():
            shown = ["not measured" if c is None else number(c.get(name, "")) for c in columns]
            rows.append([size, what, *shown])
    head = ["bits", "operation", "software", "LC-F", "TC-F", "LC-P", "TC-P", "scheme block"]
    return markdown_table(head, rows, {0, *range(2, len(head))}) + _stale(record)


def _stale(record: SocSchemes) -> str:
    """Return a line on measurements of what has changed since, if there are such."""
    try:
        old = [
            f"{r.unit}, {r.coupling}"
            for rows, app in ((record.cycles, APP), (record.block, BLOCK_APP))
            for r in rows
            if r.rtl != run_digest(r.unit, r.coupling, app)
        ]  # fmt: skip
    except DeviceError:
        return ""
    return f"\n\nOf an earlier commit: {'; '.join(old)}." if old else ""
