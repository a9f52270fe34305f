# SPDX-License-Identifier: Apache-2.0
"""Operand registers: load every multiplier's operands a cycle before it uses them.

A product that starts in cycle t + 1 has its operands in registers of their own, which the word of
cycle t loads. If register r is written in cycle t, the operand gets the value that is written to r;
else it gets r itself. So no cycle is added and the schedule does not change. The operand network
moves from before the multiplier to after it (retiming). An operand may then be a product, or a map
of a map.
"""

from __future__ import annotations

from collections import defaultdict

from ecsm.curves.gf2m.field import BinaryField
from ecsm.formulas.gf2m.graph import IDENTITY, Map
from ecsm.schedule.gf2m.words import BITS, NEXT, Gate, Guard, Sink, Source, Word

Term = tuple[Sink, Map, Source]


class NotAhead(ValueError):
    """An operand cannot be had a cycle earlier; the message says which and why."""


def compose(gf: BinaryField, outer: Map, inner: Map) -> Map:
    """Return the map v -> outer(inner(v))."""
    return Map((outer.k + inner.k) % gf.m, gf.mul(outer.c, gf.frob(inner.c, outer.k)))


def ahead(words: list[Word], gf: BinaryField) -> list[Word]:
    """Return the words with their operands' gates one cycle earlier; raises :class:`NotAhead`."""
    out = []
    for t, word in enumerate(words):
        later = words[t + 1] if t + 1 < len(words) else Word()
        found: dict[Term, list[Guard]] = defaultdict(list)
        for gate in later.gates:
            if gate.sink[0] == "operand":
                # The load takes the first bit of the scalar, shift or not.
                for g in _earlier(gate, word, word.shift or t == 0, gf):
                    found[g.sink, g.map, g.source].append(g.guard)
        gates = {g for g in word.gates if g.sink[0] != "operand"}
        for (sink, map_, source), guards in found.items():
            gates |= {Gate(sink, map_, source, g) for g in _odd(guards, sink, t)}
        moved = Word(gates, word.write, word.start, word.test, word.shift, word.notes)
        out.append(moved)
    if any(g.sink[0] == "operand" for g in words[0].gates):
        raise NotAhead("the load starts a product")
    return out


def _earlier(gate: Gate, word: Word, shift: bool, gf: BinaryField) -> list[Gate]:
    """Return the gates of ``word`` that give what ``gate`` reads in the cycle after.

    ``shift``: the cycle after has the next bit of the scalar.
    """
    guard = tuple((NEXT.get(n, n) if shift else n, v) for n, v in gate.guard)
    kind, register = gate.source
    if kind != "reg" or register not in word.write:
        return [Gate(gate.sink, gate.map, gate.source, guard)]
    out = []
    for w in word.gates:
        if w.sink != ("write", register, 0):
            continue
        both = _both(guard, w.guard)
        if both is None:
            continue
        source, map_ = w.source, compose(gf, gate.map, w.map)
        if source[0] == "const":
            value = gf.mul(map_.c, gf.frob(source[1], map_.k))
            source, map_ = ("const", value), IDENTITY
        out.append(Gate(gate.sink, map_, source, both))
    return out


def _both(one: Guard, other: Guard) -> Guard | None:
    """Return the guard that holds where both do; None if there is none."""
    merged = dict(one)
    for name, value in other:
        if name not in BITS:
            raise NotAhead(f"an operand is read in the cycle after a write that waits for {name}")
        if merged.setdefault(name, value) != value:
            return None
    return tuple(sorted(merged.items()))


def _odd(guards: list[Guard], sink: Sink, cycle: int) -> list[Guard]:
    """Return guards of which at most one holds at a time: equal ones cancel in pairs."""
    left = [g for g in set(guards) if guards.count(g) % 2]
    for i, one in enumerate(left):
        for other in left[i + 1 :]:
            if _both(one, other) is not None:
                raise NotAhead(f"cycle {cycle}: a term of {sink} is due twice")
    return left
