# SPDX-License-Identifier: Apache-2.0
"""Emit a prime-field preset's module: the engine with its parameters, and its program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ecsm.cores.design import PrimeDesign
from ecsm.curves.gfp.endomorphism import Decomposition
from ecsm.curves.gfp.karatsuba import Scheme
from ecsm.curves.gfp.masked import offset
from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.curves.gfp.serial import Serial
from ecsm.curves.gfp.xline import XLine
from ecsm.formulas.gfp.base import FIXED
from ecsm.formulas.gfp.graph import Guard
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS, Constants, Program, module_text
from ecsm.hdl.engines.text import program_memory, words_of
from ecsm.presets.gfp import CHUNK, PrimePreset
from ecsm.presets.gfp_core import KINDS
from ecsm.schedule.gfp.microcode import Word
from ecsm.schedule.gfp.slots import Feature, Sink, Source, opened
from ecsm.schedule.gfp.types import BANKS, DEPTH
from ecsm.schedule.program import Microcode

TAKES = ("curve", "x", "y", "divide")
_NOT_MASKED = ("N", "Threads", "Patience", "Window", "Chunk")  # parameters of gfp_engine only
TESTS = ("curve", "infinity", "result", "X", "Y")  # flags of gfp_masked_pkg
_GUARDS = {
    "negative": "GuardNegative",
    "swap": "GuardNegative",
    "flip": "GuardFlip",
    "invalid": "GuardInvalid",
    "infinity": "GuardInfinity",
    "role": "GuardInfinity",  # of gfp_masked_control
}
_SINKS: dict[Sink, int] = {("mul", 0): 0, ("mul", 1): 1, ("add", 0): 2}
_MULTIPLIERS = {k: f"gfp_pkg::Mul{k.capitalize()}" for k in KINDS}
_MATRIX = "uvqr"
BANK_BITS = (DEPTH - 1).bit_length()
NUM_BASE = len(FIXED)


def concat(values: Iterable[str], indent: int = 6) -> str:
    """Concatenate values, the first one lowest."""
    rows = list(values)
    if not rows:
        return "'0"
    pad = " " * indent
    return "{\n" + ",\n".join(pad + v for v in reversed(rows)) + f"\n{pad[2:]}}}"


def flat(values: Sequence[int], bits: int) -> str:
    """Concatenate numbers of ``bits`` bits, the first one lowest, negative ones by complement."""
    total = sum((v & (1 << bits) - 1) << bits * i for i, v in enumerate(values))
    return f"{bits * len(values)}'h{total:x}"


def shape(p: PrimePreset) -> dict[str, int]:
    """Return the fields of gfp_pkg::shape_t; 1 for what the multiplier has not."""
    r = p.residues
    sizes = {
        "num_limb": r.limbs,
        "num_word": r.words,
        "word_w": r.word,
        "reg_w": r.register,
        "op_w": r.operand,
    }
    if isinstance(r, Serial):
        sizes |= {"sum_w": 1, "num_product": 1}
    else:
        sizes |= {"sum_w": p.factor_bits[0], "num_product": len(p.scheme.picks)}
    sizes["digit_w"] = p.digit
    dsp = {
        "mul_in_dsp": int(p.multiplier_in == "dsp"),
        "add_in_dsp": int(p.adder_in == "dsp"),
    }
    if isinstance(r, Montgomery):
        sizes |= dict.fromkeys(("num_cut", "cut_w", "out_w", "joined_w"), 1)
        return sizes | {"num_round": r.rounds, "num_add_round": r.sum_rounds, "ranks": 0} | dsp
    d = r.reduction
    return sizes | {
        "num_cut": d.words,
        "cut_w": d.sum_bits,
        "out_w": d.word_bits,
        "joined_w": d.limb_bits,
        "num_round": max(1, len(d.rounds)),
        "num_add_round": max(1, len(r.carries[0])),
        "ranks": sum(1 << i for i in p.ranks),
        **dsp,
    }


def _masks(s: Scheme, sign: int, columns: int) -> list[int]:
    """Return the products that have this sign in each column; a halves' scheme has fewer."""
    found = [sum(1 << j for j, c in column if c == sign) for column in s.columns]
    return found + [0] * (columns - len(found))


