# SPDX-License-Identifier: Apache-2.0
"""Verible sees what each template of SystemVerilog makes, with the rules of rtl/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Template

from ecsm.backend.lint import lint_style
from ecsm.boards.board import board
from ecsm.boards.designs import TOP as BOARD_TOP
from ecsm.boards.designs import board_design
from ecsm.boards.netlist import simulated
from ecsm.cores.store import design
from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.evidence import multiplier
from ecsm.evidence.gfp import units as gfp_units
from ecsm.hdl import farm_testbench, testbench
from ecsm.hdl.block_testbench import block_testbench
from ecsm.hdl.build import ATTACHMENTS, Build
from ecsm.hdl.buses import BUSES
from ecsm.hdl.engines.module import port_text
from ecsm.hdl.harness import harness, harness_name, schemes_port_text
from ecsm.hdl.machines import subject
from ecsm.hdl.word_emit import emit_word_schemes, word_module
from ecsm.measure.soc import area_text
from ecsm.narrow.units import unit
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import binary_preset
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.multiply import multiplication
from ecsm.soc.emit import TOP, soc_top
from ecsm.templates import FOLDERS, connect, environment

PRESETS = ("toy7-fast", "toyp8-a", "toyp5-v", "toy107-halving")  # each family, and aG + bP
SCHEMES = "b163-small"  # the smallest that has some
LICENCE = "// SPDX-License-Identifier"
UNITS = ("field-toy5a", "core-toy7-fast")
PEAKRDL = ("_regs", "_regs_pkg")  # the ends of names of modules that are not ours
BOARDS = (
    ("noise", "ulx3s-85f"), ("toy7-fast", "ulx3s-85f"), ("word-up5k", "icebreaker"),
    ("schemes-b163-small", "ulx3s-85f"),
)  # fmt: skip
# In one line, two modules: what the measured area is kept for is this text as it is. And a list of
# the ports of modules that are not read. A PLL's ports have the names that its tool gives them.
NOT_LAID_OUT = {"measure/behind_bus.sv.j2", "boards/boxes.sv.j2"}
# Names of curves make lines of comments longer.
RULES = "-line-length"
# A continued line is indented by four columns, and names are not aligned: widths differ by preset.
LAYOUT = (
    "--port_declarations_indentation=wrap",
    "--named_parameter_indentation=wrap",
    "--named_port_indentation=wrap",
    "--port_declarations_alignment=preserve",
    "--case_items_alignment=preserve",
)
# A statement that is broken by hand, and how verible would do it.
BROKEN = (
    """<= Alone,
                $sformatf("says %0d""",
    """<= Alone, $sformatf(
                "says %0d""",
)
MOST = 60  # columns of a parameter; a longer one, or one of several lines, is a table of numbers


def short(parameters: Mapping[str, object]) -> str:
    """Connect parameters without the tables among them, which Python lays out."""
    table = {k for k, v in parameters.items() if len(str(v)) > MOST or "\n" in str(v)}
    return connect({k: "'0" if k in table else v for k, v in parameters.items()})


