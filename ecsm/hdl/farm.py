# SPDX-License-Identifier: Apache-2.0
"""Emit a farm: N cores of one preset with the ports of one, around rtl/attach/ecsm_farm.sv."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.word import WordPreset
from ecsm.templates import render

MOST_ENGINES = 64

# Cycles, as rtl/attach/ecsm_farm.sv states them.
LATENCY = 1 + 3  # of the farm, beside the engine's own: on the way in and out
TURN = 2  # in which an engine that could take a job waits for it, though one is offered


def check_engines(engines: int) -> None:
    """Raise ValueError for a number of engines that no farm has."""
    if not (isinstance(engines, int) and 1 <= engines <= MOST_ENGINES):
        raise ValueError(f"{engines!r} engines: a farm has 1 to {MOST_ENGINES}")


def no_farm(p: AnyPreset | WordPreset) -> str | None:
    """Return why there is no farm of a preset's engines, None if there can be one."""
    if isinstance(p, WordPreset):
        return f"{p.name} has no kP port, and there is no farm of it"
    if p.random_bits:
        return f"{p.name} takes random words by a port of its own, which no farm has yet"
    return None


def top_name(p: AnyPreset, engines: int = 1) -> str:
    """Return the name of the top module: the preset's, of one engine, or its farm's."""
    return p.module if engines == 1 else f"{p.module}_farm{engines}"


def build_command(p: AnyPreset, engines: int = 1) -> str:
    """Return the arguments of ``ecsm build`` that make it."""
    return p.name if engines == 1 else f"{p.name} --engines {engines}"


def latency(engines: int) -> int:
    """Return the cycles that a job takes beside those that its engine counts."""
    return 0 if engines == 1 else LATENCY


def emit_modules(design: AnyDesign, engines: int = 1) -> dict[str, str]:
    """Return the generated modules' text by name, the top last; raises ValueError.

    One engine is the preset's module and nothing else.
    """
    check_engines(engines)
    if engines > 1 and (why := no_farm(design.preset)):
        raise ValueError(why)
    modules = {design.preset.module: emit(design)}
    if engines > 1:
        modules[top_name(design.preset, engines)] = _farm(design.preset, engines)
    return modules


def _farm(p: AnyPreset, engines: int) -> str:
    """Return the SystemVerilog text of the farm's top."""
    return render(
        "hdl/farm.sv",
        **facts(p),
        command=build_command(p, engines),
        name=top_name(p, engines),
        engines=engines,
    )
