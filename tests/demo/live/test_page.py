# SPDX-License-Identifier: Apache-2.0
"""The live picture as a page: a table without JavaScript, and in Chromium step, play and jump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from ecsm.demo.live.page import page as draw
from ecsm.demo.live.record import Record
from ecsm.demo.live.recorder import presets, record
from tests.browser import accessible, chromium, needs_chromium

TOY = "toy7-fast"
K = 0x5B


@pytest.fixture(scope="module")
def small() -> Record:
    return record("b163-small")


@pytest.fixture(scope="module")
def file(small: Record, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "live.html"
    path.write_text(draw(small), encoding="utf-8")
    return path


def test_the_table_has_every_product_and_every_write(small: Record, file: Path) -> None:
    text = unescape(file.read_text(encoding="utf-8"))
    rows = re.findall(r'<tr data-cycle="(\d+)">(.*?)</tr>', text, re.DOTALL)
    assert [int(cycle) for cycle, _ in rows] == list(small.happened)
    for cycle, row in rows:
        c = small.happened[int(cycle)]
        assert f"<td>{small.part(int(cycle))}</td>" in row
        values = [int(v, 16) for v in re.findall(r"<code>([0-9a-f]{41})</code>", row)]
        assert values == [v for q in c.starts for v in q.operands] + [w.value for w in c.writes]
        for name in [q.name for q in c.starts] + [w.name for w in c.writes]:
            assert f"<b>{name}</b>" in row


def test_the_page_is_all_in_one(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#|data:,)', text)
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert text.count("<script>") == 1
    assert file.stat().st_size < 1_000_000


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "live", "--preset", TOY, "--k", hex(K)]) == 0
    assert Path(f"live-{TOY}.html").read_text(encoding="utf-8") == draw(record(TOY, K))
    assert main(["demo", "live", "--preset", TOY, "-o", "page.html"]) == 0
    assert Path("page.html").exists()
    capsys.readouterr()
    assert main(["demo", "live", "--preset", "p256-throughput"]) == USAGE
    assert main(["demo", "live", "--preset", "none"]) == USAGE
    assert main(["demo", "live", "--preset", TOY, "--k", "128"]) == FAILED
    monkeypatch.setattr("ecsm.demo.live.recorder.record", None)  # said before anything is recorded
    assert main(["demo", "live", "--preset", TOY, "-o", "no/such/page.html"]) == USAGE
    said = capsys.readouterr().err
    assert "of one thread" in said
    assert "128" not in said  # a scalar is not repeated
    assert len([line for line in said.splitlines() if line.startswith("ecsm:")]) == 4


def test_which_presets_have_a_picture() -> None:
    found = presets()
    assert {"b163-small", "p256-fast", "x25519", "word-p256-none", "word-dual-b163-none"} <= {
        *found
    }
    assert TOY not in found
    for name in (
        "b163-small-full",
        "p256-throughput",
        "p256-verify",
        "word-p256",
        "word-prime-x25519-none",
    ):
        assert name not in presets(toys=True)


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as made:
        yield made


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, file: Path) -> Iterator[Page]:
    context = browser.new_context(
        color_scheme=request.param, viewport={"width": 1100, "height": 900}
    )
    made = context.new_page()
    said: list[str] = []
    made.on("console", lambda m: said.append(m.text))
    made.on("pageerror", lambda e: said.append(str(e)))
    made.goto(file.as_uri())
    yield made
    context.close()
    assert said == []


def at(page: Page) -> int:
    found = re.match(r"Cycle ([\d,]+) of", page.locator("#where").inner_text())
    assert found is not None
    return int(found[1].replace(",", ""))


def registers(page: Page) -> list[str]:
    return [
        row.strip() for row in page.locator("#registers tbody td:nth-child(3)").all_inner_texts()
    ]


def expected_registers(r: Record, cycle: int) -> list[str]:
    """What each register holds in a cycle, by what was written before it."""
    values = [""] * len(r.registers)
    for t, c in r.happened.items():
        for w in c.writes if t < cycle else []:
            values[w.register] = f"{w.value:041x}"
    return values


def expected_key(r: Record, cycle: int) -> str:
    """The key bits that were used up to a cycle, the others as dots."""
    known = {c.digit[0]: c.digit[1] for t, c in r.happened.items() if c.digit and t <= cycle}
    return "".join(known.get(i, "·") for i in range(r.digits.count - 1, -1, -1))


def shows(page: Page, r: Record, cycle: int) -> None:
    assert at(page) == cycle
    assert registers(page) == expected_registers(r, cycle)
    assert page.locator("#key").inner_text() == expected_key(r, cycle)
    c = r.happened.get(cycle)
    for q in c.starts if c else []:
        unit = page.locator("#units tbody tr").nth(q.unit)
        expect(unit).to_contain_text(q.name)
        expect(unit).to_contain_text(" × ".join(f"{v:041x}" for v in q.operands))


@needs_chromium
@pytest.mark.parametrize("first", ["Play", "Step", "Jump to the inversion"])
def test_it_begins_with_something_to_see_and_says_what_to_press(
    page: Page, small: Record, first: str
) -> None:
    """Before anything is pressed: the ladder's first cycle, with its variables in registers."""
    begin = small.parts[2].first
    shows(page, small, begin)
    assert sum(map(bool, registers(page))) >= 3
    expect(page.locator("#now li").first).to_contain_text("multiplier")
    expect(page.locator("#registers")).to_contain_text("nothing yet")
    hint = page.locator("#hint")
    expect(hint).to_have_text("Press Play to watch it run, or Step to go on by one clock cycle.")
    above = page.evaluate(
        "document.querySelector('#play').getBoundingClientRect().top"
        " - document.querySelector('#hint').getBoundingClientRect().bottom"
    )
    assert 0 <= above < 40
    page.get_by_role("button", name=first, exact=True).click()
    expect(hint).to_be_hidden()


