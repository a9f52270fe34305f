# SPDX-License-Identifier: Apache-2.0
"""ECDSA and ECDH on P-256 on the system on chip: software on its CPU, the word engine on its bus.

The programs ``bench_p256`` and ``bench_p256_block`` (sw/firmware/apps) compute the same published
vectors and read cycles from the CPU's own counter. The software is BearSSL's, in constant time
(:data:`ecsm.soc.libraries.BEARSSL`). They are kept in ``soc_p256.json``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from ecsm.device.base import DeviceError
from ecsm.markdown import markdown_table, number
from ecsm.measure.soc import SocCycles, measure, run_digest
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import agree, load, load_synth, write_json
from ecsm.soc.accelerators import SCHEMES

COMMAND = "ecsm soc bench --p256"
BITS = 256
RUNS = {
    ("field-163", "software"): "bench_p256",
    (f"{SCHEMES}word-p256", "lc"): "bench_p256_block",
    (f"{SCHEMES}word-p256-none", "lc"): "bench_p256_block",
}
"""Programs by system and coupling; software uses nothing of its unit."""
OPERATIONS = {
    "sha256": "SHA-256, 64 octets",
    "public": "k G, for a public key",
    "ecdh": "ECDH",
    "sign": "ECDSA sign",
    "verify": "ECDSA verify",
}
"""Names of the programs' operations, and what they are."""


PEERS = (
    ("Cryptech ecdsa256", "1,174,007", "", "", "5,200 LUT6, 16 DSP", "product alone, simulated"),
    ("OTBN", "670,089", "704,126", "420,220", "a processor", "published"),
    ("Caliptra, P-384", "717,422", "932,990", "1,223,938", "", "published"),
    ("IPECC", "", "34 a second", "", "", "published"),
    ("single instruction", "about 11 ms", "", "", "72 to 81 slices, 8 DSP, 22 block RAMs",
     "published (Roy, Das, Mukhopadhyay, LightSec 2015)"),
)  # fmt: skip
"""Others: kP or ECDH, sign, verify in cycles, area, where it is from. P-256 if not said."""


@dataclass(frozen=True)
class SocP256:
    """What ``command`` measured."""

    command: str
    cycles: list[SocCycles]


def soc_p256_path(root: AWhere) -> AWhere:
    """Return where the results are kept."""
    return root / "soc_p256.json"


def _record(root: Where) -> SocP256:
    path = soc_p256_path(root)
    record = load(SocP256, path) or SocP256(COMMAND, [])
    for r in record.cycles:
        sound = set(r.cycles) == set(OPERATIONS) and min(r.cycles.values()) > 0
        agree(path, sound, f"{r.unit}, {r.coupling} lacks an operation's cycles")
    return record


def measure_p256(root: Where) -> SocP256:
    """Measure all and keep each when it is done. Raises DeviceError if one is wrong."""
    found = {(r.unit, r.coupling): r for r in _record(root).cycles}
    with Progress() as log:
        for (name, coupling), app in RUNS.items():
            found[name, coupling] = measure(BITS, name, coupling, log, app)
            record = SocP256(COMMAND, [found[key] for key in RUNS if key in found])
            write_json(soc_p256_path(root), asdict(record))
    return record


def p256_bench(as_json: bool, root: Where) -> int:
    """Measure and print."""
    record = measure_p256(root)
    print(json.dumps(asdict(record), indent=1) if as_json else p256_table(root))
    return 0


def p256_table(root: Where = RESULTS) -> str:
    """Return the cycles of each operation in software and on engines, and their ratios."""
    record = _record(root)
    found = {(r.unit, r.coupling): r.cycles for r in record.cycles}
    software, *engines = (found.get(key) for key in RUNS)
    rows: list[list[object]] = []
    for name, what in OPERATIONS.items():
        row: list[object] = [what, _cycles(software, name)]
        for cycles in engines:
            row.append(_cycles(cycles, name))
            row.append(f"{software[name] / cycles[name]:.1f}" if software and cycles else "")
        rows.append(row)
    names = [unit.removeprefix(SCHEMES) for unit, _ in list(RUNS)[1:]]
    heads = [text for name in names for text in (f"`{name}`", "times faster")]
    head = ["operation", "software", *heads]
    return markdown_table(head, rows, set(range(1, len(head)))) + _stale(record)


def peers_table(root: Where = RESULTS) -> str:
    """Return what is measured here and what others published, in one table.

    Areas here are of the whole engine with its schemes, as ``ecsm synth`` has kept them.
    """
    names = ("ecdh", "sign", "verify")
    rows: list[list[object]] = []
    for r in _record(root).cycles:
        name = r.unit.removeprefix(SCHEMES)
        engine = r.unit.startswith(SCHEMES)
        synth = load_synth(name, WORD_PRESETS[name].target, root) if engine else None
        area = ""
        if synth is not None:
            lut, dsp, ram = (number(synth.area[kind]) for kind in ("lut", "dsp", "bram"))
            area = f"{lut} LUT4, {dsp} DSP, {ram} block RAMs"
        what = f"`{name}`" if engine else "software: BearSSL on VexRiscv"
        rows.append([what, *(number(r.cycles[n]) for n in names), area, "measured, with its bus"])
    head = ["", "kP or ECDH", "sign", "verify", "area", "figures"]
    return markdown_table(head, [*rows, *map(list, PEERS)], {1, 2, 3})


def _cycles(of: dict[str, int] | None, name: str) -> str:
    return number(of[name]) if of else "not measured"


def _stale(record: SocP256) -> str:
    """Return a line on measurements of what has changed since, where that can be seen."""
    old = []
    for r in record.cycles:
        try:
            changed = r.rtl != run_digest(r.unit, r.coupling, RUNS[r.unit, r.coupling])
        except DeviceError:  # no BearSSL here
            continue
        old += [f"{r.unit}, {r.coupling}"] if changed else []
    return f"\n\nOf an earlier commit: {'; '.join(old)}." if old else ""
