# SPDX-License-Identifier: Apache-2.0
"""Read a mapped netlist: its cells, its area, its longest path."""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Cells = Mapping[str, int]

# LUTs in a cell. A carry cell of the ECP5 has two LUTs, its RAM cell four and two that write.
_ECP5_LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
_XC7_LUTS = {
    **{f"LUT{n}": 1 for n in range(1, 7)}, "INV": 1, "SRL16E": 1, "SRLC32E": 1,
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4,
}  # fmt: skip
_GOWIN_LUTS = {**{f"LUT{n}": 1 for n in range(1, 5)}, "ALU": 1, "RAM16SDP4": 4}
_GOWIN_DSP = {"MULT9X9": 1, "MULT18X18": 1, "MULT36X36": 4}
_GOWIN_BRAM = {f"{kind}{x9}": 1 for x9 in ("", "X9") for kind in ("SP", "SDP", "DP", "pROM")} | {
    f"{kind}{x9}B": 1 for x9 in ("", "X9") for kind in ("SDP", "DP")
}
COUNTED = {
    "ecp5": "lut: LUT4 + 2 a carry cell (CCU2C) + 6 a cell of distributed RAM (TRELLIS_DPR16X4);"
    " dsp: MULT18X18D; bram: DP16KD, 18 kbit each",
    "xc7": "lut: LUT1 to LUT6, inverters, and what distributed RAM and shift registers take;"
    " dsp: DSP48E1; bram: RAMB18E1, a RAMB36E1 being two",
    "gowin": "lut: LUT1 to LUT4 + 1 a bit of a carry chain (ALU) + 4 a cell of distributed RAM"
    " (RAM16SDP4); multiplexers of LUTs beside; dsp: MULT9X9, MULT18X18, a MULT36X36 being four;"
    " bram: SP, SDP, DP, pROM, 18 kbit each",
    "ice40": "lut: SB_LUT4; a carry (SB_CARRY) is in a cell with one, or alone; dsp: SB_MAC16;"
    " bram: SB_RAM40_4K, 4 kbit each; spram: SB_SPRAM256KA, 256 kbit each",
    "cmos": "transistors: of static CMOS cells; gates: transistors / 4, a NAND of two inputs",
}
"""What the figures of an area count, by target."""
_XC7_FFS = ("FDRE", "FDSE", "FDCE", "FDPE")
# Transistors of static CMOS gates: Yosys's own numbers (stat -tech cmos). A flip-flop with an
# asynchronous set or reset has a NAND for an inverter in both latches: four transistors more.
TRANSISTORS = {
    "$_NOT_": 2, "$_AND_": 6, "$_NAND_": 4, "$_OR_": 6, "$_NOR_": 4, "$_ANDNOT_": 6, "$_ORNOT_": 6,
    "$_MUX_": 12, "$_NMUX_": 10, "$_XOR_": 12, "$_XNOR_": 12, "$_AOI3_": 6, "$_OAI3_": 6,
    "$_AOI4_": 8, "$_OAI4_": 8, "$_BUF_": 1, "$_DFF_P_": 16, "$_DFF_PN0_": 20, "$_DFF_PN1_": 20,
}  # fmt: skip
GATE = 4  # transistors of a two-input NAND: the gate equivalent


class UnknownCells(ValueError):
    """A netlist has cells whose area is not known."""


def read_module(file: Path) -> dict[str, Any]:
    """Return the one module of a JSON netlist."""
    (module,) = json.loads(file.read_text(encoding="utf-8"))["modules"].values()
    return dict(module)


def cells(module: Mapping[str, Any]) -> dict[str, int]:
    """Count the cells of a module of a JSON netlist by type."""
    return dict(sorted(Counter(str(c["type"]) for c in module["cells"].values()).items()))


