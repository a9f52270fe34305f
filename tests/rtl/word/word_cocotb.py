# SPDX-License-Identifier: Apache-2.0
"""Jobs of a word engine at its port; run by test_word_core.py."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, with_timeout

JOBS = json.loads(Path(os.environ["WORD_JOBS"]).read_text()) if "WORD_JOBS" in os.environ else {}
INPUTS = ("zeroize_i", "req_valid_i", "req_op_i", "in_valid_i", "in_data_i", "out_ready_i",
          "rsp_ready_i")  # fmt: skip
PATIENCE = 20_000_000  # cycles


class Bench:
    """The core's port: whole jobs."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(5)

    async def reset(self) -> None:
        """Start the clock and reset the core."""
        dut = self.dut
        for name in INPUTS:
            getattr(dut, name).value = 0
        dut.rst_ni.value = 0
        Clock(dut.clk_i, 10, "ns").start()
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def _high(self, port: Any) -> None:
        """Wait for the middle of a cycle in which a port is high."""
        if not port.value:
            await with_timeout(RisingEdge(port), 10 * PATIENCE, "ns")
            await FallingEdge(self.dut.clk_i)

    async def ask(self, op: int) -> None:
        """Hand a request over."""
        dut = self.dut
        dut.req_op_i.value = op
        dut.req_valid_i.value = 1
        await self._high(dut.req_ready_o)
        await FallingEdge(dut.clk_i)
        dut.req_valid_i.value = 0

    async def give(self, words: Iterable[int], stalls: float = 0) -> None:
        """Hand octets over, now and then later than they could be."""
        dut = self.dut
        for word in words:
            while self.rng.random() < stalls:
                await FallingEdge(dut.clk_i)
            dut.in_data_i.value = word
            dut.in_valid_i.value = 1
            await self._high(dut.in_ready_o)
            await FallingEdge(dut.clk_i)
            dut.in_valid_i.value = 0

    async def take(self, count: int, stalls: float = 0) -> list[int]:
        """Return octets of the output."""
        dut, found = self.dut, []
        for _ in range(count):
            await self._high(dut.out_valid_o)
            while self.rng.random() < stalls:
                await FallingEdge(dut.clk_i)
            found.append(int(dut.out_data_o.value))
            dut.out_ready_i.value = 1
            await FallingEdge(dut.clk_i)
            dut.out_ready_i.value = 0
        return found

    async def answer(self) -> tuple[int, int]:
        """Return status and cycles."""
        dut = self.dut
        await self._high(dut.rsp_valid_o)
        found = int(dut.rsp_status_o.value), int(dut.rsp_cycles_o.value)
        dut.rsp_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.rsp_ready_i.value = 0
        assert not dut.rsp_valid_o.value
        return found

    async def job(self, job: dict[str, Any], stalls: float = 0) -> int:
        """Run a job and compare; return its cycles."""
        await self.ask(job["op"])
        for given, wanted in job["moves"]:
            await self.give(given, stalls)
            found = await self.take(len(wanted), stalls)
            assert found == wanted, f"{job}: {found}"
        status, cycles = await self.answer()
        assert status == job["status"], job
        return cycles


@cocotb.test(skip=not JOBS.get("jobs"))
async def jobs_have_their_answers(dut: Any) -> None:
    """Every job is right; those of one kind take the same cycles when nobody stalls."""
    bench = Bench(dut)
    await bench.reset()
    cycles: dict[str, set[int]] = {}
    for job in JOBS["jobs"]:
        found = await bench.job(job)
        cycles.setdefault(job["kind"], set()).add(found)
    assert all(len(found) == 1 for found in cycles.values()), cycles
    for kind, wanted in JOBS.get("cycles", {}).items():
        assert cycles[kind] == {wanted}, f"{kind}: {cycles[kind]} cycles, not {wanted}"


@cocotb.test(skip=not JOBS.get("stalled"))
async def stalls_change_nothing(dut: Any) -> None:
    """A host that is late has the same answers."""
    bench = Bench(dut)
    await bench.reset()
    for job in JOBS["stalled"]:
        await bench.job(job, stalls=0.5)


@cocotb.test(skip=not JOBS.get("dropped"))
async def a_dropped_job_leaves_nothing(dut: Any) -> None:
    """After zeroize in any phase the core is ready again, silent, and the next job is right."""
    bench = Bench(dut)
    await bench.reset()
    for after in JOBS["dropped"]:
        job = JOBS["jobs"][0]
        await bench.ask(job["op"])
        given = cocotb.start_soon(bench.give(job["moves"][0][0]))
        for _ in range(after):
            await FallingEdge(dut.clk_i)
        given.cancel()
        dut.in_valid_i.value = 0
        dut.zeroize_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.zeroize_i.value = 0
        for _ in range(PATIENCE):
            await ReadOnly()
            assert not dut.rsp_valid_o.value
            assert not dut.out_valid_o.value
            if dut.req_ready_o.value:
                break
            await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        await bench.job(job)
