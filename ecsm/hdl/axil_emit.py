# SPDX-License-Identifier: Apache-2.0
"""Emit a core behind AXI4-Lite: bus port, registers, operands and job, the preset's core."""

from __future__ import annotations

from collections.abc import Iterable

from ecsm.cores.design import AnyDesign
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import CYCLE_BITS, computed, job_connections, job_signals
from ecsm.hdl.registers import ADDRESS_BITS, Registers, core_registers, register_rtl, words
from ecsm.presets.gfp_table import AnyPreset

BUS = (
    ("input ", 1, "axil_awvalid_i"),
    ("output", 1, "axil_awready_o"),
    ("input ", ADDRESS_BITS, "axil_awaddr_i"),
    ("input ", 3, "axil_awprot_i"),
    ("input ", 1, "axil_wvalid_i"),
    ("output", 1, "axil_wready_o"),
    ("input ", 32, "axil_wdata_i"),
    ("input ", 4, "axil_wstrb_i"),
    ("output", 1, "axil_bvalid_o"),
    ("input ", 1, "axil_bready_i"),
    ("output", 2, "axil_bresp_o"),
    ("input ", 1, "axil_arvalid_i"),
    ("output", 1, "axil_arready_o"),
    ("input ", ADDRESS_BITS, "axil_araddr_i"),
    ("input ", 3, "axil_arprot_i"),
    ("output", 1, "axil_rvalid_o"),
    ("input ", 1, "axil_rready_i"),
    ("output", 32, "axil_rdata_o"),
    ("output", 2, "axil_rresp_o"),
)
"""Direction, bits, name of the bus's signals."""

CLOCKS = (("input ", 1, "clk_i"), ("input ", 1, "rst_ni"), ("input ", 1, "zeroize_i"))
CORE_PORTS = (*CLOCKS, *BUS, ("output", 1, "irq_o"))
"""The same of the module around a core."""


def axil_name(p: AnyPreset) -> str:
    """Return the name of the module with a preset's core behind AXI4-Lite."""
    return f"{p.module}_axil"


def emit_axil_core(d: AnyDesign) -> dict[str, str]:
    """Return the generated modules' text by name, the top last."""
    p = d.preset
    r = core_registers(p)
    return {p.module: emit(d), **register_rtl(r), axil_name(p): _top(p, r)}


def port_text(ports: Iterable[tuple[str, int, str]]) -> str:
    """Return a list of ports."""
    return ",\n".join(
        f"    {way} logic {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
        for way, bits, name in ports
    )


def bus_text(r: Registers) -> str:
    """Return what every block has: the bus's port and its registers.

    Uses ``refuse``, an access that the block refuses, and gives ``accepted``, one that it does not;
    ``zeroize`` clears what waits for the bus.
    """
    connect = ",\n".join(f"      .{name}({name})" for _, _, name in BUS if "prot" not in name)
    return _BUS.format(connect=connect, regs=r.module, block=r.block, bits=ADDRESS_BITS)


