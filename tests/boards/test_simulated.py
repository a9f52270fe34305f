# SPDX-License-Identifier: Apache-2.0
"""The top of a board in simulation: verdicts on its LEDs, raw samples on its serial port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest

from ecsm.boards.board import board
from ecsm.boards.designs import BoardDesign, board_design
from ecsm.boards.netlist import simulated
from ecsm.sim.cache import Sources
from tests.boards.simulation import SimulatedBoard, model_bits, netlist, rtl, stuck_rings

PERIOD, RESET = 64, 3000  # cycles of a bit of noise; more than the reset takes
TOY = "toy7-fast"
Made = Callable[[BoardDesign], Sources]


def noise(name: str) -> tuple[BoardDesign, int]:
    d = board_design("noise", board(name))
    return d, round(d.mhz)


def samples(count: int, first: int) -> bytes:
    """Return samples of the model of the rings, its first bit taken in a cycle after reset."""
    bits = islice(model_bits(), first, None, PERIOD)
    octets = bytearray()
    for _ in range(count):
        octets.append(int("".join(str(bit) for bit in islice(bits, 8)), 2))
    return bytes(octets)


@pytest.mark.parametrize("made", [rtl, netlist])
@pytest.mark.parametrize("name", ["ulx3s-85f", "icebreaker", "tang-nano-20k"])
def test_raw_samples_come_one_after_the_other(name: str, made: Made) -> None:
    """Each as the rings made it: of the model, whose bits an oracle computes."""
    d, divisor = noise(name)
    with SimulatedBoard(d, made(d), divisor) as b:
        seen = b.run(RESET + 40 * 8 * PERIOD).octets
    assert len(seen) > 32
    # Two registers lie between a ring and its bit.
    assert any(samples(len(seen), first) == seen for first in range(PERIOD - 4, PERIOD))


@pytest.mark.parametrize("made", [rtl, netlist])
def test_a_core_that_is_right_lights_the_one_led(made: Made) -> None:
    d = board_design(TOY, board("ulx3s-85f"))
    with SimulatedBoard(d, made(d)) as b:
        assert b.verdict(20_000, 500) == "ok"
        assert not b.run(20_000).bad


def test_a_core_that_is_wrong_lights_the_other_led() -> None:
    d = board_design(TOY, board("ulx3s-85f"))
    wrong = simulated(d)[0].replace("x == 8'hd &&", "x == 8'he &&")
    assert wrong != simulated(d)[0]
    with SimulatedBoard(d, rtl(d, wrong)) as b:
        assert b.verdict(20_000, 500) == "bad"
        assert not b.run(20_000).ok


def quick(d: BoardDesign) -> str:
    """Return a design's text with a second of 1,600 cycles."""
    changed = simulated(d)[0].replace(f".Tick({round(d.mhz * 1e6 / 8)})", ".Tick(200)")
    assert changed != simulated(d)[0]
    return changed


def pulses(b: SimulatedBoard, led: str) -> list[int]:
    """Return for how long an LED is lit each time, in two seconds of :func:`quick`."""
    while getattr(b.run(1), led):
        pass
    lit = "".join("#" if getattr(b.run(1), led) else " " for _ in range(3200))
    return [len(pulse) for pulse in lit.strip().split()]


def test_that_all_is_well_blinks_each_second() -> None:
    d = board_design(TOY, board("ulx3s-85f"))
    with SimulatedBoard(d, rtl(d, quick(d))) as b:
        assert b.verdict(20_000, 500) == "ok"
        assert pulses(b, "ok")[0] == 800
        assert len(pulses(b, "ok")) == 2


WORDS = (("word-p256", "ulx3s-85f"), ("word-up5k", "icebreaker"))
MOST = 8_000_000  # cycles: the start-up test of the noise source takes half a million


@pytest.mark.parametrize(("name", "where"), WORDS)
def test_a_word_engine_tests_itself_and_makes_a_key(name: str, where: str) -> None:
    """With its tables, if it takes some, from the flash memory."""
    d = board_design(name, board(where))
    with SimulatedBoard(d, rtl(d)) as b:
        assert b.verdict(MOST) == "ok"
        assert not b.run(100_000).bad


@pytest.mark.parametrize(("name", "where"), WORDS)
def test_without_noise_no_key_is_made(name: str, where: str) -> None:
    d = board_design(name, board(where))
    with SimulatedBoard(d, rtl(d, quick(d), stuck_rings())) as b:
        assert b.verdict(MOST) == "bad"
        assert not b.run(100_000).ok
        assert len(pulses(b, "bad")) == 4  # two a second: no entropy


def test_tables_that_are_damaged_fail() -> None:
    d = board_design(*[(name, board(where)) for name, where in WORDS][1])
    tables = bytearray(d.tables)
    tables[len(tables) // 2] ^= 1
    wrong = replace(d, tables=bytes(tables))
    with SimulatedBoard(wrong, rtl(wrong, quick(wrong))) as b:
        assert b.verdict(MOST) == "bad"
        assert len(pulses(b, "bad")) == 8  # four a second: failed
