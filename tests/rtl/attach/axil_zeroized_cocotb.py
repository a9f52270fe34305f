# SPDX-License-Identifier: Apache-2.0
"""What waits at AXI4-Lite when a block is zeroized; run by test_block_scheme.py."""

from __future__ import annotations

import hashlib
from typing import Any

import cocotb

from tests.rtl.attach.block_scheme_cocotb import ready
from tests.rtl.attach.bus import ANSWER, SLVERR, bus_test


@bus_test
async def a_word_is_read_while_it_is_zeroized(dut: Any) -> None:
    """What waits at the bus is replaced by zero and an error."""
    schemes = await ready(dut)
    await schemes.start("sha256")
    await schemes.write("IN_LAST", 0, 0)
    while not await schemes.read("STATUS") & ANSWER:
        pass
    channel = schemes.master.read_if.r_channel
    channel.pause = True
    read = cocotb.start_soon(schemes.try_read(schemes.at("OUT_DATA")))
    await schemes.cycles(20)
    assert int(dut.axil_rvalid_o.value) == 1
    first = hashlib.sha256(b"").digest()[:4]
    assert int(dut.axil_rdata_o.value).to_bytes(4, "big") == first
    dut.zeroize_i.value = 1
    await schemes.cycles(1)
    dut.zeroize_i.value = 0
    await schemes.cycles(1)
    channel.pause = False
    assert await read == (SLVERR, 0)
    await schemes.idle()
