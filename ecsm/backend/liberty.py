# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth PRESET --liberty FILE``: the area of a bare core in somebody's standard cells.

Yosys maps to the cells of a liberty file; each cell's area is what the file says. Areas are in the
file's unit, as a rule square micrometres, and in NAND2 equivalents: divided by the area of what one
NAND of two inputs is mapped to. There is no layout, so no clock and no area of wires.

Memories of 64 words or more stay memories, as a compiler of memories would make them; tables that
are never written become gates below 1,024 words. Their bits are said beside the area.
Results are ``liberty/PRESET.json``, the last library's.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ecsm.backend.netlist import cells
from ecsm.backend.synth import TEXT, flow_dir, synthesise_module
from ecsm.backend.tool import FlowError
from ecsm.markdown import markdown_table, number
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import Origin, agree, load, write_json
from ecsm.results.sources import origin, sources_of

CORES = ("b163-small", "b163-compact", "word-p256")
"""What the table of the documents has."""

_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*', re.DOTALL)  # and strings
_BEGIN = r"(?:^|[{};])\s*"  # of a group or an attribute
_FLIP_FLOP = re.compile(_BEGIN + r"ff\s*\(", re.MULTILINE)
_AREA = re.compile(_BEGIN + r"area\s*:\s*\"?([0-9.eE+-]+)\"?[^\S\n]*(?=[;}]|$)", re.MULTILINE)
_CELL = re.compile(_BEGIN + r"cell\s*\(\s*\"?([\w$]+)\"?\s*\)\s*\Z", re.MULTILINE)
_LIBRARY = re.compile(r"\s*library\s*\(\s*\"?([\w.$-]+)\"?\s*\)\s*")

_FILE = "cells.lib"
_NAND = Path(__file__).with_name("nand2.v")
_MEMORY = "$mem_v2"
_MOST = 1 << 30  # octets of a liberty file


@dataclass(frozen=True)
class Cells:
    """A liberty file: its library's name, its octets and their digest, the area of each cell."""

    file: Path
    octets: bytes
    name: str
    digest: str
    areas: dict[str, float]
    flip_flops: frozenset[str]


@dataclass(frozen=True)
class CellArea:
    """The bare core of a preset in standard cells.

    ``area``: of all cells, in the library's unit; ``nand2``: in NAND2 equivalents, ``flip_flops`` a
    part of them. ``memory_bits``: in memories, which are not counted. ``cells`` counts by type.
    """

    preset: str
    curve: str
    library: str
    liberty: str
    cycles: int
    area: float
    nand2: int
    flip_flops: int
    memory_bits: int
    cells: dict[str, int]
    script: list[str]
    seconds: float
    peak_mb: int
    origin: Origin


def read_cells(file: Path) -> Cells:
    """Return what a liberty file says of its cells.

    It is read once: it may be a pipe. Raises ValueError for one that is none, has no flip-flops, or
    an area that is none, OSError if it cannot be read.
    """
    with file.open("rb") as opened:
        data = opened.read(_MOST + 1)
    if len(data) > _MOST:
        raise ValueError(f"{file} is too long, {_MOST:,} octets are the most")
    # Names and numbers are ASCII; comments and descriptions may be in any encoding.
    text = _SPACE.sub(_kept, data.decode("latin-1"))
    heads, groups = _groups(text, file)
    library = _LIBRARY.fullmatch(heads[0]) if heads else None
    found = [(cell[1], body) for head, body in groups if (cell := _CELL.search(head))]
    if not library or not found:
        raise ValueError(f"{file} is no liberty file with cells")
    if len(heads) > 1:
        raise ValueError(f"{file} has something behind its library {library[1]}: one is taken")
    bodies = dict(found)
    if len(bodies) < len(found):
        twice = next(name for name, n in Counter(name for name, _ in found).items() if n > 1)
        raise ValueError(f"{file} has more than one cell {twice}")
    areas = {
        name: _number(area[1], f"{file}: cell {name}")
        for name, body in bodies.items()
        if (area := _AREA.search(body))
    }
    flops = frozenset(name for name, body in bodies.items() if _FLIP_FLOP.search(body))
    if not flops:
        raise ValueError(f"{file} has no flip-flop")
    return Cells(file, data, library[1], hashlib.sha256(data).hexdigest(), areas, flops)


def _kept(found: re.Match[str]) -> str:
    """Return a string if it looks like nothing else, and what stands for it or for a comment."""
    string = found[1] or " "
    return '""' if set(string) & set("{};\n") else string