def area(target: str, found: Cells) -> dict[str, int]:
    """Sum up cells: ``lut``, ``ff``, ``dsp``, ``bram``, or ``transistors`` and ``gates``.

    Of an iCE40 ``spram``, too.

    Raises :class:`UnknownCells` for a gate without a price.
    """
    if target == "cmos":
        unknown = sorted(set(found) - set(TRANSISTORS))
        if unknown:
            raise UnknownCells(f"gates of unknown size: {', '.join(unknown)}")
        transistors = sum(TRANSISTORS[kind] * n for kind, n in found.items())
        ffs = sum(n for kind, n in found.items() if kind.startswith("$_DFF"))
        return {"transistors": transistors, "gates": round(transistors / GATE), "ff": ffs}
    if target == "ecp5":
        return {
            "lut": _sum(_ECP5_LUTS, found),
            "ff": found.get("TRELLIS_FF", 0),
            "dsp": found.get("MULT18X18D", 0),
            "bram": found.get("DP16KD", 0),
        }
    if target == "gowin":
        return {
            "lut": _sum(_GOWIN_LUTS, found),
            "ff": sum(n for kind, n in found.items() if kind.startswith("DFF")),
            "dsp": _sum(_GOWIN_DSP, found),
            "bram": _sum(_GOWIN_BRAM, found),
        }
    if target == "ice40":
        return {
            "lut": found.get("SB_LUT4", 0),
            "ff": sum(n for kind, n in found.items() if kind.startswith("SB_DFF")),
            "dsp": found.get("SB_MAC16", 0),
            "bram": found.get("SB_RAM40_4K", 0),
            "spram": found.get("SB_SPRAM256KA", 0),
        }
    return {
        "lut": _sum(_XC7_LUTS, found),
        "ff": sum(found.get(kind, 0) for kind in _XC7_FFS),
        "dsp": found.get("DSP48E1", 0),
        "bram": 2 * found.get("RAMB36E1", 0) + found.get("RAMB18E1", 0),
    }


def _sum(weights: Cells, found: Cells) -> int:
    return sum(weights.get(kind, 0) * n for kind, n in found.items())


def _weight(kind: str) -> int | None:
    """Return the levels that a cell adds to a path, None if paths end in it."""
    if kind.startswith("$_"):
        return None if kind.startswith(("$_DFF", "$_SDFF", "$_DLATCH")) else 1
    if kind.startswith("LUT") or kind in ("CCU2C", "SB_LUT4", "ALU"):
        return 1
    wires = ("INV", "CARRY4", "SB_CARRY", "MUXF7", "MUXF8", "PFUMX", "L6MUX21")
    return 0 if kind in wires or kind.startswith("MUX2_LUT") else None


def levels(module: Mapping[str, Any]) -> int:
    """Return the LUTs (gates) on the longest path between registers, ports, hard blocks and RAM.

    Distributed RAM ends a path, like a hard block. A carry chain counts as one at its entry.
    Raises ValueError for a combinational loop.
    """
    inputs: list[list[tuple[int, int]]] = []  # of each cell: (net, levels it adds)
    outputs: list[list[int]] = []
    readers: dict[int, list[int]] = defaultdict(list)
    driven: set[int] = set()
    for cell in module["cells"].values():
        weight = _weight(cell["type"])
        if weight is None:
            continue
        ins, outs = [], []
        for port, bits in cell["connections"].items():
            nets = [b for b in bits if isinstance(b, int)]
            if cell["port_directions"][port] == "output":
                outs += nets
            else:
                ins += [(b, 0 if port in ("CIN", "CI") else weight) for b in nets]
        for net, _ in ins:
            readers[net].append(len(inputs))
        driven.update(outs)
        inputs.append(ins)
        outputs.append(outs)
    waits = [sum(net in driven for net, _ in ins) for ins in inputs]
    depth: dict[int, int] = {}
    ready = deque(i for i, n in enumerate(waits) if n == 0)
    done = 0
    while ready:
        i = ready.popleft()
        done += 1
        at = max((depth.get(net, 0) + w for net, w in inputs[i]), default=0)
        for net in outputs[i]:
            depth[net] = at
            for reader in readers[net]:
                waits[reader] -= 1
                if waits[reader] == 0:
                    ready.append(reader)
    if done < len(inputs):
        raise ValueError("the netlist has a combinational loop")
    return max(depth.values(), default=0)
