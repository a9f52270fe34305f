# SPDX-License-Identifier: Apache-2.0
"""Units on the narrow port, by name.

``field-163`` and ``point-163`` compute on the curve of that size in
:data:`ecsm.narrow.port.SIZES`, ``field-toy5a`` on a curve that is named; ``core-b163-fast`` is a
preset's core.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design
from ecsm.curves import CURVES, UnknownCurveError, binary_curve, curve
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.names import no_such
from ecsm.narrow.emit import emit_unit, unit_module
from ecsm.narrow.port import SIZES
from ecsm.narrow.programs import DIGIT, UNITS, Firmware
from ecsm.presets.table import PRESETS, UnknownPreset
from ecsm.templates import render

TOY_DIGIT = 2
SEE = "ecsm soc units"  # shows the units
CORE_REGISTERS = ("X1", "Y1", "K")
CORE_EXTRA = 1
"""Cycles of a core's program beside the core's own."""


class UnknownUnit(UnknownPreset):
    """There is no such unit."""


@dataclass(frozen=True)
class Unit:
    """A unit: ``firmware`` of one that is made here, else ``design`` of a core."""

    name: str
    curve: BinaryCurve
    firmware: Firmware | None = None
    design: BinaryDesign | None = None

    @property
    def kind(self) -> str:
        """``field``, ``point`` or ``core``."""
        return self.firmware.kind if self.firmware else "core"

    @property
    def registers(self) -> tuple[str, ...]:
        """Names of the host's registers, by number."""
        return self.firmware.registers if self.firmware else CORE_REGISTERS

    @property
    def programs(self) -> list[str]:
        """Names of the programs, by number."""
        return [r.name for r in self.firmware.runs] if self.firmware else ["multiply"]

    def run_number(self, program: str) -> int:
        """Return the number of a program."""
        return self.programs.index(program)

    def needs(self, program: str) -> tuple[int, ...]:
        """Return the registers that a program reads."""
        return self.firmware.run(program).needs if self.firmware else (0, 1, 2)

    def results(self, program: str) -> tuple[int, ...]:
        """Return the registers that a program's results are in."""
        return self.firmware.run(program).fills if self.firmware else (0, 1)

    def cycles(self, program: str) -> int:
        """Return the cycles in which the unit is busy with a program."""
        if self.firmware:
            return self.firmware.cycles(program)
        assert self.design is not None
        return self.design.microcode.cycles + CORE_EXTRA

    @property
    def module(self) -> str:
        """Name of the module with the narrow port."""
        if self.firmware:
            return unit_module(self.firmware)
        assert self.design is not None
        return f"{self.design.preset.module}_narrow"

    @property
    def modules(self) -> dict[str, str]:
        """The generated modules' text by name, the one with the narrow port last."""
        if self.firmware:
            return {self.module: emit_unit(self.firmware)}
        assert self.design is not None
        return {
            self.design.preset.module: emit(self.design),
            self.module: render("narrow/core.sv", **facts(self.design.preset), name=self.module),
        }


def unit_curves() -> dict[str, BinaryCurve]:
    """Return the units' curves by name of unit; :func:`unit` takes the curves' aliases too."""
    curves = {size: binary_curve(name) for size, name in SIZES.items()}
    curves |= {c.name: c for c in CURVES if isinstance(c, BinaryCurve)}
    found = {f"{kind}-{of}": c for kind in UNITS for of, c in curves.items()}
    return found | {f"core-{name}": p.curve for name, p in PRESETS.items() if not p.random_bits}


@lru_cache(maxsize=32)
def unit(name: str) -> Unit:
    """Return a unit by name; raises :class:`UnknownUnit`, or StaleSchedule for a core."""
    kind, _, of = name.partition("-")
    try:
        if kind == "core":
            d = binary_design(of)
            if d.preset.random_bits:
                raise UnknownUnit(f"{name}: the core takes random words, which no unit gives it")
            if d.preset.scalar_bits != d.preset.m:
                raise UnknownUnit(f"{name}: the scalar is wider than the field")
            return Unit(name, d.preset.curve, design=d)
        c = curve(SIZES.get(of, of))
        if kind in UNITS and isinstance(c, BinaryCurve):
            digit = min(DIGIT, TOY_DIGIT if c.field.m < DIGIT else DIGIT)
            return Unit(name, c, UNITS[kind](c, digit))
    except (UnknownCurveError, KeyError):
        pass
    raise UnknownUnit(no_such("unit", name, unit_curves(), SEE))
