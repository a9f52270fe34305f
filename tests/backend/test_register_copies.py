# SPDX-License-Identifier: Apache-2.0
"""Which registers and LUTs are copied, and who reads a copy.

That netlists with copies compute the same is in test_cells.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from ecsm.backend.register_copies import spread

CLOCK = 2


def flip_flop(data: int, out: int) -> dict[str, Any]:
    return {
        "type": "TRELLIS_FF",
        "parameters": {"CEMUX": "1 "},
        "connections": {"CLK": [CLOCK], "DI": [data], "LSR": ["0"], "Q": [out]},
        "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
    }


def lut(inputs: list[int], out: int) -> dict[str, Any]:
    return {
        "type": "LUT4",
        "parameters": {},
        "connections": {**{p: [i] for p, i in zip("ABCD", inputs, strict=False)}, "Z": [out]},
        "port_directions": {**dict.fromkeys("ABCD", "input"), "Z": "output"},
    }


def a_module(bits: int = 12) -> dict[str, Any]:
    """Return bits of a number, each behind two LUTs that a register, wire 5, drives the first of.

    LUTs are named against the order of the bits.
    """
    cells: dict[str, Any] = {"one$reg": flip_flop(3, 5)}
    for i in range(bits):
        cells[f"first{bits - i}"] = lut([5, 100 + i], 200 + i)
        cells[f"second{i * 7 % bits}"] = lut([200 + i], 300 + i)
        cells[f"q[{i}]"] = flip_flop(300 + i, 400 + i)
    return {"cells": cells, "ports": {"y": {"direction": "output", "bits": [400]}}}


def drivers(module: dict[str, Any]) -> dict[int, str]:
    return {
        c["connections"]["Q"][0]: name
        for name, c in module["cells"].items()
        if c["type"] == "TRELLIS_FF"
    }


def test_neighbouring_bits_read_one_copy() -> None:
    module = a_module()
    assert spread(module, most=4) == 2
    driver = drivers(module)
    of = [driver[module["cells"][f"first{12 - i}"]["connections"]["A"][0]] for i in range(12)]
    assert of == ["one$reg"] * 4 + ["one$reg$copy1"] * 4 + ["one$reg$copy2"] * 4


def test_luts_are_copied_as_registers_are() -> None:
    module = a_module()
    cells = module["cells"]
    cells["one$lut"] = cells.pop("one$reg") | lut([3], 5)
    assert spread(module, most=4, kind="LUT4") == 2
    assert spread(module, most=4) == 0
    driver = {c["connections"]["Z"][0]: n for n, c in cells.items() if c["type"] == "LUT4"}
    of = [driver[cells[f"first{12 - i}"]["connections"]["A"][0]] for i in range(12)]
    assert of == ["one$lut"] * 4 + ["one$lut$copy1"] * 4 + ["one$lut$copy2"] * 4
    assert {cells[name]["connections"]["A"][0] for name in of} == {3}


def test_a_copy_is_the_register() -> None:
    module = a_module()
    spread(module, most=4)
    one, two = (module["cells"][n] for n in ("one$reg", "one$reg$copy1"))
    assert one["connections"] | {"Q": None} == two["connections"] | {"Q": None}
    assert one["parameters"] == two["parameters"]
    nets = [c["connections"]["Q"][0] for c in (one, two)]
    others = {
        b for c in a_module()["cells"].values() for bits in c["connections"].values() for b in bits
    }
    assert nets[0] == 5
    assert nets[1] not in others


@pytest.mark.parametrize("most", [12, 100])
def test_a_register_with_few_readers_is_left(most: int) -> None:
    module = a_module()
    assert spread(module, most) == 0
    assert module == a_module()


def test_a_register_that_a_port_reads_is_left() -> None:
    module = a_module()
    module["ports"]["x"] = {"direction": "output", "bits": [5]}
    assert spread(module, most=4) == 0


def test_readers_that_lead_nowhere_and_in_circles_are_shared_out_too() -> None:
    module = a_module(8)
    module["cells"]["nowhere"] = lut([5], 500)
    module["cells"]["circle"] = lut([5, 501], 501)
    assert spread(module, most=5) == 1
    read = [b for c in module["cells"].values() for b in c["connections"].get("A", []) if b == 5]
    assert len(read) == 5


def test_readers_that_lead_to_a_port_are_shared_out_too() -> None:
    module = a_module(8)
    module["cells"]["away"] = lut([5], 500)
    module["ports"]["z"] = {"direction": "output", "bits": [500]}
    assert spread(module, most=5) == 1


def test_a_port_that_reads_it_twice_reads_one_copy() -> None:
    module = a_module(4)
    module["cells"]["block"] = {
        "type": "DP16KD",
        "parameters": {},
        "connections": {"D": [5, 5]},
        "port_directions": {"D": "input"},
    }
    assert spread(module, most=3) == 1
    first, second = module["cells"]["block"]["connections"]["D"]
    assert first == second
