# SPDX-License-Identifier: Apache-2.0
"""Drive the sources and watch the sinks of a test top (tops.py), a cycle at a time.

In every cycle it is asserted that a sink's word stays until it is taken, that every word but the
last of a string is full, and that what does not count is zero.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cocotb.handle import ArrayObject
from cocotb.triggers import Timer

from tests.rtl.symmetric.tops import Port, Top, bytes_width


class Sink:
    """What came out of a sink: strings, and the cycle in which each one's first word stood."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.strings: list[bytes] = []
        self.times: list[int] = []
        self.words = 0  # of the string that is coming
        self._now = b""
        self.held: int | None = None

    def see(self, value: int, taken: bool, t: int) -> None:
        """Look at a cycle's bundle; ``taken``: ready is high."""
        w, b = self.port.word, bytes_width(self.port.word)
        valid, last = value >> (w + b + 1), value >> (w + b) & 1
        count, data = value >> w & ((1 << b) - 1), value & ((1 << w) - 1)
        assert self.held is None or value == self.held, f"{self.port.name}: a word has changed"
        if not valid:
            assert value == 0, f"{self.port.name}: {value:#x} without valid"
            return
        assert count <= w // 8
        assert last or count == w // 8, f"{self.port.name}: a word in the middle is not full"
        assert data & ((1 << (w - 8 * count)) - 1) == 0, f"{self.port.name}: more than counts"
        if not self.words and self.held is None:
            self.times.append(t)
        self.held = None if taken else value
        if taken:
            self._now += (data >> (w - 8 * count)).to_bytes(count, "big")
            self.words = 0 if last else self.words + 1
            if last:
                self.strings.append(self._now)
                self._now = b""

    def drop(self) -> None:
        """Forget what is under way: it was cleared."""
        self._now, self.words, self.held = b"", 0, None


