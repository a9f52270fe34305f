# SPDX-License-Identifier: Apache-2.0
"""scheme_channel with a host and a sink: see channel_cocotb.py for what is asserted."""

from __future__ import annotations

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run

TOP = "channel_system"

# A whole move from the host to the sink of digests, or one of so many octets.
TEXT = f"""\
module {TOP}
  import scheme_pkg::*;
(
  input  logic clk_i, rst_ni, clear_i, start_i, whole_i, valid_i, last_i,
  input  logic [OctetsW-1:0] octets_i,
  input  logic [W-1:0] data_i,
  input  logic [BytesW-1:0] bytes_i,
  output logic ready_o, taken_o, valid_o, last_o, malformed_o,
  output logic [W-1:0] data_o,
  output logic [BytesW-1:0] bytes_o
);
  move_t move;
  logic [W-1:0] data[NumFrom];
  logic [BytesW-1:0] bytes[NumFrom];
  logic [NumFrom-1:0] from_ready;
  logic [NumTo-1:0] to_valid;
  logic [AddressW-1:0] target, origin, address;
  logic [OctetsW-1:0] length;
  logic read, differs;
  always_comb begin
    move = '0;
    move.from = FromHost;
    move.to = ToHash;
    move.whole = whole_i;
    move.octets = octets_i;
    move.last = 1'b1;
    data = '{{default: '0}};
    bytes = '{{default: '0}};
    data[FromHost] = data_i;
    bytes[FromHost] = bytes_i;
  end
  assign taken_o = from_ready[FromHost];
  assign valid_o = to_valid[ToHash];
  scheme_channel u_channel (
    .clk_i, .rst_ni, .clear_i, .start_i, .move_i(move), .ready_o, .key_i('0),
    .from_valid_i(NumFrom'(valid_i) << FromHost), .from_ready_o(from_ready), .from_data_i(data),
    .from_bytes_i(bytes), .from_last_i(NumFrom'(last_i) << FromHost), .to_valid_o(to_valid),
    .to_ready_i('1), .to_data_o(data_o), .to_bytes_o(bytes_o), .to_last_o(last_o),
    .target_o(target), .origin_o(origin), .length_o(length), .read_o(read),
    .read_address_o(address), .read_data_i('0), .forget_i(1'b0), .differs_o(differs), .malformed_o
  );
endmodule
"""


def test_channel() -> None:
    run(TOP, needed(TEXT, rtl_files()), "tests.rtl.scheme.channel_cocotb", text=TEXT)
