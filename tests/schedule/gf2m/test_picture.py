# SPDX-License-Identifier: Apache-2.0
"""The picture of a schedule: complete, nothing outside its box or on top of another."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from itertools import pairwise

import pytest

from ecsm.cores.store import binary_design, design
from ecsm.cores.table import family
from ecsm.formulas.gf2m.graph import Kind
from ecsm.presets.halving import HalvingPreset
from ecsm.schedule import canvas
from ecsm.schedule.gf2m.picture import FILL, fit
from ecsm.schedule.gf2m.report import summary
from ecsm.schedule.halving.program import WINDOW, end_of_windows

PRESETS = [
    "b163-fast", "b163-balanced", "b163-small", "toy7-fast", "toy7-two", "toy7-small",
    "toy8-one", "toy9-balanced", "toy9-four", "toy5-serial",
]  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
HALVING = ["b163-halving", "toy107-halving"]
every_preset = pytest.mark.parametrize("name", PRESETS)
every_picture = pytest.mark.parametrize("name", [*PRESETS, *HALVING])


def draw(name: str) -> str:
    d = design(name)
    return family(d.preset).draw(d)


def picture(name: str) -> ET.Element:
    return ET.fromstring(draw(name).encode())


def groups(root: ET.Element) -> list[tuple[str, ET.Element]]:
    return [(g.findtext(f"{SVG}title", ""), g) for g in root.findall(f"{SVG}g")]


def number(e: ET.Element, key: str) -> float:
    return float(e.attrib[key])


@every_preset
def test_every_product_of_loop_and_tail_has_a_box_with_its_name(name: str) -> None:
    d = binary_design(name)
    titles = [title for title, _ in groups(picture(name))]
    tail = 1 + d.graph.trips * d.schedule.ii
    for segment, slots, base in (
        (d.graph.body, d.schedule.body, 1),
        (d.graph.tail, d.schedule.tail, tail),
    ):
        for op in segment.ops:
            start = base + slots[op.atom].time
            kind = {Kind.PRODUCT: "multiplier", Kind.TEST: "zero test", Kind.HOLD: ""}[op.kind]
            found = [
                t for t in titles if t.startswith(op.name) and f"(cycle {start}," in t and kind in t
            ]
            assert found, (op.name, start)


@every_picture
def test_text_fits_its_box(name: str) -> None:
    for title, group in groups(picture(name)):
        boxes = [r for r in group.findall(f"{SVG}rect") if "rx" in r.attrib]
        texts = group.findall(f"{SVG}text")
        for text in texts:
            x, size = number(text, "x"), number(text, "font-size")
            half = len(text.text or "") * 0.6 * size / 2
            assert any(
                number(b, "x") <= x - half and x + half <= number(b, "x") + number(b, "width")
                for b in boxes
            ), title
            y = number(text, "y")
            assert any(
                number(b, "y") <= y - 0.72 * size and y <= number(b, "y") + number(b, "height")
                for b in boxes
            ), title


@every_picture
def test_no_two_boxes_overlap(name: str) -> None:
    root = picture(name)
    rows: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for _, group in groups(root):
        for r in group.findall(f"{SVG}rect"):
            rows[number(r, "y")].append((number(r, "x"), number(r, "x") + number(r, "width")))
    for spans in rows.values():
        spans.sort()
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start


@every_picture
def test_everything_is_inside_the_page(name: str) -> None:
    root = picture(name)
    width, height = (float(root.attrib[k]) for k in ("width", "height"))
    for r in root.iter(f"{SVG}rect"):
        if "%" not in r.attrib["width"] and "x" in r.attrib:
            assert 0 <= number(r, "x") <= width - number(r, "width")
            assert 0 <= number(r, "y") <= height - number(r, "height")
    for t in root.iter(f"{SVG}text"):
        assert 0 <= number(t, "x") <= width
        assert 0 <= number(t, "y") <= height


def legend(root: ET.Element) -> dict[str, str]:
    """Return what stands behind each sign outside the boxes, by the sign's fill."""
    found, flat = {}, list(root)
    for sign, text in pairwise(flat):
        if sign.tag == f"{SVG}rect" and sign.get("width") == "22.0" and text.tag == f"{SVG}text":
            found[sign.attrib["fill"]] = text.text or ""
            assert 0 <= number(text, "x") - number(sign, "x") - 22 < 12
            assert 0 <= number(text, "y") - number(sign, "y") < 11
    return found


