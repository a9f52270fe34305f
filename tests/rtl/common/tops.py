# SPDX-License-Identifier: Apache-2.0
"""Test tops: instances of engine modules on flat ports whose names cocotb_run makes visible.

Of several instances, number i has the bits [i*W +: W] of a flat port with elements of W bits.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ecsm.cores.design import BinaryDesign, HalvingDesign, PrimeDesign
from ecsm.cores.store import design
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.hdl.farm import emit_modules, top_name
from ecsm.presets.gf2m import Preset, Protect
from ecsm.presets.gfp import CHUNK, PrimePreset
from ecsm.presets.halving import HalvingPreset
from ecsm.schedule.gfp.types import BANKS, DEPTH
from ecsm.schedule.halving import types as halving_types
from tests.rtl.scalar.threads import Shared
from tests.rtl.scalar.window import Base, Double, Halves, Window


def pack(values: Sequence[int], width: int) -> int:
    """Return a flat port's value."""
    return sum(v << (i * width) for i, v in enumerate(values))


def unpack(flat: int, width: int, count: int) -> list[int]:
    """Return the elements of a flat port."""
    return [flat >> (i * width) & ((1 << width) - 1) for i in range(count)]


def concatenate(values: Sequence[int], width: int) -> str:
    """Return a SystemVerilog concatenation, the last element first: it has the highest index."""
    return "{" + ", ".join(f"{width}'h{v:x}" for v in reversed(values)) + "}"


# ---------------------------------------------------------------------------------- registers
def regfile_top(w: int, count: int) -> str:
    """Return the module ``regfile_top``: ecsm_regfile with flat data ports."""
    return f"""\
module regfile_top (
  input logic clk_i, input logic clear_i, input logic [{count - 1}:0] we_i,
  input logic [{w * count - 1}:0] data_i, output logic [{w * count - 1}:0] data_o
);
  logic [{w - 1}:0] write[{count}], read[{count}];
  for (genvar i = 0; i < {count}; i++) begin : gen_flat
    assign write[i] = data_i[i*{w}+:{w}];
    assign data_o[i*{w}+:{w}] = read[i];
  end
  ecsm_regfile #(.W({w}), .NumReg({count})) u_dut (
    .clk_i(clk_i), .clear_i(clear_i), .we_i(we_i), .data_i(write), .data_o(read)
  );
endmodule
"""


def scalar_top(w: int) -> str:
    """Return the module ``scalar_top``: ecsm_scalar_shift."""
    return f"""\
module scalar_top (
  input logic clk_i, input logic clear_i, input logic load_i,
  input logic shift_i, input logic [{w - 1}:0] scalar_i,
  output logic key_o, output logic next_o
);
  ecsm_scalar_shift #(.W({w})) u_dut (
    .clk_i(clk_i), .clear_i(clear_i), .load_i(load_i), .shift_i(shift_i),
    .scalar_i(scalar_i), .key_o(key_o), .next_o(next_o)
  );
endmodule
"""


# ---------------------------------------------------------------------------------- one sink
@dataclass(frozen=True)
class Form:
    """A gf2m_form: terms (sink, map, source) and the matrices' columns."""

    m: int
    sink: int
    sources: int
    terms: tuple[tuple[int, int, int], ...]
    maps: tuple[tuple[int, ...], ...]

    def value(self, enable: int, sources: Sequence[int]) -> int:
        """Return the form: the sum of map(source) over enabled terms of this sink."""
        total = 0
        for i, (sink, number, source) in enumerate(self.terms):
            if sink == self.sink and enable >> i & 1:
                total ^= self.apply(number, sources[source])
        return total

    def apply(self, number: int, value: int) -> int:
        """Return the map's image; map 0 is the identity."""
        if number == 0:
            return value
        total = 0
        for j, column in enumerate(self.maps[number - 1]):
            total ^= column if value >> j & 1 else 0
        return total

    def parameters(self) -> str:
        """Return the named parameters of gf2m_form."""
        m = self.m
        terms = concatenate([s << 24 | k << 16 | v for s, k, v in self.terms], 32)
        maps = concatenate([pack(columns, m) for columns in self.maps], m * m)
        return (
            f".M({m}), .Sink({self.sink}), .NumSource({self.sources}), "
            f".NumTerm({len(self.terms)}), .NumMap({len(self.maps)}), "
            f".Terms({terms}), .Maps({maps})"
        )


