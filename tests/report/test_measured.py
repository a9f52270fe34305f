# SPDX-License-Identifier: Apache-2.0
"""The table and the plots of what is measured: nothing invented, nothing old without a mark."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.backend.synth import harness_key, recipe
from ecsm.cores.store import design
from ecsm.presets import PRESETS
from ecsm.presets.table import preset
from ecsm.report import docs
from ecsm.report.charts import CHARTS, area_time, cycles_and_fields, facts
from ecsm.report.docs import StaleDocs, fill, write_docs
from ecsm.report.measured import (
    NONE,
    NOT_MEASURED,
    NOT_ROUTED,
    REAL,
    TOO_LARGE,
    implementation,
    in_short,
    measured,
    routed,
)
from ecsm.resources import resource
from ecsm.results.record import (
    DEVICE,
    DamagedResult,
    Pnr,
    Synth,
    Unrouted,
    pnr_path,
    save,
    synth_path,
    unrouted_path,
)
from ecsm.results.sources import current_digest, sources
from tests.results.files import a_pnr, a_run, a_synth, origin

ROOT = resource()

NAME = "b163-fast"
NOW = current_digest(NAME) or ""
SVG = "{http://www.w3.org/2000/svg}"


def keep(root: Path, *records: Synth | Pnr) -> None:
    for r in records:
        if isinstance(r, Pnr):
            save(pnr_path(r.preset, root), r)
        else:
            save(synth_path(r.preset, r.target, root), r)


def cells(root: Path, name: str = NAME) -> list[str]:
    """Return the cells of a preset's row."""
    rows = [line.split("|")[1:-1] for line in implementation(root).splitlines()[2:]]
    (row,) = ([c.strip() for c in row] for row in rows if f"`{name}`" in row[0])
    return row


def test_everything_measured_is_in_the_table(tmp_path: Path) -> None:
    keep(
        tmp_path, a_pnr(NAME, NOW, 61.0), a_synth(NAME, "ecp5", NOW, 44000),
        a_synth(NAME, "xc7", NOW, 31000), a_synth(NAME, "cmos", NOW, 250000),
    )  # fmt: skip
    assert cells(tmp_path) == [
        f"`{NAME}`", "342", "61.0 / 60.0", "1", "5.61", "177,326", "44,000 / 20 / 3", "247",
        "31,000 / 20 / 3", "250,000", "",
    ]  # fmt: skip


def test_what_is_not_measured_says_so(tmp_path: Path) -> None:
    keep(tmp_path, a_synth(NAME, "xc7", NOW))
    row = cells(tmp_path)
    assert row == [f"`{NAME}`", "342", *[NONE] * 6, "1,000 / 20 / 3", NONE, ""]


@pytest.mark.parametrize(("lut", "dsp"), [(83_641, 0), (83_640, 157)])
def test_what_the_device_does_not_hold_is_too_large(tmp_path: Path, lut: int, dsp: int) -> None:
    keep(tmp_path, a_synth(NAME, "ecp5", NOW, lut, dsp))
    assert cells(tmp_path)[1:8] == ["342", *[TOO_LARGE] * 4, f"{lut:,} / 20 / {dsp}", TOO_LARGE]
    keep(tmp_path, a_synth(NAME, "ecp5", NOW, 83_640, 156))
    assert cells(tmp_path)[2] == NONE


def test_what_did_not_route_says_so_and_why(tmp_path: Path) -> None:
    stuck, slow = a_run(mhz=None), a_run(2, mhz=None, failure="not routed in 9 min, 7 arcs left")
    none = Unrouted(NAME, DEVICE, "k", [stuck, slow, stuck], origin(NOW))
    path = unrouted_path(NAME, tmp_path)
    keep(tmp_path, a_synth(NAME, "ecp5", NOW))
    save(path, none)
    row = cells(tmp_path)
    assert row[1:8] == ["342", *[NOT_ROUTED] * 4, "1,000 / 20 / 3", NOT_ROUTED]
    assert row[-1] == "unroutable; not routed in 9 min, 7 arcs left"
    save(path, replace(none, origin=origin("another")))  # says nothing of the RTL as it is
    assert cells(tmp_path)[2] == NONE
    save(path, none)
    keep(tmp_path, a_pnr(NAME, "another"))
    assert cells(tmp_path)[2] == "60.0 / 59.0"
    assert "earlier commit" in cells(tmp_path)[-1]
    pnr_path(NAME, tmp_path).unlink()
    for wrong in ([], [a_run()]):
        save(path, replace(none, runs=wrong))
        with pytest.raises(DamagedResult):
            cells(tmp_path)


