# SPDX-License-Identifier: Apache-2.0
"""Move registers behind block memories into the output registers of the memories.

Yosys does not use these registers. The word of a port is moved if each of its bits is read by one
flip-flop and nothing else, and all flip-flops have the rising edge of the port's clock, no enable,
no reset and the initial value zero. The port must always read: it has no enable and no reset. The
memory's output register then replaces the flip-flops.

Source: Lattice FPGA-TN-02204, ECP5 and ECP5-5G Memory Usage Guide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ecsm.backend.dsp_registers import Cells, Readers, readers_of, registers_behind

MEMORY = "DP16KD"
VERSION = 1  # of what is done here: netlists in the cache are of it
_WIDE = 36  # bits of a word that leaves by both ports, of which port B reads
_WORD = {port: [f"DO{port}{i}" for i in range(18)] for port in "AB"}


def pack(module: Mapping[str, Any]) -> int:
    """Move registers of a mapped module into its memories; return how many ports took theirs."""
    cells: Cells = module["cells"]
    readers = readers_of(module)
    return sum(
        _pack(cells, cell, readers) for cell in list(cells.values()) if cell["type"] == MEMORY
    )


def _pack(cells: Cells, memory: dict[str, Any], readers: Readers) -> int:
    """Move what can go into a memory; return how many ports took theirs."""
    if _number(memory["parameters"]["DATA_WIDTH_B"]) == _WIDE:
        return _take(cells, memory, readers, "AB", "B")
    return sum(_take(cells, memory, readers, port, port) for port in "AB")


def _take(cells: Cells, memory: dict[str, Any], readers: Readers, ports: str, reads: str) -> int:
    """Move the registers of a word that leaves by ``ports`` and is read by the port ``reads``."""
    settings, pins = memory["parameters"], memory["connections"]
    if any(settings.get(f"REGMODE_{port}", "NOREG") != "NOREG" for port in ports):
        return 0  # it has its register
    if not _always_reads(settings, pins, reads):
        return 0
    found = registers_behind(cells, memory, readers, [pin for p in ports for pin in _WORD[p]])
    if found is None or [found[0]] != pins[f"CLK{reads}"]:
        return 0
    for pin, flip_flop in found[1].items():
        pins[pin] = cells.pop(flip_flop)["connections"]["Q"]
    for port in ports:
        settings[f"REGMODE_{port}"] = "OUTREG"
    return 1


def _always_reads(settings: Mapping[str, str], pins: Mapping[str, Any], port: str) -> bool:
    """Return whether a port reads at each rising edge of its clock."""
    rising = settings.get(f"CLK{port}MUX", f"CLK{port}") == f"CLK{port}"
    fixed = {f"CE{port}": "1", f"OCE{port}": "1", f"RST{port}": "0"}
    return rising and all(pins.get(pin) == [bit] for pin, bit in fixed.items())


def _number(text: str) -> int:
    """Return a parameter's number. Yosys writes its bits."""
    return int(text, 2)
