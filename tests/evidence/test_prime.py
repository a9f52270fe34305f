# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of prime fields is proven at full width, and wrong arithmetic is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from ecsm.evidence.gfp import divsteps as prime_divsteps
from ecsm.evidence.gfp.divsteps import check_step, overflows, step_width
from ecsm.evidence.gfp.faults import KINDS, SUMS, faults
from ecsm.evidence.gfp.integers import Integers
from ecsm.evidence.gfp.prove import (
    CLAIMS,
    SAMPLES,
    Claim,
    check_adder,
    check_multiplier,
    limbs_of,
    multiply,
    prove_claim,
    read_limbs,
    real,
)
from ecsm.evidence.gfp.reducer import check_reducer
from ecsm.evidence.gfp.units import words
from ecsm.evidence.gfp.words import Run, Words
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import RECOMMENDED
from ecsm.progress import Progress

TOYS = ("toyp7-a", "toyp5-s", "toyp6-m", "toyp8-f", "toyp8-t", "toyp7-x")  # all kinds, threads
MULTIPLIER, ADDER, REDUCER, STEP = CLAIMS.values()


def units(name: str) -> object:
    """Return what decides which units a preset has."""
    p = PRIME_PRESETS[name]
    where = p.multiplier_in, p.adder_in, p.threads, p.max_shift
    return p.curve.p, p.kind, p.ranks, p.digit, p.word, p.step, *where


def different() -> list[object]:
    """Return presets with all units that there are, but toys."""
    names = {units(n): n for n in reversed(PRIME_PRESETS) if not n.startswith("toy")}
    usual = ("p256-small", "p256-fast")
    rest = [n for n in names.values() if n not in usual]
    return [*(pytest.param(n, marks=pytest.mark.full) for n in usual),
            *(pytest.param(n, marks=pytest.mark.slow) for n in rest)]  # fmt: skip


@cache
def netlist(name: str, claim: Claim) -> Words:
    p = PRIME_PRESETS[name]
    with Progress() as tell:
        return words(p, claim.unit(p), tell)


@pytest.mark.parametrize("name", [*TOYS, *different()])
def test_the_units_of_a_preset_are_right(name: str) -> None:
    with Progress() as tell:
        p = PRIME_PRESETS[name]
        proofs = [prove_claim(p, claim, tell, faults=3) for claim in CLAIMS.values()]
    assert [q.wrong for q in proofs] == [""] * 4
    assert [(q.found, q.faults) for q in proofs] == [(3, 3)] * 4


def test_every_recommended_preset_has_a_proof() -> None:
    named = {units(str(getattr(n, "values", [n])[0])) for n in different()}
    assert {units(n) for n in RECOMMENDED if n in PRIME_PRESETS} <= named


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("name", ["toyp5-s", "toyp6-m"])
def test_faults_of_every_kind_are_found(name: str, claim: Claim) -> None:
    """Each makes some operands wrong; those that make none wrong may be no faults."""
    p, seen = PRIME_PRESETS[name], set()
    for kind, faulty in islice(real(p, claim, netlist(name, claim)), 6):
        seen.add(kind)
        assert claim.check(p, faulty, None), kind
    assert len(seen) >= 2
    assert seen <= set(KINDS)


@pytest.mark.parametrize("name", ["toyp6-m", pytest.param("toyp5-s", marks=pytest.mark.full)])
def test_what_is_proven_is_right_on_numbers(name: str) -> None:
    """A fault that the proof does not find is none: no operands that are tried are wrong."""
    p = PRIME_PRESETS[name]
    right = 0
    for kind in KINDS:
        for faulty in islice(faults(netlist(name, MULTIPLIER), kind, SUMS), 0, None, 9):
            if not check_multiplier(p, faulty):
                right += 1
                assert not any(check_multiplier(p, faulty, Random(n)) for n in range(20))
    assert 0 < right < 10