def _groups(text: str, file: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return what is before each outermost group, and the groups in these.

    Of each of the latter what is before it, and its own text, with {} for the groups in it. Raises
    ValueError if braces do not pair.
    """
    heads: list[str] = []
    groups: list[tuple[str, str]] = []
    depth, last, head, own = 0, 0, "", [""]
    for brace in re.finditer("[{}]", text):
        before, last = text[last : brace.start()], brace.end()
        if depth == 2:
            own.append(before)
        if brace[0] == "{":
            if depth == 0:
                heads.append(before)
            elif depth == 1:
                head, own = before, []
            depth += 1
            continue
        depth -= 1
        if depth == 1:
            groups.append((head, "{}".join(own)))
        if depth < 0:
            break
    if depth:
        raise ValueError(f"{file} is no liberty file: its braces do not pair")
    return heads, groups


def _number(area: str, where: str) -> float:
    """Read the area of a cell. Raises ValueError for what is none."""
    with suppress(ValueError):
        if area[0] != "-" and math.isfinite(found := float(area)):
            return found
    raise ValueError(f"{where} has the area '{area}', which is none")


def cell_script(top: str) -> list[str]:
    """Return the Yosys commands that map the module ``top``, once it is read."""
    small = f"t:{_MEMORY} r:SIZE<64 %i"
    table = f"t:{_MEMORY} r:WR_PORTS=0 %i r:SIZE<1024 %i"
    return [
        f"synth -top {top} -flatten -run begin:fine",
        "opt -fast -full",
        f"memory_map {small} {table} %u",
        "opt -undriven -fine",
        "techmap",
        "opt -fast",
        "setattr -unset init w:*",  # flip-flops of cells have no first value
        f"read_liberty -lib -ignore_miss_func {_FILE}",  # the directions of their ports
        f"dfflibmap -liberty {_FILE}",
        f"abc -liberty {_FILE}",
        "opt_clean",
        "check -noinit -assert",
    ]


def synthesise_cells(name: str, library: Cells, log: Progress, root: Where) -> CellArea:
    """Measure the bare core of preset ``name`` in standard cells; keep the result below ``root``.

    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails, or if the library has no cell for
    something; earlier results then stay.
    """
    s = sources_of(name)
    where = origin(s, f"ecsm synth {name} --liberty {library.file.name}", "yosys")
    gate, _ = _mapped("nand2", _NAND.read_text("utf-8"), (), library, log, f"{name} nand2")
    unit = _area(cells(gate), library)
    if not unit:
        raise FlowError(f"{library.name}: its NAND of two inputs has no area to compare with")
    log(f"{name}: synthesising for {library.name}")
    top = s.preset.module
    module, spent = _mapped(top, s.text, s.files, library, log, name)
    found = cells(module)
    found.pop(_MEMORY, None)
    total = _area(found, library)
    if not math.isfinite(total / unit):
        raise FlowError(f"{library.name}: its areas are too large to be compared")
    result = CellArea(
        preset=name,
        curve=s.preset.curve.name,
        library=library.name,
        liberty=library.digest,
        cycles=s.cycles,
        area=round(total, 3),
        nand2=round(total / unit),
        flip_flops=sum(n for kind, n in found.items() if kind in library.flip_flops),
        memory_bits=sum(map(_bits, module["cells"].values())),
        cells=found,
        script=cell_script(top),
        seconds=spent.seconds,
        peak_mb=spent.peak_mb,
        origin=where,
    )
    write_json(cells_path(name, root), asdict(result))
    return result


def cells_path(preset: str, root: AWhere) -> AWhere:
    """Return where the area of a preset in standard cells is kept."""
    return root / "liberty" / f"{preset}.json"


def load_cells(preset: str, root: Where = RESULTS) -> tuple[CellArea | None, bool]:
    """Return the kept area, None if there is none, and whether it is of today's RTL and commands.

    Raises :class:`ecsm.results.record.DamagedResult`.
    """
    found = load(CellArea, cells_path(preset, root))
    if found is None:
        return None, False
    path = cells_path(preset, root)
    agree(path, found.preset == preset, f"it is of {found.preset}")
    sound = found.cycles > 0 <= min(found.area, found.nand2, found.memory_bits)
    agree(path, sound, "no core has these cycles or areas")
    counts = found.cells.values()
    some = 0 <= found.flip_flops <= sum(counts) and min(counts, default=0) > 0
    agree(path, some, "its flip-flops are not of its cells")
    s = sources_of(preset)
    now = (s.digest, cell_script(s.preset.module))
    return found, (found.origin.rtl, found.script) == now


def cell_table(root: Where = RESULTS) -> str:
    """Return the table of kept areas in standard cells; it marks those of earlier RTL."""
    rows = []
    for name in CORES:
        r, current = load_cells(name, root)
        if r is None:
            rows.append([f"`{name}`", "not measured", *[""] * 6])
            continue
        memory = number(r.memory_bits) if r.memory_bits else "-"
        numbers = [number(n) for n in (r.cycles, r.nand2, round(r.area), r.flip_flops)]
        state = "" if current else "of an earlier commit"
        rows.append([f"`{name}`", r.library, *numbers, memory, state])
    head = ["preset", "library", "cycles a kP", "NAND2", "area", "FF", "bits of memories", "state"]
    return markdown_table(head, rows, {2, 3, 4, 5, 6})


def _mapped(
    top: str, text: str, files: tuple[Path, ...], library: Cells, log: Progress, name: str
) -> tuple[dict[str, Any], Any]:
    read = f"read_slang --top {top} {' '.join(f.name for f in files)} {TEXT}"
    return synthesise_module(
        name, top, [read, *cell_script(top)], files,
        flow_dir(name.partition(" ")[0]) / "liberty.log", log, text,
        beside={_FILE: library.octets},
    )  # fmt: skip


def _bits(cell: dict[str, Any]) -> int:
    """Return the bits of a memory, 0 of another cell."""
    if cell["type"] != _MEMORY:
        return 0
    size, width = (int(cell["parameters"][key], 2) for key in ("SIZE", "WIDTH"))
    return size * width


def _area(found: Mapping[str, int], library: Cells) -> float:
    if missing := sorted(kind for kind in found if kind not in library.areas):
        raise FlowError(f"{library.name} has no cell, or no area, for {', '.join(missing[:5])}")
    return sum(library.areas[kind] * n for kind, n in found.items())
