# SPDX-License-Identifier: Apache-2.0
"""A unit on the narrow port, driven as a CPU does; run by test_ecsm_narrow.py.

``NARROW_UNIT``: the unit's name; ``NARROW_COUNT``: random cases of a real curve (0: every case of
a toy). The reference is ecsm.curves, and for real curves libcrypto, which know nothing of the
programs.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from ecsm.curves import Point
from ecsm.narrow.port import Bit, Func, Info, function, word_function
from ecsm.narrow.units import unit
from ecsm.oracle import libcrypto
from tests.rtl.common.clocked import Clocked

UNIT = unit(os.environ["NARROW_UNIT"])
COUNT = int(os.environ["NARROW_COUNT"])
CURVE, GF = UNIT.curve, UNIT.curve.field
WORDS = -(-GF.m // 32)
RNG = random.Random(int(os.environ.get("NARROW_SEED", "1")))


class Port(Clocked):
    """The port, with a CPU's habits: an answer may be late to be taken."""

    def __init__(self, dut: Any) -> None:
        super().__init__(
            dut,
            ("zeroize", "req_valid", "func", "a", "b", "rsp_ready"),
            ("req_ready", "rsp_valid", "rsp"),
        )
        self.now = 0
        self.late = 0  # the most cycles that an answer waits

    async def tick(self, **values: int) -> dict[str, int]:
        self.now += 1
        return await self.cycle(**values)

    async def call(self, func: int, a: int = 0, b: int = 0) -> int:
        """Request a function and return its result."""
        while not (await self.tick(req_valid=1, func=func, a=a, b=b, rsp_ready=0))["req_ready"]:
            pass
        wait = RNG.randint(0, self.late)
        for _ in range(wait):
            seen = await self.tick(req_valid=0)
            assert seen["rsp_valid"]
        seen = await self.tick(req_valid=0, rsp_ready=1)
        assert seen["rsp_valid"], "the answer comes in the cycle after the request"
        self.drive(rsp_ready=0)
        return seen["rsp"]

    async def put(self, name: str, value: int) -> None:
        """Write a register."""
        register = UNIT.registers.index(name)
        for pair in range((WORDS + 1) // 2):
            low, high = (value >> 64 * pair + s & 0xFFFFFFFF for s in (0, 32))
            await self.call(word_function(Func.WRITE, register, pair), low, high)

    async def get(self, name: str) -> int:
        """Read a register."""
        register, value = UNIT.registers.index(name), 0
        for word in range(WORDS):
            kind = Func.ODD if word & 1 else Func.EVEN
            value |= await self.call(word_function(kind, register, word >> 1)) << 32 * word
        return value

    async def run(self, program: str) -> int:
        """Run a program to its end; return the status."""
        number = UNIT.run_number(program)
        await self.call(function(Func.RUN, number))
        return await self.call(function(Func.WAIT))

    async def status(self, clear: int = 0, put: int = 0) -> int:
        """Return the status, then clear and set its bits."""
        return await self.call(function(Func.STATUS), clear, put)


async def begin(dut: Any) -> Port:
    port = Port(dut)
    await port.begin()
    return port


def errors(status: int) -> Bit:
    """Return the bits of a status below those of the registers."""
    return Bit(status & 0xFFFF)


@cocotb.test(skip=UNIT.kind != "field")
async def field_operations_are_right(dut: Any) -> None:
    port = await begin(dut)
    edge = (0, 1, 2, (1 << GF.m) - 1)
    pairs = [(x, y) for x in range(1 << GF.m) for y in range(1 << GF.m)] if not COUNT else [
        *((x, y) for x in edge for y in edge),
        *((RNG.getrandbits(GF.m), RNG.getrandbits(GF.m)) for _ in range(COUNT)),
    ]  # fmt: skip
    for x, y in pairs:
        await port.put("A", x)
        await port.put("B", y)
        inverse = GF.inv(x) if x else 0
        for name, want in (
            ("mul", GF.mul(x, y)), ("add", x ^ y), ("square", GF.sqr(x)), ("invert", inverse),
        ):  # fmt: skip
            if COUNT or name in ("mul", "add") or y == 0:
                assert errors(await port.run(name)) == 0
                assert await port.get("C") == want, (name, x, y)
    assert (await port.get("A"), await port.get("B")) == pairs[-1]


def as_pair(p: Point) -> tuple[int, int]:
    return (0, 0) if p is None else p


def on_curve(x: int, y: int) -> bool:
    return (x, y) == (0, 0) or CURVE.contains((x, y))


async def check_point(port: Port, program: str, operands: dict[str, int], want: Point) -> None:
    """Run a program of points and compare; operands that are off the curve give an error."""
    for name, value in operands.items():
        await port.put(name, value)
    wrong = not all(
        on_curve(operands[f"X{i}"], operands[f"Y{i}"]) for i in (1, 2) if f"X{i}" in operands
    )
    status = errors(await port.run(program))
    case = (program, operands)
    if wrong:
        assert status == Bit.CURVE, case
    else:
        assert status == (Bit.INFINITY if want is None else 0), case
    assert (await port.get("X3"), await port.get("Y3")) == as_pair(None if wrong else want), case
    await port.status(clear=0xFFFF)


@cocotb.test(skip=UNIT.kind != "point" or bool(COUNT))
async def every_sum_double_and_multiple_of_a_toy_is_right(dut: Any) -> None:
    port = await begin(dut)
    points = list(CURVE.points())
    for p in points:
        x, y = as_pair(p)
        await check_point(port, "double", {"X1": x, "Y1": y}, CURVE.double(p))
        for q in points:
            x2, y2 = as_pair(q)
            operands = {"X1": x, "Y1": y, "X2": x2, "Y2": y2}
            await check_point(port, "add", operands, CURVE.add(p, q))
        for k in range(1 << GF.m):
            await check_point(port, "multiply", {"X1": x, "Y1": y, "K": k}, CURVE.mul(k, p))


@cocotb.test(skip=UNIT.kind != "point")
async def point_off_the_curve_is_an_error(dut: Any) -> None:
    port = await begin(dut)
    x, y = CURVE.generator
    every = range(1 << GF.m)
    pairs = (
        [(u, v) for u in every for v in every] if not COUNT else [(x, y ^ 1), (x ^ 2, y), (0, 1)]
    )
    for u, v in (p for p in pairs if not on_curve(*p)):
        good, bad = {"X1": x, "Y1": y}, {"X1": u, "Y1": v}
        await check_point(port, "double", bad, None)
        await check_point(port, "multiply", {**bad, "K": 3}, None)
        await check_point(port, "add", {**bad, "X2": x, "Y2": y}, None)
        await check_point(port, "add", {**good, "X2": u, "Y2": v}, None)


@cocotb.test(skip=UNIT.kind != "point" or not COUNT)
async def points_of_a_real_curve_are_libcryptos(dut: Any) -> None:
    port = await begin(dut)
    n, g = CURVE.n, CURVE.generator
    scalars = [0, 1, 2, n - 1, n, (1 << GF.m) - 1, *(RNG.getrandbits(GF.m) for _ in range(COUNT))]
    two = (0, GF.sqrt(CURVE.b))
    for k in scalars:
        want = libcrypto.kp(CURVE.name, k, g)
        await check_point(port, "multiply", {"X1": g[0], "Y1": g[1], "K": k}, want)
        q = libcrypto.kp(CURVE.name, RNG.randrange(1, n), g)
        for left, right in ((want, q), (q, want), (q, q), (q, CURVE.neg(q)), (two, q)):
            (x1, y1), (x2, y2) = as_pair(left), as_pair(right)
            operands = {"X1": x1, "Y1": y1, "X2": x2, "Y2": y2}
            await check_point(port, "add", operands, CURVE.add(left, right))
        await check_point(
            port,
            "double",
            dict(zip(("X1", "Y1"), as_pair(q), strict=True)),
            libcrypto.kp(CURVE.name, 2, q),
        )
    for k in (2, 3):
        await check_point(port, "multiply", {"X1": two[0], "Y1": two[1], "K": k}, CURVE.mul(k, two))


@cocotb.test()
async def cycles_are_the_programs_and_the_same_for_all_operands(dut: Any) -> None:
    port = await begin(dut)
    for program in UNIT.programs:
        needs = [UNIT.registers[r] for r in UNIT.needs(program)]
        for trial in range(4):
            x, y = ((0, 0), CURVE.generator, (1, 1), as_pair(CURVE.double(CURVE.generator)))[trial]
            value = {"X1": x, "Y1": y, "X2": x, "Y2": y ^ x * (trial & 1)}
            for name in needs:
                await port.put(name, value.get(name, (0, (1 << GF.m) - 1, 1, 0x15)[trial]))
            await port.call(function(Func.RUN, UNIT.run_number(program)))
            start = port.now  # the answer was taken in the cycle after the request's
            while errors(await port.status()) & Bit.BUSY:
                pass
            # A status takes two cycles: the first that is not busy was asked at most one late.
            busy = UNIT.cycles(program)
            assert port.now - start - 2 in (busy - 1, busy, busy + 1), (program, port.now - start)
            await port.status(clear=0xFFFF)


@cocotb.test()
async def wrong_functions_and_order_are_sticky_errors(dut: Any) -> None:
    port = await begin(dut)
    while errors(await port.status()) & Bit.BUSY:
        pass
    last, program = len(UNIT.registers), UNIT.programs[-1]
    pairs = (WORDS + 1) // 2
    unknown = [
        word_function(Func.WRITE, last, 0), word_function(Func.EVEN, last, 0),
        word_function(Func.WRITE, 0, pairs), word_function(Func.EVEN, 0, pairs),
        function(Func.RUN, len(UNIT.programs)), function(Func.STATUS, 1),
        function(Func.WAIT, 1), function(Func.INFO, len(Info)), function(Func.CLEAR, 1),
    ]  # fmt: skip
    if WORDS & 1:
        unknown.append(word_function(Func.ODD, 0, pairs - 1))
    for func in unknown:
        assert await port.call(func, 5, 6) == 0
        assert await port.status() == Bit.UNKNOWN, f"{func:#x}"
        assert await port.status(clear=Bit.UNKNOWN) == Bit.UNKNOWN, "it stays until it is cleared"
        assert await port.status() == 0
    # A program whose operands are not there does not begin.
    refused = await port.call(function(Func.RUN, UNIT.run_number(program)))
    assert refused == Bit.ORDER
    assert await port.status(clear=Bit.ORDER) == Bit.ORDER
    # Nor one with half an operand, if an operand has halves.
    needs = [UNIT.registers[r] for r in UNIT.needs(program)]
    for name in needs:
        await port.put(name, 1)
    first = UNIT.registers.index(needs[0])
    if pairs > 1:
        await port.call(word_function(Func.WRITE, first, 0), 1, 0)
        assert await port.call(function(Func.RUN, UNIT.run_number(program))) == Bit.ORDER
        await port.status(clear=Bit.ORDER)
    # To read what has not been written is an error, and reads zero.
    for name in set(UNIT.registers) - set(needs):
        assert await port.get(name) == 0
        assert errors(await port.status(clear=Bit.ORDER)) == Bit.ORDER
    # A word with bits that the field has not: an error, and no program while it stands.
    top = 1 << (GF.m % 64)
    await port.call(
        word_function(Func.WRITE, first, pairs - 1), top & 0xFFFFFFFF, top >> 32 & 0xFFFFFFFF
    )
    assert errors(await port.status()) == Bit.RANGE
    for name in needs:
        await port.put(name, 1)
    assert await port.call(function(Func.RUN, UNIT.run_number(program))) == Bit.RANGE
    assert errors(await port.status()) == Bit.RANGE
    await port.status(clear=Bit.RANGE)
    assert errors(await port.run(program)) in (0, Bit.CURVE)


@cocotb.test()
async def busy_unit_answers_status_and_nothing_else(dut: Any) -> None:
    port = await begin(dut)
    program = UNIT.programs[-1]
    for name in (UNIT.registers[r] for r in UNIT.needs(program)):
        await port.put(name, 1)
    await port.call(function(Func.RUN, UNIT.run_number(program)))
    write = word_function(Func.WRITE, 0, 0)
    for func in (write, word_function(Func.EVEN, 0, 0), function(Func.RUN), function(Func.WAIT)):
        assert not (await port.tick(req_valid=1, func=func))["req_ready"]
    port.drive(req_valid=0)
    assert errors(await port.status()) & Bit.BUSY
    port.late = 3
    assert await port.call(function(Func.INFO, Info.BITS)) == GF.m
    assert await port.call(function(Func.INFO, Info.ID)) == 0x4543534D
    assert await port.call(function(Func.INFO, Info.RUNS)) == len(UNIT.programs)
    assert await port.call(function(Func.INFO, Info.REGISTERS)) == len(UNIT.registers)
    # This request waits for the end.
    assert not errors(await port.call(function(Func.WAIT))) & Bit.BUSY


@cocotb.test()
async def clear_zeroize_and_reset_forget_everything(dut: Any) -> None:
    port = await begin(dut)
    for how in ("clear", "zeroize", "reset"):
        for delay in range(0, UNIT.cycles(UNIT.programs[0]) + 2):
            program = UNIT.programs[0]
            for name in UNIT.registers:
                await port.put(name, GF.poly & (1 << GF.m) - 1)
            await port.call(function(Func.RUN, UNIT.run_number(program)))
            for _ in range(delay if delay < 12 else RNG.randrange(UNIT.cycles(program))):
                await port.tick(req_valid=0)
            if how == "clear":
                await port.call(function(Func.CLEAR))
            elif how == "zeroize":
                await port.tick(zeroize=1)
                port.drive(zeroize=0)
            else:
                await port.reset()
            assert await port.call(function(Func.WAIT)) == 0
            assert int(dut.inside_o.value) == 0, (how, delay)
            if delay > 14:
                break


@cocotb.test()
async def nothing_stays_in_registers_that_the_host_does_not_see(dut: Any) -> None:
    port = await begin(dut)
    for program in UNIT.programs:
        x, y = CURVE.generator
        value = {"X1": x, "Y1": y, "X2": x, "Y2": y, "K": 5, "A": x, "B": y}
        for name in (UNIT.registers[r] for r in UNIT.needs(program)):
            await port.put(name, value[name])
        await port.run(program)
        for name in UNIT.registers:
            await port.put(name, 0)
        assert int(dut.inside_o.value) == 0, program
