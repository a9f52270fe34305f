# SPDX-License-Identifier: Apache-2.0
"""Make things that take minutes: in the background, one after the other, each once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ecsm.device.base import DeviceError

T = TypeVar("T")
Log = Callable[[str], None]
_log = logging.getLogger(__name__)


@dataclass
class Job(Generic[T]):
    """One thing: ``said`` is the last line of progress, or why it failed."""

    name: str
    said: str = "waiting for its turn"
    made: T | None = None
    failed: bool = False


class Workshop(Generic[T]):
    """``make(name, log)`` makes a thing."""

    def __init__(self, make: Callable[[str, Log], T]) -> None:
        self._make = make
        self._jobs: dict[str, Job[T]] = {}
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    def want(self, name: str) -> Job[T]:
        """Return the job of a thing; begin it, if nobody did or it failed."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None or job.failed:
                job = self._jobs[name] = Job(name)
                threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def job(self, name: str) -> Job[T] | None:
        """Return the job of a thing, None if nobody wanted it."""
        with self._lock:
            return self._jobs.get(name)

    def made(self) -> list[T]:
        """Return the things that are there."""
        with self._lock:
            return [j.made for j in self._jobs.values() if j.made is not None]

    def now(self, name: str, log: Log) -> T:
        """Make a thing in this thread, or return it. Raises what making it raises."""
        with self._lock:
            job = self._jobs.setdefault(name, Job(name))
        with self._turn:
            if job.made is None:
                job.made = self._make(name, log)
            return job.made

    def _run(self, job: Job[T]) -> None:
        def say(line: str) -> None:
            job.said = line

        with self._turn:
            try:
                job.made = self._make(job.name, say)
            except Exception as error:
                if not isinstance(error, DeviceError):  # that one is known, and says all
                    _log.exception("%s was not made", job.name)
                job.said = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"
                job.failed = True
