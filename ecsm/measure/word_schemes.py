# SPDX-License-Identifier: Apache-2.0
"""``ecsm schemes --word``: cycles of every operation of the word engines, protected and not.

They are kept in ``word_schemes.json``, each preset as soon as it is measured. The tables of aims
and the datasheets read them.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from ecsm.measure.schemes import SchemeCycles, Schemes, digest, measure
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import load, write_json
from ecsm.results.sources import agree_word

COMMAND = "ecsm schemes --word"
TABLES = {
    "word-p256": ("word-p256",),
    "word-prime": ("word-prime", "word-prime-x25519", "word-prime-ed25519"),
    "word-dual": ("word-dual", "word-dual-b163", "word-dual-b233"),
    "word-full": ("word-full",),
    "word-up5k": ("word-up5k",),
}
"""Of each netlist the presets that are measured, and each with ``-none`` behind its name."""
MEASURED = tuple(
    name for names in TABLES.values() for each in names for name in (each, f"{each}-none")
)


def word_schemes_path(root: AWhere) -> AWhere:
    """Return where the cycles are kept."""
    return root / "word_schemes.json"


def load_word_schemes(root: Where = RESULTS) -> dict[str, SchemeCycles]:
    """Return what is kept, by preset; raises :class:`ecsm.results.record.DamagedResult`."""
    path = word_schemes_path(root)
    kept = load(Schemes, path)
    found = {r.preset: r for r in kept.results} if kept else {}
    for r in found.values():
        agree_word(path, r.preset, r.cycles)
    return found


def is_current(r: SchemeCycles) -> bool:
    """Return whether cycles are of the engine as it is now."""
    return r.rtl == digest(r.preset, r.wide)


def word_schemes(as_json: bool, root: Where) -> int:
    """Measure all and keep them below ``root``; print them."""
    found = load_word_schemes(root)
    with Progress() as progress:
        for name in MEASURED:
            found[name] = measure(name, progress)
            rows = [found[n] for n in MEASURED if n in found]
            write_json(word_schemes_path(root), asdict(Schemes(COMMAND, rows)))
    if as_json:
        print(json.dumps([asdict(r) for r in rows], indent=1))
        return 0
    for r in rows:
        print(f"{r.preset} ({r.curve})")
        for operation, cycles in r.cycles.items():
            print(f"  {operation:34}{cycles:>10,}")
    return 0
