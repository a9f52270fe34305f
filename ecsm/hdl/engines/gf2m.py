# SPDX-License-Identifier: Apache-2.0
"""Emit the module of a ladder over GF(2^m): the engine with its parameters, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.cores.design import BinaryDesign
from ecsm.curves.gf2m.masked import offset
from ecsm.formulas.gf2m.graph import IDENTITY, RESULT, Map
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS, module_text
from ecsm.hdl.engines.text import (
    columns_of,
    list_text,
    map_text,
    matrix_text,
    program_comment,
    words_of,
)
from ecsm.presets.gf2m import Preset, Protect
from ecsm.schedule.gf2m.words import BITS, Gate, Guard, Sink, Source

_FLAGS = ("curve", "z1", "z2")
_PROTECT = {
    Protect.NONE: "ProtectNone", Protect.CHECK: "ProtectCheck", Protect.FULL: "ProtectFull",
}  # fmt: skip
_KINDS = {"serial": "MulSerial", "segmented": "MulSegmented", "karatsuba": "MulKaratsuba"}


@dataclass(frozen=True)
class Numbering:
    """The numbers that gf2m_engine_pkg.sv gives to sinks, sources and maps of a design."""

    gates: list[Gate]
    terms: list[tuple[Sink, Map, Source]]
    maps: list[Map]
    consts: list[int]
    multipliers: int
    registers: int

    def sink(self, sink: Sink) -> int:
        """Number of a sink."""
        kind, index, side = sink
        base = 2 * self.multipliers
        return {
            "operand": 2 * index + side,
            "write": base + index,
            "test": base + self.registers,
        }[kind]

    def source(self, source: Source) -> int:
        """Number of a source."""
        kind, index = source
        read = self.registers + len(self.consts)
        if kind == "reg":
            return index
        if kind == "const":
            return self.registers + self.consts.index(index)
        return read + index

    def map(self, map_: Map) -> int:
        """Number of a map; 0 is the identity."""
        return 0 if map_ == IDENTITY else 1 + self.maps.index(map_)


def numbering(design: BinaryDesign) -> Numbering:
    """Number everything the microcode enables."""
    gates = sorted({g for w in design.microcode.words for g in w.gates}, key=Gate.sort_key)
    terms = list(dict.fromkeys((g.sink, g.map, g.source) for g in gates))
    maps = sorted({g.map for g in gates} - {IDENTITY})
    consts = sorted({g.source[1] for g in gates if g.source[0] == "const"})
    return Numbering(
        gates, terms, maps, consts, design.preset.multipliers, design.microcode.registers
    )


def _source_text(source: Source) -> str:
    kind, index = source
    if kind == "const":
        return "1" if index == 1 else f"{index:#x}"
    return {"reg": f"r{index}", "mul": f"mul{index}"}[kind]


def _sink_text(sink: Sink) -> str:
    kind, index, side = sink
    return {"operand": f"mul{index}.{'ab'[side]}", "write": f"r{index}", "test": "zero?"}[kind]


def _guard_text(guard: Guard) -> str:
    """Concatenate what gate_t of gf2m_engine_pkg.sv has besides the term."""
    conditions = dict(guard)
    bits = ["2'b00" if name not in conditions else f"2'b1{int(conditions[name])}" for name in BITS]
    late = "LateAffine" if "affine" in conditions else "LateNegate"
    if not conditions.keys() & {"affine", "negate"}:
        late = "LateNone"
    assert conditions.get("affine", True)
    assert conditions.get("negate", True)
    return ", ".join([*bits, f"gf2m_engine_pkg::{late}"])


def flags(p: Preset) -> tuple[str, ...]:
    """Return the names of the engine's flags, in the order of the word's bits."""
    return (*_FLAGS, RESULT) if p.protected else _FLAGS


def _control_bits(design: BinaryDesign, n: Numbering) -> list[tuple[list[bool], str]]:
    """Return a word's bits, the lowest first, in every word: {shift, test, start, write, gate}."""
    words = design.microcode.words
    rows: list[tuple[list[bool], str]] = []
    for g in n.gates:
        text = f"{_sink_text(g.sink)} += {map_text(g.map)}, v = {_source_text(g.source)}"
        if g.map == IDENTITY:
            text = f"{_sink_text(g.sink)} += {_source_text(g.source)}"
        if g.guard:
            text += " if " + " and ".join(n if v else f"not {n}" for n, v in g.guard)
        rows.append(([g in w.gates for w in words], text))
    for r in range(n.registers):
        rows.append(([r in w.write for w in words], f"write r{r}"))
    for u in range(n.multipliers):
        rows.append(([u in w.start for w in words], f"start mul{u}"))
    for f in flags(design.preset):
        rows.append(([f in w.test for w in words], f"test {f}"))
    rows.append(([w.shift for w in words], "shift the scalar"))
    return rows


