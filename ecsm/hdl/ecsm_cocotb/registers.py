# SPDX-License-Identifier: Apache-2.0
"""What is behind registers: a core, schemes."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import ClockCycles, Lock

from .results import Answer, EcsmError, NoAnswer, Point, Result, job, octets, request, whole

START, ACKNOWLEDGE, ZEROIZE = 1, 2, 4  # of COMMAND
ANSWER, INFINITY = 2, 4  # of STATUS
SLACK = 2000  # cycles that a job may take beside its own
LONGEST_PAUSE = 256  # cycles between two looks at STATUS
SCHEME_PATIENCE = 40_000_000  # cycles: a word engine's longest job, its self-test before it


class Registers:
    """The registers of a block by their names, as in ``ecsm_package.REGISTERS``.

    ``master``: has ``read`` and ``write``. With a ``clock``, pauses grow between looks at STATUS.
    """

    def __init__(self, master: Any, package: Any, clock: Any = None) -> None:
        self.master, self.package, self.clock = master, package, clock
        self._lock = Lock()
        self._statuses = {value: name for name, value in package.STATUSES.items()}

    def address(self, name: str, index: int = 0) -> int:
        """Return the address of a register, or of a word of a window. Raises EcsmError."""
        if name not in self.package.REGISTERS:
            raise EcsmError(f"{self.package.TOP} has no register {name}")
        return int(self.package.REGISTERS[name]) + 4 * index

    async def read(self, name: str, index: int = 0) -> int:
        """Return a register's word."""
        return int(await self.master.read(self.address(name, index)))

    async def write(self, name: str, word: int, index: int = 0) -> None:
        """Write a register's word."""
        await self.master.write(self.address(name, index), word)

    async def put(self, name: str, value: int, bits: int) -> None:
        """Write a number of so many bits to a window: its highest word is word 0."""
        given, count = whole(name, value, bits), -(-bits // 32)
        for i in range(count):
            await self.write(name, given >> 32 * (count - 1 - i) & 0xFFFFFFFF, i)

    async def get(self, name: str, bits: int) -> int:
        """Return the number in a window."""
        value = 0
        for i in range(-(-bits // 32)):
            value = value << 32 | await self.read(name, i)
        return value

    async def describe(self, word: int) -> None:
        """Write JOB. Raises EcsmError if the block cuts it, as to a key slot that it has not."""
        await self.write("JOB", word)
        if await self.read("JOB") != word:
            raise EcsmError(f"{self.package.TOP} has no such operation, slot or flags")

    async def zeroize(self) -> None:
        """Drop every job, and clear operands, results, strings and keys."""
        await self.write("COMMAND", ZEROIZE)

    def status(self, word: int) -> str:
        """Return the name of the status in STATUS."""
        return str(self._statuses[word >> 8 & 0xF])

    async def pause(self, cycles: int) -> int:
        """Wait; return for how long the next time."""
        if self.clock is not None:
            await ClockCycles(self.clock, cycles)
        return min(2 * cycles, LONGEST_PAUSE)


class CoreRegisters(Registers):
    """A core behind registers."""

    async def multiply(self, k: int, point: Point, a: int = 0, operation: int = 0) -> Result:
        """Return kP, or aG + kP of a core that computes that."""
        p = self.package
        given = job(p, k, point, a, operation)
        async with self._lock:
            await self.describe(given.operation | (0x100 if given.point is None else 0))
            for name, value in zip("XY", given.point or (), strict=False):
                await self.put(name, value, p.COORDINATE_BITS)
            await self.put("SCALAR", given.k, p.SCALAR_BITS)
            if p.SCALARS == 2:
                await self.put("SCALAR_G", given.a, p.SCALAR_BITS)
            await self.write("COMMAND", START)
            waited, wait = 0, 1
            while not (word := await self.read("STATUS")) & ANSWER:
                if waited > p.CYCLES + SLACK:
                    raise NoAnswer(f"{p.TOP}: no answer after {waited} looks and cycles")
                waited += wait
                wait = await self.pause(wait)
            cycles, found = await self.read("CYCLES"), None
            if self.status(word) == "OK" and not word & INFINITY:
                x = await self.get("RESULT_X", p.COORDINATE_BITS)
                found = (x, await self.get("RESULT_Y", p.COORDINATE_BITS))
            await self.write("COMMAND", ACKNOWLEDGE)
            return Result(self.status(word), found, cycles)


class SchemeRegisters(Registers):
    """Schemes behind registers."""

    async def run(
        self, operation: str | int, *strings: bytes, slot: int = 0, flags: int = 0
    ) -> Answer:
        """Run an operation: strings go in while there is room, others come out."""
        number, key, bits = request(self.package, operation, slot, flags)
        words = [word for string in octets(strings) for word in _register_words(string)]
        came, found = b"", []
        async with self._lock:
            await self.describe(bits << 16 | key << 8 | number)
            await self.write("COMMAND", START)
            waited, wait = 0, 1
            while True:
                state, moved = await self.read("STATUS"), False
                room = await self.read("ROOM") if words else 0
                for name, index, word in words[:room]:
                    await self.write(name, word, index)
                    moved = True
                del words[:room]
                while (out := await self.read("OUT")) >> 8:
                    came += (await self.read("OUT_DATA")).to_bytes(4, "big")[: out & 7]
                    if out & 8:
                        found.append(came)
                        came = b""
                    moved = True
                if state & ANSWER:
                    break
                if waited > SCHEME_PATIENCE:
                    raise NoAnswer(f"{self.package.TOP}: no answer to {operation}")
                waited += wait
                wait = 1 if moved else await self.pause(wait)
            cycles = await self.read("CYCLES")
            await self.write("COMMAND", ACKNOWLEDGE)
        return Answer(self.status(state), found, cycles)


def _register_words(string: bytes) -> list[tuple[str, int, int]]:
    """Return register, index and word of each four octets of a string, its last word marked."""
    cut = max(0, (len(string) - 1) // 4 * 4)
    words = [("IN_DATA", 0, int.from_bytes(string[i : i + 4], "big")) for i in range(0, cut, 4)]
    last = string[cut:]
    return [*words, ("IN_LAST", len(last), int.from_bytes(last.ljust(4, b"\0"), "big"))]
