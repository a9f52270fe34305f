# SPDX-License-Identifier: Apache-2.0
"""The formulas of a ladder on symbols: what an engine is compared with.

The formulas are run as they are written (:class:`~ecsm.formulas.gf2m.ladder.Ladder`), step by step,
with vectors of symbolic values for elements. No graph, schedule or word of the program is used.

- A product is linear if an operand is constant. Any other one has symbols of its own, which stand
  for the product of its two operands. Two products of equal operands are one.
- A held value that depends on a condition has symbols of its own too: its name. A register that
  takes the value may be given its name.

Symbols are freed when no value has them any more, so a whole job needs a few dozen of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from ecsm.curves.gf2m.field import BinaryField
from ecsm.evidence.engine.values import CHOICE, AllZero, Cases, Space, Value, choice, symbols, where
from ecsm.formulas.gf2m.ladder import Ladder

Vector = tuple[Value, ...]
Pair = frozenset[Vector]
BEFORE = 3  # steps that a value is known for after the step that made it, and steps ahead


@dataclass(frozen=True)
class Element:
    """An element of the field, as the formulas use it."""

    formulas: Formulas
    bits: Vector

    def __add__(self, other: Element) -> Element:
        """Return the sum."""
        total = self.formulas.space.sum
        pairs = zip(self.bits, other.bits, strict=True)
        return Element(self.formulas, tuple(total(a, b) for a, b in pairs))


@dataclass
class Conditions:
    """The symbols of conditions, each a bit of a linear form, from bit 1 on."""

    count: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def new(self, name: str) -> int:
        """Return a new symbol."""
        self.count += 1
        self.names[name] = 1 << self.count
        return self.names[name]


class _Meaning:
    """What a name stands for, and the step that gave the name, whose first symbol is ``first``."""

    def __init__(self, step: int, value: Vector, first: int) -> None:
        self.step, self.value, self.first = step, value, first
        self.symbols = (1 << len(value)) - 1 << first


class Formulas:
    """The formulas' products, names and tests, as far as the job has come.

    ``early``: an engine takes operands before they are in registers, so without their names.
    """

    def __init__(
        self, gf: BinaryField, ladder: Ladder, space: Space,
        condition: Callable[[str, int], Value], early: bool,
    ) -> None:  # fmt: skip
        self.early = early
        self.gf, self.ladder, self.space, self.condition = gf, ladder, space, condition
        self.products: dict[Pair, tuple[int, Vector]] = {}  # operands: step, product
        self.names: dict[Vector, tuple[int, Vector]] = {}  # value: step, name
        self._meanings: list[_Meaning] = []
        self.tests: dict[str, Value] = {}
        self.first = space.conditions.bit_length()  # the first symbol of an element
        self.free = list(range(16))
        self.size = 16  # elements that have symbols
        self.roots: Callable[[], Iterable[Value]] = tuple  # values outside that are in use
        self.step = -1  # the last step that the formulas made
        self.used = -1  # the last step that the engine asked for
        self.result: tuple[Element, Element] | None = None
        self.x, self.y = self.atom(), self.atom()
        self._state = ladder.start(self, self.x)

    # -- symbols

    def atom(self) -> Element:
        """Return an element of new symbols."""
        if not self.free:
            self._sweep()
        base = self.first + self.free.pop() * self.m
        return Element(self, tuple(1 << base + i for i in range(self.m)))

    def _sweep(self) -> None:
        """Free the symbols that nothing has, or make more."""
        used = 0
        for value in self._live():
            used |= value & ~1 if isinstance(value, int) else symbols(value)
        used >>= self.first
        element = (1 << self.m) - 1
        self.free = [i for i in range(self.size) if not used >> i * self.m & element]
        if len(self.free) < 8:
            self.free += range(self.size, self.size + 16)
            self.size += 16

    def _live(self) -> Iterator[Value]:
        for pair, (_, made) in self.products.items():
            for vector in (*pair, made):
                yield from vector
        for value, (_, name) in self.names.items():
            yield from (*value, *name)
        yield from self.tests.values()
        for e in (self.x, self.y, *self._state.values(), *(self.result or ())):
            yield from e.bits
        yield from self.roots()

    # -- what the formulas ask for

    @property
    def m(self) -> int:
        """Degree of the field."""
        return self.gf.m

    def const(self, c: int) -> Element:
        """Return a constant."""
        return Element(self, tuple(c >> i & 1 for i in range(self.m)))

    def frob(self, v: Element, k: int) -> Element:
        """Return v^(2^k)."""
        return Element(self, self._map(v.bits, _rows(self.gf, k, 1)))

    def power(self, name: str, v: Element, k: int) -> Element:
        """Return v^(2^k)."""
        del name
        return self.frob(v, k)

    def scale(self, name: str, c: int, v: Element) -> Element:
        """Return c v."""
        del name
        return Element(self, self._map(v.bits, _rows(self.gf, 0, c)))

    def select(self, condition: tuple[str, int], a: Element, b: Element) -> Element:
        """Return ``a`` where the condition holds, else ``b``."""
        holds = self.condition(*condition)
        pairs = zip(b.bits, a.bits, strict=True)
        return Element(self, tuple(self.space.apply(CHOICE, (*p, holds)) for p in pairs))

    def hold(self, name: str, v: Element) -> Element:
        """Return v, or its name if it depends on conditions. The answer keeps its value."""
        if name.startswith("out.") or all(isinstance(bit, int) for bit in v.bits):
            return v
        if v.bits in self.names:
            return Element(self, self.names[v.bits][1])
        spellings = self._spellings(v.bits)
        for spelling in spellings:  # in use while symbols are sought
            self.names[spelling] = (self.step, v.bits)
        made = self.atom()
        for spelling in spellings:
            self.names[spelling] = (self.step, made.bits)
        first = symbols(made.bits[0]).bit_length() - 1
        self._meanings.append(_Meaning(self.step, v.bits, first))
        return made

    def test(self, name: str, v: Element) -> None:
        """Note what the zero tester must find."""
        self.tests[name] = self._is_zero(v.bits)

    def mul(self, name: str, a: Element, b: Element) -> Element:
        """Return a b."""
        del name
        linear = self.linear(a.bits, b.bits)
        if linear is not None:
            return Element(self, linear)
        pairs = [
            frozenset(sides) for sides in product(self._spellings(a.bits), self._spellings(b.bits))
        ]
        made = self.products.get(pairs[0], (0, None))[1] or self.atom().bits
        for pair in pairs:
            self.products[pair] = (self.step, made)
        return Element(self, made)

    # -- vectors of values

    def _split(self, *vectors: Vector) -> tuple[int, list[tuple[Vector, ...]]]:
        """Return the lowest condition of vectors, and the vectors without and with it."""
        bit = self.space.first([v for vector in vectors for v in vector])
        return bit, [
            tuple(tuple(where(v, bit, k) for v in vector) for vector in vectors) for k in (0, 1)
        ]

    def _map(self, v: Vector, rows: list[list[int]]) -> Vector:
        """Return a linear map of a vector."""
        if all(isinstance(bit, int) for bit in v):
            found = []
            for row in rows:
                total = 0
                for j in row:
                    total ^= v[j]  # type: ignore[operator]
                found.append(total)
            return tuple(found)
        bit, ((low,), (high,)) = self._split(v)
        if not bit:  # a value is not known, or is no form
            return (None,) * self.m
        return _chosen(bit, self._map(low, rows), self._map(high, rows))

    def linear(self, a: Vector, b: Vector) -> Vector | None:
        """Return the product of two vectors if one is constant in every case, else None."""
        for one, other in ((a, b), (b, a)):
            if all(bit in (0, 1) for bit in one):
                c = sum(bit << i for i, bit in enumerate(one) if isinstance(bit, int))
                return self._map(other, _rows(self.gf, 0, c))
        if not self.space.first((*a, *b)):
            return None
        bit, (without, given) = self._split(a, b)
        low = self.linear(*without)
        high = None if low is None else self.linear(*given)
        return None if low is None or high is None else _chosen(bit, low, high)

    def _is_zero(self, v: Vector) -> Value:
        bit, (without, given) = self._split(v)
        if bit:
            return choice(bit, self._is_zero(*without), self._is_zero(*given))
        forms = frozenset(value for value in v if isinstance(value, int)) - {0}
        if None in v or 1 in forms:
            return None if None in v else 0
        return AllZero(forms, 1) if forms else 1

    def _spellings(self, v: Vector) -> list[Vector]:
        """Return a vector with each of its names, or with the values that they stand for."""
        used = 0
        for value in v if self.early else ():
            used |= symbols(value)
        found = [v]
        for meaning in self._meanings:
            if used & meaning.symbols:
                found += [tuple(self._put(one, meaning) for one in w) for w in found]
        return found

    def _put(self, one: Value, meaning: _Meaning) -> Value:
        """Return a value with what a name stands for in place of the name."""
        if isinstance(one, Cases):
            low, high = self._put(one.low, meaning), self._put(one.high, meaning)
            return self.space.apply(CHOICE, (low, high, one.bit))
        if not isinstance(one, int):
            return one
        left = one & meaning.symbols
        found: Value = one ^ left
        while left:
            place = left.bit_length() - 1
            left ^= 1 << place
            found = self.space.sum(found, meaning.value[place - meaning.first])
        return found

    # -- what the engine asks for

    def advance(self) -> bool:
        """Make one more step of the formulas, if the engine may be there already."""
        if self.result is not None or self.step > self.used + BEFORE:
            return False
        self.step += 1
        if self.step < self.m:
            self._state = self.ladder.step(self, self._state, self.step, self.x)
        else:
            self.result = self.ladder.finish(self, self._state, self.m, self.x, self.y)
        return True

    def product(self, a: Vector, b: Vector) -> Vector | None:
        """Return the product of operands; None if it is none of the formulas'."""
        linear = self.linear(a, b)
        if linear is not None:
            return linear
        pair: Pair = frozenset((a, b))
        while pair not in self.products:
            if not self.advance():
                return None
        step, made = self.products[pair]
        self._use(step)
        return made

    def named(self, value: Vector) -> Vector:
        """Return the name of a value that a register takes, or the value if it has none."""
        while value not in self.names:
            if not self.advance():
                return value
        step, name = self.names[value]
        self._use(step)
        return name

    def _use(self, step: int) -> None:
        """Note that the engine is at a step, and forget those long before it."""
        if step <= self.used:
            return
        self.used = step
        oldest = step - BEFORE
        self.products = {k: v for k, v in self.products.items() if v[0] >= oldest}
        self.names = {k: v for k, v in self.names.items() if v[0] >= oldest}
        self._meanings = [meaning for meaning in self._meanings if meaning.step >= oldest]


def _chosen(bit: int, low: Vector, high: Vector) -> Vector:
    return tuple(choice(bit, *pair) for pair in zip(low, high, strict=True))


@lru_cache(maxsize=64)
def _rows(gf: BinaryField, k: int, c: int) -> list[list[int]]:
    """Return the matrix of v -> c v^(2^k): of each row the places of its ones."""
    columns = gf.matrix(lambda v: gf.mul(c, gf.frob(v, k)))
    return [[j for j, column in enumerate(columns) if column >> i & 1] for i in range(gf.m)]
