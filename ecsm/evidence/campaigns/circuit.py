# SPDX-License-Identifier: Apache-2.0
"""A netlist for a simulation of many runs at once: LUTs of three inputs, registers, memories.

Memories stay memories. They are read without a clock: a register behind a memory is a register of
its own. Each net has a number: 0 and 1 are the constants, then the inputs, the registers' outputs,
and the outputs of LUTs and reads in the order in which they are computed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations
from pathlib import Path
from typing import Any, NamedTuple

from ecsm.evidence.gates import UnknownCell, cut
from ecsm.evidence.netlist import synthesised
from ecsm.progress import Progress
from ecsm.results.sources import Sources, tools
from ecsm.sim.cache import entry

READ = 256
"""Kind of a group: a read of a memory; else the table of its LUTs."""
NETLIST = "circuit.json"
NAMES = (
    "A register has the name of one of the wires that it drives, so its module may be one that"
    " reads it: `u_form.source_i` are registers of the register file."
)


class Write(NamedTuple):
    """A write port of a memory: nets of address, data and enables, the lowest first."""

    address: Sequence[int]
    data: Sequence[int]
    enable: Sequence[int]


@dataclass(frozen=True)
class Memory:
    """A memory of ``words`` words of ``width`` bits; ``init`` has all bits, word by word."""

    name: str
    words: int
    width: int
    address_bits: int
    writes: Sequence[Write]
    init: Sequence[int]


class Group(NamedTuple):
    """What runs together: LUTs with one table, ``inputs`` three nets each; or one read.

    ``sources``: a set of instances with registers (:func:`groups_of`), input ports and memories,
    one bit each; 0: not known. Where these rest, the group has nothing to do.

    A read's ``inputs`` are the number of the memory and the nets of the address. ``outputs``: how
    many nets it drives, which follow those of the group before.
    """

    table: int
    outputs: int
    inputs: Sequence[int]
    sources: int = 0


@dataclass(frozen=True)
class Circuit:
    """The netlist. ``registers``: names; ``inputs_of_registers``: the net each takes.

    ``probes``: nets beside registers whose changes count: addresses and data of memories' reads.
    ``ports``: nets of each port, the lowest bit first.
    """

    ports: Mapping[str, Sequence[int]]
    inputs: int
    registers: Sequence[str]
    inputs_of_registers: Sequence[int]
    memories: Sequence[Memory]
    groups: Sequence[Group]
    probes: Sequence[int]
    probe_names: Sequence[str]

    @property
    def nets(self) -> int:
        """How many nets there are."""
        return 2 + self.inputs + len(self.registers) + sum(g.outputs for g in self.groups)

    @property
    def luts(self) -> int:
        """How many LUTs there are."""
        return sum(g.outputs for g in self.groups if g.table != READ)

    @property
    def items(self) -> list[str]:
        """Names of what is counted: registers, probes, bits of writes, in this order."""
        writes = [
            f"{m.name} write {p} bit {i}"
            for m in self.memories
            for p in range(len(m.writes))
            for i in range(m.width)
        ]
        return [*self.registers, *self.probe_names, *writes]

    def cell(self, memory: int, word: int, bit: int) -> int:
        """Return the number of a memory's bit."""
        before = sum(m.words * m.width for m in self.memories[:memory])
        return before + word * self.memories[memory].width + bit


def names_note(names: Iterable[str]) -> list[str]:
    """Return the note on names of registers, if any of ``names`` needs it."""
    return [NAMES] if any(".u_form" in name for name in names) else []


def groups_of(registers: Sequence[str]) -> list[int]:
    """Return the group of each register: one for each instance of a module."""
    found: dict[str, int] = {}
    return [found.setdefault(name.rpartition(".")[0], len(found)) for name in registers]


def to_luts(top: str) -> list[str]:
    """Return the Yosys commands that make a design that is read a netlist of this kind."""
    return [
        f"hierarchy -check -top {top}", "proc", "flatten", "opt", "wreduce", "peepopt", "opt_clean",
        "alumacc", "maccmap -unmap", "opt", "memory_collect", "opt -fast -full", "techmap", "opt",
        "simplemap", "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x",
        "opt_clean", "abc -lut 3", "opt_clean -purge", "rename -wire t:$_*DFF*",
    ]  # fmt: skip


def circuit(s: Sources, tell: Progress) -> Circuit:
    """Return the netlist of a design, from the cache or made anew.

    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails.
    """
    p = s.preset
    return circuit_of(p.name, p.module, s.text, s.files, s.digest, tell)


