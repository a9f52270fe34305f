# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gfp_divsteps, all lanes of a group at once; run by test_gfp_divsteps.py.

In every cycle every output of every lane is compared with what ecsm.curves.gfp.divsteps says, so a
matrix that comes or goes a cycle early or late is an error like a wrong one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import product
from typing import Any, NoReturn

import cocotb
from cocotb.triggers import Timer

from ecsm.curves.gfp import divsteps
from tests.rtl.gfp.divsteps_top import Lane, from_json, offsets

LANES = from_json(os.environ["DIVSTEPS_LANES"])
COUNT = int(os.environ["DIVSTEPS_COUNT"])  # random values for each lane, 0: every value
G_AT = offsets([lane.g_width for lane in LANES])
OUT_AT = offsets([lane.out_width for lane in LANES])
LONGEST = max(lane.unit.latency for lane in LANES)
# Cycle of a run -> lanes that then have a new matrix.
READY: dict[int, list[int]] = {}
for _i, _lane in enumerate(LANES):
    for _b in range(_lane.batches):
        READY.setdefault(_lane.unit.ready(_b), []).append(_i)

Limbs = list[int]


class Bench:
    """Clock, ports and the outputs that the model expects."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        # What stands on out_o, a lane each, and what changes it: cycle of the run -> lane -> value.
        self.now = [0] * len(LANES)
        self.events: dict[int, dict[int, int]] = {}
        # A start was in the cycle before; out_o has changed and is looked at; what it was then.
        self.t = 0  # of the run
        self.dirty, self.look, self.out = True, False, 0

    async def begin(self) -> None:
        """Reset and clear."""
        self.dut.rst_ni.value = 0
        await self.clock()
        self.dut.rst_ni.value = 1
        await self.clock(clear=True)
        self.events = {0: {}}
        self.change()
        await self.cycle()

    async def clock(self, start: bool = False, clear: bool = False) -> bool:
        """Run one cycle and return whether out_o is as expected at its end."""
        if start or self.dirty:  # what is on g_i counts in the cycle of a start only
            self.dirty = start
            self.dut.start_i.value = int(start)
            if not start:
                self.dut.g_i.value = random.getrandbits(G_AT[-1])
        self.dut.clear_i.value = int(clear)
        self.dut.clk_i.value = 0
        await Timer(1, "ns")
        same = bool(self.dut.same_o.value)
        if self.look or not same:
            self.out = int(self.dut.out_o.value)
        self.dut.clk_i.value = 1
        await Timer(1, "ns")
        return same

    async def cycle(self, gs: list[Limbs] | None = None, clear: bool = False) -> None:
        """Run one cycle, with a start if there are values; check every output."""
        if gs is not None:
            each = zip(LANES, gs, G_AT[:-1], strict=True)
            self.dut.g_i.value = sum(
                limb << (at + lane.in_w * k)
                for lane, limbs, at in each
                for k, limb in enumerate(limbs)
            )
        if not await self.clock(start=gs is not None, clear=clear):
            complain(self.out, self.now, self.t)
        self.t += 1
        self.look = False
        self.change()
        if gs is not None:
            self.expect(gs)
            self.change()
        if clear:
            self.now, self.events = [0] * len(LANES), {0: {}}
            self.t = 0
            self.change()

    def change(self) -> None:
        """Make the changes of outputs that this cycle brings."""
        due = self.events.get(self.t)
        if due is not None:
            for i, value in due.items():
                self.now[i] = value
            each = zip(self.now, OUT_AT[:-1], strict=True)
            self.dut.want_i.value = sum(x << at for x, at in each)
            self.look = True

    def expect(self, gs: list[Limbs]) -> None:
        """Take a start of the cycle before: enter the changes of outputs that it brings."""
        self.t, self.events = 1, {}
        for i, (lane, limbs) in enumerate(zip(LANES, gs, strict=True)):
            busy = 1 << (lane.out_width - 1)
            unit = lane.unit
            value = self.now[i] | busy
            self.events.setdefault(1, {})[i] = value
            for b, (m, s) in enumerate(unit.run(lane.p, lane.value(limbs))):
                flags = busy | (value & busy >> 1)
                if b == lane.batches - 1:
                    flags = divsteps.negative(s.f) * (busy >> 1)
                value = lane.pack_matrix(m) | flags
                self.events.setdefault(unit.ready(b), {})[i] = value

    async def run(self, gs: list[Limbs], cycles: int = LONGEST + 1) -> None:
        """Start a run and check its cycles; if it ends, check the inverses of its matrices."""
        seen: list[list[divsteps.Matrix]] = [[] for _ in LANES]
        for t in range(cycles):
            await self.cycle(gs if t == 0 else None)
            for i in READY.get(t, ()):
                lane = LANES[i]
                out = self.out >> OUT_AT[i] & ((1 << lane.out_width) - 1)
                seen[i].append(lane.unpack_matrix(out))
                if len(seen[i]) == lane.batches:
                    negative = bool(out >> (lane.out_width - 2) & 1)
                    check_inverse(lane, lane.value(gs[i]), seen[i], negative)


def check_inverse(lane: Lane, g: int, matrices: list[divsteps.Matrix], negative: bool) -> None:
    """Assert that the matrices make 1/g."""
    d = lane.unit.inverse(lane.p, matrices, negative)
    if g % lane.p:
        assert d * g % lane.p == 1, f"{lane}: {d:#x} is not the inverse of {g:#x}"
    if g == 0:
        assert d == 0


def complain(got: int, want: list[int], t: int) -> NoReturn:
    """Say which lane went wrong."""
    for i, lane in enumerate(LANES):
        out = got >> OUT_AT[i] & ((1 << lane.out_width) - 1)
        flags = [x >> (lane.out_width - 2) for x in (out, want[i])]
        assert out == want[i], (
            f"{lane}, cycle {t}: {lane.unpack_matrix(out)}, busy and negative {flags[0]:02b}, "
            f"not {lane.unpack_matrix(want[i])}, {flags[1]:02b}"
        )
    raise AssertionError("same_o is wrong")


def corners(lane: Lane) -> list[Limbs]:
    """Return the values of a lane that are special, and limbs that are."""
    n, full = lane.num_limb, (1 << lane.in_w) - 1
    values = [0, 1, 2, lane.p - 1, lane.p, lane.p + 1, 2 * lane.p]
    values += [1 << k for k in (lane.limb_w, lane.p.bit_length() - 1, lane.p.bit_length())]
    digit = (1 << lane.limb_w) - 1
    patterns = [[full] * n, [digit] * n, [0] * (n - 1) + [full], [full] + [0] * (n - 1)]
    alternating = [full if k % 2 else 0 for k in range(n)]
    return [lane.limbs(x) for x in values] + [*patterns, alternating]


def allowed(lane: Lane, limbs: Limbs) -> Limbs:
    """Return the limbs with a top limb that keeps g within what the lane has steps for."""
    while divsteps.steps_needed(lane.p, lane.value(limbs)) > lane.unit.steps:
        limbs = [*limbs[:-1], limbs[-1] >> 1]
    return limbs


def random_limbs(lane: Lane, rng: random.Random) -> Limbs:
    """Return limbs of any value, or of a canonical one."""
    if rng.random() < 0.3:
        return lane.limbs(rng.randrange(lane.p))
    return allowed(lane, [rng.getrandbits(lane.in_w) for _ in range(lane.num_limb)])


def feed(i: int, rng: random.Random) -> Iterator[Limbs]:
    """Yield a lane's values: its share of every value, shared by the lanes that are alike."""
    lane = LANES[i]
    if COUNT:
        yield from (allowed(lane, limbs) for limbs in corners(lane))
        yield from (random_limbs(lane, rng) for _ in range(COUNT))
        return
    alike = [k for k, other in enumerate(LANES) if other == lane]
    every = product(range(1 << lane.in_w), repeat=lane.num_limb)
    for n, limbs in enumerate(every):
        if n % len(alike) == alike.index(i):
            yield list(limbs)


