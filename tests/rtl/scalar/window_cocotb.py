# SPDX-License-Identifier: Apache-2.0
"""Behaviour of a scalar unit; run by test_scalar_window.py, _glv.py, _double.py and _base.py."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.scalar.window import INDEX, Base, Double, Halves, units_from_json

UNITS = units_from_json(os.environ["UNITS"])
EVERYTHING = (1 << len(UNITS)) - 1
WIDEST = max(u.bits for u in UNITS)
LATENCY = [u.latency for u in UNITS]
DIGITS = [u.count for u in UNITS]
CYCLES = max(t + d for t, d in zip(LATENCY, DIGITS, strict=True))
PATIENT = [isinstance(u, Double | Base) for u in UNITS]  # next_i does not come while preparing
SHORT = 12  # bits of a port of which every scalar is tried
INPUTS = ("clear", "load", "next", "scalar")
OUTPUTS = ("index", "negative", "zero", "negate", "busy")
Seen = dict[str, int]


def scalars() -> list[int]:
    """Return every scalar of short ports; of long ones those around the edges, and random ones."""
    if WIDEST <= SHORT:
        return list(range(1 << WIDEST))
    rng = random.Random(1)
    edges = {0, 1, 2, 3}
    for w in UNITS:
        top = 1 << w.bits
        if isinstance(w, Double):
            edges |= set(double_edges(w))
            continue
        if isinstance(w, Halves):
            edges |= set(halves_edges(w))
        ends = (top - w.n, 2 * w.n - top, 3 * w.n - top, 3 * w.n - 2 * top)
        for near in (w.n, w.n // 2, top, top // 2, *ends):
            edges |= {v for v in range(near - 2, near + 3) if 0 <= v < top}
        every = w.columns if isinstance(w, Base) else w.w
        edges |= {top // 3, 2 * top // 3, sum(1 << i for i in range(0, w.bits, every))}
    return [*sorted(edges), *(rng.getrandbits(WIDEST) for _ in range(30))]


def halves_edges(u: Halves) -> list[int]:
    """Return multiples of lam, scalars of extreme halves, and those where a quotient rounds."""
    n, rng = u.n, random.Random(3)
    (a1, b1), (a2, b2) = u.model.basis
    found = [j * u.lam + i for j in (-31, -3, -1, 1, 2, 3, 31) for i in (-2, -1, 0, 1, 2)]
    for b in (b2, -b1):  # just below and above a multiple, of either parity
        for _ in range(8):
            c = rng.randrange(1, b)
            found += [c * n // b, c * n // b + 1, (2 * c + 1) * n // (2 * b)]
    for e1 in (-1, 1):  # corners of what the halves may be
        for e2 in (-1, 1):
            found.append(e1 * (a1 + b1 * u.lam) + e2 * (a2 + b2 * u.lam) + e1 + e2)
            found.append(e1 * (a1 - 1) + e2 * (b2 - 1) * u.lam)
    return [k % n for k in found] + [k % n + n for k in found if (k % n + n) >> u.bits == 0]


def double_edges(u: Double) -> list[int]:
    """Return a and b at the ends of their range, and at those of the carries of a + n."""
    n, bits = u.n, u.bits // 2
    top = (1 << bits) - 1
    some = [0, 1, 2, n - 1, n, n + 1, top - 1, top, top - n, top - n + 1, top - n + 2, top // 3]
    return [a << bits | b for a in some for b in some[::3]]


def digit(seen: Seen, i: int) -> int:
    """Return the digit of instance i."""
    magnitude = 2 * (seen["index"] >> INDEX * i & ((1 << INDEX) - 1)) + 1
    return -magnitude if seen["negative"] >> i & 1 else magnitude


def check(i: int, k: int, seen: Sequence[Seen]) -> None:
    """Compare the digits of instance i, from the top, with the model; and they sum to +-k."""
    unit = UNITS[i]
    k &= (1 << unit.bits) - 1
    want = unit.recode(k)
    got = tuple(digit(s, i) for s in reversed(seen))
    assert got == want.digits, f"{unit}, k = {k:#x}"
    for s in seen:
        assert s["zero"] >> i & 1 == want.zero, f"{unit}, k = {k:#x}"
        assert s["negate"] >> i & 1 == want.negate, f"{unit}, k = {k:#x}"
    if isinstance(unit, Double):
        k &= (1 << unit.bits // 2) - 1
    elif not isinstance(unit, Base):
        assert want.zero == (k % unit.n == 0), f"{unit}, k = {k:#x}"
    total = unit.value(got)
    assert (total + k if want.negate else total - k) % unit.n == 0, f"{unit}, k = {k:#x}"


async def ready(dut: Any) -> Clocked:
    bench = Clocked(dut, INPUTS, OUTPUTS)
    await bench.cycle(clear=EVERYTHING, load=0, next=0, scalar=0)
    bench.drive(clear=0)
    return bench


async def recoded(bench: Clocked, k: int) -> list[Seen]:
    """Load k everywhere and take a digit a cycle, each instance at its own time; the cycles."""
    seen = [await bench.cycle(load=EVERYTHING, next=EVERYTHING, scalar=k)]
    for t in range(1, CYCLES):
        # While preparing, next_i does nothing; the port may change once the scalar is loaded.
        early = sum(
            1 << i
            for i, first in enumerate(LATENCY)
            if t < first and (t + i) % 3 == 0 and not PATIENT[i]
        )
        due = sum(1 << i for i, first in enumerate(LATENCY) if t >= first)
        seen.append(await bench.cycle(load=0, next=early | due, scalar=~k & ((1 << WIDEST) - 1)))
    return seen


@cocotb.test()
async def every_scalar_is_recoded(dut: Any) -> None:
    """The top digit stands at the latency, whatever the scalar, then one a cycle."""
    bench = await ready(dut)
    for k in scalars():
        seen = await recoded(bench, k)
        for i, (first, count) in enumerate(zip(LATENCY, DIGITS, strict=True)):
            if WIDEST > SHORT or k < 1 << UNITS[i].bits:  # a short port has seen the others
                check(i, k, seen[first : first + count])


@cocotb.test()
async def waits_between_digits(dut: Any) -> None:
    """A digit stays until next_i, however late it comes; the flags stay to the end."""
    bench = await ready(dut)
    rng = random.Random(2)
    for k in rng.sample(scalars(), 12):
        await bench.cycle(load=EVERYTHING, next=0, scalar=k)
        for _ in range(max(LATENCY) - 1 + rng.randrange(4)):
            await bench.cycle(load=0)
        taken: list[Seen] = []
        for _ in range(max(DIGITS)):
            now = await bench.cycle(next=0)
            for _ in range(rng.randrange(3)):
                assert await bench.cycle(next=0) == now
            assert await bench.cycle(next=EVERYTHING) == now
            taken.append(now)
        after = await bench.cycle(next=0)
        assert (after["zero"], after["negate"]) == (taken[0]["zero"], taken[0]["negate"])
        for i, count in enumerate(DIGITS):
            check(i, k, taken[:count])


@cocotb.test()
async def clear_at_any_time_leaves_nothing(dut: Any) -> None:
    """After clear_i, alone or with load_i and next_i, every register and output is zero."""
    bench = await ready(dut)
    rng = random.Random(3)
    # Of aG + bP the first entry of the comb is shown.
    shown = sum(u.first << INDEX * i for i, u in enumerate(UNITS) if isinstance(u, Double))
    times = range(CYCLES + 1) if CYCLES < 40 else rng.sample(range(CYCLES + 1), 40)
    for t in times:
        k = rng.getrandbits(WIDEST) | 1
        await bench.cycle(clear=0, load=EVERYTHING, next=0, scalar=k)
        for _ in range(t):
            await bench.cycle(load=0, next=rng.getrandbits(len(UNITS)))
        load, step = (rng.choice([0, EVERYTHING]) for _ in range(2))
        await bench.cycle(clear=EVERYTHING, load=load, next=step, scalar=k)
        for _ in range(2):
            seen = await bench.cycle(clear=0, load=0, next=0)
            assert seen == dict.fromkeys(OUTPUTS, 0) | {"index": shown}, f"t = {t}"


@cocotb.test()
async def load_at_any_time_starts_over(dut: Any) -> None:
    """A second load, while preparing or handing out, gives the second scalar's digits in time."""
    bench = await ready(dut)
    rng = random.Random(4)
    times = range(CYCLES + 1) if CYCLES < 40 else rng.sample(range(CYCLES + 1), 20)
    for t in times:
        await bench.cycle(load=EVERYTHING, next=0, scalar=rng.getrandbits(WIDEST))
        for _ in range(t):
            await bench.cycle(load=0, next=rng.getrandbits(len(UNITS)))
        k = rng.getrandbits(WIDEST)
        seen = await recoded(bench, k)
        for i, (first, count) in enumerate(zip(LATENCY, DIGITS, strict=True)):
            check(i, k, seen[first : first + count])