def forms_to_json(forms: Sequence[Form]) -> str:
    """Return forms as the environment variable's text."""
    return json.dumps([asdict(f) for f in forms])


def forms_from_json(text: str) -> list[Form]:
    """Return what :func:`forms_to_json` wrote."""
    return [
        Form(
            d["m"], d["sink"], d["sources"],
            tuple((s, k, v) for s, k, v in d["terms"]),
            tuple(tuple(columns) for columns in d["maps"]),
        )
        for d in json.loads(text)
    ]  # fmt: skip


def random_form(m: int, sinks: int, terms: int, rng: random.Random) -> Form:
    """Return a random form; with several sinks most terms belong to others."""
    sources, maps = rng.randint(1, 5), rng.randint(1, 4)
    return Form(
        m,
        rng.randrange(sinks),
        sources,
        tuple(
            (rng.randrange(sinks), rng.randrange(maps + 1), rng.randrange(sources))
            for _ in range(terms)
        ),
        tuple(tuple(rng.getrandbits(m) for _ in range(m)) for _ in range(maps)),
    )


def form_group_top(forms: Sequence[Form]) -> str:
    """Return the module ``form_group``: all forms on one enable_i and one source_i."""
    m = forms[0].m
    terms, sources = max(len(f.terms) for f in forms), max(f.sources for f in forms)
    body = []
    for i, f in enumerate(forms):
        body.append(f"""\
  logic [{m - 1}:0] source_{i}[{f.sources}];
  for (genvar s = 0; s < {f.sources}; s++) begin : gen_{i}
    assign source_{i}[s] = source_i[s*{m}+:{m}];
  end
  gf2m_form #({f.parameters()}) u_{i} (
    .enable_i(enable_i[{len(f.terms) - 1}:0]), .source_i(source_{i}),
    .form_o(form_o[{i * m}+:{m}])
  );
""")
    return f"""\
module form_group (
  input logic [{terms - 1}:0] enable_i, input logic [{sources * m - 1}:0] source_i,
  output logic [{len(forms) * m - 1}:0] form_o
);
{"".join(body)}endmodule
"""


# ---------------------------------------------------------------------------------- engine
# The answer's side of the core port, from the top: names and widths ("c": a coordinate's).
ANSWER = (
    ("ready", 1), ("valid", 1), ("status", 4), ("infinity", 1), ("tag", 8), ("cycles", 20),
    ("x", "c"), ("y", "c"),
)  # fmt: skip


def engine_top(preset: str, engines: int = 1) -> str:
    """Return the preset's module and ``engine_top`` around it, all outputs in one port.

    Two ports more look inside, for what must be zero: ``answer_set_o``, the registers that hold
    the answer are not; ``working_set_o``, any other register, the scalar or a product is not. With
    several engines they look into all, and into the farm's registers.
    """
    d = design(preset)
    p = d.preset
    c, m = p.coordinate_bits, p.scalar_bits
    inputs = (
        "zeroize_i", "req_valid_i", "req_scalar_i", "req_x_i", "req_y_i", "req_infinity_i",
        "req_tag_i", "rsp_ready_i",
    )  # fmt: skip
    outputs = [("req_" if name == "ready" else "rsp_") + name for name, _ in ANSWER]
    connect = ", ".join(
        [f".{name}({name})" for name in inputs] + [f".{name}_o({name})" for name in outputs]
    )
    width = sum(c if bits == "c" else int(bits) for _, bits in ANSWER)
    insides = _INSIDES[type(p)](d)
    cores = ["u_dut"] if engines == 1 else [f"u_dut.gen_engine[{i}].u_core" for i in range(engines)]
    answer, working = (
        [_set(f"{core}.u_engine.{name}") for core in cores for name in names] for names in insides
    )
    slots = [f"u_dut.u_farm.gen_engine[{i}]" for i in range(engines if engines > 1 else 0)]
    answer += [_set(f"{slot}.u_answer.data_q") for slot in slots]
    working += [_set(f"{slot}.u_request.data_q") for slot in slots]
    texts = "".join(emit_modules(d, engines).values())
    return f"""\
{texts}
module engine_top (
  input logic clk_i, input logic rst_ni_i, input logic zeroize_i,
  input logic req_valid_i, input logic [3:0] req_op_i, input logic [{m - 1}:0] req_scalar_i,
  input logic [{c - 1}:0] req_x_i, input logic [{c - 1}:0] req_y_i, input logic req_infinity_i,
  input logic [7:0] req_tag_i, input logic rsp_ready_i, output logic [{width - 1}:0] answer_o,
  output logic answer_set_o, output logic working_set_o
);
  logic req_ready, rsp_valid, rsp_infinity;
  ecsm_pkg::status_e rsp_status;
  logic [{c - 1}:0] rsp_x, rsp_y;
  logic [7:0] rsp_tag;
  logic [19:0] rsp_cycles;
  assign answer_o = {{{", ".join(outputs)}}};
  {top_name(p, engines)} u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni_i), .req_op_i(ecsm_pkg::op_e'(req_op_i)), {connect}
  );
  assign answer_set_o = {" || ".join(answer)};
  assign working_set_o = {" || ".join(working)};
endmodule
"""


