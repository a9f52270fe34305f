# SPDX-License-Identifier: Apache-2.0
"""Each countermeasure of the RTL: what it is for holds, and holds no longer when it is broken.

A tag ``SEC_CM: IDENTIFIER: text`` in the RTL marks a countermeasure. Here each has a claim about
the netlist of a toy, and a change of the RTL that breaks the countermeasure, and so the claim.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from ecsm.backend.countermeasures import MACHINE
from ecsm.cores.store import binary_design
from ecsm.evidence.campaigns.circuit import circuit_of
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.subject import ERROR, OFF, RIGHT, CoreJobs
from ecsm.formulas.gf2m.graph import RESULT
from ecsm.hdl.countermeasures import REMOVALS, Removal, countermeasures, replaced, without
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.presets.protection import CHECKED, MASKED_GFP, MASKED_LADDER
from ecsm.progress import Progress
from ecsm.results.sources import digest_of
from tests.evidence.countermeasures import (
    Case,
    broken,
    control,
    flipped,
    found_in,
    matching,
    random_bits,
    states,
    status,
)
from tests.evidence.small import core
from tests.evidence.test_countermeasures_prime import CASES as PRIME_CASES

CHECK, FULL, AHEAD = "toy7-small-check", "toy7-small-full", "toy8-ahead-full"
STREAMS = r"\.u_keys\.|\.u_roles\.|gen_full\.role|first_q"
DATA = r"u_form\.source_i\[|u_mul\.(a|b|acc)_q\[|u_mul\.product\[|gen_leaf\."


def decoding(it: CoreJobs) -> bool:
    """A flip of a decoded write or start is found; one of an enable is, or changes nothing."""
    cycles = range(2, it.last - 1, 11)
    faults = [(c, r) for c in cycles for r in matching(it, r"\.u_gates\.")]
    harmless = {outcome for _, outcome in flipped(it, faults)} <= {RIGHT, ERROR}
    return harmless and found_in(it, r"u_mul\.start_i|u_decode\.(write_i|write_q|start_q)", cycles)


def parity(it: CoreJobs) -> bool:
    """A flip in the streams of the scalar, or in the parity of what left them."""
    return found_in(it, STREAMS, range(1, it.last - 1, 9))


def result(it: CoreJobs) -> bool:
    """A flip in a data register before the equation of the answer reads it: never a wrong point.

    What flips later is not looked at again: the answer waits a few cycles.
    """
    d = binary_design(it.name)
    program = list(d.microcode.unrolled())
    assert RESULT in program[-1].test
    reads = max(c for c, word in enumerate(program) if word.start) - d.preset.units.ahead
    data = matching(it, DATA)
    rng = random.Random(it.name)
    faults = [(rng.randint(1, it.begin + reads), rng.choice(data)) for _ in range(4096)]
    return OFF not in {outcome for _, outcome in flipped(it, faults)}


# ------------------------------------------------------------------ masks
def words(it: CoreJobs, roles: bool = True, factor: bool = True) -> Callable[[random.Random], int]:
    """Return how numbers are drawn: the roles above, the factor below; what is not random is 1s."""
    bits, low = it.design.preset.random_bits, it.design.preset.field_bits - 1
    fixed = (0 if roles else (1 << bits) - (1 << low)) | (0 if factor else (1 << low) - 1)
    return lambda rng: rng.getrandbits(bits) | fixed


def shares(it: CoreJobs) -> bool:
    """The keys have both values; with what follows from them they are alike for two scalars."""
    cycles = range(1, it.last, 7)
    means = [
        states(it, rf"{STREAMS}|\.u_gates\.", k, words(it), cycles).mean(axis=2) for k in (5, 58)
    ]
    with Lanes(it.circuit) as lanes:
        bound = 6 * (0.5 / lanes.lanes) ** 0.5
    alike = bool(np.abs(means[0] - means[1]).max() < bound)
    return random_bits(it, r"u_keys\.bit", words(it)) and alike


def values(it: CoreJobs, **drawn: bool) -> int:
    """Return how many values the data registers have, at least, where a turn of the loop begins."""
    found = states(it, DATA, 5, words(it, **drawn), it.turns[4:-2])
    return min(len(np.unique(bits, axis=1).T) for bits in found)


def roles(it: CoreJobs) -> bool:
    """The roles have both values, and so a register has one point or the other."""
    return random_bits(it, r"(u_roles\.bit|role)", words(it)) and values(it, factor=False) > 1


def factor(it: CoreJobs) -> bool:
    """The points of one job have as many coordinates as there are random factors, or nearly."""
    return values(it, roles=False) >= 24


# ------------------------------------------------------------------ a unit by itself
KP = """\
module kp_system
  import scheme_pkg::*;
