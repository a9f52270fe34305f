# SPDX-License-Identifier: Apache-2.0
"""Which modules a preset elaborates, and what the prime engine can share with this one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.hdl.emit import emit
from ecsm.hdl.files import RTL
from ecsm.presets.store import binary_design
from tests.rtl.engine.netlist import instances, yosys
from tests.rtl.engine.tops import engine_file

SHARED = ("ecsm_sequencer", "ecsm_regfile", "ecsm_scalar_shift")
ARCHITECTURE = {
    "serial": "gf2m_mul_serial",
    "segmented": "gf2m_mul_segmented",
    "karatsuba": "gf2m_mul_karatsuba",
}


@pytest.mark.parametrize("preset", ["toy7-fast", "toy7-two", "toy7-small", "toy8-one"])
def test_preset_is_the_engine_and_its_own_multipliers(preset: str, tmp_path: Path) -> None:
    d = binary_design(preset)
    p = d.preset
    tree = instances(p.module, emit(d), tmp_path)
    architecture = ARCHITECTURE[p.multiplier.kind]

    assert tree[p.module] == {"gf2m_engine": 1}
    assert tree["gf2m_engine"] == {
        "ecsm_sequencer": 1,
        "ecsm_regfile": 1,
        "ecsm_scalar_shift": 1,
        "gf2m_gates": 1,
        "gf2m_mul": p.multipliers,
        "gf2m_form": 2 * p.multipliers + d.microcode.registers + 1,  # operands, registers, tester
    }
    assert set(tree["gf2m_form"]) == {"gf2m_linear"}
    assert tree["gf2m_mul"] == {architecture: p.multipliers, "gf2m_rank": p.multipliers}
    assert not set(tree) & (set(ARCHITECTURE.values()) - {architecture})


@pytest.mark.parametrize("module", SHARED)
def test_shared_module_instantiates_nothing(module: str, tmp_path: Path) -> None:
    d = binary_design("toy7-fast")
    assert not instances(d.preset.module, emit(d), tmp_path)[module]


@pytest.mark.parametrize("module", SHARED)
def test_shared_module_has_nothing_of_the_binary_field(module: str) -> None:
    text = engine_file(module).read_text("utf-8")
    code = re.sub(r"//.*", "", text)
    assert "gf2m" not in text.lower()
    assert "import" not in code.split()
    assert "::" not in code


@pytest.mark.parametrize("module", SHARED)
def test_shared_module_elaborates_alone(module: str, tmp_path: Path) -> None:
    yosys(
        tmp_path,
        f"read_slang --top {module} {engine_file(module)}",
        f"hierarchy -check -top {module}",
    )


def test_field_layer_knows_nothing_of_the_engine() -> None:
    for file in sorted((RTL / "field").glob("*.sv")):
        code = re.sub(r"//.*", "", file.read_text("utf-8"))
        assert not re.search(r"\becsm_|\bgf2m_(engine|form)", code), file.name
