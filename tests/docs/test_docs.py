# SPDX-License-Identifier: Apache-2.0
"""Documents are current, their links lead somewhere, and their marks are understood."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.presets import PRESETS
from ecsm.report import docs
from ecsm.report.docs import DocsError, StaleDocs, fill, write_docs
from ecsm.resources import resource
from ecsm.schedule.gf2m.solve import Limits

ROOT = resource()

FOLDERS = ("docs", "ecsm", "rtl", "sw", "tests")
PAGES = sorted([*ROOT.glob("*.md"), *(f for name in FOLDERS for f in (ROOT / name).rglob("*.md"))])
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def test_figures_and_tables_are_current() -> None:
    write_docs(ROOT, check=True)


def test_a_changed_number_is_noticed_and_mended(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "theory" / "schedules.md"
    before = page.read_text(encoding="utf-8")
    right = f"b163-fast.cycles -->{design('b163-fast').schedule.cycles}<"
    assert right in before
    page.write_text(before.replace(right, "b163-fast.cycles -->17<"), encoding="utf-8")
    with pytest.raises(StaleDocs, match=r"schedules\.md") as error:
        write_docs(check=True, root=tmp_path)
    assert error.value.files == [Path("docs/theory/schedules.md")]
    assert "-->17<" in page.read_text(encoding="utf-8")
    write_docs(root=tmp_path)
    assert page.read_text(encoding="utf-8") == before
    write_docs(check=True, root=tmp_path)


def test_a_missing_figure_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(StaleDocs, match="schedule-b163-fast"):
        write_docs(check=True, root=tmp_path)


@pytest.mark.parametrize(
    "mark",
    ["table nothing", "table facts", "table facts:none", "table order-cycles:x",
     "table order-cycles:8x0", "value b163-fast.beauty", "value none.cycles", "value none",
     "poem b163-fast"],
)  # fmt: skip
def test_an_unknown_mark_is_refused(mark: str) -> None:
    with pytest.raises(DocsError):
        fill(f"<!-- ecsm:{mark} --><!-- /ecsm -->")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- ecsm:value b163-fast.cycles -->343 and no end",
        "<!-- ecsm:value b163-fast.cycles -->343 text <!-- ecsm:table published --><!-- /ecsm -->",
        "<!-- ecsm:value  b163-fast.cycles -->343<!-- /ecsm -->",
        "<!-- /ecsm -->",
    ],
)
def test_a_mark_that_is_not_closed_is_refused_and_no_text_lost(text: str) -> None:
    with pytest.raises(DocsError, match="a mark is not closed"):
        fill(text)


def test_a_page_with_a_wrong_mark_is_named_and_nothing_written(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "docs" / "img" / "schedule-b163-fast.svg").unlink()
    (tmp_path / "README.md").write_text("<!-- ecsm:table nothing --><!-- /ecsm -->")
    with pytest.raises(DocsError, match=r"README\.md: there is no table 'nothing'"):
        write_docs(root=tmp_path)
    assert not (tmp_path / "docs" / "img" / "schedule-b163-fast.svg").exists()


def test_a_table_in_a_readme_is_filled(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- ecsm:table published --><!-- /ecsm -->\nb\n", encoding="utf-8")
    write_docs(root=tmp_path)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("a\n")
    assert text.endswith("<!-- /ecsm -->\nb\n")
    assert docs.published() in text


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        file = (page.parent / target) if target else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), anchor


@every_page
def test_every_named_file_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:rtl|ecsm|tests|docs)/[\w/.-]+)`", text):
        created = f"guide: create {name}" in text
        assert created or (ROOT / name).exists(), name


@every_page
def test_no_line_begins_with_a_value(page: Path) -> None:
    """Markdown would take such a line for HTML and end the paragraph."""
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"^\s*<!-- ecsm:value", text, re.MULTILINE)


@every_page
def test_no_preset_is_without_a_schedule(page: Path) -> None:
    assert docs.NOT_SOLVED not in page.read_text(encoding="utf-8")


def test_theory_names_the_limits_of_the_proof() -> None:
    text = (ROOT / "docs" / "theory" / "schedules.md").read_text(encoding="utf-8")
    assert f"at most {Limits().registers} registers" in text
    assert f"{PRESETS['b163-small'].registers} in the `-small` presets" in text


def test_inversions_have_the_length_and_depth_that_theory_states() -> None:
    rows = [row.split("|") for row in docs.inversion().splitlines()[2:]]
    assert rows
    for _, m, _, products, depth, _ in rows:
        n = int(m) - 1
        assert int(products) == n.bit_length() - 1 + n.bit_count() - 1
        assert int(depth) == (n - 1).bit_length()


@pytest.mark.parametrize("svg", sorted((ROOT / "docs" / "img").glob("*.svg")), ids=lambda p: p.name)
def test_a_figure_stands_alone_and_says_what_it_shows(svg: Path) -> None:
    root = ET.parse(svg).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.findtext(f"{space}title")
    assert root.findtext(f"{space}desc")
    assert not root.findall(f".//{space}script")
    assert not root.findall(f".//{space}image")
