# SPDX-License-Identifier: Apache-2.0
"""The file of a schedule over a prime field: what is kept in it, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ecsm.cores import store
from ecsm.cores.store import design, prime_design
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.schedule.types import Schedule

SCHEDULES = store.SCHEDULES
KEPT = [name for name in PRIME_PRESETS if store.path(name).exists()]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Return a function that says where a schedule is kept, in a folder that is empty at first."""
    monkeypatch.setattr(store, "SCHEDULES", tmp_path)
    design.cache_clear()
    yield store.path
    design.cache_clear()


def data(name: str) -> dict[str, Any]:
    path = SCHEDULES / f"{name}.json"
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def test_a_missing_or_stale_schedule_is_refused(kept: Callable[[str], Path]) -> None:
    with pytest.raises(store.StaleSchedule, match="no schedule is kept for toyp8-k"):
        prime_design("toyp8-k")
    good = data("toyp8-k")
    kept("toyp8-k").write_text(json.dumps(good))
    assert prime_design("toyp8-k").schedule.cycles == good["cycles"]
    design.cache_clear()
    kept("toyp8-k").write_text(json.dumps({**good, "graph": "0" * 16}))
    with pytest.raises(store.StaleSchedule, match="another program"):
        prime_design("toyp8-k")


def test_a_schedule_of_other_units_is_refused(
    kept: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept("toyp8-k").write_text(json.dumps(data("toyp8-k")))
    slower = dataclasses.replace(PRIME_PRESETS["toyp8-k"], ranks=(0, 1, 8))
    monkeypatch.setitem(PRIME_PRESETS, "toyp8-k", slower)
    with pytest.raises(store.StaleSchedule, match="another program"):
        prime_design("toyp8-k")


def damage(good: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield what may have happened to a file."""
    yield "a text", "schedule"
    yield "a list", [good]
    for key in ("ii", "starts", "slots", "variables", "cycles"):
        yield f"{key} missing", {k: v for k, v in good.items() if k != key}
        yield f"{key} null", {**good, key: None}
    yield "cycles 0", {**good, "cycles": 0}
    yield "cycles a float", {**good, "cycles": float(good["cycles"])}
    yield "a bound above", {**good, "cycles_bound": good["cycles"] + 1}
    yield "a loop's bound above", {**good, "ii_bound": good["ii"] + 1}
    yield "variables a text", {**good, "variables": ""}
    yield "graph a number", {**good, "graph": 1}
    yield "cycles too few", {**good, "cycles": good["cycles"] // 2}
    yield "another key", {**good, "more": 1}
    yield "a variable less", {**good, "variables": good["variables"][:-1]}
    yield "no start", {**good, "starts": {"head": 1, "body": 2}}
    slots, tail = good["slots"], good["slots"]["tail"]
    yield "no tail", {**good, "slots": {k: v for k, v in slots.items() if k != "tail"}}
    rows: tuple[object, ...] = (
        [10**9, None], [-(10**9), None], [0, -1], [0, 10**9], [True, 0], [0, "1"], [0], [0, 0, 0],
        0, None,
    )  # fmt: skip
    atom = next(iter(tail))
    for row in rows:
        yield f"slot {row}", {**good, "slots": {**slots, "tail": {**tail, atom: row}}}


@pytest.mark.parametrize(
    "bad", [pytest.param(bad, id=what) for what, bad in damage(data("toyp8-k"))]
)
def test_a_damaged_schedule_is_refused(bad: object, kept: Callable[[str], Path]) -> None:
    kept("toyp8-k").write_text(json.dumps(bad))
    with pytest.raises(store.StaleSchedule, match=r"damaged|another program"):
        prime_design("toyp8-k")


def test_figures_are_of_no_damaged_schedule(kept: Callable[[str], Path]) -> None:
    """The list of presets has figures without a design."""
    kept("toyp8-k").write_text(json.dumps({**data("toyp8-k"), "variables": ""}))
    with pytest.raises(store.StaleSchedule, match="damaged"):
        store.figures(PRIME_PRESETS["toyp8-k"])


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "\0", pytest.param("[" * 99_999, id="[")])
def test_a_file_that_is_no_schedule_is_refused(text: str, kept: Callable[[str], Path]) -> None:
    kept("toyp8-k").write_text(text)
    with pytest.raises(store.StaleSchedule, match="damaged"):
        prime_design("toyp8-k")


@pytest.mark.parametrize("name", KEPT)
def test_json_keeps_everything(name: str) -> None:
    s = Schedule.from_json(data(name))
    assert s.to_json() == data(name)
    assert Schedule.from_json(json.loads(json.dumps(s.to_json()))) == s
