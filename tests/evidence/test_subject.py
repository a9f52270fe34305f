# SPDX-License-Identifier: Apache-2.0
"""What is known of a core: its jobs, its cycles, its digits, and its right answers."""

from __future__ import annotations

import itertools
import random
from itertools import pairwise
from typing import Any

import pytest

from ecsm.cores.store import design
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.subject import TAG, Answer, CoreJobs, Inputs
from ecsm.presets.table import all_presets, is_toy
from ecsm.status import Status
from tests.evidence.small import core, marked

TOYS = [p.name for p in all_presets() if is_toy(p)]
REAL = ["b163-fast", "p256-fast", "k256-glv", "x25519", "ed25519", "p256-verify"]


def planned(name: str) -> CoreJobs:
    """Return a core of which there is no netlist."""
    found = object.__new__(CoreJobs)
    found.design = design(name)
    return found


@pytest.mark.parametrize("name", [*TOYS, *REAL])
def test_each_cycle_has_a_word_and_a_phase(name: str) -> None:
    it = planned(name)
    assert len(it.names) == len(it.phases) == it.cycles
    assert (it.names[0], it.names[-1], it.phases[-1]) == ("accept", "answer", "answer")
    assert it.phases.index("answer") == it.design.cycles_alone
    times, looped = it.design.microcode.count, [i for i, p in enumerate(it.phases) if p == "loop"]
    assert bool(looped) == (times > 1) == any(n.startswith("loop: ") for n in it.names)
    if looped:
        assert looped == list(range(looped[0], looped[-1] + 1))
        turn, rest = divmod(len(looped), times)
        assert rest == 0
        words = [n.partition(", +")[0] for n in it.names]
        assert all(words[i] == words[i + turn] for i in looped[turn:-turn])


@pytest.mark.parametrize("name", [*TOYS, *REAL])
def test_each_digit_has_a_turn(name: str) -> None:
    it = planned(name)
    assert all(a < b for a, b in pairwise(it.turns))
    assert it.turns[-1] == it.cycles
    rng = random.Random(name)
    digits = [it.digits(it.scalar(rng)) for _ in range(200)]
    (count,) = {len(d) for d in digits}
    assert abs(len(it.turns) - 1 - count) <= 3, "some words fetch what is no digit's"
    values = {v for d in digits for v in d}
    assert min(values) >= 0
    assert max(values) < 1 << it.digit_bits


@pytest.mark.parametrize("name", ["toy7-small", "toyp5-v", "toyp7-x", "b163-fast"])
def test_inputs_are_fixed_where_they_should_be(name: str) -> None:
    it = planned(name)
    preset = it.design.preset
    c: Any = preset.curve
    fixed = [i % 3 == 0 for i in range(60)]
    scalars, points = (it.inputs(random.Random(5), vary, fixed) for vary in CoreJobs.vary)
    other = it.inputs(random.Random(6), "scalar", fixed)
    assert len({k for k, f in zip(scalars.scalars, fixed, strict=True) if f}) == 1
    assert scalars.scalars[0] == other.scalars[0], "of a preset, not of a campaign"
    assert len({k for k, f in zip(scalars.scalars, fixed, strict=True) if not f}) > 3
    assert set(scalars.points) == {c.generator}
    assert set(points.scalars) == {scalars.scalars[0]}
    assert {p for p, f in zip(points.points, fixed, strict=True) if f} == {c.generator}
    assert len({p for p, f in zip(points.points, fixed, strict=True) if not f}) > 3
    assert all(p is not None and it.on_curve(p) for p in points.points)
    for k in scalars.scalars:
        halves = divmod(k, 1 << c.n.bit_length()) if preset.double else (k,)
        assert all(0 < half < c.n for half in halves)
        assert k < 1 << preset.scalar_bits
    assert scalars == it.inputs(random.Random(5), "scalar", fixed)


def jobs(it: CoreJobs, lanes: Lanes) -> Inputs:
    rng = random.Random("jobs")
    points = it.points(rng)
    each = range(lanes.lanes)
    return Inputs([it.scalar(rng) for _ in each], [next(points) for _ in each])


def test_inputs_leave_out_the_point_with_a_program_of_its_own() -> None:
    """The toy's group is small: among 400 random points each would be there."""
    it = core("toyp8-b")
    g = it.design.preset.curve.generator
    for vary in CoreJobs.vary:
        asked = it.inputs(random.Random(5), vary, [i % 2 == 0 for i in range(400)])
        assert g not in asked.points
    assert len(set(itertools.islice(it.points(random.Random(6)), 400))) > 100


@pytest.mark.parametrize("name", marked(("toy7-small", "toyp5-v", "toyp7-t", "toyp7-x")))
def test_every_lane_answers_its_own_request(name: str) -> None:
    it = core(name)
    with Lanes(it.circuit) as lanes:
        asked = jobs(it, lanes)
        n = it.design.cycles_alone
        answers = it.run(lanes, asked, [], n + 10)
        rights = map(it.right, asked.scalars, asked.points)
        assert answers == [Answer(Status.OK, right, n, TAG) for right in rights]
        none = [Answer(None, None, n - 1)] * lanes.lanes
        assert it.run(lanes, asked, [], n - 1) == none, "too short"
        counts = it.trace(lanes, asked)
        assert counts.shape == (it.cycles, lanes.lanes)
        assert (counts[: n + 1].max(axis=1) > 0).all(), "something changes in each cycle"
        assert (it.trace(lanes, asked) == counts).all(), "a reset leaves nothing behind"


@pytest.mark.full
@pytest.mark.parametrize("name", ["toyp7-x", "toyp7-t", "toyp5-v"])
def test_words_are_those_that_the_sequencer_asks_for(name: str) -> None:
    """Of a program in a memory: a word is asked for two cycles before it executes.

    A job of one thread alone waits for others first.
    """
    it = core(name)
    code = it.design.microcode
    registers = [i for i, n in enumerate(it.circuit.registers) if n.startswith("index_o")]
    assert registers
    nets = [2 + it.circuit.inputs + i for i in registers]
    asked = []
    with Lanes(it.circuit) as lanes:
        it.start(lanes, jobs(it, lanes))
        for _ in range(1, it.cycles):
            lanes.run(0)
            bits = lanes.planes(nets)[:, 0] & 1
            asked.append(sum(int(b) << k for k, b in enumerate(bits)))
            lanes.run(1)
    words = [address for address in code.addresses() for _ in range(code.threads)]
    first = it.begin - 2 - 1  # asked[0] is of cycle 1
    found = asked[max(first, 0) : first + len(words)]
    assert found == words[max(-first, 0) :]


def test_a_wrong_netlist_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    it = core("toy7-small")
    with Lanes(it.circuit) as lanes:
        asked = jobs(it, lanes)
        last = asked.scalars[-1]
        right = it.right
        with monkeypatch.context() as patch:
            patch.setattr(CoreJobs, "right", lambda _, k, p: right(k ^ 1 if k is last else k, p))
            with pytest.raises(ValueError, match=f"wrong in lane {lanes.lanes - 1}"):
                it.trace(lanes, asked)
        monkeypatch.setattr(type(it.design), "cycles_alone", 100)
        with pytest.raises(ValueError, match=r"toy7-small: an answer in cycle .*, not 100"):
            it.trace(lanes, asked)


def test_the_sequencer_is_found() -> None:
    it = core("toy7-small")
    names = [it.circuit.registers[i] for i in it.sequencer]
    assert names
    assert all("sequencer" in n or "index_o" in n for n in names)
