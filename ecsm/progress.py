# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: one line that renews itself on a terminal, lines in a pipe."""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

QUIET_S = 30.0  # between messages of little weight, where they do not replace each other
TICK_S = 1.0  # between renewals of a line, where they do


class Progress:
    """Call it with a message; leave the ``with`` block to end the line.

    ``start``: the ``time.monotonic()`` that its seconds count from, now by default: for a process
    that helps another one of this machine.
    """

    def __init__(self, start: float | None = None) -> None:
        self._live = sys.stderr.isatty()
        self.start = time.monotonic() if start is None else start
        self._last: str | None = None
        self._told = -math.inf

    def __call__(self, message: str) -> None:
        """Show a message with the seconds since the start."""
        text = f"[{time.monotonic() - self.start:4.0f} s] {message}"
        self._write(f"\r\x1b[K{text[:78]}" if self._live else text + "\n")
        self._last = message
        self._told = time.monotonic()

    def often(self, message: str) -> None:
        """Show one of many messages: all on a terminal, one in half a minute in a pipe."""
        self._last = message
        if self._live or time.monotonic() - self._told >= QUIET_S:
            self(message)

    def again(self) -> None:
        """Show the last message with the present seconds, while a tool prints nothing.

        Once a second on a terminal, once in half a minute in a pipe, however often it is called.
        """
        tick = TICK_S if self._live else QUIET_S
        if self._last is not None and time.monotonic() - self._told >= tick:
            self(self._last)

    def count(self, done: int, total: int) -> None:
        """Show ``done`` of ``total`` at every tenth part."""
        if done == total or done % max(1, total // 10) == 0:
            self(f"{done} of {total}")

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the line."""
        if self._live and self._last is not None:
            self._write("\r\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        """Write to standard error; where nobody reads that any more, the work goes on."""
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()
