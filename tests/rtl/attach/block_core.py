# SPDX-License-Identifier: Apache-2.0
"""The registers of a preset's core behind a bus, as a driver uses them."""

from __future__ import annotations

import os
from typing import Any

from ecsm.cores.store import design
from ecsm.curves import Point
from ecsm.hdl.registers import core_registers, register_map
from ecsm.status import Status
from tests.rtl.attach.bus import ACKNOWLEDGE, ANSWER, BUSY, START, Bus

DESIGN = design(os.environ["ECSM_PRESET"])
PRESET = DESIGN.preset
CURVE = PRESET.curve
CYCLES = DESIGN.microcode.cycles
COORD = PRESET.coordinate_bits
SCALARS = ("SCALAR", "SCALAR_G")[: 2 if PRESET.double else 1]
SCALAR = PRESET.scalar_bits // len(SCALARS)
ADDRESSES = register_map(core_registers(PRESET))

INFINITY = 4  # of STATUS


class Core(Bus):
    """A core's registers, and its jobs."""

    async def point(self, point: Point) -> None:
        """Write the point."""
        await self.write("JOB", 0 if point else 0x100)
        for name, value in zip("XY", point or (), strict=False):
            await self.put(name, value, COORD)

    async def begin_job(self, k: int) -> None:
        """Write the scalar and start."""
        for i, name in enumerate(SCALARS):
            await self.put(name, k >> i * SCALAR & (1 << SCALAR) - 1, SCALAR)
        await self.write("COMMAND", START)

    async def answer(self) -> int:
        """Wait for the answer; return STATUS."""
        for _ in range(CYCLES):
            status = await self.read("STATUS")
            if status & ANSWER:
                assert not status & BUSY
                return status
            assert status == BUSY, f"{status:#x} without an answer"
        raise AssertionError("no answer")

    async def result(self) -> tuple[Status, Point]:
        """Return the answer, acknowledged."""
        status = await self.answer()
        assert await self.read("CYCLES") == CYCLES
        code, point = Status(status >> 8), None
        if code is Status.OK:
            x, y = await self.get("RESULT_X", COORD), await self.get("RESULT_Y", COORD)
            point = None if status & INFINITY else (x, y)
            assert point or not x | y
        await self.write("COMMAND", ACKNOWLEDGE)
        return code, point

    async def job(self, k: int, point: Point) -> tuple[Status, Point]:
        """Run a job."""
        await self.point(point)
        await self.begin_job(k)
        return await self.result()

    async def right(self, k: int, point: Point) -> None:
        """Run a job with the model's answer."""
        assert await self.job(k, point) == (Status.OK, PRESET.multiple(k, point)), (k, point)


async def ready(dut: Any) -> Core:
    core = Core(dut, ADDRESSES)
    await core.begin()
    return core
