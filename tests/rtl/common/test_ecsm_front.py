# SPDX-License-Identifier: Apache-2.0
"""ecsm_front by itself, with each protection: see front_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run

FILES = ("ecsm_pkg", "ecsm_protect_pkg", "ecsm_sequencer", "ecsm_front_check", "ecsm_front")


def top(protect: str) -> str:
    """Return a front of 8-bit coordinates, and a program of four words with a loop and tests.

    The tests are decoded as an engine does; ``flip_i`` changes what comes of it.
    """
    return f"""\
module front_top (
  input logic clk_i, rst_ni_i, zeroize_i, req_valid_i, req_op_i, req_infinity_i, rsp_ready_i,
  input logic fault_i, random_valid_i, curve_i, odd_i, zero_i,
  input logic [9:0] req_x_i, req_y_i, input logic [7:0] req_tag_i, result_x_i, result_y_i,
  input logic result_i, input logic [2:0] flip_i, found_i,
  output logic req_ready_o, rsp_valid_o, rsp_infinity_o, random_ready_o, take_o, clear_o, flush_o,
  output logic [3:0] rsp_status_o, output logic [9:0] rsp_x_o, rsp_y_o,
  output logic [7:0] rsp_tag_o, output logic [15:0] rsp_cycles_o
);
  ecsm_pkg::status_e status;
  assign rsp_status_o = status;
  logic ready_d, slot, active, last, affine_d, affine_q, index;
  logic check_active;
  logic [3:0] word, check_word;
  logic [2:0] flag, test_q;
  always_ff @(posedge clk_i or negedge rst_ni_i) begin
    if (!rst_ni_i) test_q <= 3'b0;
    else test_q <= word[2:0] & {{3{{active & ~zeroize_i}}}};
  end
  ecsm_front #(
    .Protect(ecsm_protect_pkg::Protect{protect}), .FieldW(8), .CoordW(10), .Ranks(2), .WordW(4),
    .CheckW(4), .Depth(4), .LoopFirst(1), .LoopLast(2), .LoopCount(5),
    .Columns(16'b1010_1000_0100_0010)
  ) u_front (
    .*, .rst_ni(rst_ni_i), .req_op_i(ecsm_pkg::op_e'({{3'b0, req_op_i}})), .rsp_status_o(status),
    .ready_d_o(ready_d), .slot_o(slot), .active_o(active), .last_o(last), .word_o(word),
    .test_i(test_q ^ flip_i), .flag_o(flag), .affine_d_o(affine_d), .affine_q_o(affine_q),
    .index_o(index), .word_i(4'b0), .check_active_o(check_active), .check_word_o(check_word)
  );
endmodule
"""


@pytest.mark.parametrize("protect", ["None", "Check", "Full"])
def test_front(protect: str) -> None:
    run(
        "front_top", [rtl_file(name) for name in FILES], "tests.rtl.common.front_cocotb",
        text=top(protect), env={"FRONT_PROTECT": protect},
    )  # fmt: skip
