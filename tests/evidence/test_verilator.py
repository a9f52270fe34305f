# SPDX-License-Identifier: Apache-2.0
"""Lanes against Verilator: the same inputs, and every output equal in every cycle.

Two things differ, and why:

- A reset acts at once in Verilator; in Lanes it acts with the clock. So the first cycle of a reset
  is left out: Lanes shows what the registers still have.
- Before a reset, registers without one and memories are zero in both. A core has to clear them
  itself; here they are also set to random values in each lane, which no output may show.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from ecsm.cores.store import design
from ecsm.curves import BinaryCurve
from ecsm.evidence.campaigns.lanes import FLIP, FLIP_CELL, Event, Lanes
from ecsm.evidence.campaigns.subject import CoreJobs
from ecsm.progress import Progress
from ecsm.status import Status
from tests.evidence.port import INPUTS, KINDS, Cycle, inputs, recorded
from tests.evidence.small import marked
from tests.rtl.common.tops import ANSWER

QUICK = ("toy7-small", "toyp7-x")
PRESETS = (
    "toy7-small", "toy7-fast", "toy9-four", "toyp7-x", "toyp5-v", "toyp8-glv-t", "toyp7-t",
    "toyp7-d", "toyp5-s", "toyp6-m", "toyp8-f", "toy107-halving",
)  # fmt: skip
Bits = npt.NDArray[np.uint8]


@cache
def runs(name: str) -> tuple[list[list[Cycle]], list[list[int]]]:
    """Return the runs of a preset, and what Verilator answered."""
    asked = [inputs(name, seed) for seed in range(len(KINDS))]
    return asked, recorded(name, asked)


def port(name: str) -> str:
    """Return the name of a port of the core."""
    return name if name == "rst_ni" else f"{name}_i"


def bits_of(values: list[int], width: int) -> Bits:
    """Return a row for each bit, a column for each value."""
    return np.array([[v >> k & 1 for v in values] for k in range(width)], dtype=np.uint8)


def replayed(
    core: CoreJobs, lanes: Lanes, asked: list[list[Cycle]], random_state: bool
) -> list[Bits]:
    """Return the bits of all outputs in each cycle, a column a lane; lane i plays ``plays(i)``."""
    c = core.circuit
    answers = [f"req_{n}_o" if n == "ready" else f"rsp_{n}_o" for n, _ in reversed(ANSWER)]
    nets = [net for name in answers for net in c.ports[name]]
    lanes.clear()
    found = []
    for number, cycle in enumerate(zip(*asked, strict=True)):
        for name in INPUTS:
            values = bits_of([run[name] for run in cycle], len(c.ports[port(name)]))
            spread = values[:, plays(lanes)]
            lanes.set(port(name), np.packbits(spread, axis=1, bitorder="little"))
        lanes.run(0, events=noise(core, lanes) if random_state and not number else ())
        found.append(np.unpackbits(lanes.planes(nets), axis=1, bitorder="little"))
        lanes.run(1)
    return found


def plays(lanes: Lanes) -> npt.NDArray[np.intp]:
    """Return the run that each lane plays: not the same in all octets."""
    number = np.arange(lanes.lanes)
    return (number + number // 8) % len(KINDS)


def noise(core: CoreJobs, lanes: Lanes) -> list[Event]:
    """Return flips that give each lane other registers, and other memories if they are written."""
    c, rng = core.circuit, random.Random("noise")
    targets = [(FLIP, i) for i in range(len(c.registers))]
    for m, memory in enumerate(c.memories):
        if memory.writes:
            first = c.cell(m, 0, 0)
            targets += [(FLIP_CELL, first + i) for i in range(memory.words * memory.width)]
    return [
        Event(0, kind, target, lane)
        for kind, target in targets
        for lane in range(lanes.lanes)
        if rng.getrandbits(1)
    ]


@pytest.mark.parametrize("random_state", [False, True])
@pytest.mark.parametrize("name", marked(PRESETS, QUICK))
def test_every_output_is_verilators_in_every_cycle(name: str, random_state: bool) -> None:
    core = CoreJobs(name, Progress())
    asked, answered = runs(name)
    width = sum(core.design.preset.coordinate_bits if n == "c" else int(n) for _, n in ANSWER)
    compared = 0
    with Lanes(core.circuit) as lanes:
        for cycle, seen in enumerate(replayed(core, lanes, asked, random_state)):
            want = bits_of([run[cycle] for run in answered], width)[:, plays(lanes)]
            resets = [run[cycle]["rst_ni"] < run[max(0, cycle - 1)]["rst_ni"] for run in asked]
            resets = [first or not cycle for first in resets]
            same = ~np.array(resets)[plays(lanes)]
            assert (seen[:, same] == want[:, same]).all(), f"cycle {cycle}"
            compared += int(same.sum())
        assert compared > 0.98 * len(asked[0]) * lanes.lanes


@pytest.mark.parametrize("name", marked(PRESETS, QUICK))
def test_the_inputs_reach_what_a_core_does(name: str) -> None:
    """Each status, right answers, late takers, jobs that are stopped."""
    preset = design(name).preset
    asked, answered = runs(name)
    statuses, points, held, stopped = set(), set(), 0, 0
    for run, answers in zip(asked, answered, strict=True):
        before = fields(name, 0)
        busy = False
        for cycle, flat in zip(run, answers, strict=True):
            now = fields(name, flat)
            if now["valid"]:
                statuses.add(Status(now["status"]))
                points.add((now["x"], now["y"]))
                held += before == now
            stopped += busy and (cycle["zeroize"] or not cycle["rst_ni"])
            accepted = now["ready"] and cycle["req_valid"]
            busy = bool(accepted or (busy and not now["ready"] and not cycle["zeroize"]))
            before = now
    wanted = {Status.OK, Status.UNSUPPORTED, Status.POINT_NOT_ON_CURVE}
    if not isinstance(preset.curve, BinaryCurve):
        wanted.add(Status.COORDINATE_OUT_OF_RANGE)
    assert statuses >= wanted
    assert len(points) > 3
    assert min(held, stopped) > 3


def fields(name: str, flat: int) -> dict[str, int]:
    """Return the port of answers by name."""
    found = {}
    for port_name, bits in reversed(ANSWER):
        width = design(name).preset.coordinate_bits if bits == "c" else int(bits)
        found[port_name] = flat & ((1 << width) - 1)
        flat >>= width
    return found