@needs_chromium
def test_stepping_shows_the_registers_of_each_cycle(page: Page, small: Record) -> None:
    page.get_by_role("button", name="Start", exact=True).click()
    shows(page, small, 0)
    for cycle in range(1, 30):
        page.get_by_role("button", name="Step", exact=True).click()
        shows(page, small, cycle)
    page.get_by_role("button", name="Step back").click()
    shows(page, small, 28)
    page.get_by_role("button", name="Next event").click()
    shows(page, small, next(t for t in small.happened if t > 28))


@needs_chromium
def test_jumping_to_the_inversion_and_to_the_end(page: Page, small: Record) -> None:
    page.get_by_role("button", name="Jump to the inversion").click()
    shows(page, small, small.inversion.first)
    expect(page.locator("#where")).to_contain_text("inversion")
    expect(page.locator("#units")).to_contain_text("β2")
    expect(page.locator("#said")).to_contain_text("inversion")
    expect(page.locator("#result")).to_be_hidden()
    page.get_by_role("button", name="End", exact=True).click()
    shows(page, small, small.cycles)
    assert small.result is not None
    expect(page.locator("#result")).to_have_text(" ".join(f"{v:041x}" for v in small.result))
    page.get_by_role("button", name="Start", exact=True).click()
    shows(page, small, 0)


@needs_chromium
def test_playing_goes_on_until_paused(page: Page, small: Record) -> None:
    page.get_by_label("Cycles a second").select_option("500")
    page.get_by_role("button", name="Play").click()
    moved = re.compile(r"Cycle ([2-9]\d\d|[\d,]{5,}) of")
    expect(page.locator("#where")).to_contain_text(moved, timeout=60_000)
    page.get_by_role("button", name="Pause").click()
    stopped = at(page)
    shows(page, small, stopped)
    page.wait_for_timeout(200)
    assert at(page) == stopped
    page.get_by_label("Cycle", exact=True).first.fill(str(small.cycles - 50))
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=30_000)
    shows(page, small, small.cycles)


@needs_chromium
def test_the_keyboard_is_enough(page: Page, small: Record) -> None:
    page.get_by_role("button", name="Start", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Step", exact=True).focus()
    page.keyboard.press("Enter")
    shows(page, small, 1)
    page.locator("#view").focus()
    for key, cycle in (
        ("ArrowRight", 2), ("ArrowLeft", 1), ("i", small.inversion.first), ("End", small.cycles),
        ("Home", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        shows(page, small, cycle)
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    page.locator("#slider").focus()
    before = at(page)
    page.keyboard.press("ArrowRight")
    assert at(page) == before + 1


@needs_chromium
def test_a_cycle_that_is_none_is_the_nearest(page: Page, small: Record) -> None:
    field = page.get_by_label("Cycle", exact=True).first
    for text, cycle in (("99999999", small.cycles), ("-5", 0), ("", 0), ("77", 77)):
        field.fill(text)
        shows(page, small, cycle)


@needs_chromium
def test_it_is_accessible(page: Page) -> None:
    for width in (1100, 360):
        page.set_viewport_size({"width": width, "height": 800})
        page.get_by_role("button", name="Jump to the inversion").click()
        accessible(page)
    page.get_by_text("Everything that happened, as a table").click()
    expect(page.locator("#events")).to_be_visible()


@needs_chromium
def test_without_javascript_it_is_a_table(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "toy.html"
    path.write_text(draw(record(TOY, K)), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.locator("#view")).to_be_hidden()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#events tbody tr")).to_have_count(19)
    accessible(page)
    context.close()
