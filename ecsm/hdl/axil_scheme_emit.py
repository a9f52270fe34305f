# SPDX-License-Identifier: Apache-2.0
"""Emit a preset's schemes behind AXI4-Lite: bus port, registers, streams, the scheme machine."""

from __future__ import annotations

from ecsm.hdl.axil_emit import CORE_PORTS
from ecsm.hdl.machines import Machine
from ecsm.hdl.registers import ADDRESS_BITS, Registers, register_rtl, scheme_registers
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

PORTS = (*CORE_PORTS, *SAMPLES)
"""Direction, bits, name."""


def axil_scheme_name(p: EveryPreset) -> str:
    """Return the name of the module with a preset's schemes behind AXI4-Lite."""
    return f"{scheme_name(p)}_axil"


def emit_axil_schemes(m: Machine, wide: bool = False, self_test: bool = True) -> dict[str, str]:
    """Return the generated modules' text by name, the top last; ``self_test``: see Machine."""
    r = scheme_registers(m.preset, m.program)
    top = _top(m.preset, r, wide)
    return {**m.emit(self_test), **register_rtl(r), axil_scheme_name(m.preset): top}


def _top(p: EveryPreset, r: Registers, wide: bool) -> str:
    return render(
        "hdl/axil_schemes.sv",
        command=f"{netlist_name(p)} --schemes{' --wide' if wide else ''} --attach axil",
        curve=p.curve.name if len(netlist_of(p)) == 1 else "a curve that is loaded",
        name=axil_scheme_name(p),
        module=scheme_name(p),
        ports=PORTS,
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
