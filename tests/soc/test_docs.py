# SPDX-License-Identifier: Apache-2.0
"""The narrow port's numbers are the same in SystemVerilog, Python and C."""

from __future__ import annotations

import re

from ecsm.hdl.files import RTL
from ecsm.narrow.instruction import FLAG_CURVE, FLAG_INFINITY, FLAG_TRUE, INSTR_BITS, Op
from ecsm.narrow.port import FULL_BIT, ID, Bit, Func, Info
from ecsm.soc.firmware import SW


def members(text: str, prefix: str) -> dict[str, int]:
    """Return the members of an enumeration of SystemVerilog, or macros, by lower-case name."""
    found = re.findall(rf"\b{prefix}(\w+)\s*=\s*(?:\d+'d)?(\d+)", text)
    return {name.lower(): int(value) for name, value in found}


def test_package_has_the_numbers_of_python() -> None:
    text = (RTL / "attach" / "ecsm_narrow_pkg.sv").read_text("utf-8")
    assert members(text, "Func") == {f.name.lower(): f.value for f in Func}
    bits = {b.name.lower(): b.value.bit_length() - 1 for b in Bit if b.name}
    assert members(text, "Status") == bits | {"full": FULL_BIT}
    short = {"id": 0, "version": 1, "bits": 2, "reg": 3, "run": 4}
    assert members(text, "Info") == short
    assert [i.value for i in Info] == list(short.values())


def test_instructions_have_the_numbers_of_python() -> None:
    text = (RTL / "attach" / "ecsm_narrow_seq_pkg.sv").read_text("utf-8")
    assert members(text, "Op") == {op.name.lower(): op.value for op in Op}
    flags = {"curve": FLAG_CURVE, "infinity": FLAG_INFINITY, "true": FLAG_TRUE}
    assert members(text, "int unsigned Flag") == flags | {"w": 4}
    assert INSTR_BITS == 1 + 4 + 3 * 4 + 2 * 5 + 9


def test_c_header_has_the_numbers_of_python() -> None:
    text = (SW / "narrow.h").read_text("utf-8")
    macros = dict(re.findall(r"#define NARROW_(\w+) (\d+)\n", text))
    assert {name: int(value) for name, value in macros.items()} == {f.name: f.value for f in Func}
    bits = dict(re.findall(r"#define NARROW_(\w+) \(1u << (\d+)\)", text))
    assert {name: 1 << int(bit) for name, bit in bits.items()} == {b.name: b.value for b in Bit}
    assert f"#define NARROW_ID {ID:#x}u" in text
