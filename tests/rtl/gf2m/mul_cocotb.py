# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gf2m_mul, all instances of a group at once; run by test_gf2m_mul.py.

Start and check times come from gf2m_pkg's own functions, read from the top's ports, so that these
functions are tested by what the multipliers do.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.curves.gf2m.field import BinaryField
from tests.rtl.gf2m.field_tops import Mul, MulGroup

GROUP = MulGroup.from_json(os.environ["MUL_GROUP"])
M, N = GROUP.m, len(GROUP.muls)
MASK = (1 << M) - 1
FIELD = BinaryField(M, GROUP.exponents)

Pair = tuple[int, int]
ZERO: Pair = (0, 0)


def pack(values: list[int], width: int) -> int:
    """Return the flat port value of one element for each instance."""
    flat = 0
    for value in reversed(values):
        flat = flat << width | value
    return flat


def unpack(flat: int, width: int) -> list[int]:
    """Return one element for each instance from a flat port value."""
    return [flat >> (i * width) & ((1 << width) - 1) for i in range(N)]


class Bench:
    """Clock and ports of the top; a cycle is driven, settles, is looked at, then ends."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.latency: list[int] = []
        self.interval: list[int] = []
        # An instance's operands stay as they are unless a cycle gives new ones.
        self.serial = [mul.kind == "serial" for mul in GROUP.muls]

    async def begin(self) -> None:
        """Clear, as after a reset, and read the timing which gf2m_pkg promises."""
        for _ in range(2):
            await self.cycle([ZERO] * N, [False] * N, clear=True)
        self.latency = unpack(int(self.dut.latency_o.value), 16)
        self.interval = unpack(int(self.dut.interval_o.value), 16)

    def drive(self, pairs: list[Pair], start: list[bool]) -> None:
        """Put operands and starts on the ports."""
        self.dut.a_i.value = pack([a for a, _ in pairs], M)
        self.dut.b_i.value = pack([b for _, b in pairs], M)
        self.dut.start_i.value = pack([int(s) for s in start], 1)

    async def cycle(self, pairs: list[Pair], start: list[bool], clear: bool = False) -> list[int]:
        """Run one cycle and return p_o as it stands at its end."""
        self.drive(pairs, start)
        self.dut.clear_i.value = int(clear)
        self.dut.clk_i.value = 0
        await Timer(1, "ns")
        result = unpack(int(self.dut.p_o.value), M)
        self.dut.clk_i.value = 1
        await Timer(1, "ns")
        return result

    async def one_product(self, pairs: list[Pair]) -> None:
        """Start one product in every instance and check each in its own cycle."""
        for t in range(max(self.latency)):
            first = t == 0
            got = await self.cycle(pairs if first else [ZERO] * N, [first] * N)
            for i, (a, b) in enumerate(pairs):
                if t == self.latency[i] - 1:
                    check(i, a, b, got[i])


def check(i: int, a: int, b: int, got: int) -> None:
    """Assert one product of instance i."""
    want = FIELD.mul(a, b)
    assert got == want, f"{GROUP.muls[i]}: {a:#x} * {b:#x} gave {got:#x}, not {want:#x}"


def operands(rng: random.Random) -> Iterator[Pair]:
    """Yield every pair of a small field, or the corners' pairs and then random ones."""
    if GROUP.count == 0:
        pairs = [(a, b) for a in range(1 << M) for b in range(1 << M)]
        rng.shuffle(pairs)
        yield from pairs
        return
    corners = [0, 1, 2, MASK, 1 << (M - 1), MASK >> 1]
    yield from ((a, b) for a in corners for b in corners)
    for _ in range(GROUP.count):
        a, b = rng.getrandbits(M), rng.getrandbits(M)
        yield from ((a, b), (a, rng.choice(corners)))


