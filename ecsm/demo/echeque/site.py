# SPDX-License-Identifier: Apache-2.0
"""The addresses of the server: which page or action belongs to each."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from datetime import date
from http import HTTPStatus
from pathlib import Path

from ecsm.demo.echeque import cheque as cheques
from ecsm.demo.echeque.cheque import BadCheque
from ecsm.demo.echeque.core import KINDS as DEVICES
from ecsm.demo.echeque.core import offered
from ecsm.demo.echeque.network import PLACES, BadAlteration, NotWaiting, Passing
from ecsm.demo.echeque.pages import Pages
from ecsm.demo.echeque.parties import NotReady, Parties
from ecsm.demo.echeque.payer import PEOPLE
from ecsm.demo.echeque.store import no_space
from ecsm.demo.echeque.web import Problem, Request, Response, Site, see
from ecsm.demo.echeque.workshop import Workshop
from ecsm.device.base import DeviceError
from ecsm.presets.table import any_preset

STATIC = Path(__file__).parent / "static"
KINDS = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
MOST_HEX = 3 * 4096  # characters of a message written in hexadecimal
NO_ID = "There is no such page."
FULL = "The disk is full, so this could not be kept. Make room on it, and try again."

Form = Mapping[str, str]


class Echeque:
    """The e-cheque's pages. ``live`` makes the live pictures; they are pages in themselves."""

    def __init__(self, parties: Parties, live: Workshop[str], live_presets: list[str]) -> None:
        self._parties = parties
        self._live = live
        self._live_presets = live_presets
        self._today: Callable[[], date] = date.today
        self.site = Site(self._answer, self._refuse)
        self._pages = Pages(self.site.token, DEVICES[parties.kind].about)
        number = r"([0-9]{1,9})"
        self._routes: list[tuple[str, re.Pattern[str], Callable[..., Response]]] = [
            (method, re.compile(pattern), page)
            for method, pattern, page in (
                ("GET", "/", self._home),
                ("GET", "/payer", self._payer),
                ("POST", "/payer", self._write),
                ("GET", f"/payer/{number}", self._written),
                ("GET", "/network", self._network),
                ("GET", f"/network/{number}", self._message),
                ("POST", f"/network/{number}/(deliver|drop|replay|alter|flip)", self._tamper),
                ("GET", "/bank", self._bank),
                ("GET", f"/bank/{number}", self._arrival),
                ("GET", "/core", self._core),
                ("POST", "/core", self._choose),
                ("POST", "/again", self._again),
                ("GET", "/live", self._lives),
                ("POST", "/live", self._record),
                ("GET", r"/live/([a-z0-9-]{1,40})", self._picture),
                ("GET", r"/static/([a-z]+\.[a-z]+)", self._static),
            )
        ]

    def _answer(self, request: Request) -> Response:
        method = "GET" if request.form is None else "POST"
        known = False
        for wanted, pattern, page in self._routes:
            match = pattern.fullmatch(request.path)
            if match is None:
                continue
            known = True
            if wanted == method:
                arguments = (
                    match.groups() if request.form is None else (request.form, *match.groups())
                )
                return self._done(page, *arguments)
        if known:
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "This page takes no such request.")
        raise Problem(HTTPStatus.NOT_FOUND, NO_ID)

    def _done(self, page: Callable[..., Response], *arguments: object) -> Response:
        try:
            return page(*arguments)
        except (NotReady, NotWaiting) as error:
            raise Problem(HTTPStatus.CONFLICT, str(error)) from None
        except (BadAlteration, BadCheque) as error:
            raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        except DeviceError as error:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error).splitlines()[0]) from None
        except (OSError, sqlite3.OperationalError) as error:
            if no_space(error):
                raise Problem(HTTPStatus.INSUFFICIENT_STORAGE, FULL) from None
            why = getattr(error, "strerror", None) or error
            text = f"A file of this demonstration cannot be used: {why}."
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, text) from None

    def _refuse(self, status: HTTPStatus, message: str) -> bytes:
        return self._pages.draw("problem", title=status.phrase, message=message)

    def _page(
        self, template: str, status: HTTPStatus = HTTPStatus.OK, **values: object
    ) -> Response:
        """Return a page; every one says which core is in use and if it is ready."""
        job = self._parties.devices.job(self._parties.preset)
        values |= {
            "preset": self._parties.preset,
            "ready": job is not None and job.made is not None,
        }
        return Response(self._pages.draw(template, **values), status=status)

    # -- payer

    def _home(self) -> Response:
        order = any_preset(self._parties.preset).curve.n
        return self._page("home", digits=len(str(order)))

    def _payer(self) -> Response:
        return self._payer_form({}, "")

    def _payer_form(self, form: Form, wrong: str) -> Response:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
        first = PEOPLE[0]
        filled = {
            "payer": first, "payee": PEOPLE[1], "amount": "12.50",
            "date": self._today().isoformat(),
            "number": str(self._parties.payers.next_number(first)),
        } | dict(form)  # fmt: skip
        numbers = {name: self._parties.payers.next_number(name) for name in PEOPLE}
        return self._page(
            "payer", status, form=filled, wrong=wrong, people=PEOPLE, numbers=numbers,
            written=self._parties.payers.latest(), name_size=cheques.NAME,
        )  # fmt: skip

    def _write(self, form: Form) -> Response:
        fields = ("payer", "payee", "amount", "date", "number")
        given = {name: form.get(name, "") for name in fields}
        try:
            c = cheques.read_cheque(*(given[name] for name in fields))
            written = self._parties.write(c)
        except BadCheque as error:
            return self._payer_form(given, str(error))
        return see(f"/payer/{written.id}")

    def _written(self, number: str) -> Response:
        written = self._parties.payers.written(int(number))
        if written is None:
            raise Problem(HTTPStatus.NOT_FOUND, NO_ID)
        return self._page("written", w=written)

    # -- network

    def _network(self) -> Response:
        return self._page("network", messages=self._parties.network.latest())

    def _passing(self, number: str) -> Passing:
        found = self._parties.network.passing(int(number))
        if found is None:
            raise Problem(HTTPStatus.NOT_FOUND, NO_ID)
        return found

    def _message(self, number: str) -> Response:
        return self._page("message", m=self._passing(number), places=PLACES, most=MOST_HEX)

    def _tamper(self, form: Form, number: str, deed: str) -> Response:
        which, network = int(number), self._parties.network
        self._passing(number)
        if deed == "deliver":
            return see(f"/bank/{self._parties.deliver(which).id}")
        if deed == "replay":
            return see(f"/network/{network.replay(which)}")
        if deed == "drop":
            network.drop(which)
        elif deed == "flip":
            network.flip(which, form.get("part", ""))
        else:
            network.alter(which, _octets(form.get("octets", "")))
        return see(f"/network/{which}")

    # -- bank

    def _bank(self) -> Response:
        bank = self._parties.bank
        return self._page(
            "bank", accounts=bank.accounts(), cashed=bank.cashed(), arrivals=bank.arrivals()
        )

    def _arrival(self, number: str) -> Response:
        arrival = self._parties.bank.arrival(int(number))
        if arrival is None:
            raise Problem(HTTPStatus.NOT_FOUND, NO_ID)
        return self._page("arrival", a=arrival)

    # -- the core, and the rest

    def _core(self) -> Response:
        job = self._parties.devices.job(self._parties.preset)
        curves: dict[str, list[object]] = {}
        for p in offered():
            curves.setdefault(p.curve.name, []).append(p)
        return self._page("core", job=job, curves=curves)

    def _choose(self, form: Form) -> Response:
        try:
            self._parties.choose(form.get("preset", ""))
        except ValueError:
            text = "Choose one of the presets that are listed."
            raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, text) from None
        return see("/core")

    def _again(self, form: Form) -> Response:
        del form
        self._parties.start_again()
        return see("/")

    def _lives(self) -> Response:
        jobs = {name: self._live.job(name) for name in self._live_presets}
        waiting = any(j is not None and j.made is None and not j.failed for j in jobs.values())
        return self._page("live", jobs=jobs, waiting=waiting)

    def _record(self, form: Form) -> Response:
        name = form.get("preset", "")
        if name not in self._live_presets:
            text = "Choose one of the presets that are listed."
            raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, text)
        self._live.want(name)
        return see("/live")

    def _picture(self, name: str) -> Response:
        job = self._live.job(name)
        if job is None or job.made is None:
            text = "This picture is not recorded yet: record it on the page of live pictures."
            raise Problem(HTTPStatus.NOT_FOUND, text)
        # The page says itself what it loads: nothing but what is in it.
        return Response(job.made.encode(), policy="frame-ancestors 'none'")

    def _static(self, name: str) -> Response:
        path = STATIC / name
        if path.suffix not in KINDS or not path.is_file():
            raise Problem(HTTPStatus.NOT_FOUND, NO_ID)
        return Response(path.read_bytes(), KINDS[path.suffix])


def _octets(text: str) -> bytes:
    """Read octets in hexadecimal. Raises :class:`BadAlteration`."""
    bare = "".join(text.split())
    if len(text) > MOST_HEX or not re.fullmatch(r"([0-9a-fA-F]{2})*", bare):
        raise BadAlteration("Octets are written in hexadecimal: two digits 0 to 9 or a to f each.")
    return bytes.fromhex(bare)
