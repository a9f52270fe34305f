# SPDX-License-Identifier: Apache-2.0
"""``python -m tests.demo.echeque.screenshots``: make the screenshots of docs/guide/echeque.md."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.run import live_picture
from ecsm.demo.echeque.site import Echeque
from ecsm.demo.echeque.web import Server
from ecsm.demo.echeque.workshop import Workshop
from tests.browser import chromium

PRESET = "b163-small"
FOLDER = Path(__file__).parents[3] / "docs" / "img"
SIZE: ViewportSize = {"width": 820, "height": 640}


def shoot(page: Page, name: str) -> None:
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    print(path.relative_to(FOLDER.parent), path.stat().st_size, "octets")


def echeque(browser: Browser, url: str) -> None:
    """A cheque as it was made, light; the bank refusing an altered one, dark."""
    page = browser.new_page(base_url=url, viewport=SIZE, color_scheme="light")
    page.goto("/payer")
    shoot(page, "echeque-payer-light")
    page.get_by_role("button", name="Sign, encrypt and send").click()
    page.get_by_role("link", name="Go to the network").click()
    page.get_by_role("button", name="Deliver").click()
    page.emulate_media(color_scheme="dark")
    page.goto("/network/1")
    page.get_by_role("button", name="Send a copy").click()
    page.get_by_role("button", name="Alter the amount").click()
    page.get_by_role("button", name="Deliver it to the bank").click()
    page.goto("/network/1")
    page.get_by_role("button", name="Send a copy").click()
    page.get_by_role("button", name="Deliver it to the bank").click()
    page.goto("/bank")
    shoot(page, "echeque-bank-dark")


def live(browser: Browser, text: str) -> None:
    """The inversion, light and dark."""
    page = browser.new_page(viewport={"width": SIZE["width"], "height": 900})
    page.set_content(text)
    page.get_by_role("button", name="Jump to the inversion").click()
    page.locator(".controls").scroll_into_view_if_needed()
    page.emulate_media(color_scheme="light")
    shoot(page, "live-light")
    page.emulate_media(color_scheme="dark")
    shoot(page, "live-dark")


def main() -> None:
    """Make them all."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        parties = Parties(Path(folder), PRESET)
        parties.devices.now(PRESET, print)
        site = Echeque(parties, Workshop(live_picture), []).site
        with Server(site, 0) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            echeque(browser, server.url)
            server.shutdown()
        live(browser, live_picture(PRESET, print))
        parties.close()


if __name__ == "__main__":
    main()
