# SPDX-License-Identifier: Apache-2.0
"""Signs with Verilator's model of a scheme machine, and flips a register in a cycle: signer.py."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import Timer

WORD = 8  # octets
RESET = 3  # cycles
QUIET = (
    "rst_ni", "zeroize_i", "req_valid_i", "req_slot_i", "req_flags_i", "in_valid_i",
    "noise_valid_i", "test_valid_i",
)  # fmt: skip


class Machine:
    """The ports of the machine; outputs are looked at when the inputs have settled."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def settle(self) -> None:
        self.dut.clk_i.value = 0
        await Timer(1, "ns")

    async def clock(self) -> None:
        self.dut.clk_i.value = 1
        await Timer(1, "ns")

    def out(self, port: str) -> int:
        return int(getattr(self.dut, port).value)

    async def reset(self) -> None:
        for port in QUIET:
            getattr(self.dut, port).value = 0
        self.dut.out_ready_i.value = self.dut.rsp_ready_i.value = 1
        for _ in range(RESET):
            await self.settle()
            await self.clock()
        self.dut.rst_ni.value = 1

    async def request(self, operation: int) -> None:
        """Let the machine accept a request: cycle 0."""
        self.dut.req_op_i.value = operation
        await self.settle()
        while not self.out("req_ready_o"):
            await self.clock()
            await self.settle()
        self.dut.req_valid_i.value = 1
        await self.settle()
        await self.clock()
        self.dut.req_valid_i.value = 0

    async def run(self, text: bytes, limit: int, register: str, when: int) -> dict[str, Any]:
        """Give a string and take what comes, from cycle 1 to the response."""
        at, rest, strings = 0, b"", list[str]()
        for cycle in range(1, limit + 1):
            word = text[at : at + WORD]
            self.dut.in_valid_i.value = int(bool(word))
            self.dut.in_data_i.value = int.from_bytes(word.ljust(WORD, b"\0"), "big")
            self.dut.in_bytes_i.value = len(word)
            self.dut.in_last_i.value = int(0 < len(text) - at <= WORD)
            await self.settle()
            if register and cycle == when:
                self.flip(register)
                await self.settle()
            if self.out("out_valid_o"):
                size = self.out("out_bytes_o")
                data = self.out("out_data_o").to_bytes(WORD, "big")
                rest += data.ljust(size, b"\0")[:size]
                if self.out("out_last_o"):
                    strings.append(rest.hex())
                    rest = b""
            if self.out("rsp_valid_o"):
                status = self.out("rsp_status_o")
                await self.clock()
                return _reply(status, strings, rest, cycle)
            at += WORD * (self.out("in_ready_o") and bool(word))
            await self.clock()
        return _reply(None, strings, rest, limit)

    def flip(self, register: str) -> None:
        path, _, bit = re.fullmatch(r"(.+?)(\[(\d+)\])?", register).group(1, 2, 3)  # type: ignore[union-attr]
        handle = self.dut
        for name in path.split("."):
            handle = getattr(handle, name)
        handle.value = int(handle.value) ^ 1 << int(bit or 0)


def _reply(status: int | None, strings: list[str], rest: bytes, cycle: int) -> dict[str, Any]:
    return {"status": status, "strings": strings, "rest": rest.hex(), "cycle": cycle}


@cocotb.test()
async def sign(dut: Any) -> None:
    """Load the key and sign, once for each flip; each begins with a reset."""
    asked = json.loads(Path(os.environ["SIGNER_ASKED"]).read_text())
    machine, found = Machine(dut), []
    for f in asked["flips"]:
        await machine.reset()
        await machine.request(asked["load"])
        loaded = await machine.run(bytes.fromhex(f["key"]), asked["limit"], "", 0)
        assert loaded["status"] == 0
        await machine.request(asked["sign"])
        digest = bytes.fromhex(f["digest"])
        found.append(await machine.run(digest, asked["limit"], f["register"], f["cycle"]))
    Path(os.environ["SIGNER_ANSWERED"]).write_text(json.dumps(found))
