# SPDX-License-Identifier: Apache-2.0
"""Emit the module of a preset's schemes: its core, the scheme machine, the program."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.curves import BinaryCurve
from ecsm.hdl.emit import emit
from ecsm.hdl.engines.module import facts
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import EveryPreset
from ecsm.presets.word import WordPreset
from ecsm.schemes.machine import SLOT_WORDS, SLOTS, Machine
from ecsm.schemes.program import Program, program
from ecsm.schemes.words import ADDRESS_BITS, FLAGS_BITS, PROGRAM_BITS, WORD, WORD_BITS
from ecsm.templates import render

CYCLE_BITS = 24
SAMPLE_BITS = 8

SLOT_BITS = (SLOTS - 1).bit_length()
_BYTES_BITS = 4

PORTS = (
    ("input ", 1, "clk_i"),
    ("input ", 1, "rst_ni"),
    ("input ", 1, "zeroize_i"),
    ("input ", 1, "req_valid_i"),
    ("output", 1, "req_ready_o"),
    ("input ", 6, "req_op_i"),
    ("input ", SLOT_BITS, "req_slot_i"),
    ("input ", FLAGS_BITS, "req_flags_i"),
    ("output", 1, "rsp_valid_o"),
    ("input ", 1, "rsp_ready_i"),
    ("output", 4, "rsp_status_o"),
    ("output", CYCLE_BITS, "rsp_cycles_o"),
    ("input ", 1, "in_valid_i"),
    ("output", 1, "in_ready_o"),
    ("input ", WORD, "in_data_i"),
    ("input ", _BYTES_BITS, "in_bytes_i"),
    ("input ", 1, "in_last_i"),
    ("output", 1, "out_valid_o"),
    ("input ", 1, "out_ready_i"),
    ("output", WORD, "out_data_o"),
    ("output", _BYTES_BITS, "out_bytes_o"),
    ("output", 1, "out_last_o"),
    ("output", 1, "no_entropy_o"),
    ("output", 1, "test_mode_o"),
    ("input ", 1, "noise_valid_i"),
    ("output", 1, "noise_ready_o"),
    ("input ", SAMPLE_BITS, "noise_data_i"),
    ("input ", 1, "test_valid_i"),
    ("output", 1, "test_ready_o"),
    ("input ", SAMPLE_BITS, "test_data_i"),
)
"""Direction, bits, name."""


def scheme_name(p: EveryPreset) -> str:
    """Return the name of the module of a preset's schemes; a word engine is nothing else."""
    return p.module if isinstance(p, WordPreset) else f"{p.module}_schemes"


def emit_schemes(d: AnyDesign, wide: bool = False) -> dict[str, str]:
    """Return the generated modules' text by name, the top last."""
    p = d.preset
    return {p.module: emit(d), scheme_name(p): _top(p, program(p, wide), wide)}


def scheme_parameters(p: AnyPreset, wide: bool) -> dict[str, int | str]:
    """Return the parameters of a preset's scheme machine: numbers, or literals of SystemVerilog."""
    m = Machine(p, wide)
    field = m.curve.field.poly if isinstance(m.curve, BinaryCurve) else m.curve.p
    return {
        "ScalarW": p.scalar_bits,
        "NumScalar": 2 if m.double else 1,
        "CoordW": p.coordinate_bits,
        "CycleW": CYCLE_BITS,
        "NumSlot": SLOTS,
        "SlotWords": SLOT_WORDS,
        "OrderW": m.width,
        "Modulus": f"{{{m.width + 1}'h{field:x}, {m.width + 1}'h{p.curve.n:x}}}",
        "Binary": f"2'b{int(m.binary)}0",
        "Masked": f"1'b{int(m.masked)}",
        "HashWordW": 64 if wide else 32,
        "RandomOctets": m.random_octets,
    }


def _top(p: AnyPreset, text: Program, wide: bool) -> str:
    return render(
        "hdl/schemes.sv",
        **facts(p),
        name=scheme_name(p),
        operations=text.operations,
        ports=PORTS,
        parameters=scheme_parameters(p, wide),
        program_bits=PROGRAM_BITS,
        word_bits=WORD_BITS,
        words=[w.bits for w in text.words],
        notes=dict(text.texts),
        address_bits=ADDRESS_BITS - 1,
        constants=text.constants,
    )