class Bench:
    """Clock, sources and sinks of a top. ``stall``: how often a source or sink waits, 0 .. 1."""

    def __init__(self, dut: Any, top: Top, seed: int = 1) -> None:
        self.dut, self.top = dut, top
        self.rng = random.Random(seed)
        self.stall = 0.0
        self.t = 0
        self.queues: dict[str, deque[int]] = {p.name: deque() for p in top.sources}
        self.moved: dict[str, list[int]] = {p.name: [] for p in top.sources}
        self.sinks = {p.name: Sink(p) for p in top.sinks}
        self.endless: dict[str, Iterator[int]] = {}
        self.ready = 0
        self._words = {p.name: p.word for p in top.sources}
        self._in = {p.name: getattr(dut, f"{p.name}_i") for p in top.sources}
        self._one = {p.name: 1 << p.payload for p in top.sources}
        self._all = (1 << len(top.sinks)) - 1
        self._ready, self._seen = dut.ready_o, dut.seen_o
        self._out = [(self.sinks[p.name], getattr(dut, f"{p.name}_o")) for p in top.sinks]
        self._status = {name: getattr(dut, f"{name}_o") for name, _ in top.outputs}
        self.status: dict[str, int] = {}
        self.ended: dict[str, list[tuple[int, int]]] = {name: [] for name, _ in top.outputs}
        self._driven: dict[str, int] = {}
        self._valid = {p.name: False for p in top.sources}

    async def begin(self) -> None:
        """Reset."""
        for port in self._in.values():
            port.value = 0
        for name, _ in self.top.inputs:
            getattr(self.dut, f"{name}_i").value = 0
        self.dut.clear_i.value = 0
        self.dut.take_i.value = 0
        self.dut.rst_ni_i.value = 1
        await Timer(1, "step")
        await self.reset()

    async def reset(self) -> None:
        """Pulse the asynchronous reset between two edges, and forget what is under way."""
        self.forget()
        self.dut.rst_ni_i.value = 0
        self.dut.clk_i.value = 0
        await Timer(1, "step")
        self.dut.rst_ni_i.value = 1
        await Timer(1, "step")

    def forget(self) -> None:
        """Empty the queues and drop strings that are coming."""
        for queue in self.queues.values():
            queue.clear()
        for name, port in self._in.items():
            port.value = 0
            self._valid[name] = False
        for sink in self.sinks.values():
            sink.drop()

    def _drive(self, name: str, port: Any, value: int) -> None:
        if self._driven.get(name) != value:
            self._driven[name] = value
            port.value = value

    def idle(self, name: str) -> bool:
        """Whether a source's queue is empty."""
        return not self.queues[name]

    async def cycle(self, clear: bool = False) -> None:
        """Run one cycle."""
        stall, rng = self.stall, self.rng
        for name, iterator in self.endless.items():
            if not self.queues[name]:
                self.queues[name].append(next(iterator))
        for name, queue in self.queues.items():
            if queue and not self._valid[name] and (not stall or rng.random() >= stall):
                self._valid[name] = True
                self._in[name].value = self._one[name] | queue[0]
        take = self._all
        if stall:
            take = sum((rng.random() >= stall) << k for k in range(len(self._out)))
        self._drive("take", self.dut.take_i, take)
        self._drive("clear", self.dut.clear_i, int(clear))
        self.dut.clk_i.value = 0
        await Timer(1, "step")
        self.ready = int(self._ready.value)
        seen = int(self._seen.value)
        for k, (sink, port) in enumerate(self._out):
            if seen >> k & 1 or sink.held is not None:
                sink.see(int(port.value), bool(take >> k & 1), self.t)
        for k, (name, port) in enumerate(self._status.items()):
            self.status[name] = int(port.value) if seen >> len(self._out) + k & 1 else 0
            if self.status[name] >> 6 & 1:
                self.ended[name].append((self.t, self.status[name] & 15))
        self.dut.clk_i.value = 1
        await Timer(1, "step")
        for k, (name, queue) in enumerate(self.queues.items()):
            if self._valid[name] and self.ready >> k & 1 and not clear:
                queue.popleft()
                self._valid[name] = False
                self._in[name].value = 0
                self.moved[name].append(self.t)
        self.t += 1
        if clear:
            self.forget()

    async def wipe(self, reset: bool) -> None:
        """Clear; or reset, and the first clock edge after it."""
        if reset:
            await self.reset()
        await self.cycle(clear=not reset)

    async def until(self, condition: Callable[[], object], limit: int = 10_000) -> None:
        """Run cycles until the condition holds; AssertionError after ``limit``."""
        for _ in range(limit):
            if condition():
                return
            await self.cycle()
        raise AssertionError(f"nothing after {limit} cycles")

    def ask(self, name: str, *fields: tuple[int, int]) -> None:
        """Put a request of fields (value, bits) into a source's queue, the first one highest."""
        value = 0
        for x, bits in fields:
            value = value << bits | x
        self.queues[name].append(value)

    def send(self, name: str, octets: bytes, cuts: Sequence[int] | None = None) -> None:
        """Put a string into a source's queue: in full words, or in words of as many octets."""
        w = self._words[name]
        self.queues[name].extend(words(octets, w, cuts))

    def ragged(self, octets: bytes, word: int) -> list[int]:
        """Return random numbers of octets for the words of a string."""
        cuts, left = [], len(octets)
        while left:
            cuts.append(min(left, self.rng.randrange(word // 8 + 1)))
            left -= cuts[-1]
        return cuts + [0] * self.rng.randrange(2)

    async def string(self, sink: str, limit: int = 10_000) -> bytes:
        """Return the next string of a sink."""
        s = self.sinks[sink]
        count = len(s.strings)
        await self.until(lambda: len(s.strings) > count, limit)
        return s.strings[-1]

    def took(self, source: str, sink: str) -> int:
        """Return the cycles from a source's last word to the sink's last string's first word."""
        return self.sinks[sink].times[-1] - self.moved[source][-1]


def words(octets: bytes, w: int, cuts: Sequence[int] | None = None) -> list[int]:
    """Return the payloads of a string's words; octets that do not count are ones."""
    n, b = w // 8, bytes_width(w)
    if not cuts:
        cuts = [n] * (len(octets) // n)
        if len(octets) % n or not octets:
            cuts.append(len(octets) % n)
    made, at = [], 0
    for i, count in enumerate(cuts):
        data = int.from_bytes(octets[at : at + count].ljust(n, b"\xff"), "big")
        at += count
        made.append((i == len(cuts) - 1) << (w + b) | count << w | data)
    assert at == len(octets)
    return made


def registers(handle: Any) -> Iterator[tuple[str, int]]:
    """Yield every register (``*_q``) below a handle, with its value; public by registers.vlt."""
    for child in handle:
        name: str = child._name
        if name.endswith("_q"):
            yield from _values(child)
        elif name.startswith(("u_", "gen_")):
            yield from registers(child)


def _values(handle: Any) -> Iterator[tuple[str, int]]:
    if isinstance(handle, ArrayObject):
        for child in handle:
            yield from _values(child)
    else:
        yield handle._path, int(handle.value)
