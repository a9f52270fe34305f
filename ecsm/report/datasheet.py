# SPDX-License-Identifier: Apache-2.0
"""Datasheets of the word engines, a generated page a netlist, in ``docs/integrate/datasheets``."""

from __future__ import annotations

from pathlib import Path

from ecsm import __version__
from ecsm.backend.attached import load_attached
from ecsm.hdl.build import Build
from ecsm.hdl.buses import Ports
from ecsm.hdl.machines import machine
from ecsm.hdl.scheme_emit import PORTS
from ecsm.markdown import markdown_table, number
from ecsm.measure.word_schemes import TABLES, is_current, load_word_schemes
from ecsm.presets.table import netlist_of
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.report import core_datasheet
from ecsm.report.word import (
    ATTACHED,
    area_is_current,
    clock_is_current,
    earlier,
    figures,
    ms,
    routed,
)
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import load_synth
from ecsm.schemes.inputs import inputs
from ecsm.templates import render

FOLDER = "docs/integrate/datasheets"
GROUPS = {
    "clk": "clock",
    "rst": "reset, active low",
    "zeroize": "drops the job, clears keys and the generator's state",
    "req": "a request: operation, key slot, flags",
    "rsp": "the response: status, cycles since the request",
    "in": "strings of the host, words of 64 bits",
    "out": "strings for the host",
    "no": "the noise source has failed, or has given too little",
    "noise": "samples of a noise source",
    "test": "samples of the test mode; whether it is on",
    "axil": "AXI4-Lite, data of 32 bits",
    "irq": "an interrupt that is enabled is pending",
}
"""What ports are for, by the first part of their names."""
AREA = {
    "ecp5": ("LUT4", "FF", "DSP", "block RAM"), "ice40": ("LUT4", "FF", "MAC16", "EBR", "SPRAM"),
}  # fmt: skip
KINDS = {"LUT4": "lut", "FF": "ff", "DSP": "dsp", "MAC16": "dsp", "block RAM": "bram",
         "EBR": "bram", "SPRAM": "spram"}  # fmt: skip


