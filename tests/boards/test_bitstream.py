# SPDX-License-Identifier: Apache-2.0
"""``ecsm bitstream``: from a name to a file that a board's loader takes, and what is refused."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.backend import tool
from ecsm.boards import make
from ecsm.boards.board import FAMILIES, Board, board, boards
from ecsm.boards.designs import board_design, ring_files
from ecsm.boards.make import ENDINGS, TimingFailed
from ecsm.boards.results import (
    NOT_RUN,
    Bitstream,
    Clock,
    bitstream_path,
    bitstream_table,
    load_bitstreams,
)  # fmt: skip
from ecsm.cli import main
from ecsm.device.base import NoDevice
from ecsm.hdl.files import RTL
from ecsm.results.record import DamagedResult, load
from tests.results.files import ROOT, ecsm

TOY = "toy7-fast"
PREAMBLE = {
    "ecp5": bytes.fromhex("ffffbdb3"),
    "ice40": bytes.fromhex("7eaa997e"),
    "gowin": f"{0xA5C3:016b}".encode(),  # a file of bits as letters
}
"""How a configuration begins: FPGA-TN-02039, table 6.1; iCE40 Programming and Configuration; the
header in Project Apicula's chipdb_builder.py."""


MADE = [
    pytest.param(TOY, "ulx3s-85f", marks=pytest.mark.always),
    *(("noise", name) for name in boards() if name != "ulx3s-85f"),
]


