# SPDX-License-Identifier: Apache-2.0
"""Areas and clocks of the presets of the word engine, for docs/word.md."""

from __future__ import annotations

from collections.abc import Iterator

from ecsm.backend.nextpnr import DEVICES, SPEEDS
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


def _routed(p: WordPreset, root: Where) -> Iterator[Pnr]:
    for device in DEVICES:
        for speed in SPEEDS:
            if (found := load_pnr(p.name, root, f"{device}-{speed}")) is not None:
                yield found


def _row(p: WordPreset, pnr: Pnr, root: Where) -> list[object]:
    synth, s = load_synth(p.name, "ecp5", root), word_sources(p)
    sizes = ["-"] * 4
    old = [] if pnr.origin.rtl == s.digest else ["clock"]
    if synth is not None:
        sizes = [number(synth.area[kind]) for kind in ("lut", "ff", "dsp", "bram")]
        if (synth.origin.rtl, synth.script) != (s.digest, recipe(s, "ecp5")):
            old.insert(0, "area")
    state = f"{' and '.join(old)} of an earlier commit" if old else ""
    clock = f"{pnr.mhz:.1f} / {pnr.mhz_median:.1f}"
    return [
        f"`{p.name}`", p.W, *sizes, pnr.device, clock, len(by_seed(pnr.runs)),
        number(pnr.cycles), f"{pnr.us / 1000:.2f}", state,
    ]  # fmt: skip