def test_a_core_with_threads_answers_as_many(tmp_path: Path) -> None:
    name = "k256-throughput"
    keep(tmp_path, a_pnr(name, "", 57.0))  # 342 cycles, six jobs, and the pause between batches
    assert cells(tmp_path, name)[4:6] == ["6.00", f"{6 * 57e6 / (342 + preset(name).pause):,.0f}"]


def test_what_is_routed_is_in_order_of_time(tmp_path: Path) -> None:
    assert routed(root=tmp_path) == f"Clocks: {NOT_MEASURED}."
    keep(tmp_path, a_synth("b163-single"), a_pnr("b163-small", NOW, 50.0), a_pnr(NAME, NOW, 80.0))
    rows = [[c.strip() for c in r.split("|")[1:-1]] for r in routed(root=tmp_path).splitlines()[2:]]
    assert [row[0] for row in rows] == [f"`{NAME}`", "`b163-small`"]
    assert rows[0] == [f"`{NAME}`", "sect163r2", "342", "80.0", "4.28", "232,558", NONE, ""]
    assert "earlier commit" in rows[1][-1]


def test_without_results_there_is_no_table(tmp_path: Path) -> None:
    assert NOT_MEASURED in implementation(tmp_path)
    assert "|" not in implementation(tmp_path)


def test_toys_are_not_in_the_table(tmp_path: Path) -> None:
    keep(tmp_path, a_synth("toy7-fast"))
    assert "toy7" not in implementation(tmp_path)


def test_a_result_of_other_rtl_is_marked_with_its_commit(tmp_path: Path) -> None:
    keep(
        tmp_path, a_synth(NAME, "ecp5", "another"), a_pnr(NAME, "another"),
        a_synth(NAME, "xc7", NOW), replace(a_synth(NAME, "cmos"), origin=origin("x", None)),
    )  # fmt: skip
    assert cells(tmp_path)[-1] == (
        "ecp5, pnr at an earlier commit (01234567); cmos at an earlier commit (an unknown commit)"
    )
    keep(tmp_path, replace(a_synth(NAME, "ecp5"), origin=origin("another", dirty=True)))
    assert "ecp5 at an earlier commit (01234567 with changes)" in cells(tmp_path)[-1]


def test_an_area_of_a_core_of_other_cycles_says_so(tmp_path: Path) -> None:
    old = replace(a_synth(NAME, "xc7", "another"), cycles=7904)
    keep(tmp_path, a_synth(NAME, "ecp5", NOW), old)
    assert cells(tmp_path)[1] == "342"
    assert cells(tmp_path)[-1] == "xc7 of 7,904 cycles at an earlier commit (01234567)"


def test_a_phrase_and_a_point_of_other_rtl_say_so(tmp_path: Path) -> None:
    p = PRESETS[NAME]
    keep(tmp_path, a_synth(NAME, "ecp5", NOW), a_pnr(NAME, "another"))
    assert in_short(p, tmp_path) == "60.0 MHz, 5.70 us (of earlier RTL), 1,000 LUT4"
    assert "5.70 us (pnr at an earlier commit (01234567))" in area_time(False, root=tmp_path)
    keep(tmp_path, a_synth(NAME, "ecp5", "another"), a_pnr(NAME, NOW))
    assert in_short(p, tmp_path) == "60.0 MHz, 5.70 us, 1,000 LUT4 (of earlier RTL)"


def test_the_median_says_of_how_many_seeds_it_is(tmp_path: Path) -> None:
    one = a_pnr(NAME, NOW)
    runs = [*one.runs, a_run(2, mhz=58.0), a_run(3, mhz=None), a_run(2, 110, mhz=59.0)]
    keep(tmp_path, replace(one, runs=runs))
    assert cells(tmp_path)[2:4] == ["60.0 / 59.0", "2"]


