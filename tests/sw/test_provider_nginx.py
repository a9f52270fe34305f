# SPDX-License-Identifier: Apache-2.0
"""nginx, whose workers are unprivileged users, with its key in a device of another user."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ecsm.schemes.encoding import reference_pem
from tests.sw.provider import Openssl
from tests.sw.users import SERVER, WORKER, common_folder, key_and_certificate, lacking, served

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
PAGE = b"from a device\n"
NGINX_CONF = """\
user {worker};
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/t;
  proxy_temp_path {folder}/t;
  fastcgi_temp_path {folder}/t;
  uwsgi_temp_path {folder}/t;
  scgi_temp_path {folder}/t;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate web.crt;
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ecdh_curve prime256v1;
    ssl_session_cache off;
    ssl_session_tickets off;
    root {folder}/pages;
  }}
}}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    if why := "no nginx" if NGINX is None else lacking():
        pytest.skip(why)
    with common_folder() as made:
        yield made


@contextmanager
def website(folder: Path, openssl: Openssl, key: str) -> Iterator[int]:
    """Run nginx as root starts it, with workers of its default user; yields its port."""
    assert NGINX is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "pages" / "index.html").write_bytes(PAGE)
    conf = NGINX_CONF.format(worker=WORKER, folder=folder, port=port, key=key)
    (folder / "nginx.conf").write_text(conf)
    words = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    process = subprocess.Popen(words, env=openssl.environment(), stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (process.communicate(), log(folder))
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=60)


def log(folder: Path) -> str:
    found = folder / "error.log"
    return found.read_text() if found.exists() else ""


def fetch(folder: Path, port: int, version: ssl.TLSVersion) -> bytes:
    """Get the page with Python's own libcrypto, which has no device, and trusts one certificate."""
    context = ssl.create_default_context(cafile=str(folder / "web.crt"))
    context.minimum_version = context.maximum_version = version
    with (
        socket.create_connection(("127.0.0.1", port), 120) as line,
        context.wrap_socket(line, server_hostname="localhost") as s,
    ):
        s.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return b"".join(iter(lambda: s.recv(4096), b""))


@pytest.fixture
def site(folder: Path, ecsm_so: Path) -> Openssl:
    return key_and_certificate(folder, ecsm_so)


def test_a_page_is_served_with_the_key_in_the_device(folder: Path, site: Openssl) -> None:
    """Neither nginx nor its user can read the key. Without the device there is no page."""
    (folder / "name.pem").write_bytes(reference_pem("web"))
    with served(folder, SERVER) as server, website(folder, site, "name.pem") as port:
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for _ in range(3):
                assert fetch(folder, port, version).endswith(PAGE), log(folder)
        workers = subprocess.run(
            ["ps", "-C", "nginx", "-o", "user="], capture_output=True, text=True, check=True
        ).stdout.split()
        assert workers.count(WORKER) >= 2
        assert server.jobs() >= 12  # a signature and a key exchange at least, for each page
        with pytest.raises(OSError):  # noqa: PT011 - whatever the handshake fails with
            fetch(folder, port, ssl.TLSVersion.TLSv1_3)
        assert "the device is gone" in log(folder) or "no device server" in log(folder)


def test_a_server_of_a_user_who_is_not_trusted_gets_no_key(folder: Path, site: Openssl) -> None:
    site.config.write_text(site.config.read_text().replace(f"group = {SERVER}\n", ""))
    with served(folder, SERVER) as server:
        with pytest.raises((OSError, AssertionError)):  # noqa: SIM117
            with website(folder, site, "web.pem") as port:
                fetch(folder, port, ssl.TLSVersion.TLSv1_3)
        assert "the server is another user's: no key for it" in log(folder)
        assert server.jobs() == 0
