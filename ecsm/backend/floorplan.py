# SPDX-License-Identifier: Apache-2.0
"""Places of DSP blocks and block memories, chosen before nextpnr places the rest.

The sites of both are in a few rows that cross the device. nextpnr puts each block into the next
free site. So the sixteen blocks of one limb's product are spread over three rows, and half of all
wires lead to them. Here blocks swap places as long as that shortens the wires between them. nextpnr
then places everything else around them.

The force between two blocks is computed as if wires were springs and all other cells free to move.
The cells are then eliminated from the equations, and only the blocks are left. With wires as
resistors the force is the conductance between two blocks (a Schur complement of the netlist's
Laplacian). The places are then a quadratic assignment problem, which simulated annealing solves
(S. Kirkpatrick, C. Gelatt, M. Vecchi, Optimization by Simulated Annealing, Science 220, 1983).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ecsm.backend import nextpnr, tool
from ecsm.backend.synth import Netlist
from ecsm.progress import Progress
from ecsm.sim.cache import entry

DSP, MEMORY = "MULT18X18D", "DP16KD"
_COLUMNS = (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)
# Of the LFE5U-85F: (x, y, name), row by row from the middle of the device outwards.
SITES = {
    DSP: [
        (x + k, y, f"X{x + k}/Y{y}/MULT18_{k}")
        for y in (34, 58, 10)
        for x in _COLUMNS
        for k in (0, 1, 4, 5)
    ],
    MEMORY: [
        (x + 2 * k, y, f"X{x + 2 * k}/Y{y}/EBR{k}")
        for y in (46, 22, 70, 82)
        for x in _COLUMNS
        for k in range(4)
    ],
}
_NAMES = {DSP: "DSP blocks", MEMORY: "memories"}
_WIDE = 200  # pins: a clock, a constant or an enable is no reason to stand anywhere
_TOLERANCE = 1e-3  # of the pull between two blocks, of which a wire has 1
_TOGETHER = 16  # blocks whose pull is computed together
# Annealing: moves that are tried, and the first and last temperature in tiles at a block's mean
# pull. Half a minute; a tenth of the moves leave 4 % more, a first temperature of 3 or 10 3 to 6 %.
_MOVES, _HOT, _COLD = 10_000_000, 5.0, 0.3
_AT_ONCE = 100_000  # moves drawn together, of one temperature

Cells = dict[str, Any]
Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def planned(name: str, n: Netlist, progress: Progress) -> Path:
    """Return the netlist as JSON with the places of its hard blocks, from the cache or made now.

    ``name`` is the preset's. Raises :class:`ecsm.backend.tool.FlowError` if the device has too few
    sites, or the netlist neither DSP blocks nor memories.
    """

    def make(_: Path, done: Path) -> None:
        data = json.loads(n.json.read_text(encoding="utf-8"))
        (module,) = (m for m in data["modules"].values() if not m["attributes"].get("blackbox"))
        cells = module["cells"]
        sites = in_order(name, cells)
        progress(f"{name}: places of {len(sites)} hard blocks")
        fix(cells, settled(sites, pull(cells, sites)))
        (done / n.json.name).write_text(json.dumps(data), encoding="utf-8")

    return entry(f"flow/{name}/floorplan-{n.key}-{nextpnr.FLOORPLAN}", make) / n.json.name


def fix(cells: Cells, sites: Mapping[str, str]) -> None:
    """Tell nextpnr the site of each cell named in ``sites``."""
    for name, site in sites.items():
        cells[name].setdefault("attributes", {})["BEL"] = site


def in_order(preset: str, cells: Cells) -> dict[str, str]:
    """Return a site for each hard block, in the order of the netlist.

    Raises :class:`ecsm.backend.tool.FlowError`, as :func:`planned` does.
    """
    places: dict[str, str] = {}
    for kind, sites in SITES.items():
        blocks = [name for name, c in cells.items() if c["type"] == kind]
        if len(blocks) > len(sites):
            which = _NAMES[kind]
            raise tool.FlowError(f"{preset} has {len(blocks)} {which}, the device {len(sites)}")
        places |= {name: site[2] for name, site in zip(blocks, sites, strict=False)}
    if not places:
        raise tool.FlowError(f"{preset} has neither DSP blocks nor memories to choose places for")
    return places


def pull(cells: Cells, names: Iterable[str]) -> Floats:
    """Return how strongly wires pull each two of some cells together, all others being free.

    Rows and columns are in the order of ``names``; numbers are whole, a wire from one cell to
    another counts 1 / tolerance. Wires of very many cells count nothing.
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
        elif (
            2 < len(ends) <= _WIDE
        ):  # a node of its own: to all others together, an end has one wire
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
        """Return the forces of nodes at these places on every node; each column is a case."""
        found = np.zeros_like(at)
        pulls = self._weight * at[self._others]
        found[self._ends] = np.add.reduceat(pulls, self._first, axis=0)
        return found

    def at_rest(self, held: Floats, free: Bools) -> Floats:
        """Return where free nodes come to rest, by conjugate gradients; the others stay."""
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


