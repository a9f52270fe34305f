# SPDX-License-Identifier: Apache-2.0
"""A test top with many scalar units side by side on one scalar port."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ecsm.curves.endomorphism import Decomposition
from ecsm.curves.recode import WindowRecoding, recode_window, window_digits, window_latency
from ecsm.hdl.residue_emit import halves_parameters

INDEX = 8  # bits of an instance's digit in index_o


@dataclass(frozen=True)
class Window:
    """Parameters of one ecsm_scalar_window: order, bits of a window, bits prepared a cycle."""

    n: int
    w: int
    chunk: int

    # Every register, to be seen whether one is not zero.
    registers = (
        "state_q", "bits_q", "count_q", "odd_q", "above_q", "negate_q", "carry_q", "zero_q",
        "negative_q",
    )  # fmt: skip
    module = "ecsm_scalar_window"

    @property
    def bits(self) -> int:
        """Bits of the scalar port, W."""
        return self.n.bit_length()

    @property
    def latency(self) -> int:
        """Cycles from load_i to the top digit."""
        return window_latency(self.n, self.chunk)

    @property
    def count(self) -> int:
        """Digits that are handed out."""
        return window_digits(self.n, self.w)

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        return recode_window(k, self.n, self.w)

    def value(self, digits: Sequence[int]) -> int:
        """What digits, the lowest first, are worth."""
        return sum(d << self.w * i for i, d in enumerate(digits))

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        n = f"{self.bits}'h{self.n:x}"
        return {"W": str(self.bits), "Window": str(self.w), "N": n, "Chunk": str(self.chunk)}


@dataclass(frozen=True)
class Halves:
    """Parameters of one ecsm_scalar_glv: order, root, bits of a window and of a word, place."""

    n: int
    lam: int
    w: int
    word: int
    in_dsp: int = 1

    registers = (
        "mul_q", "add_q", "scalar_q", "quotient_q", "half_q", "product_q", "column_q", "rest_q",
        "odd_q", "nought_q", "equal_q", "loaded_q",
    )  # fmt: skip
    module = "ecsm_scalar_glv"

    @property
    def model(self) -> Decomposition:
        """The model."""
        return Decomposition(self.n, self.lam, self.w, self.word)

    @property
    def bits(self) -> int:
        """Bits of the scalar port, W."""
        return self.n.bit_length()

    @property
    def latency(self) -> int:
        """Cycles from load_i to the top digit."""
        return self.model.latency

    @property
    def count(self) -> int:
        """Digits that are handed out."""
        return 2 * self.model.digits

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        return self.model.recode(k)

    def value(self, digits: Sequence[int]) -> int:
        """What digits, the lowest first, are worth."""
        k2, k1 = (sum(d << self.w * i for i, d in enumerate(digits[j::2])) for j in (0, 1))
        return k1 + k2 * self.lam

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        n = f"{self.bits}'h{self.n:x}"
        own = {"W": str(self.bits), "Window": str(self.w), "N": n, "InDsp": str(self.in_dsp)}
        return own | halves_parameters(self.model)


Unit = Window | Halves


def units_to_json(units: Sequence[Unit]) -> str:
    """Return parameters as the environment variable's text."""
    return json.dumps([{k: hex(v) for k, v in asdict(u).items()} for u in units])


def units_from_json(text: str) -> list[Unit]:
    """Return what :func:`units_to_json` wrote."""
    rows = [{k: int(v, 16) for k, v in d.items()} for d in json.loads(text)]
    return [Halves(**d) if "lam" in d else Window(**d) for d in rows]


def assigned(unit: Unit) -> str:
    """Return the parameters as an instance has them."""
    return ", ".join(f".{k}({v})" for k, v in unit.parameters().items())


def unit_top(units: Sequence[Unit]) -> str:
    """Return the module ``unit_group``.

    Instance i takes the low bits of scalar_i and bit i of the flat ports; its index is at
    index_o[8i +: 8]. busy_o[i]: one of its registers is not zero.
    """
    count = len(units)
    body = []
    for i, u in enumerate(units):
        state = ", ".join(f"u_{i}.{r}" for r in u.registers)
        body.append(f"""\
  logic [{u.w - 2}:0] index_{i};
  {u.module} #({assigned(u)}) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i[{i}]), .load_i(load_i[{i}]), .next_i(next_i[{i}]),
    .scalar_i(scalar_i[{u.bits - 1}:0]), .index_o(index_{i}),
    .negative_o(negative_o[{i}]), .zero_o(zero_o[{i}]), .negate_o(negate_o[{i}])
  );
  assign index_o[{i * INDEX}+:{INDEX}] = {INDEX}'(index_{i});
  assign busy_o[{i}] = |{{{state}}};
""")
    return f"""\
module unit_group (
  input logic clk_i, input logic [{count - 1}:0] clear_i, input logic [{count - 1}:0] load_i,
  input logic [{count - 1}:0] next_i, input logic [{max(u.bits for u in units) - 1}:0] scalar_i,
  output logic [{count * INDEX - 1}:0] index_o, output logic [{count - 1}:0] negative_o,
  output logic [{count - 1}:0] zero_o, output logic [{count - 1}:0] negate_o,
  output logic [{count - 1}:0] busy_o
);
{"".join(body)}endmodule
"""
