# SPDX-License-Identifier: Apache-2.0
"""word_random: see random_cocotb.py for what is asserted."""

from __future__ import annotations

from itertools import islice

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run
from tests.rtl.word.random_cocotb import stream

TOP = """module word_random_top (
  input  logic       clk_i,
  input  logic       rst_ni_i,  // unused
  input  logic       clear_i,
  input  logic       seed_valid_i,
  input  logic [7:0] seed_i,
  output logic [4:0] bits_o
);
  word_random #(.NumBit(5)) u_random (
    .clk_i(clk_i), .clear_i(clear_i), .seed_valid_i(seed_valid_i),
    .seed_i(seed_i), .bits_o(bits_o)
  );
endmodule
"""


def test_the_model_is_trivium() -> None:
    """Against the first vector of set 1 of eSTREAM's: a key of one bit."""
    found = bytes(islice(stream(b"\x80" + bytes(9), bytes(10)), 32))
    assert found.hex() == "38eb86ff730d7a9caf8df13a4420540dbb7b651464c87501552041c249f29a64"


def test_bits_are_those_of_trivium() -> None:
    run("word_random_top", needed(TOP, rtl_files()), "tests.rtl.word.random_cocotb", text=TOP)
