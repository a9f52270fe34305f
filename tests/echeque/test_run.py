# SPDX-License-Identifier: Apache-2.0
"""The command: it says where it is, serves, and ends when it is told to."""

from __future__ import annotations

import os
import re
import signal
import socket
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
from tests.echeque.conftest import PRESET

ROOT = Path(__file__).parents[2]


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
        assert main([*command, "--port", port]) == FAILED
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
        assert main(command) == FAILED
    lines = [x for x in capsys.readouterr().err.splitlines() if x.startswith("ecsm:")]
    assert len(lines) == 5
