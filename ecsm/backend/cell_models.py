# SPDX-License-Identifier: Apache-2.0
"""Models of the ECP5 cells that Yosys has none of: the multiplier and the block memory.

Only what the flow makes of RTL: a multiplier with a register behind it or without, and a memory
whose words have 9, 18 or, written at one port and read at the other, 36 bits; :func:`check` refuses
other memories. The pins that Yosys ties to zero are not looked at: cascades of multipliers, the
reset of a memory's output.

Source: Lattice FPGA-TN-02204, ECP5 and ECP5-5G Memory Usage Guide; FPGA-TN-02205, sysDSP Usage
Guide; and how Yosys' own ``lattice/brams_map_16kd.v`` wires and fills the memory.
"""

from __future__ import annotations

import re


def _bits(name: str, width: int) -> list[str]:
    return [f"{name}{i}" for i in range(width)]


def _vector(name: str, width: int) -> str:
    return "{" + ", ".join(reversed(_bits(name, width))) + "}"


def _ports(inputs: list[str], outputs: list[str]) -> str:
    return ",\n  ".join([f"input {', '.join(inputs)}", f"output {', '.join(outputs)}"])


def multiplier() -> str:
    """Return the model of a MULT18X18D: ``P = A * B``, each signed or not, kept or not."""
    inputs = [*_bits("A", 18), *_bits("B", 18), *_bits("C", 18)]
    inputs += ["SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "CLK0", "CE0", "RST0"]
    return f"""module MULT18X18D(
  {_ports(inputs, _bits("P", 36))}
);
  wire signed [18:0] a = {{SIGNEDA & A17, {_vector("A", 18)}}};
  wire signed [18:0] b = {{SIGNEDB & B17, {_vector("B", 18)}}};
  wire signed [37:0] p = a * b;
  parameter REG_OUTPUT_CLK = "NONE", REG_OUTPUT_CE = "CE0", REG_OUTPUT_RST = "RST0";
  reg [35:0] kept;
  always @(posedge CLK0) if (CE0) kept <= RST0 ? 36'b0 : p[35:0];
  assign {_vector("P", 36)} = REG_OUTPUT_CLK == "CLK0" ? kept : p[35:0];
endmodule
"""


def _memory_port(port: str) -> str:
    """Return what one port of the memory does if its words have 9 or 18 bits."""
    return f"""
  wire [13:0] ad_{port} = {_vector(f"AD{port}", 14)};
  wire [17:0] di_{port} = {_vector(f"DI{port}", 18)};
  wire clock_{port} = CLK{port}MUX == "INV" ? ~CLK{port} : CLK{port};
  wire half_{port} = DATA_WIDTH_{port} == 9 && ad_{port}[3];
  wire [17:0] mask_{port} = DATA_WIDTH_{port} == 9 ? (half_{port} ? 18'h3fe00 : 18'h001ff)
    : {{{{9{{ad_{port}[1]}}}}, {{9{{ad_{port}[0]}}}}}};
  wire [17:0] given_{port} = DATA_WIDTH_{port} == 9 ? {{2{{di_{port}[8:0]}}}} : di_{port};
  wire [17:0] old_{port} = memory[ad_{port}[13:4]];
  wire [17:0] new_{port} = (given_{port} & mask_{port}) | (old_{port} & ~mask_{port});
  wire through_{port} = WE{port} && WRITEMODE_{port} == "WRITETHROUGH";
  wire [17:0] seen_{port} = through_{port} ? new_{port} : old_{port};
  reg [17:0] do_{port};
  always @(posedge clock_{port})
    if (CE{port} && DATA_WIDTH_{port} != 36) begin
      if (WE{port}) memory[ad_{port}[13:4]] <= new_{port};
      if (!WE{port} || WRITEMODE_{port} != "NORMAL")
        do_{port} <= half_{port} ? {{9'b0, seen_{port}[17:9]}} : seen_{port};
    end
"""


def memory() -> str:
    """Return the model of a DP16KD: 1,024 words of 18 bits, or 512 of 36."""
    inputs, outputs, parameters = [], [], ['GSR = "ENABLED"', 'RESETMODE = "SYNC"']
    parameters.append('ASYNC_RESET_RELEASE = "SYNC"')
    for port in "AB":
        inputs += [*_bits(f"DI{port}", 18), *_bits(f"AD{port}", 14), *_bits(f"CS{port}", 3)]
        inputs += [f"{name}{port}" for name in ("CLK", "CE", "OCE", "WE", "RST")]
        outputs += _bits(f"DO{port}", 18)
        parameters += [f"DATA_WIDTH_{port} = 18", f'REGMODE_{port} = "NOREG"']
        parameters += [f'CSDECODE_{port} = "0b000"', f'WRITEMODE_{port} = "NORMAL"']
        parameters.append(f'CLK{port}MUX = "CLK{port}"')
    slices = [f"INITVAL_{i:02X}" for i in range(64)]
    parameters += [f"[319:0] {name} = 320'b0" for name in slices]
    settings = "\n".join(f"  parameter {p};" for p in parameters)
    fill = "\n".join(
        f"    for (i = 0; i < 16; i = i + 1) memory[{16 * n} + i] = {name}[20 * i +: 18];"
        for n, name in enumerate(slices)
    )
    return f"""module DP16KD(
  {_ports(inputs, outputs)}
);
{settings}
  reg [17:0] memory [0:1023];
  integer i;
  initial begin
{fill}
  end
{_memory_port("A")}{_memory_port("B")}
  // Words of 36 bits: port A writes, by bytes, and port B reads; the lower half leaves by port A.
  wire [3:0] byte_enable = ad_A[3:0];
  wire [35:0] wide = {{di_B, di_A}};
  reg [35:0] read;
  integer n;
  always @(posedge clock_A)
    if (DATA_WIDTH_A == 36 && CEA && WEA)
      for (n = 0; n < 4; n = n + 1)
        if (byte_enable[n]) memory[{{ad_A[13:5], n[1]}}][9 * n[0] +: 9] <= wide[9 * n +: 9];
  always @(posedge clock_B)
    if (DATA_WIDTH_B == 36 && CEB)
      read <= {{memory[{{ad_B[13:5], 1'b1}}], memory[{{ad_B[13:5], 1'b0}}]}};
  assign {_vector("DOA", 18)} = DATA_WIDTH_B == 36 ? read[17:0] : do_A;
  assign {_vector("DOB", 18)} = DATA_WIDTH_B == 36 ? read[35:18] : do_B;
endmodule
"""


_SETTING = re.compile(r'\.(DATA_WIDTH|REGMODE)_[AB]\((?:32\'d(\d+)|"(\w+)")\)')


def check(netlist: str) -> None:
    """Raise ValueError if a memory of a netlist in Verilog has a setting that has no model."""
    for name, number, word in _SETTING.findall(netlist):
        if (number or word) not in ("9", "18", "36", "NOREG"):
            raise ValueError(f"there is no model of a DP16KD with {name} {number or word}")


def verilog() -> str:
    """Return the models in Verilog."""
    return "/* verilator lint_off UNUSED */\n" + multiplier() + memory()
