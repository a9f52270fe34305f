# SPDX-License-Identifier: Apache-2.0
"""Places of DSP blocks and block memories, chosen before nextpnr places the rest.

Both stand in a few rows that cross the device. nextpnr's placers put each block into the next free
site, so the sixteen blocks of one limb's product end in three rows, and half of all wires lead to
them. Here blocks whose operands come from the same wires stand side by side; nextpnr places
everything with them; then the memories get the sites that make the wires of that placement
shortest, by the assignment problem, again while it helps.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from ortools.graph.python import linear_sum_assignment as assignment

from ecsm.device.cache import entry
from ecsm.flow import nextpnr, tool
from ecsm.flow.progress import Progress
from ecsm.flow.sources import tools
from ecsm.flow.synth import Netlist, flow_dir

DSP, MEMORY = "MULT18X18D", "DP16KD"
PLACED = "placed.json"
FIRST_MHZ = "75"  # requested of the placement that memories' places are taken from
_COLUMNS = (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)
# Of the LFE5U-85F: (x, y, name), row by row from the middle of the device outwards.
DSP_SITES = [
    [(x + k, y, f"X{x + k}/Y{y}/MULT18_{k}") for x in _COLUMNS for k in (0, 1, 4, 5)]
    for y in (34, 58, 10)
]
MEMORY_SITES = [
    (x + 2 * k, y, f"X{x + 2 * k}/Y{y}/EBR{k}")
    for y in (46, 22, 70, 82)
    for x in _COLUMNS
    for k in range(4)
]
_OPERAND = re.compile(r"[AB]\d+$")
_SITE = re.compile(r"X(\d+)/Y(\d+)/")
_WIDE = 3000  # pins: a clock or a constant is no reason to stand anywhere

Site = tuple[int, int, str]
Cells = dict[str, Any]
Places = dict[str, tuple[int, int]]


def planned(name: str, n: Netlist, limit_s: float, progress: Progress) -> Path:
    """Return the netlist as JSON with the places of its hard blocks, from the cache or made now.

    ``name`` is the preset's; the placement that the memories' places are taken from may take
    ``limit_s``. Raises :class:`ecsm.flow.tool.FlowError`.
    """
    options = [
        *nextpnr.DEVICE_OPTIONS.split(), *nextpnr.PLACERS["static"].split(),
        *nextpnr.FIXED_OPTIONS.split(), "--seed", "1", "--freq", FIRST_MHZ,
    ]  # fmt: skip
    made_by = (*options, tools("nextpnr")["nextpnr"], str(nextpnr.FLOORPLAN))
    key = f"{n.key}-{hashlib.sha256(' '.join(made_by).encode()).hexdigest()[:8]}"

    def make(work: Path, done: Path) -> None:
        data = json.loads(n.json.read_text(encoding="utf-8"))
        cells = _cells(data)
        if not any(c["type"] in (DSP, MEMORY) for c in cells.values()):
            raise tool.FlowError(f"{name} has neither DSP blocks nor memories to choose places for")
        fix(cells, dsp_places(cells))
        memories = sum(c["type"] == MEMORY for c in cells.values())
        if memories > len(MEMORY_SITES):
            raise tool.FlowError(f"{name} has {memories} memories, the device {len(MEMORY_SITES)}")
        if memories:
            first = work / "first.json"
            first.write_text(json.dumps(data), encoding="utf-8")
            arguments = [*options, "--json", first.name, "--no-route", "--write", PLACED]
            watch = nextpnr.Watcher(f"{name}: places of hard blocks", progress)
            log = flow_dir(name) / f"floorplan-{key}.log"
            try:
                tool.run(tool.NEXTPNR, arguments, work, log, watch, limit_s)
            except tool.TimeIsUp:
                minutes = f"{limit_s / 60:.3g} min"
                raise tool.FlowError(f"{name}: no floorplan in {minutes}: --timeout") from None
            placed = json.loads((work / PLACED).read_text(encoding="utf-8"))
            fix(cells, memory_places(_cells(placed)))
        (done / n.json.name).write_text(json.dumps(data), encoding="utf-8")

    return entry(f"flow/{name}/floorplan-{key}", make) / n.json.name


def _cells(data: Mapping[str, Any]) -> Cells:
    (module,) = (m for m in data["modules"].values() if not m["attributes"].get("blackbox"))
    return dict(module["cells"])


def fix(cells: Cells, sites: Mapping[str, str]) -> None:
    """Tell nextpnr the site of each cell named in ``sites``."""
    for name, site in sites.items():
        cells[name].setdefault("attributes", {})["BEL"] = site


def dsp_groups(cells: Cells) -> list[list[str]]:
    """Return the DSP blocks by what feeds them: blocks of a group share operands, directly or not.

    Larger groups first; within a group, and for equal sizes, as the netlist has them.
    """
    blocks = [name for name, c in cells.items() if c["type"] == DSP]
    readers: dict[int, set[str]] = defaultdict(set)
    for name in blocks:
        for port, bits in cells[name]["connections"].items():
            if _OPERAND.match(port):
                for bit in bits:
                    if isinstance(bit, int):  # a constant is nobody's own
                        readers[bit].add(name)
    group = {name: [name] for name in blocks}
    for together in readers.values():
        first, *others = sorted(together)
        for other in others:
            if group[other] is not group[first]:
                group[first] += group[other]
                for name in group[other]:
                    group[name] = group[first]
    order = {name: i for i, name in enumerate(blocks)}
    found = {id(g): sorted(g, key=order.__getitem__) for g in group.values()}
    return sorted(found.values(), key=lambda g: (-len(g), order[g[0]]))


def dsp_places(cells: Cells) -> dict[str, str]:
    """Return a site for each DSP block: groups side by side, whole in a row where one has room.

    Raises :class:`ecsm.flow.tool.FlowError` if the device has too few.
    """
    rows: list[list[str]] = [[] for _ in DSP_SITES]
    room = len(DSP_SITES[0])
    split: list[str] = []
    for g in dsp_groups(cells):
        fitting = [row for row in rows if len(row) + len(g) <= room]
        if fitting:
            fitting[0].extend(g)
        else:
            split += g
    for row in rows:
        count = room - len(row)
        row += split[:count]
        del split[:count]
    if split:
        raise tool.FlowError(f"the device has {room * len(rows)} DSP blocks, {len(split)} too few")
    sites: dict[str, str] = {}
    for row, places in zip(rows, DSP_SITES, strict=True):
        start = (room - len(row)) // 2
        sites |= {name: site[2] for name, site in zip(row, places[start:], strict=False)}
    return sites


def memory_places(cells: Cells) -> dict[str, str]:
    """Return a site for each memory of a placed netlist that makes its wires short.

    One memory's wires depend on where the others are, so all are assigned anew while the sum of
    all wires' half perimeters shrinks.
    """
    at: Places = {}
    pins: dict[int, set[str]] = defaultdict(set)
    for name, c in cells.items():
        found = _SITE.match(c["attributes"].get("NEXTPNR_BEL", ""))
        if found is None:
            continue
        at[name] = int(found[1]), int(found[2])
        for bits in c["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    pins[bit].add(name)
    memories = [name for name in at if cells[name]["type"] == MEMORY]
    if not memories:
        return {}
    # Of each memory, its wires: the other cells on them, and how many are the same.
    wires = {name: Counter[frozenset[str]]() for name in memories}
    for on in pins.values():
        if len(on) <= _WIDE:
            for name in on:
                if name in wires:
                    wires[name][frozenset(on - {name})] += 1
    best = _length(pins, at)
    sites = {name: cells[name]["attributes"]["NEXTPNR_BEL"] for name in memories}
    while True:
        chosen = _assign(memories, wires, at)
        moved = at | {name: (x, y) for name, (x, y, _) in chosen.items()}
        length = _length(pins, moved)
        if length >= best:
            return sites
        best, at, sites = length, moved, {name: s[2] for name, s in chosen.items()}


def _assign(
    memories: list[str], wires: Mapping[str, Counter[frozenset[str]]], at: Places
) -> dict[str, Site]:
    """Assign sites so that the wires are shortest, each as if the other memories stayed."""
    x, y = (np.array([site[k] for site in MEMORY_SITES]) for k in (0, 1))
    count = len(MEMORY_SITES)
    cost = np.zeros((count, count), np.int64)  # the rows beyond the memories are nobody's
    for i, name in enumerate(memories):
        for others, times in wires[name].items():
            if others:
                places = np.array([at[o] for o in others])
                cost[i] += times * (_reach(x, places[:, 0]) + _reach(y, places[:, 1]))
    problem = assignment.SimpleLinearSumAssignment()
    left, right = np.divmod(np.arange(count * count), count)
    problem.add_arcs_with_cost(left, right, cost.ravel())
    if problem.solve() != problem.OPTIMAL:
        raise tool.FlowError("the memories' sites could not be assigned")
    return {name: MEMORY_SITES[problem.right_mate(i)] for i, name in enumerate(memories)}


def _reach(sites: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the extent of a wire along one axis, for each site that one end of it may have."""
    extent: npt.NDArray[np.int64] = np.maximum(sites, others.max()) - np.minimum(
        sites, others.min()
    )
    return extent


def _length(pins: Mapping[int, set[str]], at: Places) -> int:
    """Return the sum of the half perimeters of all wires, in tiles."""
    total = 0
    for on in pins.values():
        if 1 < len(on) <= _WIDE:
            xs, ys = zip(*(at[name] for name in on), strict=True)
            total += max(xs) - min(xs) + max(ys) - min(ys)
    return total
