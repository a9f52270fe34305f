# SPDX-License-Identifier: Apache-2.0
"""Masked programs over prime fields: every scalar on numbers, cycle by cycle, and their words."""

from __future__ import annotations

import dataclasses

import pytest

from ecsm.cores.store import prime_design
from ecsm.cores.table import family
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.hdl.engines.gfp import masked_bits
from ecsm.presets.gfp_table import MASKED, PRIME_PRESETS
from ecsm.presets.table import is_toy
from ecsm.schedule.gfp.machine import Machine

NAMES = [f"{name}-full" for name in MASKED]
TOYS = [name for name in NAMES if is_toy(PRIME_PRESETS[name])]


@pytest.mark.parametrize("name", TOYS)
def test_scalars_with_other_masks_each_time(name: str) -> None:
    """All scalars of the smallest toy; the RTL is tried with all of each."""
    d = prime_design(name)
    c = d.preset.curve
    for k in range(0, 1 << d.preset.scalar_bits, 1 if c.p < 32 else 9):
        (found,) = family(d.preset).run(d, [(k, c.generator)])
        assert found.point == c.mul(k, c.generator), k


@pytest.mark.parametrize("name", TOYS)
def test_points_and_what_is_none(name: str) -> None:
    d = prime_design(name)
    c = d.preset.curve
    assert isinstance(c, PrimeCurve)
    run = family(d.preset).run
    for point in [*c.points()][:: 1 + c.p // 16]:
        (found,) = run(d, [(c.n - 1, point)])
        assert found.point == c.mul(c.n - 1, point)
    off = next((x, 1) for x in range(c.p) if not c.contains((x, 1)))
    (found,) = run(d, [(3, off)])
    assert not found.on_curve


def test_a_result_that_is_computed_twice_and_differs_is_an_error() -> None:
    """The model refuses it, as the core answers with a fault."""
    d = prime_design(TOYS[0])
    p = d.preset
    again = [w for w in d.microcode.words if "x" in w.take][-1]
    # Its sum, which comes two cycles before, becomes zero.
    before = d.microcode.words.index(again) - p.units.sum_latency
    broken = list(d.microcode.words)
    gates = {g for g in broken[before].gates if g.sink[0] != "add"}
    broken[before] = dataclasses.replace(broken[before], gates=gates)
    code = dataclasses.replace(d.microcode, words=broken)
    machine = Machine(code, p.units, p.residues, p.divsteps, p.recode, p.fixed, (1, 1, 1, 1))
    with pytest.raises(ValueError, match="x differs from what it was"):
        machine.run(5, p.curve.generator)


@pytest.mark.parametrize("name", NAMES)
def test_words_have_an_even_number_of_ones(name: str) -> None:
    rows = masked_bits(prime_design(name).microcode)
    assert rows[-1][0] == "parity"
    assert all(sum(bits) % 2 == 0 for bits in zip(*(v for _, v in rows), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_each_flag_is_known_in_words_that_are_in_no_loop(name: str) -> None:
    code = prime_design(name).microcode
    tests = [(i, flag) for i, w in enumerate(code.words) for flag in w.test]
    flags = ["X", "Y", "curve", "infinity", "infinity", "result"]
    assert sorted(flag for _, flag in tests) == flags
    assert all(i < code.first or i > code.last for i, _ in tests)
    assert tests[-1] == (len(code.words) - 1, "infinity")


@pytest.mark.parametrize("change", [{"window": 2}, {"threads": 4}, {"double": True}])
def test_what_no_masked_ladder_can_be(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a masked ladder takes a bit at a time, and one thread"):
        dataclasses.replace(PRIME_PRESETS["p256-fast-full"], **change)  # type: ignore[arg-type]