class _Numbering:
    """The numbers that gfp_engine_pkg.sv gives to terms and gates: a gate is a term and a guard."""

    def __init__(self, code: Microcode[Word]) -> None:
        self.opened = [opened(w.gates) for w in code.words]
        self.gates = sorted(set().union(*self.opened), key=str)
        self.terms = list(dict.fromkeys(term for term, _ in self.gates))

    def term(self, term: Feature) -> str:
        """Return a term_t."""
        value = term.value if isinstance(term.value, int) else _source_number(term.value)
        kind = f"gfp_engine_pkg::Term{term.kind.capitalize()}"
        return f"{{8'd{_SINKS[term.sink]}, 8'd{term.slot}, {kind}, 16'd{value}}}"

    def gate(self, gate: tuple[Feature, Guard | None]) -> str:
        """Return a gate_t."""
        term, guard = gate
        kind = _GUARDS[guard[0]] if guard else "GuardNone"
        value = int(bool(guard and guard[1]))
        return f"{{16'd{self.terms.index(term)}, gfp_engine_pkg::{kind}, 1'b{value}}}"


def _source_number(source: Source) -> int:
    kind, index = source
    first = {
        "reg": 0,
        "mul": BANKS,
        "add": BANKS + 1,
        "table": BANKS + 2,
        "matrix": BANKS + 2 + len(COLUMNS),
        "const": BANKS + 2 + len(COLUMNS) + len(_MATRIX),
    }
    return first[kind] + index


def _source_text(source: Source) -> str:
    kind, index = source
    return {
        "reg": f"register of bank {index}",
        "mul": "product",
        "add": "sum",
        "table": f"T.{COLUMNS[index % len(COLUMNS)]}",
        "matrix": _MATRIX[index % len(_MATRIX)],
        "const": f"c{index}",
    }[kind]


def _sink_text(sink: Sink) -> str:
    unit, side = sink
    return f"{unit}.{'ab'[side]}" if unit == "mul" else unit


def _term_text(term: Feature) -> str:
    if isinstance(term.value, tuple):
        what = _source_text(term.value)
    else:
        what = f"times {1 << term.value}" if term.kind == "shift" else term.kind
    return f"{_sink_text(term.sink)}[{term.slot}]: {what}"


def control_bits(code: Microcode[Word], entry_bits: int) -> list[tuple[str, list[int]]]:
    """Return every bit of a control word, the lowest first: what it does, and in which words."""
    n, words = _Numbering(code), code.words
    rows: list[tuple[str, list[int]]] = []

    def number(values: list[int], bits: int, note: str) -> None:
        rows.extend((f"{note}, bit {b}", [v >> b & 1 for v in values]) for b in range(bits))

    for gate in n.gates:
        term, guard = gate
        where = f" if {'' if guard[1] else 'not '}{guard[0]}" if guard else ""
        rows.append((_term_text(term) + where, [int(gate in o) for o in n.opened]))
    for kind, count in (("store", len(COLUMNS)), ("write", BANKS)):
        for i in range(count):
            place = f"column {COLUMNS[i]}" if kind == "store" else f"bank {i}"
            for unit in ("mul", "add"):
                taken = [int(getattr(w, kind).get(i, (0, ""))[1] == unit) for w in words]
                rows.append((f"{kind} {unit} in {place}", taken))
    for bank in range(BANKS):
        numbers = [w.write.get(bank, (0, ""))[0] for w in words]
        number(numbers, BANK_BITS, f"register of bank {bank}")
    for sink in _SINKS:
        for bank in range(BANKS):
            numbers = [w.read.get((sink, bank), 0) for w in words]
            number(numbers, BANK_BITS, f"register of bank {bank} for {_sink_text(sink)}")
    for unit in ("mul", "add"):
        entries = [max([0, *(e for e, u in w.store.values() if u == unit)]) for w in words]
        number(entries, entry_bits, f"entry of {unit}")
    thread_bits = max(1, (code.threads - 1).bit_length())
    number([w.ahead for w in words], thread_bits, "thread ahead")
    number([w.thread for w in words], thread_bits, "thread that takes")
    takes = [{"curve" if t == "zero" else t for t in w.take} for w in words]  # one unit for both
    rows += [(f"take {t}", [int(t in taken) for taken in takes]) for t in TAKES]
    rows.append(("next digit", [int(w.next) for w in words]))
    return rows


def masked_bits(code: Microcode[Word]) -> list[tuple[str, list[int]]]:
    """Return the same of a masked program (gfp_masked_pkg): no table, no threads, and a parity."""
    rows = [
        (note, values)
        for note, values in control_bits(code, 1)
        if not note.startswith(("store", "entry", "thread", "next"))
    ]
    tested = {"result", "X", "Y"}
    rows.append(("take result", [int(bool(tested & w.take)) for w in code.words]))
    rows.append(("next digit", [int(w.next) for w in code.words]))
    parity = [sum(bits) % 2 for bits in zip(*(values for _, values in rows), strict=True)]
    return [*rows, ("parity", parity)]


