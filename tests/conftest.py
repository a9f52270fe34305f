# SPDX-License-Identifier: Apache-2.0
"""Settings, options and fixtures of all tests; CONTRIBUTING.md describes the markers."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from ecsm.oracle import libcrypto as oracle
from tests import costs

# What a shared helper asserts is shown as a test's own would be.
pytest.register_assert_rewrite("tests.browser")

# A shell that starts a job in the background lets it ignore interrupts, and that is handed down:
# what a test starts would not end by one.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Fixed seeds: a test that fails here fails everywhere. No deadline: machines differ.
settings.register_profile("ecsm", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ecsm")

COMPILERS = ("g++", "gcc", "c++", "cc", "clang", "clang++")
NO_COMPILER = """#!/bin/sh
echo "make check compiles nothing: mark this test with pytest.mark.compiles" >&2
exit 1
"""
SLOW_LIMIT_S = 3 * 3600  # a slow test may take so long; the limit of others is in pyproject.toml


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-compiler", action="store_true",
        help="caches are empty, and a test that calls a C or C++ compiler fails",
    )  # fmt: skip
    parser.addoption(
        "--costs", metavar="FILE", type=Path, help="keep what tests cost (tests/costs.py)"
    )
    parser.addoption("--shard", metavar="I/N", help="only the tests of one of N equal shares")
    parser.addoption(
        "--skips", metavar="FILE", type=Path,
        help="fail if a test is skipped for a reason that does not begin as a line of FILE",
    )  # fmt: skip


def _applies(item: pytest.Item) -> bool:
    """Whether the marker ``only`` lets a test be made of these parameters.

    Its named arguments judge a parameter each, the others all of them.
    """
    given = item.callspec.params if hasattr(item, "callspec") else {}
    marks = list(item.iter_markers("only"))
    each = (fits(given[name]) for mark in marks for name, fits in mark.kwargs.items())
    return all(each) and all(fits(given) for mark in marks for fits in mark.args)


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if _applies(item)]
    costs.mark(items)
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT_S))


@pytest.hookimpl(specname="pytest_collection_modifyitems", trylast=True)  # of what -m has left
def pytest_shard(config: pytest.Config, items: list[pytest.Item]) -> None:
    if text := config.getoption("shard"):
        items[:], others = costs.shard(items, text)
        config.hook.pytest_deselected(items=others)


@pytest.fixture(scope="session", autouse=True)
def _no_compiler(request: pytest.FixtureRequest) -> Iterator[None]:
    """With ``--no-compiler``: nothing that was compiled before is found, and nothing compiles."""
    if not request.config.getoption("no_compiler"):
        yield
        return
    from tests.rtl import cocotb_run

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name in COMPILERS:
            file = Path(folder, name)
            file.write_text(NO_COMPILER)
            file.chmod(0o755)
        patch.setenv("PATH", folder, prepend=os.pathsep)
        patch.setenv("ECSM_CACHE", f"{folder}/cores")
        patch.setattr(cocotb_run, "CACHE", Path(folder, "cocotb"))
        yield


class UnexpectedSkips:
    """Fails the run if a test is skipped for a reason that is not expected."""

    def __init__(self, file: Path) -> None:
        lines = file.read_text(encoding="utf-8").splitlines()
        self._expected = tuple(line for line in lines if line and not line.startswith("#"))
        self._found: dict[str, int] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            why = report.longrepr[2].removeprefix("Skipped: ")
            if not why.startswith(self._expected):
                self._found[why] = self._found.get(why, 0) + 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for why, count in self._found.items():
            terminalreporter.write_line(f"not expected: {count} skipped, {why}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    worker = hasattr(config, "workerinput")
    if file := config.getoption("costs"):
        config.pluginmanager.register(costs.Measure())
        if not worker:
            keep = costs.Keep(file, config.getoption("no_compiler"))
            config.pluginmanager.register(keep)
    if (file := config.getoption("skips")) and not worker:
        config.pluginmanager.register(UnexpectedSkips(file))


@pytest.fixture(scope="session", autouse=True)
def _no_results_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Results that somebody measured on this machine change no test, and no test writes there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def libcrypto() -> ModuleType:
    """The module :mod:`ecsm.oracle.libcrypto`; skips where the system has no libcrypto 3."""
    if not oracle.available():
        pytest.skip(oracle.HINT)
    return oracle
