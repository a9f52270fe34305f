# SPDX-License-Identifier: Apache-2.0
"""Drive what ``ecsm build`` made, in cocotb 2: behind a bus, as a stream, by the core's own port.

This folder is the same in every package; ``ecsm_package.py`` beside it says what the package is. It
needs cocotb 2 and nothing else. A job of a core, and one of schemes::

    import cocotb, ecsm_package
    from ecsm_cocotb import start

    @cocotb.test()
    async def five_times_a_point(dut):
        core = await start(dut, ecsm_package)  # clock, reset, the driver of this package
        result = await core.multiply(5, (x, y))
        assert result.status == "OK" and result.point == (x5, y5)

    @cocotb.test()
    async def a_digest(dut):
        schemes = await start(dut, ecsm_package)
        answer = await schemes.run("sha256", b"abc")
        assert answer.strings == [hashlib.sha256(b"abc").digest()]

Numbers are Python's integers, points pairs of them, infinity is None. Strings of the schemes are
``bytes``, and a number in a string has its highest octet first. Statuses are names, as in
``ecsm_package.STATUSES``. What goes wrong raises an :class:`EcsmError`.

In a larger design, without the ports of this package at the top: give :class:`CoreRegisters` or
:class:`SchemeRegisters` a master of your own. That is any object with ``await read(address)``,
which returns a word, and ``await write(address, word)``; add the base address there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from .masters import MASTERS, Apb, AxiLite, Master, Wishbone
from .ports import CorePort, SchemePort, Stream
from .registers import CoreRegisters, Registers, SchemeRegisters
from .results import Answer, EcsmError, NoAnswer, ProtocolError, Refused, Result

__all__ = [
    "Answer", "Apb", "AxiLite", "CorePort", "CoreRegisters", "EcsmError", "Master", "NoAnswer",
    "ProtocolError", "Refused", "Registers", "Result", "SchemePort", "SchemeRegisters", "Stream",
    "Wishbone", "driver", "noise", "start",
]  # fmt: skip


async def start(dut: Any, package: Any, period_ns: int | None = 10) -> Any:
    """Start the clock, reset the package's top and return its driver.

    That is :class:`CoreRegisters`, :class:`SchemeRegisters`, :class:`CorePort`, :class:`SchemePort`
    or :class:`Stream`. ``period_ns``: of ``clk_i``; None where something else drives it.
    """
    dut.rst_ni.value = 0
    for name in ("zeroize_i", "noise_valid_i", "noise_data_i", "test_valid_i", "test_data_i"):
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    if period_ns is not None:
        Clock(dut.clk_i, period_ns, "ns").start()
    found = driver(dut, package)
    await ClockCycles(dut.clk_i, 4)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    return found


def driver(dut: Any, package: Any) -> Any:
    """Return the driver of a package's top, as :func:`start` does, without clock and reset."""
    if package.BUS in MASTERS:
        registers = SchemeRegisters if package.SCHEMES else CoreRegisters
        return registers(MASTERS[package.BUS](dut), package, dut.clk_i)
    if package.BUS == "stream":
        return Stream(dut, package)
    return SchemePort(dut, package) if package.SCHEMES else CorePort(dut, package)


async def noise(dut: Any, sample: Callable[[], int], every: int = 1) -> None:
    """Be a noise source: one sample in so many cycles, 0 to 255. Use ``cocotb.start_soon``."""
    while True:
        dut.noise_data_i.value = sample() & 0xFF
        dut.noise_valid_i.value = 1
        await RisingEdge(dut.clk_i)
        if every > 1:
            dut.noise_valid_i.value = 0
            await ClockCycles(dut.clk_i, every - 1)
