# SPDX-License-Identifier: Apache-2.0
"""The harness is a working system of its own, as RTL and as the netlist that is placed."""

from __future__ import annotations

import pytest

from ecsm.backend.cells import MODEL_FLAGS, yosys_models
from ecsm.backend.netlist import area, cells
from ecsm.backend.synth import harness_netlist, netlist
from ecsm.cores.store import binary_design, design
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS
from ecsm.hdl.harness import harness, harness_name
from ecsm.hdl.scheme_emit import PORTS
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.progress import Progress
from ecsm.results.sources import sources, word_sources
from tests.results.files import module
from tests.rtl.cocotb_run import run

PRESET = "toy7-fast"
TEST = "tests.hdl.harness_cocotb"


def test_the_harness_passes_requests_and_responses_on() -> None:
    s = sources(binary_design(PRESET))
    run(
        harness_name(s.preset), s.files, TEST,
        text=s.text + harness(s.preset), env={"PRESET": PRESET},
    )  # fmt: skip


def test_the_netlist_of_the_harness_computes_the_same() -> None:
    s = sources(binary_design(PRESET))
    made = harness_netlist(s, Progress())
    run(
        harness_name(s.preset), yosys_models(), TEST, text=made.verilog.read_text(),
        args=MODEL_FLAGS, env={"PRESET": PRESET},
    )  # fmt: skip


@pytest.mark.parametrize("name", [PRESET, "toyp5-v"])
def test_nothing_of_the_core_is_optimised_away(name: str) -> None:
    s = sources(design(name))
    core, whole = netlist(s, "ecp5", Progress()), harness_netlist(s, Progress())
    inner, outer = (area("ecp5", cells(module(n.json))) for n in (core, whole))
    p = s.preset
    assert not isinstance(p, WordPreset)
    request = 4 + p.scalar_bits + 2 * p.coordinate_bits + 1 + TAG_BITS
    response = 4 + 2 * p.coordinate_bits + 1 + TAG_BITS + CYCLE_BITS
    taken = response + 1  # the response as it was taken, before it is shifted out
    pins = 5 + 3  # a register for each input and each output
    assert outer["ff"] == inner["ff"] + request + taken + response + pins
    assert outer["lut"] >= inner["lut"]


def test_nothing_of_a_word_engine_is_optimised_away() -> None:
    s = word_sources(WORD_PRESETS["word-p256"])
    core, whole = netlist(s, "ecp5", Progress()), harness_netlist(s, Progress())
    inner, outer = (area("ecp5", cells(module(n.json))) for n in (core, whole))
    shifted = {way: sum(bits for found, bits, _ in PORTS if bits > 1 and found.strip() == way)
               for way in ("input", "output")}  # fmt: skip
    pins = sum(bits == 1 for _, bits, _ in PORTS) - 2 + 3  # but clock and reset; its own
    assert outer["ff"] == inner["ff"] + shifted["input"] + 2 * shifted["output"] + pins
    assert [outer[kind] for kind in ("dsp", "bram")] == [inner[kind] for kind in ("dsp", "bram")]
    assert outer["lut"] >= inner["lut"]
