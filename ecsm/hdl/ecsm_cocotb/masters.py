# SPDX-License-Identifier: Apache-2.0
"""Masters of AXI4-Lite, Wishbone and APB for cocotb 2, one access at a time.

Each holds the block to its bus: one answer to each access; on Wishbone and APB in one cycle, with
data of zero in every other. ::

    master = Wishbone(dut)
    await master.write(0x058, 1)
    assert await master.read(0x000) == 0x4543534D
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from cocotb.triggers import ClockCycles, Lock, RisingEdge

from .results import NoAnswer, ProtocolError, Refused

SETTLED = 8  # cycles in which an access that has gone is answered


class Master(ABC):
    """Accesses a block's registers, one at a time, and holds the block to the bus's rules.

    ``dut``: has the ports of the bus; ``clock``: its ``clk_i`` if there is none. ``patience``: the
    cycles in which an access is answered. ``gap``: returns the cycles to wait before an access.
    """

    prefix = ""
    inputs: tuple[str, ...] = ()
    held: tuple[str, ...] = ()  # those that ask for an access, or take an answer
    takes: tuple[str, ...] = ()  # those that take an answer

    def __init__(self, dut: Any, clock: Any = None) -> None:
        self.dut = dut
        self.clock = dut.clk_i if clock is None else clock
        self.patience = 1000
        self.gap: Callable[[], int] = lambda: 0
        self._lock = Lock()
        self._given_up = False
        self._set(**dict.fromkeys(self.inputs, 0))

    async def read(self, address: int) -> int:
        """Return a word. Raises Refused, NoAnswer, ProtocolError."""
        allowed, word = await self.access(address)
        if not allowed:
            raise Refused(f"reading {address:#05x} is refused")
        return word

    async def write(self, address: int, word: int) -> None:
        """Write a word of 32 bits. Raises as :meth:`read`."""
        if not (await self.access(address, word))[0]:
            raise Refused(f"writing {address:#05x} is refused")

    async def access(
        self, address: int, word: int | None = None, strobe: int = 0xF
    ) -> tuple[bool, int]:
        """Write a word, or read one if it is None; return whether it was allowed, and the word.

        The bus is idle behind it, also behind one without an answer and one whose task was
        cancelled. An answer that comes late is not that of the next access.
        """
        async with self._lock:
            if self._given_up:
                await self._settle()
            self._given_up = True
            try:
                if gap := self.gap():
                    await ClockCycles(self.clock, gap)
                found = await self._access(address, word, strobe)
            finally:
                self._set(**dict.fromkeys(self.held, 0))
            self._given_up = False
            return found

    async def _settle(self) -> None:
        """Let the answer to an access that was given up pass."""
        self._set(**dict.fromkeys(self.takes, 1))
        await ClockCycles(self.clock, SETTLED)
        self._set(**dict.fromkeys(self.takes, 0))

    @abstractmethod
    async def _access(self, address: int, word: int | None, strobe: int) -> tuple[bool, int]:
        """Make the access."""

    def _set(self, **values: int) -> None:
        for name, value in values.items():
            getattr(self.dut, f"{self.prefix}_{name}_i").value = value

    def _get(self, name: str) -> int:
        return int(getattr(self.dut, f"{self.prefix}_{name}_o").value)

    def _holds(self, rule: object, broken: str) -> None:
        if not rule:
            raise ProtocolError(f"{self.prefix}: {broken}")

    def _late(self, address: int) -> NoAnswer:
        return NoAnswer(f"{self.prefix}: no answer from {address:#05x} in {self.patience} cycles")


class AxiLite(Master):
    """AXI4-Lite: the ports ``axil_*``."""

    prefix = "axil"
    inputs = (
        "awvalid", "awaddr", "awprot", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr",
        "arprot", "rready",
    )  # fmt: skip
    held = ("awvalid", "wvalid", "bready", "arvalid", "rready")
    takes = ("bready", "rready")

    async def _access(self, address: int, word: int | None, strobe: int) -> tuple[bool, int]:
        if word is None:
            answer, left = "r", ["ar"]
            self._set(araddr=address, arvalid=1, rready=1)
        else:
            answer, left = "b", ["aw", "w"]
            self._set(awaddr=address, awvalid=1, wdata=word, wstrb=strobe, wvalid=1, bready=1)
        for _ in range(self.patience):
            await RisingEdge(self.clock)
            if self._get(f"{answer}valid"):
                self._holds(not left, "an answer before all of its request was taken")
                response = self._get(f"{answer}resp")
                self._holds(response in (0, 2), f"a response of {response}")
                return response == 0, self._get("rdata") if word is None else 0
            for channel in [c for c in left if self._get(f"{c}ready")]:
                self._set(**{f"{channel}valid": 0})
                left.remove(channel)
        raise self._late(address)


class Wishbone(Master):
    """Wishbone B4 classic, standard cycles: the ports ``wb_*``."""

    prefix = "wb"
    inputs = ("cyc", "stb", "we", "adr", "sel", "dat")
    held = ("cyc", "stb")

    async def _access(self, address: int, word: int | None, strobe: int) -> tuple[bool, int]:
        self._set(cyc=1, stb=1, we=int(word is not None), adr=address, sel=strobe, dat=word or 0)
        for _ in range(self.patience):
            await RisingEdge(self.clock)
            ack, err, found = self._get("ack"), self._get("err"), self._get("dat")
            self._holds(not (ack and err), "two answers")
            self._holds(not found or (ack and word is None), "data without an answer")
            if ack or err:
                return bool(ack), found
        raise self._late(address)


class Apb(Master):
    """APB4, setup phase and access phase: the ports ``apb_*``."""

    prefix = "apb"
    inputs = ("psel", "penable", "pwrite", "paddr", "pprot", "pstrb", "pwdata")
    held = ("psel", "penable")

    async def _access(self, address: int, word: int | None, strobe: int) -> tuple[bool, int]:
        write = word is not None
        self._set(psel=1, penable=0, pwrite=int(write), paddr=address)
        self._set(pstrb=strobe if write else 0, pwdata=word or 0)
        await RisingEdge(self.clock)
        self._holds(not self._get("pready"), "an answer in the setup phase")
        self._set(penable=1)
        for _ in range(self.patience):
            await RisingEdge(self.clock)
            ready, error = self._get("pready"), self._get("pslverr")
            found = self._get("prdata")
            self._holds(ready or not error, "an error without an answer")
            self._holds(not found or (ready and not write and not error), "data without an answer")
            if ready:
                return not error, found
        raise self._late(address)


MASTERS: dict[str, type[Master]] = {"axil": AxiLite, "wishbone": Wishbone, "apb": Apb}
"""By the name that ``ecsm build --attach`` takes."""
