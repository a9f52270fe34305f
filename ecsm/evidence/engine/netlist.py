# SPDX-License-Identifier: Apache-2.0
"""The netlist of a whole engine over GF(2^m): gates, words, registers; multipliers are boxes.

Yosys makes gates of the generated module and all below it, but for two kinds of cells. A multiplier
is a box with its operands, its start and its product; that it multiplies is proven apart
(:mod:`ecsm.evidence.multiplier`). A column of the program is a table at the address of the word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ecsm.cores.design import BinaryDesign
from ecsm.evidence.gates import Function, Net, read
from ecsm.evidence.netlist import synthesised
from ecsm.hdl.engines.gf2m import emit, multiplier_parameters
from ecsm.progress import Progress

MULTIPLIER = "gf2m_mul"
_APART = f"t:* t:$bmux t:{MULTIPLIER} %u %d"  # all cells but those that stay
_GATES = [
    "proc", "flatten", "opt_expr", "opt_clean",
    "opt_dff -nodffe -nosdff",  # registers that are reset to a constant
    f"techmap {_APART}", f"simplemap {_APART}",
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN?_ x", "opt_expr", "opt_clean",
]  # fmt: skip
_RESET = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}


class WrongBox(ValueError):
    """A multiplier has other parameters than those that its proof is of."""


@dataclass(frozen=True)
class Register:
    """A flip-flop. ``reset``: the value that it has while the net ``resets`` is 0, or None."""

    q: Net
    d: Net
    reset: int | None = None
    resets: Net = "1"


@dataclass(frozen=True)
class Column:
    """A bit of every word of the program: ``output`` = ``bits``[address]; None is not known."""

    output: Net
    address: tuple[Net, ...]
    bits: tuple[int | None, ...]


@dataclass(frozen=True)
class Box:
    """A multiplier."""

    a: tuple[Net, ...]
    b: tuple[Net, ...]
    p: tuple[Net, ...]
    start: Net
    clear: Net


@dataclass(frozen=True)
class Core:
    """The netlist of an engine. ``names``: the nets of a signal of the RTL, the lowest first."""

    ports: Mapping[str, Sequence[Net]]
    names: Mapping[str, Sequence[Net]]
    functions: list[Function]
    columns: list[Column]
    registers: list[Register]
    boxes: list[Box]

    @property
    def cells(self) -> int:
        """Functions, columns and registers."""
        return len(self.functions) + len(self.columns) + len(self.registers)

    def engine(self, name: str) -> tuple[Net, ...]:
        """Return the nets of a signal of the engine."""
        return tuple(self.names[f"u_engine.{name}"])

    def with_function(self, index: int, new: Function) -> Core:
        """Return the netlist with another function in a place."""
        functions = list(self.functions)
        functions[index] = new
        return replace(self, functions=functions)

    def with_column(self, index: int, new: Column) -> Core:
        """Return the netlist with another column in a place."""
        columns = list(self.columns)
        columns[index] = new
        return replace(self, columns=columns)


def netlist(design: BinaryDesign, tell: Progress) -> Core:
    """Return the netlist of a design's engine; raises :class:`ecsm.backend.tool.FlowError`."""
    p, box = design.preset, f"--blackboxed-module {MULTIPLIER} "
    module = synthesised(p.name, p.module, emit(design), _GATES, "prove-engine", tell, options=box)
    return core(module, design)


def core(module: Mapping[str, Any], design: BinaryDesign) -> Core:
    """Return the netlist that a module of a JSON netlist of Yosys has."""
    gates: dict[str, Any] = {}
    columns, registers, boxes = [], [], []
    for name, cell in module["cells"].items():
        kind, at = cell["type"], cell["connections"]
        if kind in _RESET:
            register = Register(at["Q"][0], at["D"][0], _RESET[kind], at.get("R", ["1"])[0])
            registers.append(register)
        elif kind == "$bmux":
            columns.append(_column(at))
        elif kind == MULTIPLIER:
            _check_box(cell["parameters"], design)
            boxes.append((cell["attributes"]["hdlname"], _box(at)))
        else:
            gates[name] = cell
    plain = read({"cells": gates, "ports": module["ports"]})
    names = {name: net["bits"] for name, net in module["netnames"].items()}
    in_order = [box for _, box in sorted(boxes, key=lambda named: named[0])]
    return Core(plain.ports, names, plain.functions, columns, registers, in_order)


def _column(at: Mapping[str, Sequence[Net]]) -> Column:
    values = {"0": 0, "1": 1, "x": None}
    (output,) = at["Y"]
    return Column(output, tuple(at["S"]), tuple(values[str(bit)] for bit in at["A"]))


def _box(at: Mapping[str, Sequence[Net]]) -> Box:
    return Box(
        tuple(at["a_i"]), tuple(at["b_i"]), tuple(at["p_o"]), at["start_i"][0], at["clear_i"][0]
    )


def _check_box(parameters: Mapping[str, str], design: BinaryDesign) -> None:
    """Raise :class:`WrongBox` unless the box is the multiplier that is proven."""
    kinds = {"gf2m_pkg::MulSerial": 0, "gf2m_pkg::MulSegmented": 1, "gf2m_pkg::MulKaratsuba": 2}
    for name, text in multiplier_parameters(design.preset).items():
        want = kinds.get(text)
        if want is None:
            _, _, digits = text.partition("'")
            bases = {"h": 16, "b": 2}
            want = int(digits[1:], bases[digits[0]]) if digits else int(text)
        if int(parameters[name], 2) != want:
            raise WrongBox(f"a multiplier's {name} is {parameters[name]}, not {text}")
