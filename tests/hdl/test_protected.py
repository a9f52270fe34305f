# SPDX-License-Identifier: Apache-2.0
"""Protected cores: every multiple of toy curves, the package, and what refuses random words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from ecsm.boards.board import board
from ecsm.boards.designs import board_design
from ecsm.cores.store import design
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.device.base import NoDevice
from ecsm.device.sim import SimDevice
from ecsm.hdl.build import Build
from ecsm.hdl.machines import machine
from ecsm.narrow.units import UnknownUnit, unit
from ecsm.presets.table import PRESETS, PROTECTED, binary_preset, is_toy

TOYS = [name + more for name in PROTECTED if is_toy(PRESETS[name]) for more in ("-check", "-full")]
FULL = "toy7-small-full"


def points(c: BinaryCurve) -> list[tuple[int, int]]:
    """Return the points of a toy curve but infinity."""
    every = ((x, y) for x in range(c.q) for y in range(c.q))
    return [point for point in every if c.contains(point)]


@pytest.mark.parametrize("name", TOYS)
def test_every_multiple_is_right(name: str) -> None:
    """All scalars of the port, of points of each order, each with masks of its own."""
    c = binary_preset(name).curve
    some = [None, *points(c)][:: max(1, c.n * c.h // 8)]
    jobs = [(k, point) for point in some for k in range(c.q)]
    with SimDevice(name) as device:
        found = device.kp_many(jobs)
        assert [c.mul(k, point) for k, point in jobs] == list(islice(found, len(jobs)))


def test_a_core_takes_its_random_words_or_none() -> None:
    assert "random_valid_i" in Build(design(FULL)).modules()[binary_preset(FULL).module]
    for name in ("toy7-small", "toy7-small-check"):
        module = Build(design(name)).modules()[binary_preset(name).module]
        assert "input  logic random_valid_i" not in module


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Build(design(FULL), engines=2), ValueError),
        (lambda: Build(design(FULL), attach="axil"), ValueError),
        (lambda: Build(design(FULL), attach="stream"), ValueError),
        (lambda: Build(design("b163-small-full"), schemes=True), ValueError),
        (lambda: machine("b163-small-full"), ValueError),
        (lambda: unit(f"core-{FULL}"), UnknownUnit),
        (lambda: board_design(FULL, board("ulx3s-85f")), NoDevice),
    ],
)
def test_what_gives_no_random_words_refuses_the_core(
    make: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"random words|no unit"):
        make()


def test_schemes_take_a_core_that_checks() -> None:
    assert machine("b163-small-check").design is not None
