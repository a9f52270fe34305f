# SPDX-License-Identifier: Apache-2.0
"""Designs for boards, by name: what stands behind the pins, and the generated text of it.

``noise``: raw samples of the noise source on the serial port. A preset's name: its core with a
multiplication whose result is known, or its word engine with its self-test; an LED shows the
verdict. ``schemes-PRESET``: the system on chip with a machine of schemes, which serves the serial
protocol. ``boot``: the system on chip that starts what is signed, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ecsm.boards.board import FAMILIES, NOISE, NOISE_BAUD, Board
from ecsm.cores.store import design
from ecsm.device.base import NoDevice
from ecsm.device.transport import BAUD
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.hdl.machines import machine_of
from ecsm.hdl.scheme_emit import CYCLE_BITS
from ecsm.hdl.vectors import Oracle, edge_cases
from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset, only_here
from ecsm.soc.accelerators import SCHEMES
from ecsm.soc.boot import ROM, UNIT
from ecsm.soc.emit import cpu_file
from ecsm.soc.firmware import Program
from ecsm.soc.system import system
from ecsm.templates import render

TOP, BOOT = "board", "boot"
IMAGE = "memory.hex"
"""The file that synthesis fills the memory of a system from: what the program replaces."""
TABLES_AT = 0x10_0000  # in the flash memory; a bitstream of an UP5K is far smaller
PLL_PORTS = {
    "ecp5": ("clk_i", "clk_o"), "ice40": ("clock_in", "clock_out"),
    "gowin": ("clock_in", "clock_out"),
}  # fmt: skip
"""The clock of a PLL's module, in and out."""
RINGS, CELL = "noise_rings", "noise_cell"
SLOWEST = 3.0  # MHz of a PLL
NOISE_MHZ = (4, 51)  # of whole numbers: a bit of the serial port; ten before the next sample
SKEW = 0.03  # the serial port may be so far from its rate
STEPS = ("self-test", "seed", "generate")
"""What a machine of schemes does before its verdict: the last two need entropy."""


@dataclass(frozen=True)
class BoardDesign:
    """A design for a board.

    ``text``: the generated modules, the top last; ``files``: the hand-written ones that it needs,
    without the rings; ``ports``: of the top; ``mhz``: its clock; ``pll``: whether a PLL makes it;
    ``tables``: what goes to the flash memory; ``program``: what the memory of the system holds.
    """

    name: str
    board: Board
    about: str
    text: str
    files: tuple[Path, ...]
    ports: tuple[str, ...]
    mhz: float
    pll: bool
    sums: bool = False
    tables: bytes = b""
    program: Program | None = None


@dataclass(frozen=True)
class _Inside:
    """What a design has behind its pins: ``kind`` is the part of the template."""

    kind: str
    about: str
    values: Mapping[str, object]
    text: str = ""
    files: tuple[Path, ...] = ()
    sums: bool = False
    tables: bytes = b""
    program: Program | None = None


def board_files() -> list[Path]:
    """Return the hand-written files that a design for a board may need, packages first."""
    own = sorted((RTL / "boards").glob("*.sv"), key=lambda f: (f.stem != "board_pkg", f.name))
    rest = [f for f in own if f.stem not in (RINGS, CELL)]
    return [*rtl_files(), *sorted((RTL / "soc").glob("*.sv")), *rest]


def ring_files() -> list[Path]:
    """Return the files of the ring oscillators, which synthesis reads apart."""
    return [RTL / "boards" / f"{name}.sv" for name in (RINGS, CELL)]


def board_design(name: str, board: Board, mhz: float | None = None) -> BoardDesign:
    """Return a design for a board.

    ``mhz``: its clock, that of the board's table if it is None. Raises UnknownPreset,
    StaleSchedule, UnknownUnit, and :class:`NoDevice` for what the board cannot have.
    """
    clock = board.core_mhz if mhz is None else mhz
    pll = clock != board.clock_mhz
    if clock < SLOWEST:
        raise NoDevice(f"no PLL here makes {clock:g} MHz: {SLOWEST:g} and more")
    found = _inside(name, board, clock)
    ports = tuple(p for p in board.pins if found.tables or not p.startswith("flash_"))
    if pll and board.family == "gowin":
        raise NoDevice(f"{board.name} has no PLL here: its clock is {board.clock_mhz:g} MHz")
    top = render(
        "boards/board.sv", name=name, board=board.name, board_about=board.about,
        about=found.about, mhz=clock, kind=found.kind, ports=ports,
        low=[p for p in ports if board.pins[p].low], pll=PLL_PORTS[board.family] if pll else None,
        family=FAMILIES[board.family], tick=round(clock * 1e6 / 8), **found.values,
    )  # fmt: skip
    text = "\n".join(filter(None, (found.text, top)))
    files = (*found.files, *needed(text, board_files()))
    return BoardDesign(
        name, board, found.about, text, files, ports, clock, pll, found.sums, found.tables,
        found.program,
    )  # fmt: skip


