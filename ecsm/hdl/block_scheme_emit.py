# SPDX-License-Identifier: Apache-2.0
"""Emit a preset's schemes behind a bus: the bus's port, registers, streams, the scheme machine."""

from __future__ import annotations

from ecsm.hdl.buses import ADDRESS_BITS, Bus, Ports
from ecsm.hdl.machines import Machine
from ecsm.hdl.registers import Registers, register_rtl, scheme_registers
from ecsm.hdl.scheme_emit import CYCLE_BITS, SLOT_BITS, scheme_name
from ecsm.hdl.scheme_emit import PORTS as SCHEME_PORTS
from ecsm.presets.table import EveryPreset, netlist_name, netlist_of
from ecsm.presets.word import WordPreset
from ecsm.templates import render

DEPTH = 8  # words of strings, each way

SAMPLES = tuple(
    port
    for port in SCHEME_PORTS
    if port[2].startswith(("noise_", "test_")) and port[2] != "test_mode_o"
)


def block_scheme_ports(bus: Bus) -> Ports:
    """Return the ports of schemes behind a bus: direction, bits, name."""
    return (*bus.core_ports, *SAMPLES)


def block_scheme_name(p: EveryPreset, bus: Bus) -> str:
    """Return the name of the module with a preset's schemes behind a bus."""
    return f"{scheme_name(p)}_{bus.name}"


def emit_block_schemes(
    m: Machine, bus: Bus, wide: bool = False, self_test: bool = True
) -> dict[str, str]:
    """Return the generated modules' text by name, the top last; ``self_test``: see Machine."""
    r = scheme_registers(m.preset, m.program)
    top = _top(m.preset, bus, r, wide)
    return {**m.emit(self_test), **register_rtl(r), block_scheme_name(m.preset, bus): top}


def _top(p: EveryPreset, bus: Bus, r: Registers, wide: bool) -> str:
    return render(
        "hdl/block_schemes.sv",
        command=f"{netlist_name(p)} --schemes{' --wide' if wide else ''} --attach {bus.name}",
        curve=p.curve.name if len(netlist_of(p)) == 1 else "a curve that is loaded",
        name=block_scheme_name(p, bus),
        bus=bus,
        module=scheme_name(p),
        ports=block_scheme_ports(bus),
        address_bits=ADDRESS_BITS,
        quiet=0,
        registers=r.module,
        block=r.block,
        cycle_bits=CYCLE_BITS,
        slot_bits=SLOT_BITS,
        depth=DEPTH,
        zeros=int(not isinstance(p, WordPreset)),
        packs=int(isinstance(p, WordPreset) and not p.netlist),
        count=DEPTH.bit_length(),
    )
