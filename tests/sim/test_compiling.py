# SPDX-License-Identifier: Apache-2.0
"""Compilers: what an interrupt leaves (nothing), what a full disk is called, what is said before.

Another g++ stands before the real one on PATH: it does what a test needs.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

import ecsm
from ecsm.device.base import DeviceError
from ecsm.sim import cache, compiling, estimate
from ecsm.sim.estimate import Estimate, about
from ecsm.sim.processes import Programs
from tests.cli.test_cli import ROOT

TOY = "toy5-serial"
Fake = Callable[[str], Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a script in the place of g++ and the cache into an empty folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    def write(script: str) -> Path:
        compiler = folder / "g++"
        compiler.write_text(f"#!/bin/sh\n{script}\n")
        compiler.chmod(0o755)
        return compiler

    return write


def running(pids: Path) -> list[int]:
    """Return which of the processes whose numbers are in files still run."""
    found = []
    for file in pids.iterdir():
        state = Path(f"/proc/{file.name}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
            found.append(int(file.name))
    return found


def until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def hang_up_ends() -> None:
    """Let SIGHUP end this process, also where the tests run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def child(fake: Fake, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A command whose compilers wait for a process of their own, as g++ does for cc1plus."""
    pids = tmp_path / "pids"
    pids.mkdir()
    fake(f"sleep 1000 & touch {pids}/$! {pids}/$$; wait")
    with subprocess.Popen(
        [sys.executable, "-m", "ecsm", "kp", "--preset", TOY, "--k", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, preexec_fn=hang_up_ends,
    ) as process:  # fmt: skip
        assert until(lambda: len(list(pids.iterdir())) >= 2)
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"),
     (signal.SIGHUP, 129, "terminated")],
)  # fmt: skip
def test_an_interrupt_ends_the_compilers(
    number: int, code: int, said: str, child: subprocess.Popen[str], tmp_path: Path
) -> None:
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    assert child.returncode == code
    assert err.splitlines()[-1] == f"ecsm: {said}"
    assert "Traceback" not in err
    assert not out
    assert not running(tmp_path / "pids")
    assert not [p for p in (tmp_path / "cache").iterdir() if p.suffix != ".lock"]


def test_a_killed_command_leaves_no_compiler(
    child: subprocess.Popen[str], tmp_path: Path, fake: Fake
) -> None:
    child.kill()
    child.wait()
    assert until(lambda: not running(tmp_path / "pids"), 10)
    fake('PATH="${PATH#*:}"; exec g++ "$@"')
    with ecsm.open(f"sim:{TOY}") as device:  # the next one works
        assert device.kp(0, None) is None
    assert not list((tmp_path / "cache").glob("*.tmp*"))


def test_a_compiler_that_fails_ends_the_others(fake: Fake, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    fake(
        f"if mkdir {tmp_path}/first 2>/dev/null; then "  # of several, one makes the folder
        f"until ls {pids} | grep -q .; do sleep 0.05; done; echo wrong >&2; exit 1; fi; "
        f"touch {pids}/$$; exec sleep 1000"
    )
    if estimate.processors() == 1:
        (pids / "0").touch()  # there is no other
    with pytest.raises(DeviceError, match=r"g\+\+ failed with status 1:\nwrong"):
        ecsm.open(f"sim:{TOY}")
    assert not running(pids)


@pytest.mark.parametrize(
    "script",
    ["echo 'x.cpp:1: syntax error' >&2; exit 1", "echo 'No space left on device' >&2; exit 1",
     "echo 'Disk quota exceeded' >&2; exit 1"],
)  # fmt: skip
def test_a_full_disk_is_called_that(
    script: str, fake: Fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(script)
    if "syntax" in script:  # a file was cut, and nothing said so
        full = SimpleNamespace(f_bavail=1, f_frsize=4096, f_files=0, f_favail=0, f_flag=0)
        monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(DeviceError, match=r"^no space left on ") as caught:
        ecsm.open(f"sim:{TOY}")
    assert str(caught.value) == f"no space left on {tmp_path / 'cache'}"
    assert not [p for p in (tmp_path / "cache").iterdir() if p.suffix != ".lock"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_full_for_us_is_called_that(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))

    def make(work: Path, done: Path) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(DeviceError, match=f"^no space left on {tmp_path}$"):
        cache.entry("thing-1", make)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for a translated core, and for no compiled one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k,mode=755", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("size", ["300k", "600k", "1500k"])
def test_a_real_disk_that_is_full(size: str, small: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(small)], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", "kp", "--preset", TOY, "--k", "1"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ECSM_CACHE": str(small)},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ecsm: no space left on {small}"
    assert not [p for p in small.iterdir() if p.suffix != ".lock"]


def test_a_compiler_that_is_not_there_is_named(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake("exit 0").unlink()
    monkeypatch.setattr("shutil.which", lambda name, path: None if name == "g++" else name)
    with pytest.raises(DeviceError, match=r"^g\+\+ is not installed$"):
        ecsm.open(f"sim:{TOY}")


def test_a_language_that_is_not_there_is_named(fake: Fake) -> None:
    """Verilator is a program in Perl; what env(1) said of it was a line more."""
    compiler = fake("")
    compiler.write_text("#!/usr/bin/env no-perl\n")
    with pytest.raises(DeviceError, match=r"^no-perl is not installed: g\+\+ is written in it$"):
        ecsm.open(f"sim:{TOY}")


def test_too_little_memory_is_called_that(fake: Fake) -> None:
    fake("echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1")
    with pytest.raises(DeviceError, match="too little memory"):
        ecsm.open(f"sim:{TOY}")


def test_what_a_program_prints_and_how_it_ends(tmp_path: Path) -> None:
    with Programs() as programs:
        command = ["sh", "-c", "echo one; echo two >&2; pwd; read x || exit 3"]
        program = programs.start(command, os.environ, tmp_path)
        assert until(lambda: bool(programs.wait(0.1)))
    assert (program.status, program.text()) == (3, f"one\ntwo\n{tmp_path}\n")


def test_long_compilations_are_announced(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, with an estimate; then what is left, and never more often than is of use."""
    fake('PATH="${PATH#*:}"; sleep 0.3; exec g++ "$@"')
    monkeypatch.setattr(compiling, "BETWEEN_S", 0.5)
    monkeypatch.setattr(estimate, "load", lambda: 20.0)
    said: list[str] = []
    ecsm.open(f"sim:{TOY}", said.append).close()
    assert said[0].startswith(f"translating {TOY} to C++")
    (first,) = [text for text in said if "files of C++" in text]
    assert re.fullmatch(rf"compiling {TOY}: \d+ files of C\+\+, about \d+ (s|min)", first)
    left = [text for text in said if text.endswith(" left")]
    assert left
    assert all(re.search(r": \d+ of \d+ files, (about|a few)", text) for text in left)
    assert said.index(first) < said.index(left[0])
    kept = float(re.findall(r"[\d.]+", (cache.cache_dir() / "pace.json").read_text())[0])
    assert kept == estimate.kept_pace(cache.cache_dir()) > 0.05


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(estimate, "time", made)
    monkeypatch.setattr(estimate, "processors", lambda: 2)
    monkeypatch.setattr(estimate, "load", lambda: 0.0)
    return made


def test_an_estimate_is_of_files_side_by_side(clock: Clock) -> None:
    del clock
    assert Estimate([10.0, 4.0, 4.0, 2.0], 1.0).left() == 10.0
    assert Estimate([10.0, 10.0, 10.0], 2.0).left() == 40.0
    assert Estimate([], 1.0).left() == 0.0


def test_an_estimate_knows_of_other_work(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    del clock
    monkeypatch.setattr(estimate, "load", lambda: 4.0)
    assert Estimate([10.0, 10.0], 1.0).left() == 30.0


def test_an_estimate_learns(clock: Clock) -> None:
    """A machine of half the speed that was believed is found out, and no sooner."""
    weights = [20.0, 20.0, 20.0, 20.0]
    e = Estimate(weights, 1.0)
    assert e.left() == 40.0
    e.starts(0, 20.0)
    e.starts(1, 20.0)
    clock.now = 10.0
    assert e.left() == 30.0
    clock.now = 40.0
    e.ends(0, 38.0)
    e.ends(1, 42.0)
    assert 36.0 < e.left() < 40.0
    assert e.pace() == 2.0


def test_a_file_that_takes_longer_is_not_said_to_be_ready(clock: Clock) -> None:
    e = Estimate([10.0], 1.0)
    e.starts(0, 10.0)
    clock.now = 100.0
    assert e.left() == 1.0


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"pace": "x"}', '{"pace": NaN}', '{"pace": 0}',
     pytest.param("[" * 99_999, id="nested"),
     pytest.param('{"pace": 1' + 400 * "0" + "}", id="huge")],
)  # fmt: skip
def test_a_pace_that_is_damaged_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "pace.json").write_text(text)
    assert estimate.kept_pace(tmp_path) == 1.0


def test_a_pace_that_cannot_be_kept_stops_nothing(clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "pace.json").mkdir()
    e = Estimate([10.0], 1.0)
    e.starts(0, 10.0)
    e.ends(0, 20.0)
    estimate.keep_pace(tmp_path, e)
    assert estimate.kept_pace(tmp_path) == 1.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3, "a few seconds"), (12, "about 10 s"), (43, "about 45 s"), (100, "about 2 min")],
)
def test_an_estimate_is_no_more_exact_than_it_is(seconds: float, text: str) -> None:
    assert about(seconds) == text


def test_who_waits_for_another_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "WAIT_S", 0.1)
    lock = FileLock(tmp_path / "b163-fast-0123.lock")
    lock.acquire()
    said: list[str] = []

    def tell(text: str) -> None:
        said.append(text)
        lock.release()

    cache.entry("b163-fast-0123", lambda work, done: None, tell)
    assert said == ["another process makes b163-fast: waiting for it"]
