# SPDX-License-Identifier: Apache-2.0
"""The picture of a prime-field loop: every operation once, inside the picture, none on another."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations, pairwise

import pytest

from ecsm.cores.store import prime_design
from ecsm.formulas.gfp.graph import Kind
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.schedule.gfp.picture import boxes, doublings, draw, lanes

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["p256-fast", "k256-glv", "p256-throughput", "toyp5-s", "toyp8-k"]


def picture(name: str) -> ET.Element:
    d = prime_design(name)
    return ET.fromstring(draw(d.graph, d.schedule, d.preset.units, name))


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_is_drawn_once_and_inside(name: str) -> None:
    d = prime_design(name)
    root = picture(name)
    drawn = sum(o.kind in (Kind.PRODUCT, Kind.SUM) for o in d.graph.body.ops)
    assert len(root.findall(f"{SVG}g")) == drawn
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    places = set()
    for box in root.iter(f"{SVG}rect"):
        if box.attrib["width"] == "100%":
            continue
        x, y, w, h = (float(box.attrib[k]) for k in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    for g in root.findall(f"{SVG}g"):
        first = g.find(f"{SVG}rect")
        assert first is not None
        places.add((first.attrib["x"], first.attrib["y"]))
    assert len(places) == drawn


@pytest.mark.parametrize("name", NAMES)
def test_what_is_under_way_together_has_lines_of_its_own(name: str) -> None:
    d = prime_design(name)
    found = boxes(d.graph, d.schedule, d.preset.units)
    for kind in (Kind.PRODUCT, Kind.SUM):
        lane = lanes(found, kind)
        mine = [b for b in found if b.op.kind is kind]
        for a, b in combinations(mine, 2):
            together = a.start < b.start + b.length and b.start < a.start + a.length
            assert not together or lane[a.op.atom] != lane[b.op.atom]


@pytest.mark.parametrize(
    ("name", "count", "own"),
    [("p256-fast", 4, 15), ("p256-verify", 6, 14), ("k256-glv", 4, 8), ("p256-throughput", 5, 9)],
)
def test_doublings_have_colours_of_their_own(name: str, count: int, own: int) -> None:
    """As many operations as a doubling has: names that an addition has too are no more."""
    body = prime_design(name).graph.body
    found = Counter(doublings([o.name for o in body.ops]))
    assert {i: n for i, n in found.items() if i >= 0} == dict.fromkeys(range(count), own)


@pytest.mark.parametrize("name", [*NAMES, "p256-verify", "x25519"])
def test_a_legend_explains_every_colour_and_sign(name: str) -> None:
    """The colour of a doubling is its own, and that of no addition."""
    root = picture(name)
    meaning = {
        sign.attrib["fill"]: text.text or ""
        for sign, text in pairwise(root)
        if sign.get("width") == "22.0" and "opacity" not in sign.attrib
    }
    assert len(set(meaning.values())) == len(meaning)
    used = set()
    for g in root.findall(f"{SVG}g"):
        first = g.find(f"{SVG}rect")
        assert first is not None
        said = meaning[first.attrib["fill"]]
        used.add(first.attrib["fill"])
        (doubling,) = re.findall(r"doubling \d+", g.findtext(f"{SVG}title", "")) or [""]
        assert said == doubling or (not doubling and said in ("the addition", "an operation"))
    assert used == set(meaning)
    texts = [t.text or "" for t in root.findall(f"{SVG}text")]
    pale = any(r.get("opacity") == "0.55" for g in root.findall(f"{SVG}g") for r in g)
    assert ("paler: begun in the turn before" in texts) == pale
    assert "under way in its unit" in texts
    assert any(t.startswith("A box is the cycle") for t in texts)


def test_it_says_what_it_shows() -> None:
    d = prime_design("p256-fast")
    root = picture("p256-fast")
    assert root.attrib["role"] == "img"
    assert (root[0].text or "").startswith("p256-fast")
    about = root[1].text or ""
    assert f"{d.schedule.ii} cycles (bound {d.schedule.ii_bound})" in about
    assert f"{len(d.graph.body.products())} products" in about


def test_there_is_one_for_every_preset() -> None:
    for name in PRIME_PRESETS:
        assert picture(name).tag == f"{SVG}svg"
