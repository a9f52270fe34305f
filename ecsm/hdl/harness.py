# SPDX-License-Identifier: Apache-2.0
"""Emit the harness in which a core is placed and routed: few pins, registers all around.

A core has more port bits than a package has pins, and paths from and to pins would be measured
with delays that no system has. So the request comes from a shift register, the response goes to
one, and every control pin has a register. Nothing of the core is constant or unread, so nothing
is optimised away. The reset goes straight to the core, as it would from a reset tree.
"""

from __future__ import annotations

from ecsm.hdl.engines.module import facts
from ecsm.hdl.scheme_emit import PORTS
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.word import WordPreset
from ecsm.templates import render

CORE = "u_core"  # the core's instance: what is not below it is the harness
_STRAIGHT = ("clk_i", "rst_ni")
_OWN = (("input ", 1, "shift_i"), ("input ", 1, "serial_i"), ("output", 1, "serial_o"))


def harness_name(p: AnyPreset | WordPreset) -> str:
    """Return the name of the harness's module."""
    return f"pnr_{p.module}"


def harness(p: AnyPreset | WordPreset) -> str:
    """Return the SystemVerilog text of the harness around preset ``p``'s core."""
    if isinstance(p, WordPreset):
        return _around_schemes(p)
    return render("hdl/harness.sv", **facts(p), name=harness_name(p), core=CORE)


def schemes_port_text(p: WordPreset) -> str:
    """Return the module of a machine without its inside."""
    return render("hdl/ports_schemes.sv", preset=p.name, module=p.module, ports=PORTS)


def _around_schemes(p: WordPreset) -> str:
    """Return the harness of a machine: ports of one bit are pins, the others are shifted."""
    pins = [row for row in PORTS if row[1] == 1]
    inputs, outputs = ([r for r in PORTS if r[1] > 1 and r[0].strip() == way]
                       for way in ("input", "output"))  # fmt: skip
    connected = {port: f"{port}_{'q' if way.strip() == 'input' else 'd'}" for way, _, port in pins}
    connected |= {port: port for port in _STRAIGHT}
    for rows, register in ((inputs, "in_q"), (outputs, "out")):
        top = sum(bits for _, bits, _ in rows)
        for _, bits, port in rows:
            connected[port] = f"{register}[{top - 1}:{top - bits}]"
            top -= bits
    return render(
        "hdl/harness_schemes.sv",
        preset=p.name,
        curve=p.curve.name,
        name=harness_name(p),
        module=p.module,
        core=CORE,
        pins=[*pins[:2], *_OWN, *pins[2:]],
        inputs=inputs,
        outputs=outputs,
        ways_in=[r for r in pins[2:] if r[0].strip() == "input"],
        ways_out=[r for r in pins[2:] if r[0].strip() == "output"],
        connected={port: connected[port] for _, _, port in PORTS},
    )
