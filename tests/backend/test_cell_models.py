# SPDX-License-Identifier: Apache-2.0
"""Models of multiplier and block memory against the RTL that Yosys makes these cells of."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ecsm.backend import cell_models, dsp_registers, memory_registers, tool
from ecsm.backend.cells import MODEL_FLAGS, netlist_core, yosys_models
from ecsm.cores.store import design
from ecsm.device.base import DeviceError
from tests.rtl.cocotb_run import run

INPUTS = """
  input  logic         clk_i,
  input  logic         we_i,
  input  logic [  9:0] read_i,
  input  logic [  9:0] write_i,
  input  logic [ 35:0] d_i,"""
# Memories of words that two, one and half a row of a block hold, one of them filled; the same with
# a register behind them. Products with and without a sign, two with a register behind them. Of the
# registers, one has an enable and stays outside of its memory, and one outside of its product.
RTL = (
    f"module cells_rtl ({INPUTS}"
    """
  output logic [278:0] out_o
);
  logic [35:0] filled[512], wide[512], filled_q, wide_q;
  logic [17:0] word[1024], word_q;
  logic [8:0] half[2048], half_q;
  initial for (int i = 0; i < 512; i++) filled[i] = 36'(64'(i) * 64'h1234567_89abcdef);
  (* no_rw_check *) logic [35:0] deep[512];
  (* no_rw_check *) logic [17:0] flat[1024], loose[1024];
  (* no_rw_check *) logic [8:0] thin[2048];
  logic [35:0] deep_q, kept_deep_q;
  logic [17:0] flat_q, kept_flat_q, loose_q, held_loose_q;
  logic [8:0] thin_q, kept_thin_q;
  logic [9:0] to;  // never the word that is read
  assign to = {write_i[9:1], ~read_i[0]};
  initial for (int i = 0; i < 512; i++) deep[i] = 36'(64'(i) * 64'h1234567_89abcdef);
  always_ff @(posedge clk_i) begin
    deep_q <= deep[read_i[8:0]];
    flat_q <= flat[read_i];
    loose_q <= loose[read_i];
    thin_q <= thin[{read_i[9:1], 1'b0, read_i[0]}];
    {kept_deep_q, kept_flat_q, kept_thin_q} <= {deep_q, flat_q, thin_q};
    if (we_i) begin
      held_loose_q <= loose_q;
      deep[to[8:0]] <= d_i;
      flat[to] <= d_i[17:0];
      loose[to] <= d_i[17:0];
      thin[{to[9:1], 1'b0, to[0]}] <= d_i[8:0];
    end
  end
  always_ff @(posedge clk_i) begin
    filled_q <= filled[read_i[8:0]];
    wide_q <= wide[read_i[8:0]];
    word_q <= word[read_i];
    half_q <= half[{read_i, read_i[0]}];
    if (we_i) begin
      wide[write_i[8:0]] <= d_i;
      word[write_i] <= d_i[17:0];
      half[{write_i, write_i[0]}] <= d_i[8:0];
    end
  end
  logic signed [17:0] a, b;
  logic signed [35:0] p;
  logic [35:0] u;
  assign a = d_i[17:0];
  assign b = d_i[35:18];
  assign p = a * b;
  assign u = 36'(d_i[17:0]) * 36'(d_i[35:18]);
  logic [35:0] kept_q, held_q;
  always_ff @(posedge clk_i) begin
    kept_q <= 36'(read_i) * 36'(d_i[17:0]);
    if (we_i) held_q <= 36'(write_i) * 36'(d_i[17:0]);
  end
  assign out_o = {kept_deep_q, kept_flat_q, held_loose_q, kept_thin_q,
      kept_q, held_q, filled_q, wide_q, word_q, half_q, 9'(u ^ p >> 18), 18'(p + u)};
endmodule
"""
)
PAIR = (
    f"module cells_pair ({INPUTS}"
    """
  output logic [278:0] rtl_o,
  output logic [278:0] gates_o
);
  cells_rtl u_rtl (.out_o(rtl_o), .*);
  cells_gates u_gates (.out_o(gates_o), .*);
endmodule
"""
)


# A memory of words of one bit, filled, which both ports read and one of them writes.
BITS = (
    f"module cells_rtl ({INPUTS}"
    """
  output logic [278:0] out_o
);
  (* no_rw_check *) logic bits[16384];
  logic one_q, other_q;
  logic [13:0] one, other;  // never the same
  assign one = {read_i, d_i[2:0], 1'b0};
  assign other = {write_i, d_i[5:3], 1'b1};
  initial for (int i = 0; i < 16384; i++) bits[i] = 1'(64'(i) * 64'h1234567_89abcdef >> 33);
  always_ff @(posedge clk_i) one_q <= bits[we_i ? one : {one[13:1], write_i[0]}];
  always_ff @(posedge clk_i) begin
    if (we_i) bits[other] <= d_i[6];
    other_q <= bits[other];
  end
  assign out_o = 279'({one_q, !we_i && other_q});
endmodule
"""
)


def mapped(folder: Path, rtl: str) -> Path:
    """Return the netlist of RTL as JSON, its module renamed."""
    (folder / "rtl.sv").write_text(rtl)
    commands = [
        "read_slang --unroll-limit 20000 --top cells_rtl rtl.sv",
        "synth_ecp5 -top cells_rtl -nowidelut",
        "rename cells_rtl cells_gates",
        "write_json -selected gates.json",
    ]
    tool.run(tool.YOSYS, commands, folder, folder / "yosys.log")
    return folder / "gates.json"


def gates(folder: Path) -> str:
    """Return the netlist of :data:`RTL`, its module renamed."""
    file = mapped(folder, RTL)
    data = json.loads(file.read_text())
    assert dsp_registers.pack(data["modules"]["cells_gates"]) == 1
    assert memory_registers.pack(data["modules"]["cells_gates"]) == 3
    file.write_text(json.dumps(data))
    return verilog(folder)


def verilog(folder: Path) -> str:
    """Return the netlist of a folder as Verilog."""
    commands = ["read_json gates.json", "write_verilog -noattr gates.v"]
    tool.run(tool.YOSYS, commands, folder, folder / "verilog.log")
    return (folder / "gates.v").read_text()


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> str:
    return gates(tmp_path_factory.mktemp("cells"))


def compare(text: str, rtl: str = RTL) -> None:
    run(
        "cells_pair", yosys_models(), "tests.backend.cell_models_cocotb",
        text=cell_models.verilog() + text + rtl + PAIR, args=MODEL_FLAGS,
    )  # fmt: skip


def test_cells_do_what_the_rtl_does(netlist: str) -> None:
    widths = set(re.findall(r"\.DATA_WIDTH_B\(32'd(\d+)\)", netlist))
    assert widths == {"9", "18", "36"}
    assert "MULT18X18D" in netlist
    compare(netlist)


def test_words_of_a_bit_are_in_their_places(tmp_path: Path) -> None:
    mapped(tmp_path, BITS)
    text = verilog(tmp_path)
    assert set(re.findall(r"\.DATA_WIDTH_[AB]\(32'd(\d+)\)", text)) == {"1"}
    cell_models.check(text)
    compare(text, BITS)
    with pytest.raises(AssertionError, match="differ"):
        compare(re.sub(r"INITVAL_1F\(320'h....", "INITVAL_1F(320'h0000", text), BITS)


@pytest.mark.parametrize(
    ("cell", "other"),
    [
        (r"\.SIGNEDA\(1'h1\)", ".SIGNEDA(1'h0)"),
        (r"\.CE0\(1'h1\)", ".CE0(1'h0)"),
        (r"\.OCEB\(1'h1\)", ".OCEB(1'h0)"),
        (r'\.REGMODE_B\("OUTREG"\)', '.REGMODE_B("NOREG")'),
        (r"INITVAL_1F\(320'h....", "INITVAL_1F(320'h0000"),
    ],
)
def test_another_cell_is_noticed(netlist: str, cell: str, other: str) -> None:
    changed = re.sub(cell, other, netlist)
    assert changed != netlist
    with pytest.raises(AssertionError, match="differ"):
        compare(changed)


@pytest.mark.parametrize(
    ("cell", "other", "said"),
    [
        (r"\.REGMODE_A\(\"NOREG\"\)", '.REGMODE_A("BOTH")', "REGMODE BOTH"),
        (r"\.DATA_WIDTH_B\(32'd9\)", ".DATA_WIDTH_B(32'd4)", "DATA_WIDTH 4"),
    ],
)
def test_other_memories_are_refused(netlist: str, cell: str, other: str, said: str) -> None:
    cell_models.check(netlist)
    with pytest.raises(ValueError, match=said):
        cell_models.check(re.sub(cell, other, netlist))
    with pytest.raises(DeviceError, match=f"toyp7-a: .* {said}"):
        netlist_core(design("toyp7-a"), text=re.sub(cell, other, netlist))
