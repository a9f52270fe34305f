# SPDX-License-Identifier: Apache-2.0
"""Move registers behind multipliers into the output registers of the DSP blocks.

Yosys does not use these registers. A product is moved if each of its bits is read by one flip-flop
and nothing else, and all flip-flops have the rising edge of one clock, no enable, no reset and the
initial value zero. The block's output register then replaces the flip-flops.

Source: Lattice FPGA-TN-02205, ECP5 and ECP5-5G sysDSP Usage Guide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

DSP, FLIP_FLOP = "MULT18X18D", "TRELLIS_FF"
VERSION = 1  # of what is done here: netlists in the cache are of it
OUTPUT = {"REG_OUTPUT_CLK": "CLK0", "REG_OUTPUT_CE": "CE0", "REG_OUTPUT_RST": "RST0"}
_PRODUCT = [f"P{i}" for i in range(36)]
_PLAIN = {"CEMUX": "1", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"}
_OFF: tuple[list[str], ...] = ([], ["0"], ["x"])

Cells = dict[str, dict[str, Any]]
Readers = Mapping[int, list[tuple[str, str]]]
OUTSIDE = ("", "")  # a port of the module among the readers


def readers_of(module: Mapping[str, Any]) -> Readers:
    """Return the readers of each net of a module: cell and port, or :data:`OUTSIDE` and port."""
    readers: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] != "output":
                for bit in bits:
                    readers[bit].append((name, port))
    for found in module["ports"].values():
        for bit in found["bits"]:
            readers[bit].append(OUTSIDE)
    return readers


def pack(module: Mapping[str, Any]) -> int:
    """Move registers of a mapped module into its DSP blocks; return how many blocks took theirs."""
    cells: Cells = module["cells"]
    readers = readers_of(module)
    packed = 0
    for name in [n for n, c in cells.items() if c["type"] == DSP]:
        block = cells[name]
        if block["parameters"].get("REG_OUTPUT_CLK", "NONE") != "NONE":
            continue  # it has its register
        taken = registers_behind(cells, block, readers, _PRODUCT)
        if taken is None:
            continue
        clock, flip_flops = taken
        for port, flip_flop in flip_flops.items():
            block["connections"][port] = cells.pop(flip_flop)["connections"]["Q"]
        block["parameters"] |= OUTPUT
        for port, bit in (("CLK0", clock), ("CE0", "1"), ("RST0", "0")):
            block["connections"][port] = [bit]
            block["port_directions"][port] = "input"
        packed += 1
    return packed


def registers_behind(
    cells: Cells, block: Mapping[str, Any], readers: Readers, pins: Sequence[str]
) -> tuple[int, dict[str, str]] | None:
    """Return the clock and, by pin, the flip-flops that keep what leaves a block by ``pins``.

    None if another cell reads it, or if a flip-flop does more than to keep it.
    """
    clocks, found = set(), {}
    for port in pins:
        bits = block["connections"].get(port, [])
        if not bits or not readers[bits[0]]:
            continue  # nobody reads this bit
        (name, pin), *others = readers[bits[0]]
        if others or pin != "DI" or cells[name]["type"] != FLIP_FLOP:
            return None
        ports, settings = cells[name]["connections"], cells[name]["parameters"]
        if any(settings.get(key, value).strip() != value for key, value in _PLAIN.items()):
            return None
        if ports.get("LSR", []) not in _OFF:
            return None
        clocks.add(ports["CLK"][0])
        found[port] = name
    return (clocks.pop(), found) if len(clocks) == 1 else None
