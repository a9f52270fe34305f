# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc bench``: units on the system on chip, tightly and loosely coupled, beside software.

The program ``bench`` (sw/firmware/apps) reads the cycles from the CPU's own counter, with operands
in memory before and results in memory after. Areas are those of the unit alone, which is enough for
the custom instruction, and of the unit with the registers that the bus needs. Results are kept in
``soc.json`` in a folder of results.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.synth import TEXT, flow_dir, script, synthesise_module
from ecsm.backend.tool import Spent
from ecsm.device.base import DeviceError
from ecsm.markdown import markdown_table, number
from ecsm.narrow.port import SIZES
from ecsm.narrow.units import Unit, unit
from ecsm.presets.table import UnknownPreset
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import AREAS, Origin, agree, load, write_json
from ecsm.results.sources import digest_of, origin_of
from ecsm.soc.emit import cpu_file, soc_files
from ecsm.soc.firmware import FLAGS, SW, main_of, parts
from ecsm.soc.run import program, run_app
from ecsm.soc.system import system
from ecsm.templates import render

KINDS = ("field", "point")
CORES = ("core-b163-fast",)
"""Cores of presets, measured in both places beside the units of 163 bits."""
COMMAND = "ecsm soc bench"
OPERATIONS = (
    "field_add", "field_mul", "field_square", "field_invert",
    "point_add", "point_double", "point_multiply",
)  # fmt: skip
TRANSFERS = ("transfer_in", "transfer_out")


@dataclass(frozen=True)
class SocCycles:
    """Cycles of each operation; ``coupling``: tc, lc or software. ``rtl``: digest of what ran."""

    bits: int
    unit: str
    coupling: str
    cycles: dict[str, int]
    rtl: str


@dataclass(frozen=True)
class SocArea:
    """A unit on ECP5; ``coupling`` lc has the registers of the bus."""

    bits: int
    unit: str
    coupling: str
    area: dict[str, int]
    levels: int
    seconds: float
    origin: Origin


@dataclass(frozen=True)
class SocRecord:
    """What ``ecsm soc bench`` measured."""

    command: str
    cycles: list[SocCycles]
    areas: list[SocArea]


def soc_path(root: AWhere) -> AWhere:
    """Return where the results are kept."""
    return root / "soc.json"


def run_digest(name: str, coupling: str, app: str = "bench") -> str:
    """Return the digest of what a measurement of cycles runs: RTL, the CPU, the program."""
    s, main = system(name, coupling), main_of(app)
    of = program(main, s)
    text = "".join((s.text, *of.headers.values(), *FLAGS, of.optimise))
    code = [file for folder in (SW, *parts(main)) for file in sorted(folder.glob("*.[ch]"))]
    library = [h for folder in of.includes for h in sorted(folder.glob("*.h"))]
    programs = [SW / "start.S", *code, main, *of.sources, *library]
    return digest_of(text, [cpu_file(), *soc_files(s.text), *programs])


def area_text(u: Unit, coupling: str) -> tuple[str, str]:
    """Return the top's name and the modules that a unit's area is of."""
    text = "\n".join(u.modules.values())
    return (
        (u.module, text)
        if coupling == "tc"
        else (f"{u.module}_lc", text + render("measure/behind_bus.sv", module=u.module))
    )


def area_digest(u: Unit, coupling: str) -> str:
    """Return the digest of what a unit's area is of."""
    _, text = area_text(u, coupling)
    return digest_of(text, soc_files(text))


def mapped(
    name: str, top: str, text: str, files: Sequence[Path], log_file: Path, log: Progress
) -> tuple[dict[str, Any], Spent]:
    """Return the module ``top`` of generated ``text`` on ECP5, and what it took.

    ``files``: those that the text needs. Raises :class:`ecsm.backend.tool.FlowError`.
    """
    log(f"{name}: synthesising")
    names = " ".join(f.name for f in files)
    commands = [f"read_slang --top {top} {names} {TEXT}", *script("ecp5", top)]
    return synthesise_module(name, top, commands, files, log_file, log, text)


