# SPDX-License-Identifier: Apache-2.0
"""Emit the module of a preset that halves: the engine with its parameters and program."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.cores.design import HalvingDesign
from ecsm.formulas.gf2m.graph import IDENTITY, Map
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS, module_text
from ecsm.hdl.engines.text import (
    columns_of,
    list_text,
    map_text,
    matrix_text,
    program_memory,
    words_of,
)
from ecsm.schedule.halving.types import BANKS, DIGIT, PLAIN, SLOTS, R
from ecsm.schedule.halving.words import CONDITIONS, SQUARE, Gate, Source, Word
from ecsm.schedule.program import Microcode

_TESTS = ("curve", "trace", "z1")
_SCALAR = ("step", "add", "last", "settle", "shift", "latch")
SLOT_BITS = (SLOTS - 1).bit_length()
_PLACES = (*PLAIN, *BANKS)
Term = tuple[int, Map, Source]


@dataclass(frozen=True)
class Numbering:
    """The numbers that gf2m_halving_pkg.sv gives to what the microcode names."""

    gates: list[Gate]
    terms: list[Term]
    maps: list[Map]
    consts: list[int]
    writes: list[tuple[int, str]]

    def sink(self, sink: int) -> int:
        """Number of a sink."""
        return len(_PLACES) if sink < 0 else sink

    def source(self, source: Source) -> int:
        """Number of a source."""
        kind, index = source
        read = len(_PLACES) + max(1, len(self.consts))
        if kind == "reg":
            return index
        if kind == "const":
            return len(_PLACES) + self.consts.index(index)
        return read + {"mul": index, "square": 2 + index, "half": 4, "root": 5}[kind]

    def map(self, map_: Map) -> int:
        """Number of a map; 0 is the identity."""
        return 0 if map_ == IDENTITY else 1 + self.maps.index(map_)


def term(g: Gate) -> Term:
    """Return what a gate enables; the square of a product is a source of its own."""
    if g.map == SQUARE and g.source[0] == "mul":
        return g.sink, IDENTITY, ("square", g.source[1])
    return g.sink, g.map, g.source


def numbering(code: Microcode[Word]) -> Numbering:
    """Number everything the microcode enables."""
    gates = sorted({g for w in code.words for g in w.gates}, key=Gate.sort_key)
    return Numbering(
        gates,
        list(dict.fromkeys(term(g) for g in gates)),
        sorted({map_ for _, map_, _ in map(term, gates)} - {IDENTITY}),
        sorted({g.source[1] for g in gates if g.source[0] == "const"}),
        sorted({w for word in code.words for w in word.write}),
    )


def _sink_text(sink: int) -> str:
    return "zero?" if sink < 0 else _PLACES[sink]


def _source_text(source: Source) -> str:
    kind, index = source
    if kind == "const":
        return "1" if index == 1 else f"{index:#x}"
    return {"reg": _PLACES[index] if kind == "reg" else "", "mul": f"mul{index}"}.get(kind, kind)


def _term_text(sink: int, map_: Map, source: Source) -> str:
    value = _source_text(source)
    return f"{_sink_text(sink)} += " + (
        value if map_ == IDENTITY else f"{map_text(map_)}, v = {value}"
    )


def _control_bits(code: Microcode[Word], n: Numbering) -> list[tuple[list[bool], str]]:
    """Return a word's bits, the lowest first, in every word: {scalar, test, slots, write, gate}."""
    rows = []
    for g in n.gates:
        condition = f" if {g.condition}" if g.condition else ""
        rows.append(
            ([g in w.gates for w in code.words], _term_text(g.sink, g.map, g.source) + condition)
        )
    for register, condition in n.writes:
        text = f"write {_PLACES[register]}" + (f" if {condition}" if condition else "")
        rows.append(([(register, condition) in w.write for w in code.words], text))
    for what in ("read", "write"):
        chosen = [w.read_slot if what == "read" else w.write_slot for w in code.words]
        for i, bank in enumerate(BANKS):
            slots = [c.get(len(PLAIN) + i, 0) for c in chosen]
            for b in range(SLOT_BITS):
                rows.append(
                    ([bool(s >= 0 and s >> b & 1) for s in slots], f"{what} {bank}: slot {b}")
                )
            rows.append(([s == DIGIT for s in slots], f"{what} {bank}: the digit's slot"))
    rows += [([t in w.test for w in code.words], f"test {t}") for t in _TESTS]
    rows += [([s in w.scalar for w in code.words], f"scalar: {s}") for s in _SCALAR]
    return rows