def bits_of(p: PrimePreset, code: Microcode[Word]) -> list[tuple[str, list[int]]]:
    """Return every bit of a control word of a preset."""
    return masked_bits(code) if p.masked else control_bits(code, p.entry_bits)


def words_of_all(d: PrimeDesign) -> Microcode[Word]:
    """Return the microcode with the words of the program for kG behind its own."""
    code = d.microcode
    if d.base is None:
        return code
    base = d.base.microcode
    return replace(code, words=[*code.words, *base.words], repeat=[*code.repeat, *base.repeat])


def _program(p: PrimePreset, code: Microcode[Word]) -> tuple[str, Program]:
    """Return the comment on the words' bits, and the memory of the words."""
    rows = bits_of(p, code)
    text = program_memory(code, [bits for _, bits in rows])
    return "\n".join(f"//   {b:3d} {note}" for b, (note, _) in enumerate(rows)), text


def words(d: PrimeDesign) -> list[int]:
    """Return the words of the program, as the engine has them."""
    return words_of([bits for _, bits in bits_of(d.preset, words_of_all(d))])


def unit_parameters(p: PrimePreset) -> dict[str, str]:
    """Return the parameters of the multiplier, and ``AddOffset``, the Offset of gfp_add.

    Their S is the parameter that hdl/parts/shape.sv.j2 declares.

    Montgomery's and its adder have beside them the prime itself, PW and P.
    """
    r = p.residues
    found = {"S": "Shape"}
    if isinstance(r, Serial):
        found |= {"Step": str(r.step), "NumStep": str(r.steps)}
    else:
        s, columns = p.scheme, 2 * r.limbs - 1
        found |= {
            "Pick": flat(s.picks, r.limbs),
            "Plus": flat(_masks(s, 1, columns), len(s.picks)),
            "Minus": flat(_masks(s, -1, columns), len(s.picks)),
        }
    if isinstance(r, Montgomery):
        return found
    d = r.reduction
    offsets = [v for one in d.rounds for v in one.offset] or [0] * r.limbs
    add = [v for one in r.carries[0] for v in one.offset] or [0] * r.limbs
    fold = (d.rounds or r.carries[0])[0].fold
    return found | {
        "Rows": concat(flat(row, 64) for row in d.rows),
        "WordOffset": flat(d.offset, d.word_bits),
        "Fold": flat(fold, 64),
        "Offset": flat(offsets, d.limb_bits),
        "AddOffset": flat(add, r.operand),
    }


def halves_parameters(d: Decomposition) -> dict[str, str]:
    """Return the parameters of ecsm_scalar_glv that cut a scalar."""
    odd = sum(parity << 2 * i + k for k in (0, 1) for i, parity in enumerate(d.parities(k)))
    return {
        "NumDigit": str(d.digits),
        "D": str(d.word),
        "C": str(d.columns),
        "Point": str(d.point),
        "Rows": flat(d.rows, d.word * d.columns),
        "Odd": f"4'h{odd:x}",
    }


def scalar_parameters(p: PrimePreset) -> dict[str, str]:
    """Return the parameters that say how the scalar is recoded."""
    found = {"Scalar": f"gfp_engine_pkg::Scalar{scalar_kind(p)}"}
    if p.scalar_unit == "halves":
        found |= {f"Half{k}": v for k, v in halves_parameters(p.decomposition).items()}
    elif isinstance(p.curve, XLine):
        found["Kept"] = f"{p.scalar_bits}'h{p.curve.kept:x}"
    return found | (double_parameters(p) if p.double else {})


def scalar_kind(p: PrimePreset) -> str:
    """Return the name of the kind in gfp_engine_pkg::scalar_e, without its first word."""
    halves = "Halves" * (p.scalar_unit == "halves")
    if p.double:
        return f"Double{halves}"
    if halves:
        return "Upward" * p.upward + halves
    if isinstance(p.curve, XLine):
        return "Ladder"
    if p.scalar_unit == "digits":
        return "Digits"
    return "Upward" if p.upward else "Window"


def _entries(p: PrimePreset) -> list[list[int]]:
    """Return the limbs of each constant entry, its columns one after the other."""
    rows: dict[int, list[int]] = {}
    for (entry, _), limbs in sorted(p.fixed.items()):
        rows.setdefault(entry, []).extend(limbs)
    return list(rows.values())


