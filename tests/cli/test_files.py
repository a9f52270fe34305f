# SPDX-License-Identifier: Apache-2.0
"""What commands write: whole or not at all, a secret its owner's alone, no file twice."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm import files
from ecsm.cli import main
from ecsm.cli.common import FAILED, NO_NAME, USAGE
from ecsm.cores import store
from tests.cli.test_cli import ROOT, TOY, ecsm

KEYGEN = ("keygen", "--curve", "sect163r2", "--preset", "b163-small")
PRIVATE, PUBLIC = "PRIVATE KEY", "PUBLIC KEY"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_key_on_an_existing_file_is_its_owners_alone(here: Path) -> None:
    target, link = here / "k.pem", here / "link.pem"
    target.write_text("old")
    target.chmod(0o644)
    os.link(target, here / "other name")
    link.symlink_to("k.pem")
    assert main([*KEYGEN, "-o", "link.pem", "--public", "k.pub"]) == 0
    assert link.is_symlink()
    assert PRIVATE in target.read_text()
    assert mode(target) == 0o600
    assert (here / "other name").read_text() == "old"  # who had it open, has not the key
    assert mode(here / "k.pub") == 0o666 & ~_umask()
    assert sorted(p.name for p in here.iterdir()) == ["k.pem", "k.pub", "link.pem", "other name"]


def _umask() -> int:
    now = os.umask(0o022)
    os.umask(now)
    return now


def test_a_file_that_is_no_secret_keeps_its_permissions(here: Path) -> None:
    target = here / "s.svg"
    target.touch(0o600)
    assert main(["schedule", TOY, "--svg", "s.svg"]) == 0
    assert mode(target) == 0o600
    assert "<svg" in target.read_text()


@pytest.mark.parametrize(
    ("public", "exists"),
    [("hard", True)]
    + [(p, e) for p in ("k.pem", "./k.pem", "soft", "folder/../k.pem") for e in (True, False)],
)
def test_two_outputs_are_two_files(
    public: str, exists: bool, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "folder").mkdir()
    if exists:
        (here / "k.pem").write_text("old")
        os.link("k.pem", "hard")
    (here / "soft").symlink_to("k.pem")
    assert main([*KEYGEN, "-o", "k.pem", "--public", public]) == USAGE
    assert capsys.readouterr().err == f"ecsm: k.pem and {public} are the same file\n"
    assert (here / "k.pem").exists() == exists
    assert not exists or (here / "k.pem").read_text() == "old"


@pytest.mark.parametrize(
    ("passphrase", "outputs"),
    [("words", ("-o", "words")), ("words", ("-o", "k.pem", "--public", "./words")),
     ("soft", ("-o", "words")), ("words", ("-o", "hard", "--force"))],
)  # fmt: skip
def test_a_passphrase_is_not_replaced_by_the_key_that_it_opens(
    passphrase: str, outputs: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "words").write_text("open sesame\n")
    (here / "soft").symlink_to("words")
    os.link("words", "hard")
    assert main([*KEYGEN, "--passphrase-file", passphrase, *outputs]) == USAGE
    assert "are the same file" in capsys.readouterr().err
    assert (here / "words").read_text() == "open sesame\n"
    assert not (here / "k.pem").exists()


def test_a_passphrase_on_standard_input_is_not_replaced(here: Path) -> None:
    (here / "words").write_text("open sesame\n")
    for out, code in (("words", USAGE), ("k.pem", 0)):
        command = [sys.executable, "-m", "ecsm", *KEYGEN, "--passphrase-file", "-", "-o", out]
        with (here / "words").open() as words:
            done = subprocess.run(
                command, stdin=words, capture_output=True, check=False,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        assert done.returncode == code, done.stderr
    assert (here / "words").read_text() == "open sesame\n"


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/proc/self/fd/1"])
def test_a_picture_on_standard_output_is_all_that_is_there(name: str) -> None:
    done = ecsm("schedule", TOY, "--svg", name)
    assert done.returncode == 0, done.stderr
    assert ElementTree.fromstring(done.stdout).tag.endswith("svg")  # nothing is behind it
    assert "cycles" in done.stderr
    done = ecsm("schedule", TOY, "--svg", name, "--json")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr == f"ecsm: --json, on standard output, and {name} are the same file\n"


@pytest.mark.parametrize("secret", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_capsule_and_its_secret_do_not_go_the_same_way(
    secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["encap", "--to", "none.pub", "--secret", secret]) == USAGE
    assert "are the same file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "why"),
    [("none/k.pem", "No such file or directory"), ("folder", "Is a directory"),
     ("new/", "Is a directory"), ("file/k.pem", "Not a directory"),
     ("", NO_NAME), ("loop", "Too many levels of symbolic links"),
     ("x" * 300, "File name too long"), ("/proc/k.pem", "No such file or directory")],
)  # fmt: skip
def test_an_output_that_cannot_be_is_refused_before_the_work(
    path: str, why: str, here: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (here / "folder").mkdir()
    (here / "file").touch()
    (here / "loop").symlink_to("loop")
    monkeypatch.setattr("ecsm.cli.keys._keygen", lambda _: pytest.fail("it was begun"))
    assert main([*KEYGEN, "-o", path]) == USAGE
    assert capsys.readouterr().err == (f"ecsm: {path}: {why}\n" if path else f"ecsm: {why}\n")


def test_a_folder_without_permission_is_refused_before_the_work(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "folder").mkdir()
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "folder")
    monkeypatch.setattr(store, "path", lambda _: here / "folder" / "x.json")
    for args in (
        [*KEYGEN, "-o", "folder/k.pem"], ["synth", TOY, "--results", "folder/new"],
        ["pnr", TOY, "--results", "folder"], ["solve", TOY],
        ["explore", "--curve", "sect163r2", "-o", "folder/x/y"],
        ["demo", "live", "-o", "folder/page.html"],
    ):  # fmt: skip
        assert main(args) == (FAILED if args[0] == "solve" else USAGE)  # solve has no such option
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith(": Permission denied")


def test_a_file_may_replace_what_was_read(here: Path) -> None:
    Path("m").write_bytes(b"message")
    assert main([*KEYGEN, "-o", "k.pem"]) == 0
    assert main(["sign", "--preset", "b163-small", "--key", "k.pem", "-o", "m", "m"]) == 0
    assert Path("m").read_bytes()[:1] == b"\x30"


def test_what_is_no_file_is_written_to(here: Path) -> None:
    fifo = here / "fifo"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    files.replace(fifo, b"secret", secret=True)
    reader.join(10)
    assert read == [b"secret"]
    files.replace("/dev/null", b"secret", secret=True)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_a_file_that_is_standard_output_is_written_on(name: str, here: Path) -> None:
    """The shell has it open, and others write before and after."""
    (here / "link").symlink_to("/dev/stdout")
    code = f"from ecsm import files; files.replace({name!r}, b'two\\n', secret=True)"
    run = f'(echo one; {sys.executable} -c "{code}"; echo three) > out'
    subprocess.run(run, shell=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (here / "out").read_text() == "one\ntwo\nthree\n"


class Interrupt(BaseException):
    pass


@pytest.mark.parametrize("error", [Interrupt, OSError, KeyboardInterrupt])
def test_what_is_interrupted_leaves_the_old_file(
    error: type[BaseException], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "k").write_text("old")

    def fail(*_: object) -> None:
        raise error

    def half() -> None:
        with files.replacing("k") as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        half()
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(error):
        files.replace("k", b"new")
    assert [(p.name, p.read_text()) for p in here.iterdir()] == [("k", "old")]


# Python keeps what it compiled even where a limit cuts it, and can then import it nowhere.
LIMITED = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_full_disk_leaves_the_old_file(here: Path) -> None:
    """A limit on the size of files stands for a disk that is full."""
    (here / "k").write_text("old")
    code = (
        "import resource, signal; from ecsm import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "files.replace('k', bytes(100000))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=LIMITED,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "File too large" in done.stderr
    assert [(p.name, p.read_text()) for p in here.iterdir()] == [("k", "old")]


def test_a_full_disk_is_named_by_a_build(here: Path) -> None:
    limited = "import resource, signal, sys; from ecsm.cli import main\n"
    limited += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limited += f"sys.exit(main(['build', '{TOY}', '-o', 'core']))"
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True,
                          env=LIMITED, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (FAILED, "ecsm: core: File too large\n")
    assert list(here.iterdir()) == []


def test_schedules_and_results_are_replaced_the_same_way(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No name beside them can be foreseen: nobody can put a link there."""
    monkeypatch.setitem(store._elsewhere, TOY, here)
    opened: list[int] = []
    original = os.open

    def watched(path: str, flags: int, *more: int) -> int:
        if flags & os.O_CREAT:
            opened.append(flags & os.O_EXCL)
        return original(path, flags, *more)

    schedule = store.design("toy7-two").schedule
    monkeypatch.setattr("os.open", watched)
    store._write(TOY, schedule.to_json())
    assert opened == [os.O_EXCL]
    assert [p.name for p in here.iterdir()] == [f"{TOY}.json"]


