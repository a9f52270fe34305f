# SPDX-License-Identifier: Apache-2.0
"""Tables of the word engine: aims are met or missed by what is kept, and older RTL says so."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.backend.synth import recipe
from ecsm.hdl.build import Build
from ecsm.hdl.machines import machine
from ecsm.measure.schemes import SchemeCycles, Schemes, digest
from ecsm.measure.word_schemes import MEASURED, TABLES, load_word_schemes, word_schemes_path
from ecsm.presets.word import WORD_PRESETS
from ecsm.report.aims import AIMS, SMALL, aim_table
from ecsm.report.datasheet import datasheet
from ecsm.report.word import NOT_PLACED, word_table
from ecsm.results.record import DamagedResult, Synth, pnr_path, save, synth_path, write_json
from ecsm.results.sources import word_sources
from tests.results.files import a_pnr, a_synth, origin

NAME = "word-p256"
P = WORD_PRESETS[NAME]


def rows(table: str, first: str) -> list[list[str]]:
    """Return the cells of the rows of a preset."""
    cut = ([c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:])
    return [row for row in cut if row[0] == f"`{first}`"]


def aim(root: Path, name: str, what: str) -> list[str]:
    """Return what a row of the table of aims says: reached, verdict, state."""
    (row,) = (r for r in rows(aim_table(root), name) if r[1].startswith(what))
    return row[3:]


def now(found: Synth) -> Synth:
    """Return an area as if it were of the RTL and the flow as they are."""
    s = word_sources(P)
    return replace(found, origin=origin(s.digest), script=recipe(s, "ecp5"))


def keep_cycles(root: Path, name: str, rtl: str, **cycles: int) -> None:
    found = SchemeCycles(name, WORD_PRESETS[name].curve.name, rtl, cycles)
    write_json(word_schemes_path(root), asdict(Schemes("ecsm schemes --word", [found])))


def test_without_results_no_aim_is_met(tmp_path: Path) -> None:
    table = aim_table(tmp_path)
    assert table.count("not measured") == len(AIMS) == len(table.splitlines()) - 2
    assert " met " not in table
    assert "missed" not in table


@pytest.mark.parametrize(("lut", "verdict"), [(3000, "met"), (3001, "**missed**")])
def test_a_limit_is_met_to_its_last_lut(lut: int, verdict: str, tmp_path: Path) -> None:
    save(synth_path(f"{NAME}-axil", "ecp5", tmp_path), a_synth(f"{NAME}-axil", lut=lut))
    assert aim(tmp_path, NAME, "LUT4") == [f"{lut:,}", verdict, "of an earlier commit"]


@pytest.mark.parametrize(("mhz", "verdict"), [(125.0, "met"), (124.9, "**missed**")])
def test_a_clock_has_to_reach_its_aim(mhz: float, verdict: str, tmp_path: Path) -> None:
    kept = replace(a_pnr(NAME, word_sources(P).digest, mhz), device=SMALL)
    save(pnr_path(NAME, tmp_path, SMALL), kept)
    shown = f"{mhz:g} MHz"
    assert aim(tmp_path, NAME, "clock") == [shown, verdict, ""]


@pytest.mark.parametrize(("cycles", "verdict"), [(480_000, "met"), (480_001, "**missed**")])
def test_cycles_are_compared_with_their_limit(cycles: int, verdict: str, tmp_path: Path) -> None:
    keep_cycles(tmp_path, NAME, digest(NAME), sign=cycles)
    assert aim(tmp_path, NAME, "cycles of a signature") == [f"{cycles:,}", verdict, ""]
    keep_cycles(tmp_path, NAME, "0", sign=cycles)
    assert aim(tmp_path, NAME, "cycles of a signature")[2] == "of an earlier commit"
    assert aim(tmp_path, NAME, "cycles of a verification")[1] == "not measured"


def test_what_an_engine_adds_is_a_difference(tmp_path: Path) -> None:
    for name, lut in (("word-dual", 5000), ("word-prime", 4100)):
        save(synth_path(f"{name}-axil", "ecp5", tmp_path), a_synth(f"{name}-axil", lut=lut))
    assert aim(tmp_path, "word-dual", "LUT4 more")[:2] == ["900", "met"]
    save(synth_path("word-dual-axil", "ecp5", tmp_path), a_synth("word-dual-axil", lut=5001))
    assert aim(tmp_path, "word-dual", "LUT4 more")[:2] == ["901", "**missed**"]


def test_a_preset_without_a_clock_has_a_row(tmp_path: Path) -> None:
    assert rows(word_table(tmp_path), NAME) == []
    save(synth_path(NAME, "ecp5", tmp_path), now(a_synth(NAME, lut=2400)))
    (row,) = rows(word_table(tmp_path), NAME)
    assert row == [f"`{NAME}`", "32", "2,400", "-", "20", "3", "0", NOT_PLACED, "-", "-", "342",
                   "-", ""]  # fmt: skip
    save(synth_path(f"{NAME}-axil", "ecp5", tmp_path), a_synth(f"{NAME}-axil", lut=4500))
    (row,) = rows(word_table(tmp_path), NAME)
    assert (row[3], row[-1]) == ("4,500", "with AXI4-Lite of an earlier commit")
    for device, mhz in ((SMALL, 120.0), ("LFE5U-85F-8", 150.0)):
        kept = replace(a_pnr(NAME, "0", mhz), device=device)
        save(pnr_path(NAME, tmp_path, device), kept)
    found = rows(word_table(tmp_path), NAME)
    assert [row[7:9] for row in found] == [
        [SMALL, "120.0 / 119.0"], ["LFE5U-85F-8", "150.0 / 149.0"],
    ]  # fmt: skip
    assert all("clock of an earlier commit" in row[-1] for row in found)


def test_cycles_of_what_is_no_word_engine_are_refused(tmp_path: Path) -> None:
    keep_cycles(tmp_path, NAME, "0", sign=1)
    assert load_word_schemes(tmp_path)[NAME].cycles == {"sign": 1}
    keep_cycles(tmp_path, NAME, "0", sign=0)
    with pytest.raises(DamagedResult, match="no such cycles"):
        load_word_schemes(tmp_path)
    text = word_schemes_path(tmp_path).read_text().replace(NAME, "word-p255")
    word_schemes_path(tmp_path).write_text(text)
    with pytest.raises(DamagedResult, match="no word engine word-p255"):
        load_word_schemes(tmp_path)


def test_every_engine_is_measured_protected_and_not() -> None:
    assert {WORD_PRESETS[name].netlist_name.removesuffix("-none") for name in MEASURED} == {*TABLES}
    assert all(WORD_PRESETS[name].protected != name.endswith("-none") for name in MEASURED)


@pytest.mark.parametrize("name", TABLES)
def test_a_datasheet_has_every_port_and_every_operation(name: str, tmp_path: Path) -> None:
    page = datasheet(name, tmp_path)
    p = WORD_PRESETS[name]
    for build in (Build(p), Build(p, attach="axil")):
        for _, bits, port in build.ports():
            assert f"`{port}`" + f" ({bits})" * (bits > 1) in page
    for table in TABLES[name]:
        program = machine(table).program
        for operation in program.operations:
            assert f"| `{operation}` | {program.number(operation)} |" in page
    assert f"ecsm build {name} " in page
    assert "It is not placed and routed." in page
    assert ("operation 63" in page) == bool(p.netlist)


def test_a_datasheet_has_what_protection_costs(tmp_path: Path) -> None:
    both = {NAME: 300, f"{NAME}-none": 200}
    cycles = [SchemeCycles(n, "c", digest(n), {"sign": count}) for n, count in both.items()]
    write_json(word_schemes_path(tmp_path), asdict(Schemes("x", cycles)))
    assert "| `word-p256` | sign | 300 | 200 | +50 % |" in datasheet(NAME, tmp_path)


def test_every_netlist_has_a_datasheet_that_is_listed() -> None:
    folder = Path(__file__).parents[2] / "docs" / "integrate" / "datasheets"
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert {*TABLES} <= set(re.findall(r"\(([\w-]+)\.md\)", index))
    assert {*TABLES} <= {page.stem for page in folder.iterdir()}
