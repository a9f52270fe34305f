# SPDX-License-Identifier: Apache-2.0
"""A cycle at a time: inputs are driven, settle, outputs are looked at, the clock rises."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import Timer


class Clocked:
    """Clock, reset and ports of a top; ports are named without ``_i`` and ``_o``."""

    def __init__(self, dut: Any, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
        self.dut = dut
        self._in = {name: getattr(dut, f"{name}_i") for name in inputs}
        self._out = {name: getattr(dut, f"{name}_o") for name in outputs}
        self._now: dict[str, int] = {}

    def drive(self, **values: int) -> None:
        """Put values on input ports; a port not named keeps its value."""
        for name, value in values.items():
            if self._now.get(name) != value:
                self._now[name] = value
                self._in[name].value = value

    def look(self) -> dict[str, int]:
        """Return all output ports as they stand."""
        return {name: int(port.value) for name, port in self._out.items()}

    async def settle(self) -> dict[str, int]:
        """Let the inputs act, without a clock edge, and return the outputs."""
        self.dut.clk_i.value = 0
        await Timer(1, "ns")
        return self.look()

    async def cycle(self, **values: int) -> dict[str, int]:
        """Run one cycle and return the outputs as they stood at its end."""
        self.drive(**values)
        seen = await self.settle()
        self.dut.clk_i.value = 1
        await Timer(1, "ns")
        return seen

    async def reset(self) -> dict[str, int]:
        """Pulse the asynchronous reset between two edges; return the outputs while it is low."""
        self.dut.rst_ni_i.value = 0
        seen = await self.settle()
        self.dut.rst_ni_i.value = 1
        await Timer(1, "ns")
        return seen

    async def begin(self) -> None:
        """All inputs zero, then reset; where there is none, a cycle of clear."""
        self.drive(**dict.fromkeys(self._in, 0))
        if not hasattr(self.dut, "rst_ni_i"):
            await self.cycle(clear=1)
            self.drive(clear=0)
            return
        self.dut.rst_ni_i.value = 1
        await self.settle()
        await self.reset()
