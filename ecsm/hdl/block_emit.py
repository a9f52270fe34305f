# SPDX-License-Identifier: Apache-2.0
"""Emit a core behind a bus: the bus's port, registers, operands and job, the preset's core."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.buses import ADDRESS_BITS, Bus
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.hdl.registers import Registers, core_registers, register_rtl, words
from ecsm.presets.gfp_table import AnyPreset
from ecsm.templates import render


def block_name(p: AnyPreset, bus: Bus) -> str:
    """Return the name of the module with a preset's core behind a bus."""
    return f"{p.module}_{bus.name}"


def emit_block(d: AnyDesign, bus: Bus) -> dict[str, str]:
    """Return the generated modules' text by name, the top last."""
    p = d.preset
    r = core_registers(p)
    return {p.module: emit(d), **register_rtl(r), block_name(p, bus): _top(p, bus, r)}


def _top(p: AnyPreset, bus: Bus, r: Registers) -> str:
    scalars = 2 if p.double else 1
    return render(
        "hdl/block_core.sv",
        **facts(p),
        command=f"{p.name} --attach {bus.name}",
        name=block_name(p, bus),
        bus=bus,
        ports=bus.core_ports,
        address_bits=ADDRESS_BITS,
        quiet=1,
        registers=r.module,
        block=r.block,
        scalars=scalars,
        scalar_words=words(p.scalar_bits // scalars),
        words=words(p.coordinate_bits),
    )
