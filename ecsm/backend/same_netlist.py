# SPDX-License-Identifier: Apache-2.0
"""Whether two designs are the same circuit, except for names of modules, instances and signals.

``python -m ecsm.backend.same_netlist FOLDER [FOLDER]`` prints the digests of the netlists of
folders that ``ecsm build`` wrote, also of another version. Exit code 0 if they are equal, 1 if not,
2 if one cannot be read.

Yosys reads each design and flattens it to word-level cells, before any mapping. It folds constants
and merges equal cells, as every synthesis begins. A walk starts at the outputs, in the order of
their names, and goes from each cell to its inputs; it numbers the cells in the order in which it
meets them. Each input of a cell has one driver. So netlists that
differ only in names have the same list of numbered cells, and others do not. The digest is that of
the list. It covers type, parameters and attributes of each cell; for each driven bit the attributes
of its wires, such as ``keep`` and the initial value; name, direction and width of each port, but
not the order of ports. Cells that no output reads do not count.

Equal netlists stay equal in every later step, except for the order in which a tool visits names.
The comparison is strict: an operator that is written another way is unequal, although its circuit
may be equal.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ecsm.backend import tool
from ecsm.results.sources import Sources
from ecsm.signals import scratch
from ecsm.sim.cache import cache_dir

NETLIST = "netlist.json"
LISTED = "files.f"
FLAT = (
    "hierarchy -check", "proc", "flatten -noscopeinfo", "opt_expr", "memory -nomap",
    "opt_expr", "opt_merge", "opt_muxtree", "opt_expr", "opt_merge", "opt_clean",
    f"write_json -noscopeinfo {NETLIST}",
)  # fmt: skip
# Parameters and attributes that only name, say where the text was, or that proc has used up.
_NAMES = {"MEMID", "src", "hdlname", "scopename", "module_not_derived", "full_case"}

Bit = int | str
Json = Mapping[str, Any]


class NotComparable(ValueError):
    """A netlist has what the walk cannot number: a bit with two drivers, or an inout port."""


def same(one: Json, other: Json) -> bool:
    """Whether two modules of JSON netlists are equal except for names."""
    return digest(one) == digest(other)


def digest(module: Json) -> str:
    """Return the digest of a module of a JSON netlist, without its names; NotComparable."""
    found = hashlib.sha256()
    for line in _Walk(module).lines():
        found.update(f"{json.dumps(line)}\n".encode())
    return found.hexdigest()


class _Walk:
    """Numbers the cells of a module; :meth:`lines` is its description by numbers."""

    def __init__(self, module: Json) -> None:
        self._cells: dict[str, Json] = module["cells"]
        self._ports: dict[str, Json] = dict(sorted(module["ports"].items()))
        self._marks = _marks(module)
        self._driver: dict[Bit, tuple[str, str, int]] = {}
        for name, port in self._ports.items():
            if port["direction"] == "inout":
                raise NotComparable("a port is inout")
            if port["direction"] == "input":
                self._drive("", name, port["bits"])
        for name, cell in self._cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] != "input":
                    self._drive(name, port, bits)
        self._number: dict[str, int] = {}
        self._open: dict[Bit, int] = {}  # bits without a driver
        self._waiting: deque[str] = deque()

    def _drive(self, by: str, port: str, bits: Sequence[Bit]) -> None:
        for index, bit in enumerate(bits):
            if self._driver.setdefault(bit, (by, port, index)) != (by, port, index):
                raise NotComparable(f"two drivers of one bit: {by}, {self._driver[bit][0]}")

    def lines(self) -> Iterator[object]:
        """Yield the ports, then each cell in the order of its number."""
        for name, port in self._ports.items():
            outputs = port["bits"] if port["direction"] == "output" else []
            yield name, port["direction"], len(port["bits"]), [*map(self._source, outputs)]
        while self._waiting:
            cell = self._cells[self._waiting.popleft()]
            ports = {
                port: len(bits)
                if cell["port_directions"][port] != "input"
                else [*map(self._source, bits)]
                for port, bits in sorted(cell["connections"].items())
            }
            yield cell["type"], _told(cell["parameters"]), _told(cell["attributes"]), ports

    def _source(self, bit: Bit) -> object:
        """Return what drives a bit: a constant, a port, or a cell, which gets a number."""
        if isinstance(bit, str):
            return bit
        if bit not in self._driver:
            return "open", self._open.setdefault(bit, len(self._open))
        by, port, index = self._driver[bit]
        if not by:
            return "port", port, index
        if by not in self._number:
            self._number[by] = len(self._number)
            self._waiting.append(by)
        return self._number[by], port, index, self._marks.get(bit, [])


def _told(values: Mapping[str, object]) -> dict[str, object]:
    """Return parameters or attributes, those left out that only name."""
    return {name: values[name] for name in sorted(values) if name not in _NAMES}


def _marks(module: Json) -> dict[Bit, list[tuple[str, str]]]:
    """Return the attributes of the wires of each bit, where there are such; ``init`` bit by bit."""
    found: dict[Bit, set[tuple[str, str]]] = {}
    for net in module["netnames"].values():
        for name, value in _told(net["attributes"]).items():
            text = str(value)
            for i, bit in enumerate(net["bits"]):
                mark = text[-1 - i : len(text) - i] if name == "init" else text
                found.setdefault(bit, set()).add((name, mark))
    return {bit: sorted(marks) for bit, marks in found.items()}


def netlist(files: Sequence[Path], top: str, log: Path) -> dict[str, Any]:
    """Return the flat netlist of the module ``top`` of SystemVerilog files, in compile order.

    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails.
    """
    with scratch() as work:
        names = [f"{i}.sv" for i in range(len(files))]
        for name, file in zip(names, files, strict=True):
            (work / name).write_bytes(file.read_bytes())
        commands = [f"read_slang --top {top} {' '.join(names)}", *FLAT]
        tool.run(tool.YOSYS, commands, work, log)
        modules = json.loads((work / NETLIST).read_text(encoding="utf-8"))["modules"]
    found: dict[str, Any] = modules[top]
    return found


def netlist_of_design(s: Sources) -> dict[str, Any]:
    """Return the flat netlist of a design; raises :class:`ecsm.backend.tool.FlowError`."""
    with scratch() as folder:
        top = folder / f"{s.preset.module}.sv"
        top.write_text(s.text, encoding="utf-8")
        return netlist([*s.files, top], top.stem, _log())


def netlist_of(folder: Path) -> dict[str, Any]:
    """Return the flat netlist of a folder that ``ecsm build`` wrote."""
    names = (folder / LISTED).read_text(encoding="utf-8").split()
    files = [folder / name for name in names]
    return netlist(files, Path(names[-1]).stem, _log())


def _log() -> Path:
    return cache_dir() / "flow" / "same_netlist.log"


def main(arguments: Sequence[str]) -> int:
    """Print the digest of each folder's netlist; return 1 if they differ, 2 if one is none."""
    found = set()
    for name in arguments:
        try:
            module = netlist_of(Path(name))
            found.add(digest(module))
        except (OSError, LookupError, ValueError, tool.FlowError) as error:
            print(f"same_netlist: {name}: {error}", file=sys.stderr)
            return 2
        print(f"{digest(module)}  {len(module['cells'])} cells  {name}", flush=True)
    return int(len(found) > 1) if found else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
