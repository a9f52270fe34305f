# SPDX-License-Identifier: Apache-2.0
"""Gowin devices: what nextpnr is told, and pins for a netlist. nextpnr places no pin by itself."""

from __future__ import annotations

from pathlib import Path

from ecsm.backend.netlist import read_module

GOWIN = {"GW2AR-18-QN88": "--device GW2AR-LV18QN88C8/I7 --vopt family=GW2A-18C"}
"""Devices by name, with their package. Their speed grade is C8/I7."""
CHIP = "GW2A-18C"
"""Whose database gowin_pack takes: that of the devices."""
FIXED = "--timing-allow-fail"
CST = "pins.cst"
CLOCK, CLOCK_PIN = "clk_i", "10"
"""The clock of a harness, and a pin of the clock network."""
PINS = tuple(str(pin) for pin in (*range(15, 21), *range(25, 32), *range(37, 43), *range(51, 57)))
"""Pins for the others, which no interface of the device needs."""


def pin_text(netlist: Path) -> str:
    """Return constraints that give each port of a harness, as Yosys JSON, a pin."""
    module = read_module(netlist)
    others = [port for port in module["ports"] if port != CLOCK]
    assert len(others) <= len(PINS)
    found = {CLOCK: CLOCK_PIN, **dict(zip(others, PINS, strict=False))}
    return "".join(f'IO_LOC "{port}" {pin};\n' for port, pin in found.items())