@pytest.mark.parametrize(("design", "name"), MADE)
def test_a_bitstream_is_made(design: str, name: str, tmp_path: Path) -> None:
    cache, out, kept = (tmp_path / part for part in ("cache", "out", "kept"))
    args = ("bitstream", design, "--board", name, "-o", out, "--results", kept)
    done = ecsm(*args, ECSM_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    b = board(name)
    (file,) = [f for f in out.iterdir() if f.suffix in ENDINGS.values()]
    assert PREAMBLE[b.family] in file.read_bytes()[:1024]
    assert NOT_RUN in done.stdout
    assert f"{b.loader} {file}" in done.stdout
    assert f"{design} on {name}: routing" in done.stderr
    found = load(Bitstream, bitstream_path(design, name, kept))
    assert found is not None
    assert found.state == NOT_RUN
    assert found.octets == file.stat().st_size
    assert all(c.mhz >= c.wanted_mhz for c in found.clocks)
    assert {c.wanted_mhz for c in found.clocks} == {b.core_mhz}
    assert str(tmp_path) not in bitstream_path(design, name, kept).read_text()
    assert b.source in (out / b.constraints).read_text()

    again = ecsm(*args, "--json", ECSM_CACHE=str(cache))  # synthesis and routes are kept
    assert "routing" not in again.stderr
    assert json.loads(again.stdout)["sha256"] == found.sha256


def test_an_interrupted_run_leaves_nothing_half_and_goes_on(tmp_path: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "out"
    args = ("bitstream", TOY, "--board", "ulx3s-85f", "-o", out, "--results", tmp_path / "kept")
    command = [sys.executable, "-m", "ecsm", *map(str, args)]
    env = {**os.environ, "ECSM_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as run:
        assert run.stderr
        while "placing" not in run.stderr.readline():
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        run.stderr.read()
    assert run.returncode == 130
    assert not out.exists()
    assert not (tmp_path / "kept").exists()
    left = [f for f in (cache / "boards").iterdir() if f.suffix not in (".log", ".lock")]
    assert [f.name.partition("-")[0] for f in left if ".netlist" in f.name] == ["toy7"]
    assert len(left) == 1
    done = ecsm(*args, ECSM_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    assert "synthesising" not in done.stderr


def test_a_clock_that_is_not_met_makes_no_bitstream(tmp_path: Path) -> None:
    args = ("bitstream", TOY, "--board", "ulx3s-85f", "--clock", 400, "-o", tmp_path / "out")
    done = ecsm(*args, "--results", tmp_path / "kept", ECSM_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert re.search(rf"{TOY} on ulx3s-85f: [\d.]+ MHz are not the 400 MHz", done.stderr)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "kept").exists()


def test_a_clock_that_no_pll_makes_is_told() -> None:
    d = board_design("noise", board("ulx3s-85f"), 33)
    with pytest.raises(TimingFailed, match="no clock of 33 MHz: there is 31"):
        make._check_clocks(d, [Clock("clk", 90, 31)])
    with pytest.raises(TimingFailed, match="there is none"):
        make._check_clocks(d, [])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("noise --board ulx3s", "there is no board 'ulx3s': did you mean"),
        (f"{TOY} --board icebreaker", f"{TOY} is a core for an ECP5"),
        ("word-p256 --board icebreaker", "blocks of another family"),
        ("word-prime --board ulx3s-85f", "schemes-word-prime is a system that loads them"),
        ("schemes-word-up5k --board icebreaker", "no room for a system on chip"),
        ("schemes-word-p256 --board tang-nano-20k", "no program is put into a bitstream for tang"),
        ("word-up5k --board tang-nano-20k", "blocks of another family"),
        (f"{TOY} --board tang-nano-20k --clock 50", "no PLL here: its clock is 27 MHz"),
        (f"{TOY} --board ulx3s-85f --clock 1e-9", "no PLL here makes 1e-09 MHz: 3 and more"),
        ("noise --board ulx3s-85f --clock 60", "no serial port of 1,000,000 Bd at 60 MHz"),
        ("noise --board ulx3s-85f --clock 3.57", "whole numbers of MHz from 4 to 51"),
        ("noise --board icebreaker --program hello", "--program: noise has no processor"),
        ("noise --board icebreaker --program=", "--program: noise has no processor"),
        ("schemes-b163-small --board ulx3s-85f", "b163-small does not protect keys from who"),
        ("schemes-word-p256 --board ulx3s-85f --program=", "there is no program ''"),
        ("toy7-slow --board ulx3s-85f", "toy7-slow"),
    ],
)
def test_what_a_board_cannot_have_is_refused(
    args: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bitstream", *args.split()]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("b", boards().values(), ids=boards())
def test_a_board_has_the_pins_of_a_design(b: Board) -> None:
    d = board_design("noise", b)
    assert {"clk_i", "uart_tx_o", "uart_rx_i", "led_ok_o"} <= set(d.ports)
    text = b.constraint_text(d.ports)
    sites = [pin.site for pin in b.pins.values()]
    assert len(set(sites)) == len(sites)
    for port in d.ports:
        (line,) = [
            x for x in text.splitlines() if re.search(rf"(COMP|set_io|IO_LOC).* \"?{port}\b", x)
        ]
        assert b.pins[port].site in line
        assert b.pins[port].name in (text if b.family == "gowin" else line)
    assert f"{b.clock_mhz:g}" in text.splitlines()[-1]
    assert b.source.startswith("https://")
    assert b.family in FAMILIES


def test_the_command_that_is_kept_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files may have blanks."""
    kept: list[str] = []
    given = ["bitstream", "schemes-word-p256", "--board", "ecpix5", "--program", "my app.c"]

    def made(*args: object) -> Bitstream:
        kept.append(str(args[5]))
        raise tool.FlowError("enough")

    monkeypatch.setattr(make, "application", lambda _: None)
    monkeypatch.setattr(make, "bitstream", made)
    assert main(given) == 1
    assert shlex.split(kept[0]) == ["ecsm", *given[:4], "--seed", "1", *given[4:]]


def test_a_board_that_is_not_in_the_table_is_told() -> None:
    with pytest.raises(LookupError, match="there is no board 'ulx4s'"):
        board("ulx4s")
    with pytest.raises(NoDevice, match="core for an ECP5"):
        board_design("b163-small", board("icebreaker"))


@pytest.mark.parametrize("family", FAMILIES)
def test_rings_stay_in_a_netlist(family: str, tmp_path: Path) -> None:
    """A user's own synthesis, in which nothing is a black box, keeps each look-up table of them."""
    files = [RTL / "boards" / "noise_source.sv", *ring_files()]
    commands = [
        f"read_verilog -sv -defer -DSYNTHESIS {' '.join(map(str, files))}",
        f"hierarchy -top noise_source -chparam Family {FAMILIES[family]}",
        f"synth_{family} -top noise_source",
        "select -clear",
        "write_json netlist.json",
    ]
    tool.run(tool.YOSYS, commands, tmp_path, tmp_path / "log")
    modules = json.loads((tmp_path / "netlist.json").read_text())["modules"]
    (top,) = [m for name, m in modules.items() if "noise_source" in name]
    kind, out = {"ecp5": ("LUT4", "Z"), "ice40": ("SB_LUT4", "O"), "gowin": ("LUT4", "F")}[family]
    rings = {n: c for n, c in top["cells"].items() if "u_rings." in n and c["type"] == kind}
    assert len(rings) == sum(5 + 2 * r for r in range(8))
    drives = {bit: name for name, cell in rings.items() for bit in cell["connections"][out]}
    for name in rings:  # following what drives it, each one is in a loop
        at, seen = name, set[str]()
        while at not in seen:
            seen.add(at)
            inputs = [b for p in ("A", "B", "I0", "I1")
                      for b in rings[at]["connections"].get(p, [])]  # fmt: skip
            (at,) = {drives[b] for b in inputs if b in drives}
        assert len(seen) % 2 == 1
        assert at == name


def test_the_model_of_the_rings_is_not_synthesised(tmp_path: Path) -> None:
    names = " ".join(str(RTL / "boards" / f"{n}.sv") for n in ("noise_source", "noise_rings"))
    read = [f"read_slang --top noise_source {names} {ring_files()[1]}"]
    with pytest.raises(tool.FlowError, match="no source of noise"):
        tool.run(tool.YOSYS, read, tmp_path, tmp_path / "log")


def test_kept_bitstreams_met_their_clocks_and_say_that_nobody_ran_them() -> None:
    found = load_bitstreams()
    assert {b.design for b in found} >= {"word-p256", "word-up5k", "schemes-word-p256"}
    for b in found:
        assert b.state == NOT_RUN
        assert b.device == board(b.board).device
    assert bitstream_table().count(NOT_RUN) == len(found)


def test_a_kept_bitstream_that_met_no_clock_is_damaged(tmp_path: Path) -> None:
    kept = load_bitstreams()[0]
    slow = replace(kept, clocks=[replace(kept.clocks[0], mhz=1.0)])
    file = bitstream_path(slow.design, slow.board, tmp_path)
    file.parent.mkdir()
    file.write_text(json.dumps(asdict(slow)))
    with pytest.raises(DamagedResult, match="met no clock"):
        load_bitstreams(tmp_path)
