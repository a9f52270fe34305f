# SPDX-License-Identifier: Apache-2.0
"""Faults in lanes: each is in its lane, its bit and its cycle, and lasts as its kind says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.lanes import FEW, FLIP, FLIP_CELL, STUCK_0, STUCK_1, Event, Lanes
from ecsm.evidence.campaigns.subject import Inputs
from tests.evidence.small import HOLD, core, made
from tests.evidence.test_lanes import WIDTHS

VALUE = 0b10110010


@pytest.fixture(params=WIDTHS)
def hold(request: pytest.FixtureRequest) -> Iterator[Lanes]:
    """Lanes that all hold VALUE, at time 1."""
    with Lanes(made(HOLD), request.param) as lanes:
        begin(lanes)
        yield lanes


def begin(lanes: Lanes) -> None:
    lanes.clear()
    for port in ("we_i", "a_i"):
        lanes.set(port, 0)
    lanes.set("value_i", VALUE)
    lanes.set("load_i", 1)
    lanes.run(1)
    lanes.set("load_i", 0)


def register(circuit: Circuit, name: str) -> int:
    return circuit.registers.index(name)


def different(values: list[int], usual: int) -> dict[int, int]:
    return {lane: v for lane, v in enumerate(values) if v != usual}


def test_a_flip_is_in_one_lane_until_the_register_is_written(hold: Lanes) -> None:
    last = hold.lanes - 1
    bit = register(hold.circuit, "held_o[6]")
    hold.run(3, events=[Event(1, FLIP, bit, last), Event(2, FLIP, bit, 9)])
    assert different(hold.get("held_o"), VALUE) == {9: VALUE ^ 64, last: VALUE ^ 64}
    # In the three cycles, one and two sums had the flip, which is of a bit that is 0.
    right = 3 * VALUE % 256
    wanted = {9: (right + 64) % 256, last: (right + 2 * 64) % 256}
    assert different(hold.get("sum_o"), right) == wanted
    hold.set("load_i", 1)
    hold.run(1)
    assert different(hold.get("held_o"), VALUE) == {}
    assert different(hold.get("sum_o"), 0) == {}


@pytest.mark.parametrize("lane", [0, 8, 31, 63])
def test_two_flips_cancel(hold: Lanes, lane: int) -> None:
    bit = register(hold.circuit, "held_o[0]")
    same = [Event(2, FLIP, bit, lane)] * 2
    hold.run(5, events=same)
    assert different(hold.get("sum_o"), 5 * VALUE % 256) == {}
    hold.run(5, events=[Event(1, FLIP, bit, lane), Event(4, FLIP, bit, lane)])
    assert different(hold.get("held_o"), VALUE) == {}
    assert different(hold.get("sum_o"), 10 * VALUE % 256) == {lane: (10 * VALUE + 3) % 256}


@pytest.mark.parametrize(("kind", "value"), [(STUCK_0, 0), (STUCK_1, 255)])
def test_a_bit_that_sticks_does_so_until_power_goes(hold: Lanes, kind: int, value: int) -> None:
    bits = [register(hold.circuit, f"held_o[{i}]") for i in range(8)]
    hold.run(2, events=[Event(1, kind, bit, 17) for bit in bits])
    for new in (VALUE, 0, 255, 7):
        hold.set("value_i", new)
        hold.set("load_i", 1)
        hold.run(1)
        hold.set("load_i", 0)
        hold.run(2)  # another run: it lasts
        assert different(hold.get("held_o"), new) == ({17: value} if value != new else {})
        assert different(hold.get("sum_o"), 2 * new % 256) == (
            {17: 2 * value % 256} if value != new else {}
        )
    begin(hold)
    hold.run(2)
    assert different(hold.get("held_o"), VALUE) == {}


def test_the_later_of_two_that_stick_wins(hold: Lanes) -> None:
    bit = register(hold.circuit, "held_o[0]")
    hold.run(2, events=[Event(0, STUCK_1, bit, 5), Event(1, STUCK_0, bit, 5)])
    hold.run(1)
    assert different(hold.get("held_o"), VALUE) == {}
    hold.run(1, events=[Event(0, STUCK_1, bit, 5)])
    assert different(hold.get("held_o"), VALUE) == {5: VALUE | 1}


def test_a_flip_of_memory_is_in_the_named_word_and_bit(hold: Lanes) -> None:
    c = hold.circuit
    names = [m.name for m in c.memories]
    hold.set("we_i", 1)
    for word in range(8):
        hold.set("a_i", word)
        hold.set("value_i", 16 * word + 5)
        hold.run(1)
    hold.set("we_i", 0)
    first, second = c.cell(names.index("memory"), 6, 3), c.cell(names.index("other"), 2, 7)
    assert (
        len({c.cell(m, w, b) for m in range(2) for w in range((8, 4)[m]) for b in range(8)}) == 96
    )
    hold.run(1, events=[Event(0, FLIP_CELL, first, 40), Event(0, FLIP_CELL, second, 41)])
    for word in range(8):
        hold.set("a_i", word)
        hold.run(0)
        right = 16 * word + 5
        wanted = {40: right ^ 8} if word == 6 else {}
        assert different(hold.get("word_o"), right) == wanted
        other = 255 - (16 * (word % 4 + 4) + 5)
        assert different(hold.get("other_o"), other) == ({41: other ^ 128} if word % 4 == 2 else {})
    hold.set("we_i", 1)
    hold.set("a_i", 6)
    hold.run(1)
    assert different(hold.get("word_o"), 16 * 7 + 5) == {}, "a write takes it away"


def test_events_of_the_first_cycle_and_behind_the_last(hold: Lanes) -> None:
    """Behind the last clock it is seen, but in no sum yet; a later one never comes."""
    bit = register(hold.circuit, "held_o[0]")
    at = {0: 3, 2: 4, 3: 5, 4: 6}
    hold.run(3, events=[Event(cycle, FLIP, bit, lane) for cycle, lane in at.items()])
    assert different(hold.get("held_o"), VALUE) == dict.fromkeys((3, 4, 5), VALUE ^ 1)
    right = 3 * VALUE % 256
    assert different(hold.get("sum_o"), right) == {3: right + 3, 4: right + 1}
    hold.run(2)
    assert sorted(different(hold.get("held_o"), VALUE)) == [3, 4, 5]


def test_events_come_in_the_order_of_their_cycles(hold: Lanes) -> None:
    bits = [register(hold.circuit, f"held_o[{i}]") for i in (0, 2, 3)]
    events = [Event(cycle, FLIP, bit, 1) for cycle, bit in zip((4, 0, 2), bits, strict=True)]
    hold.run(5, events=events)
    extra = 4 * 5 + 8 * 3 + 1 * 1
    assert VALUE & 0b1101 == 0
    assert different(hold.get("sum_o"), 5 * VALUE % 256) == {1: (5 * VALUE + extra) % 256}


def test_an_event_at_an_early_stop_comes_once() -> None:
    """A lane that answers early stops the run; what happens to others does not change by that."""
    toy = core("toy7-small")
    g = toy.design.preset.curve.generator
    last = toy.design.cycles_alone
    bits = range(0, len(toy.circuit.registers), 5)
    with Lanes(toy.circuit, FEW) as lanes:
        inputs = Inputs([77] * lanes.lanes, [g] * lanes.lanes)
        early = stopper(lanes.lanes, inputs)
        stop = min(a.cycle for a in toy.run(lanes, inputs, early, last + 64))
        assert stop < last
        for cycle in (stop - 1, stop, stop + 1, last - 1):
            events = [
                Event(cycle, FLIP, b, lane) for lane, b in zip(range(1, 64), bits, strict=False)
            ]
            alone = toy.run(lanes, inputs, events, last + 64)[1:]
            both = toy.run(lanes, inputs, [*early, *events], last + 64)
            assert both[0].cycle == stop
            assert both[1:] == alone
            assert len(set(alone)) > 3


def stopper(lanes: int, inputs: Inputs) -> list[Event]:
    """Return a flip in lane 0 of the word's number: the program ends early."""
    toy = core("toy7-small")
    last = toy.design.cycles_alone
    with Lanes(toy.circuit, FEW) as simulated:
        assert simulated.lanes == lanes
        for cycle in range(20, 60):
            flips = [Event(cycle, FLIP, r, i) for i, r in enumerate(toy.sequencer[:64])]
            answers = toy.run(simulated, inputs, flips, last + 64)
            for a, event in zip(answers, flips, strict=False):
                if a.cycle < last - 10:
                    return [event._replace(lane=0)]
    raise AssertionError("no flip ends the program early")
