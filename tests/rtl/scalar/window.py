# SPDX-License-Identifier: Apache-2.0
"""A test top with many ecsm_scalar_window side by side on one scalar port."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

# Every register, to be seen whether one is not zero.
REGISTERS = (
    "state_q", "bits_q", "count_q", "odd_q", "above_q", "negate_q", "carry_q", "zero_q",
    "negative_q",
)  # fmt: skip
INDEX = 8  # bits of an instance's digit in index_o


@dataclass(frozen=True)
class Window:
    """Parameters of one ecsm_scalar_window: order, bits of a window, bits prepared a cycle."""

    n: int
    w: int
    chunk: int

    @property
    def bits(self) -> int:
        """Bits of the scalar port, W."""
        return self.n.bit_length()


def windows_to_json(windows: Sequence[Window]) -> str:
    """Return parameters as the environment variable's text."""
    return json.dumps([{**asdict(w), "n": hex(w.n)} for w in windows])


def windows_from_json(text: str) -> list[Window]:
    """Return what :func:`windows_to_json` wrote."""
    return [Window(**{**d, "n": int(d["n"], 16)}) for d in json.loads(text)]


def window_top(windows: Sequence[Window]) -> str:
    """Return the module ``window_group``.

    Instance i takes the low bits of scalar_i and bit i of the flat ports; its index is at
    index_o[8i +: 8]. busy_o[i]: one of its registers is not zero.
    """
    count = len(windows)
    body = []
    for i, w in enumerate(windows):
        state = ", ".join(f"u_{i}.{r}" for r in REGISTERS)
        body.append(f"""\
  logic [{w.w - 2}:0] index_{i};
  ecsm_scalar_window #(
    .W({w.bits}), .Window({w.w}), .N({w.bits}'h{w.n:x}), .Chunk({w.chunk})
  ) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i[{i}]), .load_i(load_i[{i}]), .next_i(next_i[{i}]),
    .scalar_i(scalar_i[{w.bits - 1}:0]), .index_o(index_{i}),
    .negative_o(negative_o[{i}]), .zero_o(zero_o[{i}]), .negate_o(negate_o[{i}])
  );
  assign index_o[{i * INDEX}+:{INDEX}] = {INDEX}'(index_{i});
  assign busy_o[{i}] = |{{{state}}};
""")
    return f"""\
module window_group (
  input logic clk_i, input logic [{count - 1}:0] clear_i, input logic [{count - 1}:0] load_i,
  input logic [{count - 1}:0] next_i, input logic [{max(w.bits for w in windows) - 1}:0] scalar_i,
  output logic [{count * INDEX - 1}:0] index_o, output logic [{count - 1}:0] negative_o,
  output logic [{count - 1}:0] zero_o, output logic [{count - 1}:0] negate_o,
  output logic [{count - 1}:0] busy_o
);
{"".join(body)}endmodule
"""
