# SPDX-License-Identifier: Apache-2.0
"""Calls in processes of their own: results, deaths, and an end with whoever began them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from ecsm.measure.workers import on_cluster, side_by_side

ROOT = Path(__file__).parents[2]


def work(kind: str, place: str = "") -> str:
    """What a process does: answer, fail, die, or stay."""
    if kind == "fail":
        raise ValueError("not today")
    if kind == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "stay":
        Path(place).write_text(str(os.getpid()))
        time.sleep(600)
    if kind == "masked":
        return str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set()))
    if kind == "listening":
        tables = (Path("/proc/net") / name for name in ("tcp", "tcp6"))
        mine = {str(fd.readlink()) for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()}
        rows = [row.split() for t in tables if t.exists() for row in t.read_text().splitlines()]
        return str(sum(row[3] == "0A" and f"socket:[{row[9]}]" in mine for row in rows[1:]))
    return kind


def alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(pid: int) -> bool:
    """Whether a process ends within some seconds."""
    end = time.monotonic() + 30
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pid)


def test_a_process_that_fails_or_dies_takes_its_own_call_along() -> None:
    calls = {name: (name,) for name in ("one", "fail", "die", "two")}
    found = {name: (result, failure) for name, result, failure in side_by_side(work, calls, 2)}
    assert found == {
        "one": ("one", ""), "two": ("two", ""), "fail": (None, "ValueError: not today"),
        "die": (None, "its process ended with status -9"),
    }  # fmt: skip


def test_nothing_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        assert work("listening") == "1", "it is seen"
    ((_, count, _),) = side_by_side(work, {"x": ("listening",)}, 1)
    assert count == "0"
    assert not list(tmp_path.iterdir())


def test_who_closes_the_iterator_ends_what_runs(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    running = side_by_side(work, {"one": ("one",), "stay": ("stay", str(place))}, 2)
    assert next(running) == ("one", "one", "")
    while not place.exists() or not place.read_text():
        time.sleep(0.01)
    running.close()
    assert not alive(int(place.read_text()))


def test_an_interrupt_reaches_no_process() -> None:
    """Also not the first one, with which Python starts a process of its own."""
    code = (
        "from ecsm.measure.workers import side_by_side\n"
        "from tests.measure.test_workers import work\n"
        "print([r for _ in range(2) for _, r, _ in side_by_side(work, {'x': ('masked',)}, 1)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "['True', 'True']\n"


def test_they_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    code = (
        "from ecsm.measure.workers import side_by_side\n"
        "from tests.measure.test_workers import work\n"
        f"list(side_by_side(work, {{'stay': ('stay', {str(place)!r})}}, 1))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    while not place.exists() or not place.read_text():
        assert parent.poll() is None
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    assert ends(int(place.read_text()))


def test_a_cluster_that_ends_takes_its_calls_along() -> None:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=0, processes=False, dashboard_address=None
    ) as cluster:
        threading.Timer(0.5, cluster.close).start()
        calls = {"one": ("one",)}
        ((name, result, failure),) = on_cluster(work, calls, cluster.scheduler_address)
    assert (name, result) == ("one", None)
    assert failure == "the cluster has gone, or has dropped the call"
