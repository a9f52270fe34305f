# SPDX-License-Identifier: Apache-2.0
"""The segmented multiplier's gates and registers beside Table I of Khan and Benaissa, FPL 2015.

Table I, m bits in n segments of w = d bits: m^2 AND, m^2 + nm + 3m XOR, n(m + d) + m flip-flops.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ecsm.presets import binary_preset
from tests.rtl.common.netlist import synthesise

M, W = 163, 14
N = -(-M // W)
TABLE_ONE = {"AND": M * M, "XOR": M * M + N * M + 3 * M, "FF": N * (M + W) + M}


# The multiplier with the document's second rank, which in our engine is a register.
TOP = f"""\
module table_one (
  input logic clk_i, input logic [{M - 1}:0] a_i, b_i,
  output logic [{M - 1}:0] p_o
);
  logic [{M - 1}:0] p, p_q;
  gf2m_mul_segmented #(.M({M}), .Digit({W}), .Stages(2)) u_mul (
    .clk_i(clk_i), .a_i(a_i), .b_i(b_i), .p_o(p)
  );
  always_ff @(posedge clk_i) p_q <= p;
  assign p_o = p_q;
endmodule
"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """The gates of the multiplier."""
    found = synthesise("table_one", TOP, tmp_path_factory.mktemp("table_one"))
    return Counter({"AND": found.pop("$_AND_"), "XOR": found.pop("$_XOR_"), **found})


def test_table_one(cells: Counter[str]) -> None:
    assert N == 12
    assert [TABLE_ONE[gate] for gate in ("AND", "XOR", "FF")] == [26569, 29014, 2287]
    assert cells["AND"] == TABLE_ONE["AND"]
    # Schoolbook needs (m - 1)^2 XORs and the pentanomial 4(m - 1), m^2 + 2m - 3 together. The
    # table has nm + m + 3 more: it counts mw XORs for a segment, where w rows of m bits take
    # (m - 1)(w - 1).
    assert cells["XOR"] == (M - 1) ** 2 + 4 * (M - 1) == TABLE_ONE["XOR"] - (N * M + M + 3)
    # A product of m by w bits has m + w - 1, and the last segment has 9 bits of 14.
    last = M - (N - 1) * W
    assert cells["$_DFF_P_"] == TABLE_ONE["FF"] - N - (W - last)
    assert set(cells) == {"AND", "XOR", "$_DFF_P_"}


def test_latency_is_two_then_one() -> None:
    units = binary_preset("khan-benaissa").units
    assert (units.latency, units.interval) == (2, 1)