def double_parameters(p: PrimePreset) -> dict[str, str]:
    """Return the parameters of the engine that are of aG + bP: the comb, and its points."""
    comb, bits = p.comb, p.residues.register
    rows = _entries(p)
    return {
        "NumDigit": str(comb.columns),
        "Groups": str(comb.groups),
        "Teeth": str(comb.teeth),
        "NumFixed": str(len(rows)),
        "Fixed": concat(flat(limbs, bits) for limbs in rows),
    }


def _column(bits: Sequence[int]) -> str:
    """Return a bit of every word, word 0 lowest."""
    return f"{len(bits)}'h{sum(bit << i for i, bit in enumerate(bits)):x}"


def base_parameters(base: PrimeDesign) -> dict[str, str]:
    """Return the parameters of kG: its comb and program, and G."""
    p, code = base.preset, base.microcode
    assert not any(w.write or w.store or w.next for w in code.words[: p.late])
    numbers = (
        p.columns,
        p.groups,
        p.comb.teeth,
        len(code.words),
        code.first,
        code.last,
        code.count,
    )
    generator = p.curve.generator
    assert generator is not None
    return {
        "Base": "{" + ", ".join(f"32'd{n}" for n in numbers) + "}",
        "Generator": flat(generator, p.field_bits),
    }


def constants(base: PrimeDesign) -> list[int]:
    """Return the constants of kG, values and their limbs the lowest first."""
    p = base.preset
    bits = p.residues.register
    return [sum(v << bits * i for i, v in enumerate(limbs)) for limbs in _entries(p)]


def parameters(d: PrimeDesign) -> dict[str, str]:
    """Return the engine's parameters."""
    p, code = d.preset, d.microcode
    n = _Numbering(words_of_all(d))
    r, c = p.residues, p.curve
    repeat = [(k + 1) * code.threads - 1 for k in code.repeat]
    width = max(repeat).bit_length() or 1
    repeats = [_column([k >> b & 1 for k in repeat]) for b in range(width)]
    found = {
        "PW": str(p.field_bits),
        "P": f"{p.field_bits}'h{c.p:x}",
        "ScalarW": str(p.scalar_bits),
        "N": f"{p.scalar_bits}'h{c.n:x}",
        "CoordW": str(p.coordinate_bits),
        "TagW": str(TAG_BITS),
        "CycleW": str(CYCLE_BITS),
        "Threads": str(p.threads),
        "Patience": str(p.patience),
        "Mul": _MULTIPLIERS[p.kind],
        **unit_parameters(p),
        "MaxShift": str(p.max_shift),
        "Window": str(p.window),
        "Chunk": str(CHUNK),
        **({} if p.masked else scalar_parameters(p)),
        "Batch": str(p.batch),
        "PerCycle": str(p.per_cycle),
        "NumBatch": str(p.divsteps.batches),
        "Rest": str(p.divsteps.rest),
        "NumConst": str(max(1, len(code.consts))),
        "NumTerm": str(len(n.terms)),
        "NumGate": str(len(n.gates)),
        "Consts": concat(flat(v, r.operand) for v in code.consts),
        "Terms": concat(f"{n.term(t)} /* {i}: {_term_text(t)} */" for i, t in enumerate(n.terms)),
        "Gates": concat(map(n.gate, n.gates)),
        "Depth": str(len(code.words)),
        "RepeatW": str(width),
        "RepeatColumns": concat(repeats),
        "LoopFirst": str(code.first),
        "LoopLast": str(code.last),
        "LoopCount": str(code.count),
    }
    if d.base:
        found |= base_parameters(d.base)
    if not p.masked:
        return found
    tests = [_column([int(t in w.test) for w in code.words]) for t in TESTS]
    return {k: v for k, v in found.items() if k not in _NOT_MASKED} | {
        "ScalarOffset": f"{p.scalar_bits + 2}'h{offset(c.n):x}",
        "MaskW": str(p.factor_random_bits + 1),
        "TestColumns": concat(tests),
    }


def _constants(d: PrimeDesign) -> Constants | None:
    """Return the memory of the constants of kG; None for an engine without their port."""
    p = d.preset
    if p.masked:
        return None
    bits = NUM_BASE * p.residues.limbs * p.residues.register
    rows = constants(d.base) if d.base else []
    return Constants(max(1, (len(rows) - 1).bit_length()), bits, rows, d.base_cycles)


def emit(d: PrimeDesign) -> str:
    """Return the SystemVerilog text of the preset's module."""
    p = d.preset
    bits, memory = _program(p, words_of_all(d))
    engine, random = ("gfp_masked", True) if p.masked else ("gfp_engine", None)
    return module_text(
        p, engine, p.describe(), d.microcode.cycles, bits, parameters(d), memory, shape(p),
        random=random, base=_constants(d),
    )  # fmt: skip
