# SPDX-License-Identifier: Apache-2.0
"""How long compiling takes: estimated from the sizes of files, corrected as they are finished.

The weight of a file is the processor seconds that it took on a reference machine. The pace is the
number of seconds that this machine needs for one of those; every compilation measures it and keeps
it in the cache. Other programs slow a compilation down; the system load says by how much.
"""

from __future__ import annotations

import heapq
import json
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ecsm.files import replace

START, OPTIMISED, PLAIN = 0.75, 1.6e-6, 0.5e-6  # of a file; of each character, with -O2 and -O0
RUNTIME = 25e-6  # of a character of Verilator's runtime, which is small and includes much
WORTH_TELLING_S = 10.0
BETWEEN_S = 10.0  # what is left is told that often
_BELIEF = 5.0  # what was known before counts as much as files of this weight
_KEPT = "pace.json"


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def load() -> float:
    """Return how many programs ran here in the last minute, on average."""
    return os.getloadavg()[0]


def about(seconds: float) -> str:
    """Return an estimate as text, no more exact than it is."""
    if seconds < WORTH_TELLING_S:
        return "a few seconds"
    if seconds < 90:
        return f"about {5 * round(seconds / 5)} s"
    return f"about {round(seconds / 60)} min"


class Estimate:
    """Seconds until files of some weights are compiled; ``pace``: see the module."""

    def __init__(self, weights: Sequence[float], pace: float) -> None:
        self._slots = min(processors(), len(weights)) or 1
        self._waiting = sorted(weights)
        self._running: dict[int, tuple[float, float]] = {}  # weight and start, by number
        crowd = (load() + self._slots) / processors()
        self._before = pace * max(1.0, crowd)  # seconds of clock for a weight of 1
        self._weight = self._clock = self._processor = 0.0  # of what is finished

    def starts(self, number: int, weight: float) -> None:
        """Take note that a file is begun."""
        with suppress(ValueError):  # of a file that was not expected
            self._waiting.remove(weight)
        self._running[number] = weight, time.monotonic()

    def ends(self, number: int, processor: float) -> None:
        """Take note that a file is finished; ``processor``: the seconds that it took of one."""
        weight, start = self._running.pop(number)
        self._weight += weight
        self._clock += time.monotonic() - start
        self._processor += processor

    def left(self) -> float:
        """Return the seconds that are left: the largest file goes first, to who has time."""
        slowness = (_BELIEF * self._before + self._clock) / (_BELIEF + self._weight)
        now = time.monotonic()
        slots = [
            max(weight * slowness - (now - start), weight * slowness / 10)
            for weight, start in self._running.values()
        ]
        slots += [0.0] * (self._slots - len(slots))
        heapq.heapify(slots)
        for weight in reversed(self._waiting):
            heapq.heapreplace(slots, slots[0] + weight * slowness)
        return max(slots)

    def pace(self) -> float | None:
        """Return the pace that was measured, None if nothing was."""
        return self._processor / self._weight if self._weight else None


def kept_pace(folder: Path) -> float:
    """Return the pace of earlier compilations, 1 if none is kept."""
    try:
        pace = float(json.loads((folder / _KEPT).read_text(encoding="utf-8"))["pace"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 1.0
    return pace if math.isfinite(pace) and 0.01 < pace < 100 else 1.0


def keep_pace(folder: Path, estimate: Estimate) -> None:
    """Keep what was measured, half of it from before: one compilation is not like another.

    What cannot be kept is no reason to lose what was compiled.
    """
    if (new := estimate.pace()) is not None:
        pace = (kept_pace(folder) + new) / 2 if (folder / _KEPT).exists() else new
        with suppress(OSError):
            replace(folder / _KEPT, json.dumps({"pace": round(pace, 3)}).encode() + b"\n")
