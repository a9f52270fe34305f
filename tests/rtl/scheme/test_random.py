# SPDX-License-Identifier: Apache-2.0
"""scheme_random over a hash: see random_cocotb.py for what is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run

REGISTERS = Path(__file__).parent / "registers.vlt"
TOP = "random_system"


def text(octets: int) -> str:
    """Return a top with the unit and its hash; noise is the test mode's, or none."""
    ports = [
        ("req_valid", 1), ("req_ready", 1), ("msg_valid", 1), ("msg_ready", 1),
        ("digest_valid", 1), ("digest_ready", 1),
    ]  # fmt: skip
    wires = "\n".join(f"  logic [{bits - 1}:0] {name};" for name, bits in ports)
    return f"""\
module {TOP}
  import scheme_pkg::*;
  import sym_pkg::*;
  import ecsm_pkg::*;
(
  input  logic clk_i, rst_ni, clear_i, zeroize_i, secret_i, command_i, test_i, out_ready_i,
  input  logic noise_valid_i, test_valid_i,
  input  logic [7:0] noise_data_i, test_data_i,
  input  logic [1:0] op_i,
  input  logic [15:0] octets_i,
  output logic settled_o, ready_o, done_o, out_valid_o, out_last_o, no_entropy_o, test_mode_o,
  output logic noise_ready_o, test_ready_o,
  output logic [3:0] status_o,
  output logic [W-1:0] out_data_o,
  output logic [BytesW-1:0] out_bytes_o
);
{wires}
  alg_e alg[1];
  logic [W-1:0] msg_data[1], digest_data[1];
  logic [BytesW-1:0] msg_bytes[1], digest_bytes[1];
  logic msg_last, digest_last;
  status_e status;
  assign status_o = status;
  scheme_random #(
    .Octets({octets}), .SeedSamples(48), .ReseedSamples(32), .Startup(4)
  ) u_random (
    .op_i(drbg_op_e'(op_i)), .status_o(status), .*,
    .hash_req_valid_o(req_valid), .hash_req_ready_i(req_ready), .hash_req_alg_o(alg[0]),
    .hash_msg_valid_o(msg_valid), .hash_msg_ready_i(msg_ready), .hash_msg_data_o(msg_data[0]),
    .hash_msg_bytes_o(msg_bytes[0]), .hash_msg_last_o(msg_last),
    .hash_digest_valid_i(digest_valid), .hash_digest_ready_o(digest_ready),
    .hash_digest_data_i(digest_data[0]), .hash_digest_bytes_i(digest_bytes[0]),
    .hash_digest_last_i(digest_last)
  );
  scheme_hash #(.Num(1), .HashWordW(32)) u_hash (
    .clk_i, .rst_ni, .clear_i(clear_i || zeroize_i),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_alg_i(alg),
    .msg_valid_i(msg_valid), .msg_ready_o(msg_ready), .msg_data_i(msg_data),
    .msg_bytes_i(msg_bytes), .msg_last_i(msg_last), .digest_valid_o(digest_valid),
    .digest_ready_i(digest_ready), .digest_data_o(digest_data), .digest_bytes_o(digest_bytes),
    .digest_last_o(digest_last)
  );
endmodule
"""


@pytest.mark.parametrize(
    "octets", [36, *(pytest.param(n, marks=pytest.mark.slow) for n in (32, 66))]
)
def test_random(octets: int) -> None:
    made = text(octets)
    files = [REGISTERS, *needed(made, rtl_files())]
    env = {"OCTETS": str(octets)}
    run(TOP, files, "tests.rtl.scheme.random_cocotb", text=made, env=env)
