# SPDX-License-Identifier: Apache-2.0
"""A kP on a core over GF(p): its wires, held against the program.

Values are shown modulo p; on the wires they are residues with late carries. Those of a Montgomery
multiplier have its factor R and are shown without it. Every product and every sum is computed again
from its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ecsm.cores.design import PrimeDesign
from ecsm.cores.gfp import Prime
from ecsm.curves import Point
from ecsm.curves.gfp.xline import XLine
from ecsm.demo.live.record import Cycle, Digits, LiveError, Part, Record, Start, Write, parts
from ecsm.formulas.gfp.graph import Kind, Op
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.measure.tracing import TracingDevice
from ecsm.measure.vcd import probe
from ecsm.schedule.gfp.microcode import Word
from ecsm.schedule.gfp.types import BANKS, DEPTH
from ecsm.schedule.types import CAPTURE

UNITS = ("multiplier", "adder", "divider")
SPAN = 24  # cycles of the strip
DATAPATH = "u_engine.u_datapath."
BANK = [f"{DATAPATH}gen_bank[{b}]." for b in range(BANKS)]
SIGNALS = (
    *(f"{DATAPATH}{name}" for name in ("form[0]", "form[1]", "form[2]", "product", "sum", "store",
                                       "address", "stored", "clear_i")),
    *(bank + name for bank in BANK for name in ("we", "address", "data")),
    "u_engine.index", "u_engine.negative", "rsp_valid_o", "rsp_x_o", "rsp_y_o", "rsp_infinity_o",
)  # fmt: skip
Sample = dict[str, int]


def record_gfp(d: PrimeDesign, k: int, log: Callable[[str], None] | None = None) -> Record:
    """Simulate k times G with tracing, or 2G of a core with a program for kG.

    Raises as :func:`ecsm.demo.live.recorder.record`.
    """
    p = d.preset
    point = d.point
    assert point is not None
    trace = Trace(d, k)
    with TracingDevice(p.name, log) as device:
        if log:
            log(f"recording a kP of {p.name}")
        result, samples = device.trace(
            k, point, lambda lines: list(answered(probe(lines, SIGNALS)))
        )
        cycles = device.last_cycles
    happened = trace.read(samples)
    if trace.answer != result or cycles != d.microcode.cycles:
        raise LiveError(f"{p.name}: the traced kP is not the one on the port")
    found = _parts(d)
    return Record(
        preset=p.name, curve=p.curve.name,
        about=f"One multiplier ({p.describe()}), one adder, division steps for the inversion,"
        f" {len(trace.registers)} registers and entries of a table, {p.field_bits} bits each",
        bits=p.field_bits, field_bits=p.field_bits, k=k, point=point, result=result,
        cycles=cycles, happened=happened,
        parts=found, inversion=trace.inversion, units=UNITS,
        registers=[trace.label(r) for r in trace.registers],
        digits=Digits(trace.digits, p.upward, trace.ladder, "k" if trace.ladder else "d"),
        opening=found[3].first, span=min(cycles, SPAN),
    )  # fmt: skip


def answered(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Yield copies of the samples up to that with the answer."""
    for sample in samples:
        yield dict(sample)
        if sample["rsp_valid_o"]:
            return


@dataclass(frozen=True)
class _Placed:
    """An operation of the program in the cycle in which it takes its operands."""

    op: Op
    start: int
    done: int  # the cycle in which its result is on its unit's output


def _placed(d: PrimeDesign) -> Iterator[_Placed]:
    """Yield every operation of a kP."""
    g, s, units = d.graph, d.schedule, d.preset.units
    turns = [("body", s.starts["body"] + i * s.ii) for i in range(g.trips)]
    for name, base in [("head", s.starts["head"]), *turns, ("tail", s.starts["tail"])]:
        for op in g.segments[name].ops:
            if op.kind is not Kind.MATRIX:
                start = d.microcode.lead + base + s.slots[name][op.atom].time
                yield _Placed(op, start, start + units.delay(op))


