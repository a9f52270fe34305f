# SPDX-License-Identifier: Apache-2.0
"""A master of Wishbone or APB that misbehaves, cycle by cycle; run by test_block_core.py.

Every wire is driven by hand, legally or not, and held to what the buses promise: an answer only to
a request that waits, of one cycle, data in no other cycle. A model says in which cycle it comes.
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
OK, REFUSED = 1, 2
LATENCY = 2
"""Cycles from a request to its answer."""
IDLE = (0, 0, 0, 0, 0, 0)

# Names of the wires: two that are high in a request, then write, strobe, address, data.
WISHBONE = ("wb_cyc", "wb_stb", "wb_we", "wb_sel", "wb_adr", "wb_dat")
APB = ("apb_psel", "apb_penable", "apb_pwrite", "apb_pstrb", "apb_paddr", "apb_pwdata")


class Wires(Clocked):
    """Either bus by hand."""

    def __init__(self, dut: Any) -> None:
        self.apb = hasattr(dut, "apb_psel_i")
        self.names = APB if self.apb else WISHBONE
        more = ("apb_pprot",) if self.apb else ()
        outputs = ("apb_pready", "apb_pslverr", "apb_prdata") if self.apb else (
            "wb_ack", "wb_err", "wb_dat",
        )  # fmt: skip
        super().__init__(dut, ("zeroize", *self.names, *more), (*outputs, "irq"))
        self.outputs = outputs
        self.age = 0  # cycles that a request has waited

    async def reset_now(self) -> None:
        """Reset for one edge, which clears data."""
        self.drive(**dict.fromkeys(self._in, 0))
        self.dut.rst_ni.value = 0
        await self.cycle()
        self.dut.rst_ni.value = 1
        await self.settle()
        self.age = 0

    async def step(self, *values: int, zeroize: int = 0) -> tuple[int, int]:
        """Run a cycle with the six wires; return the answer, 0 for none, and the data."""
        self.drive(zeroize=zeroize, **dict(zip(self.names, values, strict=True)))
        seen = await self.cycle()
        first, second, data = (seen[name] for name in self.outputs)
        assert not second or bool(first) == self.apb, "two answers, or an error without an answer"
        answer = REFUSED if second else first
        assert answer == OK or not data, "data without an answer"
        assert bool(answer) == (self.age == LATENCY), "an answer too early, too late, or to nothing"
        asks = bool(values[0] and values[1])
        self.age = self.age + 1 if asks and self.age < LATENCY else 0
        return answer, data

    async def idle(self, cycles: int = 1) -> None:
        """Request nothing."""
        for _ in range(cycles):
            await self.step(*IDLE)

    async def access(
        self, write: int, address: int, data: int = 0, strobe: int = 15
    ) -> tuple[int, int]:
        """Make a proper access, whatever was before; return its answer and data."""
        await self.idle(2)
        if self.apb:
            await self.step(1, 0, write, strobe, address, data)
        for _ in range(LATENCY):
            assert (await self.step(1, 1, write, strobe, address, data))[0] == 0
        found = await self.step(1, 1, write, strobe, address, data)
        await self.idle()
        return found

    async def read(self, name: str) -> int:
        """Read a register, which must be allowed."""
        answer, data = await self.access(0, ADDRESSES[name])
        assert answer == OK, name
        return data


async def ready(dut: Any) -> Wires:
    wires = Wires(dut)
    await wires.reset_now()
    return wires


async def alive(wires: Wires) -> None:
    """Assert that the registers are answered."""
    assert await wires.read("ID") == int.from_bytes(b"ECSM", "big")


@cocotb.test()
async def a_request_that_stays_is_made_again(dut: Any) -> None:
    """One access in three cycles, an answer to each."""
    wires = await ready(dut)
    answers = [await wires.step(1, 1, 0, 15, ADDRESSES["ID"], 0) for _ in range(30)]
    want = int.from_bytes(b"ECSM", "big")
    assert answers == [(0, 0), (0, 0), (OK, want)] * 10
    await alive(wires)


@cocotb.test()
async def half_a_request_is_none(dut: Any) -> None:
    """Either wire alone, for long, with everything else as in a write."""
    wires = await ready(dut)
    for halves in ((1, 0), (0, 1)):
        for _ in range(20):
            await wires.step(*halves, 1, 15, ADDRESSES["INTR_ENABLE"], 3)
        assert await wires.read("INTR_ENABLE") == 0


@cocotb.test()
async def a_request_that_is_withdrawn_has_no_answer(dut: Any) -> None:
    """After one cycle it is made all the same, once."""
    wires = await ready(dut)
    await wires.step(1, 1, 1, 15, ADDRESSES["INTR_ENABLE"], 3)
    await wires.idle(5)
    assert await wires.read("INTR_ENABLE") == 3
    assert await wires.read("ERROR") == 0


@cocotb.test()
async def what_changes_under_way_has_no_effect(dut: Any) -> None:
    """A write is what it was in its first cycle."""
    wires = await ready(dut)
    await wires.step(1, 1, 1, 15, ADDRESSES["INTR_ENABLE"], 1)
    await wires.step(1, 1, 0, 0, ADDRESSES["ID"], 2)
    assert await wires.step(1, 1, 1, 3, 0x3FF, 3) == (OK, 0)
    await wires.idle()
    assert await wires.read("INTR_ENABLE") == 1


@cocotb.test()
async def anything_at_all(dut: Any) -> None:
    """Every wire at random, any address, data and strobe, zeroized at times."""
    for seed in range(6):
        wires = await ready(dut)
        rng = random.Random(seed)
        for _ in range(1500):
            common = rng.random() < 0.7
            address = rng.choice(list(ADDRESSES.values())) if common else rng.getrandbits(10)
            data = rng.choice((0, 1, 2, 4, 0xFFFFFFFF, rng.getrandbits(32)))
            await wires.step(
                int(rng.random() < 0.9), int(rng.random() < 0.9), rng.getrandbits(1),
                15 if common else rng.getrandbits(4), address, data,
                zeroize=int(rng.random() < 0.02),
            )  # fmt: skip
        await alive(wires)


@cocotb.test()
async def scalars_are_never_to_be_read(dut: Any) -> None:
    """A scalar of ones is written, by words or in part: no read, at any address, shows it."""
    wires = await ready(dut)
    scalar = (1 << DESIGN.preset.scalar_bits) - 1
    allowed = {a for n, a in ADDRESSES.items() if not n.startswith(("SCALAR", "X", "Y", "RESULT"))}
    for strobe in (15, 7):
        answer, _ = await wires.access(1, ADDRESSES["SCALAR"], scalar, strobe)
        assert answer == (OK if strobe == 15 else REFUSED)
        for address in range(1 << 10):
            answer, data = await wires.access(0, address)
            assert data != scalar or address in allowed, f"{address:#x}"
            assert address % 4 == 0 or answer == REFUSED


@cocotb.test()
async def zeroize_in_any_cycle_of_a_write(dut: Any) -> None:
    """Data that comes in its cycle could be a scalar's: it is dropped, and the write refused."""
    for when in range(4):
        wires = await ready(dut)
        address = ADDRESSES["INTR_ENABLE"]
        answers = [
            (await wires.step(1, 1, 1, 15, address, 3, zeroize=int(cycle == when)))[0]
            for cycle in range(3)
        ]
        assert answers[2] == (REFUSED if when == 0 else OK)
        await wires.idle()
        assert await wires.read("ERROR") == (CAUSES["width"] if when == 0 else 0)
        assert await wires.read("INTR_ENABLE") == (0 if when == 0 else 3)


@cocotb.test()
async def zeroize_in_any_cycle_of_a_read(dut: Any) -> None:
    """A read that is made in its cycle has no data."""
    for when in range(4):
        wires = await ready(dut)
        answers = [
            await wires.step(1, 1, 0, 15, ADDRESSES["ID"], 0, zeroize=int(cycle == when))
            for cycle in range(3)
        ]
        want = (REFUSED, 0) if when == 1 else (OK, int.from_bytes(b"ECSM", "big"))
        assert answers[2] == want, when
        await wires.idle()
        await alive(wires)


@cocotb.test()
async def reset_in_any_cycle_of_an_access(dut: Any) -> None:
    """No answer of before comes after it, and the next access is answered."""
    wires = await ready(dut)
    for cycles in range(4):
        for _ in range(cycles):
            await wires.step(1, 1, 0, 15, ADDRESSES["ID"], 0)
        await wires.reset_now()
        await wires.idle(5)
        await alive(wires)
