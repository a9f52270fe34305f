# SPDX-License-Identifier: Apache-2.0
"""A bus master that misbehaves, cycle by cycle; run by test_block_core.py on a toy core.

Nothing here is cocotbext-axi's, which never does such things. Every channel is driven by hand,
legally or not, and a model of what AXI4-Lite promises is held to the answers: one for each access,
that stays until it is taken.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from ecsm.cores.store import design
from ecsm.hdl.registers import core_registers, register_map
from tests.rtl.attach.bus import CAUSES
from tests.rtl.common.clocked import Clocked

DESIGN = design(os.environ["ECSM_PRESET"])
ADDRESSES = register_map(core_registers(DESIGN.preset))
SLVERR = 2

INPUTS = (
    "zeroize", "axil_awvalid", "axil_awaddr", "axil_awprot", "axil_wvalid", "axil_wdata",
    "axil_wstrb", "axil_bready", "axil_arvalid", "axil_araddr", "axil_arprot", "axil_rready",
)  # fmt: skip
OUTPUTS = (
    "axil_awready", "axil_wready", "axil_bvalid", "axil_bresp", "axil_arready", "axil_rvalid",
    "axil_rdata", "axil_rresp", "irq",
)  # fmt: skip


class Wires(Clocked):
    """The bus by hand; counts what was accepted and answered."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, INPUTS, OUTPUTS)
        self.zeroizing = False  # commands may be: they replace data that waits
        self.forget()

    def forget(self) -> None:
        self.aw = self.w = self.ar = self.b = self.r = 0
        self.waiting_b: int | None = None
        self.waiting_r: tuple[int, int] | None = None

    async def reset_now(self) -> None:
        """Reset between two edges."""
        self.drive(**dict.fromkeys(INPUTS, 0))
        self.dut.clk_i.value = 0
        self.dut.rst_ni.value = 0
        await self.settle()
        self.dut.rst_ni.value = 1
        await self.settle()
        self.forget()

    async def step(self, **values: int) -> dict[str, int]:
        """Run a cycle; hold what comes out to what AXI4-Lite promises."""
        seen = await self.cycle(**values)
        driven = self._now
        self.aw += driven["axil_awvalid"] & seen["axil_awready"]
        self.w += driven["axil_wvalid"] & seen["axil_wready"]
        self.ar += driven["axil_arvalid"] & seen["axil_arready"]
        if seen["axil_bvalid"]:
            assert self.waiting_b in (None, seen["axil_bresp"]), "a response has changed"
            self.waiting_b = seen["axil_bresp"]
            if driven["axil_bready"]:
                self.b, self.waiting_b = self.b + 1, None
        else:
            assert self.waiting_b is None, "a response has gone"
        if seen["axil_rvalid"]:
            data = seen["axil_rresp"], seen["axil_rdata"]
            wiped = self.zeroizing and data == (SLVERR, 0)
            assert wiped or self.waiting_r in (None, data), "data has changed"
            self.waiting_r = None if driven["axil_rready"] else data
            self.r += driven["axil_rready"]
            assert seen["axil_rresp"] == 0 or not seen["axil_rdata"], "an error with data"
        else:
            assert self.waiting_r is None, "data has gone"
        assert self.b <= min(self.aw, self.w), "a response to no write"
        assert self.r <= self.ar, "data of no read"
        return seen

    async def read(self, address: int) -> tuple[int, int]:
        """Read properly, whatever was before; return response and data."""
        before = self.r
        self.drive(axil_arvalid=1, axil_araddr=address, axil_rready=1)
        while not (await self.step())["axil_arready"]:
            pass
        self.drive(axil_arvalid=0)
        for _ in range(20):
            seen = await self.step()
            if self.r == self.ar:
                assert self.r > before
                return seen["axil_rresp"], seen["axil_rdata"]
        raise AssertionError("no answer")


async def ready(dut: Any) -> Wires:
    wires = Wires(dut)
    await wires.reset_now()
    return wires


async def alive(wires: Wires) -> None:
    """Assert that whatever waits is answered, and that the registers still are."""
    wires.drive(axil_awvalid=0, axil_wvalid=0, axil_arvalid=0, axil_bready=1, axil_rready=1)
    for _ in range(10):
        await wires.step()
    # An address without data, or data without an address, waits for the other one.
    wires.drive(axil_awaddr=ADDRESSES["ID"], axil_wstrb=15, axil_wdata=0)
    while wires.aw != wires.w:
        await wires.step(axil_awvalid=int(wires.aw < wires.w), axil_wvalid=int(wires.w < wires.aw))
    wires.drive(axil_awvalid=0, axil_wvalid=0)
    for _ in range(10):
        await wires.step()
    assert wires.aw == wires.w == wires.b
    assert wires.ar == wires.r
    assert await wires.read(ADDRESSES["ID"]) == (0, int.from_bytes(b"ECSM", "big"))


@cocotb.test()
async def data_before_its_address_and_long_after(dut: Any) -> None:
    wires = await ready(dut)
    address = ADDRESSES["INTR_ENABLE"]
    for gap in (0, 1, 7, 100):
        for first, second in (("aw", "w"), ("w", "aw")):
            value = 1 + gap % 2
            wires.drive(axil_awaddr=address, axil_wdata=value, axil_wstrb=15, axil_bready=1)
            await wires.step(**{f"axil_{first}valid": 1})
            for _ in range(gap):
                seen = await wires.step(**{f"axil_{first}valid": 0})
                assert not seen["axil_bvalid"], "half a write is answered"
            await wires.step(**{f"axil_{first}valid": 0, f"axil_{second}valid": 1})
            wires.drive(axil_awvalid=0, axil_wvalid=0)
            assert await wires.read(address) == (0, value)
    await alive(wires)


