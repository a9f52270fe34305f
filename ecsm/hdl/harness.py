# SPDX-License-Identifier: Apache-2.0
"""Emit the harness in which a core is placed and routed: few pins, registers all around.

A core has more port bits than a package has pins, and paths from and to pins would be measured
with delays that no system has. So the request comes from a shift register, the response goes to
one, and every control pin has a register. Nothing of the core is constant or unread, so nothing
is optimised away. The reset goes straight to the core, as it would from a reset tree.
"""

from __future__ import annotations

from ecsm.hdl.engines.module import facts
from ecsm.presets.gfp_table import AnyPreset
from ecsm.templates import render

CORE = "u_core"  # the core's instance: what is not below it is the harness


def harness_name(p: AnyPreset) -> str:
    """Return the name of the harness's module."""
    return f"pnr_{p.module}"


def harness(p: AnyPreset) -> str:
    """Return the SystemVerilog text of the harness around preset ``p``'s core."""
    return render("hdl/harness.sv", **facts(p), name=harness_name(p), core=CORE)
