# SPDX-License-Identifier: Apache-2.0
"""Sums of many numbers, mapped as trees: equal to what they were, and as deep as a tree."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from ecsm.backend import tool
from ecsm.backend.synth import SUM_TREE
from ecsm.backend.tool import FlowError

MAP = ["techmap -map sum_tree.v t:$macc_v2 r:NPRODUCTS=0 %i"]
EIGHT = "a + b - c + d + e - f + g + h"
# Three addends and more, of one sign and of both, with signs of their own, of several widths.
SUMS = [
    EIGHT,
    "a + b + c",
    "a - b - c",
    "-a - b - c",
    "-a - b + c - d - e",
    "a + b + c + d + e + f + g",
    "$signed(s) + a - $signed(r) + c",
    "a - {b, 4'd0} + s - (c << 3) + 9'd77",
]


def yosys(folder: Path, text: str, *commands: str) -> str:
    """Run Yosys on a module m that assigns y; return its log."""
    ports = ", ".join(f"input [5:0] {n}" for n in "abcdefgh")
    ports += ", input signed [4:0] r, s, output [8:0] y"
    (folder / "m.v").write_text(f"module m({ports}); assign y = {text}; endmodule\n")
    shutil.copyfile(SUM_TREE, folder / SUM_TREE.name)
    log = folder / "log"
    tool.run(tool.YOSYS, ["read_verilog m.v", "proc", "alumacc", *commands], folder, log)
    return log.read_text()


def prove(folder: Path, text: str, *mapping: str) -> None:
    """Raise FlowError unless a mapped sum is the sum."""
    yosys(
        folder, text, "design -save gold", *mapping, "select -assert-none t:$macc_v2",
        "design -save gate", "design -reset", "design -copy-from gold -as gold m",
        "design -copy-from gate -as gate m", "miter -equiv gold gate miter", "flatten",
        "sat -verify -prove trigger 0 miter",
    )  # fmt: skip


@pytest.mark.parametrize("text", SUMS)
def test_a_tree_is_the_sum(text: str, tmp_path: Path) -> None:
    prove(tmp_path, text, *MAP)


def test_another_sum_is_found_out(tmp_path: Path) -> None:
    wrong = (SUM_TREE.read_text().replace("a - b", "a + b"), "wrong.v")
    (tmp_path / wrong[1]).write_text(wrong[0])
    with pytest.raises(FlowError):
        prove(tmp_path, EIGHT, MAP[0].replace(SUM_TREE.name, wrong[1]))


def depth(folder: Path, text: str, *mapping: str) -> int:
    """Return how many sums are one behind another."""
    yosys(folder, text, *mapping, "opt", "write_json m.out")
    (module,) = json.loads((folder / "m.out").read_text())["modules"].values()
    sums = [c for c in module["cells"].values() if re.fullmatch(r"\$(add|sub|neg)", c["type"])]
    made = {bit: c["connections"] for c in sums for bit in c["connections"]["Y"]}

    def below(bit: object) -> int:
        if bit not in made:
            return 0
        inputs = {made[bit][p][0] for p in "AB"}
        return 1 + max(below(one) for one in inputs)

    return max(below(c["connections"]["Y"][0]) for c in sums)


def test_a_tree_is_as_deep_as_a_tree(tmp_path: Path) -> None:
    assert depth(tmp_path, EIGHT, *MAP) == 3
    assert depth(tmp_path, EIGHT, "maccmap -unmap") == 7  # why there is a map of our own


def test_products_are_left_to_yosys(tmp_path: Path) -> None:
    log = yosys(
        tmp_path, "a * b + c * d + e", *MAP, "select -assert-count 1 t:$macc_v2", "maccmap -unmap",
        "select -assert-none t:$macc_v2",
    )  # fmt: skip
    assert "ERROR" not in log
