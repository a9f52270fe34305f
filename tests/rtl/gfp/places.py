# SPDX-License-Identifier: Apache-2.0
"""A test top with gfp_digit_mul and gfp_sum of many widths, in both places."""

from __future__ import annotations

from itertools import product

PRODUCTS = tuple(product((1, 2, 3, 4, 17, 18), (0, 1)))  # width, InDsp
# One lane, two, three, four.
SUMS = tuple(product((1, 2, 3, 4, 23, 24, 25, 46, 47, 48, 66, 70, 71, 93, 94), (0, 1)))
WIDTH = 94


def top() -> str:
    """Return the module ``places``: all take the low bits of a_i and b_i; one after the other."""
    body, at = [], 0
    for w, place in PRODUCTS:
        body.append(f"""
  gfp_digit_mul #(.W({w}), .InDsp({place})) u_p_{w}_{place} (
    .a_i(a_i[{w}-1:0]), .b_i(b_i[{w}-1:0]), .p_o(p_o[{at}+:{2 * w}])
  );""")
        at += 2 * w
    at = 0
    for w, place in SUMS:
        body.append(f"""
  gfp_sum #(.NumLimb(1), .W({w}), .InDsp({place})) u_s_{w}_{place} (
    .clk_i(clk_i), .a_i(a_i[{w}-1:0]), .b_i(b_i[{w}-1:0]), .s_o(s_o[{at}+:{w}])
  );""")
        at += w
    return f"""\
module places (
  input logic clk_i, input logic [{WIDTH}-1:0] a_i, b_i,
  output logic [{sum(2 * w for w, _ in PRODUCTS)}-1:0] p_o,
  output logic [{sum(w for w, _ in SUMS)}-1:0] s_o
);{"".join(body)}
endmodule
"""
