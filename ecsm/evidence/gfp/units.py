# SPDX-License-Identifier: Apache-2.0
"""The units of a core over a prime field that are proven, each alone in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ecsm.evidence.gfp.divsteps import step_width
from ecsm.evidence.gfp.words import Words, read
from ecsm.evidence.netlist import synthesised
from ecsm.hdl.engines.gfp import shape, unit_parameters
from ecsm.presets.gfp import PrimePreset
from ecsm.progress import Progress
from ecsm.templates import render

TOP = "unit"
NETLIST = "words"
"""Of the RTL in words, as Yosys reads it, before any optimisation."""

_WORDS = ["proc", "flatten", "opt_clean"]
_MULTIPLIERS = {"whole": "gfp_mul"} | {
    k: f"gfp_mul_{k}" for k in ("column", "folded", "montgomery")
}


@dataclass(frozen=True)
class Unit:
    """A module of the RTL with its parameters; ``ports``: direction and bits by name."""

    module: str
    parameters: Mapping[str, str]
    ports: Mapping[str, tuple[str, int]]
    connections: Mapping[str, str]


def _unit(
    module: str, parameters: Mapping[str, str], ports: Mapping[str, tuple[str, int]],
    **connections: str,
) -> Unit:  # fmt: skip
    ports = {"clk_i": ("input", 1), **ports}
    return Unit(module, parameters, ports, {name: name for name in ports} | connections)


def _prime(p: PrimePreset) -> dict[str, str]:
    return {"PW": str(p.field_bits), "P": f"{p.field_bits}'h{p.curve.p:x}"}


def multiplier(p: PrimePreset) -> Unit:
    """Return the multiplier of a preset."""
    r = p.residues
    given = unit_parameters(p)
    given.pop("AddOffset", None)
    operand = "input", r.limbs * r.operand
    ports = {"a_i": operand, "b_i": operand, "p_o": ("output", r.limbs * r.register)}
    if p.kind != "whole":
        ports |= {"start_i": ("input", 1), "clear_i": ("input", 1)}
    if p.kind == "montgomery":
        given |= _prime(p)
    return _unit(_MULTIPLIERS[p.kind], given, ports)


def adder(p: PrimePreset) -> Unit:
    """Return the adder of a preset."""
    r = p.residues
    given = unit_parameters(p)
    ports = {"v_i": ("input", r.limbs * r.operand), "q_o": ("output", r.limbs * r.register)}
    if p.kind == "montgomery":
        return _unit("gfp_add_table", {"S": given["S"], **_prime(p)}, ports)
    names = {"S": "S", "Fold": "Fold", "Offset": "AddOffset"}
    parameters = {name: given[old] for name, old in names.items()}
    return _unit("gfp_add", parameters | {"Delay": str(adder_delay(p))}, ports)


def adder_delay(p: PrimePreset) -> int:
    """Return the ranks behind a sum of several threads, as gfp_datapath.sv has them."""
    return p.threads - 1 - p.summing if p.threads > 1 else 0


def reducer(p: PrimePreset) -> Unit:
    """Return the unit that makes a register's number canonical."""
    r = p.residues
    sizes = {"NumLimb": r.limbs, "LimbW": r.limb, "InW": r.register, "MaxShift": p.max_shift}
    ports = {
        "clear_i": ("input", 1), "start_i": ("input", 1),
        "v_i": ("input", r.limbs * r.register),
        "value_o": ("output", p.field_bits), "zero_o": ("output", 1), "valid_o": ("output", 1),
    }  # fmt: skip
    limbs = ", ".join(f"v_i[{r.register * k}+:{r.register}]" for k in range(r.limbs))
    parameters = {k: str(v) for k, v in sizes.items()} | _prime(p)
    return _unit("gfp_canon", parameters, ports, v_i=f"'{{{limbs}}}")


def step(p: PrimePreset) -> Unit:
    """Return a division step."""
    r, width, entry = p.residues, step_width(p), p.batch + 2
    sizes = {"NumLimb": r.limbs, "LimbW": r.limb, "Width": width, "MatrixW": entry}
    numbers = {"f": (r.limbs, width), "g": (r.limbs, width), "m": (4, entry)}
    ports = {"odd_i": ("input", 1), "swap_i": ("input", 1)}
    parts = {}
    for name, (count, bits) in numbers.items():
        for way, end in (("input", "i"), ("output", "o")):
            port = f"{name}_{end}"
            ports[port] = way, count * bits
            parts[port] = ", ".join(f"{port}[{bits * k}+:{bits}]" for k in range(count))
    return Unit(
        "gfp_divsteps_step", {k: str(v) for k, v in sizes.items()}, ports,
        {name: f"'{{{parts[name]}}}" if name in parts else name for name in ports},
    )  # fmt: skip


def unit_text(p: PrimePreset, unit: Unit) -> str:
    """Return the module that is proven: a unit with its parameters and nothing else."""
    return render(
        "evidence/unit.sv", module=TOP, unit=unit.module, shape=shape(p),
        inputs=[(way, bits, name) for name, (way, bits) in unit.ports.items()],
        parameters=unit.parameters, connections=unit.connections,
    )  # fmt: skip


def words(p: PrimePreset, unit: Unit, tell: Progress) -> Words:
    """Return the netlist of a unit in words; raises :class:`ecsm.backend.tool.FlowError`."""
    text, log = unit_text(p, unit), f"prove-{unit.module}"
    return read(synthesised(p.name, TOP, text, _WORDS, log, tell))
