# SPDX-License-Identifier: Apache-2.0
"""What several tests of the flow share: netlists, results, the command line in a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ecsm.backend.netlist import area
from ecsm.progress import Progress
from ecsm.resources import resource
from ecsm.results.record import DEVICE, Origin, Pnr, Run, Synth

ROOT = resource()


class Told(Progress):
    """Keep what would be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def __call__(self, message: str) -> None:
        self.lines.append(message)

    def often(self, message: str) -> None:
        self.lines.append(message)


def module(netlist: Path) -> dict[str, Any]:
    """Return the one module of a JSON netlist."""
    (found,) = json.loads(netlist.read_text(encoding="utf-8"))["modules"].values()
    return dict(found)


def ecsm(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m ecsm``; no command may ever show a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", *map(str, args)],
        capture_output=True, text=True, check=False, timeout=280,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def origin(rtl: str = "0", commit: str | None = "0123456789ab", dirty: bool = False) -> Origin:
    return Origin("ecsm something", rtl, commit, dirty, {"ecsm": "0", "yosys": "0"})


def a_synth(
    preset: str, target: str = "ecp5", rtl: str = "0", lut: int = 1000, dsp: int = 3
) -> Synth:
    cells = {
        "ecp5": {"LUT4": lut, "TRELLIS_FF": 20, "MULT18X18D": dsp},
        "xc7": {"LUT6": lut, "FDRE": 20, "DSP48E1": dsp},
        "gowin": {"LUT4": lut, "DFF": 20, "MULT18X18": dsp},
        "cmos": {"$_NAND_": lut - 80, "$_DFF_P_": 20},  # four gates each
    }[target]
    size = area(target, cells)
    return Synth(preset, "c", target, 342, size, 9, cells, ["synth"], 1.5, 100, origin(rtl))


def a_run(seed: int = 1, requested: float = 100.0, mhz: float | None = 60.0, **rest: Any) -> Run:
    fields = {"options": "--x", "failure": "" if mhz else "unroutable", "seconds": 10.0, **rest}
    return Run(seed=seed, requested_mhz=requested, mhz=mhz, peak_mb=1, **fields)


def a_pnr(preset: str, rtl: str = "0", mhz: float = 60.0) -> Pnr:
    us, runs = round(342 / mhz, 3), [a_run(mhz=mhz)]
    return Pnr(preset, "c", DEVICE, 342, "k", mhz, mhz - 1, us, runs, origin(rtl))
