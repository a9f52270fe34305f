# SPDX-License-Identifier: Apache-2.0
"""Every carry and borrow of the reductions happens in a test that would notice it to be wrong.

Inputs are driven at their bounds (carries_cocotb.py). Then every bit of every sum, overflow and
carried limb must have risen and fallen, but for those that the bounds prove constant (carries.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.hdl.engines.gfp import shape, unit_parameters
from ecsm.hdl.files import rtl_file
from ecsm.templates import render
from tests.rtl.cocotb_run import TOGGLES, field_sources, run
from tests.rtl.gfp.canon import Canon, canon_top, canons_to_json
from tests.rtl.gfp.carries import (
    DENSE,
    Forms,
    Signals,
    canon_signals,
    montgomery_signals,
    preset,
    sums_signals,
    table_signals,
)

SPARSE = ("P-224", "P-256", "P-384", "P-521", "secp256k1", "edwards25519")
SLICE = 32
# Toggles are counted of narrow signals only (TOGGLES).
PROBE = f"""\
module probe #(parameter int unsigned W = 1) (input logic [W-1:0] v_i);
  for (genvar i = 0; i < W; i += {SLICE}) begin : gen_slice
    localparam int unsigned Width = (W - i < {SLICE}) ? W - i : {SLICE};
    logic [Width-1:0] bits;
    assign bits = v_i[i+:Width];
  end
endmodule
"""


def named(parameters: Mapping[str, str]) -> str:
    return ", ".join(f".{k}({v})" for k, v in parameters.items())


def probes(signals: Signals) -> str:
    """Return an instance of ``probe`` on each signal."""
    text = (
        f"  probe #(.W({w})) u_probe_{i} (.v_i({name}));" for i, (name, (_, w)) in each(signals)
    )
    return "\n".join(text)


def each(signals: Signals) -> list[tuple[int, tuple[str, tuple[int, int]]]]:
    return list(enumerate(signals.items()))


def missing(top: str, signals: Signals, toggled: Mapping[str, int]) -> dict[str, list[int]]:
    """Return the bits that should have changed and have not, or have and should not."""
    found = {}
    for i, (name, (mask, width)) in each(signals):
        slices = (
            toggled[f"{top}.u_probe_{i}.gen_slice[{b}].bits"] << b for b in range(0, width, SLICE)
        )
        wrong = sum(slices) ^ mask
        if wrong:
            found[name] = [b for b in range(width) if wrong >> b & 1]
    return found


def below(instance: str, signals: Signals) -> Signals:
    return {f"{instance}.{name}": v for name, v in signals.items()}


def top(curve: str) -> tuple[str, Signals]:
    """Return the module ``carries``, reduction and adder of a curve's prime, and what is in it."""
    p = preset(curve)
    r, unit = p.residues, unit_parameters(p)
    add = {"S": unit["S"]}
    if isinstance(r, Montgomery):
        prime = {"PW": str(r.bits), "P": f"{r.bits}'h{r.p:x}"}
        signals = below("u_reduce", montgomery_signals(r)) | below("u_add", table_signals(r))
        ports = (
            f"input logic clear_i, start_i, input logic [{r.limbs}-1:0][{r.operand}-1:0] a_i, b_i,"
        )
        body = f"""\
  gfp_mul_montgomery #({named(unit | prime)}) u_reduce (
    .clk_i(clk_i), .clear_i(clear_i), .start_i(start_i), .a_i(a_i), .b_i(b_i), .p_o(q_o)
  );
  gfp_add_table #({named(add | prime)}) u_add (.clk_i(clk_i), .v_i(v_i), .q_o(sum_o));"""
    else:
        d = r.reduction
        reduce = {k: unit[k] for k in ("S", "Rows", "WordOffset", "Fold", "Offset")}
        add |= {"Fold": unit["Fold"], "Offset": unit["AddOffset"]}
        signals = below("u_reduce", Forms(r, d).signals()) | below("u_add", sums_signals(r))
        ports = f"input logic [{d.words}-1:0][{d.sum_bits}-1:0] cut_i,"
        body = f"""\
  gfp_reduce #({named(reduce)}) u_reduce (.clk_i(clk_i), .cut_i(cut_i), .q_o(q_o));
  gfp_add #({named(add)}) u_add (.clk_i(clk_i), .v_i(v_i), .q_o(sum_o));"""
    return f"""\
{PROBE}
module carries (
  input logic clk_i, {ports} input logic [{r.limbs}-1:0][{r.operand}-1:0] v_i,
  output logic [{r.limbs}-1:0][{r.register}-1:0] q_o, sum_o
);
{render("hdl/parts/shape.sv", shape=shape(p))}
{body}
{probes(signals)}
endmodule
""", signals  # fmt: skip


