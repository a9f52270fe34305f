# SPDX-License-Identifier: Apache-2.0
"""The netlist of a word engine in words: what some cycles of it compute, its memories cut out.

What a memory reads is given, its addresses and what is written are looked at. Nets that a proof
assumes something of have no driver either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ecsm.evidence.gates import UnknownCell, cut
from ecsm.evidence.gfp.cells import Bits, Cell, Net
from ecsm.evidence.gfp.words import Words, read
from ecsm.evidence.netlist import synthesised
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.results.sources import word_sources

COMMANDS = (
    "proc", "flatten -noscopeinfo", "opt_clean", "memory_collect", "opt_dff -nodffe -nosdff",
    "opt_expr", "opt_clean",
)  # fmt: skip
CORE = "u_scheme.u_core."


@dataclass(frozen=True)
class Ports:
    """The ports of a memory: addresses and data of reads; address, data, enables of writes."""

    reads: tuple[tuple[tuple[Net, ...], tuple[Net, ...]], ...]
    writes: tuple[tuple[tuple[Net, ...], tuple[Net, ...], tuple[Net, ...]], ...]


@dataclass(frozen=True)
class Netlist:
    """``words``: without its memories, whose ports are in ``memories``, by name."""

    words: Words
    memories: Mapping[str, Ports]

    @property
    def cells(self) -> int:
        """Functions and registers."""
        return len(self.words.functions) + len(self.words.registers)

    def nets(self, name: str) -> Sequence[Net]:
        """Return the nets of a name in the core."""
        return self.words.names[CORE + name]

    def of(self, targets: Iterable[Net], cycles: int, given: Iterable[Net]) -> Netlist:
        """Return the part that decides nets within some cycles; ``given`` has no driver."""
        w, stop = self.words, set(given)
        driver = {n: c for c in (*w.functions, *w.registers) for o in c.outputs.values() for n in o}
        registers = {id(c) for c in w.registers}
        kept: set[int] = set()
        wanted = set(targets)
        for _ in range(cycles + 1):
            waiting, following = list(wanted), set[Net]()
            seen = set(wanted)
            while waiting:
                n = waiting.pop()
                if n in stop or (cell := driver.get(n)) is None:
                    continue
                kept.add(id(cell))
                for nets in cell.inputs.values():
                    for m in nets:
                        if id(cell) in registers:
                            following.add(m)
                        elif m not in seen:
                            seen.add(m)
                            waiting.append(m)
            wanted = following
        chosen = replace(
            w,
            functions=[c for c in w.functions if id(c) in kept],
            registers=[c for c in w.registers if id(c) in kept],
        )
        return replace(self, words=chosen)


def netlist(p: WordPreset, tell: Progress) -> Netlist:
    """Return the netlist of a preset; raises :class:`ecsm.backend.tool.FlowError`."""
    s = word_sources(p, self_test=False)
    return of_module(synthesised(p.netlist_name, p.module, s.text, COMMANDS, "prove-words", tell))


def of_module(module: Mapping[str, Any]) -> Netlist:
    """Return a module of a JSON netlist of Yosys, flat, of words."""
    memories: dict[str, Ports] = {}
    rest: dict[str, Any] = {}
    for name, cell in module["cells"].items():
        if cell["type"] != "$mem_v2":
            rest[name] = cell
            continue
        p, at = cell["parameters"], cell["connections"]
        if "1" in p["RD_CLK_ENABLE"]:
            raise UnknownCell(f"there is no model of the memory {name}")
        address, width = int(p["ABITS"], 2), int(p["WIDTH"], 2)
        reads = zip(cut(at["RD_ADDR"], address), cut(at["RD_DATA"], width), strict=True)
        writes = zip(cut(at["WR_ADDR"], address), cut(at["WR_DATA"], width),
                     cut(at["WR_EN"], width), strict=True)  # fmt: skip
        memories[name] = Ports(tuple(reads), tuple(writes))
    return Netlist(read({**module, "cells": rest}), memories)


def named(name: str) -> WordPreset:
    """Return the word engine with a name."""
    found = any_preset(name)
    assert isinstance(found, WordPreset)
    return found


__all__ = ["CORE", "Bits", "Cell", "Netlist", "Ports", "named", "netlist", "of_module"]
