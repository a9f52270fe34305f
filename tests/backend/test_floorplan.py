# SPDX-License-Identifier: Apache-2.0
"""Places of hard blocks: what is pulled together stands together, every site once."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecsm.backend.floorplan import DSP, MEMORY, SITES, fix, in_order, planned, pull, settled
from ecsm.backend.nextpnr import DEVICE_HAS
from ecsm.backend.synth import Netlist
from ecsm.backend.tool import FlowError, Spent
from ecsm.progress import Progress
from tests.results.files import ecsm


def a_netlist_of(**wires: list[int]) -> dict[str, Any]:
    """Return cells with these wires; DSP blocks have names of one letter, or that begin with b."""
    return {
        name: {
            "type": "MULT18X18D" if len(name) == 1 or name[0] == "b" else "LUT4",
            "connections": {f"P{i}": [wire] for i, wire in enumerate(on)},
        }
        for name, on in wires.items()
    }


def strength(cells: dict[str, Any]) -> list[list[float]]:
    """Return the pull between blocks in wires."""
    blocks = [name for name, c in cells.items() if c["type"] == "MULT18X18D"]
    return [[round(float(s) / 1000, 2) for s in row] for row in pull(cells, blocks)]


def test_what_pulls_is_the_conductance() -> None:
    direct = a_netlist_of(a=[1, 2], b=[1, 2, 3], c=[3])
    assert strength(direct) == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    behind = a_netlist_of(a=[1, 9], lut=[1, 2], b=[2, 8], lonely=[7, 5], other=[5])
    assert strength(behind) == [[0, 0.5], [0.5, 0]], "two wires in a row"
    star = a_netlist_of(lut1=[1], a=[1], lut2=[1, 2], b=[2])
    of_three = 1 / 2 + 1 / 4  # between lut2 and a, without lut1 and through it
    assert strength(star)[0][1] == pytest.approx(of_three / (1 + of_three), abs=0.01)


def test_what_pulls_is_the_schur_complement() -> None:
    """Forty blocks in a random netlist, against the inverse of the matrix."""
    draw = np.random.default_rng(5)
    blocks, free = [f"b{i}" for i in range(40)], [f"f{i}" for i in range(60)]
    wires: dict[str, list[int]] = {name: [] for name in blocks + free}
    laplacian = np.zeros((100, 100))
    for wire in range(300):
        i, j = draw.choice(100, 2, replace=False)
        for k in (i, j):
            wires[(blocks + free)[k]].append(wire)
        laplacian[[i, j], [i, j]] += 1
        laplacian[[i, j], [j, i]] -= 1
    a, b, c = laplacian[:40, :40], laplacian[:40, 40:], laplacian[40:, 40:]
    expected = -1000 * (a - b @ np.linalg.pinv(c) @ b.T)
    np.fill_diagonal(expected, 0)
    found = pull(a_netlist_of(**wires), blocks)
    assert abs(found - expected).max() < 3
    assert (found == np.rint(found)).all()


def test_wires_of_very_many_do_not_pull() -> None:
    many = {f"lut{i}": [1] for i in range(250)}
    assert strength(a_netlist_of(a=[1], b=[1], **many)) == [[0, 0], [0, 0]]


def a_row(kind: str, y: int) -> list[str]:
    """Return the sites of a kind in a row, from left to right."""
    return [name for x, row, name in sorted(SITES[kind]) if row == y]


def where(sites: dict[str, str]) -> dict[str, tuple[int, int]]:
    at = {name: (x, y) for kind in SITES.values() for x, y, name in kind}
    return {block: at[site] for block, site in sites.items()}


def test_blocks_move_until_no_move_helps() -> None:
    near, far = a_row("MULT18X18D", 34), a_row("MULT18X18D", 10)
    places = {"a": near[0], "b": far[51], "c": near[1]}
    tied = np.array([[0, 5, 0], [5, 0, 0], [0, 0, 0]], float)
    for moves in (0, 200_000):
        found = settled(places, tied, moves)
        (ax, ay), (bx, by), _ = where(found).values()
        assert (abs(ax - bx), ay) == (1, by)
        assert len(set(found.values())) == 3
        assert settled(found, tied, 0) == found
        assert settled(places, tied, moves) == found


def test_memories_stay_memories() -> None:
    """Pulled together, a DSP block and a memory come as near as their rows are."""
    places = {"dsp": a_row("MULT18X18D", 10)[0], "memory": a_row("DP16KD", 82)[51]}
    found = settled(places, np.array([[0, 1], [1, 0]], float), 100_000)
    (dx, dy), (mx, my) = where(found).values()
    assert "MULT" in found["dsp"]
    assert "EBR" in found["memory"]
    assert (abs(dx - mx), abs(dy - my)) == (0, 12)


def test_blocks_of_a_column_stand_together() -> None:
    """Products of digits, whose sums by columns take more wires than their operands."""
    size, bits = 4, 4
    wires: dict[str, list[int]] = {}
    for i in range(size):
        for j in range(size):
            operands = [1000 + i * 10, 2000 + j * 10]
            outputs = [3000 + 100 * (i + j) + k for k in range(bits)]
            wires[chr(ord("a") + size * i + j)] = operands + outputs
    cells = a_netlist_of(**wires)
    places = in_order("p", cells)
    found = settled(places, pull(cells, places), 0)

    def spread(sites: dict[str, str]) -> int:
        at = where(sites)
        total = 0
        for c in range(2 * size - 1):
            xs, ys = zip(*(at[chr(ord("a") + size * i + c - i)]
                           for i in range(size) if 0 <= c - i < size), strict=True)  # fmt: skip
            total += max(xs) - min(xs) + max(ys) - min(ys)
        return total

    assert spread(found) < spread(places) / 2


def cost(sites: dict[str, str], tied: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    at = np.array(list(where(sites).values()))
    return float((tied * abs(at[:, None] - at).sum(-1)).sum() / 2)


def test_on_a_full_device_blocks_change_places() -> None:
    draw = np.random.default_rng(3)
    sites = draw.permutation([site[2] for site in SITES["MULT18X18D"]])
    places = {f"b{i}": str(site) for i, site in enumerate(sites)}
    tied = np.zeros((156, 156))
    i, j = draw.integers(156, size=(2, 600))
    tied[i, j] = tied[j, i] = 100
    np.fill_diagonal(tied, 0)
    slow, quick = (settled(places, tied, moves) for moves in (1_000_000, 0))
    assert set(slow.values()) == set(places.values())
    assert cost(slow, tied) < cost(quick, tied) < cost(places, tied)


def test_strengths_that_are_not_whole_come_to_an_end() -> None:
    sites = [site[2] for site in SITES["MULT18X18D"][:20]]
    places = {f"b{i}": site for i, site in enumerate(sites)}
    assert len(set(settled(places, np.full((20, 20), 0.1), 0).values())) == 20


def test_annealing_finds_what_single_moves_do_not() -> None:
    """Sixteen blocks in a chain, in no order: best is one after another in a row."""
    draw = np.random.default_rng(0)
    names = [f"b{i}" for i in range(16)]
    order = draw.permutation(16)
    tied = np.zeros((16, 16))
    tied[order[1:], order[:-1]] = tied[order[:-1], order[1:]] = 1000
    row = a_row("MULT18X18D", 34)
    places = {name: row[3 * i] for i, name in enumerate(names)}

    (first, _), (last, _) = where({"0": row[0], "15": row[15]}).values()
    slow = cost(settled(places, tied, 500_000), tied)
    assert slow < cost(settled(places, tied, 0), tied)
    assert slow <= 1.25 * 1000 * (last - first)


def a_netlist(folder: Path, cells: dict[str, Any]) -> Netlist:
    file = folder / "harness.json"
    file.write_text(json.dumps({"modules": {"top": {"attributes": {}, "cells": cells}}}))
    return Netlist("key", file, file, Spent(1, 1))


@pytest.mark.parametrize(("kind", "which"), [("MULT18X18D", "DSP blocks"), ("DP16KD", "memories")])
def test_more_blocks_than_there_are_is_an_error(
    kind: str, which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    count = len(SITES[kind])
    cells = {f"m{i}": {"type": kind, "connections": {}} for i in range(count + 1)}
    with pytest.raises(FlowError, match=f"p has {count + 1} {which}, the device {count}"):
        planned("p", a_netlist(tmp_path, cells), Progress())
    assert not list(tmp_path.rglob("sha256"))  # nothing is kept


def test_every_block_has_a_site_of_its_own() -> None:
    cells = {f"m{i}": {"type": "DP16KD"} for i in range(208)}
    cells |= {f"d{i}": {"type": "MULT18X18D"} for i in range(156)} | {"x": {"type": "LUT4"}}
    places = in_order("p", cells)
    assert len(set(places.values())) == len(places) == 208 + 156
    assert all(("EBR" in site) == (name[0] == "m") for name, site in places.items())


def test_every_site_of_the_device_is_known() -> None:
    assert {"dsp": len(SITES[DSP]), "bram": len(SITES[MEMORY])}.items() <= DEVICE_HAS.items()


def test_a_place_is_told_to_nextpnr() -> None:
    cells: dict[str, Any] = {"a": {}, "b": {"attributes": {"src": "x"}}}
    fix(cells, {"a": "X4/Y46/EBR0", "b": "X6/Y46/EBR1"})
    assert [c["attributes"]["BEL"] for c in cells.values()] == ["X4/Y46/EBR0", "X6/Y46/EBR1"]


def test_a_core_without_hard_blocks_is_refused(tmp_path: Path) -> None:
    done = ecsm("pnr", "toy7-small", "--floorplan", "--results", tmp_path)
    assert done.returncode == 1
    said = "ecsm: toy7-small has neither DSP blocks nor memories to choose places for"
    assert done.stderr.splitlines()[-1] == said
    assert not list(tmp_path.iterdir())


def test_a_toy_core_with_a_floorplan_is_routed(tmp_path: Path) -> None:
    args = ("pnr", "toyp8-glv-t", "--seeds", 1, "--rounds", 1, "--floorplan")
    cache, results = tmp_path / "cache", tmp_path / "results"
    done = ecsm(*args, "--json", "--results", results, ECSM_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    assert re.search(r"toyp8-glv-t: places of \d+ hard blocks", done.stderr)
    result = json.loads(done.stdout)
    assert result["mhz"] > 20
    assert result["runs"][0]["options"].endswith("(floorplan 3)")
    assert "--floorplan" in result["origin"]["command"]
    (file,) = cache.glob("flow/toyp8-glv-t/floorplan-*/harness.json")
    (module,) = json.loads(file.read_text())["modules"].values()
    kinds = Counter(c["type"] for c in module["cells"].values() if "BEL" in c["attributes"])
    assert kinds == {t: sum(c["type"] == t for c in module["cells"].values()) for t in kinds}
    assert set(kinds) == {"MULT18X18D", "DP16KD"}
    log = (cache / "flow/toyp8-glv-t/pnr/heap-router1-floorplan-1-100.log").read_text()
    assert re.search(rf"Placed {sum(kinds.values())} cells based on constraints", log)
