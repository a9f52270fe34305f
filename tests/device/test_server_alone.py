# SPDX-License-Identifier: Apache-2.0
"""The device server without a device: clients that send no more, names of no socket, of no key."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ecsm
from ecsm.device.base import DeviceError, NoDevice
from ecsm.device.frame import HANDLES, Frame, Kind, encode, request
from ecsm.device.remote import RemoteDevice
from ecsm.device.server import Server, listening
from ecsm.names import UnknownName
from tests.device.serving import full_of_connections
from tests.device.test_server import answers, raw


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "socket"


class Slow:
    """A service whose jobs take a while; it has no device. ``dropped``: the clients that left."""

    def __init__(self) -> None:
        self.dropped = 0
        self.answered: list[int] = []

    def answer(self, owner: object, asked: Frame) -> Frame:
        del owner
        time.sleep(0.1)
        self.answered.append(asked.tag)
        return Frame(Kind.ANSWER, 0, asked.tag, 7, asked.strings)

    def drop(self, owner: object) -> None:
        del owner
        self.dropped += 1


def served(place: Path, clients: Callable[[], None]) -> Slow:
    """Serve without a device while ``clients`` runs, in a thread; raise what it raises."""
    service, failures = Slow(), list[BaseException]()

    def run() -> None:
        try:
            clients()
        except BaseException as error:
            failures.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    with listening(place) as listener:
        thread = threading.Thread(target=run)
        thread.start()
        asyncio.run(Server(service).run(listener))  # type: ignore[arg-type]
        thread.join()
    if failures:
        raise failures[0]
    return service


def test_a_client_that_sends_no_more_gets_its_answers(place: Path) -> None:
    """It has shut down its sending side alone, and then reads to the end."""

    def clients() -> None:
        with raw(place) as s:
            s.sendall(b"".join(encode(request(9, tag, 0, 0, b"x")) for tag in range(1, 6)))
            s.shutdown(socket.SHUT_WR)
            assert [(f.tag, f.strings) for f in answers(s, 5)] == [
                (i, (b"x",)) for i in range(1, 6)
            ]
            assert s.recv(1) == b"", "it is over then"

    assert served(place, clients).dropped == 1


def test_a_client_that_is_gone_has_no_jobs_though_it_had_said_that_it_sends_no_more(
    place: Path,
) -> None:
    def clients() -> None:
        with raw(place) as s:
            s.sendall(b"".join(encode(request(9, tag, 0, 0)) for tag in range(1, 17)))
            s.shutdown(socket.SHUT_WR)
            answers(s, 1)
        time.sleep(1)

    service = served(place, clients)
    assert service.dropped == 1
    assert 1 <= len(service.answered) < 10


@pytest.fixture
def full(place: Path) -> Iterator[Path]:
    """A socket whose program takes no connections, as one that is stopped, and has no room."""
    with full_of_connections(place):
        yield place


def test_a_server_that_takes_no_connections_is_given_up(full: Path) -> None:
    began = time.monotonic()
    with pytest.raises(NoDevice, match="the server takes no connections"):
        ecsm.open(f"unix:{full}?timeout=1")
    assert 1 <= time.monotonic() - began < 10


def test_a_client_waits_for_a_server_that_takes_connections_late(place: Path) -> None:
    """What it says of a server that closes them shows that it came to it."""
    with full_of_connections(place) as listener, ThreadPoolExecutor(1) as thread:
        opened = thread.submit(ecsm.open, f"unix:{place}?timeout=20")
        time.sleep(0.3)
        assert not opened.done()
        listener.settimeout(20)
        for _ in range(2):  # of who was there before, and of this one
            listener.accept()[0].close()
        with pytest.raises(DeviceError, match=r"closed the connection|gone"):
            opened.result(timeout=20)


def test_a_place_whose_server_takes_no_connections_is_another_ones(full: Path) -> None:
    with pytest.raises(NoDevice, match="another program listens there"), listening(full):
        pass
    assert full.is_socket()
    assert not full.with_name(f"{full.name}.lock").exists()


@pytest.mark.parametrize("server", [True, False])
def test_what_others_put_in_the_place_of_a_socket_stays(place: Path, server: bool) -> None:
    """As the next server's, after somebody has removed the socket of this one, and its lock."""
    with contextlib.ExitStack() as after:
        with listening(place):
            place.unlink()
            place.with_name(f"{place.name}.lock").unlink()
            if server:
                after.enter_context(listening(place))
            else:
                place.write_text("a file")
        assert place.exists()
    assert place.exists() != server  # who made it removes it


def test_a_name_with_a_nul_is_no_socket_of_no_file() -> None:
    """At the beginning of a socket's name it would be one of Linux that no folder protects."""
    for path in ("\0abstract", "a\0b"):
        with pytest.raises(NoDevice, match="no file has such a name"):
            ecsm.open(f"unix:{path}")
        with pytest.raises(NoDevice, match="no file has such a name"), listening(Path(path)):
            pass


def test_a_key_that_the_device_has_not_is_answered_with_the_near_ones() -> None:
    device = RemoteDevice.__new__(RemoteDevice)
    device.keys = ("web", "mail", "backup")
    assert device.handle("mail") == HANDLES + 1
    with pytest.raises(UnknownName, match=r"there is no key 'wob': choose web, mail or backup"):
        device.handle("wob")
