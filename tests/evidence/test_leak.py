# SPDX-License-Identifier: Apache-2.0
"""What is found on toys, of which it is known that they show their scalars."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.leak import CERTAIN, FIXED, NETS, Leak, Plan, generator, leak
from ecsm.evidence.campaigns.leak_report import text
from ecsm.evidence.campaigns.moments import Moments, threshold
from ecsm.evidence.campaigns.pieces import kept
from ecsm.evidence.campaigns.subject import CHUNK, CoreJobs
from ecsm.progress import Progress
from tests.evidence.small import core, marked

TOY = "toy7-small"


def found(name: str = TOY, vary: str = "scalar", training: int = 0, scheduler: str | None = None,
          traces: int = CHUNK, seed: int = 1, bits: int = 2000) -> Leak:  # fmt: skip
    plan = Plan(name, vary, traces, training, bits, seed)
    return leak(plan, "ecsm leak", scheduler, 2, Progress())[0]


@pytest.mark.parametrize("name", marked((TOY, "toyp5-v", "toyp8-glv-t", "toyp7-x")))
def test_a_core_leaks_and_its_control_does_not(name: str, here: Path) -> None:
    """One thread and several, one scalar and two."""
    toy, result = core(name), found(name, training=CHUNK)
    assert (result.traces, result.cycles) == (CHUNK, toy.cycles)
    assert result.state == len(toy.circuit.items)
    assert result.threshold == round(threshold(toy.cycles), 3)
    assert result.first.over > 10
    assert result.first.worst > result.threshold
    for null in (result.null_first, result.null_second):
        assert null.over == 0
        assert null.worst < result.threshold
    assert result.words[0].worst == result.first.worst
    assert {w.name for w in result.words} <= {n.partition(", +")[0] for n in toy.names}
    assert sum(w.over for w in result.words) <= result.first.over
    second = [(w.second_over or 0, w.second_worst or 0.0) for w in result.words]
    assert 0 < sum(over for over, _ in second) <= result.second.over
    assert max(worst for _, worst in second) <= result.second.worst, "the words shown are some"
    assert all((over > 0) == (worst > result.threshold) for over, worst in second)
    assert result.nets
    assert {n.name for n in result.nets} <= set(toy.circuit.items)
    assert {n.cycle for n in result.nets} <= {w.cycle for w in result.words}
    single = result.single
    assert single is not None
    assert (single.training, len(single.each)) == (CHUNK, toy.digit_bits)
    assert single.low < single.accuracy <= single.high
    assert single.right == pytest.approx(single.accuracy * single.bits, abs=1)
    assert single.bits >= 2000
    assert single.accuracy > single.guess + 0.02, "a trace without noise tells something"
    assert "first order" in text(result)


def test_two_campaigns_at_once_judge_bits_in_their_own_cycles(here: Path) -> None:
    """Which cycles are asked for is in a file of its own."""
    for result in (found(), found(traces=3 * CHUNK)):
        cycles = sorted(w.cycle for w in result.words[:NETS])
        (asked,) = (
            f for f in here.rglob("cycles-*.npz") if (kept(f) or {})["cycles"].tolist() == cycles
        )
        assert asked.with_name(asked.name.replace("cycles", "nets")).is_file()


def test_a_core_leaks_its_point(here: Path) -> None:
    result = found(vary="point", training=0)
    assert result.first.over > 10
    assert result.null_first.over == result.null_second.over == 0
    assert result.single is None
    assert "One trace" not in text(result)


@pytest.mark.full
@pytest.mark.parametrize("name", ["toyp7-t", "toyp6-m"])
def test_a_program_of_too_few_digits_has_no_templates(name: str, here: Path) -> None:
    """No digit has a turn before it and one behind it: the tests are made all the same."""
    result = found(name, training=CHUNK)
    assert result.single is None
    assert result.first.over > 10
    assert not list(here.rglob("training*"))


def test_what_does_not_depend_on_the_secret_stays_under_the_threshold(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The "fixed" scalars are made random ones: all of the campaign, and nothing to find."""
    inputs = CoreJobs.inputs
    monkeypatch.setattr(
        CoreJobs, "inputs",
        lambda self, rng, vary, fixed: inputs(self, rng, vary, [False] * len(fixed)),
    )  # fmt: skip
    result = found()
    assert (result.first.over, result.second.over) == (0, 0)
    assert result.first.worst < result.threshold
    assert (result.words, result.nets) == ([], [])
    assert "word of the program" not in text(result)


