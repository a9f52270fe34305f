# SPDX-License-Identifier: Apache-2.0
"""A test top with many gfp_canon side by side, and redundant residues to try them on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product

from ecsm.curves.gfp.limbs import canon_latency, limbs_value

# Every register of one bit or packed, to be seen whether one is not zero; the limbs come beside.
REGISTERS = ("run_q", "pass_q", "count_q", "carry_q", "negative_q", "zero_q", "valid_q")
EVERY = 4096  # up to so many limb patterns are all tried


@dataclass(frozen=True)
class Canon:
    """Parameters of one gfp_canon: modulus, limbs, bits of a limb, of an input limb, MaxShift."""

    p: int
    count: int
    limb: int
    in_bits: int
    max_shift: int

    @property
    def bound(self) -> int:
        """What the value of the limbs must be below."""
        return self.p << self.max_shift + 1

    @property
    def latency(self) -> int:
        """Cycles from start_i to the result."""
        return canon_latency(self.count, self.max_shift)

    @property
    def port(self) -> int:
        """Bits of all input limbs."""
        return self.count * self.in_bits

    def value(self, limbs: Sequence[int]) -> int:
        """Return the value of limbs."""
        return limbs_value(limbs, self.limb)

    def parameters(self) -> str:
        """Return the named parameters of gfp_canon."""
        bits = self.p.bit_length()
        return (
            f".NumLimb({self.count}), .LimbW({self.limb}), .InW({self.in_bits}), .PW({bits}), "
            f".P({bits}'h{self.p:x}), .MaxShift({self.max_shift})"
        )


def redundant(c: Canon, value: int, rng: random.Random) -> list[int] | None:
    """Return limbs of that value, units moved to the limb below at random; None if it has none."""
    low = (1 << c.limb) - 1
    limbs = [value >> c.limb * i & low for i in range(c.count - 1)]
    limbs.append(value >> c.limb * (c.count - 1))
    for i in range(c.count - 1, 0, -1):
        room = ((1 << c.in_bits) - 1 - limbs[i - 1]) >> c.limb
        moved = min(room, limbs[i])
        # The top limb must give what it has no bits for.
        excess = max(0, limbs[i] - (1 << c.in_bits) + 1)
        if excess > moved:
            return None
        moved = max(excess, rng.choice([0, 1, moved, rng.randint(0, moved)]) if moved else 0)
        limbs[i] -= moved
        limbs[i - 1] += moved << c.limb
    return limbs if max(limbs) >> c.in_bits == 0 else None


def _candidates(c: Canon, rng: random.Random) -> Iterator[list[int] | None]:
    ones = (1 << c.in_bits) - 1
    for i in range(c.count + 1):
        yield [ones] * i + [0] * (c.count - i)
        yield [0] * i + [ones] * (c.count - i)
        yield [0 if j == i else ones for j in range(c.count)]
        yield [(1 << c.limb) - 1] * i + [1 << c.limb if c.in_bits > c.limb else 0] * (c.count - i)
    multiples = 2 << c.max_shift
    factors = range(multiples + 1) if multiples <= 16 else rng.sample(range(multiples + 1), 16)
    for m in sorted({*factors, 0, 1, 2, multiples // 2, multiples}):
        for v in (m * c.p - 1, m * c.p, m * c.p + 1):
            if v >= 0:
                yield from (redundant(c, v, rng) for _ in range(3))
    while True:
        yield redundant(c, rng.randrange(c.bound), rng)


def inputs(c: Canon, count: int, rng: random.Random) -> list[list[int]]:
    """Return allowed inputs: all of a toy's, else the edges and random ones, ``count`` together."""
    if c.port <= EVERY.bit_length() - 1:
        every = product(range(1 << c.in_bits), repeat=c.count)
        return [list(limbs) for limbs in every if c.value(limbs) < c.bound]
    found: list[list[int]] = []
    for limbs in _candidates(c, rng):
        if limbs is not None and c.value(limbs) < c.bound:
            found.append(limbs)
        if len(found) >= count:
            break
    return found


def canons_to_json(canons: Sequence[Canon]) -> str:
    """Return parameters as the environment variable's text."""
    return json.dumps([{**asdict(c), "p": hex(c.p)} for c in canons])


def canons_from_json(text: str) -> list[Canon]:
    """Return what :func:`canons_to_json` wrote."""
    return [Canon(**{**d, "p": int(d["p"], 16)}) for d in json.loads(text)]


def canon_top(canons: Sequence[Canon]) -> str:
    """Return the module ``canon_group``: the limbs, and the values, one instance after the other.

    busy_o[i]: a register of instance i is not zero.
    """
    n, body, at, to = len(canons), [], 0, 0
    for i, c in enumerate(canons):
        bits = c.p.bit_length()
        state = ", ".join(f"u_{i}.{r}" for r in REGISTERS)
        limbs = ", ".join(f"u_{i}.limb_q[{j}]" for j in range(c.count))
        body.append(f"""\
  logic [{c.in_bits - 1}:0] v_{i} [{c.count}];
  for (genvar j = 0; j < {c.count}; j++) begin : gen_{i}
    assign v_{i}[j] = v_i[{at}+j*{c.in_bits}+:{c.in_bits}];
  end
  gfp_canon #(
    {c.parameters()}
  ) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i), .start_i(start_i), .v_i(v_{i}),
    .value_o(value_o[{to}+:{bits}]), .zero_o(zero_o[{i}]), .valid_o(valid_o[{i}])
  );
  assign busy_o[{i}] = |{{{state}, {limbs}}};
""")
        at, to = at + c.port, to + bits
    return f"""\
module canon_group (
  input logic clk_i, input logic clear_i, input logic start_i, input logic [{at - 1}:0] v_i,
  output logic [{to - 1}:0] value_o, output logic [{n - 1}:0] zero_o,
  output logic [{n - 1}:0] valid_o, output logic [{n - 1}:0] busy_o
);
{"".join(body)}endmodule
"""
