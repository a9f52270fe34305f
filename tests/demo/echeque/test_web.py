# SPDX-License-Identifier: Apache-2.0
"""What the server answers, without a browser: pages, forms, and what it refuses."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from ecsm.demo.echeque.bank import CUSTOMERS
from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.web import MOST_BODY, Server
from tests.demo.echeque.client import CHEQUE, Client, well_formed
from tests.demo.echeque.conftest import LIVE

PAGES = ("/", "/payer", "/network", "/bank", "/core", "/live")


@pytest.fixture
def client(server: Server) -> Client:
    return Client(server)


# ------------------------------------------------------------------ the way of a cheque


def test_a_cheque_goes_from_payer_to_bank(client: Client) -> None:
    sent = client.write()
    assert (sent.status, sent.headers["Location"]) == (303, "/payer/1")
    for path in ("/payer/1", "/network", "/network/1"):
        well_formed(client.get(path).text)
    made = client.get("/payer/1").text
    for name in ("Hash", "Sign", "Encrypt to the bank", "cycles", "MHz", "µs"):
        assert name in made
    assert "cents=00001250" not in client.get("/network/1").text
    delivered = client.post("/network/1/deliver")
    assert (delivered.status, delivered.headers["Location"]) == (303, "/bank/1")
    well_formed(client.get("/bank/1").text)
    assert "✓ booked" in client.get("/bank/1").text
    assert "987.50" in client.get("/bank").text
    well_formed(client.get("/bank").text)
    well_formed(client.get("/payer").text)


@pytest.mark.parametrize("preset", ["b163-small", "b233-small", "p521-fast"])
def test_the_idea_is_told_with_a_number_as_long_as_the_keys(
    client: Client, parties: Parties, preset: str
) -> None:
    parties.preset = preset
    digits = {"b163-small": 49, "b233-small": 70, "p521-fast": 157}[preset]
    assert f"a number <var>k</var> of {digits} digits a" in client.get("/").text


def test_the_port_that_browsers_leave_out(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "localhost" not in server.names
    monkeypatch.setattr(server, "server_port", 80)
    assert {"localhost", "localhost:80", "127.0.0.1"} <= server.names


def test_the_network_can_do_its_worst(client: Client) -> None:
    client.write()
    assert client.post("/network/1/flip", part="amount").status == 303
    assert "<mark>" in client.get("/network/1").text
    client.post("/network/1/deliver")
    altered = client.get("/bank/1").text
    assert "✗ altered" in altered
    assert "Alice pays Bob 900,012.50" in altered
    assert client.post("/network/1/deliver").status == 409
    client.write(number="2")
    client.post("/network/2/deliver")
    copy = client.post("/network/2/replay").headers["Location"]
    assert copy == "/network/3"
    assert "replay of 2" in client.get(copy).text
    client.post("/network/3/deliver")
    assert "✗ replayed" in client.get("/bank/3").text
    client.write(number="3")
    client.post("/network/4/drop")
    assert "dropped" in client.get("/network/4").text
    assert client.post("/network/2/alter", octets="00").status == 409
    client.post("/network/4/replay")
    assert client.post("/network/5/alter", octets="zz").alert.startswith("Octets are written")
    assert client.post("/network/5/alter", octets="45 43\n31").status == 303
    client.post("/network/5/deliver")
    assert "✗ unreadable" in client.get("/bank/4").text
    assert "987.50" in client.get("/bank").text


def test_unknown_payer_and_overdrawn_are_refused(client: Client) -> None:
    client.write(payer="Mallory")
    client.write(payer="Carol", amount="10.01")
    for number, verdict in ((1, "unknown payer"), (2, "overdrawn")):
        client.post(f"/network/{number}/deliver")
        assert f"✗ {verdict}" in client.get(f"/bank/{number}").text


def test_a_message_and_its_replays_delivered_at_once_are_booked_once(
    client: Client, parties: Parties
) -> None:
    client.write()
    for _ in range(4):
        client.post("/network/1/replay")
    jobs = [n for n in range(1, 6) for _ in range(2)]
    barrier = threading.Barrier(len(jobs))

    def deliver(number: int) -> int:
        barrier.wait()
        return client.post(f"/network/{number}/deliver").status

    with ThreadPoolExecutor(len(jobs)) as pool:
        statuses = list(pool.map(deliver, jobs))
    assert sorted(statuses) == [303] * 5 + [409] * 5
    verdicts = sorted(a.verdict for a in parties.bank.arrivals())
    assert verdicts == ["booked"] + ["replayed"] * 4
    assert dict(parties.bank.accounts())["Alice"] == 98_750


def test_starting_again_forgets_all(client: Client, parties: Parties) -> None:
    client.write()
    client.post("/network/1/deliver")
    assert client.post("/again").headers["Location"] == "/"
    assert dict(parties.bank.accounts()) == dict(CUSTOMERS)
    assert client.get("/payer/1").status == client.get("/bank/1").status == 404
    client.write()
    client.post("/network/1/deliver")
    assert "✓ booked" in client.get("/bank/1").text


# ------------------------------------------------------------------ pages


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_well_formed_and_closed_to_others(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 200
    well_formed(answer.text)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "<script" not in answer.text
    assert "style=" not in answer.text


@pytest.mark.parametrize("path", ["/static/style.css", "/static/icon.svg"])
def test_files_are_there(client: Client, path: str) -> None:
    assert client.get(path).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nothing", "/payer/99", "/network/99", "/bank/99", "/bank/x", "/static/none.css",
        "/static/../site.py", "/static/%2e%2e/site.py", "/live/b163-small", "//evil", "//[",
        "/payer/", "/network/9999999999",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    well_formed(answer.text)
    assert answer.alert


def test_what_is_entered_is_escaped(client: Client) -> None:
    evil = "<script>alert('&')</script>"
    page = client.write(payee=evil, amount='"><b>')
    assert page.status == 422
    assert "<script>" not in page.text
    assert "&lt;script&gt;" in page.text
    well_formed(page.text)
    assert client.write(payee=evil).status == 303
    for path in ("/payer/1", "/payer"):
        assert "<script>" not in client.get(path).text
    client.post("/network/1/deliver")
    for path in ("/bank", "/bank/1"):
        text = client.get(path).text
        assert "<script>" not in text
        assert "unknown payee" in text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"payee": ""}, "payee"), ({"payee": "Alice"}, "two persons"), ({"amount": "x"}, "amount"),
        ({"amount": "0.00"}, "amount"), ({"number": "0"}, "number"), ({"date": "soon"}, "date"),
        ({"payer": "Eve"}, "payer is one of"), ({"payee": "B" * 5000}, "payee"),
        ({"payee": "B\r\nob\x00"}, "payee"),
    ],
)  # fmt: skip
def test_one_clear_complaint_and_the_form_as_it_was(
    client: Client, parties: Parties, fields: dict[str, str], says: str
) -> None:
    page = client.write(**fields)
    assert page.status == 422
    assert says in page.alert
    assert not parties.network.latest()
    if "amount" not in fields:
        assert 'value="12.50"' in page.text


def test_a_field_is_taken_whole(client: Client) -> None:
    assert client.write(payee="Bob" + " " * 250 + "by").status == 303
    assert "Bob by" in client.get("/payer/1").text


# ------------------------------------------------------------------ what is refused


def form(token: str, **fields: str) -> bytes:
    return urlencode({"token": token, **fields}).encode()


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
def test_another_host_is_refused(client: Client, host: str) -> None:
    assert client.ask("GET", "/", Host=host).status == 421
    body = form(client.token, **CHEQUE, date=client.today())
    assert client.ask("POST", "/payer", body, Host=host, Content_Type=FORM).status == 421


def test_localhost_is_a_name_of_this_server(client: Client) -> None:
    assert client.ask("GET", "/", Host=f"localhost:{client.server.server_port}").status == 200


def test_two_hosts_are_refused(client: Client) -> None:
    port = client.server.server_port
    with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
        s.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil\r\n\r\n".encode())
        assert b" 421 " in s.makefile("rb").readline()


def test_forms_of_other_pages_are_refused(client: Client, parties: Parties) -> None:
    token, today = client.token, client.today()
    good = form(token, **CHEQUE, date=today)
    wrong = [
        (form("", **CHEQUE, date=today), {}), (form("x" + token, **CHEQUE, date=today), {}),
        (urlencode({**CHEQUE, "date": today}).encode(), {}),
        (good, {"Origin": "http://evil.example"}), (good, {"Origin": "null"}),
        (good, {"Sec_Fetch_Site": "cross-site"}), (good, {"Sec_Fetch_Site": "same-site"}),
    ]  # fmt: skip
    for body, headers in wrong:
        answer = client.ask("POST", "/payer", body, Content_Type=FORM, **headers)
        assert answer.status == 403
        well_formed(answer.text)
    for path in ("/network/1/deliver", "/core", "/again", "/live"):
        assert client.ask("POST", path, form("wrong"), Content_Type=FORM).status == 403
    assert not parties.network.latest()


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"token=x", {"Content_Type": "text/plain"}, 415),
        (b"token=x", {"Content_Type": "multipart/form-data; boundary=b"}, 415),
        (b"x" * (MOST_BODY + 1), {"Content_Type": FORM}, 413),
        (b"token=%ff", {"Content_Type": FORM}, 400),
        (b"token=\xff", {"Content_Type": FORM}, 400),
        (b"&".join(b"a%d=1" % i for i in range(100)), {"Content_Type": FORM}, 400),
        (b"token=x&token=y", {"Content_Type": FORM}, 400),
        (b"0\r\n\r\n", {"Content_Type": FORM, "Transfer_Encoding": "chunked"}, 411),
        (b"token=x", {"Content_Type": FORM, "Content_Length": "-1"}, 411),
        (b"", {"Content_Type": FORM, "Content_Length": "9" * 5000}, 413),
        (b"token=x", {"Content_Type": FORM, "Content_Length": "7, 7"}, 411),
    ],
)
def test_bodies_that_are_no_form_are_refused(
    client: Client, body: bytes, headers: dict[str, str], status: int
) -> None:
    if len(body) > MOST_BODY:  # refused before it is sent
        headers, body = {**headers, "Content_Length": str(len(body))}, b""
    answer = client.ask("POST", "/payer", body, **headers)
    assert answer.status == status
    assert answer.alert


def test_a_form_that_is_cut_short_is_refused(client: Client, parties: Parties) -> None:
    whole = form(client.token, date=client.today(), **{**CHEQUE, "amount": "1250"})
    port = client.server.server_port
    for path, body in (("/payer", whole), ("/again", form(client.token))):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {FORM}\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
            s.sendall(f"{head}Content-Length: {len(body) + 2}\r\n\r\n".encode() + body)
            s.shutdown(socket.SHUT_WR)
            assert b" 400 " in s.makefile("rb").readline()
    assert not parties.network.latest()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.ask(method, "/payer").status in (405, 501)


def test_a_page_is_not_posted_to_and_a_deed_is_not_got(client: Client) -> None:
    assert client.post("/bank").status == 405
    assert client.get("/network/1/deliver").status == 405


def test_nonsense_is_answered_and_the_server_goes_on(client: Client) -> None:
    for octets in (b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 99):
        with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=20) as s:
            s.sendall(octets)
            s.shutdown(socket.SHUT_WR)
            s.makefile("rb").read()
    assert client.get("/").status == 200


def test_an_error_of_the_server_says_nothing_of_it(
    client: Client, parties: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("the private key is 42")

    monkeypatch.setattr(parties.network, "latest", broken)
    answer = client.get("/network")
    assert answer.status == 500
    assert "42" not in answer.text


# ------------------------------------------------------------------ cores and live pictures


def test_a_preset_that_is_not_offered_is_refused(client: Client, parties: Parties) -> None:
    for name in ("toy7-fast", "x25519", "<b>", ""):
        assert client.post("/core", preset=name).status == 422
    assert parties.preset == "b163-small"


def test_a_core_that_is_not_ready_says_so(
    client: Client, parties: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slow(preset: str, log: object) -> object:
        go_on.wait(60)
        raise RuntimeError("no compiler")

    monkeypatch.setattr(parties.devices, "_make", slow)
    assert client.post("/core", preset="b163-fast").status == 303
    page = client.get("/core").text
    assert "Making the core" in page
    assert 'http-equiv="refresh"' in page
    assert "disabled" in client.get("/payer").text
    assert client.write().status == 409
    go_on.set()
    until(lambda: "could not be made" in client.get("/core").text)
    assert "no compiler" in client.get("/core").alert
    client.post("/core", preset="b163-small")
    assert "is ready" in client.get("/core").text


def until(true: object) -> None:
    """Wait until something holds."""
    assert callable(true)
    end = time.monotonic() + 300
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.1)


def test_a_live_picture_is_recorded_and_served(client: Client) -> None:
    assert client.post("/live", preset="none").status == 422
    assert client.post("/live", preset=LIVE).status == 303
    until(lambda: f'href="/live/{LIVE}"' in client.get("/live").text)
    answer = client.get(f"/live/{LIVE}")
    assert answer.status == 200
    assert "Jump to the inversion" in answer.text
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert "default-src &#39;none&#39;" in answer.text
