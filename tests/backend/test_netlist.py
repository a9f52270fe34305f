# SPDX-License-Identifier: Apache-2.0
"""Areas and longest paths of netlists small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ecsm.backend.netlist import UnknownCells, area, cells, levels


def cell(kind: str, output: int | list[int], **inputs: int | str) -> dict[str, Any]:
    outputs = output if isinstance(output, list) else [output]
    return {
        "type": kind,
        "connections": {**{k: [v] for k, v in inputs.items()}, "O": outputs},
        "port_directions": {**dict.fromkeys(inputs, "input"), "O": "output"},
    }


def netlist(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": {f"c{i}": c for i, c in enumerate(cells)}}


def test_levels_count_luts_between_registers() -> None:
    n = netlist(
        cell("LUT4", 12, A=10, B=11),
        cell("TRELLIS_FF", 10, DI=13),
        cell("LUT4", 13, A=12, B="1"),
        cell("LUT4", 15, A=14),
        cell("TRELLIS_FF", 14, DI=15),
    )
    assert levels(n) == 2
    assert cells(n) == {"LUT4": 3, "TRELLIS_FF": 2}


def test_a_carry_chain_counts_where_it_is_entered() -> None:
    chain = [cell("CCU2C", [20 + i, 30 + i], A0=1, CIN=19 + i) for i in range(4)]
    assert levels(netlist(*chain)) == 1
    assert levels(netlist(cell("LUT4", 1, A=2), *chain, cell("LUT4", 40, A=33))) == 3


def test_a_register_cuts_a_path_and_a_loop_is_refused() -> None:
    a, b = cell("LUT4", 1, A=2), cell("LUT4", 2, A=1)
    with pytest.raises(ValueError, match="loop"):
        levels(netlist(a, b))
    assert levels(netlist(a, cell("TRELLIS_FF", 2, DI=1))) == 1


def test_areas_of_the_fpgas() -> None:
    ecp5 = {"LUT4": 5, "CCU2C": 2, "TRELLIS_FF": 3, "MULT18X18D": 1, "DP16KD": 4, "PFUMX": 9}
    assert area("ecp5", ecp5) == {"lut": 9, "ff": 3, "dsp": 1, "bram": 4}
    xc7 = {"LUT2": 1, "LUT6": 2, "FDRE": 1, "FDPE": 1, "DSP48E1": 1, "RAMB36E1": 2, "RAMB18E1": 1,
           "CARRY4": 7}  # fmt: skip
    assert area("xc7", xc7) == {"lut": 3, "ff": 2, "dsp": 1, "bram": 5}


def test_gates_are_transistors_by_four() -> None:
    found = {"$_NAND_": 3, "$_XOR_": 1, "$_DFF_PN0_": 2, "$_DFF_P_": 1}
    assert area("cmos", found) == {"transistors": 80, "gates": 20, "ff": 3}


def test_a_gate_of_unknown_size_is_refused() -> None:
    with pytest.raises(UnknownCells, match=r"\$_DFFE_PN0P_"):
        area("cmos", {"$_NOT_": 1, "$_DFFE_PN0P_": 1})
