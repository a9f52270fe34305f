# SPDX-License-Identifier: Apache-2.0
"""Behaviour of a masked core at its port, as a preset; run by test_masked.py."""

from __future__ import annotations

import os
import random
from typing import Any, cast

import cocotb
from cocotb.triggers import Timer

from ecsm.curves import Point
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.presets.table import preset
from ecsm.status import Status

P = preset(os.environ["PRESET"])
CURVE = cast(PrimeCurve, P.curve)
WORDS = -(-P.random_bits // 32)
LONG = 20 * P.clearing + 40 * 32 * P.scalar_bits  # cycles of several jobs
INPUTS = (
    "zeroize", "req_valid", "req_op", "req_scalar", "req_x", "req_y", "req_infinity", "req_tag",
    "rsp_ready", "random_valid", "random",
)  # fmt: skip
Answer = tuple[Status, Point, int]


class Bench:
    """The core's clock. ``random_share``: how often there is a random word."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut, self.rng, self.random_share = dut, random.Random(seed), 1.0
        self.taken = 0  # random words

    async def begin(self) -> Bench:
        for name in INPUTS:
            getattr(self.dut, f"{name}_i").value = 0
        await self.reset()
        return self

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        await self.cycle()
        self.dut.rst_ni.value = 1

    async def cycle(self, **inputs: int) -> dict[str, int]:
        """Let a cycle pass; return the outputs that it had."""
        d = self.dut
        valid = self.rng.random() < self.random_share
        given = {"random_valid": int(valid), "random": self.rng.getrandbits(32), **inputs}
        for name in INPUTS:
            getattr(d, f"{name}_i").value = given.get(name, 0)
        d.clk_i.value = 0
        await Timer(1, "step")
        names = ["req_ready", "random_ready"]
        names += [f"rsp_{n}" for n in ("valid", "status", "x", "y", "infinity", "tag", "cycles")]
        seen = {name: int(getattr(d, f"{name}_o").value) for name in names}
        self.taken += valid and seen["random_ready"]
        if not seen["rsp_valid"]:
            assert not any(seen[f"rsp_{n}"] for n in ("status", "x", "y", "infinity", "cycles"))
        d.clk_i.value = 1
        await Timer(1, "step")
        return seen

    async def offer(self, k: int, point: Point, tag: int = 0, op: int = 0) -> None:
        """Offer a job until it is accepted."""
        x, y = point or (0, 0)
        request = {
            "req_valid": 1, "req_op": op, "req_scalar": k, "req_x": x, "req_y": y,
            "req_infinity": int(point is None), "req_tag": tag,
        }  # fmt: skip
        for _ in range(LONG):
            if (await self.cycle(**request))["req_ready"]:
                return
        raise AssertionError("the core takes no job")

    async def take(self, wait: int = 0) -> tuple[Answer, int]:
        """Return the answer, which is taken late, and the cycles that it names."""
        for _ in range(LONG):
            seen = await self.cycle()
            if seen["rsp_valid"]:
                for _ in range(wait):
                    assert await self.cycle() == seen
                assert await self.cycle(rsp_ready=1) == seen
                point = None if seen["rsp_infinity"] else (seen["rsp_x"], seen["rsp_y"])
                return (Status(seen["rsp_status"]), point, seen["rsp_tag"]), seen["rsp_cycles"]
        raise AssertionError("no answer")

    def job(self) -> tuple[int, Point]:
        points = [CURVE.generator, None, CURVE.mul(self.rng.randrange(1, CURVE.n), CURVE.generator)]
        edges = [0, 1, CURVE.n - 1, CURVE.n, (1 << P.scalar_bits) - 1]
        return self.rng.choice([*edges, self.rng.getrandbits(P.scalar_bits)]), self.rng.choice(
            points
        )


def right(k: int, point: Point, tag: int) -> Answer:
    return Status.OK, CURVE.mul(k, point), tag


@cocotb.test()
async def jobs_with_stalls_on_every_side(dut: Any) -> None:
    b = await Bench(dut, 1).begin()
    seen = set()
    for tag in range(24):
        b.random_share = b.rng.choice([1.0, 0.3, 0.05])
        k, point = b.job()
        await b.offer(k, point, tag)
        answer, cycles = await b.take(b.rng.randrange(4))
        assert answer == right(k, point, tag), (k, point)
        seen.add(cycles)
    assert len(seen) == 1


@cocotb.test()
async def no_job_without_fresh_words(dut: Any) -> None:
    b = await Bench(dut, 2).begin()
    for _ in range(3):
        b.random_share = 0.0
        b.taken = 0
        for _ in range(4 * P.clearing):
            assert not (await b.cycle(req_valid=1, req_scalar=5))["req_ready"]
        b.random_share = 1.0
        await b.offer(5, CURVE.generator)
        assert b.taken == WORDS
        b.random_share = 0.0
        assert (await b.take())[0] == right(5, CURVE.generator, 0)


@cocotb.test()
async def errors_have_a_status_and_zeros(dut: Any) -> None:
    b = await Bench(dut, 3).begin()
    x, y = CURVE.generator
    off = next((x, v) for v in range(CURVE.p) if v not in (y, CURVE.p - y))
    top = (1 << P.coordinate_bits) - 1
    outside, on = Status.COORDINATE_OUT_OF_RANGE, Status.OK
    for point, status in (
        (off, Status.POINT_NOT_ON_CURVE), ((CURVE.p, y), outside), ((x, CURVE.p), outside),
        ((top, top), outside), ((x, CURVE.p - y), on),
    ):  # fmt: skip
        await b.offer(3, point, 9)
        answer, _ = await b.take()
        want = right(3, point, 9) if status is Status.OK else (status, (0, 0), 9)
        assert answer == want, point
    await b.offer(3, CURVE.generator, op=7)
    assert (await b.take())[0] == (Status.UNSUPPORTED, (0, 0), 0)


@cocotb.test()
async def zeroize_and_reset_in_any_cycle(dut: Any) -> None:
    b = await Bench(dut, 4).begin()
    await b.offer(1, CURVE.generator)
    _, whole = await b.take()
    for number in range(24):
        await b.offer(*b.job())
        for _ in range(b.rng.randrange(whole + 4)):
            await b.cycle()
        if number % 2:
            await b.reset()
        else:
            await b.cycle(zeroize=1)
        assert not (await b.cycle())["rsp_valid"]
        k, point = b.job()
        await b.offer(k, point, number)
        assert (await b.take())[0] == right(k, point, number)
