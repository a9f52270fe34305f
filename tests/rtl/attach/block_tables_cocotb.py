# SPDX-License-Identifier: Apache-2.0
"""A word engine that takes its tables over AXI4-Lite; run by test_block_scheme.py."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.status import Status
from tests.rtl.attach.block_scheme_cocotb import MACHINE, MODEL, Schemes, ready
from tests.rtl.attach.bus import bus_test

MESSAGE = b"abc" * 50


async def no_tables(schemes: Schemes) -> None:
    """Assert that nothing runs."""
    assert await schemes.run("sha256", MESSAGE) == (Status.UNSUPPORTED, [])


@bus_test
async def tables_come_over_the_bus(dut: Any) -> None:
    """Without them nothing runs; with them strings of every kind of length are right."""
    assert MACHINE.tables is not None
    tables = MACHINE.tables()
    schemes = await ready(dut)
    await no_tables(schemes)
    wrong = bytes([*tables[:8001], tables[8001] ^ 4, *tables[8002:]])
    for bad in (wrong, tables[:-4]):
        assert await schemes.run(LOAD_OPERATION, bad) == (Status.UNSUPPORTED, [])
        await no_tables(schemes)
    schemes.stall(random.Random(1))
    assert await schemes.run(LOAD_OPERATION, tables) == (Status.OK, [])
    for length in (0, 1, 3, 4, 5, 7, 8, 9, 64, 150):
        message = (MESSAGE * 2)[:length]
        assert await schemes.right("sha256", message) == [hashlib.sha256(message).digest()]
    assert await schemes.right("load", MODEL.scalar(12345)) == []
    for length in (0, MODEL.order_octets - 1, MODEL.order_octets + 1):
        assert await schemes.run("load", bytes(length), slot=1) == (Status.UNSUPPORTED, [])
    await schemes.idle()
