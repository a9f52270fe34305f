# SPDX-License-Identifier: Apache-2.0
"""A package's driver of streams with packets that are no jobs; run by test_cocotb.py."""

from __future__ import annotations

from typing import Any

import cocotb

from ecsm.hdl.ecsm_cocotb import Stream, start
from ecsm.status import Status


@cocotb.test()
async def malformed_packets_come_back_beside_jobs(dut: Any) -> None:
    import ecsm_package  # type: ignore[import-not-found]  # of the package that is tried

    stream: Stream = await start(dut, ecsm_package)
    size = 8 * -(-ecsm_package.COORDINATE_BITS // 64)
    for octets in (8, 11, 64):
        await stream.send(bytes([7]).ljust(octets, b"\0"))
        answer = await stream.void.get()
        assert answer == bytes([7, Status.UNSUPPORTED, 0x80]).ljust(8 + 2 * size, b"\0")
        result = await stream.multiply(5, None)
        assert (result.status, result.point) == ("OK", None)


@cocotb.test()
async def packets_that_are_sent_at_once_are_whole(dut: Any) -> None:
    import ecsm_package

    stream: Stream = await start(dut, ecsm_package)
    packets = [bytes([tag]).ljust(64, b"\0") for tag in (7, 8)]
    tasks = [cocotb.start_soon(stream.send(packet)) for packet in packets]
    assert (await stream.multiply(5, None)).status == "OK"
    for task in tasks:
        await task
    assert sorted([(await stream.void.get())[0] for _ in packets]) == [7, 8]
