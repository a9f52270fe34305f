# SPDX-License-Identifier: Apache-2.0
"""Run Verilator and g++ side by side, with progress. No process remains when the call ends."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ecsm.device.base import DeviceError
from ecsm.sim import estimate
from ecsm.sim.estimate import BETWEEN_S, WORTH_TELLING_S, Estimate, about
from ecsm.sim.processes import Program, Programs

Log = Callable[[str], None]
LONG = 2_000_000  # characters of a file
TOGETHER = 1_000_000  # characters of small files that are compiled together
FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_ROOM = 1 << 16  # octets: what a file system that is full has left, at most
_TICK_S = 1.0
_TAIL = 20  # lines of what a tool says
_NOT_FOUND = 127  # the status of env(1) that does not find what a script is written in
_LACKING = re.compile(r"env: \W?([\w.+-]+)\W?: No such file")


@dataclass(frozen=True)
class Job:
    """A C++ file to compile: its object, and how heavy it is (see :mod:`ecsm.sim.estimate`)."""

    source: Path
    object: Path
    command: tuple[str, ...]
    weight: float


def jobs(
    sources: Sequence[Path], folder: Path, flags: Sequence[str], runtime: bool = False
) -> list[Job]:
    """Return how C++ files are compiled to objects in ``folder``, the heaviest first.

    Most of Verilator's files are so small that g++ spends its time on their headers: those that
    are optimised alike are compiled together. ``runtime``: they are Verilator's own runtime, which
    does not allow that.
    """
    found = []
    for number, (how, files) in enumerate(_together(sources, 1 if runtime else TOGETHER)):
        size = _size(files)
        each = estimate.PLAIN if how == ["-O0"] else estimate.OPTIMISED
        weight = estimate.START + size * (estimate.RUNTIME if runtime else each)
        source = files[0]
        if len(files) > 1:
            source = folder / f"together{number}.cpp"
            # A path from here need not have what the one of the folder may have: quotes, lines.
            lines = [f'#include "{os.path.relpath(file, folder)}"\n' for file in files]
            source.write_bytes(os.fsencode("".join(lines)))  # a path need not be UTF-8
        target = folder / f"{source.stem}.o"
        command = ("g++", *how, *flags, "-c", str(source), "-o", str(target))
        found.append(Job(source, target, command, weight))
    return sorted(found, key=lambda job: job.weight, reverse=True)


def _together(sources: Sequence[Path], most: int) -> list[tuple[list[str], list[Path]]]:
    """Return files that are compiled together, ``most`` characters unless one is larger."""
    groups: list[tuple[list[str], list[Path]]] = []
    open_: dict[str, list[Path]] = {}  # the group that is being filled, by optimisation
    for source in sorted(sources):
        how = optimisation(source)
        files = open_.get(" ".join(how), [])
        if not files or _size([*files, source]) > most:
            files = open_[" ".join(how)] = []
            groups.append((how, files))
        files.append(source)
    return groups


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def optimisation(source: Path) -> list[str]:
    """Return how a file of Verilator's is to be optimised."""
    if "Slow" in source.name:  # runs once, when the model starts
        return ["-O0"]
    # One function may be as long, as in b409; of statements joined into expressions g++ takes
    # minutes to combine instructions. Not joined, shorter ones run a fifth slower.
    return ["-O2", "-fno-tree-ter"] if source.stat().st_size > LONG else ["-O2"]


class Compilation:
    """Compiles the files of ``name`` in ``work``; ``pace``: see :mod:`ecsm.sim.estimate`."""

    def __init__(self, name: str, todo: Sequence[Job], work: Path, pace: float, log: Log) -> None:
        self._name, self._work, self._log = name, work, log
        self._count, self._done = len(todo), 0
        self._told = time.monotonic()
        self.estimate = Estimate([job.weight for job in todo], pace)
        expected = self.estimate.left()
        how_long = f", {about(expected)}" if expected >= WORTH_TELLING_S else ""
        log(f"compiling {name}: {self._count} files of C++{how_long}")

    def compile(self, todo: Sequence[Job]) -> None:
        """Compile some of the files. Raises :class:`DeviceError` if a tool fails."""
        waiting, running = list(enumerate(todo)), dict[Program, int]()
        with Programs() as programs:
            while waiting or running:
                while waiting and len(running) < estimate.processors():
                    number, job = waiting.pop(0)
                    self.estimate.starts(number, job.weight)
                    running[start(programs, job.command, self._work)] = number
                for program in programs.wait(_TICK_S):
                    check(program, self._work)
                    self.estimate.ends(running.pop(program), program.seconds)
                    self._done += 1
                self._tell()

    def _tell(self) -> None:
        """Say once in a while what is left."""
        if self._done < self._count and time.monotonic() - self._told >= BETWEEN_S:
            self._told = time.monotonic()
            left = about(self.estimate.left())
            self._log(f"compiling {self._name}: {self._done} of {self._count} files, {left} left")


def run(
    command: Sequence[str],
    work: Path,
    log: Log = lambda _: None,
    message: str = "",
    env: Mapping[str, str] | None = None,
    name: str | None = None,
) -> str:
    """Run one tool; return what it says. ``message`` is said again once in a while.

    ``name``: what it is called if it fails. Raises :class:`DeviceError`.
    """
    begin = told = time.monotonic()
    with Programs() as programs:
        program = start(programs, command, work, env)
        program.name = name or program.name
        while not programs.wait(_TICK_S):
            if time.monotonic() - told >= BETWEEN_S:
                told = time.monotonic()
                log(f"{message}: {told - begin:.0f} s so far")
        check(program, work)
        return program.text()


def start(
    programs: Programs, command: Sequence[str], work: Path, env: Mapping[str, str] | None = None
) -> Program:
    """Start a tool in ``work``, where its temporary files are, too; its messages are English."""
    given = os.environ if env is None else env
    try:
        return programs.start(command, {**given, "LC_ALL": "C", "TMPDIR": str(work)}, work)
    except FileNotFoundError:
        raise DeviceError(f"{command[0]} is not installed") from None
    except OSError as error:
        raise DeviceError(f"{command[0]} cannot be run: {error.strerror}") from None


def check(program: Program, work: Path) -> None:
    """Raise :class:`DeviceError` if a tool failed: a disk that is full is named first."""
    if program.status == 0:
        return
    text = program.text()
    check_room(work, text)
    if "Killed signal terminated program" in text or program.status == -9:
        raise DeviceError(f"{program.name} was killed: there may be too little memory")
    if program.status == _NOT_FOUND and (lacking := _LACKING.search(text)):
        raise DeviceError(f"{lacking[1]} is not installed: {program.name} is written in it")
    tail = "\n".join(line[:200] for line in text.splitlines()[-_TAIL:])
    raise DeviceError(f"{program.name} failed with status {program.status}:\n{tail}")


def check_room(folder: Path, text: str) -> None:
    """Raise OSError if a tool that failed in a folder had no room; ``text``: what it said."""
    if full(folder) or any(os.strerror(number) in text for number in FULL):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def full(folder: Path) -> bool:
    """Whether nothing more can be written in a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize < _NO_ROOM or (found.f_files > 0 and not found.f_favail)
