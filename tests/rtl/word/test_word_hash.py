# SPDX-License-Identifier: Apache-2.0
"""The hash units of the word engine against hashlib and CAVP: hash_cocotb.py says what is asserted.

The cycles that are asserted are those that the modules' headers say.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.backend import cell_models, synth, tool
from ecsm.backend.cells import MODEL_FLAGS, yosys_models
from ecsm.backend.lint import lint_unit
from ecsm.hdl.files import needed, rtl_file, rtl_files
from ecsm.hdl.units import UNITS
from tests.rtl.cocotb_run import run

ALGS = {
    "word_hash": "sha256", "word_hash_small": "sha256", "word_sha1": "sha1",
    "word_hash_wide": "sha256 sha224 sha384 sha512",
}  # fmt: skip
WIDE = "\n    .kind_i(kind_i),\n    .long_o(long_o),"
CONSTANTS = {"word_hash_small": "constant_read_q constant_q octet_q"}
"""Registers that a clear may leave, where they are others: the last one counts cleared words."""
REGISTERS = Path(__file__).parent / "registers.vlt"


def top(module: str) -> str:
    """Return a top with the port of both: the small one knows one kind, of short blocks."""
    wide = module == "word_hash_wide"
    return f"""module {module}_top (
  input  logic       clk_i,
  input  logic       rst_ni_i,
  input  logic       clear_i,
  input  logic       start_i,
  input  logic [1:0] kind_i,
  output logic       long_o,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);
{"" if wide else "  assign long_o = 1'b0;"}
  {module} u_hash (
    .clk_i(clk_i),
    .rst_ni(rst_ni_i),
    .clear_i(clear_i),
    .start_i(start_i),{WIDE if wide else ""}
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .in_data_i(in_data_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o)
  );
endmodule
"""


def cycles(module: str) -> dict[str, str]:
    """Return the cycles of the header in which no octet moves: a start, a block, a word."""
    lines = rtl_file(module).read_text(encoding="utf-8").split("`default_nettype", 1)[0]
    text = " ".join(line.removeprefix("//").strip() for line in lines.splitlines())
    (start,) = re.findall(r"From the next cycle on no octet moves for (\d+) cycles", text)
    ((short, long),) = re.findall(
        r"a block takes a cycle for each octet, and (\d+) cycles:?(?:, or (\d+) of the longer)?",
        text,
    )
    (turn,) = re.findall(r"Each word takes (four|seven) cycles more", text)
    turns = {"four": "4", "seven": "7"}
    clear = re.findall(r"After (\d+) cycles all of it is 0", text)
    return {"START": start, "BLOCK": f"{short} {long}".strip(), "TURN": turns[turn],
            "CLEAR": (clear or ["1"])[0]}  # fmt: skip


def check(module: str, share: int) -> None:
    text = top(module)
    run(f"{module}_top", [REGISTERS, *needed(text, rtl_files())], "tests.rtl.word.hash_cocotb",
        text=text, optimise="-O2",
        env={"ALGS": ALGS[module], "SHARE": str(share), **cycles(module),
             "CONSTANTS": CONSTANTS.get(module, "read_q constant_q")})  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        "word_hash",
        "word_hash_small",
        "word_sha1",
        pytest.param("word_hash_wide", marks=pytest.mark.always),
    ],
)
def test_hash(module: str) -> None:
    check(module, 29)


@pytest.mark.parametrize(
    "module",
    [pytest.param(m, marks=pytest.mark.always if m == "word_hash_wide" else ()) for m in ALGS],
)
def test_the_netlist_of_a_hash(module: str, tmp_path: Path) -> None:
    """In cells of ECP5, constants in block memories: what Yosys made of them is seen here alone."""
    text, name = top(module), f"{module}_top"
    (tmp_path / "top.sv").write_text(text)
    files = " ".join(map(str, needed(text, rtl_files())))
    commands = (f"read_slang --top {name} {files} top.sv", *synth.script("ecp5", name),
                f"write_verilog -noattr {name}.v")  # fmt: skip
    tool.run(tool.YOSYS, commands, tmp_path, tmp_path / "log", limit_s=600)
    netlist = (tmp_path / f"{name}.v").read_text()
    cell_models.check(netlist)
    assert "DP16KD" in netlist or module == "word_sha1"
    run(name, yosys_models(), "tests.rtl.word.hash_cocotb", text=cell_models.verilog() + netlist,
        args=MODEL_FLAGS, env={"ALGS": ALGS[module], "SHARE": "29", **cycles(module),
                               "CONSTANTS": ""})  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("module", ALGS)
def test_every_length_and_most_messages_of_cavp(module: str) -> None:
    check(module, 1)


@pytest.mark.parametrize("unit", ["word-hash", "word-hash-wide", "word-sha1"])
def test_units_elaborate_without_a_warning(unit: str) -> None:
    clean, text = lint_unit(UNITS[unit])
    assert clean, text
