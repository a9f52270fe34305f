# SPDX-License-Identifier: Apache-2.0
"""Cycles of schemes are kept one by one: what was measured before an interruption is there."""

from dataclasses import asdict
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.measure import schemes as measured
from ecsm.measure.schemes import KEPT, SchemeCycles, Schemes, schemes_path
from ecsm.results.record import load, write_json


def rows(root: Path) -> dict[str, int]:
    """Return what is kept by preset, in its order."""
    record = load(Schemes, schemes_path(root))
    return {r.preset: r.cycles["public"] for r in record.results} if record else {}


def test_each_is_kept_as_soon_as_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(schemes_path(tmp_path), asdict(Schemes("ecsm schemes", [])))
    count = 0

    def measure(name: str, _tell: object, wide: bool) -> SchemeCycles:
        nonlocal count
        count += 1
        if name == "k256-glv":
            raise KeyboardInterrupt
        return SchemeCycles(name, "a curve", "a digest", {"public": count}, wide)

    monkeypatch.setattr(measured, "measure", measure)
    names = ["p256-fast", "b163-small", "k163", "k256-glv", "b163-small-full"]
    assert main(["schemes", *names, "--results", str(tmp_path)]) == 130
    assert rows(tmp_path) == {"b163-small": 2, "p256-fast": 1}  # k163 is not one of the kept
    assert main(["schemes", "b163-small-full", "b163-small", "--results", str(tmp_path)]) == 0
    assert rows(tmp_path) == {"b163-small": 6, "p256-fast": 1, "b163-small-full": 5}
    assert list(rows(tmp_path)) == [name for name, _ in KEPT if name in rows(tmp_path)]
    assert "b163-small (a curve), cycles\n" in capsys.readouterr().out
