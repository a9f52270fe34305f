# SPDX-License-Identifier: Apache-2.0
"""Cases for a core and what it must answer, from oracles independent of the core."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ecsm.curves import BinaryCurve, Curve, Point
from ecsm.curves.gfp.curve25519 import CURVE25519
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.weierstrass import PrimeFieldCurve, square_root
from ecsm.curves.gfp.xline import XLine
from ecsm.oracle import libcrypto, rawkeys
from ecsm.presets.gfp_table import AnyPreset
from ecsm.status import Status

OP_KP = 0
OP_UNKNOWN = 1  # an operation that no core has


class OracleMismatch(RuntimeError):
    """Two oracles disagree: one of them is wrong, and no core can be judged by them."""


@dataclass(frozen=True)
class Case:
    """One request: the values of the core's ports. Coordinates may be no field elements."""

    name: str
    k: int
    x: int
    y: int
    infinity: bool = False
    op: int = OP_KP


@dataclass(frozen=True)
class Answer:
    """What must come back; ``point`` is None for infinity and for every error."""

    status: Status
    point: Point = None

    @property
    def infinity(self) -> bool:
        """Whether the answer is the point at infinity."""
        return self.status is Status.OK and self.point is None


def _case(name: str, k: int, point: Point) -> Case:
    x, y = point or (0, 0)
    return Case(name, k, x, y, point is None)


def edge_cases(p: AnyPreset) -> list[Case]:
    """Return every kind of input there is, secrets' extremes first; always the same list."""
    curve, m, n = p.curve, p.scalar_bits, p.curve.n
    rng = random.Random(f"ecsm edge cases {curve.name}")
    g = curve.generator
    top = (1 << m) - 1
    scalars = [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("n - 1", n - 1), ("n", n), ("n + 1", n + 1),
               ("2^(m-1)", 1 << (m - 1)), ("2^m - 1", top)]  # fmt: skip
    cases = [_case(f"k = {text}, P = G", k, g) for text, k in scalars]
    cases += [_case(f"k = random {i}, P = G", rng.getrandbits(m), g) for i in range(4)]
    for i in range(3):
        point = curve.mul(rng.randrange(1, n), g)
        cases.append(_case(f"k = random, P = random {i}", rng.getrandbits(m), point))
    cases += [_case("k = 0, P = infinity", 0, None), _case("k = 2^m - 1, P = infinity", top, None)]
    ports = (1 << p.coordinate_bits) - 1
    cases.append(Case("P = infinity with coordinates all ones", n - 1, ports, ports, True))
    if isinstance(curve, BinaryCurve):
        cases += _low_order_cases(curve, top)
    if isinstance(curve, EdwardsCurve):
        cases += _torsion_cases(curve, top)
    if isinstance(curve, XLine):
        cases += _x_cases(curve, top, ports)
    if p.double:
        cases += _double_cases(curve, rng)
    return cases + _bad_cases(p, rng)


def _double_cases(curve: Curve, rng: random.Random) -> list[Case]:
    """Return aG + bP where the two are infinity, equal, opposite, or ends of their range."""
    n, g, bits = curve.n, curve.generator, curve.n.bit_length()
    a, b, m = (rng.randrange(1, n) for _ in range(3))
    point, top = curve.mul(m, g), (1 << bits) - 1
    rows = [
        ("b = 0", a, 0, point), ("b = n", a, n, point), ("a = n", n, b, point),
        ("a = b = 0", 0, 0, point), ("a = b = n", n, n, point),
        ("a = b = 2^m - 1", top, top, point),
        ("P = infinity", a, b, None), ("P = infinity, a = n", n, b, None),
        ("P = G", a, b, g), ("P = -G", a, b, curve.neg(g)), ("aG = bP, P = G", a, a, g),
        ("aG = -bP, P = G", a, n - a, g), ("aG = -bP, P = -G", a, a, curve.neg(g)),
        ("aG = bP", m * b % n, b, point), ("aG = -bP", -m * b % n, b, point),
    ]  # fmt: skip
    return [_case(f"aG + bP: {name}", a << bits | b, q) for name, a, b, q in rows]


def _low_order_cases(curve: BinaryCurve, top: int) -> list[Case]:
    two = (0, curve.field.sqrt(curve.b))  # the one point of order two
    cases = [_case(f"k = {k}, P of order two (x = 0)", k, two) for k in (0, 1, 2, 3)]
    cases.append(_case("k = 2^m - 1, P of order two (x = 0)", top, two))
    if four := curve.lift_x(curve.field.sqrt(two[1])):  # x^4 = b, where the curve has one
        cases += [_case(f"k = {k}, P of order four", k, four) for k in (1, 2, 3, 4)]
    mixed = curve.add(curve.generator, two)
    names = (("n", curve.n), ("n + 1", curve.n + 1))
    return cases + [_case(f"k = {text}, P of order 2n", k, mixed) for text, k in names]


def _torsion_cases(curve: EdwardsCurve, top: int) -> list[Case]:
    """Return cases with points of order 1, 2, 4, and of twice the prime order."""
    two = (0, curve.p - 1)
    small = [("1", (0, 1)), ("2", two), ("4", (square_root(curve.p - 1, curve.p) or 0, 0))]
    mixed = [("2n", curve.add(curve.generator, two))]
    scalars = (0, 1, 2, 3, 4, curve.n, curve.n + 1, top)
    return [
        _case(f"k = {k}, P of order {text}", k, point)
        for text, point in [*small, *mixed]
        for k in scalars
    ]


