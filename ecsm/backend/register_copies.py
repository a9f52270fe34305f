# SPDX-License-Identifier: Apache-2.0
"""Copy a register or LUT that many cells read, so that each copy is near its own readers.

A wire with hundreds of readers crosses the device, and is slow. A router that moves one of its
branches must route again all that follows. The readers of one copy lead to registers with
neighbouring names, which are neighbouring bits of a number. Copies cannot be made in the RTL: Yosys
merges them.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Mapping
from typing import Any

from ecsm.backend.dsp_registers import FLIP_FLOP, OUTSIDE, Cells, Readers, readers_of

COMBINATIONAL = ("LUT4", "CCU2C")
MOST = 72  # readers of a register: a limb's bits
MOST_OF_LUT = 21  # readers of a LUT; with 163 or 42 router1 needs several times as many tries
VERSION = 1  # of what is done here: netlists in the cache are of it


def spread(module: Mapping[str, Any], most: int = MOST, kind: str = FLIP_FLOP) -> int:
    """Copy the cells of a kind that more than ``most`` pins read each; return how many copies.

    ``kind``: ``TRELLIS_FF`` or ``LUT4``.
    """
    output = _OUTPUT[kind]
    cells: Cells = module["cells"]
    readers = readers_of(module)
    nets = (bit for c in cells.values() for bits in c["connections"].values() for bit in bits)
    free = 1 + max(net for net in nets if isinstance(net, int))
    made = 0
    for name in [n for n, c in cells.items() if c["type"] == kind]:
        (net,) = cells[name]["connections"][output]
        count = -(-len(readers[net]) // most)
        if count < 2 or OUTSIDE in readers[net]:
            continue
        pins = sorted(set(readers[net]), key=lambda pin: (_leads_to(cells, readers, pin[0]), pin))
        for i in range(1, count):
            twin = copy.deepcopy(cells[name])
            twin["connections"][output] = [free]
            cells[f"{name}$copy{i}"] = twin
            for reader, port in pins[len(pins) * i // count : len(pins) * (i + 1) // count]:
                bits = cells[reader]["connections"][port]
                cells[reader]["connections"][port] = [free if b == net else b for b in bits]
            free += 1
            made += 1
    return made


def _leads_to(cells: Cells, readers: Readers, start: str) -> list[tuple[str, int]]:
    """Return the name of the first register or hard block behind a cell, to be sorted by."""
    seen, queue = {start, OUTSIDE[0]}, deque([start])
    while queue:
        name = queue.popleft()
        cell = cells[name]
        if cell["type"] not in COMBINATIONAL:
            return [(text, int(number or 0)) for text, number in _PARTS.findall(name)]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                for follower, _ in (pin for bit in bits for pin in readers.get(bit, ())):
                    if follower not in seen:
                        seen.add(follower)
                        queue.append(follower)
    return []


_OUTPUT = {FLIP_FLOP: "Q", "LUT4": "Z"}
_PARTS = re.compile(r"(\D+)(\d*)")
