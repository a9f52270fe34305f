# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist of a preset, simulated as a core.

Yosys maps the preset to ECP5 cells. Verilator compiles the netlist with Yosys' models of the cells,
and with those of :mod:`ecsm.backend.cell_models` for multipliers and block memories.
:class:`ecsm.device.sim.SimDevice` drives it like the RTL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ecsm.backend import cell_models, synth
from ecsm.backend.tool import FlowError
from ecsm.cores.design import AnyDesign
from ecsm.device.base import DeviceError
from ecsm.device.extras import NotInstalled
from ecsm.progress import Progress
from ecsm.results.sources import sources
from ecsm.sim.cache import Sources, build

# Without the models of cells under their vendor's older names, which are there twice.
MODEL_FLAGS = ("-DNO_INCLUDES",)

Log = Callable[[str], None]


def yosys_models() -> tuple[Path, ...]:
    """Return Yosys' models of the ECP5 cells, for :data:`MODEL_FLAGS`.

    Raises :class:`DeviceError`.
    """
    try:
        import pyosys
    except ImportError:
        raise NotInstalled("pyosys") from None
    folder = Path(pyosys.__file__).parent / "share" / "ecp5"
    return folder / "common_sim.vh", folder / "ccu2c_sim.vh"


def netlist(design: AnyDesign) -> str:
    """Return the preset's netlist in Verilog: that of ``ecsm synth``, from the cache or made anew.

    Raises :class:`DeviceError` if Yosys is missing or fails.
    """
    try:
        with Progress() as progress:
            return synth.netlist(sources(design), "ecp5", progress).verilog.read_text("utf-8")
    except FlowError as error:
        raise DeviceError(str(error)) from None


def netlist_core(design: AnyDesign, log: Log | None = None, text: str | None = None) -> Path:
    """Return the path of the netlist's compiled core, for :class:`ecsm.device.sim.SimDevice`.

    ``text``: another netlist in place of the synthesised one, as a test's damaged copy. Raises
    :class:`DeviceError` if a tool is missing or fails.
    """
    models = yosys_models()
    found = netlist(design) if text is None else text
    try:
        cell_models.check(found)
    except ValueError as error:
        raise DeviceError(f"{design.preset.name}: {error}") from None
    gates = Sources(
        f"{design.preset.name}-cells",
        design.preset.module,
        cell_models.verilog() + found,
        models,
        MODEL_FLAGS,
        ("-O1",),  # single bits have little to optimise, and a netlist runs few jobs
    )
    return build(design, gates, log)
