# SPDX-License-Identifier: Apache-2.0
"""Prove what a carry-less slot adds, in gates: polynomials over GF(2) in the bits of its words.

A run begins with the words in the registers behind the memories, and what the slot says beside
them; everything else is unknown. Bits of the accumulator before are names like those of words. It
shows, for all words, that bit k of the accumulator gets the sum of a[i] b[k - i], or a[k] + b[k] as
the masks say, on 0, on what it was, or on that without its lowest W bits; and that a slot of
numbers adds nothing to it. Every net has one form (:mod:`ecsm.evidence.polynomials`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ecsm.evidence.core import Core
from ecsm.evidence.gates import Function, Gates, Net
from ecsm.evidence.polynomials import NotBilinear, Polynomial
from ecsm.evidence.word.netlist import CORE
from ecsm.schedule.sequential.walk import FIELDS, Slot

ACC, SHIFT = "u_mac.gen_binary.poly_acc_q", "u_mac.shift_q"
CYCLES = 3  # from the words to the accumulator's register
GIVEN = ("u_memory.a_q", "u_memory.b_q", "u_memory.constant_q", "slot_q", "valid_q", "mask_a_q",
         "mask_b_q", ACC, SHIFT)  # fmt: skip
IDLE = "u_control.state_q"
Case = tuple[Slot, str, bool, bool]


def cases() -> Iterator[Case]:
    """Yield slots, what the accumulator begins with, and which words of a sum count."""
    for base, carryless in product(("first", "same", "shift"), (True, False)):
        first = base == "first"
        yield Slot(carryless=carryless, first=first), base, True, True
        for left, right in product((False, True), repeat=2):
            yield Slot(carryless=carryless, first=first, sum=True), base, left, right


class Carryless:
    """The part of a netlist that is the accumulator of polynomials, of words of ``W`` bits."""

    def __init__(self, core: Core, W: int) -> None:
        self.W = W
        names = {name: _named(core, CORE + name) for name in (*GIVEN, IDLE)}
        self.ports = {name: list(nets.values()) for name, nets in names.items()}
        self.slot = list(names["slot_q"])  # the bits of two slots that are left
        given = {n for name in GIVEN for n in self.ports[name] if name not in (ACC, SHIFT)}
        parts = {n: p for p in core.parts for n in p.outputs if isinstance(p, Function)}
        wanted, kept = list(self.ports[ACC]), set[Net]()
        registers: dict[Net, Net] = {}
        while wanted:
            n = wanted.pop()
            if n in kept:
                continue
            kept.add(n)
            if n in core.registers and n not in given and n not in self.ports[IDLE]:
                registers[n] = core.registers[n].d
                wanted.append(core.registers[n].d)
            elif n in parts:
                wanted += parts[n].inputs
        functions = [p for p in core.parts if isinstance(p, Function) and p.output in kept]
        self.places = [i for i, p in enumerate(core.parts) if kept.issuperset(p.outputs)]
        self.gates = Gates(self.ports, functions, registers)

    def bit(self, **what: int) -> Polynomial:
        """Return a name, or a constant."""
        return Polynomial(self.W, **what)

    def start(self, case: Case) -> Mapping[str, Sequence[Polynomial]]:
        """Return what is given in the first cycle."""
        slot, _, left, right = case
        W, zero = self.W, self.bit()
        word = [self.bit(c=slot.word() >> i & 1) for i in range(sum(FIELDS.values()))]
        return {
            "u_memory.a_q": [self.bit(a=1 << i) for i in range(W)],
            "u_memory.b_q": [self.bit(b=1 << i) for i in range(W)],
            "u_memory.constant_q": [zero, zero],
            "slot_q": [([zero] * len(word) + word)[i] for i in self.slot],
            "valid_q": [zero, self.bit(c=1)],
            "mask_a_q": [self.bit(c=int(left))],
            "mask_b_q": [self.bit(c=int(right))],
        }

    def wanted(self, case: Case) -> list[Polynomial]:
        """Return what the accumulator has to be."""
        slot, base, left, right = case
        W, width = self.W, 2 * self.W - 1
        before = {"first": 0, "same": 0, "shift": W}[base]
        found = []
        for k in range(width):
            a = ab = b = 0
            if base != "first" and k + before < width:
                a |= 1 << W + k + before
            if slot.carryless and not slot.sum:
                ab = sum(1 << W * i + k - i for i in range(W) if 0 <= k - i < W)
            elif slot.carryless and k < W:
                a, b = a | left << k, b | right << k
            found.append(self.bit(a=a, b=b, ab=ab))
        return found

    def check(self) -> str:
        """Return "" if the claim holds, else what is wrong."""
        clear = [self.bit(c=0)] * len(self.ports[IDLE])
        idle = {IDLE: clear}
        for case in cases():
            acc = [self.bit(a=1 << self.W + i) for i in range(2 * self.W - 1)]
            last = {ACC: acc, SHIFT: [self.bit(c=int(case[1] == "shift"))]}
            cycles: list[Mapping[str, Sequence[Polynomial]]] = [
                {**idle, **self.start(case)}, *[idle] * (CYCLES - 1), {**idle, **last}, idle,
            ]  # fmt: skip
            try:
                values = self.gates.run(self.W, cycles)[-1]
            except NotBilinear as wrong:
                return str(wrong)
            if [values[n] for n in self.ports[ACC]] != self.wanted(case):
                kind = "a sum" if case[0].sum else "a product"
                return f"{kind} of polynomials is another one ({case[1]})"
        return ""


def _named(core: Core, name: str) -> dict[int, Net]:
    """Return the registers of a name by their bits, the lowest one first."""
    found = {}
    for q in core.registers:
        base, _, index = core.names.get(q, "").partition("[")
        if base == name:
            found[int(index.rstrip("]") or 0)] = q
    return {i: found[i] for i in sorted(found)}


def seeded(core: Core, W: int, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each: a gate of the carry-less products has the other value."""
    rng = random.Random(seed)
    places = Carryless(core, W).places
    registers = list(_named(core, CORE + "u_memory.a_q").values())
    for _ in range(count):
        i = rng.choice(places)
        f = core.parts[i]
        assert isinstance(f, Function)
        table = tuple(bit ^ high for high in (0, 1) for bit in f.table)
        parts = list(core.parts)
        parts[i] = Function(f.output, (*f.inputs, rng.choice(registers)), table)
        yield replace(core, parts=tuple(parts))
