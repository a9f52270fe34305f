# SPDX-License-Identifier: Apache-2.0
"""Every kept schedule: verified against its graph, run on numbers, and within its promises."""

import copy
import dataclasses
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ecsm.cli.app import main
from ecsm.cores import store
from ecsm.cores.design import BinaryDesign
from ecsm.cores.gf2m import Binary
from ecsm.cores.store import binary_design
from ecsm.cores.table import family
from ecsm.curves import Point
from ecsm.formulas.gf2m.graph import Kind
from ecsm.presets import PRESETS, binary_preset
from ecsm.presets.gf2m import Preset
from ecsm.schedule import interruptible
from ecsm.schedule.gf2m.microcode import timeline
from ecsm.schedule.gf2m.verify import verify
from ecsm.schedule.program import Result
from ecsm.schedule.types import Schedule, ScheduleError, Slot, Unschedulable

AIMS = {
    "b163-fast": 345,
    "b163-balanced": 430,
    "b163-single": 850,
    "b233-fast": 490,
    "b283-fast": 590,
}


def kp(d: BinaryDesign, k: int, point: Point) -> Result:
    """Return what the microcode computes; masks are random."""
    return family(d.preset).run(d, [(k, point)])[0]


@pytest.mark.parametrize("name", PRESETS)
def test_kept_schedule_is_right(name: str) -> None:
    d = binary_design(name)
    verify(d.graph, d.schedule, d.preset.units)
    assert d.schedule.floor <= d.schedule.cycles_bound <= d.schedule.cycles
    assert d.microcode.cycles == d.schedule.cycles


@pytest.mark.parametrize(("name", "cycles"), AIMS.items())
def test_cycles_meet_the_aim(name: str, cycles: int) -> None:
    assert binary_design(name).microcode.cycles <= cycles


@pytest.mark.parametrize("name", PRESETS)
def test_microcode_computes_kp(name: str) -> None:
    d = binary_design(name)
    p = d.preset
    c = p.curve
    k = 0x5A5A5A5A5A % (1 << p.m)
    result = kp(d, k, c.generator)
    assert result.point == c.mul(k, c.generator)
    assert d.microcode.cycles == d.schedule.cycles
    if p.m < 10:
        assert not kp(d, k, (1, 1 << (p.m - 1))).on_curve or (c.contains((1, 1 << (p.m - 1))))
        for k in range(1 << p.m):
            assert kp(d, k, c.generator).point == c.mul(k, c.generator)


@pytest.mark.parametrize("name", PRESETS)
def test_compressed_microcode_is_the_timeline(name: str) -> None:
    d = binary_design(name)
    flat = timeline(d.graph, d.schedule, d.preset.units, d.preset.curve.field)
    unrolled = list(d.microcode.unrolled())
    assert len(flat) == len(unrolled)
    assert all(a == b for a, b in zip(flat, unrolled, strict=True))


def _moved(schedule: Schedule, part: str, atom: int, **change: object) -> Schedule:
    other = copy.deepcopy(schedule)
    slots: dict[int, Slot] = getattr(other, part)
    slots[atom] = dataclasses.replace(slots[atom], **change)  # type: ignore[arg-type]
    return other


@pytest.mark.parametrize(
    "name",
    ["b163-fast", "toy7-two", "toy7-small", "toy9-balanced", "toy8-ahead", "toy8-ahead-full"],
)
def test_verifier_refuses_every_single_change(name: str) -> None:
    """Move one operation a cycle, or to another register or unit: the verifier must notice."""
    d = binary_design(name)
    s, units = d.schedule, d.preset.units
    noticed = missed = 0
    for part, segment in (("body", d.graph.body), ("tail", d.graph.tail)):
        for op in segment.ops:
            slot = getattr(s, part)[op.atom]
            changes: list[dict[str, object]] = [{"time": slot.time - 1}, {"time": slot.time + 1}]
            if slot.register is not None:
                changes += [{"register": 0}, {"register": None}]
            if op.kind is Kind.PRODUCT:
                changes += [{"unit": None}, {"unit": units.count}]
            for change in changes:
                moved = _moved(s, part, op.atom, **change)
                if getattr(moved, part)[op.atom] == slot:
                    continue
                try:
                    verify(d.graph, moved, units)
                except ScheduleError:
                    noticed += 1
                else:
                    missed += 1
                    assert _answer(name, moved)  # slack: another schedule that is right
    assert noticed > 5 * missed


def _answer(name: str, schedule: Schedule) -> bool:
    """Whether a schedule that the verifier accepts really computes kP."""
    from ecsm.schedule.gf2m.microcode import assemble

    d = binary_design(name)
    c = d.preset.curve
    code = assemble(d.graph, schedule, d.preset.units, d.preset.curve.field)
    k = c.n - 2
    return kp(dataclasses.replace(d, microcode=code), k, c.generator).point == c.mul(k, c.generator)


