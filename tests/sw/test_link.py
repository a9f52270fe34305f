# SPDX-License-Identifier: Apache-2.0
"""sw/link, the connection of the provider and of the PKCS#11 module, to a server that is none."""

from __future__ import annotations

import ctypes
import shutil
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ecsm.device.frame import Frame, Kind, encode
from ecsm.status import Status
from tests.device.serving import full_of_connections
from tests.sw.provider import ROOT, missing

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

GONE = -1
PATIENT, IMPATIENT = "ECSM_LINK_TIMEOUT_S = 600", "ECSM_LINK_TIMEOUT_S = 1"
SOON = 1 - 0.001  # the link counts whole milliseconds


@pytest.fixture
def library(tmp_path: Path) -> ctypes.CDLL:
    """The link, that waits for a second."""
    for name in ("link/link.c", "link/link.h", "frame/ecsm_frame.c", "frame/ecsm_frame.h"):
        shutil.copy(ROOT / "sw" / name, tmp_path)
    header = tmp_path / "link.h"
    text = header.read_text("utf-8")
    assert PATIENT in text
    header.write_text(text.replace(PATIENT, IMPATIENT))
    made = tmp_path / "link.so"
    command = ("cc", "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-pthread", "-o", str(made))
    sources = [str(tmp_path / name) for name in ("link.c", "ecsm_frame.c")]
    subprocess.run([*command, *sources, "-lcrypto"], check=True, timeout=200)
    found = ctypes.CDLL(str(made))
    found.ecsm_link_new.restype = ctypes.c_void_p
    found.ecsm_link_why.restype = ctypes.c_char_p
    return found


def test_a_server_that_takes_no_connections_is_given_up(
    library: ctypes.CDLL, tmp_path: Path
) -> None:
    """As one that is stopped."""
    place = tmp_path / "socket"
    link = ctypes.c_void_p(library.ecsm_link_new(str(place).encode(), b""))
    with full_of_connections(place):
        began = time.monotonic()
        assert library.ecsm_link_begin(link) == GONE
        assert SOON <= time.monotonic() - began < 10
    assert library.ecsm_link_why(link) == f"{place}: it takes no connections".encode()
    library.ecsm_link_end(link)
    library.ecsm_link_free(link)


def test_octets_without_end_are_no_answer(library: ctypes.CDLL, tmp_path: Path) -> None:
    """Each frame is well-formed, and answers another request."""
    place, over = tmp_path / "socket", threading.Event()
    other = encode(Frame(Kind.ANSWER, Status.OK, 77)) * 1000

    def talks() -> None:
        line, _ = listener.accept()
        with line, suppress(OSError):
            while not over.is_set():
                line.sendall(other)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        server = threading.Thread(target=talks)
        server.start()
        link = ctypes.c_void_p(library.ecsm_link_new(str(place).encode(), b""))
        began = time.monotonic()
        assert library.ecsm_link_begin(link) == GONE
        assert SOON <= time.monotonic() - began < 10
        assert library.ecsm_link_why(link) == f"{place}: no answer in time".encode()
        library.ecsm_link_end(link)
        library.ecsm_link_free(link)
        over.set()
        server.join(10)
    assert not server.is_alive()


def test_a_connection_that_has_ended_is_not_used(library: ctypes.CDLL, tmp_path: Path) -> None:
    """The next turn connects anew: a server that begins anew costs no job."""
    place = tmp_path / "socket"
    lines: list[socket.socket] = []
    described = (b"1", b"p256-fast", b"secp256r1", b"load forget", b"web")

    def talks() -> None:
        for _ in range(3):
            line, _ = listener.accept()
            lines.append(line)
            line.recv(100)
            line.sendall(encode(Frame(Kind.ANSWER, Status.OK, len(lines), 0, described)))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        server = threading.Thread(target=talks)
        server.start()
        link = ctypes.c_void_p(library.ecsm_link_new(str(place).encode(), b""))
        for epoch, end in ((1, None), (1, socket.socket.close), (2, None), (2, garbage), (3, None)):
            assert library.ecsm_link_begin(link) == 0, library.ecsm_link_why(link)
            assert library.ecsm_link_epoch(link) == epoch
            library.ecsm_link_end(link)
            if end is not None:
                end(lines[-1])
        library.ecsm_link_free(link)
        server.join(10)
    assert not server.is_alive()


def garbage(line: socket.socket) -> None:
    line.sendall(b"x")
