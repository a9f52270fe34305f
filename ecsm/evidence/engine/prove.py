# SPDX-License-Identifier: Apache-2.0
"""Prove that an engine over GF(2^m) answers as the formulas say, for every point and scalar.

The netlist of the whole engine runs one job on symbols, every cycle of it
(:mod:`ecsm.evidence.engine.job`). The formulas of the ladder run beside it, as they are written
(:mod:`ecsm.evidence.engine.formulas`): not the graph, the schedule or the words that are made of
them. What is checked:

- Every operand pair that a multiplier takes is one of the formulas', bit by bit a linear form in
  the coordinates and in products before. The product then has the symbols of the formulas'
  product. So a product of the netlist is the formulas' product, for every x and y.
- Every turn of the loop is run, and each has its own bit of the scalar as a symbol. So both values
  of each bit are covered, in each turn: every scalar.
- The zero tester gets the formulas' values. Its results are symbols: all branches that they decide
  are covered, whichever can happen.
- Status, mark of infinity, coordinates, tag and cycles of the answer are the ones that are due, as
  functions of all symbols: an operation that the engine does not have, coordinates that are too
  large, infinity, a point off the curve, kP = infinity, kP = -P, and any other point.
- The answer is there in the cycle that the program says, and stays until it is taken. Before it
  nothing but the tag is at the response's ports. With it no register of the file has anything else.
- Before the job every register has a known value, whatever it had before the reset, and after the
  job it has the same again. So every later job is right too.
- Every term of the operand network by itself is its map's matrix over the field
  (:mod:`ecsm.evidence.engine.maps`).

In every cycle but that of the request the request's ports are unknown: they do not matter.

What it rests on: the multiplier multiplies (:mod:`ecsm.evidence.multiplier`, of the same
parameters, which are compared); the models of cells; the formulas give kP
(docs/theory/binary.md, and tests on numbers). Of a serial multiplier that proof begins with a
clear, and the engine starts one product after another: so :func:`restarts` proves that a start
needs no clear. Symbols for the results of tests and for the last bit of the scalar are free, though
they depend on others: that can only make the proof harder.

Where it ends: a zeroize or a reset during a job, and protection, which no engine has yet, are not
covered. Nor is the netlist after it is mapped to LUTs. A serial multiplier with registers of
operands, which no preset has, is refused. The engine of halvings is another one. It was run for all
toys, all presets called b163, k163, khan-benaissa, soc-163 and b233-small; others were not run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design
from ecsm.evidence.engine.faults import seeded
from ecsm.evidence.engine.job import Job, Wrong
from ecsm.evidence.engine.maps import check_maps
from ecsm.evidence.engine.netlist import Core, netlist
from ecsm.evidence.multiplier import netlist as multiplier
from ecsm.evidence.polynomials import NotBilinear, Polynomial, bits_of, field_product
from ecsm.evidence.proof import Proof
from ecsm.presets.gf2m import Preset
from ecsm.progress import Progress

CLAIM = "the engine answers as the formulas say, for every point and scalar"
FAULTS = 3  # seeded ones that the proof must find, one of each kind


def prove_engine(p: Preset, tell: Progress, faults: int = FAULTS) -> Proof:
    """Prove a preset's engine, then that the proof finds seeded faults.

    Raises :class:`ecsm.backend.tool.FlowError` if there is no netlist.
    """
    d = binary_design(p.name)
    core = netlist(d, tell)
    begin = time.monotonic()
    tell(f"{p.name}: a job on symbols, {core.cells} cells")
    wrong = check(d, core) or check_maps(d, core) or restarts(p, tell)
    found = 0
    for fault in seeded(d, core, faults) if not wrong else ():
        tell(f"{p.name}: {fault.what}")
        found += bool(check(d, fault.core))
    seconds = round(time.monotonic() - begin, 2)
    return Proof("engine", CLAIM, "rtl", core.cells, wrong, faults, found, seconds)


def check(d: BinaryDesign, core: Core) -> str:
    """Return "" if a netlist is the engine that a design is, else what is wrong."""
    try:
        Job(d, core).do()
    except Wrong as wrong:
        return str(wrong)
    return ""


def restarts(p: Preset, tell: Progress) -> str:
    """Return "" if a serial multiplier's product is right whatever it did before its start."""
    if p.multiplier.kind != "serial":
        return ""
    m = p.m
    one, zero = Polynomial(m, 1), Polynomial(m)
    due = p.multiplier.latency(m) - 1
    cycles: list[dict[str, Sequence[Polynomial]]] = [
        {"start_i": [one if t == 0 else zero], "clear_i": [zero]} for t in range(due + 1)
    ]
    cycles[0] |= {"a_i": bits_of("a", m), "b_i": bits_of("b", m)}
    gates = multiplier(p, "rtl", tell)
    try:
        product = gates.port("p_o", gates.run(m, cycles)[due])
    except NotBilinear as error:
        return str(error)
    right = product == field_product(p.curve.field.poly, m)
    return "" if right else "a product depends on what the multiplier did before its start"
