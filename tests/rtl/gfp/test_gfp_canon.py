# SPDX-License-Identifier: Apache-2.0
"""gfp_canon and its model: see canon_cocotb.py for what is asserted of the RTL."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.curves import PrimeCurve, curve
from ecsm.curves.gfp.limbs import canon_latency, canonical, least_shift, limbs_value
from ecsm.hdl.files import rtl_file
from ecsm.sim.cache import verilator_env
from tests.rtl.cocotb_run import run
from tests.rtl.gfp.canon import Canon, canon_top, canons_to_json, inputs

FILE = rtl_file("gfp_canon")


def any_limbs(p: int, count: int, limb: int, in_bits: int) -> Canon:
    """Return the instance that takes any limbs."""
    return Canon(p, count, limb, in_bits, least_shift(count, limb, in_bits, p))


def prime(name: str) -> int:
    found = curve(name)
    assert isinstance(found, PrimeCurve)
    return found.p


TOYS = [
    any_limbs(31, 2, 4, 6), any_limbs(127, 2, 4, 6), any_limbs(251, 2, 4, 6),
    any_limbs(509, 3, 4, 4), any_limbs(509, 2, 4, 6), any_limbs(241, 2, 4, 5),
    Canon(251, 2, 4, 6, 0), Canon(251, 2, 4, 6, 1), Canon(31, 2, 4, 5, 2), Canon(13, 2, 4, 5, 0),
]  # fmt: skip
SHAPES = [
    any_limbs(509, 3, 4, 5), Canon(509, 3, 4, 6, 2),  # three limbs
    any_limbs(11, 1, 4, 6), Canon(251, 1, 8, 9, 1),  # one
    Canon(31, 4, 4, 5, 1), Canon(3, 3, 1, 2, 1),  # more than p has; limbs of a bit
    Canon(131, 3, 3, 5, 1), any_limbs(8191, 2, 8, 9),
]  # fmt: skip
P256, P521 = prime("P-256"), prime("P-521")
REAL = [
    any_limbs(P256, 4, 64, 66), any_limbs(P256, 4, 64, 65), Canon(P256, 4, 64, 64, 0),
    any_limbs(prime("secp256k1"), 4, 64, 66), Canon(prime("P-224"), 4, 64, 66, 3),
    any_limbs(prime("P-384"), 6, 64, 66), Canon(P521, 9, 64, 66, 3), Canon(P521, 9, 58, 61, 2),
    Canon(P256, 8, 32, 34, 3), Canon(P256, 16, 17, 18, 2), Canon(2**255 - 19, 4, 64, 67, 4),
]  # fmt: skip


def check(canons: list[Canon], count: int) -> None:
    run(
        "canon_group",
        [FILE],
        "tests.rtl.gfp.canon_cocotb",
        text=canon_top(canons),
        env={"CANONS": canons_to_json(canons), "CANON_COUNT": str(count)},
    )


def test_every_redundant_residue_of_toys() -> None:
    check(TOYS * 3, 0)


def test_other_shapes() -> None:
    check(SHAPES * 2, 1200)


def test_primes_of_the_standards() -> None:
    check(REAL, 400)


@pytest.mark.parametrize("c", [*TOYS, *SHAPES, *REAL])
def test_inputs_are_allowed_and_have_the_edges(c: Canon) -> None:
    made = inputs(c, 400, random.Random(1))
    values = {c.value(limbs) for limbs in made}
    assert all(0 <= v < c.bound for v in values)
    assert all(0 <= limb >> c.in_bits < 1 for limbs in made for limb in limbs)
    most = limbs_value([(1 << c.in_bits) - 1] * c.count, c.limb)
    edges = {0, 1, c.p - 1, c.p, c.p + 1, 2 * c.p - 1, most, c.bound - 1}
    assert {v for v in edges if v <= most and v < c.bound} <= values
    assert any(max(limbs) >> c.limb for limbs in made) or c.in_bits == c.limb


def test_the_model_is_the_remainder() -> None:
    assert canonical([0x3F, 0x3F], 4, 31) == (63 + 63 * 16) % 31
    assert limbs_value([1, 2, 3], 8) == 0x030201


@pytest.mark.parametrize("c", [*TOYS[:6], REAL[0], REAL[3], REAL[5]])
def test_the_least_shift_is_enough_and_no_more(c: Canon) -> None:
    most = limbs_value([(1 << c.in_bits) - 1] * c.count, c.limb)
    assert most < c.bound
    assert c.max_shift == 0 or most >= c.bound >> 1


def test_the_latency_is_that_of_the_header() -> None:
    assert canon_latency(4, least_shift(4, 64, 66, P256)) == 21


def lint(c: Canon, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "linted.sv"
    file.write_text(f"""\
module linted (
  input logic clk_i, input logic clear_i, input logic start_i,
  input logic [{c.in_bits - 1}:0] v_i [{c.count}],
  output logic [{c.p.bit_length() - 1}:0] value_o, output logic zero_o, output logic valid_o
);
  gfp_canon #(
    {c.parameters()}
  ) u_dut (.*);
endmodule
""")
    command = ["verilator", "--quiet", "--lint-only", "-Wall", "--top-module", "linted"]
    return subprocess.run(
        [*command, str(FILE), str(file)], capture_output=True, text=True, check=False,
        env=verilator_env(),
    )  # fmt: skip


@pytest.mark.parametrize("c", [*TOYS[:4], *SHAPES, *REAL])
def test_elaborates_without_a_warning(c: Canon, tmp_path: Path) -> None:
    done = lint(c, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "change",
    [{"p": P256 - 1}, {"in_bits": 63}, {"in_bits": 69}, {"max_shift": 4}, {"count": 3}],
    ids=str,
)
def test_bad_parameters_are_refused(change: dict[str, int], tmp_path: Path) -> None:
    done = lint(replace(REAL[0], **change), tmp_path)
    assert "gfp_canon: P must be odd" in done.stderr
