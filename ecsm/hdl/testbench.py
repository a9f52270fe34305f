# SPDX-License-Identifier: Apache-2.0
"""Write a preset's self-checking testbench: SystemVerilog with its vectors inside."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.hdl.engines.module import facts
from ecsm.hdl.farm import top_name
from ecsm.hdl.vectors import Answer, Case, Oracle, edge_cases
from ecsm.status import Status
from ecsm.templates import render


def testbench_name(design: AnyDesign, engines: int) -> str:
    """Return the name of the testbench's module, for a core or for a farm."""
    return f"tb_{top_name(design.preset, engines)}"


def testbench(design: AnyDesign) -> str:
    """Return the SystemVerilog text; every expected result is computed here, by two oracles."""
    p = design.preset
    oracle = Oracle(p, both=True)
    calls = [call(design, c, oracle.answer(c)) for c in edge_cases(p)]
    after = Case("k = n - 1, P = G after both", p.curve.n - 1, *p.curve.generator)
    return render(
        "hdl/testbench.sv",
        **facts(p),
        name=testbench_name(design, 1),
        **cycles(design),
        clearing=p.clearing,
        calls=calls,
        last=call(design, after, oracle.answer(after)),
    )


def cycles(d: AnyDesign) -> dict[str, object]:
    """Return the cycles that a testbench expects: of a job alone, and of kG, 0 if that is none."""
    bits = d.preset.coordinate_bits
    gx, gy = (f"{bits}'h{v:x}" for v in d.preset.curve.generator)
    return {
        "cycles": d.cycles_alone,
        "base_cycles": d.base_cycles,
        "expected": "cycles" if d.base else "Cycles",
        "gx": gx,
        "gy": gy,
    }


def status_name(status: Status) -> str:
    """Return the name that ecsm_pkg.sv gives to a status."""
    return "Status" + "".join(word.capitalize() for word in status.name.split("_"))


def call(design: AnyDesign, case: Case, answer: Answer) -> str:
    """Return the lines of a testbench that run one vector."""
    bits, coord = design.preset.scalar_bits, design.preset.coordinate_bits
    x, y = answer.point or (0, 0)
    arguments = [
        f'"{case.name}"',
        f"4'd{case.op}",
        f"{bits}'h{case.k:x}",
        f"{coord}'h{case.x:x}",
        f"{coord}'h{case.y:x}",
        f"1'b{case.infinity:d}",
        status_name(answer.status),
        f"{coord}'h{x:x}",
        f"{coord}'h{y:x}",
        f"1'b{answer.infinity:d}",
    ]
    return _fill("    check(", [f"{a}," for a in arguments[:-1]] + [f"{arguments[-1]});"])


def _fill(start: str, words: list[str], columns: int = 100) -> str:
    """Join words with spaces after ``start``, in lines that hang behind it."""
    lines = [start + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(" " * len(start) + word)
    return "\n".join(lines)
