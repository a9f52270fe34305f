# SPDX-License-Identifier: Apache-2.0
"""Netlists that are read as circuits: order, names, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ecsm.evidence.campaigns.circuit import READ, Circuit, read
from ecsm.evidence.campaigns.lanes import FEW, Lanes
from ecsm.evidence.gates import UnknownCell
from tests.evidence.small import MEMORIES, core, made


def lut(table: str, inputs: list[Any], output: int) -> dict[str, Any]:
    at = {"A": inputs, "Y": [output]}
    return {"type": "$lut", "parameters": {"LUT": table}, "connections": at}


def module(cells: dict[str, Any], inputs: list[int], outputs: list[Any]) -> dict[str, Any]:
    ports = {
        "in_i": {"direction": "input", "bits": inputs},
        "out_o": {"direction": "output", "bits": outputs},
    }
    return {"cells": cells, "ports": ports}


def values(circuit: Circuit, inputs: int) -> list[int]:
    """Return the output for each input, a lane each."""
    with Lanes(circuit, FEW) as lanes:
        numbers = list(range(1 << inputs))
        lanes.set("in_i", lanes.each(numbers * (lanes.lanes >> inputs), inputs))
        lanes.run(0)
        return lanes.get("out_o")[: 1 << inputs]


def test_every_table_of_a_lut() -> None:
    """All functions of one, two and three inputs, in any order of the inputs."""
    for bits in (1, 2, 3):
        cells, inputs = {}, [2, 3, 4][:bits]
        tables = list(product("01", repeat=1 << bits))
        for n, rows in enumerate(tables):
            turned = inputs[n % bits :] + inputs[: n % bits]
            cells[f"l{n}"] = lut("".join(rows), turned, 10 + n)
        found = read(module(cells, inputs, [10 + n for n in range(len(tables))]))
        assert found.luts == len(tables)
        for x, got in enumerate(values(found, bits)):
            for n, rows in enumerate(tables):
                at = sum((x >> (k + n) % bits & 1) << k for k in range(bits))
                assert got >> n & 1 == int(rows[::-1][at])


def test_order_is_of_what_depends_on_what() -> None:
    """A chain that is listed backwards, with constants, and an unknown that is 0."""
    cells = {
        "c": lut("0110", [11, "1"], 12), "b": lut("10", [10], 11), "a": lut("1110", [2, "x"], 10),
    }  # fmt: skip
    assert values(read(module(cells, [2], [12, 10, "1", "0"])), 1) == [0b0101, 0b0110]


def test_a_loop_is_refused() -> None:
    cells = {"a": lut("10", [11], 10), "b": lut("10", [10], 11)}
    with pytest.raises(ValueError, match="loop"):
        read(module(cells, [2], [11]))


def test_cells_and_memories_without_a_model_are_refused() -> None:
    with pytest.raises(UnknownCell, match="ALU54B"):
        read(module({"m": {"type": "ALU54B", "connections": {}}}, [2], [2]))
    clocked = {
        "type": "$mem_v2", "connections": {},
        "parameters": {"OFFSET": "0", "RD_PORTS": "1", "RD_CLK_ENABLE": "1",
                       "RD_WIDE_CONTINUATION": "0", "WR_CLK_ENABLE": "1", "WR_PORTS": "1"},
    }  # fmt: skip
    with pytest.raises(UnknownCell, match="memory"):
        read(module({"m": clocked}, [2], [2]))


def test_what_counts_has_a_name() -> None:
    found = made(MEMORIES)
    writes = sum(len(m.writes) * m.width for m in found.memories)
    assert len(found.items) == len(found.registers) + len(found.probes) + writes
    assert (
        len(found.probes)
        == len(found.probe_names)
        == sum(g.outputs + len(g.inputs) - 1 for g in found.groups if g.table == READ)
    )
    assert found.nets == 2 + found.inputs + len(found.registers) + sum(
        g.outputs for g in found.groups
    )
    assert found.registers == sorted(found.registers)


def test_registers_are_named_in_the_order_of_their_numbers() -> None:
    names = core("toy7-small").circuit.registers
    bits = [n for n in names if n.startswith("rsp_cycles_o[") or ".cycle_q[" in n]
    assert all("$" not in n for n in names)
    assert bits == sorted(bits, key=lambda n: int(n.partition("[")[2][:-1]))


def test_a_memory_that_does_not_begin_at_zero_is_refused() -> None:
    """Its addresses are not the numbers of its words."""
    with pytest.raises(UnknownCell, match="begins at 2"):
        made("""
module offset (
  input logic clk_i, we_i, input logic [2:0] a_i, input logic [3:0] x_i, output logic [3:0] now_o
);
  logic [3:0] memory[2:5];
  always_ff @(posedge clk_i) if (we_i) memory[a_i] <= x_i;
  assign now_o = memory[a_i];
endmodule
""")
