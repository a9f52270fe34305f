# SPDX-License-Identifier: Apache-2.0
"""Folders that cannot be written to, named or not: one line before the work, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm import files
from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from tests.cli.test_cli import TOY

NOWHERE = Path("/proc/ecsm")
"""Access is granted there to root, and yet no file can be made."""

needs_proc = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="of /proc")

BY_DEFAULT = (
    ("build", TOY),
    ("bitstream", "word-p256", "--board", "ulx3s-85f"),
    ("explore", "--curve", "sect163r2"),
    ("demo", "live", "--preset", TOY),
)
"""Commands that write to a place in the current folder unless one is named."""


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A file where a folder would have to be."""
    file = tmp_path / "blocked"
    file.touch()
    return file


@needs_proc
@pytest.mark.parametrize("path", [NOWHERE, NOWHERE / "further"])
def test_a_folder_that_can_not_be_made_is_known_before(path: Path) -> None:
    with pytest.raises(OSError, match=str(path)):
        files.check_folder(path)
    with pytest.raises(OSError, match=str(path)):
        files.check_writable(path)


def test_the_look_leaves_nothing(tmp_path: Path) -> None:
    files.check_folder(tmp_path / "new" / "one")
    files.check_writable(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    ["build toy7-fast -o", "bitstream toy7-fast --board ulx3s-85f -o", "synth toy7-fast --results",
     "explore --curve toy7a -o", "demo echeque --preset toy7-fast --data"],
)  # fmt: skip
def test_a_folder_is_no_stream(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "-"]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "ecsm: a folder cannot be standard output: ./- is one of that name"
    assert list(tmp_path.iterdir()) == []


@needs_proc
def test_a_bitstream_for_nowhere_is_refused_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    out = str(NOWHERE / "y")
    assert main(["bitstream", "word-p256", "--board", "ulx3s-85f", "-o", out]) == USAGE
    assert capsys.readouterr().err.startswith(f"ecsm: {out}: ")


def test_results_that_cannot_be_kept_are_a_wrong_call(
    blocked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    assert main(["synth", TOY]) == USAGE
    folder = blocked / "ecsm" / "results"
    told = f"ecsm: {folder}: Not a directory: --results can name another folder\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("synth toy7-small", "synth/toy7-small.ecp5.json"),
        ("synth toy7-small-full --countermeasures", "countermeasures/toy7-small-full.json"),
        ("leak toy7-small --traces 4096", "leak/toy7-small.scalar.json"),
        ("fault toy7-small --count 4", "fault/toy7-small.flip.json"),
        ("prove toy7-small", "prove/toy7-small.json"),
        ("compare --seconds 0.001", "compare.json"),
        ("energy", "energy.json"),
    ],
)
def test_a_folder_in_the_place_of_a_result_is_a_wrong_call(
    words: str, kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / kept).mkdir(parents=True)
    assert main([*words.split(), "--results", str(tmp_path)]) == USAGE
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert lines[-1] == f"ecsm: {tmp_path / kept}: Is a directory"
    assert not out
    assert words.startswith("synth") or len(lines) == 1, "it is told after the work"


def test_a_file_in_the_place_of_a_folder_of_results_is_a_wrong_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "synth").touch()
    assert main(["synth", "toy7-small", "--results", str(tmp_path)]) == USAGE
    assert capsys.readouterr().err.endswith("toy7-small.ecp5.json: Not a directory\n")


@pytest.mark.parametrize("command", BY_DEFAULT, ids=lambda command: command[0])
def test_the_place_that_is_not_named_is_looked_at_before(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").touch()
    (tmp_path / f"live-{TOY}.html").mkdir()
    assert main(command) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(("ecsm: build/", f"ecsm: live-{TOY}.html: ")), line


@pytest.mark.parametrize("command", [("kp", "--preset", TOY), ("prove", "toy7-small")])
def test_a_cache_that_cannot_be_made_is_named_and_how_to_have_another(
    command: tuple[str, ...],
    blocked: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(blocked / "cache"))
    assert main(command) == FAILED
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"ecsm: the cache cannot be in {blocked / 'cache'}: Not a directory;"
        " ECSM_CACHE can name another folder"
    )


@pytest.mark.parametrize("flags", [("--all",), ("--toys",)])
def test_columns_do_not_touch(flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *flags]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    at = head.index("curve")
    assert {row[at - 1] for row in rows if not row.startswith(("toy presets", "those"))} == {" "}
