# SPDX-License-Identifier: Apache-2.0
"""Test tops: many instances of one field module side by side, on flat ports.

One compiled simulator then covers a whole grid of parameters. Instance i has the bits
[i*W +: W] of every flat port whose element is W bits wide.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

Exponents = tuple[int, ...]

KINDS = {"serial": "MulSerial", "segmented": "MulSegmented", "karatsuba": "MulKaratsuba"}


@dataclass(frozen=True)
class Mul:
    """Parameters of one gf2m_mul."""

    kind: str
    digit: int = 1
    depth: int = 0
    stages: int = 1
    height: int = 0
    operand_reg: bool = False


@dataclass(frozen=True)
class MulGroup:
    """Multipliers over one field, and how they are tried: every operand pair, or ``count``."""

    m: int
    exponents: Exponents
    muls: tuple[Mul, ...]
    count: int = 0

    def to_json(self) -> str:
        """Return the group as the environment variable's text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> MulGroup:
        """Return the group that :meth:`to_json` wrote."""
        data = json.loads(text)
        muls = tuple(Mul(**mul) for mul in data.pop("muls"))
        return MulGroup(data["m"], tuple(data["exponents"]), muls, data["count"])


def poly_literal(m: int, exponents: Sequence[int]) -> str:
    """Return f = z^m + sum z^e as a literal of m + 1 bits."""
    return f"{m + 1}'h{sum(1 << e for e in {*exponents, m}):x}"


def mul_top(group: MulGroup) -> str:
    """Return the module ``mul_group``: start_i[N], a_i, b_i and p_o of N times m bits."""
    m, n = group.m, len(group.muls)
    body = []
    for i, mul in enumerate(group.muls):
        kind = f"gf2m_pkg::{KINDS[mul.kind]}"
        start, extra = f"start_i[{i}]", int(mul.operand_reg)
        if mul.operand_reg:  # the start comes in the cycle after the operands
            body.append(f"""
  logic start_{i}_q;
  always_ff @(posedge clk_i) start_{i}_q <= start_i[{i}] & ~clear_i;""")
            start = f"start_{i}_q"
        body.append(f"""
  gf2m_mul #(
    .M({m}), .Poly({poly_literal(m, group.exponents)}), .Kind({kind}),
    .Digit({mul.digit}), .Depth({mul.depth}), .Stages({mul.stages}), .Height({mul.height}),
    .OperandReg({extra})
  ) u_mul_{i} (
    .clk_i(clk_i), .start_i({start}), .clear_i(clear_i),
    .a_i(a_i[{i * m}+:{m}]), .b_i(b_i[{i * m}+:{m}]), .p_o(p_o[{i * m}+:{m}])
  );
  assign latency_o[{i * 16}+:16] =
      16'(gf2m_pkg::mul_latency({kind}, {m}, {mul.digit}, {mul.stages}) + {extra});
  assign interval_o[{i * 16}+:16] = 16'(gf2m_pkg::mul_interval({kind}, {m}, {mul.digit}));""")
    return f"""\
module mul_group (
  input logic clk_i, clear_i,
  input logic [{n}-1:0] start_i,
  input logic [{n * m}-1:0] a_i, b_i,
  output logic [{n * m}-1:0] p_o,
  output logic [{n * 16}-1:0] latency_o, interval_o
);
{"".join(body)}
endmodule
"""


def reduce_top(cases: Sequence[tuple[int, Exponents, int]], width: int) -> str:
    """Return the module ``reduce_group`` over (m, exponents, input width), ``width`` bits each."""
    n = len(cases)
    body = [
        f"""
  gf2m_reduce #(.M({m}), .Poly({poly_literal(m, exponents)}), .InWidth({in_width})) u_{i} (
    .c_i(c_i[{i * width}+:{in_width}]), .p_o(p_o[{i * width}+:{m}])
  );
  assign p_o[{i * width + m}+:{width - m}] = '0;"""
        for i, (m, exponents, in_width) in enumerate(cases)
    ]
    return f"""\
module reduce_group (input logic [{n * width}-1:0] c_i, output logic [{n * width}-1:0] p_o);
{"".join(body)}
endmodule
"""


def linear_top(m: int, matrices: Sequence[Sequence[int]], module: str = "gf2m_linear") -> str:
    """Return ``linear_group``: x_i of m bits, y_o of m bits from a ``module`` for each matrix."""
    body = []
    for i, columns in enumerate(matrices):
        flat = sum(column << (j * m) for j, column in enumerate(columns))
        body.append(f"""
  {module} #(.M({m}), .Matrix({m * m}'h{flat:x})) u_{i} (
    .x_i(x_i), .y_o(y_o[{i * m}+:{m}])
  );""")
    return f"""\
module linear_group (input logic [{m}-1:0] x_i, output logic [{m * len(matrices)}-1:0] y_o);
{"".join(body)}
endmodule
"""
