# SPDX-License-Identifier: Apache-2.0
"""Lines to a remote device that carry octets both ways: a Unix socket, a serial port."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import socket
import stat
import struct
import termios
import time
from pathlib import Path

from ecsm.device.base import DeviceError, NoDevice
from ecsm.trust import GROUP, trusts

BAUD = 115_200  # unless it is said
LOOK_S = 0.2  # between looks whether another thread has closed the line
_AGAIN_S = 0.05  # between attempts to connect
_PIECE = 1 << 16  # octets read at once
BAUDS = {
    int(name[1:]): value
    for name, value in vars(termios).items()
    if re.fullmatch("B[1-9][0-9]*", name)
}


class Line:
    """Octets over a file descriptor that does not block. ``name`` is the device's address.

    ``keeps``: the device has its keys still when the line is closed, for whoever opens it next.
    """

    keeps = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._fd: int | None = None
        self._process = 0  # that opened it: a child must not speak over its parent's line

    def connect(self, deadline: float) -> None:
        """Open the line if it is not, or is the parent process's. Raises DeviceError."""
        if not self.connected:
            self.close()
            self._fd, self._process = self._opened(deadline), os.getpid()

    def _opened(self, deadline: float) -> int:
        """Return a descriptor."""
        raise NotImplementedError

    @property
    def connected(self) -> bool:
        """Whether the line is open, by this process."""
        return self._fd is not None and self._process == os.getpid()

    def ended(self) -> bool:
        """Return whether the other end has closed it, which nothing is under way on."""
        return False

    def close(self) -> None:
        """Close the line; closing twice is allowed."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def __del__(self) -> None:
        """Close the line if nobody did."""
        self.close()

    def send(self, octets: bytes, deadline: float) -> None:
        """Send all octets until ``deadline``, a time.monotonic(). Raises DeviceError."""
        left = memoryview(octets)
        while left:
            fd = self._wait(select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                try:
                    left = left[os.write(fd, left) :]
                except OSError as error:
                    if isinstance(error, BlockingIOError):
                        raise
                    raise self._gone(error) from None

    def receive(self, deadline: float) -> bytes:
        """Return the octets that come next, one or more, until ``deadline``.

        Raises DeviceError: TimeoutError is its cause if none came.
        """
        while True:
            fd = self._wait(select.POLLIN, deadline)
            try:
                octets = os.read(fd, _PIECE)
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._gone(error) from None
            if not octets:
                raise self._gone("it closed the connection")
            return octets

    def drain(self, deadline: float) -> None:
        """Drop what has come until now, or until ``deadline`` from who sends without end."""
        with contextlib.suppress(NoAnswer):
            while time.monotonic() < deadline:
                self.receive(time.monotonic())

    def _wait(self, event: int, deadline: float) -> int:
        """Return the descriptor when it is ready.

        Raises DeviceError if the line is closed, or is the parent process's: both would take the
        answers to what either asks.
        """
        while True:
            fd = self._fd
            if fd is None or not self.connected:
                whose = "closed" if fd is None else "the parent process's"
                raise DeviceError(f"{self.name}: the line is {whose}")
            poll = select.poll()
            poll.register(fd, event)
            left = deadline - time.monotonic()
            ready = poll.poll(1000 * max(0.0, min(left, LOOK_S)))
            if self._fd != fd:  # another thread has closed it
                continue
            if ready:
                return fd
            if left <= LOOK_S:
                raise NoAnswer(f"{self.name}: no answer in time")

    def _gone(self, why: object) -> DeviceError:
        self.close()
        text = os.strerror(why.errno) if isinstance(why, OSError) and why.errno else str(why)
        return DeviceError(f"{self.name}: the device is gone: {text}")


class NoAnswer(DeviceError):
    """The device did not answer in time."""


class UnixLine(Line):
    """A connection to the Unix socket of a device server, whose user is trusted (ecsm.trust)."""

    def __init__(self, path: str) -> None:
        super().__init__(f"unix:{path}")
        self._path = path

    def _opened(self, deadline: float) -> int:
        if "\0" in self._path:  # at the beginning it would be a socket of no file
            raise NoDevice(f"{self.name!r}: no file has such a name")
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
                s.setblocking(False)
                self._connect(s, deadline)
                peer = s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                _, user, _ = _CREDENTIALS.unpack(peer)
                if not trusts(user):
                    why = f"no key for it, unless {GROUP} names a group of that user"
                    raise NoDevice(f"{self.name}: the server is another user's: {why}")
                return s.detach()
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            raise NoDevice(f"{self.name}: no device server: {why}") from None
        except ValueError:  # a character that no name of a file has
            raise NoDevice(f"{self.name!r}: no file has such a name") from None

    def ended(self) -> bool:
        """Return whether the server has closed the connection, as one that ends does."""
        fd = self._fd
        if fd is None:
            return False
        poll = select.poll()
        poll.register(fd, select.POLLRDHUP)
        return bool(poll.poll(0))

    def _connect(self, s: socket.socket, deadline: float) -> None:
        """Connect; wait while more connections than it has room for wait for the server."""
        while True:
            try:
                return s.connect(self._path)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise NoDevice(f"{self.name}: the server takes no connections") from None
                time.sleep(_AGAIN_S)


_CREDENTIALS = struct.Struct("iII")  # of SO_PEERCRED: process, user, group


class SerialLine(Line):
    """A serial port, eight bits, no parity, no flow control; for one process at a time."""

    keeps = True

    def __init__(self, path: str, baud: int = BAUD) -> None:
        super().__init__(f"serial:{path}")
        if baud not in BAUDS:
            raise NoDevice(f"{self.name}: {baud} baud is none of this system's speeds")
        self._path, self._baud = path, baud

    def _opened(self, deadline: float) -> int:
        try:
            if not stat.S_ISCHR(Path(self._path).stat().st_mode):
                raise NoDevice(f"{self.name} is no serial port")
            fd = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise NoDevice(f"{self.name}: {error.strerror}") from None
        except ValueError:
            raise NoDevice(f"{self.name!r}: no file has such a name") from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._raw(fd)
        except BlockingIOError:
            os.close(fd)
            raise NoDevice(f"{self.name} is in use by another process or device") from None
        except (OSError, termios.error) as error:
            os.close(fd)
            raise NoDevice(f"{self.name} is no serial port: {error.args[-1]}") from None
        return fd

    def _raw(self, fd: int) -> None:
        """Let octets through as they are."""
        speed = BAUDS[self._baud]
        mode = termios.CS8 | termios.CREAD | termios.CLOCAL
        characters = termios.tcgetattr(fd)[6]
        characters[termios.VMIN], characters[termios.VTIME] = 1, 0
        termios.tcsetattr(fd, termios.TCSANOW, [0, 0, mode, 0, speed, speed, characters])
        termios.tcflush(fd, termios.TCIOFLUSH)
