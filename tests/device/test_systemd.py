# SPDX-License-Identifier: Apache-2.0
"""The units of systemd, by its own programs; and the server with a socket that is passed to it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ecsm
from ecsm.cli.common import USAGE
from ecsm.device.base import DeviceError

UNITS = Path(__file__).parents[2] / "sw" / "systemd"
MOST_EXPOSED = 10  # tenths, of 100: systemd calls up to 20 "safe"
SERVE = (sys.executable, "-m", "ecsm", "serve", "--preset", "word-p256")

pytestmark = pytest.mark.skipif(
    not (shutil.which("systemd-analyze") and shutil.which("systemd-socket-activate")),
    reason="no systemd",
)


@contextmanager
def activated(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run systemd-socket-activate, which starts a server at the first connection."""
    process = subprocess.Popen(["systemd-socket-activate", *words], stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_there(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"no {path}")


def test_units_are_as_systemd_wants_them(tmp_path: Path) -> None:
    for unit in UNITS.iterdir():
        text = unit.read_text().replace("/opt/ecsm/bin/ecsm", shutil.which("true") or "")
        (tmp_path / unit.name).write_text(text)
    units = [str(tmp_path / name) for name in ("ecsm.socket", "ecsm.service")]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_service_is_shut_in() -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}",
         str(UNITS / "ecsm.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert re.search(r"Overall exposure level for ecsm.service: 0\.", done.stdout)


def test_its_words_are_those_of_the_command() -> None:
    """What the unit starts is a command that there is."""
    (line,) = re.findall(
        r"^ExecStart=\S+ (.*)$", (UNITS / "ecsm.service").read_text(), re.MULTILINE
    )
    words = line.replace("%d", "/nowhere").split()
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", *words, "--socket", "s"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        USAGE, "ecsm: key /nowhere/web.pem: No such file or directory\n"
    )  # fmt: skip


def test_a_socket_that_is_passed(tmp_path: Path) -> None:
    """It is served until the end, and stays: it is systemd's."""
    place = tmp_path / "socket"
    with activated("-l", str(place), *SERVE) as process:
        until_there(place)
        with ecsm.open(f"unix:{place}") as device:
            for number in range(3):
                message = bytes([number])
                assert device.run("sha256", message).strings == (hashlib.sha256(message).digest(),)
        process.terminate()
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0, said
    assert f"serving word-p256, secp256r1, at {place}" in said
    assert "closed after 3 jobs" in said
    assert place.exists()


@pytest.mark.parametrize("words", ["two", "datagrams", "--socket=s", "--mode=0660", "--group=root"])
def test_what_is_no_such_socket(words: str, tmp_path: Path) -> None:
    place = tmp_path / "socket"
    more = {"two": ["-l", str(tmp_path / "other")], "datagrams": ["-d"]}.get(words, [])
    own = [words] if words.startswith("--") else []
    with activated("-l", str(place), *more, *SERVE, *own) as process:
        until_there(place)
        if words == "datagrams":
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.sendto(b"x", str(place))
        else:
            with pytest.raises(DeviceError):
                ecsm.open(f"unix:{place}")
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == USAGE, said
    why = "systemd has the socket" if own else "systemd is to pass one socket"
    assert why in said


def test_what_is_meant_for_another_process(tmp_path: Path) -> None:
    """As in a child of a program that systemd has started."""
    env = {**os.environ, "LISTEN_PID": "1", "LISTEN_FDS": "1"}
    env.pop("ECSM_SOCKET", None)
    done = subprocess.run(SERVE, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == USAGE
    assert "says where to listen" in done.stderr
