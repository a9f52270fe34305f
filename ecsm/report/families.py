# SPDX-License-Identifier: Apache-2.0
"""Cores and word engines on FPGAs of other vendors, beside the same on an ECP5."""

from __future__ import annotations

from collections.abc import Iterator

from ecsm.backend.gowin import GOWIN
from ecsm.backend.nextpnr import DEVICES, SPEEDS
from ecsm.backend.synth import recipe
from ecsm.markdown import markdown_table, number
from ecsm.presets.table import all_presets
from ecsm.presets.word import WORD_PRESETS
from ecsm.report.word import earlier
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, Synth, by_seed, load_pnr, load_synth
from ecsm.results.sources import Sources, sources_of

OTHER = "gowin"
_ECP5 = tuple(f"{device}-{speed}" for device in DEVICES for speed in SPEEDS)
_DEVICES = {"ecp5": _ECP5, OTHER: tuple(GOWIN)}
NAMES = {"ecp5": "Lattice ECP5", OTHER: "Gowin"}


def family_table(root: Where = RESULTS) -> str:
    """Return rows for each preset that is synthesised for another family than ECP5.

    "at most" stands before a clock that leaves out paths through multipliers.
    """
    rows = []
    for name in (*(p.name for p in all_presets()), *WORD_PRESETS):
        if load_synth(name, OTHER, root) is None:
            continue
        s = sources_of(name)
        rows += [
            [f"`{name}`", NAMES[target], *row]
            for target in NAMES
            for row in _rows(name, target, s, root)
        ]
    head = ["preset", "family", "LUT4", "FF", "DSP", "block RAM", "device", "MHz, best / median",
            "seeds", "cycles a kP", "us", "state"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 7, 8, 9, 10})


def _rows(name: str, target: str, s: Sources, root: Where) -> Iterator[list[object]]:
    synth = load_synth(name, target, root)
    if synth is None:
        return
    old = (synth.origin.rtl, synth.script) != (s.digest, recipe(s, target))
    sizes = [number(synth.area[kind]) for kind in ("lut", "ff", "dsp", "bram")]
    routed = [p for d in _DEVICES[target] if (p := load_pnr(name, root, d)) is not None]
    for pnr in routed:
        states = ["area"] * old + ["clock"] * (pnr.origin.rtl != s.digest)
        yield [*sizes, *_clock(pnr, synth), earlier(states)]
    if not routed:
        cycles = number(synth.cycles)
        yield [*sizes, "not placed", "-", "-", cycles, "-", earlier(["area"] * old)]


def at_most(device: str, synth: Synth | None) -> str:
    """Return what stands before a clock: those of Gowin leave out paths through multipliers."""
    return "at most " * (device in GOWIN and (synth is None or synth.area["dsp"] > 0))


def _clock(pnr: Pnr, synth: Synth) -> list[object]:
    """Return device, clock, seeds, cycles and time."""
    bound = at_most(pnr.device, synth)
    least = "at least " * bool(bound)
    clock = f"{bound}{pnr.mhz:.1f} / {pnr.mhz_median:.1f}"
    return [pnr.device, clock, len(by_seed(pnr.runs)), number(pnr.cycles), f"{least}{pnr.us:.2f}"]
