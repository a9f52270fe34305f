# SPDX-License-Identifier: Apache-2.0
"""A flat netlist as functions and registers, and a run of it on symbols, cycle by cycle.

A net has a :class:`~ecsm.evidence.polynomials.Polynomial`, or None: nothing is known of it. A
function whose value depends on an unknown input is unknown. Every register is unknown before the
first cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ecsm.evidence.polynomials import Polynomial, normal_form

Net = int | str  # a number, or the constants "0", "1" and "x"
Value = Polynomial | None
Table = tuple[int, ...]


class UnknownCell(ValueError):
    """The netlist has a cell that no model is there of."""


@dataclass(frozen=True)
class Function:
    """``output`` = ``table``[inputs], input 0 being the lowest bit of the index."""

    output: Net
    inputs: tuple[Net, ...]
    table: Table

    @property
    def outputs(self) -> tuple[Net, ...]:
        """The only output, as parts of a netlist have them."""
        return (self.output,)


class Part(Protocol):
    """What has outputs that follow from inputs in the same cycle."""

    @property
    def inputs(self) -> Sequence[Net]:
        """The nets that it reads."""

    @property
    def outputs(self) -> Sequence[Net]:
        """The nets that it drives."""


P = TypeVar("P", bound=Part)


@dataclass(frozen=True)
class Gates:
    """A netlist: functions in an order in which each input comes first; registers D to Q."""

    ports: Mapping[str, Sequence[Net]]
    functions: list[Function]
    registers: dict[Net, Net] = field(default_factory=dict)  # Q: D

    def run(self, width: int, cycles: Sequence[Mapping[str, Sequence[Value]]]) -> list[Values]:
        """Return the values in each cycle; ports that a cycle does not name are unknown.

        Of nets inside, only those of registers stay: the others are forgotten when they are used.
        """
        kept = {n for bits in self.ports.values() for n in bits}
        kept |= set(self.registers) | set(self.registers.values())
        last = {n: i for i, f in enumerate(self.functions) for n in f.inputs}
        state: dict[Net, Value] = {}
        seen = []
        for cycle in cycles:
            values = Values(width, dict(state))
            for name, bits in cycle.items():
                values.nets.update(zip(self.ports[name], bits, strict=True))
            for i, f in enumerate(self.functions):
                values.nets[f.output] = _apply(f.table, [values[n] for n in f.inputs], width)
                for n in f.inputs:
                    if last[n] == i and n not in kept:
                        values.nets.pop(n, None)
            state = {q: values[d] for q, d in self.registers.items()}
            seen.append(values)
        return seen

    def port(self, name: str, values: Values) -> list[Value]:
        """Return the values of a port."""
        return [values[n] for n in self.ports[name]]

    def changed(self, index: int, new: Function) -> Gates:
        """Return the netlist with another function in a place."""
        functions = list(self.functions)
        functions[index] = new
        return replace(self, functions=functions)


@dataclass
class Values:
    """The values of nets in a cycle."""

    width: int
    nets: dict[Net, Value]

    def __getitem__(self, net: Net) -> Value:
        if isinstance(net, str):
            return None if net == "x" else Polynomial(self.width, int(net))
        return self.nets.get(net)


def _apply(table: Table, inputs: Sequence[Value], width: int) -> Value:
    """Return the value of a function; raises NotBilinear."""
    left: list[Value] = []
    for value in inputs:  # constants are put in
        if value is not None and value.constant:
            table = cofactor(table, len(left), value.c)
        else:
            left.append(value)
    table = without_idle(table, left)
    if any(value is None for value in left):
        return None
    found = Polynomial(width)
    for term in normal_form(table):
        product = Polynomial(width, 1)
        for i, value in enumerate(left):
            if term >> i & 1 and value is not None:
                product = product * value
        found = found + product
    return found


def cofactor(table: Table, k: int, bit: int) -> Table:
    """Return the table for a constant at input ``k``, which is no input any more."""
    return tuple(t for i, t in enumerate(table) if i >> k & 1 == bit)


def without_idle(table: Table, inputs: list[Any]) -> Table:
    """Take the inputs away that a table does not depend on, and return the smaller table."""
    for k in reversed(range(len(inputs))):
        low = cofactor(table, k, 0)
        if low == cofactor(table, k, 1):
            table = low
            del inputs[k]
    return table


def cut(bits: Sequence[Net], width: int) -> list[tuple[Net, ...]]:
    """Return the bits of each port of a cell that has several of ``width`` bits."""
    return [tuple(bits[i : i + width]) for i in range(0, len(bits), width)]


def _bits(text: str, length: int) -> Table:
    """Return a parameter's bits, the lowest first."""
    return tuple(int(c) for c in text[::-1].ljust(length, "0")[:length])