def synthesise(u: Unit, coupling: str, log: Progress) -> SocArea:
    """Return a unit's area on ECP5; raises :class:`ecsm.backend.tool.FlowError`."""
    top, text = area_text(u, coupling)
    origin = origin_of(area_digest(u, coupling), COMMAND, "yosys")
    file = flow_dir("soc") / f"{u.name}.{coupling}.log"
    module, spent = mapped(f"{u.name}, {coupling}", top, text, soc_files(text), file, log)
    return SocArea(
        bits=u.curve.field.m,
        unit=u.name,
        coupling=coupling,
        area=area("ecp5", cells(module)),
        levels=levels(module),
        seconds=spent.seconds,
        origin=origin,
    )


def measure(bits: int, name: str, coupling: str, log: Progress, app: str = "bench") -> SocCycles:
    """Return the cycles of each operation of a program; raises DeviceError if one is wrong."""
    log(f"{name}, {coupling}: running {app}")
    rtl = run_digest(name, coupling, app)
    done = run_app(app, name, coupling, log.often)
    if done.status:
        raise DeviceError(f"{app} on {name}, {coupling}: status {done.status}")
    rows = (line.split() for line in done.output.decode().splitlines())
    found = {name: int(cycles) for name, cycles in rows}
    return SocCycles(bits, name, coupling, found, rtl)


def wanted(sizes: Sequence[str]) -> list[tuple[Unit, str]]:
    """Return the measurements of cycles: units of each size and couplings, software first."""
    found = []
    for size in sizes:
        field = unit(f"field-{size}")
        found += [(field, "software"), (field, "lc"), (field, "tc")]
        found += [(unit(f"point-{size}"), coupling) for coupling in ("lc", "tc")]
        if size == "163":
            found += [(unit(name), coupling) for name in CORES for coupling in ("lc", "tc")]
    return found


def measure_units(sizes: Sequence[str], areas: bool, root: Where) -> SocRecord:
    """Measure sizes, by default all; keep each below ``root`` when it is done; return all of it."""
    pairs = wanted(sizes or list(SIZES))
    cycles, found = _record(root)
    with Progress() as log:
        for u, coupling in pairs:
            cycles[u.name, coupling] = measure(u.curve.field.m, u.name, coupling, log)
            _keep(cycles, found, root)
        for u, coupling in pairs if areas else ():
            if coupling != "software":
                found[u.name, coupling] = synthesise(u, coupling, log)
                _keep(cycles, found, root)
    return _keep(cycles, found, root)


def _keep(
    cycles: dict[tuple[str, str], SocCycles], areas: dict[tuple[str, str], SocArea], root: Where
) -> SocRecord:
    """Write what there is so far: an interrupted run loses only what it was at."""
    order = [(u.name, coupling) for u, coupling in wanted(list(SIZES))]
    record = SocRecord(
        COMMAND,
        [cycles[key] for key in order if key in cycles],
        [areas[key] for key in order if key in areas],
    )
    write_json(soc_path(root), asdict(record))
    return record


def _record(root: Where) -> tuple[dict[tuple[str, str], SocCycles], dict[tuple[str, str], SocArea]]:
    path = soc_path(root)
    record = load(SocRecord, path) or SocRecord(COMMAND, [], [])
    for r in record.cycles:
        wanted_here = {*OPERATIONS, *(() if r.coupling == "software" else TRANSFERS)}
        sound = set(r.cycles) == wanted_here and min(r.cycles.values()) > 0
        agree(path, sound, f"{r.unit}, {r.coupling} lacks an operation's cycles")
        agree(path, _is_unit(r.unit), f"there is no unit {r.unit}")
    for a in record.areas:
        sound = set(a.area) == AREAS["ecp5"] and a.area["lut"] > 0
        agree(path, sound, f"{a.unit}, {a.coupling} lacks an area")
        agree(path, _is_unit(a.unit), f"there is no unit {a.unit}")
    return (
        {(r.unit, r.coupling): r for r in record.cycles},
        {(r.unit, r.coupling): r for r in record.areas},
    )


def _is_unit(name: str) -> bool:
    with suppress(UnknownPreset):
        return bool(unit(name))
    return False


def _ratio(tc: int, lc: int) -> str:
    return f"{tc / lc:.2f}"


