# SPDX-License-Identifier: Apache-2.0
"""Lanes: values and counts as of a plain evaluator, lane by lane.

With every number of lanes that the processor can run, and for a circuit that is compiled.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ecsm.evidence.campaigns.circuit import Circuit, groups_of
from ecsm.evidence.campaigns.lanes import FLIP, FLIP_CELL, STUCK_1, Event, Lanes, widths
from tests.evidence.plain import Plain
from tests.evidence.port import inputs
from tests.evidence.small import HOLD, MEMORIES, RESTS, core, made, modules

WIDTHS = widths()
TABLES, OWN = float("inf"), 0  # from so many LUTs on a circuit is compiled
SIMULATORS = [*((width, TABLES) for width in WIDTHS), (WIDTHS[0], OWN)]
RUNS = 4  # lane i has the inputs of run i % RUNS
KINDS = ("register", "address", "data", "write")
Cycle = dict[str, int]
Row = tuple[dict[str, int], Counter[str]]
"""Of a run in a cycle: the outputs, and how many bits of each kind changed."""


def kind(item: str) -> str:
    """Return the kind of what is counted, by its name."""
    words = item.split()
    if len(words) > 2 and words[-3] == "read":
        return words[-2]
    return "write" if len(words) > 3 and words[-4] == "write" else "register"


def in_lanes(
    circuit: Circuit, width: int, large: float, runs: list[list[Cycle]]
) -> list[list[Row]]:
    """Return a row for each run, by cycle; lanes of one run have to agree."""
    kinds = [kind(item) for item in circuit.items]
    outputs = [n for n in circuit.ports if n.endswith("_o")]
    found = []
    with Lanes(circuit, width, large) as lanes:
        assert lanes.items == len(kinds)
        each, run_of = lanes.lanes // RUNS, np.arange(lanes.lanes) % RUNS
        counts = np.zeros((1, lanes.lanes), dtype=np.uint16)
        for cycle in zip(*runs, strict=True):
            for name in cycle[0]:
                values = [run[name] for run in cycle] * each
                lanes.set(name, lanes.each(values, len(circuit.ports[name])))
            lanes.run(0)
            ports = {n: lanes.get(n) for n in outputs}
            assert all(v == v[:RUNS] * each for v in ports.values())
            lanes.run(1, counts)
            rows = []
            for r in range(RUNS):
                sums = np.zeros(lanes.items, dtype=np.uint32)
                lanes.changed(np.packbits(run_of == r, bitorder="little"), sums)
                assert not (sums % each).any()
                changed = Counter[str]()
                for k, total in zip(kinds, (sums // each).tolist(), strict=True):
                    changed[k] += total
                assert (counts[0, run_of == r] == changed.total()).all()
                rows.append(({n: v[r] for n, v in ports.items()}, changed))
            found.append(rows)
    return found


def plainly(module: dict[str, Any], runs: list[list[Cycle]]) -> list[list[Row]]:
    """Return the same by the plain evaluator, a run after the other."""
    by_run = []
    for run in runs:
        plain, rows = Plain(module), list[Row]()
        outputs = [n for n in plain.ports if n.endswith("_o")]
        for cycle in run:
            for name, value in cycle.items():
                plain.set(name, value)
            plain.settle()
            ports = {n: plain.get(n) for n in outputs}
            rows.append((ports, Counter(plain.clock())))
        by_run.append(rows)
    return [list(rows) for rows in zip(*by_run, strict=True)]


def assert_equal(circuit: Circuit, module: dict[str, Any], runs: list[list[Cycle]]) -> Counter[str]:
    """Assert that both are equal in all cycles; return how many bits of each kind changed."""
    want = plainly(module, runs)
    for width, large in SIMULATORS:
        found = in_lanes(circuit, width, large, runs)
        for cycle, (a, b) in enumerate(zip(found, want, strict=True)):
            assert a == b, f"cycle {cycle}, {width} lanes, {large}"
    total = Counter[str]()
    for rows in want:
        for _, changed in rows:
            total.update(changed)
    return total


def any_inputs(circuit: Circuit, rng: random.Random, cycles: int) -> list[Cycle]:
    """Return random inputs; a reset, if there is one, is rare."""
    widths = {n: len(v) for n, v in circuit.ports.items() if n.endswith("_i") and n != "clk_i"}
    reset = {"rst_ni"} & set(circuit.ports)
    return [
        {n: rng.getrandbits(w) for n, w in widths.items()}
        | {n: int(cycle > 1 and rng.random() < 0.95) for n in reset}
        for cycle in range(cycles)
    ]


@pytest.mark.parametrize("text", [MEMORIES, HOLD], ids=["memories", "hold"])
def test_small_designs_with_memories(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All kinds of ports: two writes in a cycle, enables a bit, a ROM, addresses without a word."""
    read_modules, rng = modules(monkeypatch), random.Random(3)
    circuit = made(text)
    runs = [any_inputs(circuit, rng, 400) for _ in range(RUNS)]
    total = assert_equal(circuit, read_modules[0], runs)
    assert min(total[k] for k in KINDS) > 1000


