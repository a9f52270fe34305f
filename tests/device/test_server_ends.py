# SPDX-License-Identifier: Apache-2.0
"""Servers end, whatever their clients do; Python's own servers wait for clients from 3.12 on."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from unittest.mock import Mock

import pytest

import ecsm
from ecsm.device.agent import Agent, serve
from ecsm.device.base import DeviceError
from ecsm.device.frame import Ask, Frame, Kind, encode, request
from ecsm.device.server import Server, listening
from ecsm.status import NoKey
from tests.device.serving import serving

END_S = 20  # the server has two seconds for its last answers
ANSWER = bytes(1 << 16)  # two of them are more than a socket holds


class Service:
    """A service whose answers are long; a job fails as a device that cannot begin anew does."""

    def answer(self, owner: object, asked: Frame) -> Frame:
        del owner
        if asked.code != Ask.INFO:
            raise DeviceError("it cannot begin anew")
        return Frame(Kind.ANSWER, 0, asked.tag, 7, (ANSWER,))

    def drop(self, owner: object) -> None:
        pass


async def wait_closed(server: asyncio.Server) -> None:
    """``asyncio.Server.wait_closed`` of Python 3.12: it waits for the connections, too."""
    while server._active_count or server._sockets is not None:  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)


def ends(
    place: Path,
    work: Callable[[socket.socket], Coroutine[None, None, None]],
    sent: bytes,
    monkeypatch: pytest.MonkeyPatch,
    stop: bool = True,
) -> None:
    """Let a client send octets and read nothing; SIGTERM. TimeoutError if the server stays."""
    monkeypatch.setattr(asyncio.base_events.Server, "wait_closed", wait_closed)

    async def both(listener: socket.socket) -> None:
        running = asyncio.create_task(work(listener))
        with socket.socket(socket.AF_UNIX) as client:
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, str(place))
            with contextlib.suppress(BrokenPipeError):
                await asyncio.get_running_loop().sock_sendall(client, sent)
            await asyncio.sleep(0.2)
            if stop:
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(running, END_S)

    with listening(place) as listener:
        asyncio.run(both(listener))


@pytest.mark.parametrize("requests", [0, 30])
def test_a_server_with_a_client_that_reads_nothing(
    requests: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(Service())  # type: ignore[arg-type]
    info = encode(Frame(Kind.REQUEST, Ask.INFO, 1))
    ends(tmp_path / "socket", server.run, info * requests, monkeypatch)


def test_a_server_whose_device_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Service())  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="begin anew"):
        ends(tmp_path / "socket", server.run, encode(request(1, 5, 0, 0)), monkeypatch, stop=False)


@pytest.mark.parametrize("requests", [0, 30])
def test_an_agent_with_a_client_that_reads_nothing(
    requests: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Mock(Agent, **{"answer.return_value": ANSWER})
    sent = struct.pack(">IB", 1, 11) * requests

    async def work(listener: socket.socket) -> None:
        await serve(agent, listener)

    ends(tmp_path / "socket", work, sent, monkeypatch)


def digest(place: Path, deadline: float) -> bytes:
    """Return a digest of a server, which those who are gone may keep busy until the deadline."""
    while True:
        try:
            device = ecsm.open(f"unix:{place}?timeout={END_S}")
            return device.run("sha1", b"").strings[0]
        except DeviceError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_more_connections_than_files(tmp_path: Path) -> None:
    """None of them is told of; the server goes on."""
    limited = ("sh", "-c", 'ulimit -n 48; exec "$@"', "-")
    place = tmp_path / "socket"
    with serving(place, "--preset", "b163-small", before=limited) as server:
        with contextlib.ExitStack() as clients:
            for _ in range(100):
                client = clients.enter_context(socket.socket(socket.AF_UNIX))
                client.setblocking(False)
                with contextlib.suppress(OSError):
                    client.connect(str(place))
            time.sleep(1)
        assert digest(place, time.monotonic() + END_S) == hashlib.sha1().digest()
        assert server.stop() == 0
    assert "Traceback" not in server.said


def test_the_first_job_after_a_new_start(tmp_path: Path) -> None:
    """A connection that ended while nothing was under way on it loses no job, and keeps no key."""
    place, words = tmp_path / "socket", ("--preset", "b163-small")
    with serving(place, *words) as first:
        device = ecsm.open(f"unix:{place}")
        device.run("load", (5).to_bytes(21, "big"))
        assert first.stop() == 0
    with serving(place, *words) as second:
        assert device.run("sha1", b"").strings[0] == hashlib.sha1().digest()
        with pytest.raises(NoKey):
            device.run("public")
        assert second.stop() == 0
    with serving(place, *words), device:
        (part,) = device.stream("sha1", message=[b"one ", b"two"])
        assert part.octets == hashlib.sha1(b"one two").digest()
