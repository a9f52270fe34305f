# SPDX-License-Identifier: Apache-2.0
"""Formulas on symbols: trace a program into its dataflow graph.

Sums, powers and constants never become operations: they accumulate in linear forms that operands
absorb. Products of equal forms are one product, and a product with a constant is a linear map.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.masked import MORE_BITS
from ecsm.formulas.dataflow import TraceError
from ecsm.formulas.gf2m.graph import (
    IDENTITY,
    ONE,
    Condition,
    Form,
    Graph,
    Guard,
    Kind,
    Map,
    Op,
    Segment,
    Term,
)
from ecsm.formulas.gf2m.ladder import Ladder, State


@dataclass(frozen=True)
class Maps:
    """Which linear maps a preset has.

    ``operand``: powers k of v^(2^k) that may stand at any operand or sum; ``write``: powers that
    only a register's write may apply, a pass a cycle (long, dense maps). ``linear_constants``:
    multiply by curve constants with an XOR map instead of the multiplier.
    """

    operand: tuple[int, ...] = (1, 2, 3)
    write: tuple[int, ...] = ()
    linear_constants: bool = True


@dataclass(frozen=True)
class Sym:
    """A symbolic value: one linear form."""

    tracer: Tracer
    form: Form

    def __add__(self, other: Sym) -> Sym:
        """Sum of forms; equal terms cancel."""
        return Sym(self.tracer, self.form ^ other.form)


def _where(t: Term, guard: Guard | None) -> list[Term]:
    """Return a term where another guard holds, too: none if its own excludes that."""
    own = t.guard
    if own is None or guard is None or own == guard:
        return [Term(t.map, t.atom, own or guard)]
    if own[:2] == guard[:2]:
        return []
    raise TraceError(f"guards {own[:2]} and {guard[:2]} meet in one form: hold the value first")


class Tracer:
    """Record the operations of one segment."""

    def __init__(self, gf: BinaryField, maps: Maps, inputs: list[str]) -> None:
        self.gf = gf
        self.maps = maps
        self.segment = Segment(inputs=dict(enumerate(inputs)))
        self._next = len(inputs)
        self._known: dict[tuple[object, ...], Sym] = {}

    @property
    def m(self) -> int:
        """Degree of the field."""
        return self.gf.m

    def atom(self, atom: int) -> Sym:
        """Return the value of an atom."""
        return Sym(self, Form([Term(IDENTITY, atom)]))

    def const(self, c: int) -> Sym:
        """Return a constant."""
        return Sym(self, Form([Term(Map(0, c), ONE)]) if c else Form())

    def frob(self, v: Sym, k: int) -> Sym:
        """Return v^(2^k); k must be a map the operands have, or apply to constants only."""
        return Sym(self, Form(self._apply(t, k, 1) for t in v.form))

    def _apply(self, t: Term, k: int, c: int) -> Term:
        gf = self.gf
        const = gf.mul(c, gf.frob(t.map.c, k))
        power = 0 if t.atom == ONE else (t.map.k + k) % gf.m
        return Term(Map(power, const), t.atom, t.guard)

    def scale(self, name: str, c: int, v: Sym) -> Sym:
        """Return c*v, linear or as a product by the preset's choice."""
        if c in (0, 1) or self.maps.linear_constants or not v.form.atoms:
            return self._times_constant(v, self.const(c))
        return self._product(name, self.const(c), v)

    def mul(self, name: str, a: Sym, b: Sym) -> Sym:
        """Return a*b: a product, or a linear form if either side is a (guarded) constant."""
        for left, right in ((a, b), (b, a)):
            if not right.form.atoms:
                return self._times_constant(left, right)
        return self._product(name, a, b)

    def _times_constant(self, a: Sym, c: Sym) -> Sym:
        acc = Form()
        for t in c.form:
            for s in a.form:
                acc ^= Form(self._apply(r, 0, t.map.c) for r in _where(s, t.guard))
        return Sym(self, acc)

    def _product(self, name: str, a: Sym, b: Sym) -> Sym:
        key = ("mul", frozenset((a.form, b.form)))
        return self._record(key, Kind.PRODUCT, name, (a.form, b.form))

    def _record(
        self,
        key: tuple[object, ...],
        kind: Kind,
        name: str,
        forms: tuple[Form, ...],
        passes: int = 1,
        step: Map = IDENTITY,
    ) -> Sym:
        if key not in self._known:
            op = Op(self._next, kind, name, forms, passes, step)
            self._next += 1
            self.segment.ops.append(op)
            self._known[key] = self.atom(op.atom)
        return self._known[key]

    def select(self, condition: Condition, a: Sym, b: Sym) -> Sym:
        """Return the form that is ``a`` under the condition and ``b`` otherwise."""
        acc = Form()
        for form, value in ((a.form, True), (b.form, False)):
            for t in form:
                acc ^= Form(_where(t, (*condition, value)))
        return Sym(self, acc)

    def hold(self, name: str, v: Sym) -> Sym:
        """Return ``v`` from a register of its own; a bare product already has one."""
        if v.form.single is not None and not name.startswith("out."):
            return v
        if not v.form.atoms:
            return v
        return self._record(("hold", v.form), Kind.HOLD, name, (v.form,))

    def power(self, name: str, v: Sym, k: int) -> Sym:
        """Return v^(2^k): at the operand if it can, else by passes through a register."""
        if k in self.maps.operand or k == 0:
            return self.frob(v, k)
        best = min(
            (
                (k // j + (k % j not in (0, *self.maps.operand)), j not in self.maps.write, -j, j)
                for j in (*self.maps.operand, *self.maps.write)
                if j <= k
            ),
        )
        j = best[-1]
        passes, rest = divmod(k, j)
        first = Form(self._apply(t, j, 1) for t in v.form)
        held = self._record(("power", v.form, j, passes), Kind.HOLD, name, (first,), passes, Map(j))
        return self.power(name, held, rest)

    def test(self, name: str, v: Sym) -> None:
        """Record a zero test."""
        self._record(("test", name), Kind.TEST, name, (v.form,))


def _prune(segment: Segment) -> None:
    """Drop operations that nothing uses."""
    live = set(segment.outputs)
    for op in reversed(segment.ops):
        if op.kind is Kind.TEST or op.atom in live:
            live |= {op.atom, *op.atoms}
    segment.ops = [o for o in segment.ops if o.atom in live]


RANDOM = 4  # the variable of a masked ladder that is loaded with a random number


@lru_cache(maxsize=64)
def trace_ladder(gf: BinaryField, program: Ladder, maps: Maps, unroll: int) -> Graph:
    """Trace kP into load, loop body of ``unroll`` steps, and tail.

    The scalar has m bits. The first step is folded into the load (its products are constants); of a
    masked ladder none is, and its scalar has MORE_BITS more. The loop takes as many steps as leave
    at least one for the tail, which that lets the
    scheduler overlap the last step with the inversion. The load has the maps it needs, v^4 at
    most, whatever ``maps`` says: it runs once, on the port.
    """
    steps = gf.m + MORE_BITS if program.masked else gf.m - 1
    trips = (steps - 1) // unroll
    rest = steps - trips * unroll

    names = ["x", "y", "xs", "ts", "xd", "cd"]
    if program.masked:
        names[2:] = ["xu", "zu", "xv", "zv"]
    port = Tracer(gf, Maps((1, 2)), names)
    if program.masked:
        # The request loads the random number into the register of xv.
        first = program.masked_start(port, port.atom(0), port.atom(RANDOM))
    else:
        first = program.step(port, program.start(port, port.atom(0)), 0, port.atom(0))
    if port.segment.products():
        raise TraceError("the first ladder step is not linear")
    load = [port.atom(0).form, port.atom(1).form, *(v.form for v in first.values())]
    load = [_inline(form, port.segment) for form in load]

    def start() -> tuple[Tracer, Sym, Sym, State[Sym]]:
        t = Tracer(gf, maps, names)
        return t, t.atom(0), t.atom(1), State(*(t.atom(i) for i in range(2, 6)))

    t, x, _, state = start()
    for i in range(unroll):
        state = program.step(t, state, i, x)
    body = t.segment
    body.bits = unroll
    close(t, state.values(), names[2:])

    t, x, y, state = start()
    for i in range(rest):
        state = program.step(t, state, i, x)
    out = program.finish(t, state, rest, x, y)
    tail = t.segment
    tail.bits = rest
    close(t, out, ("out.x", "out.y"))
    return Graph(names, body, trips, tail, gf.m, load, RANDOM if program.masked else None)


def _settled(t: Tracer, v: Sym, name: str) -> int:
    """Return the atom that holds ``v``, adding a hold if it has none of its own."""
    atom = v.form.single
    if atom is None or atom in t.segment.inputs:
        atom = t._record(("settle", v.form, name), Kind.HOLD, name, (v.form,)).form.single
    assert atom is not None
    return atom


def close(t: Tracer, values: Sequence[Sym], names: Sequence[str]) -> Segment:
    """Return the segment traced so far with ``values`` as its outputs, each in a register."""
    t.segment.outputs = [_settled(t, v, n) for v, n in zip(values, names, strict=True)]
    _prune(t.segment)
    return t.segment


def _inline(form: Iterable[Term], segment: Segment) -> Form:
    """Replace held atoms (the load has no registers yet) by their forms."""
    acc = Form()
    for term in form:
        held = [o for o in segment.ops if o.atom == term.atom]
        if not held:
            acc = acc ^ Form([term])
        elif term.map.is_identity and term.guard is None:
            acc = acc ^ _inline(held[0].forms[0], segment)
        else:
            raise TraceError("a held value is mapped inside the load")
    return acc
