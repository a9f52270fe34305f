# SPDX-License-Identifier: Apache-2.0
"""Synthesis for iCE40: the blocks of `word-up5k`, its netlist in simulation, its clock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecsm.backend import synth
from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.nextpnr import Options, program_of, suitable, target_of
from ecsm.backend.pnr import Sweep, place
from ecsm.cli import main
from ecsm.device import schemes
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.sources import word_sources
from ecsm.sim.cache import SCHEME_WRAPPER, Sources
from tests.backend.test_word_netlist import answers

PRESET = WORD_PRESETS["word-up5k"]
DEVICE = "iCE40UP5K-SG48"
HAS = {"ICESTORM_LC": 4500, "ICESTORM_DSP": 4, "ICESTORM_RAM": 28, "ICESTORM_SPRAM": 4}
"""What the engine and its harness may use; the device has 5,280, 8, 30 and 4. 4,400 was the aim."""
SLOWEST = 24.0  # MHz: a half of the device's own oscillator
MODEL_FLAGS = ("-DNO_ICE40_DEFAULT_ASSIGNMENTS", "--timescale", "1ns/1ps")


def ice40_models() -> tuple[Path, ...]:
    """Return Yosys' models of the iCE40 cells."""
    import pyosys

    return (Path(pyosys.__file__).parent / "share/ice40/cells_sim.v",)


def made() -> synth.Netlist:
    with Progress() as progress:
        return synth.netlist(word_sources(PRESET), "ice40", progress)


def test_each_block_is_of_the_device() -> None:
    """Four products without signs, and program and walks where no initial value can be."""
    (module,) = json.loads(made().json.read_text(encoding="utf-8"))["modules"].values()
    found = area("ice40", cells(module))
    assert (found["dsp"], found["spram"]) == (4, 4)
    assert found["bram"] <= HAS["ICESTORM_RAM"]
    assert levels(module) > 1
    tables = [n for n, c in module["cells"].items() if c["type"] == "SB_SPRAM256KA"]
    assert sum("u_words" in n for n in tables) == sum("u_slots" in n for n in tables) == 2
    products = [c for c in module["cells"].values() if c["type"] == "SB_MAC16"]
    for cell in products:  # with their own registers behind them
        assert {int(cell["parameters"][f"{half}OUTPUT_SELECT"], 2) for half in ("TOP", "BOT")} == {
            3
        }


@pytest.mark.slow
def test_the_netlist_does_what_the_rtl_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In cells of the iCE40, with Yosys' models of them: the same strings in the same cycles."""
    with SchemeDevice(PRESET.name) as rtl:
        wanted = answers(rtl)
    gates = Sources(
        f"{PRESET.name}-ice40-cells", PRESET.module, made().verilog.read_text(encoding="utf-8"),
        ice40_models(), MODEL_FLAGS, ("-O1",), wrapper=SCHEME_WRAPPER,
    )  # fmt: skip
    monkeypatch.setattr(schemes, "scheme_sources", lambda *_: gates)
    with SchemeDevice(PRESET.name) as netlist:
        assert answers(netlist) == wanted


@pytest.mark.slow
def test_it_is_routed_and_quick_enough(tmp_path: Path) -> None:
    """With its harness, and with each seed that is tried."""
    sweep = Sweep(seeds=2, mhz=SLOWEST, rounds=1, device=DEVICE)
    with Progress() as progress:
        found = place(PRESET.name, sweep, progress, tmp_path)
    assert found.device == DEVICE
    for run in found.runs:
        assert run.mhz is not None
        assert run.mhz >= SLOWEST
        assert run.used
        assert all(run.used[kind] <= most for kind, most in HAS.items()), run.used


def test_options_are_those_of_the_family(tmp_path: Path) -> None:
    options = Options(device=DEVICE)
    assert options.arguments.startswith("--up5k --package sg48 --placer heap ")
    assert "--speed" not in options.arguments
    assert "--lpf-allow-unconstrained" not in options.arguments
    assert (target_of(DEVICE), program_of(DEVICE)) == ("ice40", "nextpnr-ice40")
    assert (target_of("LFE5U-25F-6"), program_of("LFE5U-25F-6")) == ("ecp5", "nextpnr")
    (tmp_path / "netlist.json").write_text("{}")
    assert suitable(tmp_path / "netlist.json", DEVICE) == options


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("word-up5k --speed 6", f"--speed: {DEVICE} has no speed grades"),
        ("word-up5k --device LFE5U-25F", "word-up5k has blocks of another family than that of LFE"),
        (f"word-p256 --device {DEVICE}", f"another family than that of {DEVICE}"),
        ("word-up5k --floorplan", "--floorplan has places of an LFE5U-85F alone"),
    ],
)
def test_a_device_of_another_family_is_refused(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pnr", *command.split()]) == 2
    assert said in capsys.readouterr().err


def test_areas_are_of_cells() -> None:
    found = {"SB_LUT4": 5, "SB_CARRY": 3, "SB_DFFER": 2, "SB_DFF": 1, "SB_MAC16": 1,
             "SB_RAM40_4K": 2, "SB_SPRAM256KA": 1}  # fmt: skip
    assert area("ice40", found) == {"lut": 5, "ff": 3, "dsp": 1, "bram": 2, "spram": 1}


def test_a_carry_chain_is_one_level() -> None:
    """Of a chain of two carries and the LUT of the highest sum, the LUT counts."""
    way = {"I0": "input", "I1": "input", "CI": "input", "CO": "output"}
    lut = {f"I{i}": "input" for i in range(4)} | {"O": "output"}
    chain = {
        "c0": {"type": "SB_CARRY", "port_directions": way,
               "connections": {"I0": [2], "I1": [3], "CI": ["0"], "CO": [4]}},
        "c1": {"type": "SB_CARRY", "port_directions": way,
               "connections": {"I0": [5], "I1": [6], "CI": [4], "CO": [7]}},
        "s": {"type": "SB_LUT4", "port_directions": lut,
              "connections": {"I0": ["0"], "I1": [8], "I2": [9], "I3": [7], "O": [10]}},
    }  # fmt: skip
    assert levels({"cells": chain}) == 1
