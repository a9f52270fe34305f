# SPDX-License-Identifier: Apache-2.0
"""Sweeps of ``ecsm pnr`` over a place and route that is made up: what is run, kept and lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from filelock import FileLock

from ecsm.backend import floorplan, nextpnr, pnr
from ecsm.backend.nextpnr import Options, Placed
from ecsm.backend.pnr import NothingRouted, Sweep, place
from ecsm.backend.synth import Netlist
from ecsm.backend.tool import Spent
from ecsm.progress import Progress
from ecsm.results.record import (
    DamagedResult,
    Pnr,
    Run,
    load,
    load_unrouted,
    pnr_path,
    save,
    unrouted_path,
)
from ecsm.results.sources import current_digest
from tests.results.files import a_pnr

TOY = "toy7-small"
Clock = Callable[[int, float], float | None]


class Fake:
    """A place and route that answers with ``clock(seed, requested)`` and counts its runs."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.calls = clock, list[tuple[int, float]]()

    def __call__(self, _: Path, options: Options, seed: int, mhz: float, limit: float,
                 *rest: object) -> Run:  # fmt: skip
        self.calls.append((seed, mhz))
        got = self.clock(seed, mhz)
        failure = "" if got else "unroutable: 9 wires overused since iteration 1 of 61"
        return Run(options.text, seed, mhz, got, failure, 5.0, 100)


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fake]:
    """Run a sweep with a made-up clock; the cache and the results are in ``tmp_path``."""
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    netlist = Netlist("key", tmp_path / "n.json", tmp_path / "n.v", Spent(1, 1))
    netlist.json.write_text("{}")
    monkeypatch.setattr(pnr, "harness_netlist", lambda *_: netlist)

    def run(clock: Clock, what: Sweep | None = None, command: str = "") -> Fake:
        fake = Fake(clock)
        monkeypatch.setattr(pnr, "place_and_route", fake)
        place(TOY, what or Sweep(), Progress(), tmp_path, command)
        return fake

    return run


def kept(tmp_path: Path) -> Pnr:
    found = load(Pnr, pnr_path(TOY, tmp_path))
    assert found is not None
    return found


def test_rounds_go_on_while_they_gain(tmp_path: Path, sweep: Callable[..., Fake]) -> None:
    got = {100.0: 80.0, 88.0: 84.0, 92.4: 85.0, 93.5: 99.0}
    fake = sweep(lambda seed, mhz: got[mhz] - seed + 1, Sweep(rounds=9))
    asked = list(dict.fromkeys(mhz for _, mhz in fake.calls))
    assert asked == [100.0, 88.0, 92.4]  # 85 is less than 2 % more than 84
    assert (kept(tmp_path).mhz, kept(tmp_path).mhz_median) == (85.0, 84.0)


def test_a_request_that_changes_nothing_ends_the_sweep(sweep: Callable[..., Fake]) -> None:
    fake = sweep(lambda seed, mhz: 70.0 + seed)
    assert fake.calls == [(1, 100.0), (2, 100.0), (3, 100.0), (3, 80.3)]


def test_rounds_are_limited(sweep: Callable[..., Fake]) -> None:
    fake = sweep(lambda seed, mhz: mhz + seed, Sweep(seeds=2, rounds=2))
    assert len(fake.calls) == 4


def test_a_sweep_begins_at_its_first_seed_and_runs_are_added(sweep: Callable[..., Fake]) -> None:
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(seeds=1, rounds=1))
    fake = sweep(lambda seed, mhz: 60.0 + seed, Sweep(seeds=2, rounds=1, first=4))
    assert [seed for seed, _ in fake.calls] == [4, 5]


