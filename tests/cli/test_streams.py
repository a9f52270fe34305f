# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full, or in another encoding: one line, the right exit code."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.strength import only_compatible
from ecsm.schemes.encoding import public_pem
from tests.cli.test_cli import ROOT, TOY
from tests.schemes.key_files import key_of

KEYGEN = "keygen --curve sect163r2 --preset b163-small"
TOLD = f"ecsm: {only_compatible(curve('sect163r2'))}\n"  # by a keygen that has made a key
MEMORY_KB = 400_000  # that a command may have


def shell(command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a shell's line, in which ecsm is the command; its buffers are those of a user."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["sh", "-c", f'ecsm() {{ "{sys.executable}" -m ecsm "$@"; }}; {command}'],
        capture_output=True, text=True, errors="replace", check=False, timeout=200,
        env={**env, "PYTHONPATH": str(ROOT), **more},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize(
    "command",
    ["list", "list --json", f"schedule {TOY}", "--help", "list --help", "--version",
     f"kp --preset {TOY} --k 1", f"{KEYGEN}", f"{KEYGEN} -o -", f"{KEYGEN} -o /dev/full"],
)  # fmt: skip
def test_an_output_that_is_full_fails(command: str) -> None:
    done = shell(f"ecsm {command} >/dev/full")
    where = "/dev/full" if "/dev/full" in command else "standard output"
    *progress, last = done.stderr.splitlines()
    assert (done.returncode, last) == (1, f"ecsm: {where}: No space left on device")
    assert all(line.startswith(("translating", "compiling")) for line in progress)


@pytest.mark.parametrize(
    "command", [KEYGEN, f"{KEYGEN} -o -", "encap --to x --secret y", "decap --key x"]
)
def test_a_result_that_would_be_nowhere_is_not_computed(command: str) -> None:
    done = shell(f"ecsm {command} >&-")
    assert done.returncode == 2
    assert done.stderr == "ecsm: standard output is closed: name a file\n"


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_errors_that_nobody_reads_change_no_exit_code(redirect: str) -> None:
    for command, code in (
        ("list", 0), ("nonsense", 2), ("schedule nonsense", 2), ("schedule", 2),
        (f"kp --preset {TOY} --k 1 --point 1,2", 1),
    ):  # fmt: skip
        assert shell(f"ecsm {command} {redirect}").returncode == code, command


@pytest.mark.parametrize(
    "command",
    ["sign --key k.pem -o s", "soc run hello --input", "verify --key - --signature x k.pem"],
)
def test_an_input_that_is_closed_is_one_line(command: str, tmp_path: Path) -> None:
    compiled = f"ecsm {KEYGEN} -o k.pem && echo | ecsm sign --key k.pem -o compiled"
    assert shell(f"cd {tmp_path}; {compiled}").returncode == 0
    done = shell(f"cd {tmp_path}; ecsm {command} <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("ecsm: ")
    assert "standard input is closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("command", "code"),
    [("verify --key k.pub --signature s long", 0), ("sign --key k.pem -o t long", 0),
     ("decap --key k.pem long", 2), ("decap --key k.pem /dev/zero", 2),
     ("soc run hello --input </dev/zero", 1)],
)  # fmt: skip
def test_an_input_may_be_longer_than_the_memory(command: str, code: int, tmp_path: Path) -> None:
    """The exit code said that the signature of such a file is invalid."""
    with (tmp_path / "long").open("wb") as file:
        file.truncate(MEMORY_KB << 10)
    keys = f"cd {tmp_path}; ecsm {KEYGEN} -o k.pem --public k.pub"
    done = shell(
        f"{keys} && ecsm sign --key k.pem -o s long && ulimit -v {MEMORY_KB} && ecsm {command}"
    )
    assert done.returncode == code, done.stderr
    assert done.stdout == ("valid\n" if command.startswith("verify") else "")
    assert done.stderr.startswith(TOLD)
    assert len(done.stderr.removeprefix(TOLD).splitlines()) == (code > 0)


def test_no_file_takes_the_place_of_a_stream_that_is_closed(tmp_path: Path) -> None:
    """What is printed would go into the key."""
    done = shell(f"cd {tmp_path}; ecsm {KEYGEN} -o k.pem --cycles <&- >&- 2>&-")
    assert done.returncode == 0
    assert shell(f"openssl pkey -in {tmp_path}/k.pem -check -noout").returncode == 0


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_leaves_is_no_error(reader: str) -> None:
    for command in ("list --json", "--help"):
        done = shell(f"(ecsm {command}; echo $? >&2) | {reader}")
        assert done.stderr == "0\n"


def test_a_key_that_its_reader_left_to_nobody_is_an_error() -> None:
    assert shell(f"ecsm {KEYGEN} >/dev/null").returncode == 0  # compiled, if it was not
    done = shell(f"(ecsm {KEYGEN}; echo $? >&2) | true")
    assert done.stderr == "ecsm: standard output: its reader has gone, the result is lost\n1\n"
    assert shell(f"(ecsm {KEYGEN}; echo $? >&2) | head -1").stderr == TOLD + "0\n"


@pytest.mark.parametrize("settings", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_verdict_that_nobody_reads_is_in_the_exit_code(
    settings: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "k.pub").write_bytes(public_pem(key_of("sect163r2")))
    (tmp_path / "s").write_bytes(b"no signature")
    command = f"cd {tmp_path}; ecsm verify --key k.pub --signature s k.pub"
    assert shell(f"({command}; echo $? >&2) | true", **settings).stderr == "1\n"
    full = shell(f"{command} >/dev/full", **settings)
    assert full.returncode == 2  # it is said to nobody who asks for it
    assert "No space left on device" in full.stderr


@pytest.mark.parametrize(
    "settings",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"},
     {"LANG": "tr_TR", "LC_ALL": "tr_TR"}, {"PYTHONIOENCODING": "iso8859-9"}],
)  # fmt: skip
def test_what_an_encoding_lacks_is_an_escape(settings: dict[str, str]) -> None:
    for command, shown in (
        ("list --toys", TOY), ("schedule toy107-halving", "cycles"),
        ("list --curve 'Güneysu'", "no curve"), ("schedule '日本'", "no preset"),
        ("demo ecies --preset b163-small --message 'é日€'", "equal"),
        ("info --preset toyp8-a", "toyp8"),
    ):  # fmt: skip
        done = shell(f"ecsm {command}", **settings)
        assert shown in done.stdout + done.stderr, command
        assert done.returncode in (0, 2)


def test_markup_in_a_message_is_text() -> None:
    done = shell("ecsm demo ecies --preset b163-small --message '[/red][bold]'")
    assert done.returncode == 0
    assert "[/red][bold]" in done.stdout


@pytest.mark.parametrize("settings", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize("out", ["", "-o /dev/stdout"])
def test_a_result_is_written_to_its_end_or_the_command_fails(
    settings: dict[str, str], out: str, tmp_path: Path
) -> None:
    """A write may take less than it is given; an unbuffered stream of Python drops the rest."""
    (tmp_path / "message").write_bytes(bytes(2048))
    encrypt = "encrypt --to k.pub --preset b163-small message"
    begin = f"cd {tmp_path}; ecsm {KEYGEN} -o k.pem --public k.pub"
    # Python keeps what it compiled even where the limit cuts it.
    limited = "ulimit -f 2; export PYTHONDONTWRITEBYTECODE=1"
    done = shell(f"{begin}; ({limited}; ecsm {encrypt} {out}) >sealed", **settings)
    assert (tmp_path / "sealed").stat().st_size < 2048
    assert (done.returncode, done.stderr.count("File too large")) == (1, 1)
    assert shell("ecsm --version >/dev/full", **settings).returncode == 1


def test_a_parent_that_ignores_its_children_hides_no_status(tmp_path: Path) -> None:
    """It hands down that it ignores SIGCHLD: then no status of a tool would come."""
    ignoring = f'"{sys.executable}" -c "import os, signal, sys; signal.signal(signal.SIGCHLD,'
    ignoring += ' signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"'
    command = f'{ignoring} "{sys.executable}" -m ecsm kp --preset toy5-serial --k 1'
    done = shell(command, ECSM_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout[:4]) == (0, "x = "), done.stderr


def without_waiting(descriptor: int) -> int:
    """Let reads and writes of a descriptor fail where they would wait; return it."""
    os.set_blocking(descriptor, False)
    return descriptor


@pytest.mark.parametrize("settings", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_an_input_that_does_not_block_is_read_to_its_end(
    settings: dict[str, str], tmp_path: Path
) -> None:
    """What is there at first is not the whole message."""
    command = [sys.executable, "-m", "ecsm"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    begin = f"cd {tmp_path}; ecsm {KEYGEN} -o k.pem --public k.pub"
    assert shell(begin).returncode == 0
    for first in (b"pay ", b""):
        source, sink = os.pipe()
        os.write(sink, first)
        child = subprocess.Popen(
            [*command, "sign", "--key", "k.pem", "--preset", "b163-small", "-o", "s"],
            stdin=without_waiting(source), stderr=subprocess.PIPE, cwd=tmp_path, env=env,
        )  # fmt: skip
        os.close(source)
        try:
            child.wait(3)  # longer than it is until it reads
        except subprocess.TimeoutExpired:
            os.write(sink, b"the bearer")
        os.close(sink)
        assert child.communicate(timeout=100)[1] == b""
        assert child.returncode == 0
        (tmp_path / "message").write_bytes(first + b"the bearer")
        verify = "openssl dgst -sha256 -verify k.pub -signature s message; rm s"
        assert shell(f"cd {tmp_path}; {verify}").stdout == "Verified OK\n"


@pytest.mark.parametrize("settings", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_an_output_that_does_not_block_gets_everything(settings: dict[str, str]) -> None:
    """Its reader begins late, when the pipe is full."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    source, sink = os.pipe()
    fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, 4096)
    command = [sys.executable, "-m", "ecsm", "list", "--all", "--json"]
    with subprocess.Popen(command, stdout=without_waiting(sink), env=env) as child:
        os.close(sink)
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(4)
        with os.fdopen(source, "rb") as file:
            assert len(json.load(file)) > 50
    assert child.returncode == 0