def test_a_stale_schedule_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p = binary_preset("toy7-fast")
    data = json.loads(store.path(p.name).read_text())
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    with pytest.raises(store.StaleSchedule, match="no schedule"):
        store.load(p)
    data["graph"] = "0" * 16
    store.path(p.name).write_text(json.dumps(data))
    with pytest.raises(store.StaleSchedule, match="another program"):
        store.load(p)
    atom = next(iter(data["body"]))
    for damage in ([0, 0, 0, 0], [True, 0, False, 0], [0, -1, False, 0], [0, 0, False, 10**9]):
        data["body"][atom] = damage
        store.path(p.name).write_text(json.dumps(data))
        with pytest.raises(store.StaleSchedule, match="damaged"):
            store.load(p)
    store.path(p.name).write_text("")
    with pytest.raises(store.StaleSchedule, match="damaged"):
        store.load(p)


@pytest.mark.parametrize(
    ("name", "changed"),
    [("toy7-fast", {"cost": cost}) for cost in ("", None, [1], -1, 1.5, True)]
    + [("toy7-fast", {"cost_bound": 1 << 29}), ("toy7-fast", {"cycles_bound": 20})]
    + [("toy107-halving", {"cycles": 399}), ("toy107-halving", {"ii_bound": 9})],
)  # fmt: skip
def test_a_schedule_with_figures_that_are_none_is_damaged(
    name: str, changed: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.loads(store.path(name).read_text())
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    store.path(name).write_text(json.dumps(data | changed))
    store.design.cache_clear()
    with pytest.raises(store.StaleSchedule, match="damaged"):
        store.design(name)
    store.design.cache_clear()


def solve_and_keep(p: Preset, timing_s: float, network_s: float) -> Schedule:
    schedule = family(p).solve(p, timing_s, network_s)
    store.save(p, schedule)
    return schedule


def test_solver_finds_the_kept_cycles_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = binary_design("toy7-fast").schedule
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    again = solve_and_keep(binary_preset("toy7-fast"), timing_s=60, network_s=3)
    assert again.cycles == kept.cycles == again.cycles_bound
    verify(binary_preset("toy7-fast").graph(), again, binary_preset("toy7-fast").units)
    assert store.load(binary_preset("toy7-fast")).cycles == again.cycles


def test_a_worse_schedule_replaces_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = binary_design("toy7-fast").schedule
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    store.save(binary_preset("toy7-fast"), good)
    more = dataclasses.replace(good, cost=good.cost + 1)
    longer = dataclasses.replace(good, cycles=good.cycles + 1, cost=0)
    as_good = dataclasses.replace(good, cost_bound=good.cost_bound - 1)
    for found, stays in ((more, True), (longer, True), (as_good, False)):
        monkeypatch.setattr(Binary, "solve", lambda *_, found=found: found)
        assert main(["solve", "toy7-fast"]) == 0
        assert (store.load(binary_preset("toy7-fast")) == good) == stays
        shown = capsys.readouterr()
        assert f"toy7-fast: {good.cycles} cycles" in shown.out
        assert ("is better, and stays" in shown.err) == stays


def test_of_several_each_is_solved_or_told_and_a_wrong_name_is_seen_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, asked = binary_design("toy7-fast").schedule, list[str]()

    def one_has_none(of: Binary, p: Preset, *_: float) -> Schedule:
        asked.append(p.name)
        if p.name == "toy8-one":
            raise Unschedulable("no loop")
        return good

    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    monkeypatch.setattr(Binary, "solve", one_has_none)
    assert main(["solve", "toy7-fast", "nonsense"]) == 2
    assert not asked
    assert main(["solve", "toy8-one", "toy7-fast"]) == 1
    assert asked == ["toy8-one", "toy7-fast"]
    assert "ecsm: toy8-one: no loop" in capsys.readouterr().err


def test_a_solve_that_is_terminated_says_so() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ecsm", "solve", "b163-fast", "--network-seconds", "100"],
        stderr=subprocess.PIPE, text=True,
    ) as solve:  # fmt: skip
        assert solve.stderr
        for line in solve.stderr:
            if "loop of" in line:  # the search for its network has begun
                break
        solve.terminate()
        rest = solve.stderr.read()
    assert (solve.returncode, rest.splitlines()[-1]) == (128 + signal.SIGTERM, "ecsm: terminated")


def test_no_time_for_the_network_leaves_the_timing_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = binary_preset("toy5-serial")
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    hasty = solve_and_keep(p, timing_s=60, network_s=1e-4)
    verify(p.graph(), hasty, p.units)
    assert hasty.cycles == hasty.cycles_bound
    assert 0 <= hasty.cost_bound <= hasty.cost


def test_an_interrupted_search_for_a_network_is_no_schedule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, done = interruptible.solve, list[object]()

    def interrupted(*args: Any) -> Any:
        if done:
            raise KeyboardInterrupt
        done.append(search(*args))
        return done[0]

    monkeypatch.setattr(interruptible, "solve", interrupted)
    p = binary_preset("toy7-fast")
    assert store.load(p).ii == store.load(p).ii_bound  # its timing is one search
    with pytest.raises(KeyboardInterrupt):
        family(p).solve(p, 60, 3)
