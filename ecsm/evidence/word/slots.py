# SPDX-License-Identifier: Apache-2.0
"""Prove what a slot of a word engine does, in the netlist of the whole engine, at its full width.

A slot is on the way for seven cycles. A run begins with the slot behind the table of slots, its
walk beside it, and everything else unknown: so what it does, it does whatever slots are before and
behind it, and whatever the program is. Words, addresses, offsets and the accumulator before are
integers with names (:mod:`ecsm.evidence.gfp.integers`); bits that choose are constants, and what
walks have of them is a run. It shows:

- the left word is read at first_a + offset_a, or in the scratch number; the right one at
  first_b + offset_b, among the first words, or in the table of constants;
- acc = base + a b 2^doubled, or base + a, - b or nothing of them as the masks say, with base 0, acc
  or floor(acc / 2^W), modulo 2^(2 W + 8), for all words: what fits, fits exactly;
- six cycles later, and not before, acc's low word is written to both copies at first_d + to, or in
  the scratch number, if the slot says so, or, of an entry for nothing, to its decoy; so the seventh
  slot behind it reads it;
- then the flag is the word's sign, or whether all words were 0; the digit is what is above it.

It assumes that no string moves and nothing is cleared, as orders wait until no slot is on its way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from ecsm.evidence.core import Core
from ecsm.evidence.gfp import faults
from ecsm.evidence.gfp.cells import Bit, Bits, Net, bits_of, number_of
from ecsm.evidence.gfp.integers import Impossible, Integers, Number, Polynomial
from ecsm.evidence.gfp.words import Run
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.word import carryless
from ecsm.evidence.word.carryless import Carryless
from ecsm.evidence.word.netlist import Netlist, netlist
from ecsm.evidence.word.slot_cases import Case, cases
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.schedule.sequential.machine import scratch
from ecsm.schedule.sequential.walk import FIELDS, GUARD, Slot
from ecsm.schedule.sequential.words import (
    DECOYS,
    DIGIT_BITS,
    NUMBER_BITS,
    WALK_BITS,
    Capture,
    Mask,
)
from ecsm.schemes.word.program import word_program

CLAIM = (
    "a slot adds its product or sum to the accumulator, and reads and writes its words in time, for"
    " all words and addresses"
)
CYCLES = 6  # from a slot to its word
ENTRY = 2  # of a table that is read whole: when a run's slot reads
MEMORIES = ("u_memory.copy_a", "u_memory.copy_b")
TABLE = "u_memory.constants"
NOTHING_ELSE = ("clear", "read_word", "write_word", "load_i")  # moves strings, or clears
POLYNOMIAL = "u_mac.gen_binary.poly_acc_q"
WALK = {
    "drained": 1, "mask": 2, "capture": 2, "walk": WALK_BITS, "d": NUMBER_BITS, "a": NUMBER_BITS,
    "b": NUMBER_BITS, "immediate": DIGIT_BITS,
}  # fmt: skip


class Wrong(ValueError):
    """A claim of a slot does not hold."""


def need(holds: bool, what: str) -> None:
    """Raise Wrong unless a claim holds."""
    if not holds:
        raise Wrong(what)


@dataclass(frozen=True)
class Sizes:
    """Of an engine: bits of a word; words of the memory, of a number of it, and of the table.

    ``decoys``: the first number of them, 0 if there are none.
    """

    W: int
    depth: int
    stride: int
    step: int
    decoys: int
    binary: bool


def _bits(value: int, width: int) -> Bits:
    return [value >> i & 1 for i in range(width)]


class Path:
    """A run of one slot on a part of a netlist."""

    def __init__(self, n: Netlist, of: Sizes, case: Case) -> None:
        W = of.W
        case = replace(case, slot=replace(case.slot, first=case.base == "first"))
        self.n, self.W, self.case, self.z = n, W, case, Integers()
        self.address, self.scratch = (of.depth - 1).bit_length(), scratch(of.depth)
        self.binary = of.binary
        self.step = of.step.bit_length() - 1
        self.away = self.scratch
        if case.decoy:
            self.away = (of.decoys + ENTRY) * of.stride
        self.run = Run(n.words, self.z)
        z = self.z
        self.a, self.b = ((z.symbol((1 << W - 1) - 1), z.symbol(1)) for _ in range(2))
        top = 1 << 2 * W + GUARD - 1
        self.acc = z.fixed(0) if case.slot.carryless else z.symbol(top - 1, -top)
        self.first = {k: z.symbol((1 << self.address) - 1) for k in ("d", "a", "b")}
        offsets = ("to", "offset_a", "offset_b")
        self.offset = {k: z.symbol((1 << self._width(k)) - 1) for k in offsets}
        table = len(self.read(TABLE)[0]) - self.step
        self.number_bits = min(table, NUMBER_BITS)  # of a number that the table has
        self.number = z.symbol((1 << self.number_bits) - 1)
        self.before: Bits = []

    def _width(self, name: str) -> int:
        """Return the bits of an offset: in a table of constants, those of one of its numbers."""
        if name == "offset_b" and self.case.constant:
            return self.step
        return FIELDS[name]

    # ---------------------------------------------------------------- what is given
    def _given(self, **values: Bits) -> dict[Net, Bit]:
        found: dict[Net, Bit] = {}
        for name, bits in values.items():
            nets = self.n.nets(name.replace("__", "."))
            found.update(zip(nets, bits, strict=True))
        return found

    def word(self, w: tuple[Number, Number]) -> Bits:
        """Return the bits of a word."""
        return [*bits_of(self.z, w[0], self.W - 1), *bits_of(self.z, w[1], 1)]

    def _slot(self) -> Bits:
        found: Bits = []
        for name, width in reversed(FIELDS.items()):
            if name in self.offset:
                own = self._width(name)
                found += [*bits_of(self.z, self.offset[name], own), *[0] * (width - own)]
            else:
                found += _bits(int(getattr(self.case.slot, name)), width)
        return found

    def _walk(self) -> Bits:
        c = self.case
        known = {"mask": c.mask, "capture": c.capture, "immediate": c.immediate}
        if c.constant:
            known["b"] = c.decoy * DECOYS
        found: Bits = []
        for name, width in reversed(WALK.items()):
            found += _bits(int(known[name]), width) if name in known else [None] * width
        return found

    def start(self) -> dict[Net, Bit]:
        """Return what is given in the first cycle."""
        c, z = self.case, self.z
        firsts = {
            f"u_walk__first_{k}_q": bits_of(z, v, self.address) for k, v in self.first.items()
        }
        found = self._given(
            u_walk__slot_q=self._slot(), u_walk__slot_valid_q=[1], u_walk__walk_q=self._walk(),
            u_walk__times_q=_bits(ENTRY + (c.mask is Mask.SIGN and not c.entry), DIGIT_BITS),
            u_walk__constant_q=[int(c.constant)],
            u_walk__number_b_q=[*bits_of(z, self.number, self.number_bits),
                                *[0] * (NUMBER_BITS - self.number_bits)],
            **firsts,
        )  # fmt: skip
        for name, w in zip((MEMORIES[0], self.right), (self.a, self.b), strict=True):
            found.update(zip(self.read(name)[1], self.word(w), strict=True))
        return found

    @property
    def right(self) -> str:
        """The memory that the right word is from."""
        return TABLE if self.case.constant else MEMORIES[1]

    def read(self, memory: str) -> tuple[Sequence[Net], Sequence[Net]]:
        """Return the address and the data of the only read of a memory."""
        (found,) = self.n.memories[f"u_scheme.u_core.{memory}"].reads
        return found

    # ---------------------------------------------------------------- the run
    def prove(self, known: set[int] | None = None) -> None:
        """Raise Wrong unless the slot does what it says; ``known``: see :func:`check`."""
        run, c, z = self.run, self.case, self.z
        apart = (*NOTHING_ELSE, *[POLYNOMIAL] * self.binary)
        idle: dict[Net, Bit] = {m: 0 for k in apart for m in self.n.nets(k)}
        idle.update(zip(self.n.words.ports["rst_ni"], [1], strict=True))
        for cycle in range(CYCLES + 2):
            run.state.update(idle)
            if cycle == 0:
                run.state.update(self.start())
            if cycle == 1:
                run.state.update(self._given(flag_q=[c.flag]))
            if cycle == CYCLES - 1:
                run.state.update(self._given(
                    u_mac__acc_q=bits_of(z, self.acc, 2 * self.W + GUARD),
                    u_mac__shift_q=[int(c.base == "shift")],
                ))  # fmt: skip
            if cycle == CYCLES and c.slot.carryless:
                # The accumulator of numbers is 0 in a walk of polynomials, and theirs has a word.
                width = 2 * self.W - 1
                word = bits_of(z, z.symbol((1 << width) - 1), width)
                run.state.update(self._given(**{POLYNOMIAL.replace(".", "__"): word}))
            if cycle == CYCLES:
                index = ENTRY + (not c.entry and c.mask is not Mask.SIGN)
                run.state.update(self._given(
                    index_q=_bits(index, DIGIT_BITS), negative_q=[0], random=[0] * 5,
                    digit_q=_bits(0, 5), random_digit_q=_bits(0, 5),
                ))  # fmt: skip
            run.settle({})
            if known is not None:
                self._note(known)
            if cycle == 0:
                self._addresses()
            if cycle == CYCLES:
                self._written()
            if cycle == CYCLES + 1:
                self._told()
            run.step()

    def _note(self, known: set[int]) -> None:
        """Note which functions have a value that is known, or a bit of it."""
        for i, cell in enumerate(self.n.words.functions):
            if i not in known and set(self.run.values(cell.outputs["Y"])) != {None}:
                known.add(i)

    def _is(self, nets: Sequence[Net], wanted: Polynomial, what: str) -> None:
        got = number_of(self.z, [*self.run.values(nets), 0], len(nets) + 1)
        need(got is not None, f"{what} is not known")
        assert got is not None
        width = len(nets)
        rest = self.z.part(self.z.number(wanted, wanted), 0, width)
        need(got.exact == rest.exact, f"{what} is another one")

    def _sum(self, first: Polynomial | int, offset: str) -> Polynomial:
        base = Polynomial({(): first}) if isinstance(first, int) else first
        return base + self.offset[offset].exact

    def _addresses(self) -> None:
        s, first = self.case.slot, {k: v.exact for k, v in self.first.items()}
        left = self._sum(self.scratch if s.scratch_a else first["a"], "offset_a")
        right = self._sum(0 if s.const_b else first["b"], "offset_b")
        if self.case.constant:
            right = self._sum((1 << self.step) * self.number.exact, "offset_b")
        self._is(self.read(MEMORIES[0])[0], left, "the address of the left word")
        self._is(self.read(self.right)[0], right, "the address of the right word")

    def value(self, w: tuple[Number, Number], signed: bool) -> Polynomial:
        """Return a word as a number."""
        top = (-1 if signed else 1) * (1 << self.W - 1)
        return w[0].exact + top * w[1].exact

    def term(self) -> Polynomial:
        """Return what the slot adds."""
        c, s = self.case, self.case.slot
        a, b = self.value(self.a, s.signed_a), self.value(self.b, s.signed_b)
        if s.carryless:
            return Polynomial({})
        if not s.sum:
            return (1 << s.doubled) * (a * b)
        left = c.mask is not Mask.CHOOSE or not c.flag
        right = c.mask is not Mask.CHOOSE or bool(c.flag)
        return int(left) * a + (int(right) * (-1 if s.subtract else 1)) * b

    def _written(self) -> None:
        c, z, run = self.case, self.z, self.run
        base = {"first": z.fixed(0), "same": self.acc, "shift": z.floor(self.acc, self.W)}[c.base]
        bits = self.before = run.values(self.n.nets("u_mac.acc_q"))
        got = number_of(z, bits, len(bits), signed=True)
        if got is None:
            raise Wrong("the accumulator is not known")
        difference = got.exact - base.exact - self.term()
        need(difference.zero_modulo(1 << len(bits)), "the accumulator has another number")
        whole = c.mask in (Mask.PICK, Mask.SIGN)
        other = whole and not c.entry
        for name in MEMORIES:
            ((address, data, enable),) = self.n.memories[f"u_scheme.u_core.{name}"].writes
            on = run.values(enable)
            need(on == [int(c.slot.write)] * len(on), "a word is written, or is not")
            if not c.slot.write:
                continue
            word = run.values(self.n.nets(POLYNOMIAL)) if c.slot.carryless else bits
            need(run.values(data) == word[: self.W], "another word is written")
            first = self.scratch if c.slot.to_scratch else self.first["d"].exact
            to = self._sum(self.away if other else first, "to")
            self._is(address, to, "the address of the result")

    def _told(self) -> None:
        c, run, W = self.case, self.run, self.W
        if not c.slot.last:
            return
        before = self.before  # nothing has changed the number since
        if c.capture is Capture.SIGN:
            need(run.values(self.n.nets("flag_q")) == [before[W - 1]], "the flag is not the sign")
        if c.capture is Capture.DIGIT:
            got = run.values(self.n.nets("digit_q"))
            four = before[W : W + DIGIT_BITS]
            wanted: Bits = [before[W], 0, 0, 0, 0] if c.slot.doubled else [*four[:3], None, four[3]]
            same = [x == y for x, y in zip(got, wanted, strict=True)]
            same[3] |= not c.slot.doubled  # the complement of the highest one
            need(all(same), "the digit is another one")
        if c.capture is Capture.NONE:
            need(run.values(self.n.nets("digit_q")) == _bits(0, 5), "a digit is taken")


def zeros(n: Netlist, of: Sizes) -> None:
    """Check whether a number is told to be 0, in every case of a word, 0 or not; raise Wrong.

    A run has a word that is 0, and for each of its bits one has this bit alone.
    """
    nets = {k: n.nets(k) for k in ("u_mac.four_q", "u_mac.acc_q", "u_mac.zero_q", "flag_q")}
    apart = (*NOTHING_ELSE, *[POLYNOMIAL] * of.binary)
    idle = [m for name in apart for m in n.nets(name)]
    runs = list(product((0, 1), *[(0, 1)] * 4))
    runs += [(1 << i, 1, 1, 0, 1) for i in range(1, of.W)]
    for word, before, last, away, write in runs:
        run = Run(n.words, Integers())
        slot = Slot(last=bool(last), to_scratch=bool(away), write=bool(write))
        mac = list(FIELDS)[list(FIELDS).index("first") :]
        bits = [1, *[int(getattr(slot, name)) for name in mac]][::-1]  # the highest one: valid
        run.state.update(dict.fromkeys(idle, 0))
        run.state.update(zip(n.words.ports["rst_ni"], [1], strict=True))
        run.state.update(zip(nets["u_mac.four_q"], bits, strict=True))
        run.state.update(zip(nets["u_mac.acc_q"], _bits(word, 2 * of.W + GUARD), strict=True))
        run.state.update(zip(nets["u_mac.zero_q"], [before], strict=True))
        capture = n.nets("capture_q")[-2:]
        run.state.update(zip(capture, _bits(Capture.ZERO, 2), strict=True))
        run.state.update(zip(nets["flag_q"], [0], strict=True))
        run.settle({})
        run.step()
        run.nets = run.state
        zero = int(bool(before) and not word)
        told = zero if last and write else 0
        need(run.values(nets["flag_q"]) == [told], "a number is told to be 0, or is not")
        kept = before if not write or away else 1 if last else zero
        need(run.values(nets["u_mac.zero_q"]) == [kept], "a word is not looked at")


def part(n: Netlist, binary: bool) -> Netlist:
    """Return the part of a netlist that a slot of numbers is in, without that of polynomials."""
    targets = [
        m for name in ("u_mac.acc_q", "u_mac.zero_q", "flag_q", "digit_q") for m in n.nets(name)
    ]
    for name in (*MEMORIES, TABLE):
        ports = n.memories[f"u_scheme.u_core.{name}"]
        targets += [m for nets in (*ports.reads, *ports.writes) for bits in nets for m in bits]
    given = [m for name in (*NOTHING_ELSE, *[POLYNOMIAL] * binary) for m in n.nets(name)]
    return n.of(targets, CYCLES + 1, given)


def check(n: Netlist, of: Sizes, known: set[int] | None = None) -> str:
    """Return "" if the claim holds, else what is wrong.

    ``known``: gets the functions whose value is known in some run, which a claim can be about.
    """
    for case in cases(of.binary, bool(of.decoys)):
        try:
            path = Path(n, of, case)
            path.prove(known)
        except (Wrong, Impossible) as wrong:
            return f"{wrong} ({case.told()})"
    try:
        zeros(n, of)
    except Wrong as wrong:
        return str(wrong)
    return ""


def seeded(n: Netlist, known: set[int], count: int, seed: int = 1) -> Iterator[Netlist]:
    """Yield netlists with one fault each, of every kind in turn, where a claim can be about it.

    Of these netlists only what is ``known`` in the right one is left.
    """
    w = n.words
    left = replace(w, functions=[w.functions[i] for i in sorted(known)])
    for _, faulty in islice(faults.seeded(left, faults.SUMS, seed), count):
        yield replace(n, words=faulty)


def prove(p: WordPreset, core: Core, tell: Progress, count: int = FAULTS) -> Proof:
    """Prove the claim of a preset's netlist, then that the proof finds seeded faults.

    ``core``: the netlist in gates, for polynomials, in which half of the faults are then.
    """
    of, n = sizes(p), part(netlist(p, tell), p.binary)
    known, of_gates = set[int](), count // 2 if p.binary else 0
    choices = len(list(cases(of.binary, bool(of.decoys))))
    told = [f"{choices} combinations of what a slot and its walk choose"]
    wrong = check(n, of, known)
    if p.binary and not wrong:
        wrong = Carryless(core, of.W).check()
        told.append(f"{len(list(carryless.cases()))} of carry-less slots, in gates")
    found = 0
    if not wrong:
        found = sum(bool(check(f, of)) for f in seeded(n, known, count - of_gates))
        broken = carryless.seeded(core, of.W, of_gates) if of_gates else ()
        found += sum(bool(Carryless(f, of.W).check()) for f in broken)
    return Proof("slots", CLAIM, "words", n.cells, wrong, count, found, notes=told)


def sizes(p: WordPreset) -> Sizes:
    """Return those of a preset."""
    built = word_program(p).built
    return Sizes(built.W, built.depth, built.stride, built.step, built.decoys, p.binary)
