# SPDX-License-Identifier: Apache-2.0
"""What a command has measured or solved is kept, also when ``head`` has read enough."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecsm.cli import core as core_commands
from ecsm.cli.app import main
from ecsm.cores import store
from ecsm.measure import bench, compare, energy
from ecsm.measure.compare import Cost, Row
from ecsm.measure.energy import Activity
from ecsm.results.record import SimulatedRow
from tests.evidence.test_prove import Gone

FORMS = pytest.mark.parametrize("form", [[], ["--json"]])


def unread(patch: pytest.MonkeyPatch, *command: str) -> int:
    """Run a command whose standard output has no reader; return the exit code."""
    with patch.context() as gone:
        gone.setattr(sys, "stdout", Gone())
        return main(command)


@FORMS
def test_a_bench(form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = SimulatedRow("toy7-fast", "toy7a", 19, 20.5, 4567, None, 1.25, 34.0, 33.3, 8.0, "0")
    monkeypatch.setattr(bench, "cost", lambda *_: row)
    assert unread(monkeypatch, "bench", "--results", str(tmp_path), *form) == 0
    assert (tmp_path / "simulation.json").is_file()


@FORMS
def test_toggles(form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Activity("b163-fast", "sect163r2", 343, 1, 2.0, 2, 2, {"top": 2.0}, "0")
    monkeypatch.setattr(energy, "measure", lambda *_: row)
    assert unread(monkeypatch, "energy", "--results", str(tmp_path), *form) == 0
    assert (tmp_path / "energy.json").is_file()


@FORMS
def test_a_comparison(form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ecdh = Cost("ECDH sect163r2", 1.0, 0.0, 1, 1, 1)
    rsa = Cost("RSA 1024", 1.0, 0.0, 1, 1, 1)
    row = Row("b163-fast", "sect163r2", 343, None, None, ecdh, rsa)
    monkeypatch.setattr(compare, "compare", lambda *_: [row])
    assert unread(monkeypatch, "compare", "--results", str(tmp_path), *form) == 0
    assert (tmp_path / "compare.json").is_file()


def test_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The presets behind the first one were not solved."""
    solved: list[str] = []

    class Family:
        """Solves at once, what is kept."""

        def programs(self, p: object) -> list[object]:
            """Return the one program."""
            return [p]

        def rank(self, _: object) -> tuple[int, int]:
            """All are alike."""
            return 0, 0

        def solve(self, p: object, *_: object) -> object:
            """Return what is kept."""
            return store.load(p)  # type: ignore[arg-type]

    monkeypatch.setattr(core_commands, "family", lambda _: Family())
    monkeypatch.setattr(store, "save", lambda p, _: solved.append(p.name))
    assert unread(monkeypatch, "solve", "toy7-fast", "toy7-two") == 0
    assert solved == ["toy7-fast", "toy7-two"]