def port_table(ports: Ports) -> str:
    """Return ports in groups: names with their bits, inputs, outputs, what they are for."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for way, bits, name in ports:
        shown = f"`{name}`" + (f" ({bits})" if bits > 1 else "")
        groups.setdefault(name.partition("_")[0], []).append((way.strip(), shown))
    rows = [
        [
            *(", ".join(n for way, n in found if way == wanted) for wanted in ("input", "output")),
            GROUPS[group],
        ]
        for group, found in groups.items()
    ]
    return markdown_table(["inputs (bits)", "outputs (bits)", "for"], rows, set())


def operation_table(p: WordPreset, root: Where) -> str:
    """Return the operations of a netlist, with the cycles of each table that is measured."""
    found = load_word_schemes(root)
    names = [each for t in TABLES[p.name] for each in (t, f"{t}-none") if each in found]
    numbers: dict[str, int] = {}
    for name in TABLES[p.name]:
        program = machine(name).program
        numbers |= {o: program.number(o) for o in program.operations}
    rows: list[list[object]] = []
    for operation, n in sorted(numbers.items(), key=lambda of: (of[1], of[0])):
        key = operation.removesuffix("-sha256")
        cycles = (found[name].cycles.get(key) for name in names)
        shown = ["" if c is None else number(c) for c in cycles]
        rows.append([f"`{operation}`", n, inputs(operation), *shown])
    old = ["" if is_current(found[name]) else "of an earlier commit" for name in names]
    if any(old):
        rows.append(["state", "", "", *old])
    head = ["operation", "number", "strings", *(f"`{name}`" for name in names)]
    return markdown_table(head, rows, set(range(1, len(head))))


def figure_table(p: WordPreset, root: Where) -> str:
    """Return the areas of the engine, alone and behind AXI4-Lite."""
    head = ["", *AREA[p.target], "levels", "state"]
    rows: list[list[object]] = []
    alone = load_synth(p.name, p.target, root)
    attached, current = load_attached(p.name, ATTACHED, p.target, root)
    found = (("alone", alone, alone is not None and area_is_current(p, alone)),
             ("with AXI4-Lite", attached, current))  # fmt: skip
    for what, synth, now in found:
        if synth is not None:
            sizes = [number(synth.area[KINDS[kind]]) for kind in AREA[p.target]]
            rows.append([what, *sizes, synth.levels, "" if now else earlier(["area"])])
    return markdown_table(head, rows, set(range(1, len(head) - 1)))


def clock_table(p: WordPreset, root: Where) -> str:
    """Return the clocks of the engine by device, and times at the best, or that there are none."""
    found = load_word_schemes(root).get(p.name)
    sign = found.cycles.get("sign") if found else None
    rows = [
        [*figures(pnr), ms(sign, pnr.mhz),
         "" if clock_is_current(p, pnr) else earlier(["clock"])]
        for pnr in routed(p, root)
    ]  # fmt: skip
    if not rows:
        return "It is not placed and routed."
    head = [
        "device", "MHz, best / median", "seeds", "ECDH, cycles", "ECDH, ms", "signature, ms",
        "state",
    ]  # fmt: skip
    return markdown_table(head, rows, {1, 2, 3, 4, 5})


def engine_table(root: Where = RESULTS) -> str:
    """Return a row for each netlist: cycles and time of a signature, area, clock."""
    rows: list[list[object]] = []
    for name in TABLES:
        p = WORD_PRESETS[name]
        area, cycles = load_synth(name, p.target, root), load_word_schemes(root).get(name)
        pnr = next(routed(p, root), None)
        sign = cycles.cycles.get("sign") if cycles else None
        rows.append([
            f"[`{name}`]({name}.md)", p.curve.name, number(sign) if sign else "-",
            number(area.area["lut"]) if area else "-",
            *([pnr.device, f"{pnr.mhz:.1f}"] if pnr else ["-", "-"]),
            ms(sign, pnr.mhz) if pnr else "-", p.about,
        ])  # fmt: skip
    head = [
        "engine",
        "curve",
        "cycles of a signature",
        "LUT",
        "device",
        "MHz, best",
        "ms",
        "what it is",
    ]
    return markdown_table(head, rows, {2, 3, 5, 6})


def cost_table(p: WordPreset, root: Where) -> str:
    """Return what protection costs in cycles, by operation."""
    found = load_word_schemes(root)
    rows = []
    for name in TABLES[p.name]:
        on, off = found.get(name), found.get(f"{name}-none")
        for operation in ("public", "ecdh", "x25519", "sign", "sign-ed25519"):
            if on and off and operation in on.cycles and operation in off.cycles:
                both = on.cycles[operation], off.cycles[operation]
                more = f"{100 * (both[0] - both[1]) / both[1]:+.0f} %"
                rows.append([f"`{name}`", operation, *map(number, both), more])
    head = ["preset", "operation", "protected", "not protected", "more"]
    return markdown_table(head, rows, {2, 3, 4}) if rows else "It is not measured."


def datasheet(name: str, root: Where = RESULTS) -> str:
    """Return the page of a netlist. Raises KeyError for one that has none."""
    p = WORD_PRESETS[name]
    curves = list(dict.fromkeys(q.curve.name for q in netlist_of(p) if isinstance(q, WordPreset)))
    loaded = bool(p.netlist)
    return render(
        "report/datasheet.md",
        p=p,
        version=__version__,
        curves=curves,
        loaded=loaded,
        hash=(
            "SHA-1, SHA-224, SHA-256" if p.full
            else ", ".join(h.upper().replace("SHA", "SHA-") for h in p.hashes)
        ),
        ports=port_table(PORTS),
        bus=port_table(tuple(q for q in Build(p, attach="axil").ports() if q not in PORTS)),
        operation_table=operation_table(p, root),
        figures=figure_table(p, root),
        clocks=clock_table(p, root),
        cost=cost_table(p, root),
    )  # fmt: skip


def datasheets(root: Where = RESULTS) -> dict[Path, str]:
    """Return all pages by their paths in the project, those of cores too."""
    word = {name: datasheet(name, root) for name in TABLES}
    cores = {name: core_datasheet.datasheet(name, root) for name in core_datasheet.recommended()}
    pages = word | cores | {"README": core_datasheet.index(engine_table(root), root)}
    return {Path(FOLDER) / f"{name}.md": text for name, text in pages.items()}