(
  input logic clk_i, rst_ni, scalar_valid_i, start_i,
  input logic [W-1:0] data_i,
  output logic req_valid_o,
  output logic [59:0] req_scalar_o
);
  scheme_kp #(.ScalarW(60), .CoordW(60), .Masked(1'b1)) u_kp (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(1'b0), .scalar_valid_i(scalar_valid_i),
    .x_valid_i(1'b0), .y_valid_i(1'b0), .operand_ready_o(), .data_i(data_i), .start_i(start_i),
    .start_ready_o(), .answer_o(), .status_o(), .infinity_o(), .next_i(1'b0),
    .rsp_x_ready_i(1'b0), .rsp_x_o(), .rsp_y_ready_i(1'b0), .rsp_y_o(), .idle_o(),
    .req_valid_o(req_valid_o), .req_ready_i(1'b0), .req_scalar_o(req_scalar_o), .req_x_o(),
    .req_y_o(), .rsp_valid_i(1'b0), .rsp_ready_o(), .rsp_status_i(ecsm_pkg::StatusOk),
    .rsp_x_i(60'd0), .rsp_y_i(60'd0), .rsp_infinity_i(1'b0)
  );
endmodule
"""


def parts(files: Sequence[Path]) -> bool:
    """The core gets the scalar; no register's bits say anything of it, while its parts come."""
    netlist = circuit_of("kp_system", "kp_system", KP, files, digest_of(KP, files), Progress())
    nets, means = [2 + netlist.inputs + i for i in range(len(netlist.registers))], []
    for k in (0, (1 << 60) - 1):
        with Lanes(netlist) as lanes:
            masks = [random.Random(k + lane).getrandbits(60) for lane in range(lanes.lanes)]
            lanes.clear()
            lanes.set("rst_ni", 1)
            lanes.set("scalar_valid_i", 1)
            for part in ([k ^ mask for mask in masks], masks):
                lanes.set("data_i", lanes.each(part, 64))
                lanes.run(1)
                bits = np.unpackbits(lanes.planes(nets), axis=1, bitorder="little")
                means.append(bits.mean(axis=1))
            lanes.set("scalar_valid_i", 0)
            lanes.set("start_i", 1)
            lanes.run(1)
            lanes.run(0)
            if set(lanes.get("req_scalar_o")) != {k}:
                return False
            bound = 6 * (0.5 / lanes.lanes) ** 0.5
    return bool(max(np.abs(means[i] - means[i + 2]).max() for i in range(2)) < bound)


JOINED = Removal(
    "scheme_kp",
    (("({scalar_q, data_i});\n    if (x", "({scalar_q, data_i ^ scalar_q[0]});\n    if (x"),),
)
"""A register holds the scalar, and not its parts."""
UNIT_CASES = {"SCALAR.PARTS": (parts, KP, JOINED)}


@pytest.mark.parametrize("name", UNIT_CASES)
def test_a_unit_does_what_it_is_for_and_not_without_it(name: str, tmp_path: Path) -> None:
    claim, text, broken_by = UNIT_CASES[name]
    files = list(needed(text, rtl_files()))
    assert claim(files)
    assert not claim(replaced(broken_by, files, tmp_path))
    assert not claim(without(name, files, tmp_path))


# ------------------------------------------------------------------ all of them
CASES = {
    "CTRL.REDUNDANCY": Case(control, (CHECK, AHEAD)),
    "DECODE.REDUNDANCY": Case(decoding, (CHECK, AHEAD)),
    "STATUS.REDUNDANCY": Case(status, (CHECK, AHEAD)),
    "RESULT.CHECK": Case(result, (CHECK, AHEAD)),
    "SCALAR.PARITY": Case(parity, (CHECK, FULL)),
    "SCALAR.SHARES": Case(shares, (FULL, AHEAD)),
    "POINT.ROLES": Case(roles, (FULL, AHEAD)),
    "POINT.RANDOM": Case(factor, (FULL, AHEAD)),
}  # fmt: skip


@pytest.mark.parametrize(("case", "name"), [(c, p) for c in CASES for p in CASES[c].presets])
def test_a_countermeasure_does_what_it_is_for(case: str, name: str) -> None:
    assert CASES[case].claim(core(name))


@pytest.mark.parametrize("case", CASES)
def test_without_it_the_same_is_not_so(case: str, tmp_path: Path) -> None:
    it = CASES[case]
    assert not it.claim(broken(core(it.presets[0]), case, tmp_path))


def test_each_tag_has_a_case_and_each_case_a_tag() -> None:
    texts = [f.read_text(encoding="utf-8") for f in RTL.rglob("*.sv")]
    tags = [c.name for c in countermeasures()]
    assert sorted(tags) == sorted([*CASES, *UNIT_CASES, *PRIME_CASES]) == sorted(REMOVALS)
    assert sorted(tags) == sorted({*CHECKED, *MASKED_LADDER, *MASKED_GFP, *MACHINE})
    assert len(tags) == sum(text.count("SEC_CM") for text in texts)
