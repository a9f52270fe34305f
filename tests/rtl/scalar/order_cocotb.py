# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_order; run by test_ecsm_order.py. Cycles are asserted of every operation."""

from __future__ import annotations

import os
from typing import Any

import cocotb

from ecsm.curves import curve
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from tests.rtl.scalar.order import OPS, units_from_json
from tests.rtl.scalar.order_bench import Bench
from tests.rtl.symmetric.streams import registers

UNITS = units_from_json(os.environ["UNITS"])
UNIT = UNITS[0]
CURVE = curve(os.environ["CURVE"]) if "CURVE" in os.environ else None
W = UNIT.width
MODULI = range(len(UNIT.moduli))
TOY = W < 10
MOST = 2 * W + 64  # bits of a string that are asked for
# How many random cases a test of a standard's width has.
CASES = int(os.environ.get("CASES", "6"))


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, UNITS, seed)
    await bench.begin()
    return bench


def edges() -> list[int]:
    """Return numbers at the ends of every modulus and of the register."""
    found = {0, 1, 2, (1 << W) - 1, 1 << (W - 1), (1 << W) // 3}
    for u in UNITS:
        for m in u.moduli:
            near = (m.value, m.value // 2, 2 * m.value, 1 << m.length)
            found |= {v + d for v in near for d in (-1, 0, 1) if 0 <= v + d < 1 << W}
    return sorted(found)


@cocotb.test(skip=not TOY or os.environ.get("PAIRS") == "0")
async def every_pair(dut: Any) -> None:
    """Sums, differences, products and XORs of all numbers of W bits, residues or not."""
    bench = await started(dut)
    for a in range(1 << W):
        await bench.write(0, a)
        for b in range(1 << W):
            await bench.write(1, b)
            for modulus in MODULI:
                for i, op in enumerate(("add", "sub", "mul", "xor")):
                    await bench.run(op, 2 + i, 0, 1, modulus)
                await bench.see(2, 3, 4, 5)


@cocotb.test(skip=not TOY)
async def every_number(dut: Any) -> None:
    """Inverses, residues and checks of all numbers of W bits."""
    bench = await started(dut, 2)
    for a in range(1 << W):
        await bench.write(5, a)
        for modulus in MODULI:
            for op in ("inv", "mod", "check"):
                await bench.run(op, 6, 5, 0, modulus)
                await bench.see(5, 6)


@cocotb.test(skip=not TOY)
async def every_short_string(dut: Any) -> None:
    """All first bits of words, as many as are asked for, up to six; some of more."""
    bench = await started(dut, 3)
    rng = bench.rng
    for bits in range(MOST + 1):
        count = max(1, -(-bits // UNIT.word))
        tail = [rng.getrandbits(UNIT.word) for _ in range(count)]
        for _ in range(1 << bits if bits < 7 else 2):
            value = rng.getrandbits(bits) if bits > 6 else _
            junk = rng.getrandbits(count * UNIT.word - bits)
            whole = value << (count * UNIT.word - bits) | junk
            tail = [whole >> UNIT.word * i & ((1 << UNIT.word) - 1) for i in range(count)][::-1]
            for modulus in MODULI:
                await bench.run("reduce", 3, 0, 0, modulus, tail, bits)
                await bench.see(3)


@cocotb.test()
async def edges_and_random_numbers(dut: Any) -> None:
    """Every operation on pairs around 0, the moduli and 2^W, and on random ones."""
    bench = await started(dut, 4)
    rng = bench.rng
    pairs = [(a, rng.choice(edges())) for a in edges()]
    pairs += [(rng.getrandbits(W), rng.getrandbits(W)) for _ in range(CASES)]
    for a, b in pairs:
        await bench.write(0, a)
        await bench.write(1, b)
        for modulus in MODULI:
            for i, op in enumerate(("add", "sub", "mul", "mod", "check", "xor")):
                await bench.run(op, 2 + i, 0, 1, modulus)
            await bench.see()
    for a, _ in pairs if TOY else pairs[::3]:
        await bench.write(0, a)
        for modulus in MODULI:
            await bench.run("inv", 7, 0, 1, modulus)
            await bench.see()


@cocotb.test()
async def an_inverse_is_one(dut: Any) -> None:
    """The product of a and 1/a is 1 by the unit's own product, too."""
    bench = await started(dut, 5)
    for modulus in MODULI:
        a = bench.rng.getrandbits(W) | 1
        await bench.write(0, a)
        await bench.run("inv", 1, 0, 0, modulus)
        await bench.run("mul", 2, 0, 1, modulus)
        assert await bench.read(2) == [int(u.moduli[modulus].reduce(a) != 0) for u in UNITS]


@cocotb.test()
async def strings_of_any_length(dut: Any) -> None:
    """Of no bits to the most, longer and shorter than what is asked for."""
    bench = await started(dut, 6)
    rng, word = bench.rng, UNIT.word
    lengths = {0, 1, W - 1, W, W + 1, word, word * (W // word), 2 * W, MOST - 1, MOST}
    lengths |= {rng.randrange(MOST + 1) for _ in range(CASES)}
    for bits in sorted(lengths):
        count = max(1, -(-bits // word))
        for given in {count, count + 1, count + 3, max(1, count - 1)}:
            string = [rng.choice((0, (1 << word) - 1, rng.getrandbits(word))) for _ in range(given)]
            await bench.run("reduce", 4, 0, 0, rng.choice(MODULI), string, bits)
            await bench.see(4)


@cocotb.test()
async def strings_may_wait(dut: Any) -> None:
    bench = await started(dut, 7)
    rng = bench.rng
    for _ in range(20):
        bench.stall = rng.choice((0.2, 0.8))
        bits = rng.randrange(MOST + 1)
        count = rng.randrange(1, 3 + -(-bits // UNIT.word))
        string = [rng.getrandbits(UNIT.word) for _ in range(count)]
        await bench.run("reduce", 4, 0, 0, rng.choice(MODULI), string, bits)
        await bench.see(4)


@cocotb.test()
async def requests_follow_one_another(dut: Any) -> None:
    """With any registers, the same ones twice included, and no cycle between them."""
    bench = await started(dut, 8)
    rng, count = bench.rng, UNIT.registers
    for reg in range(count):
        await bench.write(reg, rng.getrandbits(W))
    ops = [op for op in OPS if op != "inv"] * 4 + ["inv"]
    for _ in range(200 if TOY else 40):
        op = rng.choice(ops)
        dst, a, b = (rng.randrange(count) for _ in range(3))
        bits = rng.randrange(MOST + 1)
        string = [rng.getrandbits(UNIT.word) for _ in range(rng.randrange(1, 9))]
        await bench.run(op, dst, a, b, rng.choice(MODULI), string if op == "reduce" else (), bits)
    await bench.see()


@cocotb.test()
async def the_port_keeps_its_bounds(dut: Any) -> None:
    """No bits above W, no words above the highest, nothing while an operation is under way."""
    bench = await started(dut, 9)
    unit, ones = UNIT, (1 << UNIT.word) - 1
    for index in range(1 << bench.ports.index):
        bench.clocked.drive(port=bench._port(1, 3, index, ones))
        await bench.clocked.cycle()
    for values in bench.values:
        values[3] = (1 << W) - 1
    await bench.see()
    for index in range(unit.words, 1 << bench.ports.index):
        look = await bench.clocked.cycle(port=bench._port(0, 3, index, 0))
        assert look["data"] == 0
    bench.clocked.drive(port=bench._port(1, 5, 0, ones))
    bench.ask("mul", 4, 3, 3, 0)
    bench.expect("mul", 4, 3, 3, 0, (), 0)
    await bench.clocked.cycle()  # both: the write is for register 5
    bench.clocked.drive(request=0)
    for values in bench.values:
        values[5] = ones & ((1 << W) - 1)
    bench.clocked.drive(port=bench._port(1, 6, 0, ones))
    for t in range(1, unit.mul_cycles):
        if t == 5:
            bench.clocked.drive(port=bench._port(0, 3, 0, 0))
        look = await bench.clocked.cycle()
        assert not bench.seen(look, "port_ready_o")
        assert look["data"] == 0
    bench.clocked.drive(port=0)
    await bench.see()


@cocotb.test()
async def a_request_sees_what_is_written_with_it(dut: Any) -> None:
    bench = await started(dut, 10)
    await bench.write(0, 0)
    bench.clocked.drive(port=bench._port(1, 0, 0, 1))
    for values in bench.values:
        values[0] = 1
    await bench.run("mod", 1, 0, 0, 0)


@cocotb.test()
async def only_the_memory_stays_after_an_operation(dut: Any) -> None:
    bench = await started(dut, 11)
    for reg in range(2):
        await bench.write(reg, bench.rng.getrandbits(W) | 1 << (W - 1))
    for op in OPS:
        string = [bench.rng.getrandbits(UNIT.word) | 1 for _ in range(4)]
        await bench.run(op, 2, 0, 1, MODULI[-1], string if op == "reduce" else (), W + 3)
        await bench.clocked.cycle()
        left = [name for name, value in registers(dut) if value]
        assert any(".mem_q" in name for name in left)
        # What an operation is, not what it is of, stays in the control.
        assert all(".mem_q" in name or ".u_control." in name for name in left), (op, left)


@cocotb.test()
async def zeroize_and_reset_in_any_cycle_leave_nothing(dut: Any) -> None:
    """In cycles of every operation, of the clearing itself, and when nothing is under way."""
    bench = await started(dut, 12)
    rng = bench.rng
    fresh = sorted(registers(dut))
    for n in range(60 if TOY else 30):
        op = OPS[n % len(OPS)]
        for reg in range(2):
            await bench.write(reg, rng.getrandbits(W) | 1)
        modulus = rng.choice(MODULI)
        span = bench.cycles(op, modulus, MOST, 8)
        bench.ask(op, 2, 0, 1, modulus, MOST)
        bench._words = [rng.getrandbits(UNIT.word) for _ in range(9)] if op == "reduce" else []
        for _ in range(rng.randrange(span + 3)):
            await bench.step()
            bench.clocked.drive(request=0)
        bench._words = []
        bench.clocked.drive(request=0, string=0)
        if n % 3 == 0:
            await bench.clocked.reset()
        else:
            bench.ask(op, 3, 0, 1, modulus, 5)  # is not taken
            assert not bench.seen(await bench.clocked.cycle(zeroize=1), "req_ready_o")
            bench.clocked.drive(zeroize=0, request=0)
            if n % 3 == 1:
                for _ in range(rng.randrange(UNIT.clear_cycles)):
                    await bench.clocked.cycle()
                await bench.clocked.cycle(zeroize=1)
        await bench.cleared()
        assert sorted(registers(dut)) == fresh
        await bench.see()
        a = rng.getrandbits(W)
        await bench.write(7, a)
        await bench.run("mul", 6, 7, 7, modulus)
        await bench.see()


@cocotb.test(skip=CURVE is None)
async def two_points_are_added(dut: Any) -> None:
    """P + 2P of the curve, affine, by the field's modulus: over a binary field and a prime one."""
    assert CURVE is not None
    bench = await started(dut, 13)
    p = CURVE.generator
    q = CURVE.double(p)
    assert q is not None
    for reg, value in enumerate((*p, *q)):
        await bench.write(reg, value)

    async def run(op: str, dst: int, a: int, b: int) -> None:
        await bench.run(op, dst, a, b, 1)

    await run("sub", 4, 2, 0)
    await run("sub", 5, 3, 1)
    await run("inv", 6, 4, 0)
    await run("mul", 5, 5, 6)  # the slope
    await run("mul", 6, 5, 5)
    if isinstance(CURVE, BinaryCurve):
        await bench.write(7, CURVE.a)
        await run("add", 6, 6, 5)
        await run("add", 6, 6, 7)
    await run("sub", 6, 6, 0)
    await run("sub", 6, 6, 2)
    await run("sub", 7, 0, 6)
    await run("mul", 7, 5, 7)
    if isinstance(CURVE, BinaryCurve):
        await run("add", 7, 7, 6)
    await run("sub", 7, 7, 1)
    assert (*await bench.read(6), *await bench.read(7)) == CURVE.add(p, q)
