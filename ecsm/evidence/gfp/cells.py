# SPDX-License-Identifier: Apache-2.0
"""What a cell of a netlist of words makes of integers.

A cell computes modulo 2^width. Its word is an integer of which the bits are the lowest, by
complement if it is negative; nothing says that it fits. What takes some of the bits, or more bits
than a word has, takes the number that these bits are. So a sum that overflows is another number
than one that does not, unless the bounds show that it cannot.

A bit is a constant, a bit of a word, or not known (None). Choices and functions that no model is
there of make bits that are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ecsm.evidence.gates import UnknownCell
from ecsm.evidence.gfp.integers import Integers, Number

Net = int | str  # a number, or the constants "0", "1" and "x"


@dataclass(frozen=True, eq=False)
class Word:
    """The lowest ``width`` bits of a number."""

    number: Number
    width: int


Bit = int | tuple[Word, int] | None
Bits = list[Bit]


@dataclass(frozen=True)
class Cell:
    """A cell: ``inputs`` and ``outputs`` are nets by port; registers have their D in inputs."""

    kind: str
    parameters: Mapping[str, int]
    inputs: Mapping[str, tuple[Net, ...]]
    outputs: Mapping[str, tuple[Net, ...]]


def bits_of(z: Integers, number: Number, width: int) -> Bits:
    """Return the bits of a number."""
    v = number.exact.constant
    if v is not None:
        return [v >> i & 1 for i in range(width)]
    word = Word(number, width)
    return [(word, i) for i in range(width)]


def _run_length(bits: Bits, at: int) -> tuple[int, int]:
    """Return how many bits follow each other in a word, and how often the last comes again."""
    first, n = bits[at], 1
    if isinstance(first, tuple):
        word, k = first
        while at + n < len(bits) and bits[at + n] == (word, k + n):
            n += 1
    again = 0
    while at + n + again < len(bits) and bits[at + n + again] == bits[at + n - 1]:
        again += 1
    return n, again


def number_of(z: Integers, bits: Bits, width: int, signed: bool = False) -> Number | None:
    """Return a number whose lowest ``width`` bits are these, extended; None if some are unknown.

    What is at the top may be any number with these bits.
    """
    bits = bits[:width]
    if len(bits) < width:
        bits = [*bits, *[bits[-1] if signed and bits else 0] * (width - len(bits))]
    total, at = z.fixed(0), 0
    while at < width:
        first = bits[at]
        n, again = _run_length(bits, at)
        if first is None:
            return None
        top = at + n + again == width
        if isinstance(first, int):
            ones = -1 if top else (1 << n + again) - 1
            more, n = z.fixed(first * ones), n + again
        else:
            word, k = first
            if again and top:
                more, n = z.part(word.number, k, k + n, signed=True), n + again
            elif again and n == 1:
                ones = (1 << again + 1) - 1
                more, n = z.times(ones, z.part(word.number, k, k + 1)), n + again
            elif top and (k + n == word.width or _fits(z.floor(word.number, k), n)):
                more = z.floor(word.number, k)
            else:
                more = z.part(word.number, k, k + n)
        total = z.sum(total, z.times(1 << at, more)) if at else more
        at += n
    return total


def _fits(number: Number, width: int) -> bool:
    """Whether so many bits have all of a number, by complement: those above repeat the highest."""
    half = 1 << width - 1
    return -half <= number.lo and number.hi < half


def constant_of(z: Integers, bits: Bits) -> int | None:
    """Return bits as a number, if it is known to be one."""
    found = number_of(z, [*bits, 0], len(bits) + 1)
    return None if found is None else found.exact.constant


def _truth(bits: Bits) -> Bit:
    """Return whether one of the bits is set; None if that is not known."""
    if any(b == 1 for b in bits if isinstance(b, int)):
        return 1
    return 0 if all(isinstance(b, int) for b in bits) else None


def _not(bit: Bit) -> Bit:
    return 1 - bit if isinstance(bit, int) else None


_SUMS = {"$add": 1, "$sub": -1}
_SIGNLESS = (
    "$sshl",
    "$logic_and",
    "$logic_or",
    "$logic_not",
    "$reduce_or",
    "$reduce_bool",
    "$reduce_and",
)


def apply(z: Integers, cell: Cell, at: Mapping[str, Bits]) -> Bits:
    """Return the bits that a function makes; raises UnknownCell."""
    kind, width = cell.kind, len(cell.outputs["Y"])
    a, b = at.get("A", []), at.get("B", [])
    signs = {cell.parameters.get(f"{port}_SIGNED", 0) for port in "AB" if port in at}
    signed = signs == {1}
    if kind in _SUMS or kind == "$mul":
        if len(signs) > 1:
            raise UnknownCell("there is no model of a sum or product of two kinds of numbers")
        x, y = (number_of(z, v, width, signed) for v in (a, b))
        if x is None or y is None:
            return [None] * width
        return bits_of(z, z.product(x, y) if kind == "$mul" else z.sum(x, y, _SUMS[kind]), width)
    if kind == "$mux":
        return _chosen(at["S"][0], a, b)
    if kind == "$bwmux":
        return [_chosen(s, [x], [y])[0] for s, x, y in zip(at["S"], a, b, strict=True)]
    if kind in _BITWISE or kind == "$not":
        return _bitwise(z, kind, _extended(a, width, signed), _extended(b, width, signed))
    if signed and kind not in _SIGNLESS:
        raise UnknownCell(f"there is no model of a cell {kind} of numbers with a sign")
    return [*_control(z, kind, a, b, at, width), *[0] * width][:width]


def _extended(bits: Bits, width: int, signed: bool) -> Bits:
    fill: Bit = bits[-1] if signed and bits else 0
    return [*bits, *[fill] * width][:width]


def _chosen(select: Bit, a: Bits, b: Bits) -> Bits:
    if isinstance(select, int):
        return b if select else a
    return [x if x == y else None for x, y in zip(a, b, strict=True)]


def _control(z: Integers, kind: str, a: Bits, b: Bits, at: Mapping[str, Bits], width: int) -> Bits:
    """Return what a function of constants makes; raises UnknownCell."""
    if kind in ("$logic_and", "$logic_or"):
        x, y = _truth(a), _truth(b)
        if kind == "$logic_or":
            return [_truth([x, y])]
        return [_not(_truth([_not(x), _not(y)]))]
    if kind in ("$reduce_or", "$reduce_bool"):
        return [_truth(a)]
    if kind == "$logic_not":
        return [_not(_truth(a))]
    if kind == "$reduce_and":
        return [_not(_truth([_not(x) for x in a]))]
    if kind == "$reduce_xor":
        known = [bit for bit in a if isinstance(bit, int)]
        if len(known) < len(a):
            return [None]
        return [sum(known) % 2]
    if kind in ("$eq", "$ne", "$lt", "$le", "$gt", "$ge"):
        return [_compared(z, kind, a, b)]
    if kind == "$pmux":
        return _one_of(a, b, at["S"], width)
    if kind == "$bmux":
        index = constant_of(z, at["S"])
        return [None] * width if index is None else a[width * index :][:width]
    if kind == "$demux":
        index = constant_of(z, at["S"])
        unknown: Bits = [0 if bit == 0 else None for bit in a]
        return unknown * (width // len(a)) if index is None else [*[0] * (len(a) * index), *a]
    if kind in ("$shl", "$sshl", "$shr", "$shiftx"):
        places = constant_of(z, b)
        if places is None:
            return [None] * width
        if kind in ("$shl", "$sshl"):
            return [*[0] * places, *a][:width]
        return [*a[places:], *[None if kind == "$shiftx" else 0] * width][:width]
    raise UnknownCell(f"there is no model of a cell {kind}")


def _compared(z: Integers, kind: str, a: Bits, b: Bits) -> Bit:
    """Return a comparison of numbers without a sign, if their bounds decide it."""
    x, y = (number_of(z, [*v, 0], len(v) + 1) for v in (a, b))
    if x is None or y is None:
        return None
    less = 1 if x.hi < y.lo else 0 if x.lo >= y.hi else None
    more = 1 if x.lo > y.hi else 0 if x.hi <= y.lo else None
    if kind in ("$eq", "$ne"):
        same: Bit = 0 if 1 in (less, more) else 1 if (less, more) == (0, 0) else None
        return same if kind == "$eq" else _not(same)
    return {"$lt": less, "$ge": _not(less), "$gt": more, "$le": _not(more)}[kind]


def _one_of(a: Bits, b: Bits, select: Bits, width: int) -> Bits:
    """Return the one of the choices whose bit of ``select`` is set, or ``a``."""
    if any(not isinstance(s, int) for s in select):
        return [None] * width
    chosen = [i for i, s in enumerate(select) if s]
    if not chosen:
        return a
    return b[width * chosen[0] :][:width] if len(chosen) == 1 else [None] * width


# By what one input is: what the bit is if the other is x. 2: x, 3: not x.
_BITWISE = {"$and": (0, 2), "$or": (2, 1), "$xor": (2, 3), "$xnor": (3, 2)}


def _bitwise(z: Integers, kind: str, a: Bits, b: Bits) -> Bits:
    """Return a function bit by bit: simply where an input is a constant."""
    if kind == "$not":
        kind, b = "$xor", [1] * len(a)
    found: Bits = []
    inverted: list[int] = []
    both: list[int] = []
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if not isinstance(y, int):
            x, y = y, x
        if isinstance(y, int):
            rule = _BITWISE[kind][y]
            if rule == 3:
                inverted.append(i)
            found.append(x if rule == 2 else _not(x) if rule == 3 else rule)
        else:
            if x is not None and y is not None:
                both.append(i)
            found.append(None)
    for where in _neighbours(inverted):
        rows = [a[i] if isinstance(b[i], int) else b[i] for i in where]
        found[where.start : where.stop] = _inverted(z, rows)
    for where in _neighbours(both):
        found[where.start : where.stop] = _of_both(
            z, kind, [a[i] for i in where], [b[i] for i in where]
        )
    return found


def _inverted(z: Integers, bits: Bits) -> Bits:
    """Return the complement, of each word that is a part of the bits by itself."""
    found: Bits = []
    while len(found) < len(bits):
        n, _ = _run_length(bits, len(found))
        number = number_of(z, bits[len(found) : len(found) + n], n)
        if number is None:
            found += [None] * n
        else:
            found += bits_of(z, z.sum(z.fixed(-1), number, -1), n)
    return found


def _of_both(z: Integers, kind: str, a: Bits, b: Bits) -> Bits:
    """Return a function of words of which no bit is a constant."""
    if kind == "$and" and (found := _masked(z, a, b)):
        return found
    found = []
    for pair in zip(a, b, strict=True):
        x, y = (number_of(z, [bit, 0], 2) for bit in pair)
        if x is None or y is None:
            found.append(None)
            continue
        one = z.product(x, y)
        if kind != "$and":
            one = z.sum(z.sum(x, y), z.times(1 if kind == "$or" else 2, one), -1)
        if kind == "$xnor":
            one = z.sum(z.fixed(1), one, -1)
        found += bits_of(z, z.number(one.exact, one.loose, (0, 1)), 1)
    return found


def _neighbours(places: Sequence[int]) -> Iterable[range]:
    """Return numbers, which rise, in ranges."""
    start = 0
    for i in range(1, len(places) + 1):
        if i == len(places) or places[i] != places[i - 1] + 1:
            yield range(places[start], places[i - 1] + 1)
            start = i


def _masked(z: Integers, a: Bits, b: Bits) -> Bits:
    """Return a word and a bit, given as often as the word has bits, as their product.

    Return no bits if there is no such bit.
    """
    for word, mask in ((a, b), (b, a)):
        if all(bit == mask[0] for bit in mask):
            x, y = number_of(z, [*word, 0], len(word) + 1), number_of(z, [mask[0], 0], 2)
            if x is not None and y is not None:
                return bits_of(z, z.product(x, y), len(word))
    return []


def clocked(cell: Cell, at: Mapping[str, Bits], before: Bits) -> Bits:
    """Return what a register has in the next cycle; raises UnknownCell."""
    found, p = at["D"], cell.parameters
    if cell.kind not in ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"):
        raise UnknownCell(f"there is no model of a register {cell.kind}")

    def active(port: str) -> Bit:
        bit = at[port][0]
        return bit if p[f"{port}_POLARITY"] else _not(bit)

    def reset(bits: Bits, port: str) -> Bits:
        value = p["SRST_VALUE" if port == "SRST" else "ARST_VALUE"]
        return _chosen(active(port), bits, [value >> i & 1 for i in range(len(bits))])

    if cell.kind == "$sdffce":
        return _chosen(active("EN"), before, reset(found, "SRST"))
    if "EN" in at:
        found = _chosen(active("EN"), before, found)
    for port in ("SRST", "ARST"):
        if port in at:
            found = reset(found, port)
    return found
