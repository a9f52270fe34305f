# SPDX-License-Identifier: Apache-2.0
"""word_aes against libcrypto and CAVP: see aes_cocotb.py for what is asserted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.hdl.files import needed, rtl_file, rtl_files
from tests.rtl.cocotb_run import run

REGISTERS = Path(__file__).parent / "registers.vlt"
TOP = """module word_aes_top (
  input  logic       clk_i,
  input  logic       rst_ni_i,
  input  logic       clear_i,
  input  logic       command_valid_i,
  input  logic [2:0] command_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic       in_key_i,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);
  word_aes u_aes (
    .clk_i(clk_i),
    .rst_ni(rst_ni_i),
    .clear_i(clear_i),
    .command_valid_i(command_valid_i),
    .command_i(word_pkg::aes_e'(command_i)),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .in_key_i(in_key_i),
    .in_data_i(in_data_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o)
  );
endmodule
"""


def cycles() -> str:
    """Return the cycles that the header says: of a block and each of its rounds, of two keys."""
    lines = rtl_file("word_aes").read_text(encoding="utf-8").split("`default_nettype", 1)[0]
    text = " ".join(line.removeprefix("//").strip() for line in lines.splitlines())
    (found,) = re.findall(
        r"AesDecrypt (\d+) \+ (\d+) Nr, Nr = 10 or 14 rounds; AesExpand (\d+) or (\d+)\.",
        text,
    )
    return " ".join(found)


@pytest.mark.parametrize("share", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_aes(share: int) -> None:
    run("word_aes_top", [REGISTERS, *needed(TOP, rtl_files())], "tests.rtl.word.aes_cocotb",
        text=TOP, optimise="-O2", env={"SHARE": str(share), "CYCLES": cycles()})  # fmt: skip
