# SPDX-License-Identifier: Apache-2.0
"""Areas and clocks of the presets of the word engine, for docs/word.md."""

from __future__ import annotations

from collections.abc import Iterator

from ecsm.backend.nextpnr import DEVICES, ICE40, SPEEDS
from ecsm.backend.synth import recipe
from ecsm.markdown import markdown_table, number
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, by_seed, load_pnr, load_synth
from ecsm.results.sources import word_sources

HEAD = [
    "preset", "W", "LUT4", "FF", "DSP", "block RAM", "device", "MHz, best / median", "seeds",
    "ECDH, cycles", "ECDH, ms", "state",
]  # fmt: skip


def word_table(root: Where = RESULTS) -> str:
    """Return a row for each preset and each device that it is routed on; older RTL says so."""
    rows = [_row(p, pnr, root) for p in WORD_PRESETS.values() for pnr in _routed(p, root)]
    return markdown_table(HEAD, rows, {1, 2, 3, 4, 5, 7, 8, 9, 10})


UP5K_HEAD = [
    "preset", "LC", "LUT4", "FF", "MAC16", "EBR", "SPRAM", "device", "MHz, best / median", "seeds",
    "ECDH, cycles", "ECDH, ms", "state",
]  # fmt: skip
_LC = "ICESTORM_LC"


def up5k_table(root: Where = RESULTS) -> str:
    """Return a row for each preset that is routed on an iCE40.

    Logic cells (LC) are those of the best run, the harness among them; the other areas are the
    bare core's.
    """
    rows = []
    for p in WORD_PRESETS.values():
        for device in ICE40:
            if p.ice40 and (pnr := load_pnr(p.name, root, device)) is not None:
                area, state = _area_and_state(p, pnr, root)
                sizes = ["-"] * 5 if area is None else [
                    number(area[kind]) for kind in ("lut", "ff", "dsp", "bram", "spram")
                ]  # fmt: skip
                used = pnr.best.used or {}
                cells = number(used[_LC]) if _LC in used else "-"
                rows.append([f"`{p.name}`", cells, *sizes, *_figures(pnr), state])
    return markdown_table(UP5K_HEAD, rows, {1, 2, 3, 4, 5, 6, 8, 9, 10, 11})


def _routed(p: WordPreset, root: Where) -> Iterator[Pnr]:
    for device in DEVICES:
        for speed in SPEEDS:
            if (found := load_pnr(p.name, root, f"{device}-{speed}")) is not None:
                yield found


def _area_and_state(p: WordPreset, pnr: Pnr, root: Where) -> tuple[dict[str, int] | None, str]:
    """Return the area of a preset's core, if there is one, and what is of older RTL."""
    synth, s = load_synth(p.name, p.target, root), word_sources(p)
    old = [] if pnr.origin.rtl == s.digest else ["clock"]
    if synth is not None and (synth.origin.rtl, synth.script) != (s.digest, recipe(s, p.target)):
        old.insert(0, "area")
    state = f"{' and '.join(old)} of an earlier commit" if old else ""
    return None if synth is None else synth.area, state


def _figures(pnr: Pnr) -> list[object]:
    """Return device, clock, seeds, and cycles and time of ECDH."""
    clock = f"{pnr.mhz:.1f} / {pnr.mhz_median:.1f}"
    ecdh = (number(pnr.cycles), f"{pnr.us / 1000:.2f}")
    return [pnr.device, clock, len(by_seed(pnr.runs)), *ecdh]


def _row(p: WordPreset, pnr: Pnr, root: Where) -> list[object]:
    area, state = _area_and_state(p, pnr, root)
    sizes = ["-"] * 4 if area is None else [
        number(area[kind]) for kind in ("lut", "ff", "dsp", "bram")
    ]  # fmt: skip
    return [f"`{p.name}`", p.W, *sizes, *_figures(pnr), state]