def settled(places: Mapping[str, str], strength: Floats, moves: int = _MOVES) -> dict[str, str]:
    """Move blocks to other sites of their kind until the wires between them are short.

    ``strength``: the result of :func:`pull` for the blocks of ``places``, in the same order; whole
    numbers, so that sums are exact. ``moves``: how many moves simulated annealing tries, rounded up
    to a hundred thousand. Then the best move is made until none helps. The same arguments give the
    same result.
    """
    every = [site for sites in SITES.values() for site in sites]
    number = {name: i for i, (_, _, name) in enumerate(every)}
    x, y = (np.array([site[k] for site in every], float) for k in (0, 1))
    far = abs(x[:, None] - x) + abs(y[:, None] - y)
    kind = np.repeat(np.arange(len(SITES)), [len(sites) for sites in SITES.values()])
    at = np.array([number[site] for site in places.values()])
    _anneal(at, kind, far, strength, moves)
    _descend(at, kind, far, strength)
    return {name: every[site][2] for name, site in zip(places, at, strict=True)}


def _anneal(at: Ints, kind: Ints, far: Floats, strength: Floats, moves: int) -> None:
    """Move blocks, which stand ``at`` sites, at a falling temperature."""
    draw = np.random.default_rng(1)
    mean = strength.sum() / len(at)
    first, sites = np.searchsorted(kind, kind[at]), np.bincount(kind)[kind[at]]
    who = [-1] * len(kind)
    for i, site in enumerate(at):
        who[site] = i
    for done in range(0, moves, _AT_ONCE):
        warmth = mean * _HOT * (_COLD / _HOT) ** (done / moves)
        block = draw.integers(len(at), size=_AT_ONCE)
        target = first[block] + (draw.random(_AT_ONCE) * sites[block]).astype(int)
        allowed = -warmth * np.log1p(-draw.random(_AT_ONCE))
        for i, to, limit in zip(block.tolist(), target.tolist(), allowed.tolist(), strict=True):
            j, here = who[to], at[i]
            away = (far[to] - far[here])[at]
            if j < 0:
                longer = strength[i] @ away
            else:  # they change places, and stay as far from each other
                longer = (strength[i] - strength[j]) @ away + 2 * strength[i, j] * far[to, here]
            if longer < limit and i != j:
                at[i], who[to], who[here] = to, i, j
                if j >= 0:
                    at[j] = here


def _descend(at: Ints, kind: Ints, far: Floats, strength: Floats) -> None:
    """Move blocks, or let two change places, the best move first, until none helps."""
    blocks = len(at)
    every = np.concatenate(
        [at, np.setdiff1d(np.arange(len(kind)), at)]
    )  # sites, the free ones last
    strong = np.zeros_like(far)
    strong[:blocks, :blocks] = strength
    while True:
        between = far[np.ix_(every, every)]
        moved = strong @ between  # [i, j]: what i costs where j is
        own = np.diag(moved)
        gain = own[:, None] + own - moved - moved.T - 2 * strong * between
        gain[kind[every][:, None] != kind[every]] = 0
        i, j = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[i, j] < 0.5:  # none; the sums are whole
            at[:] = every[:blocks]
            return
        every[[i, j]] = every[[j, i]]


def _pins(cells: Cells) -> dict[int, set[str]]:
    """Return the cells on each wire."""
    pins: dict[int, set[str]] = defaultdict(set)
    for name, c in cells.items():
        for bits in c["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    pins[bit].add(name)
    return pins
