# SPDX-License-Identifier: Apache-2.0
"""Drive the units of a test top (order.py): requests, numbers, strings; every cycle is counted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.order import Modulus, OrderUnit
from tests.rtl.common.clocked import Clocked
from tests.rtl.scalar.order import OPS, STATUS, Ports, pack


class Bench:
    """The units, with a model of their registers. ``stall``: how often a string waits, 0 .. 1."""

    def __init__(self, dut: Any, units: Sequence[OrderUnit], seed: int = 1) -> None:
        self.units, self.unit = units, units[0]
        self.ports = Ports(self.unit)
        self.rng = random.Random(seed)
        self.stall = 0.0
        self.clocked = Clocked(dut, ("zeroize", "request", "string", "port"), ("status", "data"))
        self.values = [[0] * self.unit.registers for _ in units]
        self._words: list[int] = []
        self._held = False
        self._given = False  # a word was on the port in the last cycle

    async def begin(self) -> None:
        """Reset, and wait until the units are ready."""
        await self.clocked.begin()
        await self.cleared()

    async def cleared(self) -> None:
        """See that the units are not ready for as long as they clear."""
        self.values = [[0] * self.unit.registers for _ in self.units]
        self.clocked.drive(zeroize=0, request=0, string=0, port=0)
        for _ in range(self.unit.clear_cycles):
            assert not self.seen(await self.clocked.cycle(), "req_ready_o")
        assert self.seen(await self.clocked.cycle(), "req_ready_o")

    def seen(self, look: dict[str, int], name: str) -> bool:
        """Return a status, the same of all units."""
        bits = self.bits(look, name)
        assert bits in (0, (1 << len(self.units)) - 1), name
        return bits != 0

    def bits(self, look: dict[str, int], name: str) -> int:
        """Return a status, a bit of each unit."""
        count = len(self.units)
        return look["status"] >> count * STATUS.index(name) & ((1 << count) - 1)

    def _port(self, write: int, reg: int, index: int, data: int) -> int:
        values = {"port_valid_i": 1, "port_write_i": write, "port_reg_i": reg}
        return pack(self.ports.port, values | {"port_index_i": index, "port_data_i": data})

    async def write(self, reg: int, value: int) -> None:
        """Write a number of W bits into a register of every unit."""
        mask = (1 << self.unit.word) - 1
        for i in range(self.unit.words):
            port = self._port(1, reg, i, value >> i * self.unit.word & mask)
            look = await self.clocked.cycle(port=port)
            assert self.seen(look, "port_ready_o")
        self.clocked.drive(port=0)
        for values in self.values:
            values[reg] = value

    async def read(self, reg: int) -> list[int]:
        """Return a register of each unit."""
        found = [0] * len(self.units)
        for i in range(self.unit.words):
            look = await self.clocked.cycle(port=self._port(0, reg, i, 0))
            assert self.seen(look, "port_ready_o")
            for k in range(len(found)):
                word = look["data"] >> k * self.unit.word & ((1 << self.unit.word) - 1)
                found[k] |= word << i * self.unit.word
        self.clocked.drive(port=0)
        return found

    def ask(self, op: str, dst: int, a: int, b: int, modulus: int, bits: int = 0) -> None:
        """Put a request on the port."""
        values = {"req_valid_i": 1, "req_op_i": OPS.index(op), "req_dst_i": dst, "req_a_i": a}
        values |= {"req_b_i": b, "req_modulus_i": modulus, "req_bits_i": bits}
        self.clocked.drive(request=pack(self.ports.request, values))

    def expect(
        self, op: str, dst: int, a: int, b: int, modulus: int, string: Sequence[int], bits: int
    ) -> tuple[int, int]:
        """Do an operation in the model; return zero_o and below_o, a bit of each unit."""
        zero, below = 0, 0
        for k, (unit, values) in enumerate(zip(self.units, self.values, strict=True)):
            m, good = unit.moduli[modulus], True
            if op == "check":
                result, good = values[a], m.below(values[a])
            elif op == "xor":
                values[dst] = result = values[a] ^ values[b]
            elif op == "reduce":
                values[dst] = result = m.reduce(unit.string(string, bits))
            else:
                values[dst] = result = computed(m, op, values[a], values[b])
            zero |= (result == 0) << k
            below |= good << k
        return zero, below

    def cycles(self, op: str, modulus: int, bits: int, given: int) -> int:
        """Return what an operation takes if its string never waits."""
        u = self.unit
        if op == "inv":
            return u.inv_cycles(modulus)
        if op == "reduce":
            return u.reduce_cycles(bits, given)
        named = {"add": u.add_cycles, "sub": u.add_cycles, "mul": u.mul_cycles}
        return (named | {"mod": u.mod_cycles, "check": u.check_cycles, "xor": u.xor_cycles})[op]

    def feed(self) -> None:
        """Put the string's next word on the port, or nothing."""
        value = 0
        if self._words and (self._held or self.rng.random() >= self.stall):
            value = pack(self.ports.string, {"str_valid_i": 1, "str_data_i": self._words[0],
                                             "str_last_i": len(self._words) == 1})  # fmt: skip
        self._held = value != 0
        self._given = self._held
        self.clocked.drive(string=value)

    async def step(self) -> dict[str, int]:
        """Run a cycle, with the string."""
        self.feed()
        look = await self.clocked.cycle()
        if self._held and self.seen(look, "str_ready_o"):
            self._words.pop(0)
            self._held = False
        return look

    async def run(
        self, op: str, dst: int, a: int = 0, b: int = 0, modulus: int = 0,
        string: Sequence[int] = (), bits: int = 0,
    ) -> None:  # fmt: skip
        """Ask for an operation, and see its cycles, flags and that nothing is seen of it before.

        The units must be ready. They are in the end, in the cycle of done_o.
        """
        want = self.expect(op, dst, a, b, modulus, string, bits)
        self.ask(op, dst, a, b, modulus, bits)
        self._words, self._held, stalled = list(string), False, 0
        assert self.seen(await self.clocked.cycle(), "req_ready_o")
        self.clocked.drive(request=0)
        taken = 1
        while not self.seen(look := await self.step(), "done_o"):
            taken += 1
            stalled += self.seen(look, "str_ready_o") and not self._given
            assert not self.seen(look, "req_ready_o")
            assert look["data"] == 0
            assert taken < 10_000
        assert self.seen(look, "req_ready_o")
        assert (self.bits(look, "zero_o"), self.bits(look, "below_o")) == want, (op, modulus)
        assert taken - stalled == self.cycles(op, modulus, bits, len(string)), op
        assert not self._words

    async def see(self, *registers: int) -> None:
        """See that registers, all if none is named, hold what the model's do."""
        for reg in registers or range(self.unit.registers):
            assert await self.read(reg) == [v[reg] for v in self.values], reg


def computed(m: Modulus, op: str, a: int, b: int) -> int:
    """Return a result from Python's integers and the reference of binary fields."""
    if op == "mod":
        return m.reduce(a)
    if op != "inv":
        return {"add": m.add, "sub": m.sub, "mul": m.mul}[op](a, b)
    a = m.reduce(a)
    if a == 0 or not m.binary:
        return pow(a, -1, m.value) if a else 0
    exponents = tuple(i for i in reversed(range(m.length)) if m.value >> i & 1)
    return BinaryField(m.length, exponents).inv(a)
