# SPDX-License-Identifier: Apache-2.0
"""Test top of gfp_divsteps: many instances side by side, on flat ports.

An instance has its limbs in a field of g_i, and all its outputs in one of
out_o: from the lowest bit up u, v, q, r, negative, busy. same_o: whether out_o is want_i.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ecsm.curves.gfp.divsteps import Divsteps, Matrix


@dataclass(frozen=True)
class Lane:
    """Parameters of one gfp_divsteps."""

    p: int
    num_limb: int
    limb_w: int
    in_w: int
    batch: int
    per_cycle: int
    batches: int
    rest: int = 0

    @staticmethod
    def enough(
        p: int,
        num_limb: int,
        limb_w: int,
        in_w: int,
        batch: int,
        per_cycle: int,
        g_max: int = 0,
        rest: int = 0,
    ) -> Lane:
        """Return a lane with batches enough for ``g_max``, or for all that its limbs can have."""
        g_max = g_max or sum((1 << in_w) - 1 << limb_w * i for i in range(num_limb))
        unit = Divsteps.enough(p, g_max, batch, per_cycle)
        return Lane(p, num_limb, limb_w, in_w, batch, per_cycle, unit.batches, rest)

    @property
    def unit(self) -> Divsteps:
        """Timing and mathematics."""
        return Divsteps(self.batch, self.per_cycle, self.batches, self.rest)

    @property
    def g_width(self) -> int:
        """Bits of the lane in g_i."""
        return self.num_limb * self.in_w

    @property
    def entry_width(self) -> int:
        """Bits of u, v, q and r."""
        return self.batch + 2

    @property
    def out_width(self) -> int:
        """Bits of the lane in out_o."""
        return 4 * self.entry_width + 2

    def value(self, limbs: Sequence[int]) -> int:
        """Return g of its limbs."""
        return sum(limb << self.limb_w * i for i, limb in enumerate(limbs))

    def limbs(self, value: int) -> list[int]:
        """Return limbs of a value, all but the top one below 2^limb_w."""
        shifts = range(0, self.limb_w * (self.num_limb - 1), self.limb_w)
        low = [value >> shift & ((1 << self.limb_w) - 1) for shift in shifts]
        return [*low, value >> self.limb_w * (self.num_limb - 1)]

    def pack_matrix(self, m: Matrix) -> int:
        """Return u, v, q, r as they stand in out_o."""
        mask = (1 << self.entry_width) - 1
        entries = (m.u, m.v, m.q, m.r)
        return sum((x & mask) << self.entry_width * i for i, x in enumerate(entries))

    def unpack_matrix(self, flat: int) -> Matrix:
        """Return the matrix that stands in out_o."""
        w = self.entry_width
        raw = [flat >> w * i & ((1 << w) - 1) for i in range(4)]
        return Matrix(*(x - (x >> (w - 1) << w) for x in raw))


def to_json(lanes: Sequence[Lane]) -> str:
    """Return lanes as the environment variable's text."""
    return json.dumps([asdict(lane) for lane in lanes])


def from_json(text: str) -> list[Lane]:
    """Return the lanes that :func:`to_json` wrote."""
    return [Lane(**lane) for lane in json.loads(text)]


def offsets(widths: Sequence[int]) -> list[int]:
    """Return where each field of a flat port begins, and its width in the end."""
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width)
    return starts


def divsteps_top(lanes: Sequence[Lane]) -> str:
    """Return the module ``divsteps_group``."""
    g_at, out_at = offsets([s.g_width for s in lanes]), offsets([s.out_width for s in lanes])
    body = []
    for i, lane in enumerate(lanes):
        w, at = lane.entry_width, out_at[i]
        ports = [f".{x}_o(out_o[{at + w * k}+:{w}])" for k, x in enumerate("uvqr")]
        body.append(f"""
  logic [{lane.in_w}-1:0] g_{i} [{lane.num_limb}];
  for (genvar k = 0; k < {lane.num_limb}; k++) begin : gen_{i}
    assign g_{i}[k] = g_i[{g_at[i]}+{lane.in_w}*k+:{lane.in_w}];
  end
  gfp_divsteps #(
    .NumLimb({lane.num_limb}), .LimbW({lane.limb_w}), .InW({lane.in_w}),
    .Modulus({lane.num_limb * lane.limb_w}'h{lane.p:x}),
    .Batch({lane.batch}), .PerCycle({lane.per_cycle}), .NumBatch({lane.batches}),
    .Rest({lane.rest})
  ) u_divsteps_{i} (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(clear_i), .start_i(start_i), .g_i(g_{i}),
    {", ".join(ports)},
    .negative_o(out_o[{at + 4 * w}]), .busy_o(out_o[{at + 4 * w + 1}])
  );""")
    return f"""\
module divsteps_group (
  input logic clk_i, rst_ni, clear_i, start_i,
  input logic [{g_at[-1]}-1:0] g_i,
  input logic [{out_at[-1]}-1:0] want_i,
  output logic [{out_at[-1]}-1:0] out_o,
  output logic same_o
);
  assign same_o = out_o == want_i;
{"".join(body)}
endmodule
"""