def test_a_circuit_of_which_parts_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs that keep their values: what is left out is as it was, and what is not, is not.

    Each run alone, so that no other lane wakes what rests; then all together.
    """
    read_modules, rng = modules(monkeypatch), random.Random(6)
    circuit = made(RESTS)
    assert len(set(groups_of(circuit.registers))) > 1
    runs = []
    for _ in range(RUNS):
        run = any_inputs(circuit, rng, 600)
        for before, cycle in pairwise(run):
            cycle.update({n: v for n, v in before.items() if rng.random() < 0.9})
        runs.append(run)
    for run in runs:
        total = assert_equal(circuit, read_modules[0], [run] * RUNS)
        assert min(total[k] for k in KINDS) > 20
    assert_equal(circuit, read_modules[0], runs)


@pytest.mark.parametrize(("width", "large"), SIMULATORS)
def test_a_fault_wakes_what_rests(width: int, large: float) -> None:
    """Of a register and of a memory's bit, while nothing changes."""
    circuit = made(RESTS)
    with Lanes(circuit, width, large) as lanes:
        lanes.set("rst_ni", 1)
        lanes.run(5)
        sum_ = circuit.registers.index("u_sum.sum_q[2]")
        lanes.run(1, events=[Event(0, FLIP, sum_, 3)])
        assert lanes.get("sum_o")[2:5] == [15, 11, 15]
        lanes.run(1, events=[Event(0, FLIP_CELL, circuit.cell(0, 0, 1), 4)])
        assert lanes.get("word_o")[3:6] == [0, 2, 0]
        counter = circuit.registers.index("u_counter.count_q[0]")
        lanes.run(3, events=[Event(0, STUCK_1, counter, 5)])
        assert lanes.get("count_o")[4:7] == [15, 14, 15]
        lanes.clear()
        lanes.run(1)
        assert {*lanes.get("sum_o"), *lanes.get("count_o")} == {15}
        assert set(lanes.get("word_o")) == {0}


@pytest.mark.parametrize("width", WIDTHS)
def test_noise_that_all_lanes_have(width: int) -> None:
    """The same for each seed, whatever the lanes and the parts of a run are."""
    drawn = splitmix(77)
    want = [sum((next(drawn) & 1) << i for i in range(8)) for _ in range(40)]
    for parts in ([1] * 40, [7, 0, 13, 20]):
        with Lanes(made(HOLD), width) as lanes:
            lanes.set("load_i", 1)
            lanes.noise("value_i", 77, same=True)
            at = 0
            for part in parts:
                lanes.run(part)
                at += part
                assert lanes.get("held_o") == [want[at - 1]] * lanes.lanes


