# SPDX-License-Identifier: Apache-2.0
"""Which machine is for which kind of curve, and what operations it has of its own."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.presets.word import WordPreset
from ecsm.schemes.word.binary import BinaryMachine
from ecsm.schemes.word.machine import Machine
from ecsm.schemes.word.operations import agree_cofactor, operations
from ecsm.schemes.word.prime import PrimeMachine

MACHINES: dict[str, type[Machine]] = {"prime": PrimeMachine, "binary": BinaryMachine}
"""By the kind of field."""
OWN: dict[str, dict[str, Callable[[Machine], None]]] = {
    "prime": {},
    "binary": {"ecdh-cofactor": agree_cofactor},
}


def machine_of(p: WordPreset) -> Machine:
    """Return the machine of a preset's curve. Raises ValueError for one that it is not for."""
    return MACHINES[p.field_kind](p)


def texts_of(p: WordPreset) -> dict[str, Callable[[Machine], None]]:
    """Return the operations of a preset by name."""
    return operations(p.hashes) | OWN[p.field_kind]
