# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth`` on a toy preset, for every target, through the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ecsm.backend import synth, tool
from ecsm.backend.netlist import COUNTED, area, cells, levels
from ecsm.backend.synth import core_script, flow_dir, netlist
from ecsm.backend.tool import FlowError
from ecsm.cores.store import design
from ecsm.progress import Progress
from ecsm.results.record import Synth, load, load_synth, save, synth_path
from ecsm.results.sources import current_digest, sources
from tests.results.files import a_synth, ecsm, module

TOY = "toy7-small"


@pytest.mark.parametrize("target", ["ecp5", "xc7", "cmos"])
def test_a_target_is_measured_and_kept(target: str, tmp_path: Path) -> None:
    done = ecsm("synth", TOY, "--target", target, "--results", tmp_path)
    assert done.returncode == 0, done.stderr
    r = load(Synth, synth_path(TOY, target, tmp_path))
    assert r is not None
    assert r.preset == TOY
    assert r.target == target
    assert r.cycles == design(TOY).microcode.cycles
    assert r.origin.rtl == current_digest(TOY)
    assert r.origin.command == f"ecsm synth {TOY} --target {target}"
    assert r.seconds > 0
    assert r.peak_mb > 10
    assert 3 < r.levels < 60
    # The core has about 150 flip-flops, whatever they are called.
    assert 100 < r.area["ff"] < 350
    if target == "cmos":
        assert r.area["gates"] > 5 * r.area["ff"]
    else:
        assert r.area["ff"] < r.area["lut"] < 1500
        assert r.area["dsp"] == r.area["bram"] == 0
    shown = done.stdout.split()
    assert all(str(n) in shown for n in (*r.area.values(), r.levels))
    assert done.stdout.splitlines()[-1] == COUNTED[target]
    assert str(tmp_path) not in synth_path(TOY, target, tmp_path).read_text()
    assert (flow_dir(TOY) / f"{target}.log").read_text().rstrip()


def test_flip_flops_are_named_for_their_registers() -> None:
    found = module(netlist(sources(design(TOY)), "ecp5", Progress()).json)
    names = [n for n, c in found["cells"].items() if c["type"] == "TRELLIS_FF"]
    named = [n for n in names if n.startswith("u_engine.")]
    assert len(named) > 0.9 * len(names)
    assert levels(found) > 3


@pytest.mark.parametrize(
    ("name", "target", "chains"),
    [
        ("p256-fast", "ecp5", True),
        ("p256-fast", "xc7", False),
        ("p256-small-lut", "ecp5", False),
        ("b163-fast", "ecp5", False),
    ],
)
def test_sums_behind_dsp_blocks_are_carry_chains(name: str, target: str, chains: bool) -> None:
    assert ("maccmap -unmap" in core_script(sources(design(name)), target)) == chains


def test_carry_chains_take_less_than_compressors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a core's own netlist and the one that Yosys makes without being told."""

    def luts() -> int:
        made = netlist(sources(design("toyp6-m")), "ecp5", Progress())
        return area("ecp5", cells(module(made.json)))["lut"]

    ours = luts()
    monkeypatch.setattr(synth, "core_script", lambda s, t: synth.script(t, s.preset.module))
    assert ours < luts()


def test_a_list_of_presets_is_a_list_of_results(tmp_path: Path) -> None:
    done = ecsm("synth", TOY, "toy5-serial", "--results", tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (tmp_path / "synth").iterdir()) == [
        "toy5-serial.ecp5.json", f"{TOY}.ecp5.json",
    ]  # fmt: skip


def test_a_list_that_nobody_reads_is_measured_to_its_end(tmp_path: Path) -> None:
    """As by `| true`: what is measured is kept all the same."""
    command = (sys.executable, "-m", "ecsm", "synth", TOY, "toy5-serial", "--results", tmp_path)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout
        run.stdout.close()
    assert {f.name for f in (tmp_path / "synth").iterdir()} == {
        "toy5-serial.ecp5.json", f"{TOY}.ecp5.json",
    }  # fmt: skip


def test_a_failed_run_leaves_earlier_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = synth_path(TOY, "ecp5", tmp_path)
    save(path, a_synth(TOY))
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(synth, "script", lambda *_: ["no_such_command"])
    with pytest.raises(FlowError, match="no_such_command"):
        synth.synthesise(TOY, "ecp5", Progress(), tmp_path)
    assert load(Synth, path) == a_synth(TOY)
    folder = tmp_path / "cache" / "flow" / TOY
    assert [p.name for p in folder.iterdir() if p.is_dir()] == []
    assert "no_such_command" in (folder / "ecp5.log").read_text()


def test_a_netlist_that_is_written_in_part_is_no_netlist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yosys tells nothing of a write that fails, and the cache would keep what there is."""
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    real = tool.run

    def short(code: str, commands: list[str], work: Path, *rest: Any, **more: Any) -> tool.Spent:
        spent = real(code, commands, work, *rest, **more)
        (file,) = work.glob("core.json")
        file.write_bytes(file.read_bytes()[:-100])
        return spent

    monkeypatch.setattr(tool, "run", short)
    with pytest.raises(FlowError, match=r"wrote core\.json in part"):
        synth.synthesise(TOY, "ecp5", Progress(), tmp_path)
    monkeypatch.setattr(tool, "run", real)
    assert synth.synthesise(TOY, "ecp5", Progress(), tmp_path).area["lut"] > 0


@pytest.mark.parametrize("name", [TOY, "toyp5-v"])
def test_a_farm_is_its_cores_and_what_is_around_them(tmp_path: Path, name: str) -> None:
    one = synth.synthesise(name, "ecp5", Progress(), tmp_path)
    three = synth.synthesise(name, "ecp5", Progress(), tmp_path, engines=3)
    assert load_synth(f"{name}-farm3", "ecp5", tmp_path) == three
    for kind in ("lut", "ff"):
        around = three.area[kind] - 3 * one.area[kind]
        assert 0 < around < 3 * one.area[kind]
    assert three.area["dsp"] == 3 * one.area["dsp"]
    assert three.origin.rtl != one.origin.rtl


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2.48.16. Executing AIGMAP pass (map logic to AIG).", "aigmap"),
        ("2.48.16.5. Executing ABC9.", "abc9"),
        ("2.48.4.11.1. Executing PROC_CLEAN pass.", None),
        ("ABC: Executing what a tool within Yosys says", None),
        ("2.48.16.5. Executing  ", None),
    ],
)
def test_the_pass_that_takes_long_is_told(
    line: str, told: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    synth.Passes("b163-fast xc7", Progress())(line)
    said = capsys.readouterr().err.rstrip("\n")
    assert said.endswith(f"b163-fast xc7: {told}") if told else not said


def test_a_netlist_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    s = sources(design(TOY))
    first = netlist(s, "ecp5", Progress())
    monkeypatch.setattr(tool, "run", None)
    assert netlist(s, "ecp5", Progress()) == first


@pytest.mark.parametrize("args", [[], [TOY, "--target", "asic"], ["b164"]])
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = ecsm("synth", *args)
    assert done.returncode == 2
    assert done.stderr
    assert not done.stdout
