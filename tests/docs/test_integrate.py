# SPDX-License-Identifier: Apache-2.0
"""docs/integrate/core.md works as it is written, in a directory that is not this project's."""

from __future__ import annotations

import os
import re
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm.cores.store import design
from ecsm.hdl.registers import (
    Registers,
    core_registers,
    memory_maps,
    register_map,
    scheme_registers,
)
from ecsm.oracle import libcrypto
from ecsm.schemes.program import program
from tests.docs import guide
from tests.old_verilator import old_verilator

PAGE = guide.ROOT / "docs" / "integrate" / "core.md"
REGISTERS = guide.ROOT / "docs" / "integrate" / "registers.md"
ROW = re.compile(r"^\| (0x\w{3}) \| (\w+) \| (\w*) ?\| ?(\w*) ?\|", re.M)
FIELD = re.compile(r"^\| ([A-Z]+) \| (\d+)(?::(\d+))? \| (\w+) \| (\w*) ?\| ?(\w*) ?\|", re.M)
BIT = re.compile(r"^\| (\d) \| (\w+) \| (?:(core|schemes): )?", re.M)
INTERRUPTS = ("INTR_STATE", "INTR_ENABLE", "INTR_TEST")
SPACE = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
Fields = dict[tuple[str, str], tuple[int, int]]
"""The highest and the lowest bit by register and field."""


def test_a_design_outside_this_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = guide.copy_package(tmp_path)
    chip = tmp_path / "somewhere" / "chip"
    chip.mkdir(parents=True)
    old = old_verilator(tmp_path / "old")  # the page's own lines choose another one
    path = os.pathsep.join([str(old), sysconfig.get_path("scripts"), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("HOME", str(tmp_path))  # FuseSoC keeps a configuration there
    assert guide.follow(PAGE, chip, package) == 10


def test_every_block_is_tried() -> None:
    assert guide.unmarked(PAGE) == 0


@pytest.mark.skipif(not libcrypto.available(), reason=libcrypto.HINT)
def test_what_it_prints_is_right() -> None:
    """The product that the testbench gets, by libcrypto."""
    text = PAGE.read_text("utf-8")
    x, y = (int(re.search(rf"{c} = 192'h(\w+);", text)[1], 16) for c in "XY")  # type: ignore[index]
    shown = re.search(r"^x = (\w+)$", text, re.M)
    product = libcrypto.kp("sect163r2", 5, (x, y))
    assert shown
    assert product
    assert int(shown[1], 16) == product[0]


def test_the_table_of_registers_is_the_map() -> None:
    double, small = design("toyp5-v").preset, design("b163-small").preset
    core = register_map(core_registers(double))
    schemes = register_map(scheme_registers(small, program(small)))
    stated = {row[2]: row for row in ROW.finditer(REGISTERS.read_text("utf-8"))}
    for column, found in ((3, core), (4, schemes)):
        named = {name: int(row[1], 16) for name, row in stated.items() if row[column]}
        beside = {f"CURVE_{i}" for i in range(1, 4)}  # "to CURVE_3"
        assert named == {name: at for name, at in found.items() if name not in beside}


def fields(registers: Registers) -> Fields:
    """Return the fields that a block has, but for those of 32 bits."""
    text = f'<maps xmlns:ipxact="{SPACE["x"]}">{memory_maps(registers)}</maps>'
    found: Fields = {}
    for register in ElementTree.fromstring(text).iterfind(".//x:register", SPACE):
        for field in register.iterfind("x:field", SPACE):
            low, width = (
                int(field.findtext(f"x:{n}", "", SPACE)) for n in ("bitOffset", "bitWidth")
            )
            names = [str(node.findtext("x:name", None, SPACE)) for node in (register, field)]
            if width < 32:
                found[names[0], names[1]] = (low + width - 1, low)
    return found


def stated(block: str) -> Fields:
    """Return the fields that the page says a block has: of "core" or "schemes"."""
    page = REGISTERS.read_text("utf-8")
    column = {"core": 5, "schemes": 6}[block]
    found = {
        (row[1], row[4]): (int(row[2]), int(row[3] or row[2]))
        for row in FIELD.finditer(page)
        if row[column]
    }
    for head, registers in (
        ("| bit | of ERROR |", ("ERROR",)),
        ("| bit | interrupt |", INTERRUPTS),
    ):
        rows = page.split(head)[1].split("\n\n")[0]
        for row in BIT.finditer(rows):
            if row[3] in (None, block):
                found.update({(name, row[2]): (int(row[1]), int(row[1])) for name in registers})
    return found


def test_the_bits_of_fields_are_those_of_the_registers() -> None:
    small = design("b163-small").preset
    assert stated("core") == fields(core_registers(small))
    assert stated("schemes") == fields(scheme_registers(small, program(small)))
