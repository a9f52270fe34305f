# SPDX-License-Identifier: Apache-2.0
"""A netlist of words, as Yosys has it before it maps anything, and a run of it on integers.

The run is cycle by cycle (:mod:`ecsm.evidence.gfp.cells` has the cells). Controls are constants.
Every register is unknown before the first cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ecsm.evidence.gfp.cells import Bit, Bits, Cell, Net, apply, clocked, number_of
from ecsm.evidence.gfp.integers import Integers, Number


@dataclass(frozen=True)
class Words:
    """A netlist: functions in an order in which each input comes first, and registers."""

    ports: Mapping[str, Sequence[Net]]
    names: Mapping[str, Sequence[Net]]
    functions: list[Cell]
    registers: list[Cell] = field(default_factory=list)

    def changed(self, index: int, new: Cell) -> Words:
        """Return the netlist with another function in a place."""
        functions = list(self.functions)
        functions[index] = new
        return replace(self, functions=functions)


class Run:
    """A run of a netlist, cycle by cycle, on the integers ``z``."""

    def __init__(self, netlist: Words, z: Integers) -> None:
        self.netlist, self.z = netlist, z
        self.nets: dict[Net, Bit] = {}
        self.state: dict[Net, Bit] = {}

    def cycle(self, ports: Mapping[str, Bits]) -> None:
        """Compute a cycle; ports that are not named are unknown."""
        self.settle(ports)
        self.step()

    def settle(self, ports: Mapping[str, Bits]) -> None:
        """Compute every net; registers keep what they have until :meth:`step`."""
        self.nets = dict(self.state)
        for name, bits in ports.items():
            self.nets.update(zip(self.netlist.ports[name], bits, strict=True))
        for cell in self.netlist.functions:
            at = {port: self.values(nets) for port, nets in cell.inputs.items()}
            bits = apply(self.z, cell, at)
            self.nets.update(zip(cell.outputs["Y"], bits, strict=True))

    def step(self) -> None:
        """Let every register take its next value."""
        self.state = {}
        for cell in self.netlist.registers:
            at = {port: self.values(nets) for port, nets in cell.inputs.items()}
            nets = cell.outputs["Q"]
            self.state.update(zip(nets, clocked(cell, at, self.values(nets)), strict=True))

    def values(self, nets: Iterable[Net]) -> Bits:
        """Return what nets have."""
        found: Bits = []
        for net in nets:
            if isinstance(net, str):
                found.append(int(net) if net in "01" else None)
            else:
                found.append(self.nets.get(net))
        return found

    def named(self, name: str) -> Bits:
        """Return what the nets of a name of the source have."""
        return self.values(self.netlist.names[name])

    def port(self, name: str) -> Bits:
        """Return what a port has."""
        return self.values(self.netlist.ports[name])

    def word(self, bits: Bits) -> Number | None:
        """Return a number with these lowest bits, the one that was computed; None if unknown."""
        return number_of(self.z, bits, len(bits))

    def unsigned(self, bits: Bits) -> Number | None:
        """Return bits as a number that is not negative; None if some are unknown."""
        return number_of(self.z, [*bits, 0], len(bits) + 1)


def read(module: Mapping[str, Any]) -> Words:
    """Return a module of a JSON netlist of Yosys, flat, of words.

    Raises ValueError for a loop without a register, and for more than one clock or edge.
    """
    clocks: set[tuple[Net, int]] = set()
    functions: list[Cell] = []
    registers: list[Cell] = []
    for cell in module["cells"].values():
        ways = cell["port_directions"]
        nets = {port: tuple(bits) for port, bits in cell["connections"].items() if port != "CLK"}
        new = Cell(
            cell["type"], {k: _integer(v) for k, v in cell["parameters"].items()},
            {port: bits for port, bits in nets.items() if ways[port] == "input"},
            {port: bits for port, bits in nets.items() if ways[port] == "output"},
        )  # fmt: skip
        (registers if "Q" in nets else functions).append(new)
        if "Q" in nets:
            clocks.add((cell["connections"]["CLK"][0], new.parameters["CLK_POLARITY"]))
    if len(clocks) > 1 or any(not rising for _, rising in clocks):
        raise ValueError("the registers have not one clock, or its falling edge")
    ports = {name: port["bits"] for name, port in module["ports"].items()}
    names = {name: entry["bits"] for name, entry in module["netnames"].items()}
    return Words(ports, names, _ordered(functions), registers)


def _integer(v: str | int) -> int:
    return v if isinstance(v, int) else int(v.replace("x", "0").replace("z", "0") or "0", 2)


def _ordered(functions: Sequence[Cell]) -> list[Cell]:
    """Return the functions so that what drives an input comes before it."""
    driver = {n: i for i, f in enumerate(functions) for n in f.outputs["Y"]}
    before = [
        {driver[n] for nets in f.inputs.values() for n in nets if n in driver} for f in functions
    ]
    readers: dict[int, list[int]] = {}
    for i, found in enumerate(before):
        for j in found:
            readers.setdefault(j, []).append(i)
    waiting = [len(found) for found in before]
    free = [i for i, n in enumerate(waiting) if not n]
    order = []
    while free:
        order.append(i := free.pop())
        for reader in readers.get(i, ()):
            waiting[reader] -= 1
            if not waiting[reader]:
                free.append(reader)
    if len(order) != len(functions):
        raise ValueError("the netlist has a loop without a register")
    return [functions[i] for i in order]