@every_picture
def test_a_legend_explains_every_colour_and_sign(name: str) -> None:
    root = picture(name)
    boxes = [r for _, g in groups(root) for r in g.findall(f"{SVG}rect")]
    used = {r.attrib["fill"] for r in boxes if "rx" in r.attrib}
    strips = any("opacity" in r.attrib for r in boxes)
    gaps = any(r.get("fill") == "url(#gap)" and r.get("width") != "22.0" for r in root)
    found = legend(root)
    assert used <= set(found), "a colour that nobody explains"
    assert all(found.values())
    assert any("pipeline" in text for text in found.values()) == strips
    assert any("left out" in text for text in found.values()) == gaps
    assert len(found) == len(used) + strips + gaps
    assert "italics are not to scale" in " ".join(t.text or "" for t in root.iter(f"{SVG}text"))


def test_the_picture_is_accessible_and_opaque() -> None:
    root = picture("b163-fast")
    assert root.attrib["role"] == "img"
    ids = root.attrib["aria-labelledby"].split()
    assert ids == [root[0].attrib["id"], root[1].attrib["id"]]
    assert "b163-fast" in (root[0].text or "")
    assert "343 cycles" in (root[1].text or "")
    background = root.find(f"{SVG}rect")
    assert background is not None
    assert background.attrib["width"] == "100%"
    assert background.attrib["fill"] == canvas.PAPER
    text = ET.tostring(root, encoding="unicode")
    assert not re.search("<script|href|[^-]style=", text)


@pytest.mark.parametrize("name", HALVING)
def test_halvings_and_sums_of_a_turn_and_all_of_the_tail_have_boxes(name: str) -> None:
    d = design(name)
    p = d.preset
    assert isinstance(p, HalvingPreset)
    titles = {title for title, _ in groups(picture(name))}
    end = end_of_windows(p.halves)
    last = [t for t in titles if any(f"(cycle {end - i}," in t for i in range(1, WINDOW + 1))]
    assert sum("multiplier 0" in t for t in last) == 4
    assert sum("multiplier 1" in t for t in last) == WINDOW
    for op in p.tail.ops:
        start = end + d.schedule.tail[op.atom].time
        assert any(t.startswith(op.name) and f"(cycle {start}," in t for t in titles), op.name
    assert end + max(s.time for s in d.schedule.tail.values()) < d.microcode.cycles


def test_the_loop_is_marked_with_its_turns() -> None:
    texts = [t.text for t in picture("b163-fast").iter(f"{SVG}text")]
    assert "loop × 161" in texts
    assert "160 more" in texts


def test_overlapping_turns_are_drawn_as_separate_turns() -> None:
    """An operation that ends after its turn shows beside those of the next."""
    d = binary_design("toy7-small")
    ends = [s.time for s in d.schedule.body.values()]
    assert max(ends) >= d.schedule.ii
    root = picture("toy7-small")
    texts = [t.text or "" for t in root.iter(f"{SVG}text")]
    assert any("turn 1 of 5" in t for t in texts)
    assert any("turn 2 of 5" in t for t in texts)
    fills = {r.attrib["fill"] for _, g in groups(root) for r in g.findall(f"{SVG}rect")}
    assert {FILL["loop"], FILL["turn"], FILL["tail"]} <= fills


def test_a_name_is_set_in_one_line_or_two_or_cut() -> None:
    assert fit("A = B·C", 80, 38) == [("A = B·C", 11.0)]
    assert [t for t, _ in fit("G = (X1+xZ1)(X2+xZ2)", 79, 38)] == ["G =", "(X1+xZ1)(X2+xZ2)"]
    [(text, size)] = fit("abcdefghijklmnopqrstuvwxyz", 50, 28)
    assert text.endswith("…")
    assert len(text) * 0.6 * size <= 50


def test_the_summary_adds_up() -> None:
    d = binary_design("b163-fast")
    s = summary(d.graph, d.schedule, d.microcode, d.preset.units)
    assert s["cycles"] == 2 + 161 * 2 + 19 == 343
    assert (s["loop_turns"], s["loop_cycles"], s["tail_cycles"]) == (161, 2, 19)
    assert s["products"] == 161 * 5 + 25
    assert s["levels"] == 2 * 162 + 8 + 2  # ladder, inversion, g and the last product
    assert s["floor"] == 2 + 334
    assert s["gap"] == 343 - d.schedule.cycles_bound


def test_an_idle_multiplier_is_counted_as_such() -> None:
    d = binary_design("b163-fast")
    units = dataclasses.replace(d.preset.units, count=4)
    s = summary(d.graph, d.schedule, d.microcode, units)
    assert (s["multipliers"], s["multipliers_used"]) == (4, 3)


@every_preset
def test_the_bound_is_never_below_the_floor(name: str) -> None:
    d = binary_design(name)
    s = summary(d.graph, d.schedule, d.microcode, d.preset.units)
    bounds = [d.schedule.floor, d.schedule.cycles_bound]
    assert s["cycles_bound"] == max(bounds) <= d.schedule.cycles
    assert s["gap"] == d.schedule.cycles - max(bounds)
