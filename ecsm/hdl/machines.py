# SPDX-License-Identifier: Apache-2.0
"""The machines that run schemes: a preset's core in the scheme machine, or a word engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.curves import Curve
from ecsm.hdl.scheme_emit import emit_schemes
from ecsm.hdl.word_emit import emit_word_schemes
from ecsm.presets.table import preset
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.program import program
from ecsm.schemes.word.program import word_program


class Operations(Protocol):
    """What a machine's program offers."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of its operations."""
        ...

    def number(self, operation: str) -> int:
        """Return req_op_i of an operation. Raises UnknownName if there is none of that name."""
        ...


@dataclass(frozen=True)
class Machine:
    """A machine with the schemes of a curve.

    ``name``: its preset's; ``design``: of its core, if it has one; ``emit``: makes its modules'
    text by name, the top last.
    """

    name: str
    curve: Curve
    program: Operations
    design: AnyDesign | None
    emit: Callable[[], Mapping[str, str]]


def machine_curve(name: str) -> Curve:
    """Return the curve of a machine, without making it. Raises UnknownPreset."""
    found = WORD_PRESETS.get(name)
    return found.curve if found else preset(name).curve


def machine(name: str, wide: bool = False) -> Machine:
    """Return the machine of a preset's name. Raises ValueError if there can be none."""
    if word := WORD_PRESETS.get(name):
        if wide:
            raise ValueError(f"{name} has no SHA-384 and no SHA-512")
        return Machine(name, word.curve, word_program(word), None, lambda: emit_word_schemes(word))
    d = design(name)
    return Machine(name, d.preset.curve, program(d.preset, wide), d, lambda: emit_schemes(d, wide))
