# SPDX-License-Identifier: Apache-2.0
"""Prove the unit that makes a register's number canonical (gfp_canon.sv), for all numbers.

The proof is an induction over the unit's passes, each a turn of its limbs. Between passes the limbs
are new symbols, any that fit, and the sign is 0 or 1, so each pass is run twice. With X the limbs'
value less ``sign`` 2^T, T the bits of all limbs, it shows:

- The first pass keeps the value, and every limb but the highest is below 2^LimbW. With no limb
  above ``limit``, 0 <= X < 2^(J + 1) p, J the unit's MaxShift.
- The pass of j, J to 0, makes X - 2^j p of X if the sign is 0, else X + 2^j p. The limbs are not
  negative and below 2^T, so the new sign is that of the new X. From -2^(j + 1) p <= X < 2^(j + 1) p
  follows -2^j p <= X < 2^j p.
- The last pass answers X, or X + p if the sign is 1, modulo 2^PW: the number below p. Zero is told
  if the limbs are those of 0 or of -p, and is not if one of them is another one. From -p to p - 1
  there is no other multiple of p. Limbs are tried as these constants, and each as less and as more.

Every register is unknown before the start. The answer is valid in the cycle that the schedule
assumes and not before, and stays until the next start or clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ecsm.curves.gfp.limbs import canon_latency
from ecsm.evidence.gfp.cells import Bit, Bits, Net, bits_of
from ecsm.evidence.gfp.integers import (
    Impossible,
    Integers,
    Number,
    Polynomial,
    constant,
    weighted,
)  # fmt: skip
from ecsm.evidence.gfp.words import Run, Words
from ecsm.presets.gfp import PrimePreset

State = dict[Net, Bit]
IDLE: dict[str, Bits] = {"start_i": [0], "clear_i": [0]}


class Wrong(Exception):
    """The claim does not hold; the message says where."""


class Canon:
    """A netlist of the unit, with the registers that the induction is about."""

    def __init__(self, p: PrimePreset, netlist: Words) -> None:
        r = p.residues
        self.p, self.r, self.netlist, self.prime = p, r, netlist, r.p
        every = netlist.names["u_unit.limb_q"]  # limb 0 is the highest part: an unpacked array
        width = len(every) // r.limbs
        self.limbs = [every[width * k :][:width] for k in reversed(range(r.limbs))]
        self.sign = netlist.names["u_unit.negative_q"]
        self.width = width
        self.all_bits = r.limb * (r.limbs - 1) + self.width
        self.most = [(1 << r.limb) - 1] * (r.limbs - 1) + [(1 << self.width) - 1]

    def turn(self, run: Run) -> None:
        """Run a pass; the answer is not valid in any of its cycles."""
        for _ in range(self.r.limbs):
            run.settle(IDLE)
            if run.port("valid_o") != [0] or run.port("zero_o") != [0]:
                raise Wrong("there is an answer before it is due")
            run.step()

    def read(self, run: Run) -> tuple[list[Number], Number]:
        """Return the limbs and the sign that registers have now."""
        run.settle(IDLE)
        limbs = [run.unsigned(run.values(nets)) for nets in self.limbs]
        sign = run.unsigned(run.values(self.sign))
        known = [v for v in limbs if v is not None]
        if len(known) < len(limbs) or sign is None:
            raise Wrong("a limb or the sign is not known")
        if any(v.hi > most for v, most in zip(known, self.most, strict=True)):
            raise Wrong("a limb is larger than it may be")
        return known, sign

    def cut(
        self, control: State, sign: int, ranges: Sequence[tuple[int, int]] | None = None
    ) -> tuple[Run, Polynomial]:
        """Return a run from a state between passes, with new limbs, and X."""
        z = Integers()
        run = Run(self.netlist, z)
        ends = ranges or [(0, most) for most in self.most]
        limbs = [z.symbol(hi, lo) for lo, hi in ends]
        run.state = dict(control)
        for nets, limb in zip(self.limbs, limbs, strict=True):
            run.state.update(zip(nets, bits_of(z, limb, self.width), strict=True))
        run.state[self.sign[0]] = sign
        return run, weighted(limbs, self.r.limb) - constant(sign << self.all_bits)

    def first(self) -> State:
        """Check the start and the first pass; return the state of the controls."""
        r = self.r
        z = Integers()
        run = Run(self.netlist, z)
        v = [z.symbol(most) for most in r.limit]
        bits = [bit for limb in v for bit in bits_of(z, limb, r.register)]
        run.cycle({"start_i": [1], "clear_i": [0], "v_i": bits})
        self.turn(run)
        limbs, sign = self.read(run)
        if sign.exact != constant(0) or weighted(limbs, r.limb) != weighted(v, r.limb):
            raise Wrong("the first pass makes another number")
        if r.value(r.limit) >= self.prime << self.p.max_shift + 1:
            raise Wrong("a register's number is too large for the unit")
        return _constants([run.state])

    def subtract(self, j: int, control: State) -> State:
        """Check the pass of 2^j p; return the state of the controls."""
        states = []
        for sign in (0, 1):
            run, x = self.cut(control, sign)
            self.turn(run)
            limbs, new = self.read(run)
            less = self.prime << j
            want = x + constant(less if sign else -less)
            if weighted(limbs, self.r.limb) - (1 << self.all_bits) * new.exact != want:
                raise Wrong(f"the pass of 2^{j} p makes another number")
            states.append(run.state)
        return _constants(states)

    def last(self, sign: int, control: State) -> None:
        """Check the last pass, its number, and that the answer stays."""
        run, x = self.cut(control, sign)
        self.turn(run)
        value = self.answer(run)
        if (value - x - constant(sign * self.prime)).divided(self.p.field_bits)[1].terms:
            raise Wrong("the answer is another number")
        if run.port("valid_o") != [1]:
            raise Wrong("the answer is late")
        answered = run.port("value_o")
        run.step()
        state = run.state
        run.cycle(IDLE)
        if run.port("value_o") != answered or run.port("valid_o") != [1] or run.state != state:
            raise Wrong("the answer does not stay")

    def answer(self, run: Run) -> Polynomial:
        """Return the answer's number."""
        run.settle(IDLE)
        value = run.unsigned(run.port("value_o"))
        if value is None:
            raise Wrong("the answer is not known")
        return value.exact

    def zero(self, sign: int, control: State) -> None:
        """Check that zero is told of 0 and -p, and of no other number."""
        zero = (1 << self.all_bits) - self.prime if sign else 0
        mask = (1 << self.r.limb) - 1
        limbs = [zero >> self.r.limb * k & mask for k in range(self.r.limbs - 1)]
        limbs.append(zero >> self.r.limb * (self.r.limbs - 1))
        for told, ranges in self.cases(limbs):
            run, _ = self.cut(control, sign, ranges)
            self.turn(run)
            run.settle(IDLE)
            if run.port("zero_o") != [told]:
                raise Wrong("zero is told of another number" if not told else "zero is not told")

    def cases(self, limbs: Sequence[int]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield whether limbs in some ranges are all the given ones; the ranges cover all limbs."""
        yield 1, [(v, v) for v in limbs]
        for k, v in enumerate(limbs):
            for lo, hi in ((0, v - 1), (v + 1, self.most[k])):
                if lo <= hi:
                    yield 0, [(lo, hi) if i == k else (0, m) for i, m in enumerate(self.most)]


def _constants(states: Sequence[State]) -> State:
    """Return the registers that have the same constant in all states."""
    first = states[0]
    return {
        net: bit
        for net, bit in first.items()
        if isinstance(bit, int) and all(state.get(net) == bit for state in states)
    }


def check_reducer(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is the reducer that the schedule assumes, else what is wrong."""
    if some is not None:
        return _tried(p, netlist, some)
    canon = Canon(p, netlist)
    passes = p.max_shift + 3
    if canon_latency(p.residues.limbs, p.max_shift) != passes * p.residues.limbs + 1:
        return "the schedule assumes another latency"
    try:
        control = canon.first()
        for j in reversed(range(p.max_shift + 1)):
            control = canon.subtract(j, control)
        for sign in (0, 1):
            canon.last(sign, control)
            canon.zero(sign, control)
    except (Wrong, Impossible) as error:
        return str(error)
    return ""


def _tried(p: PrimePreset, netlist: Words, some: Random) -> str:
    """Return what is wrong with a number, which is often a multiple of p or a carried one."""
    r, z = p.residues, Integers()
    limbs = [some.randrange(most + 1) for most in r.limit]
    if some.getrandbits(1):
        limbs = r.split(some.choice((0, r.p, some.randrange(r.p))))
    run = Run(netlist, z)
    bits = [bit for v in limbs for bit in bits_of(z, z.fixed(v), r.register)]
    run.cycle({"start_i": [1], "clear_i": [0], "v_i": bits})
    for _ in range(canon_latency(r.limbs, p.max_shift) - 1):
        run.settle(IDLE)
        if run.port("valid_o") != [0]:
            return "there is an answer before it is due"
        run.step()
    run.settle(IDLE)
    value = r.value(limbs) % r.p
    want = [value >> i & 1 for i in range(p.field_bits)]
    got = [run.port(name) for name in ("value_o", "zero_o", "valid_o")]
    return "" if got == [want, [int(not value)], [1]] else "the answer is another number"