def test_a_user_without_a_home_is_told_which_option_to_give(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", none)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert main(["demo", "echeque"]) == USAGE
    assert capsys.readouterr().err == "ecsm: no home directory: --data has to name a folder\n"


def test_a_picture_that_finds_no_room_is_told() -> None:
    done = ecsm("schedule", TOY, "--svg", "/dev/full")
    assert (done.returncode, done.stderr) == (FAILED, "ecsm: /dev/full: No space left on device\n")


def test_a_pipe_that_nobody_reads_any_more_loses_a_result(here: Path) -> None:
    """A text that nobody reads on is no error, a result that nobody has is one."""
    code = (
        "import argparse, sys\nfrom ecsm.cli import app, files, keys\n"
        "keys._keygen = lambda args: files.write(args.out, b'secret', secret=True) or 0\n"
        "sys.exit(app.main(['keygen', '-o', sys.argv[1]]))"
    )
    for name in ("-", "/dev/stdout"):
        near, far = os.pipe()
        os.close(near)
        with os.fdopen(far, "wb") as out:
            done = subprocess.run(
                [sys.executable, "-c", code, name], stdout=out, stderr=subprocess.PIPE, text=True,
                check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        named = "standard output" if name == "-" else name
        assert done.stderr == f"ecsm: {named}: its reader has gone, the result is lost\n"
        assert done.returncode == FAILED


@pytest.mark.parametrize(
    "command",
    [
        ["sign", "--key", "no\nsuch.pem", "-o", "signature", "message"],
        ["keygen", "--curve", "P-256", "-o", "no\nsuch/key.pem"],
        ["decrypt", "--scheme", "ecies", "--key", "a\r\x1b[2Jb", "-o", "out", "message"],
        ["build", "toy7-fast", "-o", "no\u2028such\x00/x"],
        ["kp", "--preset", "word-prime:a\nb.toml"],
    ],
)
def test_a_name_with_a_line_end_is_told_in_one_line(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ecsm: ")
    assert line.isprintable()
