# SPDX-License-Identifier: Apache-2.0
"""Netlists of a core with a fault in them, that a proof must find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ecsm.evidence.core import Core, Register
from ecsm.evidence.gates import Function, Net, Table

AND_NOT: Table = (0, 1, 0, 0)  # the first input, unless the second one is 1
XOR: Table = (0, 1, 1, 0)
MUX: Table = (0, 1, 0, 1, 0, 0, 1, 1)  # the first input; the second one if the third is 1


def before_register(core: Core, q: Net, others: Sequence[Net], table: Table) -> Core:
    """Return the netlist in which register ``q`` takes a function of what it took and others."""
    made = f"fault of {q}"
    f = Function(made, (core.registers[q].d, *others), table)
    registers = {**core.registers, q: Register(made, core.registers[q].reset)}
    return replace(core, parts=(*core.parts, f), registers=registers)


def before_output(core: Core, port: str, bit: int, others: Sequence[Net], table: Table) -> Core:
    """Return the netlist in which a bit of an output is a function of it and others."""
    nets = list(core.outputs[port])
    f = Function(f"fault of {port}", (nets[bit], *others), table)
    nets[bit] = f.output
    outputs = {**core.outputs, port: tuple(nets)}
    return replace(core, parts=(*core.parts, f), outputs=outputs)


def in_part(core: Core, index: int, state: Net) -> Core:
    """Return the netlist in which the sum of a function and a register or port replaces it."""
    f = core.parts[index]
    assert isinstance(f, Function)
    table = tuple(bit ^ high for high in (0, 1) for bit in f.table)
    parts = list(core.parts)
    parts[index] = Function(f.output, (*f.inputs, state), table)
    return replace(core, parts=tuple(parts))
