# SPDX-License-Identifier: Apache-2.0
"""A master for the blocks behind a bus, with registers by name.

AXI4-Lite's is cocotbext-axi's. Those of Wishbone and APB are the driver's that packages have, which
hold the block to the bus.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from ecsm.hdl.ecsm_cocotb import Apb, Master, Wishbone

OKAY, SLVERR = AxiResp.OKAY, AxiResp.SLVERR
START, ACKNOWLEDGE, ZEROIZE = 1, 2, 4  # commands
BUSY, ANSWER = 1, 2  # of STATUS
DONE, ERROR, IN_ROOM, OUT_DATA = 1, 2, 4, 8  # interrupts
CAUSES = {
    name: 1 << i
    for i, name in enumerate(
        ("address", "width", "locked", "command", "operand", "overrun", "underrun")
    )
}  # bits of ERROR
WAYS = ("command", "port", "reset")  # to clear everything
STALL = 0.5  # chance that a channel pauses in a cycle
PATIENCE = 10
"""Cycles in which every access over Wishbone and APB is answered."""
GAP = 3
"""The most cycles between two accesses of a master that pauses."""

bus_test = cocotb.test(timeout_time=4, timeout_unit="ms")
"""A cocotb test that ends after two million cycles."""


class Ports:
    """Signals of a top under the names that cocotbext-axi looks for: without ``_i`` and ``_o``."""

    def __init__(self, dut: Any, prefixes: Iterable[str]) -> None:
        self._name, self._log = dut._name, dut._log
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)  # not every transfer
        for port in dut:
            name, _, way = port._name.rpartition("_")
            if way in ("i", "o") and name.startswith(tuple(prefixes)):
                setattr(self, name, port)


def pauses(rng: random.Random) -> Iterator[bool]:
    """Yield for ever whether a channel pauses."""
    while True:
        yield rng.random() < STALL


def _master(dut: Any) -> Any:
    """Return a master of the bus that a top has."""
    if hasattr(dut, "wb_cyc_i"):
        return SimpleMaster(Wishbone(dut))
    if hasattr(dut, "apb_psel_i"):
        return SimpleMaster(Apb(dut))
    bus = AxiLiteBus.from_prefix(Ports(dut, ["axil_"]), "axil")
    return AxiLiteMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False)


class Resp(NamedTuple):
    """How an access was answered, and with which octets."""

    resp: AxiResp
    data: bytes


class SimpleMaster:
    """A master of packages with the calls and answers of cocotbext-axi's."""

    def __init__(self, master: Master) -> None:
        self.master = master
        master.patience = PATIENCE

    def pause(self, rng: random.Random | None) -> None:
        """Wait at random between accesses, or no more."""
        self.master.gap = (lambda: rng.randrange(GAP + 1)) if rng else lambda: 0

    async def write(self, address: int, data: bytes) -> Resp:
        """Write octets of one word: those from the address on."""
        offset = address % 4
        word = int.from_bytes(bytes(offset) + data, "little")
        return self._answer(
            *await self.master.access(address, word, (1 << len(data)) - 1 << offset)
        )

    async def read(self, address: int, _: int) -> Resp:
        """Read a word."""
        return self._answer(*await self.master.access(address))

    def _answer(self, ok: bool, word: int) -> Resp:
        return Resp(AxiResp.OKAY if ok else AxiResp.SLVERR, word.to_bytes(4, "little"))


class Bus:
    """The master, and registers by name; ``addresses``: of the block."""

    def __init__(self, dut: Any, addresses: dict[str, int]) -> None:
        self.dut = dut
        self.addresses = addresses
        dut.rst_ni.value = 0
        dut.zeroize_i.value = 0
        Clock(dut.clk_i, 2, "ns").start()
        self.master = _master(dut)

    async def begin(self) -> None:
        """Come out of reset."""
        await Timer(5, "ns")
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)

    async def reset(self) -> None:
        """Reset between two edges."""
        await Timer(1, "ns")
        self.dut.rst_ni.value = 0
        await Timer(2, "ns")
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 2)

    async def wipe(self, way: str) -> None:
        """Clear everything, in one of :data:`WAYS`."""
        if way == "reset":
            await self.reset()
        elif way == "command":
            await self.write("COMMAND", ZEROIZE)
        else:
            self.dut.zeroize_i.value = 1
            await self.cycles(1)
            self.dut.zeroize_i.value = 0
            await self.cycles(1)

    async def cycles(self, count: int) -> None:
        """Wait."""
        if count:
            await ClockCycles(self.dut.clk_i, count)

    def stall(self, rng: random.Random | None) -> None:
        """Let every channel pause at random, or none any more."""
        if isinstance(self.master, SimpleMaster):
            self.master.pause(rng)
            return
        write, read = self.master.write_if, self.master.read_if
        for channel in (
            write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel,
        ):  # fmt: skip
            if rng is None:
                channel.clear_pause_generator()
                channel.pause = False
            else:
                channel.set_pause_generator(pauses(random.Random(rng.random())))

    async def try_write(self, address: int, value: int) -> AxiResp:
        """Write a word; return how it was answered."""
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        return AxiResp(answer.resp)

    async def try_read(self, address: int) -> tuple[AxiResp, int]:
        """Read a word; return how it was answered, and with what."""
        answer = await self.master.read(address, 4)
        return AxiResp(answer.resp), int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int, index: int = 0) -> None:
        """Write a register, which must be allowed."""
        resp = await self.try_write(self.addresses[name] + 4 * index, value)
        assert resp == OKAY, f"writing {name}[{index}]: {resp!r}"

    async def read(self, name: str, index: int = 0) -> int:
        """Read a register, which must be allowed."""
        resp, value = await self.try_read(self.addresses[name] + 4 * index)
        assert resp == OKAY, f"reading {name}[{index}]: {resp!r}"
        return value

    async def put(self, name: str, value: int, bits: int) -> None:
        """Write a number to a window, the highest word first."""
        count = -(-bits // 32)
        for i in range(count):
            await self.write(name, value >> 32 * (count - 1 - i) & 0xFFFFFFFF, i)

    async def get(self, name: str, bits: int) -> int:
        """Read a number from a window."""
        value = 0
        for i in range(-(-bits // 32)):
            value = value << 32 | await self.read(name, i)
        return value

    async def refused(self, cause: str, *answers: Any) -> None:
        """Assert that accesses were refused, for this reason alone, and say so; then clear that."""
        for answer in answers:
            assert answer in (SLVERR, (SLVERR, 0)), f"{cause}: {answer!r}"
        assert await self.read("ERROR") == CAUSES[cause], cause
        assert await self.read("INTR_STATE") & ERROR
        await self.write("ERROR", CAUSES[cause])
        await self.write("INTR_STATE", ERROR)
        assert await self.read("ERROR") == 0

    def at(self, name: str, index: int = 0) -> int:
        """Return an address."""
        return self.addresses[name] + 4 * index
