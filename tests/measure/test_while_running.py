# SPDX-License-Identifier: Apache-2.0
"""RTL that is edited while it is measured: a result is of what was read, not of what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ecsm.backend import pnr, synth, units
from ecsm.backend.synth import Netlist
from ecsm.backend.tool import Spent
from ecsm.cores import store
from ecsm.device.sim import SimDevice
from ecsm.hdl.units import Unit
from ecsm.measure import energy, grid, soc, soc_place
from ecsm.narrow.units import unit
from ecsm.presets.table import PRESETS
from ecsm.progress import Progress
from ecsm.results.record import Run
from tests.results.files import a_run, a_synth

TOY = "toy7-small"
SPENT = Spent(1, 1)
EMPTY: dict[str, Any] = {"ports": {}, "cells": {}, "netnames": {}}
Edited = Callable[[ModuleType, str], Callable[..., Any]]


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Edited:
    """Return what makes a module's digest "before", and "after" once what it returns is called."""
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))

    def digest_of(module: ModuleType, name: str) -> Callable[..., Any]:
        now = ["before"]
        monkeypatch.setattr(module, name, lambda *_: now[0])

        def edit(result: Any) -> Any:
            now[0] = "after"
            return result

        return edit

    return digest_of


def test_a_unit(edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = edited(units, "unit_digest")
    monkeypatch.setattr(units, "synthesise_module", lambda *_: edit((EMPTY, SPENT)))
    found = units.synthesise_unit(Unit("zeroize", "sym_zeroize"), "ecp5", Progress(), tmp_path)
    assert found.origin.rtl == "before"


def test_a_unit_on_chip(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = edited(soc, "area_digest")
    monkeypatch.setattr(soc, "mapped", lambda *_: edit((EMPTY, SPENT)))
    assert soc.synthesise(unit("field-163"), "tc", Progress()).origin.rtl == "before"


def test_cycles_on_chip(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = edited(soc, "run_digest")
    done = SimpleNamespace(status=0, output=b"field_add 7\n")
    monkeypatch.setattr(soc, "run_app", lambda *_: edit(done))
    assert soc.measure(163, "field-163", "tc", Progress()).rtl == "before"


def test_a_system(edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = edited(soc_place, "_digest")
    monkeypatch.setattr(soc_place, "mapped", lambda *_: (EMPTY, SPENT))
    monkeypatch.setattr(soc_place, "place_and_route", lambda *_: edit(a_run()))
    found = soc_place.place_soc("field-163", "tc", 50.0, 1, 60.0, Progress(), tmp_path)
    assert found.origin.rtl == "before"


def test_toggles(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = edited(energy, "current_digest")

    class Counted(SimDevice):
        def __init__(self, *_: object) -> None: ...
        def __enter__(self) -> Counted:
            return self

        def __exit__(self, *_: object) -> None: ...
        def toggles(self, *_: object) -> dict[Any, int]:
            found: dict[Any, int] = edit({})
            return found

    monkeypatch.setattr(energy, "TracingDevice", Counted)
    assert energy.measure(TOY, 1, 1, Progress()).rtl == "before"


def test_a_point_of_an_exploration(
    edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = edited(grid, "netlist_key")
    passed = SimpleNamespace(passed=True, failed=[], cases=1)
    monkeypatch.setattr(grid, "run", lambda *_: passed)
    monkeypatch.setattr(grid, "synthesise", lambda *_: edit(a_synth("x")))
    monkeypatch.setattr(store, "register", lambda *_: None)
    work = grid.Work(1.0, 1.0, 1, False, 1, 1.0)
    assert grid.explore_point(PRESETS[TOY], work, tmp_path).netlist == "before"


def test_place_and_route(edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sources are read once; what is edited later shows in the commit alone."""
    made = Netlist("key", tmp_path / "n.json", tmp_path / "n.v", SPENT)
    made.json.write_text("{}")
    monkeypatch.setattr(pnr, "harness_netlist", lambda *_: made)
    from ecsm.results import sources

    edit = edited(sources, "_git")

    def run(*args: Any) -> Run:
        options, seed, mhz = args[1:4]
        found: Run = edit(Run(options.text, seed, mhz, 60.0, "", 5.0, 100))
        return found

    monkeypatch.setattr(pnr, "place_and_route", run)
    once = pnr.Sweep(seeds=1, rounds=1)
    assert pnr.place(TOY, once, Progress(), tmp_path).origin.commit == "before"


def test_an_area(edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ecsm.results import sources

    edit = edited(sources, "_git")
    made = Netlist("key", tmp_path / "n.json", tmp_path / "n.v", SPENT)
    monkeypatch.setattr(synth, "netlist", lambda *_: edit(made))
    monkeypatch.setattr(synth, "read_module", lambda *_: EMPTY)
    assert synth.synthesise(TOY, "ecp5", Progress(), tmp_path).origin.commit == "before"
