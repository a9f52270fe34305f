# SPDX-License-Identifier: Apache-2.0
"""What a netlist holds: no latch, no loop, and no gate for a term that no instruction enables."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design
from ecsm.formulas.gf2m.graph import IDENTITY
from ecsm.hdl.engines.gf2m import emit, numbering
from ecsm.schedule.gf2m.words import Gate, Word
from tests.rtl.common.netlist import synthesise
from tests.rtl.common.tops import Form, random_form

FORM = random_form(7, 1, 8, random.Random(5))


def form_top(f: Form, terms: int | None = None) -> str:
    """Return ``form_top``: the form with ``terms`` enable inputs, the rest of its terms off."""
    n = len(f.terms)
    ports = n if terms is None else terms
    enable = "enable_i" if ports == n else f"{{{n - ports}'h0, enable_i}}"
    return f"""\
module form_top (
  input logic [{ports - 1}:0] enable_i, input logic [{f.sources * f.m - 1}:0] source_i,
  output logic [{f.m - 1}:0] form_o
);
  logic [{f.m - 1}:0] source[{f.sources}];
  for (genvar s = 0; s < {f.sources}; s++) begin : gen_source
    assign source[s] = source_i[s*{f.m}+:{f.m}];
  end
  gf2m_form #({f.parameters()}) u_form (.enable_i({enable}), .source_i(source), .form_o(form_o));
endmodule
"""


def test_form_with_fewer_terms_is_smaller(tmp_path: Path) -> None:
    sizes = [
        synthesise("form_top", form_top(replace(FORM, terms=FORM.terms[:n])), tmp_path).total()
        for n in range(1, len(FORM.terms) + 1)
    ]
    assert all(a < b for a, b in pairwise(sizes)), sizes


def test_terms_of_other_sinks_and_unused_maps_cost_nothing(tmp_path: Path) -> None:
    few = replace(FORM, terms=FORM.terms[:4])
    others = tuple((sink + 1, map_, source) for sink, map_, source in FORM.terms)
    more = replace(few, terms=(*few.terms, *others), maps=(*few.maps, *few.maps))
    base = synthesise("form_top", form_top(few), tmp_path)
    assert synthesise("form_top", form_top(more), tmp_path) == base


def test_terms_never_enabled_cost_nothing(tmp_path: Path) -> None:
    few = replace(FORM, terms=FORM.terms[:4])
    base = synthesise("form_top", form_top(few), tmp_path)
    assert synthesise("form_top", form_top(FORM, terms=4), tmp_path) == base


def changed(d: BinaryDesign, change: Callable[[list[Word]], None]) -> BinaryDesign:
    """Return the design with other microcode; it does not compute kP any more."""
    words = deepcopy(list(d.microcode.words))
    change(words)
    return replace(d, microcode=replace(d.microcode, words=words))


def without_column(text: str, d: BinaryDesign, gate: Gate) -> str:
    """Return the emitted module with this gate's control column all zero: listed, never on."""
    gates = numbering(d).gates
    lines = text.splitlines()
    # Below the row of "write r0" stand the gates' rows, the last gate first.
    (above,) = (i for i, line in enumerate(lines) if line.endswith("// write r0"))
    row = above + len(gates) - gates.index(gate)
    lines[row], count = re.subn(r"'h[0-9a-f]+", "'h0", lines[row], count=1)
    assert count == 1
    return "\n".join(lines) + "\n"


def cells(d: BinaryDesign, text: str, folder: Path) -> Counter[str]:
    return synthesise(d.preset.module, text, folder)


def new_gates(d: BinaryDesign) -> list[Gate]:
    """Return gates the design lacks: a plain term, and one through a map new to its sink."""
    n = numbering(d)
    plain = next(
        Gate(("write", r, 0), IDENTITY, ("reg", s))
        for r in range(n.registers)
        for s in range(n.registers)
        if (("write", r, 0), IDENTITY, ("reg", s)) not in n.terms
    )
    mapped = next(
        Gate(("write", r, 0), k, ("reg", 0))
        for k in n.maps
        for r in range(n.registers)
        if all((t[0], t[1]) != (("write", r, 0), k) for t in n.terms)
    )
    return [plain, mapped]


@pytest.mark.parametrize("preset", ["toy7-fast", "toy7-small"])
def test_preset_pays_for_enabled_terms_only(preset: str, tmp_path: Path) -> None:
    d = binary_design(preset)
    base = cells(d, emit(d), tmp_path)
    for gate in new_gates(d):

        def enable(words: list[Word], gate: Gate = gate) -> None:
            words[1].gates.add(gate)

        more = changed(d, enable)
        assert len(numbering(more).terms) == len(numbering(d).terms) + 1
        text = emit(more)
        assert cells(more, text, tmp_path).total() > base.total()
        assert cells(more, without_column(text, more, gate), tmp_path) == base


def test_preset_with_fewer_terms_is_smaller(tmp_path: Path) -> None:
    d = binary_design("toy7-fast")
    sizes = [cells(d, emit(d), tmp_path).total()]
    for _ in range(3):
        term = numbering(d).terms[-1]

        def drop(words: list[Word], term: object = term) -> None:
            for word in words:
                word.gates = {g for g in word.gates if (g.sink, g.map, g.source) != term}

        d = changed(d, drop)
        sizes.append(cells(d, emit(d), tmp_path).total())
    assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.parametrize("preset", ["toy7-fast", "toy7-two", "toy7-small", "toy8-one", "toy9-four"])
def test_netlist_has_no_latch_and_no_loop(preset: str, tmp_path: Path) -> None:
    d = binary_design(preset)
    found = cells(d, emit(d), tmp_path)  # passes check -assert: no combinational loop
    flops = [kind for kind in found if "DFF" in kind]
    assert flops
    assert not [kind for kind in found if "LATCH" in kind or kind.startswith("$_SR_")]
    # Nothing is left that the synthesiser could not map to gates.
    assert all(kind.startswith("$_") for kind in found), found
    # Every flop has the rising clock; control has the asynchronous reset, data a clear, and the
    # ranks of a pipeline have neither.
    kinds = {"DFFE?_PN[01]P?", "SDFFC?E?_PP0P?"}
    if binary_design(preset).preset.multiplier.stages > 1:
        kinds.add("DFF_P")
    assert all(re.fullmatch(rf"\$_({'|'.join(kinds)})_", kind) for kind in flops), flops
