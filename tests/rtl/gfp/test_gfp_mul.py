# SPDX-License-Identifier: Apache-2.0
"""gfp_mul and gfp_add against Python's integers: see gfp_mul_cocotb.py for what is asserted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ecsm.hdl.engines.gfp import shape, unit_parameters
from ecsm.presets.gfp import PrimePreset
from ecsm.templates import render
from tests.rtl.cocotb_run import field_sources, run

ALL = tuple(range(11))
REAL = {
    "P-224": ALL,
    "P-256": ALL,
    "secp256k1": (1, 3, 8),
    "P-384": (0, 1, 2, 3, 5, 8),
    "P-521": (1, 4, 6, 10),
    "edwards25519": (0, 1, 2, 3, 6, 8, 10),
}
TOYS = {"toyp5a": (), "toyp7a": (1, 7, 9), "toyp8a": (0, 10), "toyp8k": ALL}


def top(p: PrimePreset) -> str:
    """Return a module with the multiplier and the adder on flat ports."""
    r = p.residues
    unit = unit_parameters(p)
    add = {"S": unit["S"], "Fold": unit["Fold"], "Offset": unit.pop("AddOffset")}
    mul_text = ", ".join(f".{k}({v})" for k, v in unit.items())
    add_text = ", ".join(f".{k}({v})" for k, v in add.items())
    limbs, op, reg = r.limbs, r.operand, r.register
    return f"""\
module gfp_units (
  input logic clk_i,
  input logic [{limbs}-1:0][{op}-1:0] a_i, b_i,
  output logic [{limbs}-1:0][{reg}-1:0] product_o, sum_o
);
{render("hdl/parts/shape.sv", shape=shape(p))}
  gfp_mul #({mul_text}) u_mul (.clk_i(clk_i), .a_i(a_i), .b_i(b_i), .p_o(product_o));
  gfp_add #({add_text}) u_add (.clk_i(clk_i), .v_i(a_i), .q_o(sum_o));
endmodule
"""


def check(p: PrimePreset, count: int) -> None:
    r = p.residues
    env = {
        "p": r.p, "word": r.word, "limbs": r.limbs, "operand": r.operand, "register": r.register,
        "latency": 1 + len(p.ranks), "most": r.most, "count": count, "sum_latency": p.summing,
        "limit": [r.product_limit, r.sum_limit],
    }  # fmt: skip
    run(
        "gfp_units",
        field_sources(),
        "tests.rtl.gfp.gfp_mul_cocotb",
        text=top(p),
        env={"GFP_UNITS": json.dumps(env)},
    )


@pytest.mark.parametrize("name", REAL)
def test_standard_primes(name: str) -> None:
    check(PrimePreset("unit", name, ranks=REAL[name]), 400)


@pytest.mark.parametrize("name", TOYS)
def test_toy_primes(name: str) -> None:
    check(PrimePreset("unit", name, ranks=TOYS[name], digit=3, word=2), 4000)


@pytest.mark.parametrize("name", ["P-256", "P-384"])
def test_products_in_tables_and_sums_in_dsp_blocks(name: str) -> None:
    check(PrimePreset("unit", name, ranks=REAL[name], multiplier_in="lut", adder_in="dsp"), 400)


def test_one_limb_and_other_digits() -> None:
    one = PrimePreset("unit", "toyp8a", ranks=(2,), digit=5, word=4)
    check(one, 1000)
    check(replace(one, curve_name="toyp9a", word=3, digit=3, ranks=(0, 3, 4, 6)), 1000)
