# SPDX-License-Identifier: Apache-2.0
"""The command: it says where it is, serves, and ends when it is told to."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from tests.demo.echeque.conftest import PRESET

ROOT = Path(__file__).parents[3]


@contextmanager
def started(*args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command; yield it and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ecsm", "demo", "echeque", "--preset", PRESET, *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"e-cheque: (http://127\.0\.0\.1:\d+/)\n", line)
        assert found is not None, line + (process.stderr.read() if process.stderr else "")
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_end(tmp_path: Path, how: signal.Signals) -> None:
    data = tmp_path / "data"
    with started("--port", "0", "--data", str(data)) as (process, url):
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b"A cheque that needs no paper" in page.read()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.endswith("ended\n")
    assert "Traceback" not in err
    assert len(list((data / "payers" / "keys").glob("*.pem"))) == 3
    for path in data.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_another_server_on_the_port_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = ["demo", "echeque", "--preset", PRESET, "--data", str(tmp_path / "d")]
        assert main([*command, "--port", port]) == USAGE
    assert f"port {port} cannot be used" in capsys.readouterr().err


def test_wrong_calls_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(tmp_path / "d")]
    assert main(["demo", "echeque", "--preset", "toy7-fast", *data]) == USAGE
    assert main(["demo", "echeque", "--preset", "x25519", *data]) == USAGE
    assert main(["demo", "echeque", "--port", "65536", *data]) == USAGE
    (tmp_path / "file").touch()
    foreign = tmp_path / "foreign"
    (foreign / "bank").mkdir(parents=True)
    (foreign / "bank" / "bank.sqlite").write_text("dear diary, this is no database at all")
    for folder in (tmp_path / "file", foreign):
        command = ["demo", "echeque", "--preset", PRESET, "--data", str(folder)]
        assert main(command) == USAGE
    lines = [x for x in capsys.readouterr().err.splitlines() if x.startswith("ecsm:")]
    assert len(lines) == 5


def without_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user who has no home directory, in no list of users."""

    def unknown(*_: object) -> None:
        raise KeyError

    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)


@pytest.mark.parametrize("state", [None, "", "relative/state"])
def test_without_a_home_directory_a_folder_is_asked_for(
    state: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_home(monkeypatch)
    if state is not None:
        monkeypatch.setenv("XDG_STATE_HOME", state)
    assert main(["demo", "echeque", "--preset", PRESET]) == USAGE
    assert capsys.readouterr().err == "ecsm: no home directory: --data has to name a folder\n"


def test_the_folder_of_state_is_what_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = []

    def told(preset: str, port: int, folder: Path, kind: str) -> int:
        folders.append(folder)
        return 0

    monkeypatch.setattr("ecsm.demo.echeque.run.run", told)
    command = ["demo", "echeque", "--preset", PRESET]
    for name, value in (("HOME", str(tmp_path)), ("XDG_STATE_HOME", str(tmp_path / "state"))):
        monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
        monkeypatch.setenv(name, value)
        assert main(command) == 0
    without_home(monkeypatch)
    assert main([*command, "--data", "mine"]) == 0
    state = tmp_path / ".local" / "state"
    assert folders == [
        state / "ecsm" / "echeque", tmp_path / "state" / "ecsm" / "echeque", Path("mine"),
    ]  # fmt: skip


def test_a_port_that_is_taken_is_said_before_a_core_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(*_: object) -> None:
        raise AssertionError("a core was made for a port that there is not")

    monkeypatch.setattr("ecsm.demo.echeque.parties.Parties._open", made)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        data = ["--data", str(tmp_path / "d")]
        assert main(["demo", "echeque", "--preset", PRESET, *data, "--port", port]) == USAGE
    err = capsys.readouterr().err
    assert err == f"ecsm: port {port} cannot be used: Address already in use\n"


def test_a_folder_that_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    data = "/proc/none/d"
    command = ["demo", "echeque", "--preset", PRESET, "--port", "0", "--data", data]
    assert main(command) == USAGE
    assert capsys.readouterr().err == f"ecsm: {data} cannot be used: No such file or directory\n"


def test_a_database_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk is no fault of the call: its exit code is another one."""
    error = sqlite3.OperationalError("attempt to write a readonly database")

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("ecsm.demo.echeque.parties.Parties._open", refuse)
    data = str(tmp_path / "d")
    command = ["demo", "echeque", "--preset", PRESET, "--port", "0", "--data", data]
    assert main(command) == USAGE
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"ecsm: {data} cannot be used: attempt to write a readonly database"
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert main(command) == FAILED
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"ecsm: {data} cannot be used: {error}"
