# SPDX-License-Identifier: Apache-2.0
"""Models of the ECP5 cells that Yosys has no model of: the multiplier and the block memory.

The models cover what the flow makes of RTL. A multiplier has an output register or none. A memory
has words of 1, 9 or 18 bits, or of 36 bits if one port writes and the other reads, and an output
register or none; :func:`check` refuses other memories. The models ignore the pins that Yosys ties
to zero: cascades of multipliers, the reset of a memory's output.

Source: Lattice FPGA-TN-02204, ECP5 and ECP5-5G Memory Usage Guide; FPGA-TN-02205, sysDSP Usage
Guide; and how Yosys' own ``lattice/brams_map_16kd.v`` wires and fills the memory.
"""

from __future__ import annotations

import re

from ecsm.templates import render

_SETTING = re.compile(r'\.(DATA_WIDTH|REGMODE)_[AB]\((?:32\'d(\d+)|"(\w+)")\)')


def check(netlist: str) -> None:
    """Raise ValueError if a memory of a netlist in Verilog has a setting that has no model."""
    for name, number, word in _SETTING.findall(netlist):
        if (number or word) not in ("1", "9", "18", "36", "NOREG", "OUTREG"):
            raise ValueError(f"there is no model of a DP16KD with {name} {number or word}")


def verilog() -> str:
    """Return the models in Verilog."""
    return render("backend/ecp5_cells.v", bits=_bits, vector=_vector)


def _bits(name: str, width: int) -> str:
    return ", ".join(f"{name}{i}" for i in range(width))


def _vector(name: str, width: int) -> str:
    return "{" + ", ".join(f"{name}{i}" for i in reversed(range(width))) + "}"
