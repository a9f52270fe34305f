# SPDX-License-Identifier: Apache-2.0
"""Which registers go into DSP blocks: those that nobody else reads, and that do nothing else.

That packed netlists compute the same is in test_cell_models.py and test_cells.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from ecsm.backend.dsp_registers import pack

CLOCK = 2


def a_module() -> dict[str, Any]:
    """Return two bits of a product, wires 10 and 11, and their flip-flops, wires 20 and 21."""
    cells: dict[str, Any] = {
        "product": {
            "type": "MULT18X18D",
            "parameters": {},
            "connections": {"A0": [5], "B0": [6], "P0": [10], "P1": [11], "P2": [12]},
            "port_directions": {"A0": "input", "B0": "input"}
            | {f"P{i}": "output" for i in range(3)},
        }
    }
    for i in range(2):
        cells[f"q{i}"] = {
            "type": "TRELLIS_FF",
            "parameters": {"CEMUX": "1 "},
            "connections": {"CLK": [CLOCK], "DI": [10 + i], "LSR": ["0"], "Q": [20 + i]},
            "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
        }
    return {"cells": cells, "ports": {"out": {"direction": "output", "bits": [20, 21]}}}


def test_a_product_keeps_itself() -> None:
    module = a_module()
    assert pack(module) == 1
    (block,) = module["cells"].values()
    assert block["connections"]["P0"] == [20]
    assert block["connections"]["P1"] == [21]
    assert [block["connections"][p] for p in ("CLK0", "CE0", "RST0")] == [[CLOCK], ["1"], ["0"]]
    assert block["parameters"]["REG_OUTPUT_CLK"] == "CLK0"


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["q1"]["parameters"].update(CEMUX="CE"),
        lambda c: c["q1"]["connections"].update(LSR=[7]),
        lambda c: c["q1"]["connections"].update(CLK=[3]),
        lambda c: c["q1"]["parameters"].update(CLKMUX="INV"),
        lambda c: c["q1"]["parameters"].update(LSRMUX="INV"),
        lambda c: c["q1"]["parameters"].update(REGSET="SET"),
        lambda c: c["q1"].update(type="LUT4"),
        lambda c: c["q1"]["connections"].update(DI=[9], LSR=[11]),
        lambda c: c.update(other=c["q1"] | {"connections": {"DI": [11], "Q": [22]}}),
    ],
    ids=[
        "enable",
        "reset",
        "two clocks",
        "falling edge",
        "inverted reset",
        "one at first",
        "no flip-flop",
        "another pin",
        "two readers",
    ],
)
def test_other_registers_stay(change: Any) -> None:
    module = a_module()
    change(module["cells"])
    before = len(module["cells"])
    assert pack(module) == 0
    assert len(module["cells"]) == before
    assert module["cells"]["product"]["connections"]["P0"] == [10]


def test_of_two_registers_in_a_row_one_is_taken() -> None:
    module = a_module()
    for i in range(2):
        second = module["cells"][f"q{i}"] | {"connections": {"CLK": [CLOCK], "DI": [20 + i]}}
        second["connections"] |= {"LSR": ["0"], "Q": [30 + i]}
        module["cells"][f"r{i}"] = second
    module["ports"]["out"]["bits"] = [30, 31]
    assert [pack(module), pack(module)] == [1, 0]
    assert set(module["cells"]) == {"product", "r0", "r1"}


def test_a_product_that_a_port_reads_stays() -> None:
    module = a_module()
    module["ports"]["out"]["bits"] = [11, 20]
    assert pack(module) == 0