def _inside(name: str, board: Board, mhz: float) -> _Inside:
    if name == NOISE:
        values = {"divisor": _noise_divisor(mhz)}
        return _Inside("noise", "raw samples of the noise source", values)
    if name == BOOT:
        return _system(UNIT, board, mhz, ROM)
    if name.startswith(SCHEMES):
        return _system(name, board, mhz)
    p = any_preset(name)
    if why := only_here(p):
        raise NoDevice(why)
    if isinstance(p, WordPreset):
        return _word(p, board)
    return _core(name, board)


def _noise_divisor(mhz: float) -> int:
    """Return the clock cycles of a bit of the noise on the serial port.

    Raises :class:`NoDevice` for another rate, or one at which a sample is lost.
    """
    ratio = mhz * 1e6 / NOISE_BAUD
    divisor, (least, most) = round(ratio), NOISE_MHZ
    if not least <= divisor <= most or abs(divisor - ratio) > SKEW * ratio:
        raise NoDevice(
            f"{NOISE} has no serial port of {NOISE_BAUD:,} Bd at {mhz:g} MHz:"
            f" whole numbers of MHz from {least} to {most} do"
        )
    return divisor


def _core(name: str, board: Board) -> _Inside:
    d = design(name)
    p = d.preset
    if board.family == "ice40":
        raise NoDevice(f"{name} is a core for an ECP5: word-up5k is made for {board.name}")
    if p.random_bits:
        raise NoDevice(f"{name} takes random words, which no design for a board gives it yet")
    case = next(c for c in edge_cases(p) if c.name == "k = random 0, P = G")
    answer = Oracle(p, both=True).answer(case)
    assert answer.point
    values = {**facts(p), "k": case.k, "point": (case.x, case.y), "result": answer.point}
    values.pop("preset")
    sums = p.multiplier_in == "dsp"
    return _Inside("core", f"{name} with a known answer", values, emit(d), sums=sums)


def _word(p: WordPreset, board: Board) -> _Inside:
    if board.family not in p.families:
        raise NoDevice(f"{p.name} has blocks of another family than that of {board.name}")
    if p.netlist and "flash_cs_no" not in board.pins:
        raise NoDevice(
            f"{p.name} takes its tables from a host: {SCHEMES}{p.name} is a system that loads them;"
            f" the flash memory of {board.name} is not used here"
        )
    m = machine_of(p)
    tables = m.tables() if m.tables else b""
    steps = [(m.program.number(step), step) for step in STEPS if step in m.program.operations]
    if tables:
        steps.insert(0, (LOAD_OPERATION, "load tables"))
    modules = m.emit(True)
    values = {
        "module": list(modules)[-1], "steps": steps, "tables": len(tables), "tables_at": TABLES_AT,
        "cycle_bits": CYCLE_BITS,
    }  # fmt: skip
    text = "\n".join(modules.values())
    return _Inside("schemes", f"{p.name} with its self-test", values, text, (), True, tables)


def _system(name: str, board: Board, mhz: float, rom: int = 0) -> _Inside:
    if board.family == "ice40":
        raise NoDevice(f"{board.name} has no room for a system on chip")
    if board.family == "gowin":
        raise NoDevice(f"no program is put into a bitstream for {board.name}")
    divisor = round(mhz * 1e6 / BAUD)
    s = system(name, "lc", divisor=divisor, alone=True, image=IMAGE, rom=rom)
    about = f"the system on chip with {name}" + ", which starts what is signed" * (rom > 0)
    return _Inside("soc", about, {}, s.text, (cpu_file(),), True, program=s.program)
