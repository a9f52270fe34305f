# SPDX-License-Identifier: Apache-2.0
"""Emit a core or a farm behind AXI4-Stream: jobs and answers are packets."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.buses import CLOCKS
from ecsm.hdl.engines.module import facts
from ecsm.hdl.farm import build_command, emit_modules, top_name
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import EveryPreset
from ecsm.templates import render

BEAT = 64

STREAMS = (
    ("input ", 1, "s_axis_tvalid_i"),
    ("output", 1, "s_axis_tready_o"),
    ("input ", BEAT, "s_axis_tdata_i"),
    ("input ", BEAT // 8, "s_axis_tkeep_i"),
    ("input ", 1, "s_axis_tlast_i"),
    ("output", 1, "m_axis_tvalid_o"),
    ("input ", 1, "m_axis_tready_i"),
    ("output", BEAT, "m_axis_tdata_o"),
    ("output", BEAT // 8, "m_axis_tkeep_o"),
    ("output", 1, "m_axis_tlast_o"),
    ("output", 1, "m_axis_tuser_o"),
)

PORTS = (*CLOCKS, *STREAMS)
"""Direction, bits, name."""


def axis_name(p: AnyPreset, engines: int = 1) -> str:
    """Return the name of the module with a preset's core or farm behind AXI4-Stream."""
    return f"{top_name(p, engines)}_axis"


def beats(p: EveryPreset) -> tuple[int, int]:
    """Return the beats of a job and of an answer."""
    scalars = 2 if p.double else 1
    coordinate = -(-p.coordinate_bits // BEAT)
    scalar = -(-p.scalar_bits // scalars // BEAT)
    return 1 + scalars * scalar + 2 * coordinate, 1 + 2 * coordinate


def emit_axis(d: AnyDesign, engines: int = 1) -> dict[str, str]:
    """Return the generated modules' text by name, the top last; raises ValueError."""
    return {**emit_modules(d, engines), axis_name(d.preset, engines): _top(d.preset, engines)}


def _top(p: AnyPreset, engines: int) -> str:
    job, answer = beats(p)
    return render(
        "hdl/axis.sv",
        **(facts(p) | {"module": top_name(p, engines)}),
        command=f"{build_command(p, engines)} --attach stream",
        name=axis_name(p, engines),
        job=job,
        answer=answer,
        ports=PORTS,
        scalars=2 if p.double else 1,
    )
