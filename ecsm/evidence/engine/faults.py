# SPDX-License-Identifier: Apache-2.0
"""Faults that are seeded into the netlist of an engine over GF(2^m), which its proof must find.

Three kinds: a gate of the data path is inverted, or an input is added to it; a bit of a control
word is 0 and not 1; a gate that a bit of the scalar decides takes the opposite bit.

Bits of words are those that give an operand or a tested value, start, test or shift. Others may do
nothing: a multiplier may multiply in every cycle, and a program may write what nobody reads.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ecsm.cores.design import BinaryDesign
from ecsm.evidence.engine.netlist import Core
from ecsm.evidence.gates import Function, Net
from ecsm.hdl.engines.gf2m import numbering


@dataclass(frozen=True)
class Fault:
    """A netlist with one fault, and what the fault is."""

    what: str
    core: Core


def seeded(d: BinaryDesign, core: Core, count: int, seed: int = 1) -> Iterator[Fault]:
    """Yield netlists with one fault each, of every kind in turn."""
    rng = random.Random(seed)
    places = (data_gates(d, core), word_bits(d, core), key_gates(d, core))
    for i in range(count):
        kind = i % len(places)
        place = rng.choice(places[kind])
        yield (_gate, _word, _key)[kind](core, place, rng)


def data_gates(d: BinaryDesign, core: Core) -> Sequence[tuple[int, ...]]:
    """Return the functions between registers and operands, and before registers of the file."""
    del d
    by_output = {f.output: i for i, f in enumerate(core.functions)}
    files = {n for name, nets in core.names.items() if ".u_regfile.gen_reg[" in name for n in nets}
    nets = [n for box in core.boxes for n in (*box.a, *box.b)]
    nets += [r.d for r in core.registers if r.q in files]
    found: set[int] = set()
    while nets:
        i = by_output.get(nets.pop())
        if i is not None and i not in found:
            found.add(i)
            nets += core.functions[i].inputs
    return [(i,) for i in sorted(found)]


def word_bits(d: BinaryDesign, core: Core) -> Sequence[tuple[int, ...]]:
    """Return the bits of words that are 1 and do something, each with its column."""
    n = numbering(d)
    writes = range(len(n.gates), len(n.gates) + n.registers)
    starts = range(writes.stop, writes.stop + n.multipliers)
    idle = {k for k, gate in enumerate(n.gates) if gate.sink[0] == "write"} | set(writes)
    if d.preset.multiplier.kind != "serial":
        idle |= set(starts)
    place = {c.output: i for i, c in enumerate(core.columns)}
    return [
        (place[net], word)
        for k, net in enumerate(core.engine("u_front.u_sequencer.fetched_word"))
        if net in place and k not in idle
        for word, bit in enumerate(core.columns[place[net]].bits)
        if bit == 1
    ]


def key_gates(d: BinaryDesign, core: Core) -> Sequence[tuple[int, ...]]:
    """Return the functions that read a bit of the scalar for the network."""
    del d
    names = ("u_engine.u_gates.key_i", "u_engine.u_gates.next_i")  # one may not be in use
    bits = {n for name in names for n in core.names.get(name, ())}
    gates = set(_readers(core, bits, core.engine("u_gates.open")))
    return [
        (i, k)
        for i, f in enumerate(core.functions)
        if i in gates
        for k, net in enumerate(f.inputs)
        if net in bits
    ]


def _readers(core: Core, bits: set[Net], ends: Sequence[Net]) -> Iterator[int]:
    """Yield the functions that read one of the nets on a way to one of the ends."""
    by_output = {f.output: i for i, f in enumerate(core.functions)}
    nets, seen = list(ends), set(ends)
    while nets:
        i = by_output.get(nets.pop())
        if i is None:
            continue
        inputs = core.functions[i].inputs
        if bits & set(inputs):
            yield i
        nets += [n for n in inputs if n not in bits and n not in seen]
        seen |= set(inputs)


def _gate(core: Core, place: tuple[int, ...], rng: random.Random) -> Fault:
    f = core.functions[place[0]]
    k = rng.choice([None, 0, 1]) if len(f.inputs) == 2 else None
    table = tuple(bit ^ (1 if k is None else j >> k & 1) for j, bit in enumerate(f.table))
    what = "is inverted" if k is None else f"has its input {k} added"
    new = Function(f.output, f.inputs, table)
    return Fault(f"gate {place[0]} {what}", core.with_function(place[0], new))


def _word(core: Core, place: tuple[int, ...], rng: random.Random) -> Fault:
    del rng
    column, word = place
    bits = list(core.columns[column].bits)
    bits[word] = 0
    new = replace(core.columns[column], bits=tuple(bits))
    return Fault(f"column {column}: word {word} has 0 for 1", core.with_column(column, new))


def _key(core: Core, place: tuple[int, ...], rng: random.Random) -> Fault:
    del rng
    i, k = place
    f = core.functions[i]
    new = Function(f.output, f.inputs, tuple(f.table[j ^ 1 << k] for j in range(len(f.table))))
    return Fault(f"gate {i} takes the opposite bit of the scalar", core.with_function(i, new))
