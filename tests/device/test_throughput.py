# SPDX-License-Identifier: Apache-2.0
"""How often a core that is never short of jobs answers, alone and in a farm, threads among them."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from ecsm.cores.store import design
from ecsm.device.sim import SimDevice
from ecsm.measure.selftest import run
from ecsm.measure.simulate import simulate
from ecsm.presets.table import all_presets, is_toy, preset
from tests.results.files import ecsm

TOYS = ("toy7-fast", "toy5-serial", "toy107-halving", "toyp7-t", "toyp8-t", "toyp8-k", "toyp5-u")
REAL = [pytest.param(p.name, marks=pytest.mark.slow) for p in all_presets() if not is_toy(p)]


@pytest.mark.parametrize("name", [*TOYS, *REAL])
def test_an_engine_pauses_between_jobs_as_its_preset_says(name: str) -> None:
    p = preset(name)
    batches = 4
    k = p.curve.n - 2
    with SimDevice(name) as device:
        jobs = ((k, design(name).point) for _ in range(p.threads * (batches + 1)))
        clocks = [device.clock for done in device.as_completed(jobs) if done.error is None]
        ends = clocks[p.threads - 1 :: p.threads]
        assert {b - a for a, b in itertools.pairwise(ends)} == {device.info().cycles + p.pause}


@pytest.mark.parametrize(("name", "engines"), [("toyp7-t", 2), ("toyp8-glv-t", 3)])
@pytest.mark.parametrize("count", [10, 100])
def test_a_farm_of_cores_with_threads_passes_its_selftest(
    name: str, engines: int, count: int
) -> None:
    found = json.loads(ecsm("test", name, "--engines", engines, "--count", count, "--json").stdout)
    assert (found["passed"], found["failed"]) == (True, [])


@pytest.mark.parametrize("engines", [2, 3])
def test_a_bench_of_threads_counts_whole_batches(engines: int) -> None:
    """More turns of the farm give no other number."""
    (row,) = json.loads(ecsm("bench", "toyp7-t", "--engines", engines, "--json").stdout)
    p = preset("toyp7-t")
    turn = p.threads * engines
    with SimDevice("toyp7-t", engines=engines) as device:
        jobs = ((5, p.curve.generator) for _ in range(60 * turn))
        clocks = [device.clock for _ in device.as_completed(jobs)]
    mean = (clocks[50 * turn] - clocks[10 * turn]) / (40 * turn)
    assert row["cycles_per_kp"] == pytest.approx(mean, rel=0.002)


def test_a_core_of_kg_is_measured_by_what_every_point_takes() -> None:
    cycles, base = design("toyp8-b").microcode.cycles, design("toyp8-b").base_cycles
    assert base < cycles
    assert simulate("toyp8-b", 0.05, lambda _: None)["cycles"] == cycles
    (row,) = json.loads(ecsm("bench", "toyp8-b", "--engines", "2", "--json").stdout)
    assert row["cycles"] == cycles
    assert row["cycles_per_kp"] > cycles / 2


@pytest.mark.parametrize("engines", [1, 2])
def test_a_core_of_kg_passes_its_selftest(engines: int) -> None:
    cycles, base = design("toyp8-b").microcode.cycles, design("toyp8-b").base_cycles
    words = ("toyp8-b", "--count", "20", "--engines", engines)
    found = json.loads(ecsm("test", *words, "--json").stdout)
    assert (found["passed"], found["cycles"], found["base_cycles"]) == (True, [cycles], [base])
    text = ecsm("test", *words).stdout
    assert f"cycles     {cycles} in every case, {base} where the point is G\nPASS" in text


def test_a_selftest_fails_for_other_cycles_of_kg(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for those of another point."""
    d = design("toyp8-b")
    wrong = dataclasses.replace(d, base=dataclasses.replace(d.base or d, microcode=d.microcode))
    monkeypatch.setattr("ecsm.measure.selftest.design", lambda _: wrong)
    summary = run("toyp8-b", 20, lambda _: None)
    assert (summary.passed, summary.failed) == (False, [])


@pytest.mark.parametrize("name", ["toyp7-t", "toyp8-glv-t"])
@pytest.mark.parametrize("engines", [1, 2])
def test_threads_are_ready_and_empty_after_zeroize_and_reset(name: str, engines: int) -> None:
    g = preset(name).curve.generator
    with SimDevice(name, engines=engines) as device:
        for after in range(0, device.info().cycles + 8, 61):
            for reset in (False, True):
                device.abort(5, g, after, reset)
        assert device.kp(5, g) == preset(name).curve.mul(5, g)
