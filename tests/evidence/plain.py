# SPDX-License-Identifier: Apache-2.0
"""One run of a netlist of Yosys in plain Python, written without ``ecsm.evidence``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Net = int | str


class Plain:
    """A flat module of ``$lut``, flip-flops and ``$mem_v2``: values of nets, bits of memories."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.ports: dict[str, list[Net]] = {n: p["bits"] for n, p in module["ports"].items()}
        cells: dict[str, Any] = module["cells"]
        self.luts = [c for c in cells.values() if c["type"] == "$lut"]
        self.flops = [c for c in cells.values() if "_DFF_" in c["type"]]
        self.memories = [_Memory(c) for c in cells.values() if c["type"] == "$mem_v2"]
        assert len(cells) == len(self.luts) + len(self.flops) + len(self.memories)
        self.value: dict[Net, int] = {"0": 0, "1": 1, "x": 0}
        for flop in self.flops:
            self.value[flop["connections"]["Q"][0]] = 0
        self._order: list[Any] = []
        self._before: dict[tuple[int, int, str, int], int] = {}

    def set(self, port: str, value: int) -> None:
        """Set an input."""
        for i, net in enumerate(self.ports[port]):
            self.value[net] = value >> i & 1

    def get(self, port: str) -> int:
        """Return the value of a port, after :meth:`settle`."""
        return self.number(self.ports[port])

    def number(self, nets: Sequence[Net]) -> int:
        """Return the value of nets, the lowest bit first."""
        return sum(self.value[net] << i for i, net in enumerate(nets))

    def settle(self) -> None:
        """Compute all LUTs and reads; the first time, find an order in which that can be done."""
        if self._order:
            for step in self._order:
                step()
            return
        waiting = [(_inputs(c), self._lut(c)) for c in self.luts]
        waiting += [(a, self._read(m, a, d)) for m in self.memories for a, d in m.reads]
        while waiting:
            left = []
            for inputs, step in waiting:
                if all(net in self.value for net in inputs):
                    step()
                    self._order.append(step)
                else:
                    left.append((inputs, step))
            assert len(left) < len(waiting), "a loop"
            waiting = left

    def _lut(self, cell: Any) -> Any:
        a, (y,) = cell["connections"]["A"], cell["connections"]["Y"]
        table = int(cell["parameters"]["LUT"], 2)

        def step() -> None:
            self.value[y] = table >> self.number(a) & 1

        return step

    def _read(self, memory: _Memory, address: Sequence[Net], data: Sequence[Net]) -> Any:
        def step() -> None:
            word = self.number(address)
            for i, net in enumerate(data):
                self.value[net] = memory.words[word][i] if word < len(memory.words) else 0

        return step

    def clock(self) -> dict[str, int]:
        """Let the clock rise; return how many bits changed, of each kind."""
        found = dict.fromkeys(("register", "address", "data", "write"), 0)
        nexts: list[tuple[Net, int]] = []
        for flop in self.flops:
            at = flop["connections"]
            d = self.value[at["D"][0]]
            if flop["type"] != "$_DFF_P_" and not self.value[at["R"][0]]:
                d = int(flop["type"] == "$_DFF_PN1_")
            nexts.append((at["Q"][0], d))
            found["register"] += d != self.value[at["Q"][0]]
        for m, memory in enumerate(self.memories):
            for r, (address, data) in enumerate(memory.reads):
                for kind, nets in (("address", address), ("data", data)):
                    for i, net in enumerate(nets):
                        key = m, r, kind, i
                        found[kind] += self._before.get(key, 0) != self.value[net]
                        self._before[key] = self.value[net]
            for address, data, enable in memory.writes:
                word = self.number(address)
                for i in range(len(data) if word < len(memory.words) else 0):
                    if self.value[enable[i]]:
                        found["write"] += memory.words[word][i] != self.value[data[i]]
                        memory.words[word][i] = self.value[data[i]]
        self.value.update(nexts)
        return found


class _Memory:
    """The words, and the nets of each port: of a read address and data, of a write enables, too."""

    def __init__(self, cell: Any) -> None:
        p, at = cell["parameters"], cell["connections"]
        size, width, bits = (int(p[n], 2) for n in ("SIZE", "WIDTH", "ABITS"))
        init = p["INIT"][::-1]
        self.words = [[int(b == "1") for b in init[w * width :][:width]] for w in range(size)]
        reads, writes = int(p["RD_PORTS"], 2), int(p["WR_PORTS"], 2)
        self.reads = [
            (at["RD_ADDR"][r * bits :][:bits], at["RD_DATA"][r * width :][:width])
            for r in range(reads)
        ]
        self.writes = [
            (at["WR_ADDR"][w * bits :][:bits], at["WR_DATA"][w * width :][:width],
             at["WR_EN"][w * width :][:width])
            for w in range(writes)
        ]  # fmt: skip


def _inputs(cell: Any) -> list[Net]:
    found: list[Net] = cell["connections"]["A"]
    return found