def _x_cases(curve: XLine, top: int, ports: int) -> list[Case]:
    """Return the x of points of low order, of the twist, and x that are not reduced."""
    xs = [0, 1, curve.p - 1, curve.p, curve.p + 1, (1 << curve.bits) - 1, 1 << curve.bits, ports]
    twist = next(x for x in range(2, curve.p) if square_root(curve.square(x), curve.p) is None)
    found = [*(x for x in xs if x <= ports), twist]
    return [_case(f"x = {x:#x}, k = {k:#x}", k, (x, 0)) for x in found for k in (0, top // 3, top)]


def _bad_cases(p: AnyPreset, rng: random.Random) -> list[Case]:
    curve = p.curve
    x, y = curve.generator
    off = next(v for v in range(1, curve.q) if not curve.contains((x, y ^ v)) and y ^ v < curve.q)
    k = rng.getrandbits(p.scalar_bits)
    cases = [
        Case("point not on the curve", k, x, y ^ off),
        Case("point not on the curve, k = 0", 0, x, y ^ off),
        Case("point (0, 0)", k, 0, 0),
    ]
    if isinstance(curve, PrimeFieldCurve):
        most = (1 << curve.p.bit_length()) - 1
        cases += [
            Case("x = p", k, curve.p, y),
            Case("y = p", k, x, curve.p),
            Case("x + p for x", k, x + curve.p, y) if x + curve.p <= most else
            Case("x all ones", k, most, y),
            Case("y all ones, k = 0", 0, x, most),
        ]  # fmt: skip
    if p.coordinate_bits > p.field_bits:
        high, highest = 1 << p.field_bits, 1 << (p.coordinate_bits - 1)
        cases += [
            Case("x out of range", k, x | high, y),
            Case("y out of range", k, x, y | highest),
            Case("x and y out of range, k = 0", 0, x | highest, y | high),
        ]
    return [*cases, Case("unknown operation", k, x, y, op=OP_UNKNOWN)]


def thinned(cases: list[Case], count: int) -> list[Case]:
    """Return so many of the cases, a few more at most, the last one among them."""
    return [*cases[: -1 : max(1, len(cases) // count)], cases[-1]]


def random_cases(p: AnyPreset, count: int) -> Iterator[Case]:
    """Yield random scalars with random points of the whole curve; always the same ones.

    A core that takes points of odd order only has three of those for any other.
    """
    rng = random.Random(f"ecsm random cases {p.curve.name}")
    for i in range(count):
        point = None
        while point is None:
            point = p.curve.lift_x(rng.getrandbits(p.field_bits) % p.curve.q)
        chosen = p.curve.neg(point) if rng.getrandbits(1) else point
        if p.odd_order and i % 4:
            chosen = p.curve.double(chosen)
        yield _case(f"random case {i}", rng.getrandbits(p.scalar_bits), chosen)


class Oracle:
    """Answers cases for one preset: the checks by their definition, kP by an independent oracle.

    kP, or aG + bP, comes from OpenSSL's libcrypto where the system has it and it has the curve,
    otherwise from the affine textbook formulas; ``name`` says which. Points of small order always
    take the textbook, because libcrypto errs on some (:mod:`ecsm.oracle.libcrypto`). With ``both``
    every answer is computed with either and compared.
    """

    def __init__(self, p: AnyPreset, both: bool = False) -> None:
        self._preset = p
        self._both = both
        c = p.curve  # an x-line is no group to libcrypto, but has a function of its own
        self._libcrypto = libcrypto.available() if c == CURVE25519 else libcrypto.knows(c.name)
        self.name = libcrypto.version() if self._libcrypto else "textbook affine formulas"

    def answer(self, case: Case) -> Answer:
        """Return what the core must answer; raises :class:`OracleMismatch`."""
        curve = self._preset.curve
        if case.op != OP_KP:
            return Answer(Status.UNSUPPORTED)
        if case.infinity:
            return Answer(Status.OK, self._kp(case.name, case.k, None))
        if not curve.in_range(case.x, case.y):
            return Answer(Status.COORDINATE_OUT_OF_RANGE)
        if not curve.contains((case.x, case.y)):
            return Answer(Status.POINT_NOT_ON_CURVE)
        if self._preset.odd_order and curve.mul(curve.n, (case.x, case.y)):
            return Answer(Status.LOW_ORDER_POINT)
        return Answer(Status.OK, self._kp(case.name, case.k, (case.x, case.y)))

    def _kp(self, name: str, k: int, point: Point) -> Point:
        p, curve = self._preset, self._preset.curve
        if not self._libcrypto or (point is None and not p.double) or self._small(point):
            return p.multiple(k, point)
        if isinstance(curve, XLine):
            assert point is not None
            octets = (v.to_bytes(curve.octets, "little") for v in (k, point[0]))
            result: Point = curve.decode(rawkeys.x25519(*octets))
        elif p.double:
            a, b = divmod(k, 1 << p.scalar_bits // 2)
            result = libcrypto.double_kp(curve.name, a, b, point)
        else:
            result = libcrypto.kp(curve.name, k, point)
        if self._both and p.multiple(k, point) != result:
            raise OracleMismatch(f"{curve.name}, {name}: libcrypto and the textbook disagree")
        return result

    def _small(self, point: Point) -> bool:
        """Whether the point's order divides the cofactor; infinity's is not looked at."""
        curve = self._preset.curve
        if point is None:
            return False
        if isinstance(curve, XLine):
            return curve.multiple(curve.h, point) == (0, 0)
        return curve.mul(curve.h, point) is None
