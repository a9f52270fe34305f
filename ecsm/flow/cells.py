# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist of a preset, compiled as a core: what the synthesiser made, simulated.

Yosys maps the preset to ECP5 cells (LUT4, CCU2C, TRELLIS_FF), Verilator compiles the netlist with
Yosys' own models of these cells, and :class:`ecsm.device.sim.SimDevice` drives it like the RTL.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ecsm.device.base import DeviceError
from ecsm.device.cache import Sources, build, content_key, entry
from ecsm.hdl.emit import emit
from ecsm.hdl.files import rtl_files
from ecsm.presets.store import Design

Log = Callable[[str], None]
SYNTHESIS = "synth_ecp5 -nowidelut"
NETLIST = "netlist.v"

# Yosys ends the process it runs in when a command fails, so it has one of its own.
_YOSYS = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    print("ecsm:", command.split()[0], flush=True)
    ys.run_pass(command, design)
"""


def cell_models() -> Path:
    """Return Yosys' simulation models of the ECP5 cells; raises :class:`DeviceError`."""
    try:
        import pyosys
    except ImportError:
        raise DeviceError("pyosys is not installed: run make demo") from None
    return Path(pyosys.__file__).parent / "share" / "ecp5" / "cells_sim.v"


def netlist(design: Design, log: Log | None = None) -> str:
    """Return the preset's netlist in Verilog, synthesising it if the cache lacks it.

    Raises :class:`DeviceError` if Yosys is missing or fails. ``log`` is told of progress.
    """
    tell = log or (lambda _: None)
    text, module = emit(design), design.preset.module
    models = cell_models()

    def make(work: Path, done: Path) -> None:
        source = work / f"{module}.sv"
        source.write_text(text, encoding="utf-8")
        files = " ".join(str(f) for f in (*rtl_files(), source))
        tell(f"synthesising {design.preset.name} for ECP5 (Yosys)")
        _yosys(
            work / "log",
            f"read_slang --top {module} {files}",
            f"{SYNTHESIS} -top {module}",
            "check -assert",
            f"write_verilog -noattr {done / NETLIST}",
        )

    key = content_key((text, SYNTHESIS), (*rtl_files(), models))
    return (entry(f"{design.preset.name}-netlist-{key}", make) / NETLIST).read_text("utf-8")


def _yosys(record: Path, *commands: str) -> None:
    with record.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            [sys.executable, "-c", _YOSYS, *commands], stdout=out, stderr=out, check=False
        )
    if done.returncode != 0:
        tail = "\n".join(record.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
        raise DeviceError(f"yosys failed with status {done.returncode}:\n{tail}")


def netlist_core(design: Design, log: Log | None = None, text: str | None = None) -> Path:
    """Return the path of the netlist's compiled core, for :class:`ecsm.device.sim.SimDevice`.

    ``text``: another netlist in place of the synthesised one, as a test's damaged copy. Raises
    :class:`DeviceError` if a tool is missing or fails.
    """
    models = cell_models()
    found = netlist(design, log) if text is None else text
    sources = Sources(
        f"{design.preset.name}-cells",
        design.preset.module,
        found,
        (models,),
        # Without the models of cells under their vendor's older names, which are there twice.
        (f"-I{models.parent}", "-DNO_INCLUDES"),
        ("-O1",),  # single bits have little to optimise, and a netlist runs few jobs
    )
    return build(design, sources, log)