def _parts(d: PrimeDesign) -> list[Part]:
    g, s, lead = d.graph, d.schedule, d.microcode.lead
    body = lead + s.starts["body"]
    turns = [(body + i * s.ii, f"turn {i + 1} of {g.trips}") for i in range(g.trips)]
    begins = [(0, "request"), (CAPTURE, "load"), (lead, "table"), *turns]
    return parts([*begins, (lead + s.starts["tail"], "tail")], d.microcode.cycles)


Place = tuple[str, int, int]  # "reg", bank, number; "table", entry, column


class Trace:
    """What the program says of every cycle, and the reader of a trace that holds it against it."""

    def __init__(self, d: PrimeDesign, k: int) -> None:
        self._d = d
        p = d.preset
        self._r = p.residues
        self._back = pow(self._r.radix, -1, self._r.p)
        self.answer: Point = None
        self.ladder = isinstance(p.curve, XLine)  # whose digits say where bits of k differ
        self._lead = d.microcode.lead
        self._words = list(d.microcode.unrolled())
        self._digits = list(zip(reversed(p.recode(k).digits), Prime().digits(p, k), strict=True))
        self._placed = list(_placed(d))
        self._names: dict[tuple[str, int], str] = {}  # by unit and cycle of the result
        for o in self._placed:
            if o.op.kind in (Kind.PRODUCT, Kind.SUM):
                self._names[o.op.kind.value, o.done] = o.op.name
        written = {("reg", b, 0) for b in range(BANKS)} | {
            ("reg", bank, number)
            for word in self._words
            for bank, (number, _) in word.write.items()
        }
        tables = {
            ("table", e, column)
            for word in self._words
            for column, (number, _) in word.store.items()
            for e in ([number] if number >= 0 else self._entries)
        }
        self.registers: list[Place] = [*sorted(written), *sorted(tables)]
        self._numbers = {place: i for i, place in enumerate(self.registers)}
        divides = [o for o in self._placed if o.op.kind is Kind.DIVIDE]
        ops = [o for s in d.graph.segments.values() for o in s.ops]
        last = max(o.index for o in ops if o.kind is Kind.MATRIX)
        units = p.units
        end = divides[0].start + units.divide + last * units.period + units.hold - 1
        self.inversion = Part("inversion", divides[0].start, end)

    @property
    def _entries(self) -> list[int]:
        """The entries that digits name."""
        return sorted({found >> 1 for _, found in self._digits})

    @property
    def digits(self) -> int:
        """How many digits are used."""
        return len(self._digits)

    def label(self, place: Place) -> str:
        """Return the name of a register or of a column of the table."""
        kind, a, b = place
        return f"r{a * DEPTH + b}" if kind == "reg" else f"T{a}.{COLUMNS[b]}"

    def read(self, samples: Sequence[Sample]) -> dict[int, Cycle]:
        """Return what happened in each cycle in which something did. Raises :class:`LiveError`."""
        cycles = self._d.microcode.cycles
        if len(samples) <= cycles or not samples[-1]["rsp_valid_o"]:
            raise LiveError(f"{self._d.preset.name}: the trace has not {cycles} cycles")
        run = samples[-1 - cycles :]
        happened: dict[int, Cycle] = {}
        for t, sample in enumerate(run[:-1]):
            cycle = Cycle(writes=list(self._writes(t, sample)))
            if cycle:
                happened[t] = cycle
        for o in self._placed:
            self._operation(o, run, happened.setdefault(o.start, Cycle()))
        self._used(run, happened)
        end = run[-1]
        if not end["rsp_infinity_o"]:
            self.answer = (end["rsp_x_o"], end["rsp_y_o"])
        return {t: c for t, c in sorted(happened.items()) if c}

    def _value(self, packed: int, bits: int) -> int:
        """Return a number modulo p of its limbs on a wire."""
        limbs = [packed >> bits * i & (1 << bits) - 1 for i in range(self._r.limbs)]
        return self._r.value(limbs) * self._back % self._r.p

    def _operation(self, o: _Placed, run: Sequence[Sample], cycle: Cycle) -> None:
        """Add an operation to the cycle in which it starts."""
        r, op, units = self._r, o.op, self._d.preset.units
        takes = [self._value(run[o.start][f"{DATAPATH}form[{i}]"], r.operand) for i in range(3)]
        result = self._value(run[o.done][f"{DATAPATH}sum"], r.register)
        if op.kind is Kind.PRODUCT:
            result = self._value(run[o.done][f"{DATAPATH}product"], r.register)
            if result != takes[0] * takes[1] % r.p:
                raise LiveError(f"cycle {o.start}: the product {op.name} is wrong")
            end = o.start + min(units.interval, units.latency) - 1
            cycle.starts.append(Start(0, op.name, end, o.done - 1, tuple(takes[:2])))
        elif op.kind is Kind.SUM:
            if result != takes[2]:
                raise LiveError(f"cycle {o.start}: the sum {op.name} is wrong")
            cycle.starts.append(Start(1, op.name, o.start, o.done - 1, (takes[2],)))
        elif op.kind is Kind.DIVIDE:
            end = self.inversion.last
            cycle.starts.append(Start(2, "division steps", end, end, (result,)))
        elif op.kind is Kind.TEST:
            cycle.tests.append((op.name, result == 0))

    def _writes(self, t: int, sample: Sample) -> Iterator[Write]:
        """Yield what is written in a cycle; the program must say the same."""
        word = self._words[t - self._lead] if 0 <= t - self._lead < len(self._words) else Word()
        clearing = sample[f"{DATAPATH}clear_i"]
        for b, bank in enumerate(BANK):
            loads = t == self._lead - 1
            if bool(sample[bank + "we"]) != bool(clearing or loads or b in word.write):
                raise LiveError(f"cycle {t} and the program differ in a write to bank {b}")
            if sample[bank + "we"] and not clearing:
                number, unit = word.write.get(b, (0, ""))
                if sample[bank + "address"] != number:
                    raise LiveError(f"cycle {t} writes another register than the program says")
                name = self._names[unit, t] if unit else f"{'xy'[b]} of P"
                value = self._value(sample[bank + "data"], self._r.register)
                yield Write(self._numbers["reg", b, number], name, value)
        for column in range(len(COLUMNS)):
            stores = sample[f"{DATAPATH}store"] >> column & 1
            if bool(stores) != bool(clearing or column in word.store):
                raise LiveError(f"cycle {t} and the program differ in a write to the table")
            if stores and not clearing:
                yield self._stored(t, sample, column, word.store[column])

    def _stored(self, t: int, sample: Sample, column: int, says: tuple[int, str]) -> Write:
        """Return a write to the table."""
        number, unit = says
        width = max(self._d.preset.window - 1, 1)
        at = sample[f"{DATAPATH}address"] >> width * column & (1 << width) - 1
        if at != number >= 0:
            raise LiveError(f"cycle {t} writes another entry than the program says")
        size = self._r.limbs * self._r.register
        packed = sample[f"{DATAPATH}stored"] >> size * column & (1 << size) - 1
        value = self._value(packed, self._r.register)
        return Write(self._numbers["table", at, column], self._names[unit, t], value)

    def _used(self, run: Sequence[Sample], happened: dict[int, Cycle]) -> None:
        """Note each digit in the cycle from which on it is used."""
        first = self._lead + self._d.preset.units.prepare
        asks = [t for t, word in enumerate(self._words, self._lead) if word.next]
        turns = [first, *(t + 1 for t in asks)]
        count, bit = len(self._digits), 0
        for number, (t, (digit, found)) in enumerate(zip(turns, self._digits, strict=False)):
            says = 0 if self.ladder else run[t]["u_engine.index"]
            if says << 1 | run[t]["u_engine.negative"] != (found & 1 if self.ladder else found):
                raise LiveError(f"cycle {t}: the digit is not the scalar's")
            bit ^= digit
            index = number if self._d.preset.upward else count - 1 - number
            text = f"{bit}" if self.ladder else f"{digit:+d}"
            happened.setdefault(t, Cycle()).digit = (index, text)