def splitmix(state: int) -> Iterator[int]:
    """Yield the numbers of splitmix64 (Steele, Lea, Flood 2014)."""
    while True:
        state = z = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("toy7-fast", KINDS[:1]), pytest.param("toyp7-x", KINDS, marks=pytest.mark.full)],
)
def test_cores(name: str, kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    read_modules = modules(monkeypatch)
    circuit = core(name).circuit
    asked = [inputs(name, seed)[:160] for seed in range(RUNS)]
    runs = [[_ports(cycle) for cycle in run] for run in asked]
    total = assert_equal(circuit, read_modules[0], runs)
    assert min(total[k] for k in kinds) > 1000


def _ports(cycle: Cycle) -> Cycle:
    return {n if n == "rst_ni" else f"{n}_i": v for n, v in cycle.items()}


@pytest.mark.parametrize("width", WIDTHS)
def test_values_of_lanes(width: int) -> None:
    """Each lane has its value, also one wider than a word, and keeps it."""
    circuit, rng = made(HOLD), random.Random(4)
    with Lanes(circuit, width) as lanes:
        assert lanes.lanes == width
        wanted = [rng.getrandbits(8) for _ in range(lanes.lanes)]
        lanes.set("value_i", lanes.each(wanted, 8))
        lanes.set("load_i", 1)
        lanes.run(1)
        assert lanes.get("held_o") == wanted
        assert lanes.get("sum_o") == [0] * lanes.lanes
        lanes.set("load_i", 0)
        lanes.set("value_i", 0)
        lanes.run(3)
        assert lanes.get("sum_o") == [3 * v % 256 for v in wanted]
        lanes.clear()
        lanes.run(0)
        assert set(lanes.get("held_o")) == {0}
        values = [rng.getrandbits(300) for _ in range(lanes.lanes)]
        rows = np.unpackbits(lanes.each(values, 300), axis=1, bitorder="little")
        assert [sum(int(b) << k for k, b in enumerate(lane)) for lane in rows.T] == values
        one = rng.getrandbits(300)
        assert (lanes.all(one, 300) == lanes.each([one] * lanes.lanes, 300)).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_in_parts_is_a_run(width: int) -> None:
    """Counts and values do not depend on where a run stops."""
    circuit, rng = made(HOLD), random.Random(5)
    found = []
    for parts in ([40], [1] * 40, [7, 0, 13, 20]):
        rng.seed(5)
        with Lanes(circuit, width) as lanes:
            lanes.set("value_i", lanes.each([rng.getrandbits(8) for _ in range(lanes.lanes)], 8))
            lanes.set("load_i", 1)
            lanes.set("we_i", 1)
            lanes.run(1)
            lanes.set("load_i", 0)
            counts = np.zeros((40, lanes.lanes), dtype=np.uint16)
            at = 0
            for part in parts:
                assert lanes.run(part, counts[at : at + part]) == part
                at += part
            found.append((counts.tolist(), lanes.get("sum_o")))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_stops_when_a_watched_lane_is_there(width: int) -> None:
    circuit = made(HOLD)
    with Lanes(circuit, width) as lanes:
        lanes.set("value_i", lanes.each([20 + i % 40 for i in range(lanes.lanes)], 8))
        lanes.set("load_i", 1)
        lanes.run(1)
        lanes.set("load_i", 0)
        watched = np.zeros(lanes.lanes, dtype=np.uint8)
        watched[[37, 55]] = 1
        mask = np.packbits(watched, bitorder="little")
        assert lanes.run(1000, until="end_o", lanes=mask) == 35 - 1
        assert lanes.get("time_o")[0] == 35
        assert lanes.run(1000, until="end_o") == 0, "lane 15 is there"
        lanes.run(1)
        assert lanes.run(1000, until="end_o", lanes=mask) == 57 - 36
        lanes.run(1)
        assert lanes.run(5, until="end_o", lanes=mask) == 5
