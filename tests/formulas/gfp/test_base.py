# SPDX-License-Identifier: Apache-2.0
"""kG by combs: the programs of toys for every scalar, and those of real curves for some."""

from __future__ import annotations

import dataclasses
import random

import pytest

from ecsm.cores.store import prime_design
from ecsm.cores.table import family
from ecsm.curves import Point
from ecsm.curves.comb import Comb
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.presets.gfp import BasePreset
from ecsm.presets.gfp_table import PRIME_PRESETS, masked
from ecsm.schedule.program import Result

NAMES = [name for name, p in PRIME_PRESETS.items() if p.columns]
TOYS = [name for name in NAMES if name.startswith("toy")]
REAL = [name for name in NAMES if name not in TOYS]


def base(name: str) -> BasePreset:
    found = PRIME_PRESETS[name].base
    assert found is not None
    return found


def comb_of(p: BasePreset) -> list[Point]:
    """Return the comb's points."""
    assert isinstance(p.curve, PrimeCurve | EdwardsCurve)
    return p.comb.points(p.curve)


def run(name: str, k: int) -> Result:
    """Return kG of a core's microcode, cycle by cycle."""
    d = prime_design(name)
    (result,) = family(d.preset).run(d, [(k, d.preset.curve.generator)])
    return result


def test_there_are_presets() -> None:
    assert set(REAL) == {"p256-sign", "k256-sign", "ed25519-sign"}
    assert {PRIME_PRESETS[name].upward for name in TOYS} == {False, True}
    assert {PRIME_PRESETS[name].groups % 2 for name in TOYS} == {0, 1}


@pytest.mark.parametrize("name", TOYS)
def test_every_scalar(name: str) -> None:
    p = PRIME_PRESETS[name]
    for k in range(1 << p.scalar_bits):
        assert run(name, k).point == p.curve.mul(k, p.curve.generator), k


@pytest.mark.parametrize("name", REAL)
def test_scalars_of_real_curves(name: str) -> None:
    """The ends of the range, n and its multiples, long runs, and random ones."""
    c, bits = PRIME_PRESETS[name].curve, PRIME_PRESETS[name].scalar_bits
    rng, top = random.Random(name), (1 << bits) - 1
    scalars = [0, 1, 2, 3, c.n - 2, c.n - 1, c.n, c.n + 1, top - 1, top, top // 3, 1 << bits - 1]
    for k in [*scalars, *(rng.getrandbits(bits) for _ in range(6))]:
        assert run(name, k).point == c.mul(k, c.generator), hex(k)


@pytest.mark.parametrize("name", NAMES)
def test_other_points_have_the_first_program(name: str) -> None:
    d = prime_design(name)
    c = d.preset.curve
    assert d.base is not None
    assert d.base.microcode.cycles < d.microcode.cycles
    assert d.of(c.generator) is d.base
    for point in (None, c.neg(c.generator), c.double(c.generator)):
        assert d.of(point) is d


@pytest.mark.parametrize("name", NAMES)
def test_constants_are_multiples_of_the_generator(name: str) -> None:
    p = base(name)
    points = comb_of(p)
    assert None not in points
    assert len(points) == p.comb.entries * p.groups
    assert len(p.fixed) == 3 * len(points)


def test_a_core_without_a_comb_has_one_program() -> None:
    assert PRIME_PRESETS["p256-fast"].base is None
    assert prime_design("toyp8-k").base is None
    assert masked(PRIME_PRESETS["toyp8-b"]).base is None


@pytest.mark.parametrize(
    "change",
    [{"groups": 1}, {"threads": 4}, {"double": True}, {"curve_name": "toyp7x", "window": 1}],
)
def test_bad_presets_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"two groups|takes? complete|has one program"):
        dataclasses.replace(PRIME_PRESETS["toyp8-b"], **change)  # type: ignore[arg-type]


def test_a_comb_with_infinity_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    p = base("toyp8-b")
    points = comb_of(p)
    monkeypatch.setattr(Comb, "points", lambda *_: [*points[1:], None])
    with pytest.raises(ValueError, match="infinity is among"):
        _ = p.program
