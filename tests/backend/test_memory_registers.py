# SPDX-License-Identifier: Apache-2.0
"""Which registers go into block memories: those that nobody else reads, and that do nothing else.

That packed netlists compute the same is in test_cell_models.py and test_word_netlist.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from ecsm.backend.memory_registers import pack

CLOCK, OTHER = 2, 3
PINS = {"CEA": ["1"], "OCEA": ["1"], "RSTA": ["0"], "CEB": ["1"], "OCEB": ["1"], "RSTB": ["0"],
        "CLKA": [CLOCK], "CLKB": [CLOCK]}  # fmt: skip


def a_module(bits: int) -> dict[str, Any]:
    """Return a memory with a bit read by each port, wires 10 and 11, and their flip-flops."""
    outputs = {"DOA0": [10], "DOB0": [11], "DOB1": [12]}
    cells: dict[str, Any] = {
        "memory": {
            "type": "DP16KD",
            "parameters": {"DATA_WIDTH_A": f"{bits:032b}", "DATA_WIDTH_B": f"{bits:032b}",
                           "REGMODE_A": "NOREG", "REGMODE_B": "NOREG", "CLKAMUX": "CLKA",
                           "CLKBMUX": "CLKB"},
            "connections": PINS | outputs,
            "port_directions": dict.fromkeys(PINS, "input") | dict.fromkeys(outputs, "output"),
        }
    }  # fmt: skip
    for i in range(2):
        cells[f"q{i}"] = {
            "type": "TRELLIS_FF",
            "parameters": {"CEMUX": "1 "},
            "connections": {"CLK": [CLOCK], "DI": [10 + i], "LSR": ["0"], "Q": [20 + i]},
            "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
        }
    return {"cells": cells, "ports": {"out": {"direction": "output", "bits": [20, 21]}}}


def modes(module: dict[str, Any]) -> list[str]:
    settings = module["cells"]["memory"]["parameters"]
    return [settings["REGMODE_A"], settings["REGMODE_B"]]


@pytest.mark.parametrize(("bits", "ports"), [(9, 2), (18, 2), (36, 1)])
def test_a_memory_keeps_its_words(bits: int, ports: int) -> None:
    module = a_module(bits)
    assert pack(module) == ports
    assert list(module["cells"]) == ["memory"]
    assert [module["cells"]["memory"]["connections"][p] for p in ("DOA0", "DOB0")] == [[20], [21]]
    assert modes(module) == ["OUTREG", "OUTREG"]
    assert pack(module) == 0


OF_THE_REGISTER = {
    "enable": lambda c: c["q1"]["parameters"].update(CEMUX="CE"),
    "reset": lambda c: c["q1"]["connections"].update(LSR=[7]),
    "another clock": lambda c: c["q1"]["connections"].update(CLK=[OTHER]),
    "falling edge": lambda c: c["q1"]["parameters"].update(CLKMUX="INV"),
    "one at first": lambda c: c["q1"]["parameters"].update(REGSET="SET"),
    "no flip-flop": lambda c: c["q1"].update(type="LUT4"),
    "two readers": lambda c: c.update(r=c["q1"] | {"connections": {"DI": [11], "Q": [22]}}),
}
OF_THE_PORT = {
    "reads now and then": lambda c: c["memory"]["connections"].update(CEB=[7]),
    "register stops": lambda c: c["memory"]["connections"].update(OCEB=[7]),
    "word is reset": lambda c: c["memory"]["connections"].update(RSTB=[7]),
    "reads at the falling edge": lambda c: c["memory"]["parameters"].update(CLKBMUX="INV"),
    "has another clock": lambda c: c["memory"]["connections"].update(CLKB=[OTHER]),
}
CHANGES = OF_THE_REGISTER | OF_THE_PORT


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_another_port_stays(change: Any) -> None:
    module = a_module(18)
    change(module["cells"])
    before = len(module["cells"])
    assert pack(module) == 1, "the other port takes its register"
    assert modes(module) == ["OUTREG", "NOREG"]
    assert len(module["cells"]) == before - 1
    assert module["cells"]["memory"]["connections"]["DOB0"] == [11]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_of_a_word_that_leaves_by_both_ports_all_stays(change: Any) -> None:
    module = a_module(36)
    change(module["cells"])
    before = len(module["cells"])
    assert pack(module) == 0
    assert modes(module) == ["NOREG", "NOREG"]
    assert len(module["cells"]) == before


def test_a_word_that_a_port_of_the_module_reads_stays() -> None:
    module = a_module(18)
    module["ports"]["out"]["bits"] = [11, 20]
    assert pack(module) == 1
    assert modes(module) == ["OUTREG", "NOREG"]
