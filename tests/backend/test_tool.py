# SPDX-License-Identifier: Apache-2.0
"""A tool's process: its log, its failure, its limit, its end when the caller is interrupted."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ecsm.backend import tool
from ecsm.backend.tool import FlowError, TimeIsUp

SLEEP = """
import time
pathlib.Path("pid").write_text(str(os.getpid()))
print("started", flush=True)
time.sleep(60)
status = 0
"""


def gone(pid: int) -> bool:
    """Whether a process has ended, within a while."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_lines_are_seen_and_kept_and_the_cost_is_known(tmp_path: Path) -> None:
    seen: list[str] = []
    code = "print('one'); print(sys.argv[1]); status = 0; block = bytearray(80_000_000)\n"
    spent = tool.run(code, ["two"], tmp_path, tmp_path / "log", seen.append)
    assert seen == ["one", "two"]
    assert (tmp_path / "log").read_text() == "one\ntwo\n"
    assert spent.peak_mb >= 80
    assert 0 < spent.seconds < 30


def test_a_line_that_comes_in_parts_is_one_line(tmp_path: Path) -> None:
    seen: list[str] = []
    code = (
        "import time; print('iter=1', end='', flush=True); time.sleep(0.6); print(2)\nstatus = 0\n"
    )
    tool.run(f"{code}status = 0\n", [], tmp_path, tmp_path / "log", seen.append)
    assert seen == ["iter=12"]


def test_a_silent_tool_is_told_of(tmp_path: Path) -> None:
    ticks: list[float] = []
    code = "import time; print('abc', flush=True); time.sleep(1.5); status = 0\n"
    tool.run(code, [], tmp_path, tmp_path / "log", silent=lambda: ticks.append(time.monotonic()))
    assert len(ticks) >= 3
    assert ticks[-1] - ticks[0] > 0.8


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("print('ERROR: no such thing'); status = 1\n", "ERROR: no such thing"),
        (
            "print('0 errors', flush=True); print('all well', flush=True); os._exit(3)\n",
            "ended with 3, its last line: all well",
        ),
        ("os._exit(3)\n", "ended with 3, it printed nothing"),
        ("os.kill(os.getpid(), 9)\n", "killed by SIGKILL, it printed nothing"),
        ("raise ValueError('odd')\n", "ValueError: odd"),
    ],
)
def test_a_failure_is_one_line_that_names_the_log(
    tmp_path: Path, code: str, complaint: str
) -> None:
    with pytest.raises(FlowError) as error:
        tool.run(code, [], tmp_path, tmp_path / "a.log")
    assert str(error.value) == f"{complaint} (log: {tmp_path / 'a.log'})"


@pytest.mark.parametrize("said", ["error: a file is not there", "No space left on device"])
def test_a_full_disk_is_called_that(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool whose file was cut complains of the file."""
    if said.startswith("error"):
        full = SimpleNamespace(f_bavail=1, f_frsize=4096, f_files=0, f_favail=0, f_flag=0)
        monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        tool.run(f"print({said!r}); status = 1\n", [], tmp_path, tmp_path / "log")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(tmp_path)


def test_a_failing_yosys_command_is_a_failure_here(tmp_path: Path) -> None:
    with pytest.raises(FlowError, match="no_such_command"):
        tool.run(tool.YOSYS, ["no_such_command"], tmp_path, tmp_path / "log")


def test_nobody_waits_for_a_proof_that_nobody_looks_at(tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(
        "module m(input [3:0] a, b, output y); assign y = ^(a & b); endmodule"
    )
    log = tmp_path / "log"
    tool.run(tool.YOSYS, ["read_verilog m.v", "synth_ecp5 -top m"], tmp_path, log)
    assert "&write" in log.read_text()  # ABC9 has mapped
    assert "&verify" not in log.read_text()


def test_time_runs_out_and_the_process_is_gone(tmp_path: Path) -> None:
    with pytest.raises(TimeIsUp, match="not done in 1 s"):
        tool.run(SLEEP, [], tmp_path, tmp_path / "log", None, 1.0)
    assert gone(int((tmp_path / "pid").read_text()))


def test_whoever_watches_can_end_it(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def watch(line: str) -> None:
        raise Enough(line)

    with pytest.raises(Enough, match="started"):
        tool.run(SLEEP, [], tmp_path, tmp_path / "log", watch)
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_process_ends_with_its_caller(tmp_path: Path, how: signal.Signals) -> None:
    caller = f"""
import pathlib, signal
from ecsm.backend import tool
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
here = pathlib.Path({str(tmp_path)!r})
tool.run({SLEEP!r}, [], here, here / "log")
"""
    process = subprocess.Popen([sys.executable, "-c", caller], stderr=subprocess.DEVNULL)
    for _ in range(200):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
        time.sleep(0.05)
    process.send_signal(how)
    assert process.wait(20) != 0
    assert gone(int((tmp_path / "pid").read_text()))
