# SPDX-License-Identifier: Apache-2.0
"""A small server of pages on the loopback interface, and the requests that it refuses.

It refuses, before any page gets the request: a Host that is not the server's own name (another
site's name could point here); a form from another origin or without this server's token; a body
without a length, of another type than a form, or longer than :data:`MOST_BODY`. It logs nothing of
a request's content.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from urllib.parse import parse_qsl

HTTP_PORT = 80
HOST = "127.0.0.1"
MOST_BODY = 16_384  # octets of a form
MOST_FIELDS = 32
TIMEOUT_S = 20.0  # of a connection
_log = logging.getLogger(__name__)

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
    " frame-ancestors 'none'; base-uri 'none'"
)


class Problem(Exception):
    """What was asked cannot be done; the message is for the person who asked."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Request:
    """``form`` is None for a GET."""

    path: str
    form: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Response:
    """``location``: see there instead. ``policy`` is of what a page may load."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    location: str | None = None
    policy: str = POLICY


def see(location: str) -> Response:
    """Send the browser on, after a form was done."""
    return Response(status=HTTPStatus.SEE_OTHER, location=location)


@dataclass
class Site:
    """``answer`` is called from several threads; ``problem`` makes the page of a refusal."""

    answer: Callable[[Request], Response]
    problem: Callable[[HTTPStatus, str], bytes]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)


class Server(ThreadingHTTPServer):
    """Serves a site on a port of the loopback interface; 0 takes any that is free."""

    daemon_threads = True

    def __init__(self, site: Site, port: int) -> None:
        self.site = site
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking a name service who we are."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    @property
    def url(self) -> str:
        """Where the first page is."""
        return f"http://{HOST}:{self.server_port}/"

    @property
    def names(self) -> set[str]:
        """What a request may call this server."""
        hosts = (HOST, "localhost")
        short = hosts if self.server_port == HTTP_PORT else ()  # a browser leaves that one out
        return {*short, *(f"{name}:{self.server_port}" for name in hosts)}

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle is no error."""
        _log.debug("a connection ended early", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "ecsm", ""
    timeout = TIMEOUT_S

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads a log of this; what is in it might be private."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no HTTP, or no method that is known."""
        del message, explain
        self.close_connection = True
        self._send(self._refusal(HTTPStatus(code), "This request is not understood."))

    def _answer(self) -> None:
        try:
            response = self.server.site.answer(self._request())
        except Problem as problem:
            response = self._refusal(problem.status, str(problem))
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            raise
        except Exception:
            _log.error("%s", traceback.format_exc())
            text = "Something went wrong here. The terminal that the server runs in says more."
            response = self._refusal(HTTPStatus.INTERNAL_SERVER_ERROR, text)
        self._send(response)

    def _refusal(self, status: HTTPStatus, message: str) -> Response:
        return Response(self.server.site.problem(status, message), status=status)

    def _request(self) -> Request:
        if self.headers.get_all("Host", []) not in [[name] for name in self.server.names]:
            raise Problem(
                HTTPStatus.MISDIRECTED_REQUEST, f"This server answers as {self.server.url} only."
            )
        return Request(
            self.path.partition("?")[0], self._form() if self.command == "POST" else None
        )

    def _form(self) -> dict[str, str]:
        refuse = HTTPStatus.FORBIDDEN
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in self.server.names}:
            raise Problem(refuse, "This form comes from another page than one of this server.")
        if self.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Problem(refuse, "This form comes from another page than one of this server.")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal() or "Transfer-Encoding" in self.headers:
            raise Problem(HTTPStatus.LENGTH_REQUIRED, "A form comes with its length.")
        if len(length) > 9 or int(length) > MOST_BODY:
            text = f"A form has at most {MOST_BODY:,} octets."
            raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        if self.headers.get_content_type() != "application/x-www-form-urlencoded":
            raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "This is no form.")
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # its last field may be the beginning of another value
            raise Problem(HTTPStatus.BAD_REQUEST, "This form was cut short: send it again.")
        try:
            pairs = parse_qsl(
                body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS,
                errors="strict",
            )  # fmt: skip
            form = dict(pairs)
            if len(form) != len(pairs):
                raise ValueError
        except ValueError:
            raise Problem(HTTPStatus.BAD_REQUEST, "This form cannot be read.") from None
        given = form.pop("token", "").encode()
        if not hmac.compare_digest(given, self.server.site.token.encode()):
            text = "This page is of an earlier run of the server: go back, reload it, send again."
            raise Problem(refuse, text)
        return form

    def _send(self, r: Response) -> None:
        self.send_response(r.status)
        if r.location is not None:
            self.send_header("Location", r.location)
        self.send_header("Content-Type", r.kind)
        self.send_header("Content-Length", str(len(r.body)))
        self.send_header("Content-Security-Policy", r.policy)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(r.body)
