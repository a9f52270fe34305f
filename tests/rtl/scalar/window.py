# SPDX-License-Identifier: Apache-2.0
"""A test top with many scalar units side by side on one scalar port."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ecsm.curves.comb import Comb, interleave
from ecsm.curves.gfp.endomorphism import Decomposition
from ecsm.curves.recode import (
    WindowRecoding,
    recode_window,
    upward,
    window_digits,
    window_latency,
)
from ecsm.hdl.engines.gfp import halves_parameters

INDEX = 12  # bits of an instance's digit in index_o


OF_COMB = ("run_q", "loaded_q", "count_q", "even_q", "carry_q", "bits_q", "minus_q")


@dataclass(frozen=True)
class Window:
    """Parameters of one ecsm_scalar_window: order, bits of a window, bits prepared a cycle, way."""

    n: int
    w: int
    chunk: int
    upward: int = 0

    # Every register, to be seen whether one is not zero.
    registers = (
        "state_q", "bits_q", "count_q", "odd_q", "above_q", "negate_q", "carry_q", "zero_q",
        "negative_q", "behind_q",
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
        return window_digits(self.n, self.w) + (1 << self.w - 1) * self.upward

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        recoded = recode_window(k, self.n, self.w)
        return upward(recoded, self.w) if self.upward else recoded

    def value(self, digits: Sequence[int]) -> int:
        """What digits, in the model's order, are worth."""
        if self.upward:
            digits = digits[: (1 << self.w - 1) - 1 : -1]
        return sum(d << self.w * i for i, d in enumerate(digits))

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        n = f"{self.bits}'h{self.n:x}"
        own = {"W": str(self.bits), "Window": str(self.w), "N": n, "Chunk": str(self.chunk)}
        return own | {"Upward": str(self.upward)}


