# SPDX-License-Identifier: Apache-2.0
"""Progress: what a terminal and what a pipe shows while a tool works, and while it is silent."""

from __future__ import annotations

import io
import sys

import pytest

from ecsm import progress
from ecsm.progress import QUIET_S, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def shown(monkeypatch: pytest.MonkeyPatch, clock: Clock, err: io.StringIO) -> str:
    """Half an hour of a tool that says "opt", then "abc", and then nothing."""
    monkeypatch.setattr(sys, "stderr", err)
    with Progress() as log:
        log.again()
        log("opt")
        clock.now += 2
        log.often("abc")
        for _ in range(9000):
            clock.now += 0.2
            log.again()
    return err.getvalue()


def test_in_a_pipe_a_silent_tool_is_a_line_in_half_a_minute(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    lines = shown(monkeypatch, clock, io.StringIO()).splitlines()
    assert lines[:2] == ["[   0 s] opt", "[  30 s] abc"]
    assert 1790 / QUIET_S <= len(lines) <= 1810 / QUIET_S + 1
    assert all(line.endswith("abc") for line in lines[1:])


def test_on_a_terminal_the_seconds_run(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    updates = shown(monkeypatch, clock, Terminal()).split("\r\x1b[K")[1:]
    assert updates[:3] == ["[   0 s] opt", "[   2 s] abc", "[   3 s] abc"]
    assert updates[-1] == ""
    assert 1490 <= len(updates) <= 1810
