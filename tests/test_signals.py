# SPDX-License-Identifier: Apache-2.0
"""A signal ends a command as it says, whatever it breaks into, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ecsm.signals import held_back, scratch

ENDS = {signal.SIGINT: (130, "ecsm: interrupted\n"), signal.SIGTERM: (143, "ecsm: terminated\n")}

# A signal in each of 30 pieces of the time that the registers of a block take.
_REGISTERS = """
import signal, sys, time
from ecsm.hdl.registers import core_registers, register_map
from ecsm.presets.table import any_preset
def raised(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, raised)
signal.signal(signal.SIGINT, raised)
r = core_registers(any_preset("toy7-small"))
whole = register_map.__wrapped__(r)
start = time.monotonic()
register_map.__wrapped__(r)
took = time.monotonic() - start
import os, threading
for i in range(1, 31):
    timer = threading.Timer(took * i / 31, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        found = register_map.__wrapped__(r)
        timer.join()
    except KeyboardInterrupt:
        timer.join()
        print("interrupted")
    except Exception as error:
        timer.join()
        print(type(error).__name__, error)
    else:
        print("no signal came")
"""


def test_an_interrupt_of_the_registers_compiler_is_one() -> None:
    """Its parser calls Python from native code, which takes no notice of what is raised there."""
    done = subprocess.run(
        [sys.executable, "-c", _REGISTERS], capture_output=True, text=True, check=False
    )
    said = done.stdout.splitlines()
    assert len(said) == 30, done.stderr
    assert set(said) <= {"interrupted", "no signal came"}
    assert said.count("interrupted") > 10


def test_nothing_is_loaded_before_an_interrupt_is_caught() -> None:
    """Each module takes time, in which Python's own traceback would answer."""
    code = "import sys; had = {*sys.modules}; import ecsm.cli; print(*{*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.partition(".")[0] != "__editable__"}
    assert loaded == {"ecsm", "ecsm.cli"}


@pytest.mark.parametrize("number", ENDS, ids=lambda number: signal.Signals(number).name)
def test_what_a_library_makes_of_a_signal_is_a_signal(number: signal.Signals) -> None:
    code = f"""
import os, sys
from ecsm.cli import core, main
def curves(args):
    try:
        os.kill(os.getpid(), {int(number)})
        while True:
            pass
    except BaseException:
        raise ImportError("half of a library was loaded") from None
core._curves = curves
sys.exit(main(["curves"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == ENDS[number]


_TWICE = """
import os, sys
from ecsm.cli import app, core, main
first, second, twice = map(int, sys.argv[1:])
app.TWICE_S = twice
def curves(args):
    try:
        os.kill(os.getpid(), first)
        while True:
            pass
    finally:
        if twice:
            os.kill(os.getpid(), second)
            print("cleaned up", flush=True)
def tell(text):
    print(text, file=sys.stderr, flush=True)
    os.kill(os.getpid(), second)
core._curves, app.tell = curves, tell
sys.exit(main(["curves"]))
"""


@pytest.mark.parametrize("number", ENDS, ids=lambda number: signal.Signals(number).name)
def test_a_signal_that_comes_twice_ends_a_command_once(number: signal.Signals) -> None:
    """As ``timeout`` sends it: to a process, and to its group. What cleans up is not broken off."""
    done = subprocess.run(
        [sys.executable, "-c", _TWICE, str(int(number)), str(int(number)), "10"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout) == (*ENDS[number], "cleaned up\n")


@pytest.mark.parametrize("number", ENDS, ids=lambda number: signal.Signals(number).name)
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_one_is_answered_is_no_traceback(
    number: signal.Signals, second: signal.Signals
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TWICE, str(int(number)), str(int(second)), "0"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == ENDS[number]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_no_socket(number: signal.Signals, tmp_path: Path) -> None:
    code = f"""
import asyncio, os, sys
from pathlib import Path
from ecsm.cli import core, main
from ecsm.device.server import listening
async def run():
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), {int(number)})
    await asyncio.sleep(60)
def curves(args):
    with listening(Path(sys.argv[1])):
        print(os.listdir(), flush=True)
        asyncio.run(run())
core._curves = curves
sys.exit(main(["curves"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "s"], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (128 + number, "ecsm: terminated\n")
    assert "'s'" in done.stdout
    assert not (tmp_path / "s").exists()


def test_a_folder_is_removed_whole_when_a_signal_comes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tempfile.TemporaryDirectory.cleanup

    def interrupted(made: tempfile.TemporaryDirectory[str]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        real(made)

    def used() -> None:
        with scratch("made.", tmp_path) as folder:
            (folder / "file").write_text("a")
            assert folder.parent == tmp_path

    monkeypatch.setattr(tempfile.TemporaryDirectory, "cleanup", interrupted)
    with pytest.raises(KeyboardInterrupt):
        used()
    assert list(tmp_path.iterdir()) == []


def test_a_signal_is_handled_at_the_end_and_the_handlers_are_back() -> None:
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    done = []

    def held() -> None:
        with held_back():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        held()
    assert done
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with held_back():
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_folder_that_cannot_be_made_is_told_by_the_place_it_is_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as found, scratch("made.", tmp_path / "no"):
        pass
    assert found.value.filename == str(tmp_path / "no")
