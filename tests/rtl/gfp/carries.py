# SPDX-License-Identifier: Apache-2.0
"""Which bits of a reduction can change, by its bounds, and inputs that make them change.

Up to the rounds of carries, everything in rtl/gfp/field/gfp_reduce.sv is a linear form of the words
of a product, and these are free between their bounds. So the least and the largest value of every
sum, partial sum and limb are known, and words that have them. Behind that, and in the adders,
intervals.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.curves.gfp.residues import Reduction, Residues, Round, signed_digits
from ecsm.curves.gfp.serial import shift_limit
from ecsm.presets.gfp import PrimePreset

DENSE = ("brainpoolP256r1",)  # primes without a sparse form
PART = 4  # numbers of a part: nodes of level 2 of gfp_add_tree.sv
EVERY = 4096  # numbers of a span, at most, to be multiplied one by one
Limbs = list[int]
Signals = dict[str, tuple[int, int]]  # by name: which bits change, and how many there are


def preset(curve: str) -> PrimePreset:
    """Return a preset whose units have no ranks of registers that they can do without."""
    kind = "montgomery" if curve in DENSE else "whole"
    return PrimePreset("unit", curve, kind=kind, ranks=())


@dataclass(frozen=True)
class Span:
    """The numbers least, least + 2^shift, ... up to ``most``."""

    least: int
    most: int
    shift: int = 0

    def __add__(self, other: Span) -> Span:
        """Sums of a number of each."""
        shift = min((s.shift for s in (self, other) if s.least < s.most), default=0)
        return Span(self.least + other.least, self.most + other.most, shift)

    def times(self, k: int) -> Span:
        """Return the products by k."""
        least, most = sorted((k * self.least, k * self.most))
        return Span(least, most, self.shift + zeros(k))

    def every(self) -> range:
        """Return the numbers."""
        return range(self.least, self.most + 1, 1 << self.shift)

    def above(self, bits: int) -> Span:
        """Return the numbers without their lowest bits."""
        return Span(self.least >> bits, self.most >> bits)

    def low(self, bits: int) -> Span:
        """Return those bits: any, if numbers differ above them."""
        ones = (1 << bits) - 1
        same = self.least >> bits == self.most >> bits
        return Span(self.least & ones, self.most & ones) if same else Span(0, ones)

    def changing(self, width: int) -> int:
        """Return the mask of the bits, of ``width``, that some of the numbers differ in.

        Negative numbers are by complement.
        """
        differ = width
        if (self.least < 0) == (self.most < 0):
            differ = min(width, (self.least ^ self.most).bit_length())
        return (1 << differ) - 1 & ~((1 << self.shift) - 1)


def differing(values: Sequence[int], width: int) -> int:
    """Return the mask of the bits, of ``width``, that some of the numbers differ in."""
    mask = 0
    for v in values:
        mask |= v ^ values[0]
    return mask & (1 << width) - 1


def signal(span: Span, width: int) -> tuple[int, int]:
    """Return which bits of a signal with these values change, and how many it has."""
    return span.changing(width), width


def zeros(v: int) -> int:
    """Return how often two divides v; 0 for 0."""
    return (v & -v).bit_length() - 1 if v else 0


@dataclass(frozen=True)
class Form:
    """A linear form of the words of a product, {word: coefficient}, and a constant."""

    terms: dict[int, int] = field(default_factory=dict)
    constant: int = 0

    def __add__(self, other: Form) -> Form:
        """Sum."""
        terms = dict(self.terms)
        for key, c in other.terms.items():
            terms[key] = terms.get(key, 0) + c
        return Form({key: c for key, c in terms.items() if c}, self.constant + other.constant)

    def __rmul__(self, k: int) -> Form:
        """Multiple."""
        return Form({key: k * c for key, c in self.terms.items()}, k * self.constant)


class Forms:
    """The forms of a reduction: parts of words, words, and limbs before the carries."""

    def __init__(self, r: Residues, d: Reduction) -> None:
        self.residues, self.reduction = r, d
        self.mask = (1 << r.word) - 1
        self.parts = [self._parts(i) for i in range(r.words)]
        self.words = [sum((s * form for s, form in parts), Form()) for parts in self.parts]
        pairs = [self.words[2 * k : 2 * k + 2] for k in range(r.limbs)]
        self.limbs = [sum(((1 << r.word * i) * w for i, w in enumerate(p)), Form()) for p in pairs]

    def _parts(self, i: int) -> list[tuple[int, Form]]:
        """Return word i in parts, (sign, form), its numbers in the order of gfp_reduce.sv."""
        d = self.reduction
        numbers = [(1, Form(constant=d.offset[i]))]
        for j, row in enumerate(d.rows):
            numbers += [(sign, Form({j: 1 << k})) for sign, k in signed_digits(row[i])]
        parts = []
        for n in range(0, len(numbers), PART):
            some = numbers[n : n + PART]
            sign = max(s for s, _ in some)  # -1 of what is only subtracted
            parts.append((sign, sum((sign * s * form for s, form in some), Form())))
        return parts

    def extreme(self, form: Form, sign: int) -> tuple[int, list[int]]:
        """Return the largest value of a form (sign 1), or the least (-1), and its cuts."""
        ends = (self.reduction.least, self.reduction.most)
        found = [ends[sign * form.terms.get(j, -sign) > 0][j] for j in range(self.reduction.words)]
        return self.value(form, found), found

    def span(self, form: Form) -> Span:
        """Return the values of a form."""
        shift = min(map(zeros, form.terms.values()), default=0)
        return Span(self.extreme(form, -1)[0], self.extreme(form, 1)[0], shift)

    def value(self, form: Form, cuts: Sequence[int]) -> int:
        """Return the value of a form."""
        return form.constant + sum(c * cuts[j] for j, c in form.terms.items())

    def with_low(self, cuts: Sequence[int], low: Sequence[int]) -> list[int]:
        """Return words whose limbs have these low bits, and about the same above them."""
        r, d = self.residues, self.reduction
        found = list(cuts)
        for k, form in enumerate(self.limbs):
            for c in range(r.weight(k) // r.word):  # each of the words that the limb has
                change = (low[k] - self.value(form, found) >> r.word * c) & self.mask
                found[2 * k + c] += change
                if found[2 * k + c] > d.most[2 * k + c]:
                    found[2 * k + c] -= self.mask + 1
        return found

    def signals(self) -> Signals:
        """Return everything in gfp_reduce.sv that adds up or carries, by its name there."""
        r, d = self.residues, self.reduction
        found: Signals = {}
        for i, parts in enumerate(self.parts):
            for n, (_, part) in enumerate(parts):
                name = f"gen_word[{i}].u_sum.gen_level[2].node[{n}]"
                found[name] = signal(self.span(part), d.word_bits)
            found[f"word[{i}]"] = signal(self.span(self.words[i]), d.word_bits)
        limbs = [self.span(form) for form in self.limbs]
        return found | rounds_signals(r, d.rounds, limbs, d.limb_bits)

    def directed(self, rng: random.Random, count: int) -> Iterator[list[int]]:
        """Yield words: of products of corners, extremes of every form, ``count`` random ones.

        Each comes also with all ones, with zero and with random bits in the limbs, so that what
        comes from below carries, or does not.
        """
        r, d = self.residues, self.reduction
        ones = [(1 << r.weight(k)) - 1 for k in range(r.limbs)]
        corners = [r.most, *(r.split(v) for v in (0, 1, r.p - 1, (1 << r.bits) - 1))]
        starts = [r.product_words(a, b)[: d.words] for a in corners for b in corners]
        for form in (*self.words, *self.limbs, *(f for p in self.parts for _, f in p)):
            starts += [self.extreme(form, sign)[1] for sign in (1, -1)]
        bounds = list(zip(d.least, d.most, strict=True))
        starts += [[rng.randint(*ends) for ends in bounds] for _ in range(count)]
        for cuts in starts:
            yield cuts
            for low in (ones, [0] * r.limbs, [rng.randrange(v + 1) for v in ones]):
                yield self.with_low(cuts, low)


def rounds_signals(
    r: Residues, rounds: Sequence[Round], limbs: list[Span], width: int, top: int = 0
) -> Signals:
    """Return limbs, and what gfp_carry.sv has inside, by their names.

    ``top``: bits that the highest limb keeps, if not those that it is worth.
    """
    kept = [*(r.weight(k) for k in range(r.limbs - 1)), top or r.weight(r.limbs - 1)]
    found = {f"limb[0][{k}]": signal(v, width) for k, v in enumerate(limbs)}
    for n, one in enumerate(rounds):
        where = f"gen_round[{n}].u_carry"
        over = [v.above(k) for v, k in zip(limbs, kept, strict=True)]
        found[f"{where}.h"] = signal(over[-1], width)
        for k in range(r.limbs):
            below = over[k - 1] if k else Span(0, 0)
            folded = over[-1].times(one.fold[k]) + Span(one.offset[k], one.offset[k])
            exact = one.fold[k] and over[-1].most < EVERY
            values = [one.fold[k] * h + one.offset[k] for h in over[-1].every()] if exact else []
            mask = differing(values, width) if exact else folded.changing(width)
            found[f"{where}.gen_limb[{k}].below"] = signal(below, width)
            found[f"{where}.gen_limb[{k}].folded"] = mask, width
            limbs[k] = limbs[k].low(kept[k]) + below + folded
        found |= {f"limb[{n + 1}][{k}]": signal(v, width) for k, v in enumerate(limbs)}
    return found


def sums_signals(r: Residues) -> Signals:
    """Return everything in gfp_add.sv that carries, by its name there."""
    return rounds_signals(r, r.carries[0], [Span(0, v) for v in r.most], r.operand)


def directed_sums(r: Residues, rng: random.Random, count: int) -> Iterator[Limbs]:
    """Yield operands: none, most, or some of the overflow and of the low bits of every limb."""

    def limb(k: int) -> int:
        over, low = (r.most[k] >> r.weight(k), (1 << r.weight(k)) - 1)
        high, rest = ((0, v, rng.randrange(v + 1))[rng.randrange(3)] for v in (over, low))
        return high << r.weight(k) | rest

    yield from ([0] * r.limbs, r.most)
    for v in (1, r.p - 1, r.p, (1 << r.bits) - 1):
        yield r.split(v)
    for _ in range(count):
        yield [limb(k) for k in range(r.limbs)]


def montgomery_signals(r: Montgomery) -> Signals:
    """Return everything in gfp_mul_montgomery.sv that adds up or carries, by its name there."""
    mask = (1 << r.step) - 1
    multiple, prime = r.split(r.multiple), r.split(r.p)
    acc = most = [0] * r.limbs
    for digit in r.digit_limits():
        acc = shift_limit(acc, r.limb, r.step)
        acc = [v + digit * x + mask * c for v, x, c in zip(acc, r.most, multiple, strict=True)]
        most = [max(pair) for pair in zip(most, acc, strict=True)]
    last = [v + mask * c for v, c in zip(acc, prime, strict=True)]
    most = [max(pair) for pair in zip(most, last, strict=True)]
    shifted = [Span(0, v) for v in shift_limit(most, r.limb, r.step)]
    found = dict.fromkeys(("q", "quotient_q"), (mask, r.step))
    for k, (m, c) in enumerate(zip(multiple, prime, strict=True)):
        found[f"gen_limb[{k}].multiple"] = signal(
            Span(0, mask * max(m, c), zeros(m | c)), r.limb + r.step
        )
        found[f"acc_q[{k}]"] = signal(Span(0, most[k]), r.accumulator)
    plain = [Round(r, (0,) * r.limbs, (0,) * r.limbs)] * r.rounds
    return found | rounds_signals(r, plain, shifted, r.accumulator, r.accumulator)


def table_signals(r: Montgomery) -> Signals:
    """Return everything in gfp_add_table.sv that carries, by its name there; of one round."""
    over = [v >> r.weight(k) for k, v in enumerate(r.most)]
    entries = [r.split((h << r.word * r.words) % r.p) for h in range(over[-1] + 1)]
    found = {"h": signal(Span(0, over[-1]), r.headroom)}
    for k, column in enumerate(zip(*entries, strict=True)):
        entry = Span(min(column), max(column))
        below = Span(0, over[k - 1] if k else 0)
        found[f"entry[{k}]"] = differing(column, r.limb), r.limb
        total = Span(0, (1 << r.weight(k)) - 1) + below + entry
        found[f"carried[{k}]"] = signal(total, r.register)
    return found


def canon_signals(
    limbs: int, limb: int, bits: int, store: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return what gfp_canon.sv hands from limb to limb of ``bits``, kept in ``store``; its sign."""
    carry = most = 1  # of a subtraction
    for k in range(limbs - 1):
        carry = ((1 << bits) - 1 + (carry if k else 0)) >> limb
        most = max(most, carry)
    return signal(Span(0, most), store - limb + 1), (1, 1)
