# SPDX-License-Identifier: Apache-2.0
"""The netlist of a whole core computes what the core computes: the models of cells are right."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design
from ecsm.curves.registry import curve
from ecsm.evidence.core import CLOCKS, Core, read
from ecsm.evidence.gates import UnknownCell
from ecsm.evidence.symbols import UNKNOWN, Run
from tests.evidence.netlists import whole


def give(run: Run, **ports: int) -> None:
    """Set ports to numbers."""
    for name, value in ports.items():
        for i, n in enumerate(run.core.inputs[name]):
            run.put([n], value >> i & 1)


def number(run: Run, port: str) -> int:
    """Return the number on a port, all of which must be known."""
    bits = run.port(port)
    assert UNKNOWN not in bits, port
    return sum(bit << i for i, bit in enumerate(bits))


def begun(core: Core) -> Run:
    """Return a run from reset until the core is ready."""
    run = Run(core)
    run.reset()
    give(run, **{name: 0 for name in core.inputs if name not in CLOCKS})
    for _ in range(100):
        run.settle()
        if run.port("req_ready_o") == [1]:
            return run
        run.clock()
    raise AssertionError("the core is never ready")


@pytest.mark.parametrize("name", ["toy7-small", "toy8-ahead", "toyp8-k", "toyp7-t", "toyp8-v"])
def test_a_job_on_numbers(name: str) -> None:
    """The answer is that of the curve, in the cycle of the schedule; nothing of it is unknown."""
    d = design(name)
    c = curve(d.preset.curve_name)
    x, y = c.generator
    run = begun(whole(name).core)
    for k in (5, c.n - 2):
        give(run, req_valid_i=1, req_x_i=x, req_y_i=y, req_scalar_i=k, req_tag_i=k & 15)
        run.step()
        give(run, req_valid_i=0)
        for _ in range(d.cycles_alone - 1):
            run.step()
        run.settle()
        assert (number(run, "rsp_valid_o"), number(run, "rsp_status_o")) == (1, 0)
        assert number(run, "rsp_tag_o") == k & 15
        assert (number(run, "rsp_x_o"), number(run, "rsp_y_o")) == c.mul(k, c.generator)
        assert number(run, "rsp_cycles_o") == d.cycles_alone
        give(run, rsp_ready_i=1)
        run.step()
        give(run, rsp_ready_i=0)
        run.settle()
        while run.port("req_ready_o") != [1]:
            run.step()
            run.settle()


def test_registers_have_the_names_of_the_text() -> None:
    core = whole("toy7-small").core
    for name, bits in (("unsupported_q", 1), ("flag_q", 3), ("tag_q", 8)):
        found = [core.names[q] for q in core.named(name)]
        assert len(found) == bits
        assert [f.rpartition("[")[2] for f in found[:2]] == (["0]", "1]"] if bits > 1 else found)
    assert core.named("no_such_q") == []


def cell(kind: str, **parameters: str) -> dict[str, object]:
    return {"type": kind, "parameters": parameters, "connections": {"A": [2], "B": [3], "Y": [4]}}


def test_a_cell_without_a_model_is_refused() -> None:
    for wrong in (cell("$_DLATCH_P_"), cell("$mul", A_SIGNED="1", B_SIGNED="0")):
        with pytest.raises(UnknownCell):
            read({"cells": {"c": wrong}, "ports": {}, "netnames": {}})
