# SPDX-License-Identifier: Apache-2.0
"""The command line as a user calls it: every command in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from ecsm import __version__
from ecsm.cli import main
from ecsm.cores import store
from ecsm.curves import curve
from ecsm.device.sim import SimDevice
from ecsm.hdl.farm import LATENCY, TURN
from ecsm.presets.table import preset

ROOT = Path(__file__).parents[2]
TOY = "toy7-fast"
TOY7 = curve("toy7a")
COMMANDS = (
    "list", "kp", "schedule", "solve", "build", "lint", "test", "info", "demo", "bench", "docs",
    "synth", "units", "pnr", "compare", "energy", "explore", "keygen", "pubkey", "sign", "verify",
    "ecdh", "encrypt", "decrypt", "encap", "decap", "schemes", "curves", "serve", "psec", "soc",
    "prove", "agent", "reference", "self-test", "bitstream",
)  # fmt: skip


def ecsm(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``python -m ecsm``; no command may ever show a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def kp(*args: str) -> subprocess.CompletedProcess[str]:
    return ecsm("kp", "--preset", TOY, *args)


def test_version_names_the_version() -> None:
    done = ecsm("--version")
    assert (done.returncode, done.stdout) == (0, f"ecsm {__version__}\n")


def test_help_lists_every_command() -> None:
    done = ecsm("--help")
    assert done.returncode == 0
    assert all(re.search(rf"^    {name}\s", done.stdout, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = ecsm(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: ecsm {command}")


@pytest.mark.parametrize(
    "args",
    [[], ["nonsense"], ["build"], ["schedule"], ["kp", "--preset"], ["list", "extra"],
     ["test", TOY, "--count", "-1"], ["test", TOY, "--count", "many"]],
)  # fmt: skip
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = ecsm(*args)
    assert done.returncode == 2
    assert done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    "args", [["info", "p256-fast"], ["info", "word-dual"], ["kp", "p256-fast", "--k", "7"]]
)
def test_a_preset_where_an_option_is_due_is_told_so(args: list[str]) -> None:
    done = ecsm(*args)
    assert done.returncode == 2
    assert f"did you mean --preset {args[1]}?" in done.stderr


def test_an_argument_too_many_is_not_repeated() -> None:
    for args in (("kp", "0x1234567"), ("list", "p256-fast"), ("schedule", TOY, "b163-fast")):
        done = ecsm(*args)
        assert done.returncode == 2
        assert done.stderr == f"ecsm: an argument too many: see ecsm {args[0]} --help\n"


def test_an_option_that_a_command_has_not_is_named_without_its_value() -> None:
    for args in (["--again"], ["--again=0x1234567"]):
        done = ecsm("synth", "b163-small", *args)
        assert done.returncode == 2
        assert done.stderr == "ecsm: there is no option --again: see ecsm synth --help\n"


@pytest.mark.parametrize("name", ["p256", "P-256", "nist-p256", "secp256r1"])
def test_a_curve_where_a_preset_is_due_names_its_presets(name: str) -> None:
    done = ecsm("info", "--preset", name)
    assert done.returncode == 2
    meant = "that is the curve secp256r1: did you mean p256-fast, p256-fast-full, "
    assert f"there is no preset {name!r}, {meant}" in done.stderr
    assert "guneysu-p256" in done.stderr


@pytest.mark.parametrize("command", ["kp --preset", "schedule", "build", "lint", "test"])
def test_unknown_preset_exits_2_and_names_those_near(command: str) -> None:
    done = ecsm(*command.split(), "b164-fast")
    assert done.returncode == 2
    meant = "did you mean b163-fast, b283-fast or b233-fast? ecsm list --all shows all"
    assert done.stderr == f"ecsm: there is no preset 'b164-fast': {meant}\n"


def test_unknown_preset_like_none_points_to_the_list() -> None:
    complaint = "ecsm: there is no preset '?': ecsm list --all shows all\n"
    assert ecsm("schedule", "?").stderr == complaint


def names(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the presets that a list names."""
    assert done.returncode == 0
    return [line.split()[0] for line in done.stdout.splitlines()[1:]]


def test_list_names_presets_with_cycles_and_what_they_are() -> None:
    done = ecsm("list", "--toys")
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert rows[TOY].split()[1:3] == ["toy7a", "3"]
    assert " 12059  a product in three cycles" in rows["p256-compact"]
    assert TOY not in names(ecsm("list"))


@pytest.mark.parametrize("name", ["P-256", "secp256r1", "nist-p256", "SECP256R1"])
def test_list_is_of_one_curve(name: str) -> None:
    found = names(ecsm("list", "--curve", name))
    assert {"p256-fast", "guneysu-p256"} <= set(found)
    assert not {"k256-fast", "b163-fast", TOY} & set(found)


def test_list_of_a_toy_curve_needs_no_flag() -> None:
    assert TOY in names(ecsm("list", "--curve", "toy7a"))