def drive(curve: str, count: int, sources: list[Path]) -> dict[str, list[int]]:
    """Drive a reduction and its adder with ``count`` random inputs; return what is missing."""
    text, signals = top(curve)
    toggled = run(
        "carries", sources, "tests.rtl.gfp.carries_cocotb", text=text, args=TOGGLES,
        optimise="-O0", env={"CARRIES": curve, "CARRIES_COUNT": str(count)},
    )  # fmt: skip
    return missing("carries", signals, toggled)


@pytest.mark.parametrize("curve", [*SPARSE, *DENSE])
def test_every_carry_happens(curve: str) -> None:
    assert not drive(curve, 200, field_sources())


def test_a_carry_that_does_not_happen_is_found() -> None:
    """Without random numbers between the bounds some overflows are never met."""
    assert drive("P-256", 0, field_sources())


FAULTS = {
    "an overflow of 16 is lost": (
        "gfp_carry", "OutW'(v_i[k-1] >> LimbW)", "OutW'(4'(v_i[k-1] >> LimbW))",
    ),
    "the highest overflow of 16 is lost": (
        "gfp_carry", "h = v_i[NumLimb-1] >> TopW", "h = InW'(4'(v_i[NumLimb-1] >> TopW))",
    ),
    "a carry stops": (
        "gfp_carry", "assign kept[k] = InDsp ? own : own + below;",
        "assign kept[k] = {own[OutW-1:8] + below[OutW-1:8], 8'(own + below)};",
    ),
    "a borrow stops": (
        "gfp_add_tree", "gen_level[d-1].node[2*i] - gen_level[d-1].node[2*i+1];",
        "{gen_level[d-1].node[2*i][W-1:W/2] - gen_level[d-1].node[2*i+1][W-1:W/2],"
        " (W/2)'(gen_level[d-1].node[2*i] - gen_level[d-1].node[2*i+1])};",
    ),
    "parts do not carry": (
        "gfp_add_tree", "node[2*i] + gen_level[d-1]", "node[2*i] | gen_level[d-1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_carry_is_caught(fault: str, tmp_path: Path) -> None:
    module, right, wrong = FAULTS[fault]
    text = rtl_file(module).read_text()
    assert text.count(right) == 1
    faulty = tmp_path / f"{module}.sv"
    faulty.write_text(text.replace(right, wrong))
    sources = [faulty if f.name == faulty.name else f for f in field_sources()]
    with pytest.raises(AssertionError, match="failed, seed"):
        drive("P-256", 200, sources)


def test_every_carry_of_the_reducer_happens() -> None:
    canons = []
    for curve in (*SPARSE, *DENSE):
        p = preset(curve)
        r = p.residues
        canons.append(Canon(r.p, r.limbs, r.limb, r.register, p.max_shift))
    signals: Signals = {}
    for i, c in enumerate(canons):
        store = max(c.p.bit_length() + c.max_shift + 1 - (c.count - 1) * c.limb, c.in_bits)
        unit = f"u_{i}"
        carry, negative = canon_signals(c.count, c.limb, c.in_bits, store)
        signals[f"{unit}.begin_q ? '0 : {unit}.carry_q"] = carry  # the lowest limb takes none
        signals[f"{unit}.negative_q"] = negative
    text = canon_top(canons).removesuffix("endmodule\n")
    toggled = run(
        "canon_group", [rtl_file("gfp_canon")], "tests.rtl.gfp.canon_cocotb",
        text=f"{text}{probes(signals)}\nendmodule\n{PROBE}", args=TOGGLES,
        env={"CANONS": canons_to_json(canons), "CANON_COUNT": "100"},
    )  # fmt: skip
    assert not missing("canon_group", signals, toggled)
