# SPDX-License-Identifier: Apache-2.0
"""Write a farm's self-checking testbench: many jobs at once, answers matched by tag."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.engines.module import TAG_BITS, facts
from ecsm.hdl.farm import LATENCY, build_command, top_name
from ecsm.hdl.testbench import status_name, testbench_name
from ecsm.hdl.vectors import Answer, Case, Oracle, edge_cases, random_cases
from ecsm.templates import render

JOBS_PER_ENGINE = 3  # at least, so that every engine is given several


def farm_testbench(design: AnyDesign, engines: int) -> str:
    """Return the SystemVerilog text; every expected result is computed here, by two oracles."""
    p = design.preset
    oracle = Oracle(p, both=True)
    cases = edge_cases(p)
    cases += random_cases(p, max(4, JOBS_PER_ENGINE * engines - len(cases)))
    assert len(cases) <= 1 << TAG_BITS
    rows = [_row(design, case, oracle.answer(case)) for case in cases]
    lines = [f"    {row}{',' if i else ''}  // {i}: {cases[i].name}" for i, row in enumerate(rows)]
    return render(
        "hdl/farm_testbench.sv",
        **(facts(p) | {"module": top_name(p, engines)}),
        command=build_command(p, engines),
        name=testbench_name(design, engines),
        engines=engines,
        cycles=design.least_cycles,
        alone=design.cycles_alone,
        first=_cycles(design, cases[0]),
        clearing=p.clearing + 1,
        latency=LATENCY,
        count=len(cases),
        cases=lines[::-1],
    )


def _cycles(design: AnyDesign, case: Case) -> object:
    """Return the cycles of a case alone: of kG its own, of others a name of the testbench."""
    point = None if case.infinity else (case.x, case.y)
    return "Alone" if design.of(point) is design else design.of(point).cycles_alone


def _row(design: AnyDesign, case: Case, answer: Answer) -> str:
    """Return a case and its answer as a value of the testbench's ``case_t``."""
    bits, coord = design.preset.scalar_bits, design.preset.coordinate_bits
    x, y = answer.point or (0, 0)
    return (
        f"{{4'd{case.op}, {bits}'h{case.k:x}, {coord}'h{case.x:x}, {coord}'h{case.y:x},"
        f" 1'b{case.infinity:d}, {status_name(answer.status)}, {coord}'h{x:x}, {coord}'h{y:x},"
        f" 1'b{answer.infinity:d}}}"
    )
