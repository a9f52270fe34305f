# SPDX-License-Identifier: Apache-2.0
"""The picture of the whole: which core stands where between area and time."""

from __future__ import annotations

from ecsm.markdown import number
from ecsm.plot import Axis, Point, Series, scatter
from ecsm.presets.table import RECOMMENDED, is_toy
from ecsm.presets.word import WORD_PRESETS
from ecsm.report.measured import measured
from ecsm.report.word import area_is_current, clock_is_current, routed
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import load_synth

DEVICE = "LFE5U-25F-6"
"""The device of the word engines in the picture; that of the cores is larger and faster."""
_ALSO = ("b163-pipelined", "p256-compact", "k256-throughput")
"""Cores between the quickest and the smallest, beside those of ``RECOMMENDED``."""


def _cores(root: Where) -> dict[str, list[Point]]:
    """Return the routed cores to look at first, by kind of field."""
    found: dict[str, list[Point]] = {"binary": [], "prime": []}
    for m in measured(root):
        p = m.preset
        if m.pnr is None or m.ecp5 is None or p.name not in (*RECOMMENDED, *_ALSO):
            continue
        lut, us, state = m.ecp5.area["lut"], m.pnr.us, m.state(("ecp5", "pnr"))
        about = f"{p.name}: {number(lut)} LUT4, {us:.2f} us" + (f" ({state})" if state else "")
        found[p.field_kind].append(Point(lut, us / 1000, p.name, about))
    return found


def _word_engines(root: Where) -> list[Point]:
    """Return the word engines that are routed on :data:`DEVICE`: area, and time of ECDH."""
    found = []
    for p in WORD_PRESETS.values():
        synth = load_synth(p.name, p.target, root)
        for pnr in routed(p, root):
            if is_toy(p) or synth is None or pnr.device != DEVICE:
                continue
            lut, ms = synth.area["lut"], pnr.us / 1000
            now = area_is_current(p, synth) and clock_is_current(p, pnr)
            about = f"{p.name}, {p.curve_name}: {number(lut)} LUT4, {ms:.2f} ms"
            about += "" if now else " (of an earlier commit)"
            found.append(Point(lut, ms, p.name, about))
    return found


def overview(root: Where = RESULTS) -> str:
    """Return the plot of area against time of the cores to look at first, word engines too."""
    cores = _cores(root)
    return scatter(
        "Where each core stands: area and time of one product of a point",
        "Cores: kP, bare, on an LFE5U-85F-8. Word engines: ECDH with their schemes and keys, "
        f"protected, on an {DEVICE}.",
        Axis("LUT4"),
        Axis("milliseconds"),
        [
            Series("word engine, whole schemes", _word_engines(root), "green", "diamond"),
            Series("core over a prime field", cores["prime"], "orange", "square"),
            Series("core over a binary field", cores["binary"], "blue", "dot"),
        ],
    )
