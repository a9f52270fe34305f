# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth --attach``: what is around a core counts, and is known by its own RTL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.backend import synth, tool
from ecsm.backend.attached import attached_sources, load_attached, synthesise_attached
from ecsm.backend.tool import FlowError
from ecsm.hdl.block_scheme_emit import block_scheme_name
from ecsm.hdl.buses import BUSES
from ecsm.hdl.files import rtl_file
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.record import load_synth, save, synth_path
from ecsm.results.sources import current_digest
from tests.results.files import ecsm

TOY = "toy7-small"


def test_an_attachment_is_measured_with_the_core_and_kept_beside_it(tmp_path: Path) -> None:
    bare = synth.synthesise(TOY, "ecp5", Progress(), tmp_path)
    done = ecsm("synth", TOY, "--attach", "axil", "--results", tmp_path)
    assert done.returncode == 0, done.stderr
    found, current = load_attached(TOY, "axil", "ecp5", tmp_path)
    assert found is not None
    assert current
    assert found.origin.command == f"ecsm synth {TOY} --target ecp5 --attach axil"
    assert found.origin.rtl != current_digest(TOY)
    assert found.cycles == bare.cycles
    assert bare.area["ff"] + 32 < found.area["ff"]  # a register of the bus's data, at least
    assert bare.area["lut"] < found.area["lut"]
    assert load_synth(TOY, "ecp5", tmp_path) == bare
    assert [f"{n}" in done.stdout.split() for n in found.area.values()] == [True] * 4


@pytest.mark.parametrize(
    "target",
    [pytest.param(t, marks=pytest.mark.always if t == "ice40" else ()) for t in synth.TARGETS],
)
def test_a_queue_fits_every_target(target: str, tmp_path: Path) -> None:
    """It is read without a clock: an iCE40 has no memory for that, and takes flip-flops."""
    commands = (
        f"read_slang {rtl_file('ecsm_block_fifo')}",
        *synth.script(target, "ecsm_block_fifo"),
        "tee -o found.txt stat",
    )
    tool.run(tool.YOSYS, commands, tmp_path, tmp_path / "log", limit_s=300)
    memory = {"ecp5": "TRELLIS_DPR16X4", "gowin": "RAM16SDP4", "xc7": "RAM32M"}
    assert memory.get(target, "DFF") in (tmp_path / "found.txt").read_text()


@pytest.mark.parametrize("name", ["word-p256", "word-full"])
def test_a_word_engine_is_behind_the_registers_of_its_schemes(name: str) -> None:
    top, s = attached_sources(name, "axil")
    assert top == block_scheme_name(WORD_PRESETS[name], BUSES["axil"])
    assert f"module {WORD_PRESETS[name].module} " in s.text
    assert {"ecsm_axil_port.sv", "ecsm_block_scheme.sv", "word_scheme.sv"} <= {
        f.name for f in s.files
    }
    assert s.digest != current_digest(name)


def test_a_kept_area_of_other_rtl_is_not_current(tmp_path: Path) -> None:
    made = synthesise_attached(TOY, "axil", "ecp5", Progress(), tmp_path)
    path = synth_path(f"{TOY}-axil", "ecp5", tmp_path)
    for other in (
        replace(made, origin=replace(made.origin, rtl="0" * 24)),
        replace(made, script=[*made.script, "another"]),
    ):
        save(path, other)
        assert load_attached(TOY, "axil", "ecp5", tmp_path) == (other, False)
    path.unlink()
    assert load_attached(TOY, "axil", "ecp5", tmp_path) == (None, False)


def test_a_failed_run_leaves_the_earlier_area(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = synthesise_attached(TOY, "axil", "ecp5", Progress(), tmp_path)
    monkeypatch.setattr(synth, "script", lambda *_: ["no_such_command"])
    with pytest.raises(FlowError, match="no_such_command"):
        synthesise_attached(TOY, "axil", "ecp5", Progress(), tmp_path)
    assert load_synth(f"{TOY}-axil", "ecp5", tmp_path) == made


@pytest.mark.parametrize(
    "arguments",
    [("word-p256", "--attach", "stream"), (TOY, "--attach", "axil", "--engines", "2"),
     (TOY, "--attach", "none")],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = ecsm("synth", *arguments, "--results", tmp_path)
    assert done.returncode == 2
    assert "attach" in done.stderr
    assert not (tmp_path / "synth").exists()
