# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium, driven by Playwright; what a page must be in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
ABSENT = f"{CHROMIUM} is not installed: .ci/install-chromium installs it (Debian)"

needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason=ABSENT)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser. Its sandbox needs rights that a container's root has not."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()


# Returns the texts whose contrast with what is behind them is below 4.5 (large ones: 3).
_CONTRAST = """() => {
  const gamma = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const channel = (v) => gamma(v / 255);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (text) => {
    const [r, g, b, alpha = 1] = text.match(/[\\d.]+/g).map(Number);
    return [[r, g, b], alpha];
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const [color, alpha] = parse(getComputedStyle(e).backgroundColor);
      if (alpha === 1) return color;
      if (alpha > 0) throw new Error("half transparent");
    }
    return [255, 255, 255];
  };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement;
    if (!n.textContent.trim() || !e.checkVisibility()) continue;
    if (e.closest("script, style, svg, option, :disabled, .unseen")) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parse(style.color)[0]), light(behind(e))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const enough = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < enough) bad.push(`${ratio.toFixed(2)}: ${n.textContent.trim().slice(0, 40)}`);
  }
  return bad;
}"""

# Returns what the accessibility tree lacks: fields and buttons, links and images without a name.
_NAMES = """() => Array.from(document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, svg[role=img], [role=region]"))
  .filter((e) => e.checkVisibility() && !e.textContent.trim() && !e.labels?.length
    && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby"))
  .map((e) => e.outerHTML.slice(0, 80))"""


def accessible(page: Page) -> None:
    """Fail unless texts have contrast, all has a name, and nothing is wider than the page.

    A click waits for the new page's first bytes only; its colours come with its style sheet.
    """
    page.wait_for_load_state("load")
    assert page.evaluate(_CONTRAST) == []
    assert page.evaluate(_NAMES) == []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    levels = page.evaluate(
        "Array.from(document.querySelectorAll('h1,h2,h3'), (e) => +e.tagName[1])"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