def test_bits_that_tell_in_a_cycle_are_those_that_differ(here: Path) -> None:
    """Beside the campaign: the scalar's own register is among them, and t is that of shares."""
    toy, result = core(TOY), found()
    (file,) = here.rglob("nets-*.npz")
    piece, asked = kept(file), kept(file.with_name(file.name.replace("nets", "cycles")))
    assert piece is not None
    assert asked is not None
    n, cycles = int(piece["count"]), asked["cycles"].tolist()
    assert piece["sums"].shape == (2, len(cycles), len(toy.circuit.items))
    assert piece["sums"].max() <= n
    net = result.nets[0]
    row = cycles.index(net.cycle)
    shares = [piece["sums"][s, row, toy.circuit.items.index(net.name)] / n for s in (0, 1)]
    spread = sum(p * (1 - p) / n for p in shares) ** 0.5
    t = (shares[0] - shares[1]) / spread if spread else CERTAIN
    assert abs(net.t) == pytest.approx(min(abs(t), CERTAIN), rel=0.01)
    assert [abs(n.t) for n in result.nets] == sorted((abs(n.t) for n in result.nets), reverse=True)


def test_moments_are_of_half_fixed_and_half_random_traces(here: Path) -> None:
    """The piece as it is kept, against traces that are made here."""
    found()
    (file,) = here.rglob("moments-0.npz")
    piece, pilot = kept(file), kept(file.with_name("pilot.npz"))
    assert piece is not None
    assert pilot is not None
    assert piece["count"].tolist() == [CHUNK // 2, CHUNK // 4, CHUNK // 4]
    plan, toy = Plan(TOY, "scalar", CHUNK, 0, 1), core(TOY)
    total: Moments | None = None
    with Lanes(toy.circuit) as lanes:
        for batch in range(CHUNK // lanes.lanes):
            rng = generator(plan, "moments", batch)
            classes = [FIXED] * (lanes.lanes // 2) + [1, 2] * (lanes.lanes // 4)
            rng.shuffle(classes)
            asked = toy.inputs(rng, "scalar", [c == FIXED for c in classes])
            of_fixed = {k for k, c in zip(asked.scalars, classes, strict=True) if c == FIXED}
            assert len(of_fixed) == 1
            part = Moments.of(toy.trace(lanes, asked), np.array(classes), 3, pilot["centre"])
            total = part if total is None else total + part
    assert total is not None
    assert (total.sums == piece["sums"]).all()


def test_processes_and_a_cluster_find_the_same(
    pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = found(traces=2 * CHUNK)
    first = {f.name: f.read_bytes() for f in pieces.rglob("*.npz")}
    assert {"pilot.npz", "moments-0.npz", "moments-1.npz"} < set(first)
    for file in pieces.rglob("*.npz"):
        file.unlink()
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        far = found(traces=2 * CHUNK, scheduler=cluster.scheduler_address)
    assert asdict(far) == asdict(local)
    assert {f.name: f.read_bytes() for f in pieces.rglob("*.npz")} == first


def test_more_traces_use_the_pieces_and_another_seed_does_not(here: Path) -> None:
    found()
    times = {f: f.stat().st_mtime_ns for f in here.rglob("*.npz")}
    more = found(traces=CHUNK + 1)
    assert more.traces == 2 * CHUNK
    assert {f: f.stat().st_mtime_ns for f in times if f.stem != "cycles"} == {
        f: t for f, t in times.items() if f.stem != "cycles"
    }
    folders = {f.parent for f in times}
    other = found(seed=2)
    assert {f.parent for f in here.rglob("*.npz")} > folders
    assert other.first.worst != more.first.worst
