# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth --countermeasures``: what each countermeasure costs, measured on toys and kept."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.backend.countermeasures import (
    Costs,
    costs_path,
    in_core,
    load_costs,
    measure_core,
)
from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.hdl.countermeasures import REMOVALS, Removal, replaced
from ecsm.hdl.files import rtl_files
from ecsm.presets.table import any_preset
from ecsm.progress import Progress
from ecsm.results.record import DamagedResult, write_json
from ecsm.results.sources import sources_of

FULL = "toy7-small-full"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Costs, Path]:
    """The costs in a toy, and the folder that they are kept in."""
    root = tmp_path_factory.mktemp("results")
    with Progress() as log:
        return measure_core(FULL, log, root), root


def test_what_is_taken_out_is_not_there(measured: tuple[Costs, Path]) -> None:
    """A second sequencer has flip-flops; so have roles, of as many bits as steps, and a factor."""
    costs, root = measured
    assert load_costs(FULL, root) == costs
    assert set(costs.without) == set(in_core(any_preset(FULL)))
    steps = 7 + 3
    assert costs.cost("POINT.ROLES", "ff") >= steps
    assert costs.cost("POINT.RANDOM", "ff") >= 7 - 1
    assert costs.cost("CTRL.REDUNDANCY", "ff") > 8
    assert costs.cost("CTRL.REDUNDANCY", "lut") > 0
    assert all(costs.cost(name, "ff") >= 0 for name in costs.without)


def test_every_countermeasure_is_found_in_the_rtl_once(tmp_path: Path) -> None:
    for name, removal in REMOVALS.items():
        files = replaced(removal, rtl_files(), tmp_path)
        changed = [f for f in files if f.parent == tmp_path]
        assert [f.stem for f in changed] == [removal.module], name
    with pytest.raises(ValueError, match="has not once"):
        replaced(Removal("gfp_masks", (("no such text", ""),)), rtl_files(), tmp_path)
    with pytest.raises(ValueError, match="is not there"):
        replaced(REMOVALS["KEY.PARITY"], [], tmp_path)


@pytest.mark.parametrize("name", ["b163-small-full", "b163-small-check", "p256-fast-full"])
def test_a_core_has_the_modules_of_what_it_is_said_to_have(name: str) -> None:
    modules = {file.stem for file in sources_of(name).files}
    found = in_core(any_preset(name))
    assert {REMOVALS[each].module for each in found} <= modules
    assert len(found) == (5 if name.endswith("check") else 8 if name[0] == "b" else 10)


@pytest.mark.parametrize(
    "words",
    [
        ("synth", "toy7-small", "--countermeasures"),
        ("synth", "word-p256", "--countermeasures"),
        ("synth", FULL, "--countermeasures", "--target", "xc7"),
        ("synth", FULL, "--countermeasures", "--attach", "axil"),
        ("synth", FULL, "--countermeasures", "--liberty", "none.lib"),
        ("synth", FULL, "toy7-small", "--countermeasures"),
        ("units", "scheme-p256-full", "aes", "--countermeasures"),
        ("units", "--countermeasures"),
        ("units", "scheme-p256", "--countermeasures"),
        ("units", "aes", "--countermeasures"),
    ],
)
def test_what_has_none_is_refused(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--results", str(tmp_path)]) == USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1, "something was measured before"
    assert "countermeasures" in err
    assert not list(tmp_path.rglob("*.json"))


def test_the_command_prints_what_it_keeps(
    measured: tuple[Costs, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs, _ = measured
    words = ["synth", FULL, "--countermeasures", "--json", "--results", str(tmp_path)]
    assert main(words) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["without"] == costs.without
    assert load_costs(FULL, tmp_path) is not None


def test_damage_is_refused(measured: tuple[Costs, Path], tmp_path: Path) -> None:
    costs, _ = measured
    part = {name: {"lut": 1} for name in costs.without}
    for bad in (
        replace(costs, name="toy7-small"),
        replace(costs, without=part),
        replace(costs, without={"NO.SUCH": costs.area}),
    ):
        write_json(costs_path(FULL, tmp_path), asdict(bad))
        with pytest.raises(DamagedResult):
            load_costs(FULL, tmp_path)
