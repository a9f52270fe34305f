# SPDX-License-Identifier: Apache-2.0
"""Netlists are compared but for names: of toy cores over both kinds of field, and of a module."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ecsm.backend.same_netlist import (
    LISTED,
    NotComparable,
    digest,
    main,
    netlist,
    netlist_of,
    same,
)
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.package import package

TOYS = ("toy7-small", "toyp8-a")
TOY = TOYS[0]
COUNTER = """
module counter (
    input  logic clk_i,
    input  logic [3:0] a_i,
    input  logic [3:0] b_i,
    output logic [3:0] sum_o,
    output logic [3:0] less_o
);
  logic [3:0] kept;
  always_ff @(posedge clk_i) kept <= a_i + 4'd3;
  assign sum_o  = kept + b_i;
  assign less_o = kept - b_i;
endmodule
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of each toy."""
    folder = tmp_path_factory.mktemp("built")
    for name in TOYS:
        package(Build(design(name)), folder / name)
    return folder


def changed(folder: Path, new: Path, change: Callable[[str], str]) -> Path:
    """Copy the RTL of a package, with every text changed."""
    names = (folder / LISTED).read_text().split()
    for name in names:
        file = new / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change((folder / name).read_text()))
    (new / LISTED).write_text("".join(f"{name}\n" for name in names))
    return new


def renamed(folder: Path, new: Path) -> Path:
    """Give a package's modules, packages and instances other names, which sort in other order."""
    texts = [(folder / name).read_text() for name in (folder / LISTED).read_text().split()]
    defined = set(re.findall(r"^\s*(?:module|package)\s+(\w+)", "\n".join(texts), re.MULTILINE))
    inner = sorted(defined - {Path((folder / LISTED).read_text().split()[-1]).stem})
    names = {name: f"other_{99 - i}_{name[::-1]}" for i, name in enumerate(inner)}
    assert len(names) > 5
    return changed(
        folder,
        new,
        lambda text: re.sub(
            r"\w+", lambda w: names.get(w[0], w[0]), re.sub(r"\bu_(?=\w)", "i_not_", text)
        ),
    )


def of_text(text: str, folder: Path) -> dict[str, Any]:
    file = folder / "counter.sv"
    file.write_text(text)
    return netlist([file], "counter", folder / "log")


@pytest.mark.parametrize("name", TOYS)
def test_other_names_are_equal(name: str, built: Path, tmp_path: Path) -> None:
    one, other = netlist_of(built / name), netlist_of(renamed(built / name, tmp_path / name))
    assert one["cells"].keys() != other["cells"].keys()
    assert same(one, other)


@pytest.mark.parametrize("name", TOYS)
def test_another_constant_is_unequal(name: str, built: Path, tmp_path: Path) -> None:
    """Of the last literal of the emitted module one bit is another one: a parameter, or a word."""
    top = f"module {design(name).preset.module}"

    def one_bit(text: str) -> str:
        if top not in text:
            return text
        at = [m for m in re.finditer(r"'h([0-9a-f]+)", text) if int(m[1], 16)][-1]
        return f"{text[: at.start(1)]}{int(at[1], 16) ^ 1:x}{text[at.end(1) :]}"

    other = changed(built / name, tmp_path / name, one_bit)
    assert not same(netlist_of(built / name), netlist_of(other))


def test_swapped_ports_are_unequal(built: Path, tmp_path: Path) -> None:
    """The emitted module gives its engine x as y and y as x."""
    other_one = {"x": "y", "y": "x"}

    def swapped(text: str) -> str:
        if f"module {design(TOY).preset.module}" not in text:
            return text
        return re.sub(r"(?<=\(req_)[xy](?=_i\))", lambda m: other_one[m[0]], text)

    other = changed(built / TOY, tmp_path / TOY, swapped)
    assert not same(netlist_of(built / TOY), netlist_of(other))


def test_two_presets_differ(built: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ecsm.backend.same_netlist", built / TOYS[0], built / TOYS[1]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert len({line.split()[0] for line in done.stdout.splitlines()}) == 2
    done = subprocess.run(
        [sys.executable, "-m", "ecsm.backend.same_netlist", built / TOY, built / TOY],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kept - b_i", "b_i - kept"),  # operands
        ("4'd3", "4'd5"),
        ("posedge", "negedge"),
        ("kept - b_i", "kept - a_i"),
        ("sum_o  = kept + b_i", "sum_o  = {kept[0], kept[3:1]} + b_i"),  # order of bits
        ("  logic [3:0] kept;", "  (* keep *) logic [3:0] kept;"),
        ("  logic [3:0] kept;", "  logic [3:0] kept = 4'd2;"),  # after power-up
        ("output logic [3:0] less_o", "output logic [4:0] less_o"),
        ("sum_o", "total_o"),
    ],
)
def test_small_differences_count(old: str, new: str, tmp_path: Path) -> None:
    assert old in COUNTER
    one, other = of_text(COUNTER, tmp_path), of_text(COUNTER.replace(old, new), tmp_path)
    assert not same(one, other)


def test_names_order_of_ports_and_what_nobody_reads_do_not_count(tmp_path: Path) -> None:
    other = COUNTER.replace("kept", "z").replace("    input  logic clk_i,\n", "")
    other = other.replace("[3:0] less_o", "[3:0] less_o,\n    input logic clk_i")
    assert other.count("clk_i") == COUNTER.count("clk_i")
    unread = COUNTER.replace("  logic [3:0] kept;", "  logic [3:0] kept;\n  wire no = ^b_i;")
    one = digest(of_text(COUNTER, tmp_path))
    assert one == digest(of_text(other, tmp_path)) == digest(of_text(unread, tmp_path))


def test_a_bit_with_two_drivers_is_refused() -> None:
    cell = {
        "type": "$not", "parameters": {}, "attributes": {},
        "port_directions": {"A": "input", "Y": "output"}, "connections": {"A": [2], "Y": [3]},
    }  # fmt: skip
    ports = {
        "a": {"direction": "input", "bits": [2]},
        "y": {"direction": "output", "bits": [3]},
    }
    module = {"ports": ports, "cells": {"one": cell, "two": cell}, "netnames": {}}
    with pytest.raises(NotComparable, match="two drivers"):
        digest(module)


@pytest.mark.parametrize("listed", [None, "", "none.sv"])
def test_what_is_no_package_is_one_line(
    listed: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback with the exit code of unequal netlists."""
    if listed is not None:
        (tmp_path / LISTED).write_text(listed)
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"same_netlist: {tmp_path}: ")
    assert main([]) == 2
