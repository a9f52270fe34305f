# SPDX-License-Identifier: Apache-2.0
"""The e-cheque in Chromium, end to end: by mouse, by keyboard, with and without JavaScript."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.web import Server
from tests.browser import accessible, chromium, needs_chromium
from tests.demo.echeque.conftest import LIVE

pytestmark = needs_chromium
WAIT_MS = 60_000
PHONES = (360, 390)  # pixels of width

# Returns what is wider than the page, or than the part of it that scrolls.
_CUT = """() => Array.from(document.querySelectorAll("body *")).filter((e) => e.checkVisibility()
    && !e.closest(".unseen, .skip, svg, thead, option, datalist")
    && (e.getBoundingClientRect().right > innerWidth + 1
      || (e.matches(".scroll, pre") && e.scrollWidth > e.clientWidth)))
  .map((e) => e.outerHTML.slice(0, 80))"""

# Returns texts of two cells of a row that stand in one line with less than 12 pixels between them.
_TOUCHING = """() => {
  const bad = [];
  const boxes = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return Array.from(range.getClientRects()).filter((r) => r.width > 1 && r.height > 1);
  };
  for (const row of document.querySelectorAll("tr")) {
    if (getComputedStyle(row.parentElement).position === "absolute") continue;
    const cells = Array.from(row.cells, boxes);
    cells.forEach((left, i) => cells.slice(i + 1).forEach((right) => {
      for (const a of left) for (const b of right) {
        const line = a.top < b.bottom && b.top < a.bottom;
        if (line && b.left - a.right < 12) bad.push(row.textContent);
      }
    }));
  }
  return bad;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as made:
        yield made


@pytest.fixture(params=["light", "dark without JavaScript"])
def page(request: pytest.FixtureRequest, browser: Browser, server: Server) -> Iterator[Page]:
    """A page of a new browser, on the first page; nothing may go wrong in its console."""
    scheme, _, bare = request.param.partition(" ")
    context = browser.new_context(
        base_url=server.url, color_scheme=scheme, java_script_enabled=not bare,
        viewport={"width": 1000, "height": 800},
    )  # fmt: skip
    context.set_default_timeout(WAIT_MS)
    said: list[str] = []
    made = context.new_page()
    made.on("console", lambda m: None if "the server responded" in m.text else said.append(m.text))
    made.on("pageerror", lambda e: said.append(str(e)))
    made.goto("/")
    yield made
    context.close()
    assert said == []


def write(page: Page, payer: str = "Alice", amount: str = "12.50", payee: str = "Bob") -> None:
    """Write a cheque and send it; the next number of the payer."""
    page.goto("/payer")
    page.get_by_label("From").select_option(payer)
    page.get_by_label("Pay to").fill(payee)
    page.get_by_label("Amount").fill(amount)
    help_text = page.locator("#number-help").inner_text()
    number = help_text.split(f"{payer} ")[1].split(",")[0].rstrip(".")
    page.get_by_label("Cheque number").fill(number)
    page.get_by_role("button", name="Sign, encrypt and send").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("on its way")


def newest(page: Page) -> None:
    """Open the message that was sent last."""
    page.goto("/network")
    page.locator("tbody tr").first.get_by_role("link", name="Message").first.click()


def late(route: Route) -> None:
    """Let a style sheet arrive after the page that asks for it."""
    time.sleep(0.5)
    route.continue_()


def balance(page: Page, name: str) -> str:
    page.goto("/bank")
    row = page.locator("tr", has=page.get_by_role("rowheader", name=name, exact=True))
    return row.locator("td").inner_text()


def test_a_cheque_is_written_sent_delivered_and_booked(page: Page) -> None:
    page.get_by_role("link", name="Write a cheque").first.click()
    write(page)
    expect(page.get_by_text("MHz")).to_be_visible()
    page.get_by_role("link", name="Go to the network").click()
    page.get_by_role("button", name="Deliver").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("booked")
    assert balance(page, "Alice") == "987.50"
    assert balance(page, "Bob") == "262.50"


