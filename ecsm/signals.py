# SPDX-License-Identifier: Apache-2.0
"""Signals that wait for the end of what their exceptions must not break off."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back() -> Iterator[None]:
    """Let the signals that end a program wait for the end of a block, if Python handles them.

    For a block of a short time: native code that calls Python back and goes on whatever a handler
    raises there, or a removal of files. The first signal that came is then handled; none is lost.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers run in that one
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    before = {s: handler for s in _ENDING if callable(handler := signal.getsignal(s))}
    try:
        with ExitStack() as restored:
            for number, handler in before.items():
                restored.callback(signal.signal, number, handler)
                signal.signal(number, lambda *call: came.append(call))
            yield
    finally:
        if came:
            before[signal.Signals(came[0][0])](*came[0])


@contextmanager
def scratch(prefix: str | None = None, where: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that is removed at the end, also if a signal comes meanwhile.

    ``where``: the folder that it is made in, default that of temporary files; OSError names it.
    """
    with held_back():
        try:
            made = tempfile.TemporaryDirectory(prefix=prefix, dir=where)
        except OSError as error:
            if where is None:
                raise
            raise OSError(error.errno, error.strerror, str(where)) from None
    try:
        yield Path(made.name)
    finally:
        with held_back():
            made.cleanup()
