# SPDX-License-Identifier: Apache-2.0
"""Multipliers of more than a cycle, the adder for any prime: see gfp_serial_cocotb.py."""

from __future__ import annotations

import json

import pytest

from ecsm.hdl.engines.gfp import shape, unit_parameters
from ecsm.presets.gfp import PrimePreset
from ecsm.templates import render
from tests.rtl.cocotb_run import field_sources, run

REAL = {
    "P-224": 18, "P-256": 18, "secp256k1": 36, "P-384": 18, "P-521": 54, "brainpoolP256r1": 18,
}  # fmt: skip
TOYS = {"toyp5a": 3, "toyp7a": 4, "toyp6a": 1, "toyp8a": 2, "toyp8k": 4, "toyp9a": 3}
DENSE = ("brainpoolP256r1", "toyp6a", "toyp9a")  # primes without a sparse form


def top(p: PrimePreset) -> str:
    """Return a module with a preset's multiplier and adder on flat ports."""
    r, unit = p.residues, unit_parameters(p)
    offset = unit.pop("AddOffset", "")
    if p.kind == "montgomery":
        prime = {"PW": str(r.bits), "P": f"{r.bits}'h{r.p:x}"}
        unit |= prime
        adder, add = "gfp_add_table", {"S": unit["S"], **prime}
    else:
        adder, add = "gfp_add", {"S": unit["S"], "Fold": unit["Fold"], "Offset": offset}
    mul_text = ", ".join(f".{k}({v})" for k, v in unit.items())
    add_text = ", ".join(f".{k}({v})" for k, v in add.items())
    return f"""\
module gfp_serial (
  input logic clk_i, clear_i, start_i,
  input logic [{r.limbs}-1:0][{r.operand}-1:0] a_i, b_i,
  output logic [{r.limbs}-1:0][{r.register}-1:0] product_o, sum_o
);
{render("hdl/parts/shape.sv", shape=shape(p))}
  gfp_mul_{p.kind} #({mul_text}) u_mul (
    .clk_i(clk_i), .clear_i(clear_i), .start_i(start_i), .a_i(a_i), .b_i(b_i), .p_o(product_o)
  );
  {adder} #({add_text}) u_add (.clk_i(clk_i), .v_i(a_i), .q_o(sum_o));
endmodule
"""


def check(p: PrimePreset, count: int) -> None:
    r, u = p.residues, p.units
    env = {
        "p": r.p, "word": r.word, "limbs": r.limbs, "operand": r.operand, "register": r.register,
        "latency": u.latency, "interval": u.interval, "radix": r.radix, "most": r.most,
        "top": r.weight(r.limbs - 1), "count": count, "sum_latency": p.summing,
        "limit": [r.product_limit, r.sum_limit],
    }  # fmt: skip
    run(
        "gfp_serial",
        field_sources(),
        "tests.rtl.gfp.gfp_serial_cocotb",
        text=top(p),
        env={"GFP_UNITS": json.dumps(env)},
    )


@pytest.mark.parametrize("name", [name for name in REAL if name not in DENSE])
def test_columns_of_standard_primes(name: str) -> None:
    ranks = (7, 8, 9, 10) if REAL[name] == 18 else (6,)
    check(PrimePreset("unit", name, kind="column", step=REAL[name], ranks=ranks), 100)


EVEN = ("P-224", "P-256", "secp256k1", "P-384")


@pytest.mark.parametrize("name", EVEN)
def test_folded_of_standard_primes(name: str) -> None:
    ranks = (0, 1, 2, 3, 4, 7, 8, 10) if name == "P-256" else (1, 8)
    check(PrimePreset("unit", name, kind="folded", ranks=ranks), 100)


@pytest.mark.parametrize("name", ["toyp8a", "toyp8k", "toyp7a"])
def test_folded_of_toy_primes(name: str) -> None:
    check(PrimePreset("unit", name, kind="folded", digit=3, word=2, ranks=(0, 3, 9)), 400)


@pytest.mark.parametrize("name", REAL)
def test_montgomery_for_standard_primes(name: str) -> None:
    check(PrimePreset("unit", name, kind="montgomery", step=REAL[name]), 100)


@pytest.mark.parametrize("name", [name for name in TOYS if name not in DENSE])
def test_columns_of_toy_primes(name: str) -> None:
    toy = PrimePreset("unit", name, kind="column", step=TOYS[name], digit=3, word=2, ranks=(5, 9))
    check(toy, 400)


@pytest.mark.parametrize("name", TOYS)
def test_montgomery_for_toy_primes(name: str) -> None:
    toy = PrimePreset("unit", name, kind="montgomery", step=TOYS[name], digit=2, word=2)
    check(toy, 400)


@pytest.mark.parametrize("kind", ["column", "montgomery"])
def test_products_in_tables_and_sums_in_dsp_blocks(kind: str) -> None:
    places = {"multiplier_in": "lut", "adder_in": "dsp"}
    check(PrimePreset("unit", "P-224", kind=kind, ranks=(), **places), 100)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["column", "montgomery"])
def test_one_limb(kind: str) -> None:
    check(PrimePreset("unit", "toyp8a", kind=kind, step=7, digit=5, word=4, ranks=()), 400)