def test_altering_replaying_and_dropping(page: Page) -> None:
    write(page)
    newest(page)
    page.get_by_role("button", name="Alter the amount").click()
    expect(page.locator("mark")).to_have_count(1)
    page.get_by_role("button", name="Deliver it to the bank").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("altered")
    expect(page.get_by_text("Alice pays Bob 900,012.50")).to_be_visible()
    write(page)
    newest(page)
    page.get_by_role("button", name="Deliver it to the bank").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("booked")
    newest(page)
    page.get_by_role("button", name="Send a copy").click()
    page.get_by_role("button", name="Deliver it to the bank").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("replayed")
    newest(page)
    page.get_by_role("button", name="Send a copy").click()
    page.get_by_role("button", name="Drop it").click()
    expect(page.locator(".state.dropped")).to_be_visible()
    assert balance(page, "Alice") == "987.50"


def test_who_is_unknown_or_has_too_little_is_refused(page: Page) -> None:
    for payer, amount, verdict in (
        ("Mallory", "1.00", "unknown payer"), ("Carol", "10.01", "overdrawn")
    ):  # fmt: skip
        write(page, payer, amount)
        newest(page)
        page.get_by_role("button", name="Deliver it to the bank").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(verdict)
    assert balance(page, "Carol") == "10.00"


def test_pages_are_accessible(page: Page) -> None:
    """In light and dark, wide and narrow, with and without something on them."""
    write(page)
    newest(page)
    page.get_by_role("button", name="Alter the amount").click()
    deliver = page.url
    pages = ["/", "/payer", "/payer/1", "/network", deliver, "/bank", "/core", "/live", "/none"]
    for width in (1000, 360):
        page.set_viewport_size({"width": width, "height": 700})
        for path in pages:
            page.goto(path)
            accessible(page)
    page.get_by_role("link", name="e-cheque").click()
    page.goto(deliver)
    page.route("**/*.css", late)
    page.get_by_role("button", name="Deliver it to the bank").click()
    accessible(page)


def test_on_a_phone_nothing_is_cut_and_nothing_touches(page: Page) -> None:
    """The menu is one line, and tables need no scrolling, with the longest amount in them."""
    write(page, amount="123.50")
    newest(page)
    page.get_by_role("button", name="Deliver it to the bank").click()
    write(page, payer="Carol", amount="999999.99")
    newest(page)
    page.get_by_role("button", name="Send a copy").click()
    page.get_by_role("button", name="Alter the amount").click()
    page.get_by_role("button", name="Deliver it to the bank").click()
    pages = ["/", "/payer", "/payer/1", "/network", "/network/3", "/bank", "/core", "/live"]
    for width in (*PHONES, 1000):
        page.set_viewport_size({"width": width, "height": 800})
        for path in pages:
            page.goto(path)
            accessible(page)
            assert page.evaluate(_CUT) == [], (width, path)
            assert page.evaluate(_TOUCHING) == [], (width, path)
            places = [
                b and b["y"] for b in (x.bounding_box() for x in page.locator("nav li").all())
            ]
            assert len(places) == 5
            assert len(set(places)) == 1, (width, path)


def test_a_wrong_field_is_complained_of_once(page: Page, parties: Parties) -> None:
    page.goto("/payer")
    page.get_by_label("Amount").fill("12,50")
    page.get_by_role("button", name="Sign, encrypt and send").click()
    expect(page.get_by_role("alert")).to_have_text(
        "The amount is written with digits and a point, as in 12 or 12.50."
    )
    assert page.get_by_label("Amount").input_value() == "12,50"
    assert page.title().startswith("Not yet")
    accessible(page)
    assert not parties.network.latest()


def test_the_keyboard_is_enough(page: Page, parties: Parties) -> None:
    """Skip link, menu, form, all by tab and enter; the focus is seen."""
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Write a cheque").first).to_be_focused()
    outline = page.get_by_role("link", name="Write a cheque").first
    expect(outline).to_have_css("outline-style", "solid")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Payer: write a cheque")
    page.get_by_label("From").focus()
    for label in ("Cheque number", "Pay to", "Amount"):
        page.keyboard.press("Tab")
        expect(page.get_by_label(label)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("on its way")
    assert len(parties.network.latest()) == 1


def test_a_live_picture_is_recorded_from_the_page(page: Page) -> None:
    page.goto("/live")
    page.get_by_role("button", name="Record").click()
    link = page.locator("main").get_by_role("link", name=LIVE)
    expect(link).to_be_visible(timeout=300_000)
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("kP on toy7a")