def circuit_of(
    name: str, top: str, text: str, files: Iterable[Path], digest: str, tell: Progress
) -> Circuit:
    """Return the netlist of the module ``top`` in ``text`` and the files below it."""
    files = tuple(files)
    commands = to_luts(top)
    key = hashlib.sha256("\0".join((digest, *commands, tools("yosys")["yosys"])).encode())

    def make(_work: Path, done: Path) -> None:
        tell(f"{name}: a netlist of LUTs with three inputs")
        module = synthesised(name, top, text, commands, "lut3", tell, files)
        (done / NETLIST).write_text(json.dumps(module), encoding="utf-8")

    made = entry(f"flow/{name}/lut3-{key.hexdigest()[:16]}", make) / NETLIST
    return read(json.loads(made.read_text(encoding="utf-8")))


Net = int | str
"""A net as Yosys numbers it, or a constant."""


class _Node(NamedTuple):
    """A LUT, or a read of a memory: ``table`` is READ, and ``memory`` its number."""

    table: int
    inputs: tuple[Net, ...]
    outputs: tuple[Net, ...]
    memory: int = 0


def read(module: Mapping[str, Any]) -> Circuit:
    """Return a flat module of Yosys JSON as a circuit.

    Raises :class:`ecsm.evidence.gates.UnknownCell`, and ValueError for a loop without a register.
    """
    nodes: list[_Node] = []
    registers: list[tuple[str, Net, Net]] = []
    memories: list[tuple[str, Mapping[str, Any]]] = []
    fresh = -1
    for name, cell in module["cells"].items():
        kind, at = cell["type"], cell["connections"]
        if kind == "$lut":
            nodes.append(_lut(cell["parameters"]["LUT"], tuple(at["A"]), at["Y"][0]))
        elif kind == "$_DFF_P_":
            registers.append((name.partition("$")[0] or name, at["Q"][0], at["D"][0]))
        elif kind in ("$_DFF_PN0_", "$_DFF_PN1_"):  # a reset comes before a clock: they count once
            table = "1000" if kind == "$_DFF_PN0_" else "1011"
            nodes.append(_lut(table, (at["D"][0], at["R"][0]), fresh))
            registers.append((name.partition("$")[0] or name, at["Q"][0], fresh))
            fresh -= 1
        elif kind == "$mem_v2":
            if first := _number(cell, "OFFSET"):
                raise UnknownCell(f"there is no model of a memory that begins at {first}")
            nodes += _reads(len(memories), cell)
            memories.append((name, cell))
        else:
            raise UnknownCell(f"there is no model of a cell {kind}")
    ports = module["ports"]
    inputs = [n for p in ports.values() if p["direction"] == "input" for n in p["bits"]]
    registers.sort(key=lambda r: _natural(r[0]))
    return _numbered(ports, inputs, registers, memories, _in_levels(nodes))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their value."""
    return [(int(w), "") if w.isdigit() else (0, w) for w in re.split(r"(\d+)", name)]


def _lut(table: str, inputs: tuple[Net, ...], output: Net) -> _Node:
    """Return a LUT with its inputs in the order that makes the table smallest: fewer kinds."""
    entries = [int(c == "1") for c in reversed(table)]
    padded = (*inputs, *("0",) * (3 - len(inputs)))
    found = []
    for order in permutations(range(3)):
        bits = 0
        for i in range(8):
            index = sum((i >> k & 1) << order[k] for k in range(3))
            bits |= entries[index & (len(entries) - 1)] << i
        found.append((bits, order))
    best, order = min(found)
    return _Node(best, tuple(padded[k] for k in order), (output,))


def _number(cell: Mapping[str, Any], name: str) -> int:
    return int(cell["parameters"][name], 2)


def _reads(number: int, cell: Mapping[str, Any]) -> list[_Node]:
    """Return the reads of a memory."""
    if not _number(cell, "RD_PORTS"):
        return []
    clocked = [cell["parameters"][n] for n in ("RD_CLK_ENABLE", "RD_WIDE_CONTINUATION")]
    if "1" in "".join(clocked) or "0" in cell["parameters"]["WR_CLK_ENABLE"] * bool(
        _number(cell, "WR_PORTS")
    ):
        raise UnknownCell("there is no model of a memory with such ports")
    at = cell["connections"]
    addresses = cut(at["RD_ADDR"], _number(cell, "ABITS"))
    data = cut(at["RD_DATA"], _number(cell, "WIDTH"))
    return [_Node(READ, a, d, number) for a, d in zip(addresses, data, strict=True)]


def _in_levels(nodes: Sequence[_Node]) -> list[list[_Node]]:
    """Return the nodes so that what drives an input comes in a list before."""
    driver = {net: n for n, node in enumerate(nodes) for net in node.outputs}
    waiting = [len({driver[i] for i in node.inputs if i in driver}) for node in nodes]
    readers: list[list[int]] = [[] for _ in nodes]
    for n, node in enumerate(nodes):
        for d in {driver[i] for i in node.inputs if i in driver}:
            readers[d].append(n)
    level = [n for n, count in enumerate(waiting) if not count]
    found, done = [], 0
    while level:
        found.append([nodes[n] for n in level])
        done += len(level)
        after = []
        for n in level:
            for reader in readers[n]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    after.append(reader)
        level = after
    if done != len(nodes):
        raise ValueError("the netlist has a loop without a register")
    return found


def _in_order(
    ports: Mapping[str, Any], registers: Sequence[tuple[str, Net, Net]],
    levels: Sequence[Sequence[_Node]],
) -> list[tuple[int, int, int, int, _Node]]:  # fmt: skip
    """Return the nodes as they can be computed: those of the same sources follow each other.

    A node's sources are those of its inputs and maybe more. So an order of sets by their size is an
    order of computing, and levels are one within a set. Before each node stand the size of its set,
    the set, the level and the table.
    """
    instances = groups_of([name for name, _, _ in registers])
    on: dict[Net, int] = {q: 1 << g for (_, q, _), g in zip(registers, instances, strict=True)}
    first = max(instances, default=0) + 1
    for i, port in enumerate(p for p in ports.values() if p["direction"] == "input"):
        on.update(dict.fromkeys(port["bits"], 1 << first + i))
    first += len(ports)
    found = []
    for level, nodes in enumerate(levels):
        for node in nodes:
            sources = 1 << first + node.memory if node.table == READ else 0
            for net in node.inputs:
                sources |= on.get(net, 0)
            on.update(dict.fromkeys(node.outputs, sources))
            found.append((sources.bit_count(), sources, level, node.table, node))
    return sorted(found, key=lambda n: n[:-1])


def _numbered(
    ports: Mapping[str, Any], inputs: Sequence[Net], registers: Sequence[tuple[str, Net, Net]],
    memories: Sequence[tuple[str, Mapping[str, Any]]], levels: Sequence[Sequence[_Node]],
) -> Circuit:  # fmt: skip
    """Return the circuit: nets are numbered in the order in which they are computed."""
    number: dict[Net, int] = {"0": 0, "x": 0, "1": 1}
    for net in (*inputs, *(q for _, q, _ in registers)):
        number[net] = len(number) - 1
    ordered: list[tuple[int, list[_Node]]] = []
    for key, same in groupby(_in_order(ports, registers, levels), key=lambda n: n[:-1]):
        nodes = [node for *_, node in same]
        sources, table = key[1], key[-1]
        ordered += [(sources, [n]) for n in nodes] if table == READ else [(sources, nodes)]
    for node in (node for _, group in ordered for node in group):
        for net in node.outputs:
            number[net] = len(number) - 1

    def nets(bits: Iterable[Net]) -> list[int]:
        return [number[n] for n in bits]

    groups, probes, names = [], list[int](), list[str]()
    for sources, group in ordered:
        taken = [n for node in group for n in nets(node.inputs)]
        count = sum(len(node.outputs) for node in group)
        first = group[0]
        if first.table == READ:
            name = memories[first.memory][0]
            for what, bits in (("address", first.inputs), ("data", first.outputs)):
                probes += nets(bits)
                names += [f"{name} read {what} {i}" for i in range(len(bits))]
            taken.insert(0, first.memory)
        groups.append(Group(first.table, count, taken, sources))
    return Circuit(
        {name: nets(p["bits"]) for name, p in ports.items()}, len(inputs),
        [name for name, _, _ in registers], nets(d for _, _, d in registers),
        [_memory(name, cell, nets) for name, cell in memories], groups, probes, names,
    )  # fmt: skip


def _memory(
    name: str, cell: Mapping[str, Any], nets: Callable[[Iterable[Net]], list[int]]
) -> Memory:
    words, width, bits = (_number(cell, n) for n in ("SIZE", "WIDTH", "ABITS"))
    at = cell["connections"]
    writes = []
    if _number(cell, "WR_PORTS"):
        parts = (("WR_ADDR", bits), ("WR_DATA", width), ("WR_EN", width))
        for port in zip(*(cut(at[n], w) for n, w in parts), strict=True):
            writes.append(Write(*(nets(p) for p in port)))
    init = [int(c == "1") for c in reversed(cell["parameters"]["INIT"])][: words * width]
    return Memory(name, words, width, bits, writes, init)
