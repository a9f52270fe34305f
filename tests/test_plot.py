# SPDX-License-Identifier: Apache-2.0
"""Plots: scales, fronts, labels that keep apart, documents that stand alone."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import combinations

import pytest

from ecsm.plot import COLOURS, EM, SIZE, Axis, Point, Series, front, scatter

SVG = "{http://www.w3.org/2000/svg}"


def draw(points: list[Point], log: bool = True, pareto: Sequence[Point] = ()) -> ET.Element:
    axis = Axis("x", log), Axis("y", log)
    return ET.fromstring(scatter("T & t", "about", *axis, [Series("s", points)], pareto))


def texts(root: ET.Element) -> dict[str, tuple[float, float]]:
    found = root.iter(f"{SVG}text")
    return {t.text or "": (float(t.get("x", "0")), float(t.get("y", "0"))) for t in found}


def circles(root: ET.Element) -> dict[str, tuple[float, float]]:
    found = {}
    for group in root.iter(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        assert circle is not None
        place = float(circle.get("cx", "0")), float(circle.get("cy", "0"))
        found[group.findtext(f"{SVG}title") or ""] = place
    return found


def test_a_logarithmic_axis_keeps_ratios() -> None:
    at = circles(draw([Point(1, 1, "a"), Point(10, 10, "b"), Point(100, 100, "c")]))
    assert at["b"][0] - at["a"][0] == pytest.approx(at["c"][0] - at["b"][0], abs=0.2)
    assert at["a"][1] - at["b"][1] == pytest.approx(at["b"][1] - at["c"][1], abs=0.2)
    assert at["a"][1] > at["b"][1]  # upwards is more


def test_a_linear_axis_keeps_differences() -> None:
    at = circles(draw([Point(0, 0, "a"), Point(1, 0, "b"), Point(3, 0, "c")], log=False))
    assert at["c"][0] - at["b"][0] == pytest.approx(2 * (at["b"][0] - at["a"][0]), abs=0.2)


def test_nothing_goes_on_a_logarithmic_axis_at_0() -> None:
    with pytest.raises(ValueError, match="logarithmic"):
        draw([Point(0, 1), Point(1, 1)])


def test_the_front_is_what_nothing_beats() -> None:
    points = [Point(1, 9), Point(2, 9), Point(3, 4), Point(4, 5), Point(5, 1), Point(1, 10)]
    assert [(p.x, p.y) for p in front(points)] == [(1, 9), (3, 4), (5, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_labels_do_not_overlap(seed: int) -> None:
    rng = random.Random(seed)
    points = [
        Point(rng.uniform(1, 30), rng.uniform(1, 30), f"preset-{i}-name") for i in range(25)
    ] + [Point(5 + i / 50, 5, f"close-{i}") for i in range(6)]
    found = texts(draw(points))
    boxes = [
        (x, y - SIZE, x + len(label) * EM * SIZE, y + 2)
        for label, (x, y) in found.items() if label.startswith(("preset", "close"))
    ]  # fmt: skip
    assert len(boxes) == 31
    for a, b in combinations(boxes, 2):
        apart = a[2] <= b[0] + 0.2 or b[2] <= a[0] + 0.2 or a[3] <= b[1] + 0.2 or b[3] <= a[1] + 0.2
        assert apart, (a, b)


def test_a_lone_label_stands_beside_its_point() -> None:
    root = draw([Point(2, 2, "a"), Point(20, 2, "b")])
    (px, py), (tx, ty) = circles(root)["a"], texts(root)["a"]
    assert 0 < tx - px < 15
    assert abs(ty - py) < 6


def test_points_at_one_place_share_mark_and_label() -> None:
    root = draw([Point(2, 2, "a"), Point(2, 2, "b"), Point(3, 3, "c")])
    assert "a, b" in texts(root)
    assert len(circles(root)) == 2


def test_without_points_it_says_that_nothing_is_measured() -> None:
    assert "not measured yet" in texts(draw([]))


def test_one_point_is_enough() -> None:
    assert "only" in texts(draw([Point(7, 7, "only")], pareto=[Point(7, 7, "only")]))


def test_a_plot_stands_alone_in_light_and_in_dark() -> None:
    text = scatter("A < B", "about", Axis("x"), Axis("y"), [Series("s", [Point(1, 2, "<p>")])])
    root = ET.fromstring(text)
    assert root.findtext(f"{SVG}title") == "A < B"
    style = root.findtext(f"{SVG}style") or ""
    light, _, dark = style.partition("@media (prefers-color-scheme:dark)")
    for name, colours in COLOURS.items():
        assert f".f-{name}{{fill:{colours[0]}}}" in light
        assert f".f-{name}{{fill:{colours[1]}}}" in dark
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