@cocotb.test()
async def every_product_right_at_full_rate(dut: Any) -> None:
    """Each instance starts a product every interval, without a gap, on its own operands."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(1)
    feeds = [operands(rng) for _ in range(N)]
    pending: list[dict[int, Pair]] = [{} for _ in range(N)]
    done = [False] * N
    t = 0
    while not all(done) or any(pending):
        pairs, start = [], []
        noise = rng.getrandbits(2 * M)
        for i in range(N):
            pair = None
            if not done[i] and t % bench.interval[i] == 0:
                pair = next(feeds[i], None)
                done[i] = pair is None
            if pair is not None:
                pending[i][t + bench.latency[i] - 1] = pair
            # Operands count in their own cycle only: anything may stand there in the others.
            pairs.append(pair or (noise & MASK, noise >> M))
            start.append(pair is not None)
        got = await bench.cycle(pairs, start)
        for i in range(N):
            if t in pending[i]:
                check(i, *pending[i].pop(t), got[i])
        t += 1


@cocotb.test()
async def products_right_at_any_distance(dut: Any) -> None:
    """Random gaps between products leave no trace in the next one."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(2)
    pending: list[dict[int, Pair]] = [{} for _ in range(N)]
    free = [0] * N
    for t in range(300 + 2 * max(bench.latency)):
        pairs, start = [], []
        for i in range(N):
            begin = t >= free[i] and rng.random() < 0.5
            pair = (rng.getrandbits(M), rng.getrandbits(M))
            if begin:
                free[i] = t + bench.interval[i]
                pending[i][t + bench.latency[i] - 1] = pair
            pairs.append(pair)
            start.append(begin)
        got = await bench.cycle(pairs, start)
        for i in range(N):
            if t in pending[i]:
                check(i, *pending[i].pop(t), got[i])


@cocotb.test()
async def pipeline_flushes_itself(dut: Any) -> None:
    """L - 1 cycles after the last product, zero operands have made p_o zero and keep it so."""
    bench = Bench(dut)
    await bench.begin()
    await bench.cycle([(MASK, MASK)] * N, [True] * N)
    for t in range(1, 2 * max(bench.latency) + 2):
        got = await bench.cycle([ZERO] * N, [False] * N)
        for i in range(N):
            if t >= bench.latency[i]:
                assert got[i] == 0, f"{GROUP.muls[i]}: {got[i]:#x} left in cycle {t}"


@cocotb.test()
async def clear_in_flight_leaves_nothing(dut: Any) -> None:
    """After clear_i at any distance behind a start the next product is right, and p_o is zero.

    At once in a serial multiplier, when the operands have passed in a parallel one.
    """
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(3)
    for distance in distances(bench):
        pairs = [(rng.getrandbits(M) | 1, rng.getrandbits(M) | 1) for _ in range(N)]
        for t in range(distance + 1):
            clear = t == distance
            await bench.cycle(pairs if t == 0 else [ZERO] * N, [t == 0] * N, clear)
        for t in range(distance + 1, distance + 1 + (max(bench.latency) if distance % 2 else 1)):
            got = await bench.cycle([ZERO] * N, [False] * N)
            for i in range(N):
                if bench.serial[i] or t >= bench.latency[i]:
                    assert got[i] == 0, f"cleared {distance} after the start: {got}"
        await bench.one_product(pairs)


@cocotb.test()
async def start_in_flight_abandons_the_product(dut: Any) -> None:
    """A serial multiplier that is started again forgets what it was doing."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(5)
    for distance in distances(bench):
        old = [(rng.getrandbits(M), rng.getrandbits(M)) for _ in range(N)]
        new = [(rng.getrandbits(M), rng.getrandbits(M)) for _ in range(N)]
        for t in range(distance + 1):
            await bench.cycle(old, [t == 0] * N)
        await bench.one_product(new)


@cocotb.test()
async def timing_is_what_the_parameters_say(dut: Any) -> None:
    """gf2m_pkg's functions against the formulas of the documentation."""
    bench = Bench(dut)
    await bench.begin()

    def digits(mul: Mul) -> int:
        return -(-M // mul.digit)

    assert bench.latency == [
        (digits(mul) + 1 if mul.kind == "serial" else mul.stages) + mul.operand_reg
        for mul in GROUP.muls
    ]
    assert bench.interval == [digits(mul) if mul.kind == "serial" else 1 for mul in GROUP.muls]


def distances(bench: Bench) -> list[int]:
    """Return distances from a start to an event: all the short ones, a few of the long."""
    longest = max(bench.latency)
    return list(islice(range(longest + 1), 8)) + [d for d in (12, 20, longest) if 8 <= d <= longest]
