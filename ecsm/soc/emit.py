# SPDX-License-Identifier: Apache-2.0
"""The generated top of a system on chip: the hand-written part and one unit in both places."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ecsm.device.extras import NotInstalled
from ecsm.hdl.axil_emit import BUS
from ecsm.hdl.axil_scheme_emit import SAMPLES
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.hdl.registers import ADDRESS_BITS

TOP = "soc"
PLACES = ("tc", "lc")
NONE = "ecsm_narrow_none"
_IRQ = "      .axil_irq_i(axil_irq)"
IGNORED = ("axil_awprot_i", "axil_arprot_i", "axil_bresp_o", "axil_rresp_o")
"""Signals of a block that the system has not: protection, and errors that the block keeps."""


def cpu_file() -> Path:
    """Return VexRiscv with its custom function unit, from its wheel; raises DeviceError."""
    try:
        import pythondata_cpu_vexriscv
    except ImportError:
        raise NotInstalled("pythondata_cpu_vexriscv") from None
    return Path(pythondata_cpu_vexriscv.data_file("VexRiscv_FullCfu.v"))


def soc_files(text: str) -> list[Path]:
    """Return the hand-written files that ``text`` needs, packages first; the CPU is not one."""
    return needed(text, [*rtl_files(), *sorted((RTL / "soc").glob("*.sv"))])


def soc_top(
    tc: str = NONE,
    lc: str = NONE,
    block: str = "",
    noise: bool = True,
    custom: bool = False,
    divisor: int = 434,
) -> str:
    """Return the module ``soc``; ``tc`` and ``lc`` name the modules at the two narrow ports.

    ``block``: the module behind AXI4-Lite, ``custom``: behind the custom instruction instead;
    ``noise``: whether it takes samples of noise; ``divisor``: clock cycles of a bit on the UART.
    """
    wires = "\n".join([*(_wires(place) for place in PLACES), _bus_wires()])
    ports = ",\n".join([*_soc_ports(PLACES), _bus_ports(), _IRQ])
    modules = {"tc": tc, "lc": lc}
    units = [_unit(place, modules[place]) for place in PLACES if place == "lc" or not custom]
    if custom:
        units += [_CUSTOM, _block(block, "own", noise), _no_block(noise=False)]
    else:
        units += [_block(block, "axil", noise) if block else _no_block(noise=True)]
    return _TOP.format(divisor=divisor, wires=wires, ports=ports, units="\n".join(units))


def _wires(place: str) -> str:
    bits = ("req_valid", "req_ready", "rsp_valid", "rsp_ready")
    names = ", ".join(f"{place}_{name}" for name in bits)
    return f"  logic {names};\n  ecsm_narrow_pkg::req_t {place}_req;\n  logic [31:0] {place}_rsp;"


def _soc_ports(places: Iterable[str]) -> list[str]:
    names = (
        ("req_valid", "o"), ("req_ready", "i"), ("req", "o"),
        ("rsp_valid", "i"), ("rsp_ready", "o"), ("rsp", "i"),
    )  # fmt: skip
    return [f"      .{place}_{n}_{way}({place}_{n})" for place in places for n, way in names]


def _unit(place: str, module: str) -> str:
    return f"""\
  {module} u_{place} (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .zeroize_i(1'b0),
      .req_valid_i({place}_req_valid),
      .req_ready_o({place}_req_ready),
      .req_i({place}_req),
      .rsp_valid_o({place}_rsp_valid),
      .rsp_ready_i({place}_rsp_ready),
      .rsp_o({place}_rsp)
  );
"""


def _bus() -> list[tuple[str, int, str]]:
    """The bus's signals as the block has them: direction, bits, name."""
    return [port for port in BUS if port[2] not in IGNORED]


def _bus_wires(bus: str = "axil") -> str:
    wires = [f"  logic [{bits - 1}:0] {_wire(name, bus)};" for _, bits, name in _bus()]
    return "\n".join([*wires, f"  logic {bus}_irq;"])


def _wire(name: str, bus: str) -> str:
    return f"{bus}{name.removeprefix('axil')[:-2]}"


def _bus_ports(bus: str = "axil") -> str:
    """The same signals at a manager, whose directions are the other ones."""
    turned = {"i": "o", "o": "i"}
    pairs = [(f"{name[:-1]}{turned[name[-1]]}", _wire(name, bus)) for _, _, name in _bus()]
    return ",\n".join(f"      .{port}({wire})" for port, wire in pairs)


def _block(module: str, bus: str, noise: bool) -> str:
    ties = {
        "clk_i": "clk_i", "rst_ni": "rst_ni", "zeroize_i": "1'b0", "irq_o": f"{bus}_irq",
        "axil_awprot_i": "3'b000", "axil_arprot_i": "3'b000",
        "axil_bresp_o": "unused_bresp", "axil_rresp_o": "unused_rresp",
    }  # fmt: skip
    test = {"test_valid_i": "1'b0", "test_ready_o": "unused_test", "test_data_i": "8'h00"}
    pairs = [*(ties | test if noise else ties).items()]
    pairs += [(name, _wire(name, bus)) for _, _, name in _bus()]
    pairs += [(name, name) for _, _, name in SAMPLES if noise and name.startswith("noise")]
    ports = ",\n".join(f"      .{port}({wire})" for port, wire in pairs)
    return f"""\
  logic [1:0] unused_bresp, unused_rresp;
{"  logic unused_test;" if noise else _NO_NOISE}
  {module} {"u_schemes" if noise else "u_core"} (
{ports}
  );
"""


_NO_NOISE = """\
  logic unused_noise;
  assign unused_noise = ^{noise_valid_i, noise_data_i};
  assign noise_ready_o = 1'b0;"""


def _no_block(noise: bool) -> str:
    """Nothing behind the system's AXI4-Lite: every access is answered, with 0."""
    unused = "noise_valid_i, noise_data_i, " if noise else ""
    ready = "  assign noise_ready_o = 1'b0;\n" if noise else ""
    return f"""\
  logic unused_block;
  assign unused_block = ^{{{unused}axil_awaddr, axil_wdata, axil_wstrb,
                          axil_araddr, axil_bready, axil_rready}};
{ready}\
  assign axil_irq = 1'b0;
  assign axil_awready = 1'b1;
  assign axil_wready = 1'b1;
  assign axil_arready = 1'b1;
  assign axil_bvalid = axil_awvalid & axil_wvalid;
  assign axil_rvalid = axil_arvalid;
  assign axil_rdata = '0;
"""


# The block's registers as a custom instruction, on a bus of their own.
_CUSTOM = f"""\
  logic own_cyc, own_we, own_ack, unused_irq;
  logic [{ADDRESS_BITS - 3}:0] own_address;
  logic [31:0] own_out, own_in;
{_bus_wires("own")}
  assign unused_irq = own_irq;
  ecsm_soc_custom #(
      .AddressW({ADDRESS_BITS})
  ) u_custom (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .req_valid_i(tc_req_valid),
      .req_ready_o(tc_req_ready),
      .req_i(tc_req),
      .rsp_valid_o(tc_rsp_valid),
      .rsp_ready_i(tc_rsp_ready),
      .rsp_o(tc_rsp),
      .cyc_o(own_cyc),
      .we_o(own_we),
      .address_o(own_address),
      .data_o(own_out),
      .ack_i(own_ack),
      .data_i(own_in)
  );
  ecsm_soc_axil #(
      .AddressW({ADDRESS_BITS})
  ) u_own (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .cyc_i(own_cyc),
      .we_i(own_we),
      .sel_i(4'hf),
      .address_i(own_address),
      .data_i(own_out),
      .ack_o(own_ack),
      .data_o(own_in),
{_bus_ports("own")}
  );
"""

_TOP = """\
// SPDX-License-Identifier: Apache-2.0
//
// Generated by: ecsm soc. Do not edit.
//
// The system on chip of rtl/soc/ecsm_soc.sv with its accelerators.
// noise_*: samples of a noise source.
`default_nettype none

module soc (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        uart_rx_i,
    output logic        uart_tx_o,
    output logic        exit_valid_o,
    output logic [31:0] exit_status_o,
    input  logic        noise_valid_i,
    output logic        noise_ready_o,
    input  logic [ 7:0] noise_data_i
);

{wires}

  ecsm_soc #(
      .NumWord(16384),
      .Divisor({divisor}),
      .Image("")
  ) u_soc (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .uart_rx_i(uart_rx_i),
      .uart_tx_o(uart_tx_o),
      .exit_valid_o(exit_valid_o),
      .exit_status_o(exit_status_o),
{ports}
  );

{units}
endmodule

`default_nettype wire
"""
