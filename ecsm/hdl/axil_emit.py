# SPDX-License-Identifier: Apache-2.0
"""Emit a core behind AXI4-Lite: bus port, registers, operands and job, the preset's core."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.hdl.registers import ADDRESS_BITS, Registers, core_registers, register_rtl, words
from ecsm.presets.gfp_table import AnyPreset
from ecsm.templates import render

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


def _top(p: AnyPreset, r: Registers) -> str:
    scalars = 2 if p.double else 1
    return render(
        "hdl/axil.sv",
        **facts(p),
        command=f"{p.name} --attach axil",
        name=axil_name(p),
        ports=CORE_PORTS,
        address_bits=ADDRESS_BITS,
        quiet=1,
        registers=r.module,
        block=r.block,
        scalars=scalars,
        scalar_words=words(p.scalar_bits // scalars),
        words=words(p.coordinate_bits),
    )
