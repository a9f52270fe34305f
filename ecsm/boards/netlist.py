# SPDX-License-Identifier: Apache-2.0
"""The netlist of a design for a board: for nextpnr, and for a simulator.

The ring oscillators and the PLL are black boxes while the rest is mapped: a mapper does not look
into a loop. Then their cells are put in. The netlist for a simulator is without them: it has the
model of the rings (rtl/boards/noise_rings.sv) and a clock that goes straight through.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from ecsm.backend import tool
from ecsm.backend.netlist import levels
from ecsm.backend.synth import SUM_TREE, Passes, script, tree_name, whole
from ecsm.boards.board import FAMILIES
from ecsm.boards.designs import IMAGE, PLL_PORTS, RINGS, TOP, BoardDesign, ring_files
from ecsm.progress import Progress
from ecsm.results.sources import digest_of, tools
from ecsm.sim.cache import cache_dir, entry
from ecsm.templates import render

PLL = "board_pll"
INSTANCE = "u_rings"  # what is below it is a ring
JSON, SIMULATED, COST = "board.json", "board.v", "cost.json"
BOXES, PLL_FILE = "boxes.sv", "pll.v"


@dataclass(frozen=True)
class BoardNetlist:
    """``json``: for nextpnr; ``simulated``: Verilog for a simulator; ``folder``: in the cache."""

    key: str
    json: Path
    simulated: Path
    cost: tool.Spent


def placeholder(words: int) -> list[int]:
    """Return random words that stand in the memory until a program does: no two parts are alike."""
    rng = random.Random("ecsm bitstream")
    return [rng.getrandbits(32) for _ in range(words)]


def image_text(words: list[int]) -> str:
    """Return words as a file for $readmemh."""
    return "".join(f"{word:08x}\n" for word in words)


def folder_of(d: BoardDesign) -> str:
    """Return where in the cache the entries of a design for a board are, and begin."""
    return f"boards/{d.name.replace(':', '_')}.{d.board.name}"


def log_of(d: BoardDesign, what: str) -> Path:
    """Return where a tool's log is."""
    return cache_dir() / f"{folder_of(d)}.{what}.log"


def digest(d: BoardDesign) -> str:
    """Return the digest of a design's text and files."""
    return digest_of(d.text, [*d.files, *ring_files()])


def simulated(d: BoardDesign) -> tuple[str, tuple[Path, ...]]:
    """Return a design's text and files for a simulator: a model of the rings, a PLL of a wire."""
    ports = PLL_PORTS[d.board.family]
    pll = render("boards/pll.sv", name=PLL, clock_in=ports[0], clock_out=ports[1])
    family = FAMILIES[d.board.family]
    text = d.text.replace(f"Family({family})", "Family(0)") + pll * d.pll
    return text, (*d.files, ring_files()[0])


def _commands(d: BoardDesign) -> list[str]:
    """Return the Yosys commands from the files to the two netlists."""
    names = " ".join([*(f.name for f in d.files), BOXES, f"{TOP}.sv"])
    boxes = f"--blackboxed-module {RINGS}" + f" --blackboxed-module {PLL}" * d.pll
    pll = [f"read_verilog {PLL_FILE}"] if d.pll else []
    *mapping, _ = script(
        d.board.family, TOP, d.sums, pads=True
    )  # registers of a board may have an init
    return [
        f"read_slang --top {TOP} {boxes} {names}",
        f"delete ={RINGS}",
        f"read_verilog -lib -sv {RINGS}.sv",
        *mapping,
        f"setparam -set Family 0 t:{RINGS}",
        f"select -module {TOP}",
        f"write_verilog -selected -noattr {SIMULATED}",
        "select -clear",
        f"setparam -set Family {FAMILIES[d.board.family]} t:{RINGS}",
        f"delete ={RINGS}" + f" ={PLL}" * d.pll,
        f"read_verilog -defer -sv {RINGS}.sv {ring_files()[1].name}",
        *pll,
        f"hierarchy -check -top {TOP}",
        "proc",
        "flatten",
        "opt_clean -purge",
        "blackbox =A:whitebox",
        "check",
        f"select -module {TOP}",
        f"write_json -selected -noscopeinfo {JSON}",
    ]


def board_netlist(d: BoardDesign, log: Progress) -> BoardNetlist:
    """Return the netlist of a design, from the cache or made anew.

    Raises :class:`ecsm.backend.tool.FlowError` if a tool fails.
    """
    commands = _commands(d)
    pll = _pll(d) if d.pll else []
    versions = json.dumps(tools("yosys", "nextpnr", "nextpnr-ice40"))
    parts = "\0".join((digest(d), *commands, *pll, versions))
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    name = f"{d.name} on {d.board.name}"

    def make(work: Path, done: Path) -> None:
        log(f"{name}: synthesising")
        for file in (*d.files, *ring_files()):
            shutil.copyfile(file, work / file.name)
        shutil.copyfile(SUM_TREE, work / tree_name())
        (work / f"{TOP}.sv").write_text(d.text, encoding="utf-8")
        boxes = render("boards/boxes.sv", pll=PLL_PORTS[d.board.family] if d.pll else None)
        (work / BOXES).write_text(boxes, encoding="utf-8")
        if d.program:
            words = placeholder(256 * d.program.memory)
            (work / IMAGE).write_text(image_text(words), encoding="ascii")
        if d.pll:
            code = tool.ICEPLL if d.board.family == "ice40" else tool.ECPPLL
            tool.run(code, pll, work, log_of(d, "pll"), silent=log.again)
        file = log_of(d, "synth")
        spent = tool.run(tool.YOSYS, commands, work, file, Passes(name, log), silent=log.again)
        for made in (JSON, SIMULATED):
            whole(work / made, file)
        _check_loops(work / JSON, name)
        for made in (JSON, SIMULATED):
            (work / made).rename(done / made)
        (done / COST).write_text(json.dumps(asdict(spent)), encoding="utf-8")

    folder = entry(f"{folder_of(d)}.netlist-{key}", make)
    cost = json.loads((folder / COST).read_text(encoding="utf-8"))
    return BoardNetlist(key, folder / JSON, folder / SIMULATED, tool.Spent(**cost))


def _pll(d: BoardDesign) -> list[str]:
    """Return the options of the program that writes the module of the PLL."""
    options = ["-i", f"{d.board.clock_mhz:g}", "-o", f"{d.mhz:g}", "-n", PLL, "-f", PLL_FILE]
    if d.board.family == "ice40":
        return [*options, "-m", "-p"]  # the oscillator's pin is that of the PLL
    clocks = PLL_PORTS["ecp5"]
    return [*options, "--clkin_name", clocks[0], "--clkout0_name", clocks[1]]


def _check_loops(file: Path, name: str) -> None:
    """Raise :class:`ecsm.backend.tool.FlowError` if there is a loop beside the rings.

    nextpnr is told to ignore loops.
    """
    module = json.loads(file.read_text(encoding="utf-8"))["modules"][TOP]
    others = {n: cell for n, cell in module["cells"].items() if f".{INSTANCE}." not in f".{n}"}
    try:
        levels({**module, "cells": others})
    except ValueError as error:
        raise tool.FlowError(f"{name}: {error}") from None
