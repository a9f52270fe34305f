# SPDX-License-Identifier: Apache-2.0
"""Synthesise with Yosys and elaborate with Verilator, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecsm.backend import tool
from ecsm.hdl.files import rtl_files
from ecsm.sim.cache import verilator_env


def yosys(folder: Path, *commands: str) -> None:
    """Run Yosys commands in ``folder``; raises FlowError if one fails."""
    tool.run(tool.YOSYS, commands, folder, folder / "yosys.log")


def synthesise(top: str, text: str, folder: Path) -> Counter[str]:
    """Return the cells of ``top``'s flat netlist by type; the netlist must pass ``check``.

    ``check -assert`` fails on combinational loops, on nets with several drivers or none.
    """
    source, report = folder / f"{top}.sv", folder / "stat.json"
    source.write_text(text, encoding="utf-8")
    files = " ".join(str(f) for f in (*rtl_files(), source))
    yosys(
        folder,
        f"read_slang --top {top} {files}",
        "synth -flatten -noabc",
        "opt -full",
        "check -assert",
        f"tee -q -o {report} stat -json",
    )
    (module,) = json.loads(report.read_text())["modules"].values()
    return Counter(module["num_cells_by_type"])


def instances(top: str, text: str, folder: Path) -> dict[str, Counter[str]]:
    """Return which modules Verilator elaborates under ``top``.

    By module: its children, by name of the module as written, parameters left out, each counted
    once for every place in the whole design.
    """
    source = folder / f"{top}.sv"
    source.write_text(text, encoding="utf-8")
    command = [
        "verilator", "--json-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--unroll-count",
        "1024", "--Mdir", str(folder), "--top-module", top, *map(str, rtl_files()), str(source),
    ]  # fmt: skip
    done = subprocess.run(command, env=verilator_env(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    sys.setrecursionlimit(20_000)  # a program's words are nested choices in Verilator's tree
    tree = json.loads((folder / f"V{top}.tree.json").read_text())
    modules = {m["addr"]: m for m in tree["modulesp"] if m["type"] == "MODULE"}
    (root,) = (m for m in modules.values() if m["origName"] == top)
    found: dict[str, Counter[str]] = {}

    def visit(module: dict[str, Any]) -> None:
        children = found.setdefault(module["origName"], Counter())
        for child in _cells(module):
            children[modules[child]["origName"]] += 1
            visit(modules[child])

    visit(root)
    return found


def _cells(module: object) -> Sequence[str]:
    """Return the addresses of the modules that a module instantiates; deep nesting is no matter."""
    found, todo = [], [module]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            if node.get("type") == "CELL":
                found.append(node["modp"])
            else:
                todo += [item for item in node.values() if isinstance(item, list)]
    return found