def test_list_of_an_unknown_curve_exits_2() -> None:
    done = ecsm("list", "--curve", "P-257")
    assert done.returncode == 2
    assert "there is no curve 'P-257': did you mean P-256, " in done.stderr


def test_list_as_json() -> None:
    rows = json.loads(ecsm("list", "--json").stdout)
    toy = next(row for row in rows if row["preset"] == TOY)
    assert toy["curve"] == "toy7a"
    assert toy["cycles"] >= toy["bound"] > 0


@pytest.mark.parametrize("text", ["{}", None])
def test_a_preset_without_a_schedule_is_listed(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setitem(store._elsewhere, TOY, tmp_path)
    if text is not None:
        store.path(TOY).write_text(text, encoding="utf-8")
    assert main(["list", "--curve", "toy7a"]) == 0
    out, err = capsys.readouterr()
    row = next(line for line in out.splitlines() if line.startswith(TOY))
    assert row.split()[-6] == "-"  # before what it is
    assert "toy7-two" not in out
    assert f"run ecsm solve {TOY}" in err


def test_schedule_reports_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "schedule.svg"
    facts = json.loads(ecsm("schedule", TOY, "--json", "--svg", str(picture)).stdout)
    assert facts["preset"] == TOY
    assert "<svg" in picture.read_text()


def test_schedule_as_text_names_its_cycles() -> None:
    done = ecsm("schedule", TOY)
    assert done.returncode == 0
    assert "cycles" in done.stdout


def test_a_picture_that_cannot_be_written_exits_2(tmp_path: Path) -> None:
    done = ecsm("schedule", TOY, "--svg", str(tmp_path / "none" / "x.svg"))
    assert done.returncode == 2
    assert "No such file or directory" in done.stderr


def test_a_current_folder_that_was_removed_is_said(tmp_path: Path) -> None:
    for command in (f"schedule {TOY} --svg x.svg", f"build {TOY} -o x", "serve --socket s"):
        gone = tmp_path / "gone"
        gone.mkdir()
        text = f'cd {gone}; rmdir {gone}; exec "{sys.executable}" -m ecsm {command}'
        done = subprocess.run(
            ["sh", "-c", text], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        where = "s: no socket can be there: ." if "serve" in command else "the current folder"
        assert done.returncode == 2
        assert done.stderr == f"ecsm: {where}: No such file or directory\n"


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    done = ecsm("build", TOY, "-o", folder, env={"PYTHONIOENCODING": "utf-8:strict"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{TOY}: {tmp_path}/\\udcff\n"
    shown = ecsm("demo", "ecies", "--help", env={"PYTHONIOENCODING": "ascii:strict"})
    assert shown.returncode == 0


@pytest.mark.parametrize(
    ("fault", "why"),
    [("MemoryError", "there is not enough memory"),
     ("OSError(24, 'Too many open files')", "Too many open files")],
)  # fmt: skip
def test_a_program_that_cannot_be_loaded_gives_no_verdict(fault: str, why: str) -> None:
    """It is no traceback, and not the exit code of an invalid signature."""
    code = (
        "import sys\n"
        "class Full:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'ecsm.cli.scheme': raise {fault}\n"
        "sys.meta_path.insert(0, Full())\n"
        "from ecsm.cli import main\n"
        "sys.exit(main(['verify', '--key', 'k', '--signature', 's', 'm']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"ecsm: {why}\n")


def test_info_as_json() -> None:
    info = json.loads(ecsm("info", "--preset", TOY, "--json").stdout)
    assert (info["uri"], info["curve"], info["field_bits"]) == (f"sim:{TOY}", "toy7a", 7)


def test_info_as_text() -> None:
    assert "toy7a" in ecsm("info", "--preset", TOY).stdout


@pytest.mark.parametrize("engines", [1, 3])
def test_info_is_what_the_device_says(engines: int) -> None:
    with SimDevice(TOY, engines=engines) as device:
        expected = asdict(device.info())
    done = ecsm("info", "--preset", TOY, "--engines", str(engines), "--json")
    assert json.loads(done.stdout) == expected


def test_info_compiles_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compiled(*args: object) -> None:
        raise AssertionError("a core was compiled to say what it is")

    monkeypatch.setattr("ecsm.device.sim.library", compiled)
    for name in ("p521-fast", "p256-small", "b571", "b163-halving", "x25519", "k256-throughput"):
        for engines in ("1", "64"):
            assert main(["info", "--preset", name, "--engines", engines, "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["curve"] == preset(name).curve.name


def test_build_writes_a_directory_and_refuses_another_ones(tmp_path: Path) -> None:
    folder = tmp_path / "core"
    done = ecsm("build", TOY, "-o", str(folder))
    assert (done.returncode, done.stdout) == (0, f"{TOY}: {folder}\n")
    assert (folder / "files.f").is_file()
    (tmp_path / "mine.txt").touch()
    done = ecsm("build", TOY, "-o", str(tmp_path))
    assert done.returncode == 2
    assert "was not made by ecsm build" in done.stderr


def test_build_of_a_farm(tmp_path: Path) -> None:
    folder = tmp_path / "farm"
    done = ecsm("build", TOY, "--engines", "3", "-o", str(folder))
    assert (done.returncode, done.stdout) == (0, f"{TOY}-farm3: {folder}\n")
    assert (folder / "rtl" / "ecsm_toy7_fast_farm3.sv").is_file()
    assert (folder / "rtl" / "ecsm_toy7_fast.sv").is_file()


def test_a_farm_multiplies_and_says_what_it_is() -> None:
    assert kp("--k", "5", "--engines", "3", "--json").stdout == kp("--k", "5", "--json").stdout
    info = json.loads(ecsm("info", "--preset", TOY, "--engines", "3", "--json").stdout)
    assert (info["uri"], info["engines"]) == (f"sim:{TOY}*3", 3)


def test_selftest_and_throughput_of_a_farm() -> None:
    found = json.loads(ecsm("test", TOY, "--count", "20", "--engines", "3", "--json").stdout)
    assert found["passed"] is True
    assert found["simulated"] == "RTL, 3 engines"
    (row,) = json.loads(ecsm("bench", TOY, "--engines", "3", "--json").stdout)
    alone = row["cycles"] + 1 + 1 + TURN  # the answer's cycle, the clearing, the farm's
    assert row["cycles_per_kp"] == round(alone / 3, 3)
    assert row["latency"] == row["cycles"] + LATENCY


@pytest.mark.parametrize(
    "args",
    [["build", TOY, "--engines", "0"], ["build", TOY, "--engines", "65"],
     ["kp", "--preset", TOY, "--engines", "x"], ["bench", "--engines", "2"],
     ["bench", TOY, "--engines", "2", "--solve"],
     ["bench", TOY, "--engines", "2", "--seconds", "3"],
     ["test", TOY, "--netlist", "--engines", "2"]],
)  # fmt: skip
def test_a_farm_that_is_none_exits_2(args: list[str]) -> None:
    done = ecsm(*args)
    assert done.returncode == 2
    assert not done.stdout


def test_lint_of_one_preset_is_clean() -> None:
    done = ecsm("lint", TOY)
    assert done.returncode == 0, done.stdout
    assert f"verilator -Wall {TOY}: clean" in done.stdout


def test_selftest_passes() -> None:
    done = ecsm("test", TOY, "--count", "20")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("PASS\n")
    assert "0 wrong" in done.stdout


def test_selftest_as_json() -> None:
    found = json.loads(ecsm("test", TOY, "--count", "0", "--json").stdout)
    assert found["passed"] is True
    assert found["failed"] == []
    assert found["cycles"] == [found["cycles_expected"]]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["list"], 0),
        (["list", "--json"], 0),
        (["schedule", TOY], 0),
        (["demo", "--preset", TOY], 1),
    ],
)
def test_a_closed_pipe_is_no_error(args: list[str], code: int) -> None:
    """But what compares has not come to its end, and has not passed."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ecsm", *args],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    finally:
        os.close(write)
    assert done.returncode == code
    assert code or done.stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_output_that_is_closed_is_no_error(closed: str) -> None:
    command = f"{sys.executable} -m ecsm kp --preset {TOY} --k 1 {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("x = " in done.stdout) == (not closed.startswith(">"))


def test_progress_that_nobody_reads_stops_no_work(tmp_path: Path) -> None:
    """The command goes on to its result, where `| head -1` has read its line."""
    command = (
        f"{sys.executable} -m ecsm synth {TOY} --results {tmp_path} 2>&1 >{tmp_path}/out | true"
    )
    env = {**os.environ, "ECSM_CACHE": str(tmp_path / "cache")}
    subprocess.run(command, shell=True, check=True, env=env)
    assert (tmp_path / "synth" / f"{TOY}.ecp5.json").exists()
    assert TOY in (tmp_path / "out").read_text()


def test_a_user_without_a_home_is_told_what_to_do() -> None:
    code = (
        "import pathlib, sys; from ecsm.cli.app import main\n"
        "def none(): raise RuntimeError('no home')\n"
        f"pathlib.Path.home = none; sys.exit(main(['kp', '--preset', '{TOY}', '--k', '1']))"
    )
    env = {k: v for k, v in os.environ.items() if k not in ("ECSM_CACHE", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 1
    assert done.stderr == ("ecsm: no home directory: ECSM_CACHE has to name a folder\n")


def test_a_cache_that_cannot_be_written_exits_1(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    done = ecsm("kp", "--preset", TOY, "--k", "1", env={"ECSM_CACHE": str(blocked)})
    assert done.returncode == 1
    assert done.stderr.startswith("ecsm: ")
