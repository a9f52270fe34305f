# SPDX-License-Identifier: Apache-2.0
"""Each countermeasure of the masked engine over a prime field, as in test_countermeasures.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.subject import CoreJobs
from ecsm.presets.gfp import PrimePreset
from tests.evidence.countermeasures import (
    Case,
    broken,
    control,
    found_in,
    random_bits,
    states,
    status,
)
from tests.evidence.small import core

FULL, OTHER = "toyp8-c-full", "toyp7-c-full"
STREAMS = r"\.u_keys\.|\.u_roles\."
OPERANDS = r"u_mul\.(a|b)\["


def drawn(it: CoreJobs, roles: bool = True, factor: bool = True) -> Callable[[random.Random], int]:
    """Return how numbers are drawn: the roles above, the factors below; else they are ones."""
    p = it.design.preset
    assert isinstance(p, PrimePreset)
    low = 4 * p.factor_random_bits
    fixed = (0 if roles else (1 << p.random_bits) - (1 << low)) | (0 if factor else (1 << low) - 1)
    return lambda rng: rng.getrandbits(p.random_bits) | fixed


def shares(it: CoreJobs) -> bool:
    """The keys have both values; with what follows from them they are alike for two scalars."""
    cycles = range(1, it.last, 7)
    means = [
        states(it, rf"{STREAMS}|u_engine\.enable", k, drawn(it), cycles).mean(axis=2)
        for k in (5, 58)
    ]
    with Lanes(it.circuit) as lanes:
        bound = 6 * (0.5 / lanes.lanes) ** 0.5
    alike = bool(np.abs(means[0] - means[1]).max() < bound)
    return random_bits(it, r"u_keys\.bits", drawn(it)) and alike


def values(it: CoreJobs, **which: bool) -> int:
    """Return how many values the operands have in some cycle of a turn: the least of all turns."""
    turns, offsets = it.turns[4:-3], range(0, 30, 2)
    found = states(it, OPERANDS, 5, drawn(it, **which), [c + o for c in turns for o in offsets])
    counts = [len(np.unique(bits, axis=1).T) for bits in found]
    each = [counts[i : i + len(offsets)] for i in range(0, len(counts), len(offsets))]
    return min(map(max, each))


def places(it: CoreJobs) -> bool:
    """The roles have both values, and so an operand has one point or the other."""
    return random_bits(it, r"u_roles\.bits", drawn(it)) and values(it, factor=False) > 1


def factor(it: CoreJobs) -> bool:
    """The points of one job have as many coordinates as there are random factors, or nearly."""
    return values(it, roles=False) >= 24


def parity(it: CoreJobs) -> bool:
    """A flip in the streams of the scalar, or in the parity of what left them."""
    return found_in(it, STREAMS, range(1, it.last - 2, 9))


def words(it: CoreJobs) -> bool:
    """A flip in what a word is decoded to, or in the word as it comes out of its memory."""
    decoded = r"u_engine\.(enable|moves|read|take|next)\b|u_control\.odd_q"
    arrived = r"u_control\.(control|gate|parity)\b"
    return found_in(it, decoded, range(3, it.last - 3, 11)) and found_in(
        it, arrived, range(2, it.last - 3, 11)
    )


def twice(it: CoreJobs) -> bool:
    """A flip of a coordinate of the result before the answer, wherever it is stored."""
    return found_in(it, r"u_answers\.(value_q|odd_q)", range(2, it.last - 1, 13))


def held(it: CoreJobs) -> bool:
    """A flip of what the engine holds of a job, of masks or matrix, of a load, of the range."""
    pairs = r"u_engine\.(range_q|inside_q|accepted_q|idle_q|divided_q|whole_q)"
    return found_in(it, pairs, [1, 2, 3, *range(4, it.last - 1, 7)])


CASES = {
    "KEY.SHARES": Case(shares, (FULL, OTHER)),
    "POINT.PLACES": Case(places, (FULL, OTHER)),
    "POINT.FACTOR": Case(factor, (FULL, OTHER)),
    "KEY.PARITY": Case(parity, (FULL, OTHER)),
    "WORD.PARITY": Case(words, (FULL, OTHER)),
    "RESULT.TWICE": Case(twice, (FULL, OTHER)),
    "STATE.REDUNDANCY": Case(held, (FULL, OTHER)),
}  # fmt: skip


@pytest.mark.parametrize(("case", "name"), [(c, p) for c in CASES for p in CASES[c].presets])
def test_a_countermeasure_does_what_it_is_for(case: str, name: str) -> None:
    assert CASES[case].claim(core(name))


@pytest.mark.parametrize("claim", [control, status], ids=["CTRL.REDUNDANCY", "STATUS.REDUNDANCY"])
def test_the_front_does_the_same_as_for_a_ladder(claim: Callable[[CoreJobs], bool]) -> None:
    assert claim(core(FULL))


@pytest.mark.parametrize("case", CASES)
def test_without_it_the_same_is_not_so(case: str, tmp_path: Path) -> None:
    it = CASES[case]
    assert not it.claim(broken(core(it.presets[0]), case, tmp_path))


@pytest.mark.parametrize("name", ["toy7-small-full", "toy8-ahead-full", FULL, OTHER])
def test_a_job_that_waits_for_random_words_leaves_no_scalar_in_a_register(name: str) -> None:
    """The request stands at the port, and the pool is empty: registers are as for any scalar."""
    it = core(name)
    nets = [2 + it.circuit.inputs + i for i in range(len(it.circuit.registers))]
    with Lanes(it.circuit) as lanes:
        it.reset(lanes)
        lanes.set("zeroize_i", 1)  # the pool is empty
        lanes.run(1)
        lanes.set("zeroize_i", 0)
        lanes.set("random_valid_i", 0)
        lanes.run(64)
        bits = it.design.preset.scalar_bits
        lanes.set("req_scalar_i", lanes.each([i % (1 << bits) for i in range(lanes.lanes)], bits))
        lanes.set("req_valid_i", 1)
        for _ in range(4):
            lanes.run(1)
            planes = np.unpackbits(lanes.planes(nets), axis=1, bitorder="little")
            told = [n for n, row in zip(it.circuit.registers, planes, strict=True) if np.ptp(row)]
            assert told == []
        assert not any(lanes.get("req_ready_o"))