def words(design: BinaryDesign) -> list[int]:
    """Return the words of the program, without what starts a multiplier that needs no start."""
    n = numbering(design)
    rows = [bits for bits, _ in _control_bits(design, n)]
    if design.preset.multiplier.kind != "serial":
        first = len(n.gates) + n.registers
        del rows[first : first + n.multipliers]
    return words_of(rows)


def multiplier_parameters(p: Preset) -> dict[str, str]:
    """Return the parameters of a preset's multipliers, by their names in gf2m_mul."""
    mul = p.multiplier
    return {
        "M": f"{p.m}",
        "Poly": f"{p.m + 1}'h{p.curve.field.poly:x}",
        "Kind": f"gf2m_pkg::{_KINDS[mul.kind]}",
        "Digit": f"{mul.digit}",
        "Depth": f"{mul.depth}",
        "Stages": f"{mul.stages}",
        "Height": f"{mul.height}",
        "OperandReg": f"1'b{int(p.ahead)}",
    }


def emit(design: BinaryDesign) -> str:
    """Return the SystemVerilog text of the preset's module."""
    p, code, n = design.preset, design.microcode, numbering(design)
    m, unit = p.m, multiplier_parameters(p)
    coord = p.coordinate_bits
    maps = [(matrix_text(p.matrix(k), m), map_text(k)) for k in n.maps]
    terms = [
        (
            f"{{8'd{n.sink(s)}, 8'd{n.map(k)}, 16'd{n.source(v)}}}",
            f"{i}: {_sink_text(s)} += {map_text(k)}, v = {_source_text(v)}",
        )
        for i, (s, k, v) in enumerate(n.terms)
    ]
    gates = [
        (f"{{16'd{n.terms.index((g.sink, g.map, g.source))}, {_guard_text(g.guard)}}}", "")
        for g in n.gates
    ]
    consts = [(f"{m}'h{c:x}", "") for c in n.consts]
    width = max(code.repeat).bit_length() or 1
    repeats = columns_of([([bool(r >> b & 1) for r in code.repeat], "") for b in range(width)])
    params = [
        *_protection(design),
        ("M", unit["M"]),
        ("Poly", unit["Poly"]),
        ("CoordW", f"{coord}"),
        ("TagW", f"{TAG_BITS}"),
        ("CycleW", f"{CYCLE_BITS}"),
        ("NumMul", f"{p.multipliers}"),
        ("Kind", unit["Kind"]),
        ("Digit", unit["Digit"]),
        ("KaratsubaDepth", unit["Depth"]),
        ("Stages", unit["Stages"]),
        ("Height", unit["Height"]),
        ("OperandReg", unit["OperandReg"]),
        ("NumReg", f"{n.registers}"),
        ("NumConst", f"{max(1, len(n.consts))}"),
        ("NumMap", f"{max(1, len(n.maps))}"),
        ("NumTerm", f"{len(n.terms)}"),
        ("NumGate", f"{len(n.gates)}"),
        ("Consts", list_text(consts)),
        ("Maps", list_text(maps)),
        ("Terms", list_text(terms)),
        ("Gates", list_text(gates)),
        ("OutX", f"{code.out[0]}"),
        ("OutY", f"{code.out[1]}"),
        ("Depth", f"{len(code.words)}"),
        ("RepeatW", f"{width}"),
        ("LoopFirst", f"{code.first}"),
        ("LoopLast", f"{code.last}"),
        ("LoopCount", f"{code.count}"),
        ("Columns", list_text(columns_of(_control_bits(design, n)))),
        ("RepeatColumns", list_text(repeats)),
    ]
    units = f"{p.multipliers} multiplier{'s' * (p.multipliers > 1)}, {p.multiplier.describe()}"
    return module_text(
        p, "gf2m_engine", units, code.cycles, program_comment(code), dict(params),
        random=p.random_bits > 0,
    )  # fmt: skip


def _protection(design: BinaryDesign) -> list[tuple[str, str]]:
    """Return the parameters that a protected engine has besides."""
    p = design.preset
    if not p.protected:
        return []
    found = [("Protect", f"ecsm_protect_pkg::{_PROTECT[p.protect]}")]
    if design.graph.random is not None:
        register = design.schedule.variables[design.graph.random]
        found += [("RegRandom", f"{register}"), ("Offset", f"{p.m + 2}'h{offset(p.curve):x}")]
    return found
