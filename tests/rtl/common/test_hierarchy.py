# SPDX-License-Identifier: Apache-2.0
"""Which modules a preset elaborates, and what the engines of both kinds of field share."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from ecsm.cores.store import binary_design, design, prime_design
from ecsm.hdl.emit import emit
from ecsm.hdl.files import RTL, rtl_file
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.schedule.gfp.types import BANKS
from tests.rtl.common.netlist import instances, yosys

SHARED = (
    "ecsm_sequencer",
    "ecsm_regfile",
    "ecsm_scalar_shift",
    "ecsm_scalar_window",
    "ecsm_scalar_glv",
    "ecsm_scalar_digits",
    "ecsm_scalar_comb",
)
BOTH = {"ecsm_sequencer"}  # in either engine; registers are flip-flops here and memories there
PRIME_TOYS = [n for n, p in PRIME_PRESETS.items() if n.startswith("toy") and not p.masked]
ARCHITECTURE = {
    "serial": "gf2m_mul_serial",
    "segmented": "gf2m_mul_segmented",
    "karatsuba": "gf2m_mul_karatsuba",
}
SCALAR = {
    "window": "ecsm_scalar_window",
    "halves": "ecsm_scalar_glv",
    "digits": "ecsm_scalar_digits",
    "ladder": "ecsm_scalar_shift",
}
MULTIPLIER = {
    "whole": "gfp_mul",
    "column": "gfp_mul_column",
    "folded": "gfp_mul_folded",
    "montgomery": "gfp_mul_montgomery",
}


@pytest.mark.parametrize("preset", ["toy7-fast", "toy7-two", "toy7-small", "toy8-one"])
def test_preset_is_the_engine_and_its_own_multipliers(preset: str, tmp_path: Path) -> None:
    d = binary_design(preset)
    p = d.preset
    tree = instances(p.module, emit(d), tmp_path)
    architecture = ARCHITECTURE[p.multiplier.kind]

    assert tree[p.module] == {"gf2m_engine": 1}
    assert tree["gf2m_engine"] == {
        "ecsm_front": 1,
        "ecsm_regfile": 1,
        "ecsm_scalar_shift": 1,
        "gf2m_gates": 1,
        "gf2m_mul": p.multipliers,
        "gf2m_form": 2 * p.multipliers + d.microcode.registers + 1,  # operands, registers, tester
    }
    assert tree["ecsm_front"] == {"ecsm_sequencer": 1}
    assert set(tree["gf2m_form"]) == {"gf2m_linear"}
    assert tree["gf2m_mul"] == {architecture: p.multipliers, "ecsm_rank": p.multipliers}
    assert not set(tree) & (set(ARCHITECTURE.values()) - {architecture})


def prime_tree(name: str, folder: Path) -> dict[str, Counter[str]]:
    d = prime_design(name)
    return instances(d.preset.module, emit(d), folder)


def test_masked_preset_is_its_engine(tmp_path: Path) -> None:
    tree = prime_tree("toyp8-c-full", tmp_path)
    assert tree["ecsm_toyp8_c_full"] == {"gfp_masked": 1}
    assert tree["gfp_masked"] == {
        "ecsm_front": 1,
        "gfp_masked_control": 1,
        "gfp_masks": 1,
        "gfp_range": 1,
        "gfp_datapath": 1,
        "gfp_divsteps": 1,
        "gfp_masked_answers": 1,
    }
    assert tree["ecsm_front"] == {"ecsm_sequencer": 1, "ecsm_front_check": 1}
    assert tree["ecsm_front_check"] == {"ecsm_sequencer": 1}
    assert tree["gfp_masks"] == {"ecsm_random_pool": 1, "ecsm_stream_shift": 2}
    assert not {"gfp_engine", "gfp_control", "gfp_jobs", "gfp_scalars"} & set(tree)


@pytest.mark.parametrize("preset", PRIME_TOYS)
def test_prime_preset_is_its_engine(preset: str, tmp_path: Path) -> None:
    p = prime_design(preset).preset
    tree = prime_tree(preset, tmp_path)
    assert tree[p.module] == {"gfp_engine": 1}
    assert tree["gfp_engine"] == {
        "gfp_control": 1,
        "gfp_scalars": 1,
        "gfp_jobs": 1,
        "gfp_request": 1,
        "gfp_datapath": 1,
        "gfp_divsteps": 1,
        "gfp_answers": 1,
    }
    assert tree["gfp_request"] == {"gfp_range": 1}
    assert tree["gfp_control"] == {"ecsm_sequencer": 2 if p.columns else 1}
    if p.columns:
        assert tree["gfp_scalars"].pop("ecsm_scalar_base") == 1
        assert tree["ecsm_scalar_base"] == {"ecsm_scalar_comb": 1}
    if p.double:
        b = "ecsm_scalar_glv" if p.endomorphism else "ecsm_scalar_window"
        assert tree["gfp_scalars"] == {"ecsm_scalar_double": 1}
        assert tree["ecsm_scalar_double"] == {"ecsm_scalar_comb": 1, b: 1}
    elif not p.endomorphism or p.threads == 1:
        assert tree["gfp_scalars"] == {SCALAR[p.scalar_unit]: p.threads}
    else:
        assert tree["gfp_scalars"] == {"ecsm_scalar_threads": 1}
        assert tree["ecsm_scalar_threads"] == {"ecsm_scalar_glv": 1}  # for all threads
    assert tree["gfp_answers"] == {"gfp_canon": 1}
    ranks = tree["gfp_datapath"].pop("ecsm_rank")  # those of operands read ahead
    assert ranks
    assert tree["gfp_datapath"] == {
        "ecsm_bank": BANKS,
        "gfp_form": 3,  # two operands of the multiplier, one of the adder
        MULTIPLIER[p.kind]: 1,
        "gfp_add_table" if p.kind == "montgomery" else "gfp_add": 1,
        "gfp_table": 1,
    }
    assert set(tree["gfp_form"]) == {"ecsm_rank"}
    if p.kind in ("whole", "folded"):
        assert tree["gfp_product"]["gfp_limb_mul"] == len(p.scheme.picks)
    else:
        assert tree["gfp_digits"]["gfp_limb_mul"] == p.residues.limbs
    if p.kind == "montgomery":  # q M beside a b
        assert tree["gfp_mul_montgomery"]["gfp_limb_mul"] == p.residues.limbs
    assert ("gfp_reduce" in tree) == (p.kind != "montgomery")
    assert not {m for m in tree if m.startswith("gf2m")}


def test_both_fields_share_modules_that_know_none(tmp_path: Path) -> None:
    d = binary_design("toy7-fast")
    folders = [tmp_path / "binary", tmp_path / "prime"]
    for folder in folders:
        folder.mkdir()
    binary = instances(d.preset.module, emit(d), folders[0])
    prime = prime_tree(PRIME_TOYS[0], folders[1])
    assert not BOTH - (binary.keys() & prime.keys())
    assert not {m for m in binary if m.startswith("gfp")}
    for module in BOTH:
        assert not binary[module]
        assert not prime[module]


@pytest.mark.parametrize(
    ("module", "preset"),
    [
        ("ecsm_scalar_shift", "toy7-fast"),
        ("ecsm_scalar_window", "toyp8-k"),
        ("ecsm_scalar_glv", "toyp8-glv"),
        ("ecsm_scalar_digits", "toyp7-d"),
        ("ecsm_scalar_shift", "toyp7-x"),
        ("ecsm_scalar_comb", "toyp7-v"),
    ],
)
def test_a_scalars_register_instantiates_nothing(module: str, preset: str, tmp_path: Path) -> None:
    d = design(preset)
    tree = instances(d.preset.module, emit(d), tmp_path)
    assert module in tree
    assert not tree[module]


@pytest.mark.parametrize("module", SHARED)
def test_shared_module_has_nothing_of_a_field(module: str) -> None:
    text = rtl_file(module).read_text("utf-8")
    code = re.sub(r"//.*", "", text)
    assert not re.search("gf2m|gfp", code.lower())
    assert "import" not in code.split()
    assert "::" not in code


@pytest.mark.parametrize("module", SHARED)
def test_shared_module_elaborates_alone(module: str, tmp_path: Path) -> None:
    yosys(
        tmp_path,
        f"read_slang --top {module} {rtl_file(module)}",
        f"hierarchy -check -top {module}",
    )


def test_field_layer_knows_nothing_of_the_engine() -> None:
    for file in sorted(RTL.glob("*/field/*.sv")):
        code = re.sub(r"//.*", "", file.read_text("utf-8"))
        assert not re.search(
            r"\becsm_(?!rank)|\b(gf2m|gfp)_(engine|form|datapath|table|bank)", code
        ), file.name
