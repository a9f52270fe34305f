# SPDX-License-Identifier: Apache-2.0
"""The netlist of a whole core: gates, products of integers, memories and registers.

It is that of the RTL, before any optimisation but that of constants and of choices that are never
made. Products of integers and memories stay whole: what is said of them holds however they are
made. A memory is read in the cycle of its address, and written at the end of a cycle; what an FPGA
reads a cycle later has a register of its own here.

Where the RTL leaves a value open, it is unknown in a proof. Reset is not active in a proof, unless
it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ecsm.cores.design import AnyDesign
from ecsm.evidence.gates import SIMPLE, Function, Net, UnknownCell, cut, ordered
from ecsm.evidence.netlist import synthesised
from ecsm.progress import Progress
from ecsm.results.sources import sources

GATES = (
    "proc", "flatten -noscopeinfo", "opt_expr", "opt_clean", "opt_dff -nodffe -nosdff", "opt_clean",
    "opt_muxtree", "opt_expr", "opt_clean", "memory_collect", "techmap t:$mul %n", "simplemap",
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN?_ x", "opt_expr", "opt_clean",
)  # fmt: skip
_REGISTERS = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}
CLOCKS = ("clk_i", "rst_ni")


@dataclass(frozen=True)
class Register:
    """A flip-flop: it takes ``d``. ``reset``: its value in reset, None if it has no reset."""

    d: Net
    reset: int | None


@dataclass(frozen=True)
class Product:
    """The product of two integers, both signed or both not; the lowest bits come first."""

    outputs: tuple[Net, ...]
    a: tuple[Net, ...]
    b: tuple[Net, ...]
    signed: bool

    @property
    def inputs(self) -> tuple[Net, ...]:
        """Both operands."""
        return self.a + self.b


@dataclass(frozen=True)
class Read:
    """A read of a memory: ``outputs`` is the word at the address ``inputs``."""

    memory: str
    outputs: tuple[Net, ...]
    inputs: tuple[Net, ...]


@dataclass(frozen=True)
class Write:
    """A write of a memory at the end of a cycle; each bit has an enable."""

    address: tuple[Net, ...]
    data: tuple[Net, ...]
    enable: tuple[Net, ...]

    @property
    def inputs(self) -> tuple[Net, ...]:
        """All that it reads."""
        return self.address + self.data + self.enable


@dataclass(frozen=True)
class Memory:
    """A memory: its words, as bits "0", "1" or "x", the lowest first, and what writes it."""

    words: tuple[str, ...]
    writes: tuple[Write, ...] = ()


Node = Function | Product | Read


@dataclass(frozen=True)
class Core:
    """A netlist. ``parts`` are in an order in which each input comes first.

    ``registers``: by their output Q. ``names``: of registers and ports.
    """

    inputs: Mapping[str, tuple[Net, ...]]
    outputs: Mapping[str, tuple[Net, ...]]
    parts: tuple[Node, ...]
    registers: Mapping[Net, Register]
    memories: Mapping[str, Memory] = field(default_factory=dict)
    names: Mapping[Net, str] = field(default_factory=dict)

    @property
    def cells(self) -> int:
        """Functions, products, reads and registers."""
        return len(self.parts) + len(self.registers)

    @property
    def ports(self) -> dict[Net, str]:
        """The input port of each net that is one; without clock and reset."""
        return {n: p for p, nets in self.inputs.items() if p not in CLOCKS for n in nets}

    def named(self, last: str) -> list[Net]:
        """Return the registers whose name ends in a part ``last``, the lowest bit first."""
        found = {
            (name, int(index.rstrip("]") or 0)): n
            for n, full in self.names.items()
            if n in self.registers
            for name, _, index in (full.rpartition("[") if full.endswith("]") else (full, "", ""),)
            if name.rpartition(".")[2] == last
        }
        return [found[key] for key in sorted(found)]


def core(d: AnyDesign, tell: Progress) -> Core:
    """Return the netlist of a design; raises :class:`ecsm.backend.tool.FlowError`."""
    s = sources(d)
    p = s.preset
    return read(synthesised(p.name, p.module, s.text, GATES, "prove-core", tell))


def read(module: Mapping[str, Any]) -> Core:
    """Return a module of a JSON netlist of Yosys; raises :class:`UnknownCell`."""
    parts: list[Node] = []
    registers: dict[Net, Register] = {}
    memories: dict[str, Memory] = {}
    for name, cell in module["cells"].items():
        kind, at = cell["type"], cell["connections"]
        if kind in SIMPLE:
            ports, table = SIMPLE[kind]
            parts.append(Function(at["Y"][0], tuple(at[p][0] for p in ports), table))
        elif kind in _REGISTERS:
            registers[at["Q"][0]] = Register(at["D"][0], _REGISTERS[kind])
        elif kind == "$mul":
            signed = {_number(cell["parameters"][f"{p}_SIGNED"]) for p in "AB"}
            if len(signed) > 1:
                raise UnknownCell(f"{name}: one operand is signed, the other is not")
            parts.append(Product(tuple(at["Y"]), tuple(at["A"]), tuple(at["B"]), signed == {1}))
        elif kind == "$mem_v2":
            memories[name] = _memory(name, cell)
            parts += _reads(name, cell)
        else:
            raise UnknownCell(f"there is no model of a cell {kind}")
    inputs, outputs = (
        {n: tuple(p["bits"]) for n, p in module["ports"].items() if p["direction"] == way}
        for way in ("input", "output")
    )
    names = _names(module, registers)
    return Core(inputs, outputs, tuple(ordered(parts)), registers, memories, names)


def _number(text: str) -> int:
    return int(text, 2)


def _memory(name: str, cell: Mapping[str, Any]) -> Memory:
    p, at = cell["parameters"], cell["connections"]
    width, size = _number(p["WIDTH"]), _number(p["SIZE"])
    if "1" in p["RD_CLK_ENABLE"] or "1" in p["WR_WIDE_CONTINUATION"] or _number(p["OFFSET"]):
        raise UnknownCell(f"there is no model of the memory {name}")
    init = p["INIT"][::-1].ljust(width * size, "x")
    words = tuple(init[i * width : (i + 1) * width] for i in range(size))
    address = _number(p["ABITS"])
    writes = zip(
        cut(at["WR_ADDR"], address), cut(at["WR_DATA"], width), cut(at["WR_EN"], width),
        strict=True,
    )  # fmt: skip
    return Memory(words, tuple(Write(*w) for w in writes))


def _reads(name: str, cell: Mapping[str, Any]) -> Iterable[Read]:
    p, at = cell["parameters"], cell["connections"]
    data = cut(at["RD_DATA"], _number(p["WIDTH"]))
    for word, address in zip(data, cut(at["RD_ADDR"], _number(p["ABITS"])), strict=True):
        yield Read(name, word, address)


def _names(module: Mapping[str, Any], registers: Mapping[Net, Register]) -> dict[Net, str]:
    """Return a name of each register: of the text, of a register (``_q``), short, in this order."""
    found: dict[Net, tuple[int, int, int, str]] = {}
    for name, net in module["netnames"].items():
        for i, bit in enumerate(net["bits"]):
            if bit in registers:
                full = f"{name}[{i}]" if len(net["bits"]) > 1 else name
                other = not name.endswith("_q")
                key = (int(net.get("hide_name", 0)), int(other), len(full), full)
                found[bit] = min(key, found.get(bit, key))
    return {n: full for n, (*_, full) in found.items()}
