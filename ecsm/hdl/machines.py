# SPDX-License-Identifier: Apache-2.0
"""The machines that run schemes: a preset's core in the scheme machine, or a word engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.curves import Curve
from ecsm.hdl.scheme_emit import emit_schemes
from ecsm.hdl.word_emit import emit_word_schemes, host
from ecsm.hdl.word_image import image
from ecsm.presets.table import EveryPreset, any_preset, netlist_name
from ecsm.presets.word import WordPreset
from ecsm.schemes.numbers import Operations
from ecsm.schemes.program import program, without_schemes
from ecsm.schemes.word.program import word_program

Subject = AnyDesign | WordPreset
"""What is built: a core, from its schedule, or a word engine, which has none."""


@dataclass(frozen=True)
class Machine:
    """A machine with the schemes of a curve.

    ``preset``: of its core, or of its word engine; ``design``: of its core, if it has one;
    ``emit``: makes its modules' text by name, the top last; its argument: whether a word engine
    tests itself after reset and after tables, or on request alone; ``wide``: with SHA-384 and
    SHA-512 instead of shorter hashes; ``tables``: makes what it is loaded with, if it takes its
    tables from the host.
    """

    preset: EveryPreset
    program: Operations
    design: AnyDesign | None
    emit: Callable[[bool], Mapping[str, str]]
    wide: bool = False
    tables: Callable[[], bytes] | None = None

    @property
    def netlist(self) -> str:
        """The name of the preset that is compiled."""
        return netlist_name(self.preset)

    @property
    def name(self) -> str:
        """Its preset's name."""
        return self.preset.name

    @property
    def curve(self) -> Curve:
        """Its preset's curve."""
        return self.preset.curve


def subject(name: str) -> Subject:
    """Return what a preset's name means. Raises UnknownPreset, StaleSchedule."""
    p = any_preset(name)
    return p if isinstance(p, WordPreset) else design(name)


def preset_of(s: Subject) -> EveryPreset:
    """Return the preset of what is built."""
    return s if isinstance(s, WordPreset) else s.preset


def machine_of(s: Subject, wide: bool = False) -> Machine:
    """Return the machine of a core or of a word engine.

    Raises ValueError if there can be none, BadCurve for a curve of one's own whose tables the
    engine has no place for.
    """
    if isinstance(s, WordPreset):
        if why := without_schemes(s, wide):
            raise ValueError(why)
        if s.own:
            host(s)
        made = word_program(s)
        tables = (lambda: image(made.built)) if s.netlist else None
        return Machine(s, made, None, partial(emit_word_schemes, s), tables=tables)
    return Machine(s.preset, program(s.preset, wide), s, lambda _: emit_schemes(s, wide), wide)


def machine(name: str, wide: bool = False) -> Machine:
    """Return the machine of a preset's name. Raises as :func:`machine_of` and :func:`subject`."""
    return machine_of(subject(name), wide)
