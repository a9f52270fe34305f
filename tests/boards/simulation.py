# SPDX-License-Identifier: Apache-2.0
"""A board's top in simulation, from its RTL or from its netlist; its pins alone are used.

The PLL is a wire here, so a cycle is one of the design's clock. The ring oscillators are the model
of rtl/boards/noise_rings.sv.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ecsm.backend import cell_models
from ecsm.backend.cells import MODEL_FLAGS, yosys_models
from ecsm.boards.designs import PLL_PORTS, TOP, BoardDesign, ring_files
from ecsm.boards.netlist import PLL, board_netlist, simulated
from ecsm.progress import Progress
from ecsm.sim.cache import Sources, build
from ecsm.templates import render
from tests.backend.test_gowin import MODEL_FLAGS as GOWIN_FLAGS
from tests.backend.test_gowin import gowin_models
from tests.backend.test_ice40 import MODEL_FLAGS as ICE40_FLAGS
from tests.backend.test_ice40 import ice40_models

WRAPPER = Path(__file__).with_name("board.cpp")
ROOM = 4096
MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Seen:
    """What came from a board: octets, and each LED: lit in some cycle, dark in some."""

    octets: bytes
    ok: bool
    bad: bool
    dark: bool


def rtl(d: BoardDesign, text: str = "", rings: str = "") -> Sources:
    """Return the sources of a design's RTL.

    ``text``: in place of the generated one; ``rings``: in place of the model of the rings.
    """
    found, files = simulated(d)
    if rings:
        files = tuple(f for f in files if f not in ring_files())
    return Sources(f"{TOP}-{d.name}", TOP, (text or found) + rings, files, wrapper=WRAPPER)


def stuck_rings() -> str:
    """Return rings that stand still, as those of a netlist whose loops were cut."""
    text = ring_files()[0].read_text(encoding="utf-8")
    dead = text.replace("assign ring_o = state_q[63-:Rings];", "assign ring_o = '0;")
    assert dead != text
    return dead


def netlist(d: BoardDesign) -> Sources:
    """Return the sources of a design's netlist, in cells of its board's family."""
    into, out = PLL_PORTS[d.board.family]
    with Progress() as log:
        text = board_netlist(d, log).simulated.read_text(encoding="utf-8")
        text += render("boards/pll.sv", name=PLL, clock_in=into, clock_out=out) * d.pll
    name, rings = f"{TOP}-{d.name}-cells", ring_files()[0]
    if d.board.family == "ice40":
        files = (*ice40_models(), rings)
        return Sources(name, TOP, text, files, ICE40_FLAGS, ("-O1",), wrapper=WRAPPER)
    if d.board.family == "gowin":
        text = gowin_models() + text
        return Sources(name, TOP, text, (rings,), GOWIN_FLAGS, ("-O1",), wrapper=WRAPPER)
    cell_models.check(text)
    files = (*yosys_models(), rings)
    text = cell_models.verilog() + text
    return Sources(name, TOP, text, files, MODEL_FLAGS, ("-O1",), wrapper=WRAPPER)


class SimulatedBoard:
    """A board; ``divisor``: clock cycles of a bit on its serial lines."""

    def __init__(self, d: BoardDesign, s: Sources, divisor: int = 434) -> None:
        self._lib = ctypes.CDLL(str(build(None, s)))
        self._lib.board_new.restype = ctypes.c_void_p
        self._low = {p: d.board.pins[p].low for p in d.ports if p.startswith("led_")}
        released = "reset_i" in d.ports and d.board.pins["reset_i"].low
        self._handle = ctypes.c_void_p(self._lib.board_new(divisor, int(released)))
        if d.tables:
            from ecsm.boards.designs import TABLES_AT

            self._lib.board_flash(self._handle, TABLES_AT, d.tables, len(d.tables))

    def send(self, octets: bytes) -> None:
        """Send octets to its serial port."""
        for octet in octets:
            self._lib.board_type(self._handle, octet)

    def run(self, cycles: int) -> Seen:
        """Run some clock cycles, or until many octets have come."""
        octets = (ctypes.c_uint8 * ROOM)()
        high, low = ctypes.c_uint32(), ctypes.c_uint32()
        count = self._lib.board_run(
            self._handle, ctypes.c_uint64(cycles), octets, ROOM, ctypes.byref(high),
            ctypes.byref(low),
        )  # fmt: skip
        lit, dark = [], []
        for bit, port in enumerate(("led_ok_o", "led_bad_o")):
            on, off = (low, high) if self._low.get(port) else (high, low)
            lit.append(port in self._low and bool(on.value >> bit & 1))
            dark.append(bool(off.value >> bit & 1))
        return Seen(bytes(octets[:count]), lit[0], lit[1], dark[0])

    def verdict(self, most: int, step: int = 20_000) -> str:
        """Run until an LED is lit; return which: ok, bad, or "" after ``most`` cycles."""
        for _ in range(most // step):
            seen = self.run(step)
            if seen.ok or seen.bad:
                return "bad" if seen.bad else "ok"
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._lib.board_free(self._handle)


def model_bits(rings: int = 8) -> Iterator[int]:
    """Yield the parity of the model's rings in each clock cycle after its reset."""
    state = 0x9E37_79B9_7F4A_7C15
    while True:
        yield (state >> 64 - rings).bit_count() & 1
        a = state ^ (state << 13) & MASK
        b = a ^ a >> 7
        state = b ^ (b << 17) & MASK
