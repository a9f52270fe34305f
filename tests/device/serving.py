# SPDX-License-Identifier: Apache-2.0
"""``ecsm serve``, or ``ecsm agent``, as a process of its own, for tests."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket as sockets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

START_S = 900  # a core that is not in the cache is compiled first


class Serving:
    """A running server. ``said`` is what it has said on standard error."""

    def __init__(
        self,
        socket: Path,
        *words: str,
        command: str = "serve",
        before: tuple[str, ...] = (),
        env: dict[str, str] | None = None,
    ) -> None:
        self.socket, self.said = socket, ""
        words = ("--unprotected", *words) if command == "serve" else words
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "ecsm", command, "--socket", str(socket), *words],
            stderr=subprocess.PIPE, env=env,
        )  # fmt: skip

    def wait(self, text: str, seconds: float = START_S) -> None:
        """Wait until it says something; AssertionError if it ends before, or says it not."""
        assert self.process.stderr is not None
        fd, deadline = self.process.stderr.fileno(), time.monotonic() + seconds
        while text not in self.said:
            left = deadline - time.monotonic()
            assert left > 0, self.said
            if select.select([fd], [], [], left)[0]:
                piece = os.read(fd, 4096).decode()
                assert piece, f"it ended: {self.said}"
                self.said += piece

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end; return the exit code."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=60)
        self.said += rest.decode()
        return self.process.returncode

    def jobs(self) -> int:
        """Stop it; return how many jobs it says it has done."""
        assert self.stop() == 0, self.said
        return int(self.said.split("closed after ")[1].split()[0].replace(",", ""))


@contextlib.contextmanager
def serving(
    socket: Path,
    *words: str,
    command: str = "serve",
    before: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
) -> Iterator[Serving]:
    """Start a server, wait until it serves, and leave none behind."""
    server = Serving(socket, *words, command=command, before=before, env=env)
    try:
        server.wait("serving ")
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate(timeout=60)


@contextlib.contextmanager
def full_of_connections(place: Path) -> Iterator[sockets.socket]:
    """Listen at a place, take no connections, and have no room for another one."""
    with contextlib.ExitStack() as after:
        listener = after.enter_context(sockets.socket(sockets.AF_UNIX))
        listener.bind(str(place))
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                client = after.enter_context(sockets.socket(sockets.AF_UNIX))
                client.setblocking(False)
                client.connect(str(place))
        yield listener
