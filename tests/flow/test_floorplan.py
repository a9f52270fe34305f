# SPDX-License-Identifier: Apache-2.0
"""Places of hard blocks: groups stand together, every site once, wires no longer than before."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecsm.flow import tool
from ecsm.flow.floorplan import (
    DSP_SITES,
    MEMORY_SITES,
    dsp_groups,
    dsp_places,
    fix,
    memory_places,
    planned,
    pull,
    swapped,
)
from ecsm.flow.progress import Progress
from ecsm.flow.synth import Netlist
from ecsm.flow.tool import FlowError, Spent
from tests.flow.files import ecsm

ROW = len(DSP_SITES[0])


def a_block(a: int, b: int) -> dict[str, Any]:
    """Return a DSP block whose operands are the wires ``a`` and ``b``, and a constant."""
    return {"type": "MULT18X18D", "connections": {"A0": [a], "A1": ["0"], "B0": [b], "C0": [1]}}


def products(count: int, digits: int) -> dict[str, Any]:
    """Return ``count`` products of numbers with ``digits`` digits, mixed."""
    return {
        f"p{p}.{i}.{j}": a_block(2 + 100 * p + i, 2 + 100 * p + 50 + j)
        for i in range(digits)
        for j in range(digits)
        for p in range(count)
    }


def test_blocks_with_common_operands_are_a_group() -> None:
    cells = products(3, 4) | {"alone": a_block(7000, 7001), "other": {"type": "LUT4"}}
    groups = dsp_groups(cells)
    assert [len(g) for g in groups] == [16, 16, 16, 1]
    for p, g in enumerate(groups[:3]):
        assert g == [f"p{p}.{i}.{j}" for i in range(4) for j in range(4)]


@pytest.mark.parametrize("count", [1, 3, 9])
def test_groups_are_side_by_side(count: int) -> None:
    places = dsp_places(products(count, 4))
    assert len(set(places.values())) == 16 * count
    order = {name: (r, i) for r, row in enumerate(DSP_SITES) for i, (_, _, name) in enumerate(row)}
    for p in range(count):
        at = sorted(order[site] for name, site in places.items() if name.startswith(f"p{p}."))
        assert at == [(at[0][0], at[0][1] + i) for i in range(16)]


def test_what_no_row_has_room_for_fills_the_rest() -> None:
    places = dsp_places(products(9, 4) | {f"last{i}": a_block(9000, 9001 + i) for i in range(12)})
    assert len(set(places.values())) == 156
    with pytest.raises(FlowError, match=r"156 DSP blocks, 1 too few"):
        dsp_places({f"p{i}": a_block(2 * i, 2 * i + 1) for i in range(157)})


def a_netlist_of(**wires: list[int]) -> dict[str, Any]:
    """Return cells with these wires; those whose names are of one letter are DSP blocks."""
    return {
        name: {
            "type": "MULT18X18D" if len(name) == 1 else "LUT4",
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


def test_wires_of_very_many_do_not_pull() -> None:
    many = {f"lut{i}": [1] for i in range(250)}
    assert strength(a_netlist_of(a=[1], b=[1], **many)) == [[0, 0], [0, 0]]


def test_blocks_change_places_until_no_exchange_helps() -> None:
    sites = [s[2] for s in (DSP_SITES[0][0], DSP_SITES[1][51], DSP_SITES[0][1])]
    places = dict(zip("abc", sites, strict=True))
    tied = np.array([[0, 5, 0], [5, 0, 0], [0, 0, 0]], float)
    found = swapped(places, tied)
    at = {s[2]: s[:2] for row in DSP_SITES for s in row}
    (ax, ay), (bx, by) = at[found["a"]], at[found["b"]]
    assert (abs(ax - bx), ay) == (1, by)
    assert len(set(found.values())) == 3
    assert swapped(found, tied) == found
    assert swapped(places, 0 * tied) == places


def test_a_product_stands_in_the_order_of_its_columns() -> None:
    """Products of digits, whose sums by columns take more wires than their operands."""
    size, bits = 4, 4
    wires: dict[str, list[int]] = {}
    for i in range(size):
        for j in range(size):
            operands = [1000 + i * 10, 2000 + j * 10]
            outputs = [3000 + 100 * (i + j) + k for k in range(bits)]
            wires[chr(ord("a") + size * i + j)] = operands + outputs
    cells = a_netlist_of(**wires)
    places = {name: DSP_SITES[0][k][2] for k, name in enumerate(cells)}
    found = swapped(places, pull(cells, places))
    at = {s[2]: k for k, s in enumerate(DSP_SITES[0])}

    def spread(sites: dict[str, str]) -> int:
        total = 0
        for c in range(2 * size - 1):
            where = [at[sites[chr(ord("a") + size * i + c - i)]]
                     for i in range(size) if 0 <= c - i < size]  # fmt: skip
            total += max(where) - min(where)
        return total

    assert spread(found) < spread(places) / 2


def placed(cells: dict[str, tuple[str, list[int]]]) -> dict[str, Any]:
    """Return a placed netlist: of each cell, its site and its wires."""
    return {
        name: {
            "type": "DP16KD" if "EBR" in site else "LUT4",
            "attributes": {"NEXTPNR_BEL": site},
            "connections": {f"P{i}": [wire] for i, wire in enumerate(wires)},
        }
        for name, (site, wires) in cells.items()
    }


def test_memories_that_stand_crosswise_change_places() -> None:
    cells = placed(
        {
            "left": ("X4/Y40/SLICEA.LUT0", [10, 11]),
            "right": ("X118/Y40/SLICEA.LUT0", [12, 13]),
            "m": ("X118/Y82/EBR2", [10, 11]),
            "n": ("X4/Y22/EBR0", [12, 13]),
        }
    )
    assert memory_places(cells) == {"m": "X4/Y46/EBR0", "n": "X118/Y46/EBR2"}


def test_memories_that_stand_well_stay() -> None:
    cells = placed({"m": ("X4/Y46/EBR0", [10]), "x": ("X4/Y46/SLICEA.LUT0", [10])})
    assert memory_places(cells) == {"m": "X4/Y46/EBR0"}
    assert memory_places(placed({"x": ("X4/Y46/SLICEA.LUT0", [10])})) == {}


def a_netlist(folder: Path, cells: dict[str, Any]) -> Netlist:
    file = folder / "harness.json"
    file.write_text(json.dumps({"modules": {"top": {"attributes": {}, "cells": cells}}}))
    return Netlist("key", file, file, Spent(1, 1))


def test_more_memories_than_there_are_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    count = len(MEMORY_SITES)
    n = a_netlist(
        tmp_path, {f"m{i}": {"type": "DP16KD", "connections": {}} for i in range(count + 1)}
    )
    with pytest.raises(FlowError, match=f"p has {count + 1} memories, the device {count}"):
        planned("p", n, 60, Progress())


def test_without_memories_nothing_is_placed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setattr(tool, "run", None)
    done = json.loads(planned("p", a_netlist(tmp_path, products(1, 4)), 60, Progress()).read_text())
    assert len({c["attributes"]["BEL"] for c in done["modules"]["top"]["cells"].values()}) == 16


def test_a_floorplan_that_takes_too_long_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> None:
        raise tool.TimeIsUp("not done in 60 s")

    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setattr(tool, "run", slow)
    with pytest.raises(FlowError, match="p: no floorplan in 1 min: --timeout"):
        planned(
            "p", a_netlist(tmp_path, {"m": {"type": "DP16KD", "connections": {}}}), 60, Progress()
        )
    assert not list(tmp_path.rglob("sha256"))  # nothing is kept


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
    assert "places of hard blocks: placing" in done.stderr
    result = json.loads(done.stdout)
    assert result["mhz"] > 20
    assert result["runs"][0]["options"].endswith("(floorplan 2)")
    assert "--floorplan" in result["origin"]["command"]
    (file,) = cache.glob("flow/toyp8-glv-t/floorplan-*/harness.json")
    (module,) = json.loads(file.read_text())["modules"].values()
    kinds = Counter(c["type"] for c in module["cells"].values() if "BEL" in c["attributes"])
    assert kinds == {t: sum(c["type"] == t for c in module["cells"].values()) for t in kinds}
    assert set(kinds) == {"MULT18X18D", "DP16KD"}
    log = (cache / "flow/toyp8-glv-t/pnr/heap-router1-floorplan-1-100.log").read_text()
    assert re.search(rf"Placed {sum(kinds.values())} cells based on constraints", log)