def _top(p: AnyPreset, r: Registers) -> str:
    scalars = 2 if p.double else 1
    names = ["SCALAR", "SCALAR_G"][:scalars]
    return _TEMPLATE.format(
        command=f"{p.name} --attach axil",
        computed=computed(p),
        curve=p.curve.name,
        module=p.module,
        name=axil_name(p),
        ports=port_text(CORE_PORTS),
        bus=bus_text(r),
        common=COMMON,
        scalars=scalars,
        scalar=p.scalar_bits // scalars,
        coord=p.coordinate_bits,
        scalar_words=words(p.scalar_bits // scalars),
        words=words(p.coordinate_bits),
        cycle=CYCLE_BITS,
        signals=job_signals(p),
        user=job_connections(p, user=True, without="tag"),
        core=job_connections(p),
        windows="\n".join(
            f"    assign scalar_write[{i}][i] = out.{name}[i].req;\n"
            f"    assign in.{name}[i].wr_ack = out.{name}[i].req;"
            for i, name in enumerate(names)
        ),
    )


_BUS = """\
  logic req, write, error, refuse, width, zeroize;
  logic [{bits} - 1:0] address;
  logic [31:0] wdata, rdata;

  ecsm_axil_port #(
      .AddressW({bits})
  ) u_port (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize),
{connect},
      .req_o(req),
      .write_o(write),
      .address_o(address),
      .wdata_o(wdata),
      .rdata_i(rdata),
      .error_i(error | refuse),
      .width_o(width)
  );

  {regs}_pkg::{block}__in_t in;
  {regs}_pkg::{block}__out_t out;
  logic read_error, write_error;
  // Every access is made in its cycle: nothing stalls.
  logic unused_stall_wr, unused_stall_rd, unused_rd_ack, unused_wr_ack;
  logic [5:0] unused_prot;
  assign error = write ? write_error : read_error;
  assign unused_prot = {{axil_awprot_i, axil_arprot_i}};

  {regs} u_regs (
      .clk(clk_i),
      .arst_n(rst_ni),
      .s_cpuif_req(req),
      .s_cpuif_req_is_wr(write),
      .s_cpuif_addr(address),
      .s_cpuif_wr_data(wdata),
      .s_cpuif_wr_biten('1),
      .s_cpuif_req_stall_wr(unused_stall_wr),
      .s_cpuif_req_stall_rd(unused_stall_rd),
      .s_cpuif_rd_ack(unused_rd_ack),
      .s_cpuif_rd_err(read_error),
      .s_cpuif_rd_data(rdata),
      .s_cpuif_wr_ack(unused_wr_ack),
      .s_cpuif_wr_err(write_error),
      .hwif_in(in),
      .hwif_out(out)
  );
"""

COMMON = """\
  assign in.COMMAND.wr_ack = out.COMMAND.req;
  assign in.JOB.wr_ack = out.JOB.req & write;
  assign in.JOB.rd_ack = out.JOB.req & ~write;
  assign in.STATUS.busy.next = busy;
  assign in.STATUS.answer.next = answer;
  assign in.STATUS.code.next = status;
  assign in.CYCLES.value.next = cycles;
  assign in.ERROR.address.next = req & error;
  assign in.ERROR.width.next = width;
  assign in.ERROR.locked.next = locked;
  assign in.ERROR.command.next = command;
  assign in.INTR_STATE.done.next = done | out.INTR_TEST.done.value;
  assign in.INTR_STATE.error.next = (req & error) | width | refuse | out.INTR_TEST.error.value;
  assign irq_o = out.INTR_STATE.intr;
"""
"""What both blocks give their registers alike."""

_TEMPLATE = """\
// SPDX-License-Identifier: Apache-2.0
//
// Generated by: ecsm build {command}. Do not edit.
//
// {computed} on {curve}: the core {module} behind AXI4-Lite.
// Registers: rtl/attach/ecsm_regs.rdl, ecsm_axil_core. Bus: rtl/attach/ecsm_axil_port.sv.
// zeroize_i does what the command does. irq_o is high while an enabled interrupt is pending.

`default_nettype none

module {name} (
{ports}
);

{bus}
  // ------------------------------------------------------------------ operands, job, result
  logic [{scalars} - 1:0][{scalar_words} - 1:0] scalar_write;
  logic [{words} - 1:0] x_write, y_write, x_read, y_read;
  logic [{words} - 1:0][31:0] result_x, result_y;
  logic locked, command, operand, done, busy, answer, result_infinity, infinity;
  logic [3:0] operation;
  logic [31:0] cycles;
  ecsm_pkg::status_e status;

{signals}
  logic unused_tag;
  assign req_tag = '0;
  assign unused_tag = ^rsp_tag;

  for (genvar i = 0; i < {scalar_words}; i++) begin : gen_scalar
{windows}
  end
  for (genvar i = 0; i < {words}; i++) begin : gen_point
    assign x_write[i] = out.X[i].req;
    assign in.X[i].wr_ack = out.X[i].req;
    assign y_write[i] = out.Y[i].req;
    assign in.Y[i].wr_ack = out.Y[i].req;
    assign x_read[i] = out.RESULT_X[i].req;
    assign in.RESULT_X[i].rd_ack = out.RESULT_X[i].req;
    assign in.RESULT_X[i].rd_data = result_x[i];
    assign y_read[i] = out.RESULT_Y[i].req;
    assign in.RESULT_Y[i].rd_ack = out.RESULT_Y[i].req;
    assign in.RESULT_Y[i].rd_data = result_y[i];
  end

  ecsm_axil_core #(
      .ScalarW({scalar}),
      .Scalars({scalars}),
      .CoordW({coord}),
      .CycleW({cycle})
  ) u_axil (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .zeroize_i(zeroize_i),
      .command_write_i(out.COMMAND.req),
      .job_write_i(out.JOB.req & write),
      .scalar_write_i(scalar_write),
      .x_write_i(x_write),
      .y_write_i(y_write),
      .result_read_i((|x_read) | (|y_read)),
      .data_i(wdata),
      .locked_o(locked),
      .command_o(command),
      .operand_o(operand),
      .zeroize_o(zeroize),
      .operation_o(operation),
      .infinity_o(infinity),
      .busy_o(busy),
      .answer_o(answer),
      .done_o(done),
      .result_infinity_o(result_infinity),
      .status_o(status),
      .cycles_o(cycles),
      .result_x_o(result_x),
      .result_y_o(result_y),
{user}
  );

  assign refuse = locked | command | operand;
{common}
  assign in.JOB.rd_data = {{23'd0, infinity, 4'd0, operation}};
  assign in.STATUS.infinity.next = result_infinity;
  assign in.ERROR.operand.next = operand;

  {module} u_core (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .zeroize_i(zeroize),
{core}
  );

endmodule

`default_nettype wire
"""
