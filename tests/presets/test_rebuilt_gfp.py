# SPDX-License-Identifier: Apache-2.0
"""The rebuilt published designs over prime fields: their stated structure, cycles and places."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ecsm.cores.store import prime_design
from ecsm.formulas.gfp.weierstrass import COLUMNS, Weierstrass
from ecsm.hdl.engines.gfp import shape
from ecsm.measure.published import ORIGINALS
from ecsm.presets.gfp_table import PRIME_PRESETS

NAMES = [name for name, p in PRIME_PRESETS.items() if p.published]
every = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Structure:
    """What a rebuilt preset must be: see docs/results/published.md.

    ``step``: bits of a digit. ``product``: cycles of a product, ``reduction`` those behind it.
    ``doublings``, ``additions``: of the windows. ``body``: products of a turn.
    """

    curve: str
    window: int
    step: int
    product: int
    reduction: int
    multiplier_in: str
    adder_in: str
    doublings: int
    additions: int
    body: int


# Jacobian: 8 products a doubling, 14 an addition of a point with Z, Z^2 and Z^3. Complete formulas:
# 8, and 32 the two additions of a turn, the endomorphism's image included.
STRUCTURES = {
    "guneysu-p224": Structure("secp224r1", 4, 16, 15, 9, "dsp", "dsp", 224, 56, 46),
    "guneysu-p256": Structure("secp256r1", 4, 16, 17, 9, "dsp", "dsp", 256, 64, 46),
    "psec-secp256r1": Structure("secp256r1", 2, 27, 10, 9, "lut", "lut", 254, 127, 30),
    "psec-secp256k1": Structure("secp256k1", 3, 27, 10, 9, "lut", "lut", 126, 84, 56),
}


@every
def test_units_are_those_of_the_document(name: str) -> None:
    p, s = PRIME_PRESETS[name], STRUCTURES[name]
    assert (p.curve_name, p.kind, p.step, p.threads) == (s.curve, "column", s.step, 1)
    assert p.units.interval == s.product
    assert p.units.latency == s.product + s.reduction
    assert (p.multiplier_in, p.adder_in) == (s.multiplier_in, s.adder_in)
    places = {"mul_in_dsp": s.multiplier_in == "dsp", "add_in_dsp": s.adder_in == "dsp"}
    assert {name: bool(shape(p)[name]) for name in places} == places


@every
def test_points_are_doubled_and_added_as_often_as_stated(name: str) -> None:
    d, s = prime_design(name), STRUCTURES[name]
    p = d.preset
    assert p.window == s.window
    halves = 2 if p.endomorphism else 1
    assert d.graph.trips * p.window == s.doublings
    assert d.graph.trips * halves == s.additions
    assert len(d.graph.body.products()) == s.body
    assert d.schedule.ii == d.schedule.ii_bound == s.body * s.product  # the multiplier never waits
    assert not p.variable_time


@pytest.mark.parametrize("name", ["guneysu-p224", "guneysu-p256"])
def test_a_column_of_16_blocks_and_chudnovsky_coordinates(name: str) -> None:
    p = PRIME_PRESETS[name]
    sizes = shape(p)
    assert sizes["num_limb"] * -(-sizes["op_w"] // p.digit) * -(-p.step // p.digit) == 16
    assert COLUMNS == ("X", "Y", "Z", "ZZ", "ZZZ")
    d = prime_design(name)
    assert {c for places in d.graph.head.stores.values() for _, c in places} == set(COLUMNS)
    assert isinstance(p.program, Weierstrass)
    assert p.program.entries == 8  # P, 3P, ..., 15P


@pytest.mark.parametrize("name", ["psec-secp256r1", "psec-secp256k1"])
def test_cycles_of_the_report_are_within_a_tenth(name: str) -> None:
    published = ORIGINALS[name].cycles
    assert published is not None
    assert abs(prime_design(name).microcode.cycles - published) <= published / 10


@pytest.mark.parametrize("name", ["guneysu-p224", "guneysu-p256"])
def test_the_column_is_faster_than_the_original(name: str) -> None:
    """The slides do not say what a product takes beside its column's cycles; ours overlap."""
    published = ORIGINALS[name].cycles
    assert published is not None
    assert 3 < published / prime_design(name).microcode.cycles < 6