@cocotb.test()
async def answers_that_nobody_takes(dut: Any) -> None:
    """They stay as they are; what comes behind them waits, and is answered in the end."""
    wires = await ready(dut)
    wires.drive(axil_bready=0, axil_rready=0, axil_awaddr=0x060, axil_araddr=ADDRESSES["ID"])
    for _ in range(100):
        seen = await wires.step(axil_awvalid=1, axil_wvalid=1, axil_wstrb=15, axil_arvalid=1)
    assert (seen["axil_bvalid"], seen["axil_bresp"]) == (1, SLVERR)
    assert (seen["axil_rvalid"], seen["axil_rresp"]) == (1, 0)
    assert (wires.aw, wires.w, wires.ar) == (2, 2, 2), "one at work and one behind it"
    await alive(wires)


@cocotb.test()
async def reads_and_writes_take_turns(dut: Any) -> None:
    """Neither starves the other, and a direction alone makes an access every second cycle."""
    wires = await ready(dut)
    wires.drive(axil_bready=1, axil_rready=1, axil_wstrb=15, axil_awaddr=ADDRESSES["INTR_ENABLE"])
    for write, read in ((1, 1), (1, 0), (0, 1)):
        b, r = wires.b, wires.r
        for _ in range(100):
            await wires.step(axil_awvalid=write, axil_wvalid=write, axil_arvalid=read)
        assert wires.b - b >= 48 * write
        assert wires.r - r >= 48 * read
    await alive(wires)


@cocotb.test()
async def anything_at_all(dut: Any) -> None:
    """Every wire at random, valid and withdrawn, any address, data and strobe."""
    for seed in range(6):
        wires = await ready(dut)
        rng = random.Random(seed)
        wires.zeroizing = True
        for _ in range(1500):
            common = rng.random() < 0.7
            address = rng.choice(list(ADDRESSES.values())) if common else rng.getrandbits(10)
            values = {
                "axil_awvalid": int(rng.random() < 0.5), "axil_awaddr": address,
                "axil_wvalid": int(rng.random() < 0.5),
                "axil_wdata": rng.choice((0, 1, 2, 4, 0xFFFFFFFF, rng.getrandbits(32))),
                "axil_wstrb": 15 if common else rng.getrandbits(4),
                "axil_bready": int(rng.random() < 0.7),
                "axil_arvalid": int(rng.random() < 0.5), "axil_araddr": address ^ 4,
                "axil_rready": int(rng.random() < 0.7),
                "axil_awprot": rng.getrandbits(3), "axil_arprot": rng.getrandbits(3),
            }  # fmt: skip
            await wires.step(**values)
        await alive(wires)


@cocotb.test()
async def scalars_are_never_to_be_read(dut: Any) -> None:
    """A scalar of ones is written, by words or in part: no read, at any address, shows it."""
    wires = await ready(dut)
    scalar = (1 << DESIGN.preset.scalar_bits) - 1
    for strobe in (15, 7):
        wires.drive(axil_awaddr=ADDRESSES["SCALAR"], axil_wdata=scalar, axil_wstrb=strobe)
        await wires.step(axil_awvalid=1, axil_wvalid=1, axil_bready=1)
        wires.drive(axil_awvalid=0, axil_wvalid=0)
        for address in range(1 << 10):
            resp, data = await wires.read(address)
            assert data != scalar or (resp == 0 and address in _readable()), f"{address:#x}"
            assert address % 4 == 0 or (resp, data) == (SLVERR, 0)


def _readable() -> set[int]:
    return {a for n, a in ADDRESSES.items() if not n.startswith(("SCALAR", "X", "Y", "RESULT"))}


@cocotb.test()
async def zeroize_drops_data_that_waits_for_its_address(dut: Any) -> None:
    """Also data that comes with it: it could be a scalar's. The write is refused."""
    wires = await ready(dut)
    for wait in (0, 1, 5):
        wires.drive(
            axil_wdata=3, axil_wstrb=15, axil_bready=1, axil_awaddr=ADDRESSES["INTR_ENABLE"]
        )
        await wires.step(axil_wvalid=1, zeroize=int(not wait))
        wires.drive(axil_wvalid=0)
        for _ in range(wait):
            await wires.step(zeroize=1)
        await wires.step(zeroize=0, axil_awvalid=1)
        wires.drive(axil_awvalid=0)
        answers = [await wires.step() for _ in range(4)]
        assert [a["axil_bresp"] for a in answers if a["axil_bvalid"]] == [SLVERR]
        assert await wires.read(ADDRESSES["INTR_ENABLE"]) == (0, 0)
        assert await wires.read(ADDRESSES["ERROR"]) == (0, CAUSES["width"])
    await alive(wires)


@cocotb.test()
async def reset_in_any_cycle_of_an_access(dut: Any) -> None:
    """No answer of before comes after it, and the next access is answered."""
    wires = await ready(dut)
    for cycles in range(6):
        wires.drive(axil_awaddr=ADDRESSES["INTR_ENABLE"], axil_wdata=3, axil_wstrb=15)
        wires.drive(axil_bready=0, axil_rready=0, axil_araddr=ADDRESSES["ID"])
        for _ in range(cycles):
            await wires.step(axil_awvalid=1, axil_wvalid=1, axil_arvalid=1)
        await wires.reset_now()
        for _ in range(5):
            seen = await wires.step(axil_bready=1, axil_rready=1)
            assert not seen["axil_bvalid"]
            assert not seen["axil_rvalid"]
        assert await wires.read(ADDRESSES["INTR_ENABLE"]) == (0, 0)
    await alive(wires)
