# SPDX-License-Identifier: Apache-2.0
"""Areas and clocks of the presets of the word engine, for docs/results/word.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ecsm.backend.attached import load_attached
from ecsm.backend.nextpnr import DEVICES, ICE40, SPEEDS
from ecsm.backend.synth import recipe
from ecsm.markdown import markdown_table, number
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, Synth, by_seed, load_pnr, load_synth
from ecsm.results.sources import word_sources

HEAD = [
    "preset", "W", "LUT4", "with AXI4-Lite", "FF", "DSP", "block RAM", "device",
    "MHz, best / median", "seeds", "ECDH, cycles", "ECDH, ms", "state",
]  # fmt: skip


NOT_PLACED = "not placed"
ATTACHED = "axil"


def word_table(root: Where = RESULTS) -> str:
    """Return a row for each preset on ECP5 and each device that it is routed on.

    One with an area and no clock has one row, too. What is of older RTL says so.
    """
    rows = []
    for p in WORD_PRESETS.values():
        if p.ice40:
            continue
        found = [_row(p, pnr, root) for pnr in routed(p, root)]
        if not found and load_synth(p.name, p.target, root) is not None:
            found = [_row(p, None, root)]
        rows += found
    return markdown_table(HEAD, rows, {1, 2, 3, 4, 5, 6, 8, 9, 10, 11})


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
                rows.append([f"`{p.name}`", cells, *sizes, *figures(pnr), state])
    return markdown_table(UP5K_HEAD, rows, {1, 2, 3, 4, 5, 6, 8, 9, 10, 11})


def routed(p: WordPreset, root: Where) -> Iterator[Pnr]:
    """Yield the clocks that are kept of a preset, of the devices that it is for."""
    ecp5 = (f"{device}-{speed}" for device in DEVICES for speed in SPEEDS)
    for device in ICE40 if p.ice40 else ecp5:
        if (found := load_pnr(p.name, root, device)) is not None:
            yield found


def _area_and_state(
    p: WordPreset, pnr: Pnr | None, root: Where
) -> tuple[dict[str, int] | None, str]:
    """Return the area of a preset's core, if there is one, and what is of older RTL."""
    synth = load_synth(p.name, p.target, root)
    old = ["area"] if synth is not None and not area_is_current(p, synth) else []
    if pnr is not None and not clock_is_current(p, pnr):
        old.append("clock")
    return None if synth is None else synth.area, earlier(old)


def area_is_current(p: WordPreset, synth: Synth) -> bool:
    """Return whether a preset's area is of the RTL and the flow as they are."""
    return (synth.origin.rtl, tuple(synth.script)) == _now(p)


def clock_is_current(p: WordPreset, pnr: Pnr) -> bool:
    """Return whether a preset's clock is of the RTL as it is."""
    return pnr.origin.rtl == _now(p)[0]


@cache
def _now(p: WordPreset) -> tuple[str, tuple[str, ...]]:
    """Return the digest and the commands of today; a document asks for them several times."""
    s = word_sources(p)
    return s.digest, tuple(recipe(s, p.target))


def earlier(what: list[str]) -> str:
    """Return what is of an earlier commit, in words, "" for nothing."""
    return f"{' and '.join(what)} of an earlier commit" if what else ""


def ms(cycles: int | None, mhz: float) -> str:
    """Return a time in ms, "-" of what is not measured."""
    return f"{cycles / mhz / 1000:.2f}" if cycles else "-"


def figures(pnr: Pnr) -> list[object]:
    """Return device, clock, seeds, and cycles and time of ECDH."""
    clock = f"{pnr.mhz:.1f} / {pnr.mhz_median:.1f}"
    ecdh = (number(pnr.cycles), f"{pnr.us / 1000:.2f}")
    return [pnr.device, clock, len(by_seed(pnr.runs)), *ecdh]


def _row(p: WordPreset, pnr: Pnr | None, root: Where) -> list[object]:
    area, state = _area_and_state(p, pnr, root)
    sizes = ["-"] * 4 if area is None else [
        number(area[kind]) for kind in ("lut", "ff", "dsp", "bram")
    ]  # fmt: skip
    attached, current = load_attached(p.name, ATTACHED, p.target, root)
    states = [state] if state else []
    if attached is not None and not current:
        states.append("with AXI4-Lite of an earlier commit")
    around = "-" if attached is None else number(attached.area["lut"])
    shown: list[object]
    if pnr is None:
        synth = load_synth(p.name, p.target, root)
        cycles = "-" if synth is None else number(synth.cycles)
        shown = [NOT_PLACED, "-", "-", cycles, "-"]
    else:
        shown = figures(pnr)
    return [f"`{p.name}`", p.W, sizes[0], around, *sizes[1:], *shown, "; ".join(states)]
