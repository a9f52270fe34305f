# SPDX-License-Identifier: Apache-2.0
"""The accelerators that a system on chip may have: for lists and suggestions."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.narrow.units import unit_curves
from ecsm.presets.table import PRESETS, all_presets, curve_name, every_preset, is_toy
from ecsm.schemes.program import has_schemes
from ecsm.soc.headers import COUPLINGS

SCHEMES, AXIL = "schemes-", "axil-"
SCHEME_COUPLINGS = ("tc", "lc")
AXIL_COUPLINGS = ("lc",)
_ABOUT = {
    "field": "field operations: A B, A^2, A + B, 1/A",
    "point": "point operations: P + Q, 2P, kP",
}


@dataclass(frozen=True)
class Accelerator:
    """``couplings``: how a program may reach it, ``software`` being without it."""

    unit: str
    curve: str
    about: str
    couplings: tuple[str, ...]


def accelerators(toys: bool = False) -> list[Accelerator]:
    """Return what there is, of toy curves only if they are asked for."""
    found = []
    for name, c in unit_curves().items():
        kind, _, of = name.partition("-")
        about = _ABOUT.get(kind) or f"kP: {PRESETS[of].about}"
        if toys or not c.name.startswith("toy"):
            found.append(Accelerator(name, c.name, about, COUPLINGS))
    for p in every_preset():
        if has_schemes(p) and (toys or not is_toy(p)):
            about = f"schemes as a block of registers, on {p.name}"
            found.append(Accelerator(SCHEMES + p.name, curve_name(p), about, SCHEME_COUPLINGS))
    for p in all_presets():
        if not p.random_bits and (toys or not is_toy(p)):
            about = f"kP behind AXI4-Lite, on {p.name}"
            found.append(Accelerator(AXIL + p.name, curve_name(p), about, AXIL_COUPLINGS))
    return found
