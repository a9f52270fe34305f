# SPDX-License-Identifier: Apache-2.0
"""What has ports of its own, valid and ready: a core or a farm, schemes, streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import Event, First, Lock, RisingEdge, SimTimeoutError, with_timeout
from cocotb.utils import get_sim_time

from .registers import SCHEME_PATIENCE, SLACK
from .results import (
    Answer,
    EcsmError,
    Job,
    NoAnswer,
    Point,
    ProtocolError,
    Result,
    job,
    octets,
    request,
)

MALFORMED = 0x80  # of the flags of a stream's answer
TAGS = 256
BEAT = 8  # octets


async def _give(clock: Any, valid: Any, ready: Any) -> None:
    """Hold ``valid`` until a rising edge with ``ready``."""
    valid.value = 1
    while True:
        await RisingEdge(clock)
        if ready.value == 1:
            break
        await RisingEdge(ready)
    valid.value = 0


async def _come(clock: Any, valid: Any) -> None:
    """Wait for a rising edge with ``valid``."""
    while True:
        if valid.value != 1:
            await RisingEdge(valid)
        await RisingEdge(clock)
        if valid.value == 1:
            return


async def _in_time(what: Any, clock: Any, cycles: int) -> Any:
    """Return what a trigger or a coroutine gives within so many cycles. Raises NoAnswer."""
    await RisingEdge(clock)
    before = get_sim_time("step")
    await RisingEdge(clock)
    period = int(get_sim_time("step") - before)
    try:
        return await with_timeout(what, cycles * period, "step")
    except SimTimeoutError:
        raise NoAnswer(f"no answer in {cycles} cycles") from None


class Jobs(ABC):
    """Jobs of a core or a farm, any number at once: each has a tag, by which its answer is found.

    Start several with ``cocotb.start_soon(core.multiply(...))``.
    """

    def __init__(self, dut: Any, package: Any) -> None:
        self.dut, self.package = dut, package
        self._lock = Lock()
        self._statuses = {value: name for name, value in package.STATUSES.items()}
        self._open: dict[int, tuple[Event, list[Result]]] = {}
        self._given_up: set[int] = set()  # tags of jobs that nobody waits for any more
        self._next = 0
        cocotb.start_soon(self._collect())

    async def multiply(self, k: int, point: Point, a: int = 0, operation: int = 0) -> Result:
        """Return kP, or aG + kP of a core that computes that. Raises NoAnswer, EcsmError.

        If it is given up, an answer that comes nevertheless is dropped.
        """
        if len(self._open) + len(self._given_up) == TAGS:
            raise EcsmError(f"{self.package.TOP}: {TAGS} jobs are in progress, as many as tags")
        given = job(self.package, k, point, a, operation)
        while self._next in self._open or self._next in self._given_up:
            self._next = (self._next + 1) % TAGS
        tag, self._next = self._next, (self._next + 1) % TAGS
        event, found = self._open[tag] = Event(), list[Result]()
        try:
            await cocotb.start_soon(self._hand(tag, given))
            patience = (self.package.CYCLES + SLACK) * (1 + len(self._open))
            await _in_time(event.wait(), self.dut.clk_i, patience)
        finally:
            del self._open[tag]
            if not found:
                self._given_up.add(tag)
        return found[0]

    async def _hand(self, tag: int, job: Job) -> None:
        """Give a job to the design, to its end, also if nobody waits for it any more."""
        async with self._lock:
            await self._send(tag, job)

    @abstractmethod
    async def _send(self, tag: int, job: Job) -> None:
        """Give a job to the design."""

    @abstractmethod
    async def _collect(self) -> None:
        """Take answers for ever."""

    def _answered(self, tag: int, result: Result) -> None:
        if tag in self._given_up:
            self._given_up.remove(tag)
            return
        if tag not in self._open:
            raise ProtocolError(f"{self.package.TOP}: an answer with tag {tag}, of no job")
        event, found = self._open[tag]
        found.append(result)
        event.set()

    def _result(self, status: int, infinity: int, cycles: int, x: int, y: int) -> Result:
        name = self._statuses[status]
        return Result(name, (x, y) if name == "OK" and not infinity else None, cycles)


class CorePort(Jobs):
    """A core or a farm by its own port: ``req_*``, ``rsp_*``."""

    def __init__(self, dut: Any, package: Any) -> None:
        dut.req_valid_i.value = 0
        super().__init__(dut, package)

    async def _send(self, tag: int, job: Job) -> None:
        d = self.dut
        d.req_op_i.value, d.req_tag_i.value = job.operation, tag
        d.req_scalar_i.value = job.a << self.package.SCALAR_BITS | job.k
        d.req_x_i.value, d.req_y_i.value = job.point or (0, 0)
        d.req_infinity_i.value = int(job.point is None)
        await _give(d.clk_i, d.req_valid_i, d.req_ready_o)

    async def _collect(self) -> None:
        d = self.dut
        d.rsp_ready_i.value = 1
        while True:
            await _come(d.clk_i, d.rsp_valid_o)
            named = (d.rsp_status_o, d.rsp_infinity_o, d.rsp_cycles_o, d.rsp_x_o, d.rsp_y_o)
            self._answered(int(d.rsp_tag_o.value), self._result(*(int(s.value) for s in named)))


class Stream(Jobs):
    """A core or a farm behind AXI4-Stream: jobs are packets, rtl/attach/ecsm_axis.sv.

    ``void``: packets that answer no job of :meth:`multiply`, as those to what :meth:`send` sent.
    """

    def __init__(self, dut: Any, package: Any) -> None:
        dut.s_axis_tvalid_i.value = 0
        self.void: Queue[bytes] = Queue()
        super().__init__(dut, package)

    async def send(self, packet: bytes) -> None:
        """Send a packet of octets as it is; its last beat may be no whole one."""
        async with self._lock:
            await self._beats(packet)

    async def _beats(self, packet: bytes) -> None:
        d = self.dut
        for i in range(0, len(packet), BEAT):
            beat = packet[i : i + BEAT]
            d.s_axis_tdata_i.value = int.from_bytes(beat, "little")
            d.s_axis_tkeep_i.value = (1 << len(beat)) - 1
            d.s_axis_tlast_i.value = int(i + BEAT >= len(packet))
            await _give(d.clk_i, d.s_axis_tvalid_i, d.s_axis_tready_o)

    async def _send(self, tag: int, job: Job) -> None:
        p = self.package
        header = bytes((tag, job.operation, int(job.point is None), 0, 0, 0, 0, 0))
        scalars = (job.a, job.k) if p.SCALARS == 2 else (job.k,)
        numbers = [(scalar, p.SCALAR_BITS) for scalar in scalars]
        numbers += [(value, p.COORDINATE_BITS) for value in job.point or (0, 0)]
        words = [v.to_bytes(_octets(bits), "big") for v, bits in numbers]
        await self._beats(header + b"".join(words))

    async def _collect(self) -> None:
        d, packet = self.dut, b""
        d.m_axis_tready_i.value = 1
        while True:
            await _come(d.clk_i, d.m_axis_tvalid_o)
            packet += int(d.m_axis_tdata_o.value).to_bytes(BEAT, "little")
            if d.m_axis_tlast_o.value == 1:
                self._packet(packet, d.m_axis_tuser_o.value == 1)
                packet = b""

    def _packet(self, packet: bytes, void: bool) -> None:
        """Take an answer: tag, status, flags, a zero, four octets of cycles, x, y."""
        size = _octets(self.package.COORDINATE_BITS)
        if void or packet[2] & MALFORMED:
            self.void.put_nowait(packet)
            return
        if len(packet) != BEAT + 2 * size:
            raise ProtocolError(f"{self.package.TOP}: an answer of {len(packet)} octets")
        cycles, x, y = (
            int.from_bytes(o, "big")
            for o in (packet[4:BEAT], packet[BEAT : BEAT + size], packet[BEAT + size :])
        )
        self._answered(packet[0], self._result(packet[1], packet[2] & 1, cycles, x, y))


def _octets(bits: int) -> int:
    """Return the octets that a number takes in a packet: whole beats."""
    return BEAT * -(-bits // (8 * BEAT))


class SchemePort:
    """Schemes by their own port: strings in words of eight octets, the first in bits 63:56."""

    _asking = ("req_valid_i", "rsp_ready_i", "in_valid_i", "in_last_i", "out_ready_i")

    def __init__(self, dut: Any, package: Any) -> None:
        self.dut, self.package = dut, package
        self._lock = Lock()
        self._statuses = {value: name for name, value in package.STATUSES.items()}
        for name in self._asking:
            getattr(dut, name).value = 0

    async def run(
        self, operation: str | int, *strings: bytes, slot: int = 0, flags: int = 0
    ) -> Answer:
        """Run an operation, as :meth:`SchemeRegisters.run` does."""
        d = self.dut
        number, key, bits = request(self.package, operation, slot, flags)
        given = octets(strings)
        if key >> len(d.req_slot_i):
            raise EcsmError(f"{self.package.TOP} has no such slot")
        async with self._lock:
            d.req_op_i.value = number
            d.req_slot_i.value, d.req_flags_i.value = key, bits
            feeder = None
            try:
                requested = _give(d.clk_i, d.req_valid_i, d.req_ready_o)
                await _in_time(requested, d.clk_i, SCHEME_PATIENCE)
                feeder = cocotb.start_soon(self._feed(given))
                found = await _in_time(self._collect(), d.clk_i, SCHEME_PATIENCE)
                status = self._statuses[int(d.rsp_status_o.value)]
                cycles = int(d.rsp_cycles_o.value)
                feeder.cancel()
                d.in_valid_i.value = d.out_ready_i.value = 0
                await _give(d.clk_i, d.rsp_ready_i, d.rsp_valid_o)
            finally:  # strings of one that is given up are not the next one's
                if feeder is not None:
                    feeder.cancel()
                for name in self._asking:
                    getattr(d, name).value = 0
            return Answer(status, found, cycles)

    async def _feed(self, strings: tuple[bytes, ...]) -> None:
        d = self.dut
        for string in strings:
            for i in range(0, max(1, len(string)), 8):
                piece = string[i : i + 8]
                d.in_data_i.value = int.from_bytes(piece.ljust(8, b"\0"), "big")
                d.in_bytes_i.value, d.in_last_i.value = len(piece), int(i + 8 >= len(string))
                await _give(d.clk_i, d.in_valid_i, d.in_ready_o)

    async def _collect(self) -> list[bytes]:
        """Return the strings that come out before the response, which is not taken."""
        d, came, found = self.dut, b"", []
        d.out_ready_i.value = 1
        while True:
            if d.out_valid_o.value != 1 and d.rsp_valid_o.value != 1:
                await First(RisingEdge(d.out_valid_o), RisingEdge(d.rsp_valid_o))
            await RisingEdge(d.clk_i)
            if d.out_valid_o.value == 1:
                came += int(d.out_data_o.value).to_bytes(8, "big")[: int(d.out_bytes_o.value)]
                if d.out_last_o.value == 1:
                    found.append(came)
                    came = b""
            elif d.rsp_valid_o.value == 1:
                return found