SIMPLE: dict[str, tuple[str, Table]] = {  # inputs, and table: cells of one output Y
    "$_NOT_": ("A", (1, 0)),
    "$_BUF_": ("A", (0, 1)),
    "$_AND_": ("AB", (0, 0, 0, 1)),
    "$_OR_": ("AB", (0, 1, 1, 1)),
    "$_XOR_": ("AB", (0, 1, 1, 0)),
    "$_XNOR_": ("AB", (1, 0, 0, 1)),
    "$_ANDNOT_": ("AB", (0, 1, 0, 0)),
    "$_ORNOT_": ("AB", (1, 1, 0, 1)),
    "$_MUX_": ("ABS", (0, 1, 0, 1, 0, 0, 1, 1)),
}


def read(module: Mapping[str, Any]) -> Gates:
    """Return a module of a JSON netlist of Yosys, flat: gates of Yosys, or LUT4 and TRELLIS_FF.

    Raises :class:`UnknownCell`, and ValueError for a loop without a register.
    """
    functions: list[Function] = []
    registers: dict[Net, Net] = {}
    fresh = -1
    for cell in module["cells"].values():
        kind, parameters = cell["type"], cell["parameters"]
        at = {port: bits[0] for port, bits in cell["connections"].items() if bits}
        if kind in SIMPLE:
            ports, table = SIMPLE[kind]
            functions.append(Function(at["Y"], tuple(at[p] for p in ports), table))
        elif kind == "LUT4":
            inputs = tuple(at.get(p, "0") for p in "ABCD")
            functions.append(Function(at["Z"], inputs, _bits(parameters["INIT"], 16)))
        elif kind == "CCU2C":
            more, fresh = _carry(at, parameters, fresh)
            functions += more
        elif kind == "$_DFF_P_":
            registers[at["Q"]] = at["D"]
        elif kind == "TRELLIS_FF":
            registers[at["Q"]], more, fresh = _register(at, parameters, fresh)
            functions += more
        else:
            raise UnknownCell(f"there is no model of a cell {kind}")
    found = {name: port["bits"] for name, port in module["ports"].items()}
    return Gates(found, ordered(functions), registers)


def _carry(
    at: Mapping[str, Net], parameters: Mapping[str, str], fresh: int
) -> tuple[list[Function], int]:
    """Return two bits of a sum and their carries, as a CCU2C has them, and the next free net.

    A LUT of a bit is its carry's choice: the carry below if it is 1, else what the LUT's lower
    four entries make of A and B.
    """
    found: list[Function] = []
    carry = at.get("CIN", "0")
    for bit in "01":
        names = [f"{p}{bit}" for p in "ABCD"]
        init = _bits(parameters[f"INIT{bit}"], 16)
        apart = parameters[f"INJECT1_{bit}"] == "YES"  # neither carry nor generation
        inputs = (*(at.get(n, "0") for n in names), carry)
        rows = [(init[i & 15], init[i & 3], i >> 4) for i in range(32)]
        if f"S{bit}" in at:
            table = tuple(lut ^ (0 if apart else below) for lut, _, below in rows)
            found.append(Function(at[f"S{bit}"], inputs, table))
        out: Net = fresh if bit == "0" else at.get("COUT", fresh)
        fresh -= 1
        table = tuple(below if lut else (0 if apart else low) for lut, low, below in rows)
        found.append(Function(out, inputs, table))
        carry = out
    return found, fresh


def _register(
    at: Mapping[str, Net], parameters: Mapping[str, str], fresh: int
) -> tuple[Net, list[Function], int]:
    """Return the net that a TRELLIS_FF takes, the functions before it, and the next free net."""
    found: list[Function] = []
    net = at["DI"]
    if parameters.get("CEMUX", "1") in ("CE", "INV") and at.get("CE") != "1":
        table = SIMPLE["$_MUX_"][1]
        inputs = (at["Q"], net) if parameters["CEMUX"] == "CE" else (net, at["Q"])
        found.append(Function(fresh, (*inputs, at["CE"]), table))
        net, fresh = fresh, fresh - 1
    if at.get("LSR", "0") != "0":
        value = int(parameters.get("REGSET", "RESET") == "SET")
        table = (0, 1, value, value)
        if parameters.get("LSRMUX", "LSR") == "INV":
            table = (value, value, 0, 1)
        found.append(Function(fresh, (net, at["LSR"]), table))
        net, fresh = fresh, fresh - 1
    return net, found, fresh


def ordered(parts: Sequence[P]) -> list[P]:
    """Return the parts so that what drives an input comes before it."""
    driven = {n for part in parts for n in part.outputs}
    readers: dict[Net, list[int]] = {}
    waiting = []
    for i, part in enumerate(parts):
        needs = set(part.inputs) & driven
        waiting.append(len(needs))
        for n in needs:
            readers.setdefault(n, []).append(i)
    free = [i for i, count in enumerate(waiting) if not count]
    found = []
    while free:
        part = parts[free.pop()]
        found.append(part)
        for n in part.outputs:
            for reader in readers.get(n, ()):
                waiting[reader] -= 1
                if not waiting[reader]:
                    free.append(reader)
    if len(found) != len(parts):
        raise ValueError("the netlist has a loop without a register")
    return found
