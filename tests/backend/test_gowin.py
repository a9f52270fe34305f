# SPDX-License-Identifier: Apache-2.0
"""Synthesis for Gowin: blocks of the word engine, its netlist in simulation, clocks, pins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ecsm.backend import synth
from ecsm.backend.gowin import CLOCK_PIN, GOWIN, PINS, pin_text
from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.nextpnr import Options, program_of, target_of
from ecsm.backend.pnr import Sweep, place
from ecsm.cli import main
from ecsm.device import schemes
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.sources import sources_of
from ecsm.sim.cache import SCHEME_WRAPPER, Sources
from tests.backend.test_word_netlist import answers

PRESET = WORD_PRESETS["word-p256"]
TOY = "toy7-fast"
(DEVICE,) = GOWIN
MODEL_FLAGS = ("--timescale", "1ns/1ps")
OWN = Path(__file__).with_name("gowin_cells.v")
_OF_YOSYS = re.compile(
    r"^module (?:LUT\d|MUX2(?:_LUT\d)?|ALU|DFF[A-Z]*|VCC|GND|IBUF|OBUF)\b.*?^endmodule", re.M | re.S
)


def gowin_models() -> str:
    """Return Yosys' models of the cells that have one there, and the own models of the others."""
    import pyosys

    text = (Path(pyosys.__file__).parent / "share/gowin/cells_sim.v").read_text(encoding="utf-8")
    return "\n".join((*_OF_YOSYS.findall(text), OWN.read_text(encoding="utf-8")))


def check(module: dict[str, Any]) -> None:
    """Raise ValueError for a block with registers, which have no model."""
    for name, cell in module["cells"].items():
        registers = [k for k, v in cell["parameters"].items()
                     if ("READ_MODE" in k or k.endswith("_REG") or k in ("AREG", "BREG"))
                     and "1" in v]  # fmt: skip
        if registers:
            raise ValueError(f"{name} has {', '.join(registers)}")


def made(name: str) -> synth.Netlist:
    with Progress() as progress:
        return synth.netlist(sources_of(name), "gowin", progress)


def module_of(netlist: synth.Netlist) -> dict[str, Any]:
    (module,) = json.loads(netlist.json.read_text(encoding="utf-8"))["modules"].values()
    return dict(module)


def test_memories_and_products_are_blocks() -> None:
    module = module_of(made(PRESET.name))
    found = area("gowin", cells(module))
    assert (found["dsp"], found["bram"]) == (4, 10)  # as on ECP5
    assert levels(module) > 1


@pytest.mark.slow
def test_the_netlist_does_what_the_rtl_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In cells of the GW2A: the same strings in the same cycles."""
    with SchemeDevice(PRESET.name) as rtl:
        wanted = answers(rtl)
    netlist = made(PRESET.name)
    check(module_of(netlist))
    gates = Sources(
        f"{PRESET.name}-gowin-cells", PRESET.module,
        gowin_models() + netlist.verilog.read_text(encoding="utf-8"), (), MODEL_FLAGS, ("-O1",),
        wrapper=SCHEME_WRAPPER,
    )  # fmt: skip
    monkeypatch.setattr(schemes, "scheme_sources", lambda *_: gates)
    with SchemeDevice(PRESET.name) as device:
        assert answers(device) == wanted


@pytest.mark.slow
def test_a_core_is_routed(tmp_path: Path) -> None:
    sweep = Sweep(seeds=1, mhz=50.0, rounds=1, device=DEVICE)
    with Progress() as progress:
        found = place(TOY, sweep, progress, tmp_path)
    assert found.device == DEVICE
    assert found.best.used
    assert found.best.used["LUT4"] > 100
    assert found.best.path
    assert found.origin.tools.keys() >= {"yosys", "nextpnr-gowin"}


def test_options_and_pins_are_those_of_the_device(tmp_path: Path) -> None:
    options = Options(device=DEVICE)
    assert options.arguments.startswith("--device GW2AR-LV18QN88C8/I7 --vopt family=GW2A-18C ")
    assert (target_of(DEVICE), program_of(DEVICE)) == ("gowin", "nextpnr-gowin")
    ports = {name: {"bits": [n]} for n, name in enumerate(("rst_ni", "clk_i", "serial_o"))}
    netlist = tmp_path / "netlist.json"
    netlist.write_text(json.dumps({"modules": {"top": {"ports": ports}}}))
    assert pin_text(netlist).splitlines() == [
        'IO_LOC "clk_i" 10;', 'IO_LOC "rst_ni" 15;', 'IO_LOC "serial_o" 16;',
    ]  # fmt: skip
    assert CLOCK_PIN not in PINS


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{TOY} --device {DEVICE} --speed 6", f"--speed: {DEVICE} has no speed grades"),
        (f"word-up5k --device {DEVICE}", f"another family than that of {DEVICE}"),
        (f"{TOY} --device {DEVICE} --floorplan", "--floorplan has places of an LFE5U-85F alone"),
    ],
)
def test_what_the_device_has_not_is_refused(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pnr", *command.split()]) == 2
    assert said in capsys.readouterr().err


def test_areas_are_of_cells() -> None:
    found = {"LUT1": 1, "LUT4": 5, "ALU": 3, "RAM16SDP4": 1, "MUX2_LUT5": 9, "DFF": 1, "DFFPE": 2,
             "MULT18X18": 4, "MULT36X36": 1, "SPX9": 6, "DPX9B": 4, "VCC": 1}  # fmt: skip
    assert area("gowin", found) == {"lut": 13, "ff": 3, "dsp": 8, "bram": 10}