@pytest.mark.parametrize("name", ["toyp7-a", "toyp5-s", "toyp6-m"])
def test_a_netlist_runs_as_the_model_on_numbers(name: str) -> None:
    """The models of cells, without any symbol, against the model of residues."""
    p = PRIME_PRESETS[name]
    if p.kind == "whole":
        p = replace(p, digit=18)  # as the model has it: other digits make other limbs
    r = p.residues
    with Progress() as tell:
        made = words(p, MULTIPLIER.unit(p), tell)
    for seed in range(10):
        z, rng = Integers(), Random(seed)
        run = Run(made, z)
        a, a_bits = limbs_of(z, r.most, r.operand, rng)
        b, b_bits = limbs_of(z, r.most, r.operand, rng)
        multiply(p, run, {"a_i": a_bits, "b_i": b_bits})
        got = [v.exact.constant for v in read_limbs(run, "p_o", r.register)]
        assert got == r.product([v.lo for v in a], [v.lo for v in b])


def other(p: PrimePreset, **fields: object) -> PrimePreset:
    return replace(p, **fields)  # type: ignore[arg-type]


def test_another_prime_latency_or_unit_is_refused() -> None:
    p = PRIME_PRESETS["toyp7-a"]
    made, sums, canon, step = (netlist(p.name, claim) for claim in CLAIMS.values())
    assert check_multiplier(p, made) == ""
    assert "another" in check_multiplier(other(p, curve_name="toyp8a"), made)
    assert "not known" in check_multiplier(other(p, ranks=(1, 7, 8)), made)
    assert "another" in check_adder(other(p, curve_name="toyp8a"), sums)
    assert "number" in check_reducer(other(p, curve_name="toyp7x", window=1), canon)
    assert check_step(p, step) == ""


class Narrow:
    """A preset of which one property is another."""

    def __init__(self, p: PrimePreset, **fields: object) -> None:
        self._p, self._fields = p, fields

    def __getattr__(self, name: str) -> object:
        fields = object.__getattribute__(self, "_fields")
        return fields[name] if name in fields else getattr(self._p, name)


@pytest.mark.parametrize("name", ["toyp7-a", "toyp5-s", "toyp6-m"])
def test_operands_above_the_bounds_are_not_proven(name: str) -> None:
    """Limbs twice as large overflow somewhere, or leave a register's bounds."""
    p = PRIME_PRESETS[name]
    r = p.residues
    wide = Narrow(p, residues=_Wide(r))
    assert check_multiplier(p, netlist(name, MULTIPLIER)) == ""
    assert check_multiplier(wide, netlist(name, MULTIPLIER)) != ""  # type: ignore[arg-type]


class _Wide:
    def __init__(self, r: object) -> None:
        self._r = r

    def __getattr__(self, name: str) -> object:
        found = getattr(self._r, name)
        return [2 * v + 1 for v in found] if name == "most" else found


def test_a_start_too_early_is_not_proven() -> None:
    """Of a serial multiplier whose interval were a cycle less, the proof fails."""
    for name in ("toyp5-s", "toyp6-m", "toyp8-f"):
        p = PRIME_PRESETS[name]
        early = Narrow(p, interval=p.interval - 1)
        assert check_multiplier(early, netlist(name, MULTIPLIER)) != ""  # type: ignore[arg-type]


def test_a_reducer_of_larger_numbers_is_refused() -> None:
    p = PRIME_PRESETS["toyp7-a"]
    small = Narrow(p, max_shift=p.max_shift - 1)
    with Progress() as tell:
        made = words(p, REDUCER.unit(small), tell)  # type: ignore[arg-type]
    assert "too large" in check_reducer(small, made)  # type: ignore[arg-type]


def test_a_reducer_with_a_wrong_multiple_is_found() -> None:
    p = PRIME_PRESETS["toyp7-a"]
    rows = faults(netlist(p.name, REDUCER), "a wrong constant", ("$bmux",))
    found = [check_reducer(p, faulty) for faulty in rows]
    assert found
    assert all(found)


def test_limbs_of_division_steps_that_are_too_narrow_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("toyp7-a", "p256-small", "p521-fast"):
        p = PRIME_PRESETS[name]
        assert not overflows(p)
        narrow = step_width(p) - 2
        monkeypatch.setattr(prime_divsteps, "step_width", lambda _, bits=narrow: bits)
        assert overflows(p)
        monkeypatch.undo()


def test_operands_that_are_tried_differ() -> None:
    z, most = Integers(), PRIME_PRESETS["p256-fast"].residues.most
    tried = {tuple(v.lo for v in limbs_of(z, most, 70, Random(seed))[0]) for seed in range(SAMPLES)}
    assert len(tried) == SAMPLES
