# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_digits and its model: see digits_cocotb.py for what is asserted of the RTL."""

from __future__ import annotations

import random

import pytest

from ecsm.curves.gf2m.masked import recode
from ecsm.curves.recode import corrected, swaps
from ecsm.hdl.files import RTL
from tests.rtl.cocotb_run import run

FILE = RTL / "scalar" / "ecsm_scalar_digits.sv"


def digits_top(w: int, window: int) -> str:
    """Return the module ``digits_top``: ecsm_scalar_digits."""
    return f"""\
module digits_top (
  input logic clk_i, input logic clear_i, input logic load_i, input logic next_i,
  input logic [{w - 1}:0] scalar_i, output logic [{window - 2}:0] index_o,
  output logic negative_o
);
  ecsm_scalar_digits #(.W({w}), .Window({window})) u_dut (
    .clk_i(clk_i), .clear_i(clear_i), .load_i(load_i), .next_i(next_i), .scalar_i(scalar_i),
    .index_o(index_o), .negative_o(negative_o)
  );
endmodule
"""


@pytest.mark.parametrize(("w", "window"), [(1, 2), (7, 2), (8, 3), (256, 4)])
def test_scalar_digits(w: int, window: int) -> None:
    run(
        "digits_top",
        [FILE],
        "tests.rtl.scalar.digits_cocotb",
        text=digits_top(w, window),
        env={"W": str(w), "WINDOW": str(window)},
    )


@pytest.mark.parametrize("w", [2, 3, 4])
def test_the_models_digits_sum_to_the_scalar(w: int) -> None:
    rng = random.Random(w)
    for k in (0, 1, 2, 2**256 - 2, 2**256 - 1, *(rng.getrandbits(256) for _ in range(5))):
        count = -(-256 // w)
        first, *digits = reversed(corrected(k, count, w).digits)
        digits, names = digits[:count], digits[count:]
        assert sum(d << w * i for i, d in enumerate(digits)) - (first == -1) == k
        assert {abs(first)} | {d % 2 for d in digits} == {1}
        assert max(map(abs, digits)) < 1 << w
        assert names == list(range((1 << w) - 1, 0, -2))


def test_swaps_are_the_differences_of_the_shift_register() -> None:
    """Those of ecsm_scalar_shift but the last; the ladder's lowest bit is 0."""
    for k in range(256):
        assert [bool(d) for d in reversed(swaps(k, 8).digits)] == recode(k, 8)[:-1]
