# SPDX-License-Identifier: Apache-2.0
"""``ecsm schemes --word``: cycles of every operation of the word engines, protected and not.

They are kept in ``word_schemes.json``, each preset as soon as it is measured; one that is kept, and
is of the engine as it is, is not measured again. The tables of the pages on the word engine,
that of aims and the datasheets read them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ecsm.measure.schemes import SchemeCycles, Schemes, digest, measure
from ecsm.presets.word import WORD_PRESETS, WordPreset
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
"""Of each netlist the presets on its datasheet, each also with ``-none`` behind its name."""
OF_FULL = {"word-full-p256": "P-256", "word-full-b163": "B-163", "word-full-b233": "B-233"}
"""Tables of word-full whose own operations are shown, and what their curves are called there."""
MEASURED = tuple(
    name for name, p in WORD_PRESETS.items()
    if p.netlist_name.removesuffix("-none") in TABLES
    and (not p.full or name.removesuffix("-none") in (*TABLES["word-full"], *OF_FULL))
)  # fmt: skip
"""Every preset of these netlists, but for most curves of word-full: they are as word-dual's."""


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


def operations(p: WordPreset) -> tuple[str, ...]:
    """Return the operations that the documents show of a preset, as they are kept.

    ``tables`` is the loading of its tables.
    """
    own = {"curve25519": ("x25519",), "edwards25519": ("sign-ed25519", "verify-ed25519")}
    tables = ("tables",) if p.netlist else ()
    shown = own.get(p.curve.name, ("ecdh", "sign", "verify"))
    return (*tables, "load", "public", *shown, "self-test")


def is_due(name: str, r: SchemeCycles | None) -> bool:
    """Return whether a preset is to be measured, of which ``r`` is kept."""
    whole = r is not None and r.cycles.keys() >= {*operations(WORD_PRESETS[name])}
    return r is None or not whole or not is_current(r)


def word_schemes(names: Sequence[str], again: bool, as_json: bool, root: Where) -> int:
    """Measure presets, by default all, and keep them below ``root``; print them.

    ``again``: those that are kept, too.
    """
    todo = [name for name in MEASURED if name in names or not names]
    found = load_word_schemes(root)
    with Progress() as progress:
        for i, name in enumerate(todo, 1):

            def tell(text: str, place: str = f"{i} of {len(todo)}") -> None:
                progress(f"{place}, {text}")

            if not again and not is_due(name, found.get(name)):
                tell(f"{name}: kept")
                continue
            found[name] = measure(name, tell)
            rows = [found[n] for n in MEASURED if n in found]
            write_json(word_schemes_path(root), asdict(Schemes(COMMAND, rows)))
    rows = [found[name] for name in todo]
    if as_json:
        print(json.dumps([asdict(r) for r in rows], indent=1))
        return 0
    for r in rows:
        print(f"{r.preset} ({r.curve}), cycles")
        for operation, cycles in r.cycles.items():
            print(f"  {operation:34}{cycles:>10,}")
    return 0
