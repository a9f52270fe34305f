# SPDX-License-Identifier: Apache-2.0
"""What each test costs, as measured, and so which commands run it.

``costs.json`` has the processor seconds of tests, compilers and other programs included, and the
tests that compile a simulator or a program. Two runs over an empty cache write it, and only they::

    pytest -n 2 -m "not slow" --costs=tests/costs.json
    pytest -n 2 -m "not slow" --costs=tests/costs.json --no-compiler

Two markers follow from it: ``compiles``, which ``make check`` leaves out, and ``full``, the tests
that ``make test`` leaves to the shards: those that cost much, but for the cheapest of a file that
has no others. A test that ``make test`` has to run whatever it costs is marked ``always``. A new
test is in neither until it is measured.
"""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("costs.json")
WORTH_KEEPING_S = 1.0
FULL_S = 1.0  # what a test of make check and of make test may cost
QUICK_S, SLOW_S = 0.1, 300.0  # what one costs that is not in the file


def _processor_s() -> float:
    """Return processor seconds of this process and of those that it has waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def _read(file: Path) -> tuple[dict[str, float], set[str]]:
    """Return seconds by test, and the tests that compile."""
    if not file.exists():
        return {}, set()
    kept = json.loads(file.read_text(encoding="utf-8"))
    return kept["seconds"], set(kept["compiles"])


def mark(items: list[pytest.Item]) -> None:
    """Add the markers that follow from the measured costs."""
    seconds, compiles = _read(FILE)
    least: dict[Path, float] = {}
    for item in items:
        cost = seconds.get(item.nodeid, 0.0)
        least[item.path] = min(cost, least.get(item.path, cost))
    for item in items:
        cost = seconds.get(item.nodeid, 0.0)
        if item.nodeid.partition("[")[0] in compiles:
            item.add_marker(pytest.mark.compiles)
        if cost > max(FULL_S, least[item.path]) and not item.get_closest_marker("always"):
            item.add_marker(pytest.mark.full)


def shard(items: list[pytest.Item], text: str) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of a shard, ``I/N``, and the others; the tests of a file stay together.

    All shards cost about the same, and each test is in one of them.
    """
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text, re.ASCII)
    number, count = (int(found[1]), int(found[2])) if found else (1, 0)
    if number > count:
        raise pytest.UsageError(f"--shard {text}: I/N, I from 1 to N")
    seconds, _ = _read(FILE)
    weights: dict[Path, float] = {}
    for item in items:
        cost = SLOW_S if item.get_closest_marker("slow") else seconds.get(item.nodeid, QUICK_S)
        weights[item.path] = weights.get(item.path, 0.0) + cost
    filled, where = [0.0] * count, dict[Path, int]()
    for path in sorted(weights, key=lambda path: (-weights[path], path)):
        where[path] = filled.index(min(filled))
        filled[where[path]] += weights[path]
    mine = [item for item in items if where[item.path] == number - 1]
    return mine, [item for item in items if where[item.path] != number - 1]


class Measure:
    """Measures each test, where it runs; the report of its end carries the figure."""

    def __init__(self) -> None:
        self._begin = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self._begin = _processor_s()
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown" and not any(n == "cost" for n, _ in report.user_properties):
            report.user_properties.append(("cost", _processor_s() - self._begin))


class Keep:
    """Keeps what tests cost; of a run without a compiler, which failed or were skipped."""

    def __init__(self, file: Path, no_compiler: bool) -> None:
        self._file, self._no_compiler = file, no_compiler
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self._failed.add(report.nodeid.partition("[")[0])
        for name, value in report.user_properties:
            if name == "cost":
                self._seconds[report.nodeid] = float(str(value))

    def pytest_sessionfinish(self) -> None:
        seconds, compiles = _read(self._file)
        if self._no_compiler:
            compiles = self._failed
        else:
            seconds = {n: round(s, 1) for n, s in self._seconds.items() if s >= WORTH_KEEPING_S}
        kept = {"seconds": dict(sorted(seconds.items())), "compiles": sorted(compiles)}
        self._file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