@cocotb.test()
async def every_output_right_in_every_cycle(dut: Any) -> None:
    """Each value, one run behind the other."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(1)
    feeds = [feed(i, rng) for i in range(len(LANES))]
    zero = [[0] * lane.num_limb for lane in LANES]
    while True:
        values = [next(values, None) for values in feeds]
        if all(limbs is None for limbs in values):
            break
        await bench.run([limbs or zero[i] for i, limbs in enumerate(values)])


@cocotb.test()
async def clear_in_a_run_leaves_nothing(dut: Any) -> None:
    """After clear_i at any distance from a start all is zero, also if a start comes with it."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(2)
    for distance in distances():
        gs = [random_limbs(lane, rng) for lane in LANES]
        await bench.run(gs, distance)
        await bench.cycle(gs if distance % 2 else None, clear=True)
        for _ in range(5):
            await bench.cycle()
    await bench.run([random_limbs(lane, rng) for lane in LANES])


@cocotb.test()
async def start_in_a_run_abandons_it(dut: Any) -> None:
    """A run behind another that has not ended has the matrices of its own value."""
    bench = Bench(dut)
    await bench.begin()
    rng = random.Random(3)
    for distance in distances():
        await bench.run([random_limbs(lane, rng) for lane in LANES], distance)
    await bench.run([random_limbs(lane, rng) for lane in LANES])


def distances() -> list[int]:
    """Return distances from a start to an event: all the short ones, those at a batch's end."""
    near = [unit.ready(b) + k for unit in (lane.unit for lane in LANES[:4]) for b in (0, 1)
            for k in (-2, -1, 0, 1)]  # fmt: skip
    return sorted({*range(1, 6), *near, *(LONGEST + k for k in (-3, -2, -1, 0, 1))})
