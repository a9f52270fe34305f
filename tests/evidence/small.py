# SPDX-License-Identifier: Apache-2.0
"""Small designs for the simulation in lanes, made netlists as cores are."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import Any

import pytest

from ecsm.evidence.campaigns import circuit as circuit_module
from ecsm.evidence.campaigns.circuit import Circuit, circuit_of
from ecsm.evidence.campaigns.subject import CoreJobs
from ecsm.progress import Progress

# Two write ports with an enable a bit, the second one wins; fewer words than addresses; a ROM; a
# read with a register behind it.
MEMORIES = """
module memories (
  input logic clk_i, rst_ni, input logic [2:0] a_i, b_i, r_i, input logic [3:0] x_i, y_i, ea_i,
  input logic eb_i, output logic [3:0] now_o, later_o, rom_o, output logic [2:0] count_o
);
  logic [3:0] memory[5];
  (* rom_style = "block" *) logic [3:0] rom[8];
  initial begin
    rom[0] = 4'd3; rom[1] = 4'd9; rom[2] = 4'd15; rom[3] = 4'd0;
    rom[4] = 4'd7; rom[5] = 4'd12; rom[6] = 4'd1; rom[7] = 4'd10;
    for (int i = 0; i < 5; i++) memory[i] = 4'(3 * i + 1);
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) if (ea_i[i]) memory[a_i][i] <= x_i[i];
    if (eb_i) memory[b_i] <= y_i;
    later_o <= memory[count_o];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_o <= 3'd5;
    else count_o <= count_o + 3'd1;
  end
  assign now_o = memory[r_i];
  assign rom_o = rom[r_i];
endmodule
"""

# What holds a value until it is written, a sum of such values, and a port to wait for.
HOLD = """
module hold (
  input logic clk_i, load_i, we_i, input logic [7:0] value_i, input logic [2:0] a_i,
  output logic [7:0] held_o, sum_o, word_o, other_o, output logic [5:0] time_o, output logic end_o
);
  logic [7:0] memory[8], other[4];
  always_ff @(posedge clk_i) begin
    if (load_i) held_o <= value_i;
    sum_o <= load_i ? 8'd0 : sum_o + held_o;
    time_o <= time_o + 6'd1;
    if (we_i) memory[a_i] <= value_i;
    if (we_i) other[a_i[1:0]] <= ~value_i;
  end
  assign word_o = memory[a_i];
  assign other_o = other[a_i[1:0]];
  assign end_o = held_o == time_o;
endmodule
"""

# Modules that rest: a counter that an input lets run, a sum that goes on while the count is 9, and
# a memory that is written then. Outputs are inverted, so registers have their modules' names.
RESTS = """
module rests (
  input logic clk_i, rst_ni, run_i, other_i, input logic [3:0] value_i,
  output logic [3:0] count_o, sum_o, word_o, mixed_o
);
  logic done;
  counter u_counter (.clk_i(clk_i), .rst_ni(rst_ni), .run_i(run_i), .done_o(done), .no_o(count_o));
  sum u_sum (.clk_i(clk_i), .add_i(done), .value_i(value_i), .no_o(sum_o));
  words u_words (
    .clk_i(clk_i), .we_i(done & other_i), .address_i(~count_o[1:0]), .value_i(sum_o),
    .word_o(word_o)
  );
  assign mixed_o = word_o ^ {4{other_i}} & sum_o;
endmodule
module counter (
  input logic clk_i, rst_ni, run_i, output logic done_o, output logic [3:0] no_o
);
  logic [3:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= 4'd0;
    else if (run_i) count_q <= count_q + 4'd1;
  end
  assign done_o = count_q == 4'd9;
  assign no_o = ~count_q;
endmodule
module sum (
  input logic clk_i, add_i, input logic [3:0] value_i, output logic [3:0] no_o
);
  logic [3:0] sum_q;
  always_ff @(posedge clk_i) if (add_i) sum_q <= sum_q + value_i;
  assign no_o = ~sum_q;
endmodule
module words (
  input logic clk_i, we_i, input logic [1:0] address_i, input logic [3:0] value_i,
  output logic [3:0] word_o
);
  logic [3:0] memory[4];
  always_ff @(posedge clk_i) if (we_i) memory[address_i] <= value_i;
  assign word_o = memory[address_i];
endmodule
"""


def made(text: str) -> Circuit:
    """Return the netlist of a design."""
    top = text.split()[1]
    digest = hashlib.sha256(text.encode()).hexdigest()
    return circuit_of(f"tests-{top}", top, text, (), digest, Progress())


def modules(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that gets each module of Yosys that is read from now on."""
    found: list[dict[str, Any]] = []
    read = circuit_module.read

    def keep(module: dict[str, Any]) -> Circuit:
        found.append(module)
        return read(module)

    monkeypatch.setattr(circuit_module, "read", keep)
    return found


def core(name: str) -> CoreJobs:
    """Return a preset's core."""
    return CoreJobs(name, Progress())


def marked(names: Iterable[str], quick: Container[str] = ("toy7-small",)) -> list[object]:
    """Return presets as parameters; those that are not quick are for the whole test run."""
    return [n if n in quick else pytest.param(n, marks=pytest.mark.full) for n in names]
