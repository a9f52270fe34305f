# SPDX-License-Identifier: Apache-2.0
"""A farm's flip-flops are those that docs/integrate/farm.md states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS
from ecsm.presets.table import preset
from tests.rtl.common.netlist import synthesise

PAGE = Path(__file__).parents[3] / "docs" / "integrate" / "farm.md"


def bits(name: str) -> tuple[int, int]:
    """Return the bits of a request and of an answer."""
    p = preset(name)
    points = 2 * p.coordinate_bits + 1  # with the flag of infinity
    return 4 + p.scalar_bits + points + TAG_BITS, 4 + points + TAG_BITS + CYCLE_BITS


@pytest.mark.parametrize(
    ("engines", "name"), [(1, "toy7-fast"), (3, "toy7-fast"), (4, "b163-fast")]
)
def test_flip_flops(engines: int, name: str, tmp_path: Path) -> None:
    q, a = bits(name)
    text = f"""
module sized (
  input logic clk_i, rst_ni, zeroize_i, req_valid_i, rsp_ready_i, input logic [{q - 1}:0] req_i,
  output logic req_ready_o, rsp_valid_o, output logic [{a - 1}:0] rsp_o,
  output logic [{engines - 1}:0] valid_o, ready_o, output logic [{engines * q - 1}:0] job_o,
  input logic [{engines - 1}:0] ready_i, valid_i, input logic [{engines * a - 1}:0] answer_i
);
  ecsm_farm #(.N({engines}), .ReqW({q}), .RspW({a})) u_farm (
    .clk_i(clk_i), .rst_ni(rst_ni), .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i), .req_ready_o(req_ready_o), .req_i(req_i),
    .rsp_valid_o(rsp_valid_o), .rsp_ready_i(rsp_ready_i), .rsp_o(rsp_o),
    .engine_req_valid_o(valid_o), .engine_req_ready_i(ready_i), .engine_req_o(job_o),
    .engine_rsp_valid_i(valid_i), .engine_rsp_ready_o(ready_o), .engine_rsp_i(answer_i)
  );
endmodule
"""
    cells = synthesise("sized", text, tmp_path)
    flops = sum(count for cell, count in cells.items() if "DFF" in cell)
    assert flops == engines * (q + a) + a + 6 * engines + 2
    assert not [cell for cell in cells if "LATCH" in cell]


def test_the_page_names_the_bits_of_a_preset() -> None:
    found = re.search(r"for `(\S+)` (\d+) and (\d+)\.", PAGE.read_text("utf-8"))
    assert found
    assert bits(found[1]) == (int(found[2]), int(found[3]))
