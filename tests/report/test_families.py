# SPDX-License-Identifier: Apache-2.0
"""The table of families: what is kept, what is of older RTL, and clocks that are upper bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.backend.synth import recipe
from ecsm.report.families import family_table
from ecsm.results.record import Synth, pnr_path, save, synth_path
from ecsm.results.sources import sources_of
from tests.results.files import a_pnr, a_synth, origin

NAME, DEVICE = "b163-small", "GW2AR-18-QN88"


def keep(root: Path, target: str, dsp: int = 0) -> Synth:
    s = sources_of(NAME)
    found = a_synth(NAME, target, dsp=dsp)
    found = replace(found, origin=origin(s.digest), script=recipe(s, target))
    save(synth_path(NAME, target, root), found)
    return found


def cells(root: Path) -> list[list[str]]:
    return [[c.strip() for c in line.split("|")[1:-1]]
            for line in family_table(root).splitlines()[2:]]  # fmt: skip


def test_a_preset_of_one_family_has_no_row(tmp_path: Path) -> None:
    keep(tmp_path, "ecp5")
    assert cells(tmp_path) == []


@pytest.mark.parametrize(("dsp", "clock"), [(0, "60.0 / 59.0"), (4, "at most 60.0 / 59.0")])
def test_a_clock_through_multipliers_is_a_bound(dsp: int, clock: str, tmp_path: Path) -> None:
    keep(tmp_path, "ecp5", dsp)
    keep(tmp_path, "gowin", dsp)
    now = sources_of(NAME).digest
    save(pnr_path(NAME, tmp_path, DEVICE), replace(a_pnr(NAME, now), device=DEVICE))
    ecp5, gowin = cells(tmp_path)
    assert ecp5[:4] == [f"`{NAME}`", "Lattice ECP5", "1,000", "20"]
    assert ecp5[6] == "not placed"
    assert gowin[1:8] == ["Gowin", "1,000", "20", str(dsp), "0", DEVICE, clock]
    assert gowin[-1] == ""


def test_what_is_of_older_rtl_says_so(tmp_path: Path) -> None:
    save(synth_path(NAME, "gowin", tmp_path), a_synth(NAME, "gowin"))
    save(pnr_path(NAME, tmp_path, DEVICE), replace(a_pnr(NAME), device=DEVICE))
    (row,) = cells(tmp_path)
    assert row[-1] == "area and clock of an earlier commit"
