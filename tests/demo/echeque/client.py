# SPDX-License-Identifier: Apache-2.0
"""A browser without a window: asks pages, fills in forms, checks that pages are well formed."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlencode

from ecsm.demo.echeque.web import Server

CHEQUE = {"payer": "Alice", "payee": "Bob", "amount": "12.50", "number": "1"}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def alert(self) -> str:
        """What the page complains of; one thing."""
        found = re.findall(r'role="alert"[^>]*>(.+?)</p>', self.text, re.DOTALL)
        assert len(found) == 1, self.text
        return re.sub("<[^>]*>", "", found[0])


@dataclass
class Client:
    server: Server

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        try:
            named = {k.replace("_", "-"): v for k, v in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    @property
    def token(self) -> str:
        found = re.search(r'name="token" value="([^"]+)"', self.get("/").text)
        assert found is not None
        return found[1]

    def post(self, path: str, **fields: str) -> Answer:
        body = urlencode({"token": self.token, **fields}).encode()
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded")

    def today(self) -> str:
        found = re.search(r'type="date"[^>]* value="([^"]+)"', self.get("/payer").text)
        assert found is not None
        return found[1]

    def write(self, **fields: str) -> Answer:
        return self.post("/payer", **{**CHEQUE, "date": self.today(), **fields})


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.labels: set[str] = set()
        self.fields: list[dict[str, str | None]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "label":
            self.labels.add(given.get("for") or "")
        if tag in ("input", "select", "textarea") and given.get("type") != "hidden":
            self.fields.append(given)
        if tag not in ("meta", "link", "input", "br", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def well_formed(page: str) -> None:
    """Tags are balanced, ids are unique, fields have labels, the language and a title are there."""
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert all(f.get("id") in tags.labels or f.get("aria-label") for f in tags.fields)
    assert '<html lang="en">' in page
    assert page.count("<h1>") == 1
    assert re.search(r"<title>[^<]+</title>", page)
    assert 'href="#main"' in page
