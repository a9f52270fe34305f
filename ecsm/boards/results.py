# SPDX-License-Identifier: Apache-2.0
"""Kept results of ``ecsm bitstream``, and the tables of docs/guide/boards.md."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.boards.board import board, boards
from ecsm.boards.designs import board_design
from ecsm.device.base import DeviceError
from ecsm.markdown import markdown_table, number
from ecsm.names import UnknownName
from ecsm.results.kept import RESULTS, AWhere, Layers, Where
from ecsm.results.record import Origin, agree, load

NOT_RUN = "bitstream made, not run on a board"
FOLDER = "bitstream"


@dataclass(frozen=True)
class Clock:
    """A clock of a routed design: what it can do, and what it must."""

    name: str
    mhz: float
    wanted_mhz: float


@dataclass(frozen=True)
class Bitstream:
    """A bitstream: what it is made of, and how well that met its clock.

    ``used``: cells of the device by kind, as nextpnr names them; ``program``: the program in its
    memory, "" for none; ``sha256`` and ``octets``: of the file; ``seconds``: of the router.
    """

    design: str
    board: str
    device: str
    mhz: float
    clocks: list[Clock]
    used: dict[str, int]
    seed: int
    netlist: str
    program: str
    octets: int
    sha256: str
    seconds: float
    peak_mb: int
    origin: Origin
    state: str = NOT_RUN


_LOGIC = ("TRELLIS_COMB", "ICESTORM_LC", "LUT4")
_MEMORY = ("DP16KD", "ICESTORM_RAM", "BSRAM")
"""What results call cells of logic and blocks of memory."""


def bitstream_path(design: str, where: str, root: AWhere) -> AWhere:
    """Return where the result of a design for a board is kept."""
    return root / FOLDER / f"{design}.{where}.json"


def load_bitstreams(root: Where = RESULTS) -> list[Bitstream]:
    """Return what is kept; raises :class:`ecsm.results.record.DamagedResult`."""
    folders = (root.own, root.beneath) if isinstance(root, Layers) else (root,)
    names = {f.name for folder in folders for f in (folder / FOLDER).glob("*.json")}
    found = []
    for name in sorted(names):
        path = root / FOLDER / name
        if (b := load(Bitstream, path)) is None:
            continue
        right = path_name(b) == name and all(0 < c.wanted_mhz <= c.mhz for c in b.clocks)
        agree(path, right and bool(b.clocks) and b.octets > 0, f"{b.design!r} met no clock")
        found.append(b)
    return found


def path_name(b: Bitstream) -> str:
    """Return the name of a result's file."""
    return f"{b.design}.{b.board}.json"


def current(b: Bitstream) -> bool:
    """Return whether a bitstream is of the RTL as it is."""
    from ecsm.boards.netlist import digest

    try:
        return digest(board_design(b.design, board(b.board), b.mhz)) == b.origin.rtl
    except (DeviceError, UnknownName, ValueError):
        return False


def bitstream_table(root: Where = RESULTS) -> str:
    """Return the bitstreams that are kept; those of older RTL say so."""
    rows: list[list[object]] = []
    for b in load_bitstreams(root):
        luts, memories = (next((b.used[kind] for kind in kinds if kind in b.used), 0)
                          for kinds in (_LOGIC, _MEMORY))  # fmt: skip
        worst = min(b.clocks, key=lambda c: c.mhz / c.wanted_mhz)
        state = b.state if current(b) else f"{b.state}; of an earlier commit"
        rows.append(
            [f"`{b.design}`", b.board, number(luts), memories, f"{worst.mhz:.1f} of"
             f" {worst.wanted_mhz:.0f}", number(b.octets), f"{b.seconds / 60:.0f} min", state]
        )  # fmt: skip
    head = ["design", "board", "cells of logic", "blocks of memory", "MHz, of those wanted",
            "octets", "place and route", "state"]  # fmt: skip
    return markdown_table(head, rows, {2, 3, 4, 5, 6})


def board_table() -> str:
    """Return the boards."""
    rows: list[list[object]] = [
        [f"`{b.name}`", b.about, f"{b.clock_mhz:g}", f"{b.core_mhz:g}",
         b.pins["uart_tx_o"].site + " / " + b.pins["uart_rx_i"].site,
         "yes" if "reset_i" in b.pins else "no", f"[file]({b.source})"]
        for b in boards().values()
    ]  # fmt: skip
    head = ["board", "what it is", "oscillator, MHz", "design, MHz", "serial out / in", "reset",
            "source of the pins"]  # fmt: skip
    return markdown_table(head, rows, {2, 3})