def test_a_table_that_disagrees_with_the_results_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results"
    monkeypatch.setitem(docs._TABLES, "implementation", lambda: implementation(results))
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "page.md"
    page.write_text("<!-- ecsm:table implementation --><!-- /ecsm -->\n")
    keep(results, a_synth(NAME, "ecp5", NOW, 44000))
    write_docs(root=tmp_path)
    assert "44,000 / 20 / 3" in page.read_text()
    write_docs(check=True, root=tmp_path)
    keep(results, a_synth(NAME, "ecp5", NOW, 43999))
    with pytest.raises(StaleDocs, match=r"page\.md"):
        write_docs(check=True, root=tmp_path)


def test_the_documents_have_the_table() -> None:
    assert implementation() in fill("<!-- ecsm:table implementation --><!-- /ecsm -->")
    assert any(
        "ecsm:table implementation" in page.read_text(encoding="utf-8")
        for page in (ROOT / "docs").rglob("*.md")
    )


def test_ours_and_the_rebuilt_are_told_apart(tmp_path: Path) -> None:
    other = "b233-fast"
    for name in (NAME, other):
        keep(tmp_path, a_pnr(name), a_synth(name))
    keep(tmp_path, a_synth("b283-fast"), a_pnr("b283-small"))  # half measured: no point
    root = ET.fromstring(area_time(False, {other}, tmp_path))
    marks = {
        (group.findtext(f"{SVG}title") or "").partition(":")[0]: group[1].tag.removeprefix(SVG)
        for group in root.iter(f"{SVG}g")
    }
    assert marks == {NAME: "circle", other: "rect"}


def test_the_front_is_of_one_size_and_kind_of_field(tmp_path: Path) -> None:
    def stairs(prime: bool) -> int:
        root = ET.fromstring(area_time(prime, root=tmp_path))
        drawn = [p for p in root.iter(f"{SVG}path") if p.findtext(f"{SVG}title") == "Pareto front"]
        return sum(p.get("d", "").count("V") for p in drawn)

    assert stairs(False) == 0
    keep(tmp_path, a_pnr("b233-fast"), a_synth("b233-fast"))
    assert stairs(False) == 0, "no core of 163 bits, no front"
    keep(tmp_path, a_pnr(NAME), a_synth(NAME))
    assert (stairs(False), stairs(True)) == (1, 0)
    keep(tmp_path, a_pnr("p224-small"), a_synth("p224-small"))
    assert stairs(True) == 0
    keep(tmp_path, a_pnr("p256-small"), a_synth("p256-small"))
    assert (stairs(False), stairs(True)) == (1, 1)


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_every_figure_is_shown_in_a_document(name: str) -> None:
    pages = [p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md")]
    assert any(f"](../{name.removeprefix('docs/')})" in page for page in pages)


@pytest.mark.parametrize(("prime", "some"), [(False, "b163-halving"), (True, "p256-small")])
def test_floors_and_bounds_are_below_cycles(prime: bool, some: str) -> None:
    found = facts(prime)
    assert some in {f.preset.name for f in found}
    assert len(found) > 10
    assert all(0 < f.least <= f.cycles for f in found)


def test_every_real_preset_is_in_a_chart_of_cycles() -> None:
    shown = cycles_and_fields(False) + cycles_and_fields(True)
    assert [p.name for p in REAL if f"{p.name}: " not in shown] == []


def test_charts_name_what_they_show() -> None:
    binary, prime = cycles_and_fields(False), cycles_and_fields(True)
    assert "floor" in binary
    assert "proven bound" not in binary
    assert "proven bound" in prime
    assert "floor" not in prime
    for kind in ("a product a cycle", "a product in three cycles", "a digit a cycle"):
        assert kind in prime


def test_kept_results_are_of_the_flow_as_it_is() -> None:
    """Of today's RTL but another flow they would be of a netlist that nobody gets now."""
    for m in measured():
        s = sources(design(m.preset.name))
        for target, kept in (("ecp5", m.ecp5), ("xc7", m.xc7), ("cmos", m.cmos)):
            if kept is not None and kept.origin.rtl == m.digest:
                assert kept.script == recipe(s, target), (m.preset.name, target)
        if m.pnr is not None and m.pnr.origin.rtl == m.digest:
            assert m.pnr.netlist == harness_key(s), m.preset.name
