# SPDX-License-Identifier: Apache-2.0
"""Emit the module of a unit: its programs in a memory, around rtl/attach/ecsm_narrow_gf2m.sv."""

from __future__ import annotations

from collections.abc import Iterable

from ecsm.narrow.instruction import ADDRESS_BITS, INSTR_BITS, Instr, Op
from ecsm.narrow.programs import Firmware
from ecsm.templates import render


def unit_module(f: Firmware) -> str:
    """Return the name of a unit's module."""
    return f"ecsm_{f.kind}_{f.curve.name}"


def _note(i: Instr) -> str:
    """Return an instruction as a comment has it."""
    a, b = f"{i.guard_a}r{i.a}", f"{i.guard_b}r{i.b}"
    text = {
        Op.SUM: f"r{i.dst} = {a} + {b}",
        Op.POWER: f"r{i.dst} = r{i.a}^(2^{i.arg})",
        Op.MUL: f"r{i.dst} = r{i.a}·r{i.b}",
        Op.CONST: f"r{i.dst} = constant {i.arg}",
        Op.TEST: f"f{i.dst} = ({a} + {b} = 0)",
        Op.LOGIC: f"f{i.dst} = {'not ' * (i.arg & 1)}({i.guard_a}and {i.guard_b})",
        Op.KEY: f"f{i.dst} = next bit of r{i.a}" if not i.arg else f"first bit of r{i.a}",
        Op.LOOP: f"to {i.arg} while there are bits",
        Op.STOP: "end",
    }[i.op]
    return f"{'wait; ' * i.wait}{text}: {i.note}"


def _row(values: Iterable[int], bits: int) -> str:
    """Concatenate numbers of ``bits`` bits, the first one lowest."""
    return "{" + ", ".join(f"{bits}'h{value:x}" for value in reversed([*values])) + "}"


def _masks(f: Firmware, field: str) -> str:
    """Return the registers that each program needs, clears or fills."""
    masks = (sum(1 << i for i in getattr(run, field)) for run in f.runs)
    return _row(masks, len(f.registers))


def emit_unit(f: Firmware) -> str:
    """Return the SystemVerilog text of a unit."""
    m = f.curve.field.m
    consts = f.consts or (0,)
    entries = ", ".join(f"{ADDRESS_BITS}'d{r.entry}" for r in reversed(f.runs))
    parameters = {
        "M": m,
        "Poly": f"{m + 1}'h{f.curve.field.poly:x}",
        "Digit": f.digit,
        "Depth": f.depth,
        "NumReg": len(f.registers),
        "NumConst": len(consts),
        "Consts": _row(consts, m),
        "NumRun": len(f.runs),
        "Entry": f"{{{entries}}}",
        **{field: _masks(f, field.lower()) for field in ("Needs", "Clears", "Fills")},
    }
    return render(
        "narrow/unit.sv",
        kind=f.kind,
        curve=f.curve.name,
        module=unit_module(f),
        registers=f.registers,
        programs={r.name: f.cycles(r.name) for r in f.runs},
        parameters=parameters,
        address_bits=ADDRESS_BITS,
        instr_bits=INSTR_BITS,
        code=[i.code for i in f.code],
        notes={i: _note(instr) for i, instr in enumerate(f.code)},
    )