def cycle_table(root: Where = RESULTS) -> str:
    """Return the cycles of each operation in software and in the four couplings."""
    cycles, _ = _record(root)
    rows: list[list[object]] = []
    for size in SIZES:
        if not any(r.bits == int(size) for r in cycles.values()):
            continue
        software = cycles.get((f"field-{size}", "software"))
        for operation in OPERATIONS:
            alone = number(software.cycles[operation]) if software else "not measured"
            row: list[object] = [size, operation.replace("_", " "), alone]
            for kind in KINDS:
                pair = [cycles.get((f"{kind}-{size}", c)) for c in ("lc", "tc")]
                own = kind == "field" or operation.startswith("point")
                if not own or None in pair:
                    row += ["", "", ""]
                    continue
                lc, tc = (r.cycles[operation] for r in pair if r)
                row += [number(lc), number(tc), _ratio(tc, lc)]
            rows.append(row)
    head = ["bits", "operation", "software", "LC-F", "TC-F", "TC/LC", "LC-P", "TC-P", "TC/LC"]
    return markdown_table(head, rows, {0, *range(2, 9)}) + _stale(root)


def transfer_table(root: Where = RESULTS) -> str:
    """Return what one element costs to move, and the words that operations move."""
    cycles, _ = _record(root)
    rows: list[list[object]] = []
    for size in SIZES:
        words = -(-int(size) // 32)
        for kind in KINDS:
            pair = [cycles.get((f"{kind}-{size}", c)) for c in ("lc", "tc")]
            if None in pair:
                continue
            moved = (2, 1) if kind == "field" else (3, 2)
            row: list[object] = [f"`{kind}-{size}`", words]
            for name in TRANSFERS:
                row += [number(r.cycles[name]) for r in pair if r]
            operation = "field mul" if kind == "field" else "point multiply"
            program = unit(f"{kind}-{size}").cycles("mul" if kind == "field" else "multiply")
            row += [operation, f"{moved[0]} in, {moved[1]} out", number(program)]
            rows.append(row)
    head = [
        "unit", "words", "in, LC", "in, TC", "out, LC", "out, TC", "operation", "elements moved",
        "cycles in the unit",
    ]  # fmt: skip
    return markdown_table(head, rows, {1, 2, 3, 4, 5, 8})


def core_table(root: Where = RESULTS) -> str:
    """Return the cores of presets attached both ways, and what reaching them costs."""
    cycles, _ = _record(root)
    rows: list[list[object]] = []
    for name in (f"point-{next(iter(SIZES))}", *CORES):
        pair = [cycles.get((name, c)) for c in ("lc", "tc")]
        if None in pair:
            continue
        own = unit(name).cycles("multiply")
        lc, tc = (r.cycles["point_multiply"] for r in pair if r)
        rows.append(
            [
                f"`{name}`",
                *map(number, (own, lc, tc)),
                _ratio(tc, lc),
                *map(number, (lc - own, tc - own)),
            ]
        )
    head = [
        "unit",
        "in the unit",
        "kP, LC",
        "kP, TC",
        "TC/LC",
        "reaching it, LC",
        "reaching it, TC",
    ]
    return markdown_table(head, rows, set(range(1, 7)))


def area_table(root: Where = RESULTS) -> str:
    """Return the areas, tightly and loosely coupled; those of older RTL say so."""
    _, areas = _record(root)
    rows: list[list[object]] = []
    for name in dict.fromkeys(key[0] for key in areas):
        pair = [areas.get((name, c)) for c in ("tc", "lc")]
        if None in pair:
            continue
        tc, lc = (r for r in pair if r)
        old = any(r.origin.rtl != area_digest(unit(name), r.coupling) for r in (tc, lc))
        row: list[object] = [f"`{name}`"]
        for key in ("lut", "ff", "bram"):
            row += [number(tc.area[key]), number(lc.area[key])]
        rows.append(
            [*row, _ratio(tc.area["lut"], lc.area["lut"]), "of an earlier commit" if old else ""]
        )
    head = [
        "unit",
        "LUT4, TC",
        "LUT4, LC",
        "FF, TC",
        "FF, LC",
        "BRAM, TC",
        "BRAM, LC",
        "LUT4, TC/LC",
        "state",
    ]
    return markdown_table(head, rows, set(range(1, 8)))


def _stale(root: Where) -> str:
    """Return a line on measurements of what has changed since, if there are such."""
    cycles, _ = _record(root)
    try:
        old = [f"{u}, {c}" for (u, c), r in cycles.items() if r.rtl != run_digest(u, c)]
    except DeviceError:
        return ""
    return f"\n\nOf an earlier commit: {'; '.join(old)}." if old else ""
