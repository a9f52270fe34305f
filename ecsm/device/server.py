# SPDX-License-Identifier: Apache-2.0
"""The device server: one device for many processes, over a Unix socket of one user."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import stat
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ecsm.device.base import NoDevice
from ecsm.device.frame import OPEN, Ask, Damaged, Decoder, Frame, Kind, Link, encode
from ecsm.device.service import Service, Stream
from ecsm.status import Status
from ecsm.trust import distrust

SPARE = 32  # file descriptors that are no clients'
AHEAD = 16  # requests of a client, or parts, that may wait; it is answered BUSY for more
UNREAD = 1 << 22  # octets of answers that a client may leave unread
SILENCE_S = 60.0  # that a client may leave the next part of a stream out: others wait meanwhile
LOOK_S = 0.05  # between looks whether a client that sends no more still reads
GOODBYE_S = 2.0  # that a client has to take its last answers
LONGEST = 107  # octets of a socket's path
_PIECE = 1 << 16
_FIRST_PASSED = 3  # descriptor


@dataclass(frozen=True)
class Access:
    """Who may connect to a socket: its file's group, this user's if it is None, and its mode."""

    group: int | None
    mode: int

    def give(self, path: Path) -> None:
        """Let them connect, or remove the socket. Raises OSError."""
        try:
            if self.group is not None:
                os.chown(path, -1, self.group)
            path.chmod(self.mode)
        except OSError as error:
            path.unlink()
            if isinstance(error, PermissionError):
                error.strerror = "this user is not in the socket's group"
            raise


@contextlib.contextmanager
def listening(path: Path, access: Access | None = None) -> Iterator[socket.socket]:
    """Listen at a path until the end; the socket's file is then removed.

    ``access``: who may connect, this user alone if it is left out. A file PATH.lock says that a
    server lives. The socket of one that died is replaced. Raises NoDevice where a server lives,
    where something else is, or where there can be no such socket.
    """
    _check(path)
    beside = Path(f"{path}.lock")
    new = not (beside.exists() or beside.is_symlink())
    try:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise NoDevice(f"{path}: no socket can be there: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NoDevice(f"{path}: a device server is there already") from None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            try:
                _bind(listener, path, access)
            except NoDevice:
                if new:  # who is refused leaves nothing
                    beside.unlink(missing_ok=True)
                raise
            made = _identity(path)
            try:
                yield listener
            finally:
                if _identity(path) == made:  # and not what somebody else has put there since
                    path.unlink(missing_ok=True)
    finally:
        os.close(lock)


@contextlib.contextmanager
def passed() -> Iterator[socket.socket | None]:
    """Have the socket that systemd listens at and has passed on, or None (sd_listen_fds(3)).

    Who may connect is systemd's to say. Raises NoDevice for anything but one such socket.
    """
    count = os.environ.get("LISTEN_FDS", "")
    if os.environ.get("LISTEN_PID") != str(os.getpid()):  # it may be meant for a parent
        yield None
        return
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)
    try:
        if count != "1":
            raise OSError
        listener = socket.socket(fileno=_FIRST_PASSED)
        if listener.family != socket.AF_UNIX or listener.type != socket.SOCK_STREAM:
            raise OSError
        if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            raise OSError
    except OSError:
        raise NoDevice("systemd is to pass one socket, ListenStream=PATH, Accept=no") from None
    listener.set_inheritable(False)
    with listener:
        yield listener


def _check(path: Path) -> None:
    """Refuse a path of no socket, or that others could replace, before anything is put there."""
    if "\0" in str(path):
        raise NoDevice(f"{str(path)!r}: no file has such a name")
    if not path.name:
        raise NoDevice(f"{path}: no socket can be there: it is a folder")
    if (why := distrust(path.parent)) is not None:
        raise NoDevice(f"{path}: no socket can be there: {why}")
    if len(os.fsencode(path)) > LONGEST:
        raise NoDevice(f"{path}: no socket can be there: more than {LONGEST} octets")
    with contextlib.suppress(OSError):  # where it is none that is missing, the lock tells
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise NoDevice(f"{path} is there already, and is no socket")


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Return what another file at the same place has not; the number alone may come again."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        return found.st_dev, found.st_ino, found.st_mtime_ns
    return None


def _bind(listener: socket.socket, path: Path, access: Access | None) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.lstat()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            try:
                with contextlib.suppress(BlockingIOError):  # it listens, and has no room
                    probe.connect(str(path))
                raise NoDevice(f"{path}: another program listens there")
            except ConnectionRefusedError:
                path.unlink()
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
        if access is not None:
            access.give(path)
        listener.listen(128)
    except OSError as error:
        why = error.strerror or str(error)
        raise NoDevice(f"{path}: no socket can be there: {why}") from None
    finally:
        os.umask(before)


@dataclass(eq=False)
class _Client:
    """A connection. Its jobs are done while it is there.

    ``stream``: the tag of the stream that runs, or 0. ``parts``: what has come of it, or the code
    of the answer that gives it up. ``queued``: the tags of streams that wait, and whether each was
    given up before it began.
    """

    writer: asyncio.StreamWriter
    waiting: int = 0
    gone: bool = False
    stream: int = 0
    parts: asyncio.Queue[Frame | int] = field(default_factory=asyncio.Queue)
    queued: dict[int, bool] = field(default_factory=dict)

    def answer(self, frame: Frame) -> None:
        """Send an answer or a notice; who does not read them is cut off."""
        if self.gone or self.writer.transport.is_closing():
            return
        self.writer.write(encode(frame))
        if self.writer.transport.get_write_buffer_size() > UNREAD:
            self.gone = True
            self.writer.transport.abort()

    def sends_no_more(self) -> None:
        """Give up its streams: their next parts cannot come."""
        self.parts.put_nowait(Link.SILENT)
        self.queued = dict.fromkeys(self.queued, True)

    def reads(self) -> bool:
        """Whether it may still take answers: of a socket, one direction may be shut alone."""
        if self.gone or self.writer.transport.is_closing():
            return False
        poll = select.poll()
        poll.register(self.writer.get_extra_info("socket"), 0)
        return not poll.poll(0)  # POLLHUP, POLLERR

    def takes(self, part: Frame) -> None:
        """Keep a part of the stream that runs. One too many gives it up: it would have a hole."""
        ahead = self.parts.qsize()
        if ahead <= AHEAD:
            self.parts.put_nowait(part if ahead < AHEAD else Status.BUSY)

    async def part(self) -> Frame | int:
        """Return the next part of the stream that runs, or the code that it is given up with."""
        if self.gone:
            return Link.SILENT
        try:
            return await asyncio.wait_for(self.parts.get(), SILENCE_S)
        except TimeoutError:
            return Link.SILENT


def _opens(frame: Frame) -> bool:
    """Whether a frame begins a stream."""
    return frame.kind is Kind.REQUEST and bool(frame.word & OPEN)


async def started(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    listener: socket.socket,
) -> asyncio.Server:
    """Begin to serve clients. Of file descriptors that are used up nothing is said.

    asyncio tells of each connection that it cannot take, and takes it a second later.
    """
    asyncio.get_running_loop().set_exception_handler(_tell)
    return await asyncio.start_unix_server(serve, sock=listener)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if not (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)):
        loop.default_exception_handler(context)


class Server:
    """Serves a device: jobs one after the other, in the order in which they came."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._jobs: asyncio.Queue[tuple[_Client, Frame | None] | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._streams: _Client | None = None  # the client whose stream runs
        self._most = max(1, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE)  # clients
        self.jobs = 0  # that were done

    async def run(self, listener: socket.socket) -> None:
        """Serve until SIGTERM or SIGINT; the job that runs then is finished and answered.

        Raises DeviceError if the device fails and cannot begin anew.
        """
        loop, signals = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
        for number in signals:
            loop.add_signal_handler(number, self._close)
        try:
            server = await started(self._serve, listener)
            await self._work()
            server.close()  # its wait_closed has no end while a client does not read
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _close(self) -> None:
        self._closing = True
        self._jobs.put_nowait(None)  # there is something to wake up for
        if self._streams is not None:
            self._streams.parts.put_nowait(Link.CLOSING)

    async def _work(self) -> None:
        """Do the jobs; a client that is gone has none, and then its keys are forgotten."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as device:
            while not self._closing:
                job = await self._jobs.get()
                if job is None or self._closing:
                    self._refuse(job)
                    continue
                client, asked = job
                if asked is None:
                    await loop.run_in_executor(device, self._service.drop, client)
                elif not client.gone:
                    if _opens(asked):
                        await self._stream(client, Stream(self._service, client, asked), device)
                    else:
                        done = loop.run_in_executor(device, self._service.answer, client, asked)
                        client.answer(await done)
                    self.jobs += 1
                    client.waiting -= 1
        while not self._jobs.empty():
            self._refuse(self._jobs.get_nowait())

    async def _stream(self, client: _Client, stream: Stream, device: ThreadPoolExecutor) -> None:
        """Do a job whose input comes in parts, as the client gives them."""
        loop = asyncio.get_running_loop()
        if client.queued.pop(stream.tag, False):
            client.answer(stream.drop(Link.SILENT)[0])
            return
        client.stream, client.parts, self._streams = stream.tag, asyncio.Queue(), client
        answers = await loop.run_in_executor(device, stream.begin)
        while True:
            for frame in answers:
                client.answer(frame)
            if stream.over:
                break
            part = Link.CLOSING if self._closing else await client.part()
            if isinstance(part, Frame):
                answers = await loop.run_in_executor(device, stream.more, part)
            else:
                answers = await loop.run_in_executor(device, stream.drop, int(part))
        client.stream, self._streams = 0, None

    @staticmethod
    def _refuse(job: tuple[_Client, Frame | None] | None) -> None:
        if job is not None and job[1] is not None:
            job[0].answer(Frame(Kind.ANSWER, Link.CLOSING, job[1].tag))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a client's requests until it is gone, or sends no more and has its answers."""
        if len(self._tasks) >= self._most:
            writer.close()
            return
        client, decoder = _Client(writer), Decoder()
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while octets := await reader.read(_PIECE):
                for item in decoder.feed(octets):
                    self._take(client, item)
            client.sends_no_more()
            while client.waiting and client.reads():
                await asyncio.sleep(LOOK_S)
        if self._closing:  # the last answers may be on their way
            writer.close()
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), GOODBYE_S)
        client.gone = True
        client.parts.put_nowait(Link.SILENT)
        self._jobs.put_nowait((client, None))
        writer.close()

    def _take(self, client: _Client, item: Frame | Damaged) -> None:
        if isinstance(item, Damaged):
            client.answer(Frame(Kind.ANSWER, Link.DAMAGED))
        elif item.kind is Kind.MORE:
            if item.tag == client.stream:
                client.takes(item)
            elif item.tag in client.queued:  # it is given up: nothing has asked for a part yet
                client.queued[item.tag] = True
        elif item.code == Ask.INFO:  # the device is not asked
            client.answer(self._service.answer(client, item))
        elif client.waiting == AHEAD or self._closing:
            code = Link.CLOSING if self._closing else Status.BUSY
            client.answer(Frame(Kind.ANSWER, code, item.tag))
        else:
            client.waiting += 1
            if _opens(item):
                client.queued[item.tag] = False
            self._jobs.put_nowait((client, item))
