# SPDX-License-Identifier: Apache-2.0
"""Places of DSP blocks and block memories, chosen before nextpnr places the rest.

Both stand in a few rows that cross the device. nextpnr's placers put each block into the next free
site, so the sixteen blocks of one limb's product end in three rows, and half of all wires lead to
them. Here blocks whose operands come from the same wires stand side by side, and change places
while that shortens what pulls them together; nextpnr places everything with them; then the memories
get the sites that make the wires of that placement shortest, by the assignment problem, again while
it helps.

What pulls two blocks together is computed as if wires were springs and all other cells free: then
the cells can be eliminated from the equations, and only the blocks are left. With wires as
resistors it is the conductance between two blocks (a Schur complement of the netlist's Laplacian).
Places of the blocks are then a quadratic assignment problem.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
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
_WIDE = 200  # pins: a clock, a constant or an enable is no reason to stand anywhere
_TOLERANCE = 1e-3  # of the pull between two blocks, of which a wire has 1
_TOGETHER = 16  # blocks whose pull is computed together

Site = tuple[int, int, str]
Cells = dict[str, Any]
Places = dict[str, tuple[int, int]]
Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


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
        progress(f"{name}: places of hard blocks")
        places = dsp_places(cells)
        fix(cells, swapped(places, pull(cells, places)))
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


def pull(cells: Cells, names: Iterable[str]) -> Floats:
    """Return how strongly wires pull each two of some cells together, all others being free.

    Rows and columns are in the order of ``names``; a wire from one cell to another counts
    1 / tolerance.
    """
    number = {name: i for i, name in enumerate(cells)}
    blocks = [number[name] for name in names]
    left, right, weight = [], [], []
    nodes = len(cells)
    for on in _pins(cells).values():
        ends = sorted(number[name] for name in on)
        if len(ends) == 2:
            left.append(ends[0])
            right.append(ends[1])
            weight.append(1.0)
        elif 2 < len(ends) <= _WIDE:  # a node of its own, as strong as a wire between any two
            left += [nodes] * len(ends)
            right += ends
            weight += [len(ends) / (len(ends) - 1)] * len(ends)
            nodes += 1
    a, b = np.array(left + right, np.int64), np.array(right + left, np.int64)
    w = np.array(weight + weight)
    order = np.argsort(a, kind="stable")
    wires = _Wires(a[order], b[order], w[order], nodes)
    free = np.ones(nodes, bool)
    free[blocks] = False
    found = np.zeros((len(blocks), len(blocks)))
    for start in range(0, len(blocks), _TOGETHER):
        some = blocks[start : start + _TOGETHER]
        held = np.zeros((nodes, len(some)))
        held[some, np.arange(len(some))] = 1
        found[:, start : start + _TOGETHER] = wires.forces(wires.at_rest(held, free))[blocks]
    np.fill_diagonal(found, 0)
    exact: Floats = np.rint((found + found.T) / (2 * _TOLERANCE))
    return exact


class _Wires:
    """Springs between nodes: ``weight`` from each of ``ends`` to ``others``, sorted by ``ends``."""

    def __init__(self, ends: Ints, others: Ints, weight: Floats, nodes: int) -> None:
        self._others, self._weight = others, weight[:, None]
        self._ends, self._first = np.unique(ends, return_index=True)
        self._degree = np.maximum(np.bincount(ends, weight, nodes), _TOLERANCE)[:, None]

    def forces(self, at: Floats) -> Floats:
        """Return what nodes at these places, each column a case, pull at every node."""
        found = np.zeros_like(at)
        pulls = self._weight * at[self._others]
        found[self._ends] = np.add.reduceat(pulls, self._first, axis=0)
        return found

    def at_rest(self, held: Floats, free: Bools) -> Floats:
        """Return where nodes come to rest, by conjugate gradients, if those not free are held."""
        moves = free[:, None]
        at = held.copy()
        rest = np.where(moves, self.forces(at), 0)
        way = rest / self._degree
        length = (rest * way).sum(0)
        while length.max() > _TOLERANCE**2:
            bent = np.where(moves, self._degree * way - self.forces(way), 0)
            step = length / np.maximum((way * bent).sum(0), _TOLERANCE**3)
            at += step * way
            rest -= step * bent
            eased = rest / self._degree
            length, before = (rest * eased).sum(0), length
            way = eased + length / np.maximum(before, _TOLERANCE**3) * way
        return at


def swapped(sites: Mapping[str, str], strength: Floats) -> dict[str, str]:
    """Let blocks change places, or move, while that shortens what pulls them together.

    ``strength``: as :func:`pull` returns it, of the blocks that ``sites`` has, in its order. The
    best exchange goes first.
    """
    every = [site for row in DSP_SITES for site in row]
    x, y = (np.array([site[k] for site in every]) for k in (0, 1))
    far = (abs(x[:, None] - x) + abs(y[:, None] - y)).astype(float)
    number = {name: i for i, (_, _, name) in enumerate(every)}
    taken = [number[site] for site in sites.values()]
    at = np.array(taken + sorted(set(range(len(every))) - set(taken)))
    strong = np.zeros_like(far)
    strong[: len(sites), : len(sites)] = strength
    while True:
        between = far[np.ix_(at, at)]
        moved = strong @ between  # [i, j]: what i costs where j is
        own = np.diag(moved)
        gain = own[:, None] + own - moved - moved.T - 2 * strong * between
        i, j = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[i, j] <= 0:
            return {name: every[at[k]][2] for k, name in enumerate(sites)}
        at[[i, j]] = at[[j, i]]


def _pins(cells: Cells) -> dict[int, set[str]]:
    """Return the cells on each wire."""
    pins: dict[int, set[str]] = defaultdict(set)
    for name, c in cells.items():
        for bits in c["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    pins[bit].add(name)
    return pins


def memory_places(cells: Cells) -> dict[str, str]:
    """Return a site for each memory of a placed netlist that makes its wires short.

    One memory's wires depend on where the others are, so all are assigned anew while the sum of
    all wires' half perimeters shrinks.
    """
    at: Places = {}
    for name, c in cells.items():
        if found := _SITE.match(c["attributes"].get("NEXTPNR_BEL", "")):
            at[name] = int(found[1]), int(found[2])
    pins = _pins({name: cells[name] for name in at})
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


def _reach(sites: Ints, others: Ints) -> Ints:
    """Return the extent of a wire along one axis, for each site that one end of it may have."""
    extent: Ints = np.maximum(sites, others.max()) - np.minimum(sites, others.min())
    return extent


def _length(pins: Mapping[int, set[str]], at: Places) -> int:
    """Return the sum of the half perimeters of all wires, in tiles."""
    total = 0
    for on in pins.values():
        if 1 < len(on) <= _WIDE:
            xs, ys = zip(*(at[name] for name in on), strict=True)
            total += max(xs) - min(xs) + max(ys) - min(ys)
    return total
