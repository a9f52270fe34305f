# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc place`` beside itself, with synthesis and nextpnr made up."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from ecsm.measure import soc_place
from ecsm.measure.soc_place import (
    SocPlace,
    SocPlaces,
    load_places,
    place_path,
    place_soc,
    place_table,
)
from ecsm.progress import Progress
from ecsm.results.record import DamagedResult, Run, load, read_json, write_json
from tests.results.files import Told, a_run, ecsm

Until = Callable[[], object]


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[Until]]:
    """Begin and end of every run of a made-up nextpnr, and what a run waits for."""
    events: list[str] = []
    until: list[Until] = []

    def run(netlist: Path, *args: Any) -> Run:
        label = args[5]
        events.append(f"begin {label}")
        until[0]()
        events.append(f"end {label}")
        return a_run(mhz=50.0 + args[1])

    module: dict[str, Any] = {"ports": {}, "cells": {}, "netnames": {}}
    monkeypatch.setattr(soc_place, "mapped", lambda *_: (module, None))
    monkeypatch.setattr(soc_place, "place_and_route", run)
    monkeypatch.setattr(soc_place, "tools", lambda *_: {})
    monkeypatch.setattr(soc_place, "flow_dir", lambda _: tmp_path)
    return events, until


def place(name: str, log: Progress, root: Path) -> SocPlace:
    return place_soc(name, "tc", 50.0, 2, 60.0, log, root)


def test_two_of_one_system_take_turns(
    tmp_path: Path, made_up: tuple[list[str], list[Until]]
) -> None:
    events, until = made_up
    log = Told()

    def second_has_come() -> None:
        limit = time.monotonic() + 60
        while not log.lines and time.monotonic() < limit:
            time.sleep(0.01)

    until.append(second_has_come)
    with ThreadPoolExecutor(2) as two:
        both = [two.submit(place, "field-163", log, tmp_path) for _ in range(2)]
    assert [f.result().run.mhz for f in both] == [52.0, 52.0]
    assert [e.split()[0] for e in events] == ["begin", "end"] * 4
    assert log.lines == ["soc with field-163, tc: waiting for another process that is at it"]


def test_two_systems_at_once_are_both_kept(
    tmp_path: Path, made_up: tuple[list[str], list[Until]]
) -> None:
    events, until = made_up
    until.append(Barrier(2, timeout=60).wait)
    with ThreadPoolExecutor(2) as two:
        list(two.map(place, ("field-163", "point-163"), (Told(), Told()), (tmp_path, tmp_path)))
    kept = load(SocPlaces, place_path(tmp_path))
    assert kept
    assert [s.name for s in kept.systems] == ["field-163", "point-163"]
    assert [e.split()[0] for e in events[:2]] == ["begin", "begin"], "one waited for the other"


def test_the_faster_run_of_the_same_system_stays(
    tmp_path: Path, made_up: tuple[list[str], list[Until]]
) -> None:
    _, until = made_up
    until.append(lambda: None)
    fast = place_soc("field-163", "tc", 60.0, 2, 60.0, Told(), tmp_path, "ecsm fast")
    slow = place_soc("field-163", "tc", 60.0, 1, 60.0, Told(), tmp_path, "ecsm slow")
    assert slow == fast
    (kept,) = load_places(tmp_path)
    assert (kept.mhz, kept.origin.command) == (52.0, "ecsm fast")


def test_a_run_that_routed_is_kept_although_the_next_is_interrupted(
    tmp_path: Path, made_up: tuple[list[str], list[Until]]
) -> None:
    events, until = made_up

    def second_is_interrupted() -> None:
        if len(events) > 1:
            raise KeyboardInterrupt

    until.append(second_is_interrupted)
    with pytest.raises(KeyboardInterrupt):
        place("field-163", Told(), tmp_path)
    assert [r.mhz for r in load_places(tmp_path)] == [51.0]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"run": {"mhz": None}}, "not placed and routed"),
        ({"run": {"mhz": -5.0}}, "not placed and routed"),
        ({"area": {"lut": -1}}, "not placed and routed"),
        ({"area": {"slices": 1}}, "not placed and routed"),
        ({"name": "core-nobody"}, "there is no unit 'core-nobody'"),
        ({"coupling": "xc"}, "there is no coupling"),
    ],
)
def test_a_damaged_file_is_refused_by_name(
    change: dict[str, Any], complaint: str, tmp_path: Path, made_up: tuple[list[str], list[Until]]
) -> None:
    _, until = made_up
    until.append(lambda: None)
    place("field-163", Told(), tmp_path)
    data: Any = read_json(place_path(tmp_path))
    for key, value in change.items():
        (system,) = data["systems"]
        system[key] = {**system[key], **value} if isinstance(value, dict) else value
    write_json(place_path(tmp_path), data)
    for use in (place_table, load_places):
        with pytest.raises(DamagedResult, match=rf"soc_place\.json is damaged: .*{complaint}"):
            use(tmp_path)
    with pytest.raises(DamagedResult):
        place("field-163", Told(), tmp_path)  # before the work, not after it


def test_too_many_seeds_are_refused() -> None:
    assert ecsm("soc", "place", "--seeds", 1001).returncode == 2
