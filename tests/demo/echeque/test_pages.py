# SPDX-License-Identifier: Apache-2.0
"""Cycles become time at a clock that was measured, and at no other."""

from __future__ import annotations

import json
from html import unescape

import pytest

from ecsm.demo.echeque.bank import VERDICTS, Arrival
from ecsm.demo.echeque.core import Trail
from ecsm.demo.echeque.pages import Pages, as_text, changed
from ecsm.results.kept import RESULTS
from tests.demo.echeque.client import well_formed

PLACED = RESULTS / "pnr" / "b163-small.json"


def arrival(preset: str, verdict: str = "booked", said: str = "") -> str:
    trail = Trail(preset)
    trail.add("Verify", "about", 20_843, digest=b"\x00\xff")
    pages = Pages("token", "simulated core")
    page = pages.draw("arrival", a=Arrival(1, verdict, said, "now", trail)).decode()
    well_formed(page)
    return page


@pytest.mark.skipif(not PLACED.exists(), reason="b163-small is not placed")
def test_time_is_cycles_at_the_placed_clock() -> None:
    mhz = json.loads(PLACED.read_text(encoding="utf-8"))["mhz"]
    page = arrival("b163-small")
    assert f"{mhz:.2f} MHz" in page
    assert f"20,843 cycles, {20_843 / mhz:.1f} µs" in page
    assert "the core alone was placed" in page


def test_without_a_placed_clock_there_is_no_time() -> None:
    page = arrival("b233-fast")
    assert "20,843 cycles, no placed clock" in page
    assert "µs" not in page


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_is_explained(verdict: str) -> None:
    page = arrival("b233-fast", verdict, "<b>")
    assert VERDICTS[verdict] in unescape(page)
    assert "&lt;b&gt;" in page
    assert (verdict == "booked") == ("✓" in page)


def test_octets_are_text_where_they_are() -> None:
    assert as_text(b"pay\nBob\n") == "pay\nBob\n"
    assert as_text(b"\xff") == as_text(b"\x00") == as_text("\u202e".encode()) == ""


def test_what_changed_is_marked() -> None:
    assert changed(b"\x01\x02\x03", b"\x01\x00") == [("01", False), ("02", True), ("03", True)]