def words(d: HalvingDesign) -> list[int]:
    """Return the words of the program, as the engine has them."""
    return words_of([bits for bits, _ in _control_bits(d.microcode, numbering(d.microcode))])


def emit(d: HalvingDesign) -> str:
    """Return the SystemVerilog text of the preset's module."""
    p, code = d.preset, d.microcode
    n, m, h, gf = numbering(code), p.m, p.halves, p.curve.field
    roots = gf.matrix(gf.sqrt)
    halves = [r ^ gf.half_trace(r) for r in roots]
    trace = sum(gf.trace(1 << i) << i for i in range(m))
    terms = [
        (
            f"{{8'd{n.sink(s)}, 8'd{n.map(k)}, 16'd{n.source(v)}}}",
            f"{i}: {_term_text(s, k, v)}",
        )
        for i, (s, k, v) in enumerate(n.terms)
    ]
    number = {t: i for i, t in enumerate(n.terms)}
    gates = [
        (f"{{16'd{number[term(g)]}, 4'd{CONDITIONS.index(g.condition)}}}", "") for g in n.gates
    ]
    writes = [(f"{{8'd{r}, 4'd{CONDITIONS.index(c)}}}", "") for r, c in n.writes]
    width = max(code.repeat).bit_length() or 1
    rows = _control_bits(code, n)
    index = (len(code.words) - 1).bit_length()
    memory = program_memory(code, [bits for bits, _ in rows])
    params = {
        "M": f"{m}",
        "Poly": f"{m + 1}'h{gf.poly:x}",
        "CoordW": f"{p.coordinate_bits}",
        "TagW": f"{TAG_BITS}",
        "CycleW": f"{CYCLE_BITS}",
        "KaratsubaDepth": f"{p.multiplier.depth}",
        "Height": f"{p.multiplier.height}",
        "Root": matrix_text(roots, m),
        "Half": matrix_text(halves, m),
        "Square": matrix_text(p.matrix(SQUARE), m),
        "Trace": f"{m}'h{trace:x}",
        "Top": f"{h.top}",
        "Windows": f"{h.windows}",
        "AccW": f"{h.width}",
        "Delta": f"{h.width}'h{h.delta % (1 << h.width):x}",
        "Start": f"{h.width}'h{h.start:x}",
        "NumReg": f"{len(PLAIN)}",
        "NumBank": f"{len(BANKS)}",
        "SlotW": f"{SLOT_BITS}",
        "NumConst": f"{max(1, len(n.consts))}",
        "NumMap": f"{max(1, len(n.maps))}",
        "NumTerm": f"{len(n.terms)}",
        "NumGate": f"{len(n.gates)}",
        "NumWrite": f"{len(n.writes)}",
        "Consts": list_text([(f"{m}'h{c:x}", "") for c in n.consts]),
        "Maps": list_text([(matrix_text(p.matrix(k), m), map_text(k)) for k in n.maps]),
        "Terms": list_text(terms),
        "Gates": list_text(gates),
        "Writes": list_text(writes),
        "InX": f"{R['CX']}",
        "InY": f"{R['CL']}",
        "OutX": f"{code.out[0]}",
        "OutY": f"{code.out[1]}",
        "WordBits": f"{len(rows)}",
        "IndexW": f"{index}",
        "Depth": f"{len(code.words)}",
        "RepeatW": f"{width}",
        "LoopFirst": f"{code.first}",
        "LoopLast": f"{code.last}",
        "LoopCount": f"{code.count}",
        "RepeatColumns": list_text(
            columns_of([([bool(r >> b & 1) for r in code.repeat], "") for b in range(width)])
        ),
    }
    units = f"2 multipliers, {p.describe()}"
    bits = "\n".join(f"//   {b:3d} {note}" for b, (_, note) in enumerate(rows))
    return module_text(p, "gf2m_halving", units, code.cycles, bits, params, memory)