@dataclass(frozen=True)
class Halves:
    """Parameters of one ecsm_scalar_glv: order, root, bits of window and word, place, way."""

    n: int
    lam: int
    w: int
    word: int
    in_dsp: int = 1
    upward: int = 0

    registers = (
        "mul_q", "add_q", "scalar_q", "quotient_q", "half_q", "product_q", "column_q", "rest_q",
        "odd_q", "nought_q", "equal_q", "loaded_q", "behind_q",
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
        return 2 * self.model.digits + (1 << self.w - 1) * self.upward

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        return self.model.recode(k, bool(self.upward))

    def value(self, digits: Sequence[int]) -> int:
        """What digits, in the model's order, are worth."""
        if self.upward:  # pairs of the highest first, behind the names
            digits = digits[(1 << self.w - 1) :]
            digits = [d for i in range(len(digits) - 2, -1, -2) for d in digits[i : i + 2]]
        k2, k1 = (sum(d << self.w * i for i, d in enumerate(digits[j::2])) for j in (0, 1))
        return k1 + k2 * self.lam

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        n = f"{self.bits}'h{self.n:x}"
        own = {"W": str(self.bits), "Window": str(self.w), "N": n, "InDsp": str(self.in_dsp)}
        own |= {"Upward": "1"} if self.upward else {}  # ecsm_scalar_threads has the same but this
        return own | halves_parameters(self.model)


@dataclass(frozen=True)
class Double:
    """Parameters of one ecsm_scalar_double; ``lam``: 0, or b is in halves of words of ``word``."""

    n: int
    w: int
    groups: int
    chunk: int
    lam: int
    word: int

    module = "ecsm_scalar_double"

    @property
    def registers(self) -> tuple[str, ...]:
        """Every register, by its place in the instance."""
        where = "gen_halves" if self.lam else "gen_window"
        return (
            "turn_q",
            *(f"u_a.{name}" for name in OF_COMB),
            *(f"{where}.u_b.{name}" for name in self.b.registers),
        )

    @property
    def b(self) -> Window | Halves:
        """The unit of b."""
        if self.lam:
            return Halves(self.n, self.lam, self.w, self.word)
        return Window(self.n, self.w, self.chunk)

    @property
    def comb(self) -> Comb:
        """The comb of a: a column for each window of b, or of its halves."""
        return Comb(self.n, self.b.count // (2 if self.lam else 1), self.groups)

    @property
    def entries(self) -> int:
        """Entries of b's digits, before those of the comb."""
        return 1 << (self.w - 1)

    @property
    def first(self) -> int:
        """The first entry of the comb's highest group, which is shown at first."""
        return self.entries + (self.groups - 1) * self.comb.entries

    @property
    def bits(self) -> int:
        """Bits of the scalar port: a above b."""
        return 2 * self.n.bit_length()

    @property
    def latency(self) -> int:
        """Cycles from load_i to the top digit."""
        return max(self.b.latency, self.comb.latency(self.chunk))

    @property
    def count(self) -> int:
        """Digits that are handed out."""
        return self.b.count + self.comb.columns * self.groups

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        a, b = divmod(k, 1 << self.n.bit_length())
        return interleave(self.comb.recode(a), self.b.recode(b), self.entries)

    def value(self, digits: Sequence[int]) -> int:
        """What b's digits are worth."""
        return self.b.value([d for d in digits if abs(d) < 2 * self.entries])

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        w, comb = self.bits // 2, self.comb
        found = {
            "W": str(w), "Window": str(self.w), "N": f"{w}'h{self.n:x}", "Chunk": str(self.chunk),
            "NumDigit": str(comb.columns), "Groups": str(comb.groups), "Teeth": str(comb.teeth),
        }  # fmt: skip
        if self.lam:
            halves = halves_parameters(Halves(self.n, self.lam, self.w, self.word).model)
            del halves["NumDigit"]
            found |= {"Endomorphism": "1'b1"} | {f"Half{k}": v for k, v in halves.items()}
        return found


@dataclass(frozen=True)
class Base:
    """Parameters of one ecsm_scalar_base. ``more``: bits of a scalar beyond those of n."""

    n: int
    columns: int
    groups: int
    chunk: int
    more: int = 0

    module = "ecsm_scalar_base"
    registers = ("group_q", *(f"u_comb.{name}" for name in OF_COMB))

    @property
    def comb(self) -> Comb:
        """The comb."""
        return Comb(self.n, self.columns, self.groups, signed=True, length=self.bits)

    @property
    def bits(self) -> int:
        """Bits of the scalar port."""
        return self.n.bit_length() + self.more

    @property
    def latency(self) -> int:
        """Cycles from load_i to the top digit."""
        return self.comb.latency(self.chunk)

    @property
    def count(self) -> int:
        """Digits that are handed out."""
        return self.columns * self.groups

    def recode(self, k: int) -> WindowRecoding:
        """The model."""
        digits = [d for column in self.comb.recode(k) for d in column]
        return WindowRecoding(tuple(reversed(digits)), False, False)

    def value(self, digits: Sequence[int]) -> int:
        """What digits, the lowest first, are worth: the signs of a comb's teeth."""
        total, teeth = 0, self.comb.teeth
        for i, d in enumerate(digits):
            column, number = i // self.groups, (abs(d) - 1) // 2
            group, index = divmod(number, self.comb.entries)
            signs = [2 * (index >> t & 1) - 1 for t in range(teeth - 1)] + [1]
            worth = sum(s << self.columns * (group * teeth + t) for t, s in enumerate(signs))
            total += (worth if d > 0 else -worth) << column
        return total

    def parameters(self) -> dict[str, str]:
        """The module's parameters."""
        return {
            "W": str(self.bits), "N": f"{self.bits}'h{self.n:x}", "Chunk": str(self.chunk),
            "Columns": str(self.columns), "Groups": str(self.groups),
            "Teeth": str(self.comb.teeth),
        }  # fmt: skip


Unit = Window | Halves | Double | Base


def units_to_json(units: Sequence[Unit]) -> str:
    """Return parameters as the environment variable's text."""
    rows = [(type(u).__name__, {k: hex(v) for k, v in asdict(u).items()}) for u in units]
    return json.dumps(rows)


def units_from_json(text: str) -> list[Unit]:
    """Return what :func:`units_to_json` wrote."""
    kinds: dict[str, type[Unit]] = {kind.__name__: kind for kind in (Window, Halves, Double, Base)}
    return [kinds[name](**{k: int(v, 16) for k, v in d.items()}) for name, d in json.loads(text)]


def assigned(unit: Unit) -> str:
    """Return the parameters as an instance has them."""
    return ", ".join(f".{k}({v})" for k, v in unit.parameters().items())


def unit_top(units: Sequence[Unit]) -> str:
    """Return the module ``unit_group``.

    Instance i takes the low bits of scalar_i and bit i of the flat ports; its index is at
    index_o[12i +: 12]. busy_o[i]: one of its registers is not zero.
    """
    count = len(units)
    body = []
    for i, u in enumerate(units):
        state = ", ".join(f"u_{i}.{r}" for r in u.registers)
        body.append(
            _double(u, i)
            if isinstance(u, Double)
            else _base(u, i)
            if isinstance(u, Base)
            else f"""\
  logic [{u.w - 2}:0] index_{i};
  {u.module} #({assigned(u)}) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i[{i}]), .load_i(load_i[{i}]), .next_i(next_i[{i}]),
    .scalar_i(scalar_i[{u.bits - 1}:0]), .index_o(index_{i}),
    .negative_o(negative_o[{i}]), .zero_o(zero_o[{i}]), .negate_o(negate_o[{i}])
  );
  assign index_o[{i * INDEX}+:{INDEX}] = {INDEX}'(index_{i});
"""
        )
        body.append(f"  assign busy_o[{i}] = |{{{state}}};\n")
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


def _double(u: Double, i: int) -> str:
    """Return an instance of ecsm_scalar_double; its entries for a are behind those for b."""
    bits = (u.comb.groups * u.comb.entries - 1).bit_length()
    return f"""\
  logic [{u.w - 2}:0] index_{i};
  logic [{bits - 1}:0] number_{i};
  logic fixed_{i};
  {u.module} #({assigned(u)}) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i[{i}]), .load_i(load_i[{i}]), .next_i(next_i[{i}]),
    .scalar_i(scalar_i[{u.bits - 1}:0]), .fixed_o(fixed_{i}), .number_o(number_{i}),
    .index_o(index_{i}), .negative_o(negative_o[{i}])
  );
  assign index_o[{i * INDEX}+:{INDEX}] =
      fixed_{i} ? {INDEX}'(number_{i}) + {INDEX}'({u.entries}) : {INDEX}'(index_{i});
  assign {{zero_o[{i}], negate_o[{i}]}} = '0;
"""


def _base(u: Base, i: int) -> str:
    """Return an instance of ecsm_scalar_base."""
    bits = (u.groups * u.comb.entries - 1).bit_length()
    return f"""\
  logic [{bits - 1}:0] number_{i};
  {u.module} #({assigned(u)}) u_{i} (
    .clk_i(clk_i), .clear_i(clear_i[{i}]), .load_i(load_i[{i}]), .next_i(next_i[{i}]),
    .scalar_i(scalar_i[{u.bits - 1}:0]), .number_o(number_{i}), .negative_o(negative_o[{i}])
  );
  assign index_o[{i * INDEX}+:{INDEX}] = {INDEX}'(number_{i});
  assign {{zero_o[{i}], negate_o[{i}]}} = '0;
"""
