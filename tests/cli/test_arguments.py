# SPDX-License-Identifier: Apache-2.0
"""Odd values of every option of every command: usage and one line, exit code 2, no traceback."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm.cli import main, parser
from ecsm.cli.common import NO_NAME, USAGE
from ecsm.cli.files import octets

ODD = ("--", "", "-", "x" * 100_000, "\udcff\udc80", "\u0663", "-1", "1e999", "nan", "\n", "é",
       "9" * 5000, "0x" + "f" * 5000)  # fmt: skip


def commands() -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """Yield every command, with its parser."""
    todo: list[tuple[list[str], argparse.ArgumentParser]] = [([], parser())]
    while todo:
        words, p = todo.pop()
        groups = [a for a in p._actions if isinstance(a, argparse._SubParsersAction)]
        if not groups:
            yield words, p
        for group in groups:
            todo += [([*words, name], sub) for name, sub in group.choices.items()]


ALL = {" ".join(words): p for words, p in commands()}


@pytest.mark.parametrize("command", sorted(ALL))
@pytest.mark.parametrize("odd", ODD, ids=lambda text: ascii(text)[:12])
def test_an_odd_value_is_refused_or_read(
    command: str, odd: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command itself is not run: what the parser lets pass has been read as one value."""
    p, seen = ALL[command], list[argparse.Namespace]()

    def stop(args: argparse.Namespace) -> None:
        seen.append(args)
        raise _Stopped

    monkeypatch.setattr("ecsm.cli.app.check_outputs", stop)
    for action in p._actions:
        if not action.option_strings or action.nargs == 0:
            continue
        others = [
            word
            for other in p._actions
            if other is not action and (other.required and other.option_strings)
            for word in (other.option_strings[0], "x")
        ]
        places = [
            next(iter(other.choices or ["1"]))
            for other in p._actions
            if not other.option_strings and other.nargs in (None, "+")
        ]
        argv = [*command.split(), *others, f"{action.option_strings[-1]}={odd}", *places]
        try:
            code = main(argv)
        except SystemExit as ended:
            code = int(str(ended.code))
        except _Stopped:
            assert getattr(seen[-1], action.dest) != [], argv
            continue
        assert code == USAGE, argv
        said = capsys.readouterr()
        assert not said.out
        assert said.err.splitlines()[-1].startswith(
            ("ecsm ", "ecsm: standard input is only", f"ecsm: {NO_NAME}")
        )


class _Stopped(BaseException):
    """No exception of the command's own: `ecsm verify` answers those with 2."""


@pytest.mark.parametrize(
    "argv",
    [["kp", "--k=--"], ["kp", "--preset=--"], ["schedule", "\udcff"], ["schedule", "x" * 100_000],
     ["list", "--curve", "\udcff"], ["list", "--curve=--"], ["kp", "--preset", "toy7-fast",
      "--k", "1", "--point=--"], ["kp", "--preset", "toy7-fast", "--k", "1", "--point=\udcff,1"],
     ["explore", "--curve=--"], ["synth", "\udcff"], ["units", "\udcff"], ["pnr", ""],
     ["schedule", "--", "--"], ["list", "a\0b"], ["serve", "--key=--",
      "--socket", "x"], ["demo", "--preset=--"], ["build", "\n"], ["lint", "\n"],
     ["encrypt", "--to", "none", "--scheme=--"]],
    ids=lambda argv: ascii(" ".join(argv))[:40],
)  # fmt: skip
def test_what_is_no_name_exits_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(argv)
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == USAGE
    assert capsys.readouterr().err.splitlines()[-1].startswith(("ecsm: ", f"ecsm {argv[0]}: "))


@pytest.mark.parametrize("command", ["leak toy7-fast", "fault toy7-fast", "explore --curve toy7a"])
@pytest.mark.parametrize("address", ["foo", "", ":1", "tcp://h:0", "h:65536", "h:1 ", "tcp:/h:1"])
def test_what_is_no_cluster_exits_2(
    command: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), f"--scheduler={address}"])
    assert ended.value.code == USAGE
    assert "no address of a cluster" in capsys.readouterr().err