def _set(name: str) -> str:
    """Return the test of one register: not zero, or what ``name`` says it is not."""
    return f"({name})" if " != " in name else f"(|{name})"


def _binary_inside(d: BinaryDesign) -> tuple[list[str], list[str]]:
    """Return what holds the answer in gf2m_engine, and what else holds data."""
    code, answer = d.microcode, d.microcode.out
    check = "gen_protected.u_protect.gen_check"
    scalar = {
        Protect.NONE: ["gen_none.u_scalar.bits_q"],
        Protect.CHECK: [f"{check}.{v}" for v in ("u_keys.bits_q", "u_keys.odd_q", "first_q")],
    }
    working = [
        *scalar[d.preset.protect],
        *(f"register[{r}]" for r in range(code.registers) if r not in answer),
        *(f"product[{u}]" for u in range(d.preset.multipliers)),
    ]
    return [f"register[{r}]" for r in answer], working


def _halving_inside(d: HalvingDesign) -> tuple[list[str], list[str]]:
    """Return what holds the answer in gf2m_halving, and what else holds data."""
    code, answer = d.microcode, d.microcode.out
    digits = ("sum_q", "carry_q", "out_sum_q", "out_carry_q", "catch_q", "read_q", "write_q")
    working = [
        "u_datapath.tested_q",
        *(f"u_digits.{name}" for name in digits),
        *(f"u_datapath.register_o[{r}]" for r in range(code.registers) if r not in answer),
        *(
            f"u_datapath.gen_bank[{b}].u_bank.gen_port[0].gen_distributed.memory[{i}]"
            for b in range(len(halving_types.BANKS))
            for i in range(halving_types.SLOTS)
        ),
        *(f"u_datapath.product[{u}]" for u in range(d.preset.multipliers)),
    ]
    return [f"u_datapath.register_o[{r}]" for r in answer], working


def _multiplier(p: PrimePreset) -> list[str]:
    """Return what holds data in a multiplier before its first rank without a clear."""
    if p.kind == "whole":
        return [f"u_datapath.gen_whole.u_mul.{v}" for v in "ab"]
    unit = f"u_datapath.gen_serial.gen_{p.kind}.u_mul"
    if p.kind == "folded":
        return [f"{unit}.{v}" for v in ("now_q", "next_q", "cut_q")]
    more = "low_q" if p.kind == "column" else "quotient_q"
    return [f"{unit}.{v}" for v in ("u_digits.a_q", "u_digits.b_q", "acc_q", more)]


