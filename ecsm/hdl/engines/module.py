# SPDX-License-Identifier: Apache-2.0
"""The one generated module of a preset: its engine with parameters, and the core port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ecsm.hdl.files import RTL, rtl_file
from ecsm.presets.gfp_table import AnyPreset
from ecsm.templates import render

TAG_BITS = 8
CYCLE_BITS = 20


class Program(NamedTuple):
    """The words of a program in a memory, and comments on them by number."""

    index_bits: int
    word_bits: int
    words: Sequence[int]
    notes: Mapping[int, str]


class Constants(NamedTuple):
    """The constants of kG in a memory, none if the core has no program for it; its cycles."""

    index_bits: int
    word_bits: int
    words: Sequence[int]
    cycles: int


def computed(p: AnyPreset) -> str:
    """Return what the core computes, for texts."""
    return "aG + bP" if p.double else "kP"


def facts(p: AnyPreset) -> dict[str, object]:
    """Return what templates are given of a core: its names, and the widths of its port."""
    return {
        "preset": p.name,
        "curve": p.curve.name,
        "computed": computed(p),
        "module": p.module,
        "scalar_bits": p.scalar_bits,
        "coordinate_bits": p.coordinate_bits,
        "tag_bits": TAG_BITS,
        "cycle_bits": CYCLE_BITS,
        "takes_random": p.random_bits > 0,
    }


def port_text(p: AnyPreset) -> str:
    """Return the module of a core without its inside, for a netlist of what is around it."""
    return render("hdl/ports.sv", **facts(p))


def module_text(
    p: AnyPreset,
    engine: str,
    units: str,
    cycles: int,
    comment: str,
    parameters: Mapping[str, str],
    program: Program | None = None,
    shape: Mapping[str, int] | None = None,
    random: bool | None = None,
    base: Constants | None = None,
) -> str:
    """Return the SystemVerilog text.

    ``units`` is part of a comment. ``comment`` is one on the program's words, or on the bits of a
    word of a ``program`` that stands in the module beside the engine. ``shape``: fields of
    gfp_pkg::shape_t. ``random``: whether the core takes random words; None: its engine has no port
    for them. ``base``: the constants of kG; None: its engine has no port for them.
    """
    return render(
        "hdl/core.sv",
        **(facts(p) | {"takes_random": random}),
        about=p.about,
        engine=engine,
        file=f"rtl/{rtl_file(engine).relative_to(RTL)}",
        units=units,
        cycles=cycles,
        comment=comment,
        parameters=parameters,
        program=program,
        shape=shape,
        base=base,
    )
