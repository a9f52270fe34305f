# SPDX-License-Identifier: Apache-2.0
"""The site of `make site`: links, anchors and navigation are right, and nothing is remote."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ecsm.report import site
from ecsm.resources import resource

ROOT = resource()
needs_mkdocs = pytest.mark.skipif(find_spec("mkdocs") is None, reason="no mkdocs")
REMOTE = re.compile(r"^(https?:)?//")
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Tags that make a browser load a file, with the attribute that names it."""


@dataclass
class Page(HTMLParser):
    """Links, anchors and loaded files of a page."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    loaded: list[str] = field(default_factory=list)
    navigation: list[str] = field(default_factory=list)
    inside: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        named = dict(attrs)
        self.inside += tag == "nav"
        if found := named.get("id"):
            self.anchors.add(found)
        if tag in LOADS and (found := named.get(LOADS[tag])):
            self.loaded.append(found)
        if tag == "a" and (found := named.get("href")):
            self.links.append(found)
            if self.inside:
                self.navigation.append(found)

    def handle_endtag(self, tag: str) -> None:
        """Leave the navigation."""
        self.inside -= tag == "nav"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """The pages of the site, by their files."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        if file.name == "404.html":
            continue
        page = pages[file] = Page()
        page.feed(file.read_text(encoding="utf-8"))
    return pages


def leads_to(file: Path, link: str) -> tuple[Path, str]:
    """Return the file and the anchor that a link of a page leads to."""
    parts = urlsplit(link)
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    return (target / "index.html" if target.is_dir() else target), unquote(parts.fragment)


@needs_mkdocs
def test_a_page_loads_nothing_remote(built: dict[Path, Page]) -> None:
    assert {url for page in built.values() for url in page.loaded if REMOTE.match(url)} == set()
    folder = next(file for file in built if file.name == "index.html").parent
    for css in folder.rglob("*.css"):
        text = css.read_text(encoding="utf-8")
        assert not re.search(r"(url\([\"']?|@import [\"']?)(https?:)?//", text), css


@needs_mkdocs
def test_the_navigation_has_every_page(built: dict[Path, Page]) -> None:
    (start,) = (f for f in built if f.name == "index.html" and (f.parent / "sitemap.xml").exists())
    shown = {leads_to(start, link)[0] for link in built[start].navigation}
    assert [str(file) for file in built if file not in shown] == []


@needs_mkdocs
def test_links_and_anchors_lead_somewhere(built: dict[Path, Page]) -> None:
    broken = []
    for file, page in built.items():
        for link in page.links:
            if urlsplit(link).scheme or link == "javascript:void(0)":
                continue
            target, anchor = leads_to(file, link)
            if not target.exists() or (anchor and target in built
                                       and anchor not in built[target].anchors):  # fmt: skip
                broken.append((file.name, link))
    assert broken == []


def test_a_link_to_a_file_of_the_tree_leads_to_its_copy() -> None:
    text = (
        "[a](../../rtl/README.md#b) [c](../../rtl) [d](../../setup.py) [e](x.md) [f](https://g/h)"
    )
    shown = site.rewritten(text, "docs/guide/y.md")
    assert shown == (
        "[a](../source/rtl/README.md#b) [c](../source/rtl/README.md)"
        " [d](../source/setup.py.txt) [e](x.md) [f](https://g/h)"
    )


def test_a_link_from_outside_leads_back_to_the_documents() -> None:
    shown = site.rewritten("[a](../docs/guide/start.md#b)", "rtl/README.md")
    assert shown == "[a](../../guide/start.md#b)"


def test_code_stays_as_it_is() -> None:
    text = "```c\nx[1](setup.py)\n```\n"
    assert site.rewritten(text, "README.md") == text


def test_the_navigation_is_of_pages_that_exist() -> None:
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    there = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    assert sorted(named) == sorted(there)


def test_pictures_have_colours_for_a_dark_scheme() -> None:
    """Nothing that is nearly black or white in the light stays so in the dark."""
    pictures = sorted((ROOT / "docs" / "img").glob("*.svg"))
    assert len(pictures) > 10
    for file in pictures:
        text = file.read_text(encoding="utf-8")
        dark = text.partition("prefers-color-scheme")[2]
        assert dark, file.name
        for colour in set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]+)"', text)):
            wide = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
            channels = bytes.fromhex(wide[1:])
            if max(channels) < 0x60 or min(channels) > 0xD8:
                assert f'"{colour}"]' in dark, (file.name, colour)
