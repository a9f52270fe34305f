# SPDX-License-Identifier: Apache-2.0
"""Masters of Wishbone classic and of APB, as their specifications have them, cycle by cycle.

Their calls and answers are those of cocotbext-axi's master. Each holds the block to the bus: one
answer for each access, in one cycle, and data of zero in every other.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from cocotb.triggers import ClockCycles, Lock, RisingEdge
from cocotbext.axi import AxiResp

PATIENCE = 10
"""Cycles in which every access is answered."""
GAP = 3
"""The most cycles between two accesses of a master that pauses."""


class Answer(NamedTuple):
    """How an access was answered, and with which octets."""

    resp: AxiResp
    data: bytes


class SimpleMaster(ABC):
    """One access at a time."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self._lock = Lock()
        self._rng: random.Random | None = None

    def pause(self, rng: random.Random | None) -> None:
        """Wait at random between accesses, or no more."""
        self._rng = rng

    async def write(self, address: int, data: bytes) -> Answer:
        """Write octets of one word: those from the address on."""
        offset = address % 4
        word = int.from_bytes(bytes(offset) + data, "little")
        return await self._locked(True, address, word, (1 << len(data)) - 1 << offset)

    async def read(self, address: int, _: int) -> Answer:
        """Read a word."""
        return await self._locked(False, address, 0, 0xF)

    async def _locked(self, write: bool, address: int, data: int, strobe: int) -> Answer:
        async with self._lock:
            if self._rng and (gap := self._rng.randrange(GAP + 1)):
                await ClockCycles(self.dut.clk_i, gap)
            ok, word = await self._access(write, address, data, strobe)
            return Answer(AxiResp.OKAY if ok else AxiResp.SLVERR, word.to_bytes(4, "little"))

    @abstractmethod
    async def _access(self, write: bool, address: int, data: int, strobe: int) -> tuple[bool, int]:
        """Make an access; return whether it was allowed, and what was read."""


class Wishbone(SimpleMaster):
    """Standard cycles; cyc stays high over two accesses where no pause is between them."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        for name in ("cyc", "stb", "we", "adr", "sel", "dat"):
            getattr(dut, f"wb_{name}_i").value = 0

    async def _access(self, write: bool, address: int, data: int, strobe: int) -> tuple[bool, int]:
        d = self.dut
        d.wb_cyc_i.value = d.wb_stb_i.value = 1
        d.wb_we_i.value, d.wb_adr_i.value = int(write), address
        d.wb_sel_i.value, d.wb_dat_i.value = strobe, data
        for _ in range(PATIENCE):
            await RisingEdge(d.clk_i)
            ack, err = int(d.wb_ack_o.value), int(d.wb_err_o.value)
            word = int(d.wb_dat_o.value)
            assert not (ack and err), "two answers"
            assert not word or (ack and not write), "data without an answer"
            if ack or err:
                d.wb_stb_i.value = 0
                d.wb_cyc_i.value = 0
                return bool(ack), word
        raise AssertionError("no answer")


class Apb(SimpleMaster):
    """Setup phase, access phase."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        for name in ("psel", "penable", "pwrite", "paddr", "pprot", "pstrb", "pwdata"):
            getattr(dut, f"apb_{name}_i").value = 0

    async def _access(self, write: bool, address: int, data: int, strobe: int) -> tuple[bool, int]:
        d = self.dut
        d.apb_psel_i.value, d.apb_penable_i.value = 1, 0
        d.apb_pwrite_i.value, d.apb_paddr_i.value = int(write), address
        d.apb_pstrb_i.value, d.apb_pwdata_i.value = strobe if write else 0, data
        await RisingEdge(d.clk_i)
        assert not d.apb_pready_o.value, "an answer in the setup phase"
        d.apb_penable_i.value = 1
        for _ in range(PATIENCE):
            await RisingEdge(d.clk_i)
            ready, error = int(d.apb_pready_o.value), int(d.apb_pslverr_o.value)
            word = int(d.apb_prdata_o.value)
            assert ready or not error, "an error without an answer"
            assert not word or (ready and not write and not error), "data without an answer"
            if ready:
                d.apb_psel_i.value = d.apb_penable_i.value = 0
                return not error, word
        raise AssertionError("no answer")
