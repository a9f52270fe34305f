# SPDX-License-Identifier: Apache-2.0
"""Run programs side by side. They end when this process ends, however it ends.

Each program has a process group of its own. The group is killed at the end of the ``with`` block.
If this process is killed, a shell that waits at the other end of a pipe kills the group.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

# The pipe is the shell's standard input: it ends when whoever holds the other end does.
_LAUNCH = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -s KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-'
_PIECE = 1 << 16


@dataclass(eq=False)
class Program:
    """A program that runs, or has ended: then it has a ``status``, and ``seconds`` of processor."""

    name: str
    process: subprocess.Popen[bytes]
    output: bytearray = field(default_factory=bytearray)
    seconds: float = 0.0

    @property
    def status(self) -> int:
        """Its exit status, or minus the signal that killed it."""
        return self.process.returncode

    def text(self) -> str:
        """What it printed, errors included."""
        return self.output.decode("utf-8", "replace")


class Programs:
    """Programs that were started here; to be used by one thread."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._running: set[Program] = set()

    def start(self, command: Sequence[str], env: Mapping[str, str], folder: Path) -> Program:
        """Start a program in a folder; it has no standard input.

        Raises FileNotFoundError if there is no such program.
        """
        if shutil.which(command[0], path=env.get("PATH")) is None:
            raise FileNotFoundError(command[0])
        process = subprocess.Popen(
            ["/bin/sh", "-c", _LAUNCH, "sh", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, env=env, cwd=folder,
        )  # fmt: skip
        program = Program(command[0], process)
        self._running.add(program)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, program)
        return program

    def wait(self, seconds: float) -> list[Program]:
        """Wait until programs end, or so long; return those that have ended."""
        ended = []
        for key, _ in self._selector.select(seconds):
            program: Program = key.data
            piece = os.read(key.fd, _PIECE)
            program.output += piece
            if not piece:
                self._selector.unregister(key.fileobj)
                self._end(program)
                ended.append(program)
        return ended

    def _end(self, program: Program) -> None:
        """Kill what is left of the group, and reap the program."""
        process = program.process
        if process.returncode is None:
            with suppress(ChildProcessError):  # an interrupt came after it was reaped
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                program.seconds = used.ru_utime + used.ru_stime
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()
        self._running.discard(program)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill what still runs."""
        for program in list(self._running):
            with suppress(ProcessLookupError):
                os.killpg(program.process.pid, signal.SIGKILL)
        for program in list(self._running):
            assert program.process.stdout is not None
            program.process.stdout.read()  # to the end of the last of the group
            self._end(program)
        self._selector.close()
