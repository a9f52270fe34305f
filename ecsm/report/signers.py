# SPDX-License-Identifier: Apache-2.0
"""What signs on P-256, side by side: cycles, area, clock and time, for docs/guide/which.md."""

from __future__ import annotations

from ecsm.backend.attached import load_attached
from ecsm.backend.units import load_unit, unit_digest
from ecsm.cores.store import design
from ecsm.hdl.units import UNITS
from ecsm.markdown import markdown_table, number
from ecsm.measure.schemes import digest, load_scheme_cycles
from ecsm.measure.word_schemes import is_current, load_word_schemes
from ecsm.presets.table import any_preset, protects_keys
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.report.word import ATTACHED, clock_is_current, ms, routed
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import load_synth
from ecsm.results.sources import current_digest

SIGNERS = ("word-p256", "word-prime-p256", "word-full-p256", "p256-small-full", "p256-fast-full",
           "p256-fast")  # fmt: skip
HEAD = [
    "preset",
    "keys",
    "cycles",
    "LUT4",
    "DSP",
    "block RAM",
    "device",
    "MHz, best",
    "ms",
    "state",
]


def signer_table(root: Where = RESULTS) -> str:
    """Return a row for each preset of :data:`SIGNERS`; what is not measured is "-"."""
    rows = [
        _word(name, root) if isinstance(any_preset(name), WordPreset) else _core(name, root)
        for name in SIGNERS
    ]
    return markdown_table(HEAD, rows, set(range(2, 6)) | {7, 8})


def _keys(protected: bool) -> str:
    return "protected" if protected else "not protected"


def _state(current: list[bool]) -> str:
    return "" if all(current) else "of an earlier commit"


def _word(name: str, root: Where) -> list[object]:
    """Return a word engine: its netlist behind AXI4-Lite, and the clock without."""
    p = WORD_PRESETS[name]
    netlist = WORD_PRESETS[p.netlist_name]
    found = load_word_schemes(root).get(name)
    area, current = load_attached(netlist.name, ATTACHED, netlist.target, root)
    pnr = next(routed(netlist, root), None)
    sign = found.cycles.get("sign") if found else None
    kinds = ("lut", "dsp", "bram")
    sizes = [number(area.area[kind]) for kind in kinds] if area else ["-"] * 3
    return [
        f"`{name}`", _keys(protects_keys(p)), number(sign) if sign else "-", *sizes,
        *([pnr.device, f"{pnr.mhz:.1f}"] if pnr else ["-", "-"]),
        ms(sign, pnr.mhz) if pnr else "-",
        _state([
            found is None or is_current(found), area is None or current,
            pnr is None or clock_is_current(netlist, pnr),
        ]),
    ]  # fmt: skip


def _core(name: str, root: Where) -> list[object]:
    """Return a core and the machine around it, by the sum of their areas. No clock is kept."""
    p = design(name).preset
    found = load_scheme_cycles(name, False, root)
    masked = protects_keys(p)
    unit = UNITS["scheme-p256-full" if masked else "scheme-p256"]
    core, around = load_synth(name, "ecp5", root), load_unit(unit.name, "ecp5", root)
    sizes = ["-"] * 3
    if core and around:
        sizes = [number(core.area[kind] + around.area[kind]) for kind in ("lut", "dsp", "bram")]
    return [
        f"`{name}`", _keys(masked), number(found.cycles["sign"]) if found else "-", *sizes,
        "-", "-", "-",
        _state([
            found is None or found.rtl == digest(name, False),
            core is None or core.origin.rtl == current_digest(name),
            around is None or around.origin.rtl == unit_digest(unit),
        ]),
    ]  # fmt: skip
