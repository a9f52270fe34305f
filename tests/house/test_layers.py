# SPDX-License-Identifier: Apache-2.0
"""Imports go down the layers of ``ecsm/``; RTL of one family knows nothing of the other one's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.imports import imports, reached

ROOT = Path(__file__).parents[2]
# From the lowest. A module belongs to the longest name that begins its own; modules of one line
# may import each other.
LAYERS = (
    "ecsm ecsm.files ecsm.markdown ecsm.names ecsm.plot ecsm.progress"
    " ecsm.resources ecsm.signals ecsm.status ecsm.templates ecsm.trust ecsm.waiting",
    "ecsm.curves",
    "ecsm.formulas ecsm.oracle",
    "ecsm.schedule",
    "ecsm.presets",
    "ecsm.schemes",
    "ecsm.hdl.files ecsm.cores.design",
    "ecsm.hdl.engines",
    "ecsm.cores",
    "ecsm.hdl",
    "ecsm.litex ecsm.fusesoc",
    "ecsm.narrow",
    "ecsm.device.base ecsm.device.extras ecsm.device.request ecsm.device.turn",
    "ecsm.sim",
    "ecsm.device",
    "ecsm.soc",
    "ecsm.device.opening",
    "ecsm.backend.netlist ecsm.backend.tool",
    "ecsm.results",
    "ecsm.backend",
    "ecsm.boards",
    "ecsm.measure",
    "ecsm.evidence",
    "ecsm.report",
    "ecsm.demo",
    "ecsm.cli ecsm.__main__",
)
DOOR = ("ecsm", "ecsm.device.opening")  # ecsm.open: late, so that it loads nothing before
LAYER = {name: i for i, line in enumerate(LAYERS) for name in line.split()}


def layer(module: str) -> int:
    """Return the layer of a module."""
    while module not in LAYER:
        module = module.rpartition(".")[0]
    return LAYER[module]


def test_imports_go_down() -> None:
    wrong = {
        (name, to)
        for name, found in imports(ROOT / "ecsm").items()
        for to in found.top | found.late
        if layer(to) > layer(name)
    }
    assert wrong == {DOOR}


def test_a_package_loads_nothing_above_its_lowest_module() -> None:
    """Python runs a package's ``__init__`` before any module of it."""
    found = imports(ROOT / "ecsm")
    top = {name: one.top for name, one in found.items()}
    packages = {name.rpartition(".")[0] for name in found} - {""}
    for package in packages:
        lowest = min(layer(name) for name in found if name.startswith(f"{package}."))
        assert not [to for to in reached(top, package) if layer(to) > lowest], package


def test_every_layer_is_there() -> None:
    modules = imports(ROOT / "ecsm").keys()
    assert [name for name in LAYER if name not in modules] == []
    folders = {name for name in modules if name.count(".") == 1}
    assert [name for name in folders if name not in LAYER and layer(name) == 0] == []


def words(file: Path) -> set[str]:
    """Return the words of a file of SystemVerilog, comments left out."""
    return set(re.findall(r"\w+", re.sub(r"//.*", "", file.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(("family", "other"), [("gf2m", "gfp"), ("gfp", "gf2m")])
def test_families_share_what_is_in_common(family: str, other: str) -> None:
    files = sorted((ROOT / "rtl" / family).rglob("*.sv"))
    names = {f.stem for f in (ROOT / "rtl" / other).rglob("*.sv")}
    assert files
    assert names
    for file in files:
        assert not words(file) & names, file.name


def test_common_modules_know_no_family() -> None:
    names = {f.stem for part in ("gf2m", "gfp") for f in (ROOT / "rtl" / part).rglob("*.sv")}
    for file in (ROOT / "rtl" / "common").glob("*.sv"):
        assert not words(file) & names, file.name