@pytest.mark.parametrize("vary", ["scalar", "point"])
def test_traces_of_a_core_with_two_programs_exit_2(
    vary: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They ended with 1, after the work, for jobs that take other cycles."""
    assert main(["leak", "toyp8-b", "--traces", "512", "--vary", vary]) == USAGE
    assert "a program for kG beside kP" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["build toy7-fast -o", "schedule toy7-fast --svg", "synth toy7-fast --results",
     "demo live --preset toy7-fast -o", "demo echeque --data", "explore --curve toy7a -o",
     "sign --key", "sign --key k --passphrase-file", "verify --key k --signature",
     "verify --signature s --key", "encap --secret s --to", "keygen -o", "keygen --public",
     "sign --key k", "soc boot --public k", "synth toy7-fast --liberty",
     "bitstream word-p256 --board ulx3s-85f -o"],
)  # fmt: skip
def test_an_empty_name_is_no_file(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As of a variable without a value: the current folder, or a default, is not meant."""
    try:
        code = main([*command.split(), ""])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == USAGE
    assert capsys.readouterr().err.splitlines()[-1].endswith(NO_NAME)


@pytest.mark.parametrize(
    ("command", "demo"),
    [("demo --message x", "ecies"), ("demo live --message x", "ecies"),
     ("demo --port 0", "echeque"), ("demo kp --device soc", "echeque"),
     ("demo live --data x", "echeque"), ("demo ecies --k 0", "live"), ("demo -o x", "live")],
)  # fmt: skip
def test_an_option_of_another_demonstration_is_refused(
    command: str, demo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == USAGE
    assert capsys.readouterr().err.endswith(f" is of ecsm demo {demo}\n")


def test_an_argument_is_the_octets_that_were_typed() -> None:
    assert octets("\udcff") == b"\xff"
    assert octets("é") == "é".encode()


def test_an_empty_socket_is_none_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ECSM_SOCKET", "/no/such/folder/socket")
    assert main(["serve", "--unprotected", "--preset", "b163-small", "--socket", ""]) == USAGE
    assert "--socket PATH" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["serve --socket s --preset", "build --schemes -o out"])
def test_a_core_without_schemes_is_told_so(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not which core protects its keys: that one has none either."""
    assert main([*command.split(), "toy7-fast"]) == USAGE
    assert capsys.readouterr().err.startswith("ecsm: toy7a is too small for schemes: ")


def test_a_live_picture_goes_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "live", "--preset", "toy7-fast", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.rstrip().endswith(b"</html>")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "end"),
    [("word-p256", "; word-p256-none has one"), ("b163-small-full", "; b163-small has one"),
     ("x25519-throughput", "without protection")],
)  # fmt: skip
def test_a_core_without_a_live_picture_names_one_that_has(
    name: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "live", "--preset", name]) == USAGE
    assert capsys.readouterr().err.endswith(f"{end}\n")


def test_unprotected_is_of_schemes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["build", "toy7-fast", "--unprotected"]) == USAGE
    assert "--unprotected is of --schemes" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", ["", " --engines 2"])
def test_bench_keeps_no_presets_by_name(
    more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"bench toy7-fast{more} --results {tmp_path}"
    assert main(words.split()) == USAGE
    assert "--results is of the chosen few" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--wide"], "word-p256 has no SHA-384 and no SHA-512"),
        (["--unprotected", "--preset", "toyp8-b"], "toyp8a is too small for schemes"),
        (["--unprotected", "--preset", "x25519"], "curve25519 is no Weierstrass curve"),
    ],
)
def test_a_machine_that_cannot_be_is_refused_before_its_server_listens(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--socket", str(tmp_path / "s"), *words]) == USAGE
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", sorted(ALL))
def test_a_name_that_is_given_twice_is_taken_once(command: str) -> None:
    """``ecsm bench X X`` measured the same twice."""
    for action in ALL[command]._actions:
        if action.nargs in ("*", "+") and not action.option_strings and action.dest != "more":
            argv = [*command.split(), "b", "a", "b"]
            assert getattr(parser().parse_args(argv), action.dest) == ["b", "a"]
