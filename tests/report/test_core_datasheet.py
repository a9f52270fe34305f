# SPDX-License-Identifier: Apache-2.0
"""Datasheets of cores: each recommended core has one, with what is kept of it and its variants."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.hdl.package_texts import readme
from ecsm.presets.table import recommended as presets
from ecsm.presets.word import WordPreset
from ecsm.report.core_datasheet import cost_table, datasheet, index, recommended, wave
from ecsm.report.datasheet import engine_table

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "integrate" / "datasheets"


def test_each_recommended_core_has_a_page_and_a_row() -> None:
    names = [p.name for p in presets() if not isinstance(p, WordPreset)]
    assert recommended() == names
    assert set(names) <= {page.stem for page in FOLDER.iterdir()}
    linked = re.findall(r"\(([\w-]+)\.md\)", index(engine_table()))
    assert set(linked) >= {*names, "word-p256", "word-prime"}
    assert all((FOLDER / f"{name}.md").exists() for name in linked)


def test_figures_are_those_that_are_kept() -> None:
    synth = json.loads((ROOT / "bench/results/synth/b163-compact.ecp5.json").read_text("utf-8"))
    pnr = json.loads((ROOT / "bench/results/pnr/b163-compact.json").read_text("utf-8"))
    page = datasheet("b163-compact")
    assert f"| this package | Lattice ECP5 | {synth['area']['lut']:,} |" in page
    assert f"| LFE5U-85F-8 | {max(r['mhz'] for r in pnr['runs']):.1f} |" in page


def test_what_is_not_measured_is_said(tmp_path: Path) -> None:
    page = datasheet("k163", tmp_path)
    assert "The area is not measured." in page
    assert "It is not placed and routed." in page


def test_protection_stands_beside() -> None:
    rows = cost_table("b163-small", ROOT / "bench/results").splitlines()[2:]
    assert [re.findall(r"`([\w-]+)`", row) for row in rows] == [
        ["b163-small"], ["b163-small-check"], ["b163-small-full"],
    ]  # fmt: skip
    assert cost_table("k163", ROOT / "bench/results") == ""


def test_ports_are_the_packages() -> None:
    """Word for word those of its README."""
    ports = readme(design("x25519")).partition("## Ports\n")[2].partition("\nApache-2.0")[0]
    assert ports.strip() in datasheet("x25519")


@pytest.mark.parametrize(("threads", "ready"), [(1, 1), (6, 3)])
def test_a_job_is_drawn(threads: int, ready: int) -> None:
    """Seven columns; with threads other requests may follow at once."""
    head, *rows = filter(None, wave(889, threads).splitlines())
    assert head.split() == ["cycle", "0", "1", "2", "..", "889", "+1", "+2"]
    drawn = dict(row.split() for row in rows)
    width = len(drawn["rsp_*"]) // 7
    assert {len(bits) for bits in drawn.values()} == {7 * width}
    assert drawn["req_ready_o"].count("▔") == ready * width
    assert drawn["rsp_valid_o"].index("▔") == head.index("889") - head.index("0")


def test_a_core_of_threads_takes_many_requests() -> None:
    text = readme(design("toyp7-t"))
    assert "Up to 3 requests are taken" in text
    assert "One request at a time" not in text