def _scalars(p: PrimePreset) -> list[str]:
    """Return what holds a scalar or its digits."""
    if p.double:
        lam = p.decomposition.lam if p.endomorphism else 0
        double = Double(p.curve.n, p.window, p.comb.groups, CHUNK, lam, p.halves)
        return [f"u_scalars.gen_double.u_scalar.{name}" for name in double.registers]
    if p.endomorphism and p.threads > 1:
        d = p.decomposition
        shared = Shared(Halves(d.n, d.lam, d.w, d.word), p.threads, DEPTH)
        return [f"u_scalars.gen_shared.u_scalar.{name}" for name in shared.state]
    kept = {"window": Window.registers, "halves": Halves.registers}.get(p.scalar_unit, ("bits_q",))
    return [
        f"u_scalars.gen_own.gen_thread[{t}].gen_{p.scalar_unit}.u_scalar.{name}"
        for t in range(p.threads)
        for name in kept
    ]


def _base(p: PrimePreset) -> list[str]:
    """Return what tells a job for kG from others, and what holds its digits."""
    if not p.columns:
        return []
    unit = "u_scalars.gen_base"
    return [
        "u_request.gen_base.base_q",
        f"{unit}.negative_q",
        *(f"{unit}.u_base.{name}" for name in Base.registers),
    ]


def _entry(p: PrimePreset) -> list[str]:
    """Return what each column of the entry is not, if something is left: zero, or the constant."""
    if not p.double:
        return [""] * len(COLUMNS)
    r, shown = p.residues, (1 << (p.window - 1)) + (p.comb.groups - 1) * p.comb.entries
    bits = r.limbs * r.register
    limbs = (p.fixed[shown, column] for column in range(len(COLUMNS)))
    return [f" != {bits}'h{pack(v, r.register):x}" for v in limbs]


def _prime_inside(d: PrimeDesign) -> tuple[list[str], list[str]]:
    """Return the same of gfp_engine.

    The multiplier's and the adder's results are those of zero: reduced, that is a multiple of p,
    not zero. Every rank inside comes out there sooner or later.
    """
    p, r = d.preset, d.preset.residues
    answer = [
        *(f"u_jobs.{flag}_q" for flag in ("occupied", "range", "infinity", "unsupported", "curve")),
        "u_jobs.zero_q", "u_jobs.tag_q", "u_jobs.cycles_q", "u_answers.what_q",
        *(f"u_answers.u_canon.limb_q[{i}]" for i in range(r.limbs)),
    ]  # fmt: skip
    many = p.threads > 1
    if many:
        answer += [f"u_answers.gen_many.{v}[{t}]" for v in "xy" for t in range(p.threads)]
    else:
        answer.append("u_answers.gen_one.x_q")
    bits = r.limbs * r.register
    nothing = [0] * r.limbs
    zero, carried = r.product(nothing, nothing), r.carried(nothing)
    bank, table = "u_datapath.gen_bank", "u_datapath.u_table.gen_column"
    slots = 1 << (p.threads - 1).bit_length()
    port = "gen_block" if many else "gen_distributed"
    working = [
        "u_control.control_q", "u_control.enable_q", "u_request.scalar_q",
        "u_request.x_q", "u_request.y_q", *_scalars(p), *_base(p),
        *(f"u_divsteps.{v}_q[{i}]" for v in "fg" for i in range(r.limbs)),
        *(f"u_divsteps.work_q[{i}]" for i in range(4)), *(f"matrix[{i}]" for i in range(4)),
        "u_divsteps.odd_q", "u_divsteps.swap_q", "u_divsteps.negative_q",
        *(f"{bank}[{b}].u_bank.gen_port[{i}].{port}.memory[{j}]" for b in range(BANKS)
          for i in range(3) for j in range(slots * DEPTH)),
        *(f"{table}[{c}].entry_q{entry}" for c, entry in enumerate(_entry(p))),
        *(f"{table}[{c}].memory[{i}]" for c in range(len(COLUMNS))
          for i in range(slots << p.entry_bits)),
        *_multiplier(p),
        f"u_datapath.product != {bits}'h{pack(zero, r.register):x}",
        f"u_datapath.sum != {bits}'h{pack(carried, r.register):x}",
    ]  # fmt: skip
    if many:  # what was read last
        working += ["u_datapath.register", "u_datapath.entry"]
    return answer, working


_INSIDES: dict[type, Callable[[Any], tuple[list[str], list[str]]]] = {
    Preset: _binary_inside,
    PrimePreset: _prime_inside,
    HalvingPreset: _halving_inside,
}