def test_of_seeds_that_are_tried_the_best_are_routed(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    expected = {2: 50.0, 3: 80.0, 4: None, 5: 70.0, 6: 60.0}

    def place_only(_: Path, options: Options, seed: int, mhz: float, *rest: object) -> Placed:
        tried.append(seed)
        clock = expected[seed]
        return Placed(options.text, seed, mhz, clock, "ERROR: none" * (clock is None), 5.0)

    monkeypatch.setattr(pnr, "place_only", place_only)
    what = Sweep(seeds=2, rounds=1, first=2, tries=5)
    assert sweep(lambda *_: 90.0, what).calls == [(3, 100.0), (5, 100.0)]
    assert tried == [2, 3, 4, 5, 6]
    result = kept(tmp_path)
    assert (result.mhz, len(result.runs)) == (90.0, 2)  # estimates are no results
    assert sweep(lambda *_: 1.0, what).calls == []
    assert len(tried) == 5  # placements are kept
    expected.update(dict.fromkeys(expected))
    with pytest.raises(NothingRouted, match="ERROR: none"):
        sweep(lambda *_: 1 / 0, replace(what, again=True))


def test_an_interrupted_sweep_goes_on_where_it_was(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    def interrupted(seed: int, mhz: float) -> float:
        if seed == 3:
            raise KeyboardInterrupt
        return 60.0 + seed

    with pytest.raises(KeyboardInterrupt):
        sweep(interrupted, Sweep(rounds=1))
    assert kept(tmp_path).mhz == 62.0  # what was finished counts already
    assert len(kept(tmp_path).runs) == 2
    fake = sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    assert fake.calls == [(3, 100.0)]
    assert kept(tmp_path).mhz == 63.0
    assert sweep(lambda *_: None, Sweep(rounds=1)).calls == []
    assert len(sweep(lambda *_: 50.0, Sweep(rounds=1, again=True)).calls) == 3


def test_two_at_once_do_a_run_once(tmp_path: Path, sweep: Callable[..., Fake]) -> None:
    """The second waits for the first, that has the run's lock, and takes what it kept."""
    one = Sweep(seeds=1, rounds=1)
    sweep(lambda *_: 61.0, one)
    folder = tmp_path / "cache" / "flow" / TOY / "pnr"
    (runs,) = folder.glob("key-*.json")
    first = runs.read_bytes()
    runs.unlink()
    pnr_path(TOY, tmp_path).unlink()
    (log,) = folder.glob("heap-*.lock")
    with ThreadPoolExecutor(1) as pool:
        with FileLock(log):
            second = pool.submit(sweep, lambda *_: 1.0, one)
            with pytest.raises(TimeoutError):
                second.result(0.5)
            runs.write_bytes(first)
        assert second.result(20).calls == []
    assert kept(tmp_path).mhz == 61.0


def test_two_at_once_are_both_in_the_result(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is held up between what it read and what it writes."""
    reads, wrote, writer = Event(), Event(), save

    def save_late(path: Path, record: Pnr) -> None:
        if not reads.is_set():
            reads.set()
            wrote.wait(2)  # the second cannot, if it waits its turn
        writer(path, record)

    monkeypatch.setattr(pnr, "save", save_late)

    def clock(seed: int, _: float) -> float:
        return 60.0 + seed

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(sweep, clock, Sweep(seeds=1, rounds=1))
        assert reads.wait(60)
        sweep(clock, Sweep(seeds=1, rounds=1, first=2))
        wrote.set()
        first.result(60)
    assert [r.mhz for r in kept(tmp_path).runs] == [61.0, 62.0]


def test_the_command_is_that_of_the_best_run(tmp_path: Path, sweep: Callable[..., Fake]) -> None:
    """A sweep that made it no better does not say how it is made again; one that has it, does."""
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(seeds=3, rounds=1), "ecsm first")
    sweep(lambda seed, mhz: 50.0, Sweep(seeds=1, rounds=1, first=9), "ecsm second")
    assert (kept(tmp_path).mhz, kept(tmp_path).origin.command) == (63.0, "ecsm first")
    sweep(lambda seed, mhz: 70.0, Sweep(seeds=1, rounds=1, first=4), "ecsm third")
    assert (kept(tmp_path).mhz, kept(tmp_path).origin.command) == (70.0, "ecsm third")


@pytest.mark.parametrize("clock", [60.0, None])
def test_a_sweep_that_only_finds_a_run_did_not_make_it(
    clock: float | None, tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    result = (pnr_path if clock else unrouted_path)(TOY, tmp_path)
    for command in ("ecsm first", "ecsm second"):
        with suppress(NothingRouted):
            sweep(lambda *_: clock, Sweep(seeds=1, rounds=1), command)
        assert '"command": "ecsm first"' in result.read_text()


def test_runs_are_taken_from_the_result_when_the_cache_is_gone(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "other"))
    assert sweep(lambda *_: 1.0, Sweep(rounds=1)).calls == []
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "third"))
    assert len(sweep(lambda *_: 50.0, Sweep(seeds=1, rounds=1, first=4)).calls) == 1
    assert [r.mhz for r in kept(tmp_path).runs] == [61.0, 62.0, 63.0, 50.0]


def test_runs_of_the_result_are_kept_beside_those_of_the_cache(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was made for another folder of results is no reason to forget any."""
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "other"))
    result = pnr_path(TOY, tmp_path)
    aside = result.rename(tmp_path / "aside")
    sweep(lambda *_: 61.0, Sweep(seeds=1, rounds=1))
    aside.rename(result)
    assert sweep(lambda *_: 1.0, Sweep(seeds=1, rounds=1)).calls == []
    assert sorted(r.mhz or 0.0 for r in kept(tmp_path).runs) == [61.0, 62.0, 63.0]


def test_a_run_that_is_repeated_and_fails_leaves_the_one_that_routed(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    before = kept(tmp_path).runs
    with pytest.raises(NothingRouted, match="earlier results are unchanged"):
        sweep(lambda *_: None, Sweep(seeds=1, first=3, rounds=1, again=True))
    assert kept(tmp_path).runs == before
    sweep(lambda *_: 70.0, Sweep(seeds=1, first=3, rounds=1, again=True))
    assert kept(tmp_path).mhz == 70.0


def test_an_unroutable_core_leaves_earlier_results(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    earlier = a_pnr(TOY)
    save(pnr_path(TOY, tmp_path), earlier)
    with pytest.raises(NothingRouted, match=r"unroutable.*earlier results are unchanged"):
        sweep(lambda *_: None)
    assert kept(tmp_path) == earlier
    assert not unrouted_path(TOY, tmp_path).exists()


def test_that_no_run_ever_routed_is_a_result_until_one_does(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in (1, 2):
        with pytest.raises(NothingRouted):
            sweep(lambda *_: None, Sweep(seeds=1, rounds=1, first=seed))
    found = load_unrouted(TOY, tmp_path)
    assert found is not None
    assert [r.seed for r in found.runs] == [1, 2]
    assert found.why == "unroutable: 9 wires overused since iteration 1 of 61"
    assert found.origin.rtl == current_digest(TOY)
    assert not pnr_path(TOY, tmp_path).exists()
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "other"))
    with pytest.raises(NothingRouted):  # it is not tried again, and the other seed not forgotten
        sweep(lambda *_: 1 / 0, Sweep(seeds=1, rounds=1))
    assert load_unrouted(TOY, tmp_path) == found
    sweep(lambda *_: 60.0, Sweep(seeds=1, rounds=1, first=3))
    assert load_unrouted(TOY, tmp_path) is None
    assert [r.mhz for r in kept(tmp_path).runs] == [None, None, 60.0]


def test_a_run_that_routed_is_the_result_although_the_next_did_not(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    """Of one cache and two folders of results."""
    sweep(lambda *_: 60.0, Sweep(seeds=1, rounds=1))
    pnr_path(TOY, tmp_path).unlink()
    with pytest.raises(NothingRouted):
        sweep(lambda *_: None, Sweep(seeds=1, rounds=1, first=2))
    assert [r.mhz for r in kept(tmp_path).runs] == [60.0, None]
    assert not unrouted_path(TOY, tmp_path).exists()


def test_a_seed_that_does_not_route_is_counted_and_no_clock(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    sweep(lambda seed, mhz: None if seed == 2 else 60.0 + seed, Sweep(rounds=1))
    result = kept(tmp_path)
    assert (result.mhz, result.mhz_median) == (63.0, 62.0)
    assert [r.mhz for r in result.runs] == [61.0, None, 63.0]


def test_what_ran_out_of_time_is_tried_again_only_with_more(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Fake(lambda *_: None)

    def timed(*args: object) -> Run:
        run = slow(*args)  # type: ignore[arg-type]
        return replace(run, failure="not routed in 1 min", seconds=60.0)

    monkeypatch.setattr(pnr, "place_and_route", timed)
    one = Sweep(seeds=1, rounds=1, limit_s=60.0)
    for _ in range(2):
        with pytest.raises(NothingRouted, match="not routed in 1 min"):
            place(TOY, one, Progress(), tmp_path)
    assert len(slow.calls) == 1
    assert len(sweep(lambda *_: 50.0, replace(one, limit_s=120.0)).calls) == 1


def test_other_options_are_other_runs_of_the_same_result(
    tmp_path: Path, sweep: Callable[..., Fake]
) -> None:
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    static = Sweep(rounds=1, options=Options("static", "router2"))
    assert len(sweep(lambda seed, mhz: 50.0 + seed, static).calls) == 3
    result = kept(tmp_path)
    assert (result.mhz, result.mhz_median, len(result.runs)) == (63.0, 62.0, 6)


def test_runs_of_an_earlier_floorplan_are_forgotten(
    tmp_path: Path, sweep: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floorplan, "planned", lambda *_: tmp_path)
    one = Sweep(seeds=1, rounds=1, options=Options("static", floorplan=True))
    sweep(lambda *_: 90.0, one)
    sweep(lambda *_: 50.0, replace(one, options=Options("static")))
    monkeypatch.setattr(nextpnr, "FLOORPLAN", nextpnr.FLOORPLAN + 1)
    assert len(sweep(lambda *_: 80.0, one).calls) == 1
    assert [r.mhz for r in kept(tmp_path).runs] == [50.0, 80.0]
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "other"))
    assert sweep(lambda *_: 1.0, one).calls == []
    monkeypatch.setattr(nextpnr, "FLOORPLAN", nextpnr.FLOORPLAN + 1)
    sweep(lambda *_: 70.0, one)
    assert [r.mhz for r in kept(tmp_path).runs] == [50.0, 70.0]


@pytest.mark.parametrize("where", [pnr_path, unrouted_path])
def test_damaged_results_are_refused_before_any_work(
    tmp_path: Path, sweep: Callable[..., Fake], where: Callable[[str, Path], Path]
) -> None:
    path = where(TOY, tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    with pytest.raises(DamagedResult):
        sweep(lambda *_: 1 / 0)
    assert path.read_text() == "[]"


@pytest.mark.parametrize("mhz", ["-5.0", "0.0", "1e400", "null"])
def test_a_clock_in_the_cache_that_is_none_is_refused(
    tmp_path: Path, sweep: Callable[..., Fake], mhz: str
) -> None:
    sweep(lambda *_: 61.0, Sweep(rounds=1))
    (file,) = (tmp_path / "cache" / "flow" / TOY / "pnr").glob("*.json")
    file.write_text(file.read_text().replace("61.0", mhz))
    with pytest.raises(DamagedResult, match="is damaged"):
        sweep(lambda *_: 50.0)
    assert kept(tmp_path).mhz == 61.0


@pytest.mark.parametrize("what", ["{", "{}", '[{"seed": 1}]'])
def test_damaged_runs_in_the_cache_are_refused(
    tmp_path: Path, sweep: Callable[..., Fake], what: str
) -> None:
    sweep(lambda seed, mhz: 60.0 + seed, Sweep(rounds=1))
    (file,) = (tmp_path / "cache" / "flow" / TOY / "pnr").glob("*.json")
    file.write_text(what)
    with pytest.raises(DamagedResult, match="is damaged"):
        sweep(lambda *_: 50.0)