def made() -> Iterator[tuple[str, str]]:
    """Yield path and text of modules that together are made of all templates."""
    for name in PRESETS:
        d = design(name)
        buses = (Build(d, attach=bus) for bus in BUSES)
        builds = *buses, Build(d, 2, attach="stream")
        yield from ((f"{module}.sv", text) for b in builds for module, text in b.modules().items())
        yield f"{harness_name(d.preset)}.sv", harness(d.preset)
        yield f"ports/{d.preset.module}.sv", port_text(d.preset)
        yield f"{testbench.testbench_name(d, 1)}.sv", testbench.testbench(d)
        farm = farm_testbench.farm_testbench(d, 2)
        assert BROKEN[0] in farm
        yield f"{testbench.testbench_name(d, 2)}.sv", farm.replace(*BROKEN)
    for name, where in BOARDS:
        *_, top, _ = simulated(board_design(name, board(where)))[0].split(LICENCE)
        yield f"{name}-board/{BOARD_TOP}.sv", LICENCE + top
    schemes = Build(design(SCHEMES), schemes=True, attach="axil").modules()
    benches = [Build(design("toyp5-v"), attach=attach) for attach in ATTACHMENTS]
    benches += [Build(subject("word-p256"), attach=attach) for attach in (None, *BUSES)]
    for b in benches:
        name, text = block_testbench(b, list(b.modules())[-1])
        yield f"{name}.sv", text
    units = [(module, text) for name in UNITS for module, text in unit(name).modules.items()]
    yield from ((f"{module}.sv", text) for module, text in (*schemes.items(), *units))
    yield f"none/{TOP}.sv", soc_top()
    yield f"noise/{TOP}.sv", soc_top(block="block")
    yield f"quiet/{TOP}.sv", soc_top(block="block", noise=False)
    yield f"{multiplier.TOP}.sv", multiplier.top_text(binary_preset("toy7-fast"))
    yield f"custom/{TOP}.sv", soc_top(block="block", custom=True)
    c = curve("toyp5a")
    assert isinstance(c, PrimeCurve)
    yield "word_top.sv", word_module("word_top", multiplication(c, 16), "kP")
    word = WORD_PRESETS["word-p256"]
    yield from ((f"{module}.sv", text) for module, text in emit_word_schemes(word).items())
    yield f"{harness_name(word)}.sv", harness(word)
    yield f"ports/{word.module}.sv", schemes_port_text(word)
    p = PRIME_PRESETS["toyp8-a"]
    yield f"words/{gfp_units.TOP}.sv", gfp_units.unit_text(p, gfp_units.multiplier(p))


@pytest.fixture(scope="module")
def used() -> set[str]:
    """The templates that were rendered, included and imported."""
    return set()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, used: set[str]) -> list[Path]:
    folder, env = tmp_path_factory.mktemp("made"), environment()
    get = env.get_template

    def seen(name: str, *rest: Any) -> Template:
        used.add(name)
        return get(name, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(env.filters, "connect", short)
        patch.setattr(farm_testbench, "_row", lambda *_: "'0")
        patch.setattr(env, "get_template", seen)
        texts = {name: text for name, text in made() if not Path(name).stem.endswith(PEAKRDL)}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def test_what_templates_make_keeps_the_rules_and_the_layout(files: list[Path]) -> None:
    clean, text = lint_style(files, RULES, LAYOUT)
    assert clean, text


def test_every_template_is_in_it(files: list[Path], used: set[str]) -> None:
    assert files
    templates = {
        f"{package}/{f.relative_to(folder).as_posix()}"
        for package, folder in FOLDERS.items()
        for f in folder.rglob("*.sv.j2")
    }
    assert templates - used == NOT_LAID_OUT


def test_a_unit_behind_the_bus_keeps_the_rules(tmp_path: Path) -> None:
    """Without its layout: the text is what its measured area is kept for."""
    top, text = area_text(unit(UNITS[0]), "lc")
    file = tmp_path / f"{top}.sv"
    file.write_text(text.removeprefix(area_text(unit(UNITS[0]), "tc")[1]), encoding="utf-8")
    clean, told = lint_style([file], RULES, LAYOUT)
    assert not clean
    assert told == f"{file}: Needs formatting."


@pytest.mark.parametrize(
    ("good", "bad"), [("  assign refuse", " assign refuse"), ("unused_tag", "UnusedTag")]
)
def test_what_a_template_makes_wrong_is_caught(files: list[Path], good: str, bad: str) -> None:
    (file,) = (f for f in files if f.stem == "ecsm_toy7_fast_axil")
    text = file.read_text(encoding="utf-8")
    try:
        file.write_text(text.replace(good, bad), encoding="utf-8")
        assert not lint_style([file], RULES, LAYOUT)[0]
    finally:
        file.write_text(text, encoding="utf-8")
