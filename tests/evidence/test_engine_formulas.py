# SPDX-License-Identifier: Apache-2.0
"""The formulas on symbols, against the curve on numbers."""

from __future__ import annotations

import random

import pytest

from ecsm.curves.gf2m.masked import recode
from ecsm.evidence.engine import formulas as engine_formulas
from ecsm.evidence.engine.formulas import Formulas
from ecsm.evidence.engine.job import Request
from ecsm.evidence.engine.netlist import Core
from ecsm.evidence.engine.values import AllZero, Cases, Value
from ecsm.formulas.gf2m.ladder import Ladder
from ecsm.presets.gf2m import Preset
from ecsm.presets.table import binary_preset

Vector = tuple[Value, ...]


class Numbers:
    """Values of symbols in one job, found from what the symbols stand for."""

    def __init__(self, f: Formulas, request: Request, k: int, x: int, y: int) -> None:
        self.f = f
        self.symbol = {0: 1}  # by bit
        self.made = {made[0]: pair for pair, (_, made) in f.products.items()}
        self.named = {name[0]: value for value, (_, name) in f.names.items()}
        for bits, number in ((f.x.bits, x), (f.y.bits, y)):
            self._set(bits, number)
        keys = recode(k, f.m)
        for bit, key in zip(request.key, keys, strict=True):
            self.symbol[bit.bit_length() - 1] = int(key)
        for name, bit in request.flag.items():
            self.request_bit(bit, name)
        for bit in (*request.op, *request.high["x"], *request.high["y"], request.infinity):
            self.symbol[bit.bit_length() - 1] = 0

    def request_bit(self, bit: int, name: str) -> None:
        self.symbol[bit.bit_length() - 1] = self.bit(self.f.tests[name])

    def _set(self, bits: Vector, number: int) -> None:
        for i, bit in enumerate(bits):
            assert isinstance(bit, int)
            self.symbol[bit.bit_length() - 1] = number >> i & 1

    def number(self, bits: Vector) -> int:
        return sum(self.bit(bit) << i for i, bit in enumerate(bits))

    def bit(self, value: Value) -> int:
        if isinstance(value, Cases):
            return self.bit(value.high if self.bit(value.bit) else value.low)
        if isinstance(value, AllZero):
            return value.zero ^ any(self.bit(form) for form in value.forms)
        assert value is not None
        total = 0
        while value:
            place = value.bit_length() - 1
            value ^= 1 << place
            if place not in self.symbol:
                self._find(place)
            total ^= self.symbol[place]
        return total

    def _find(self, place: int) -> None:
        """Find the element that a symbol belongs to."""
        first = place - (place - self.f.first) % self.f.m
        bits = tuple(1 << first + i for i in range(self.f.m))
        if bits[0] in self.named:
            self._set(bits, self.number(self.named[bits[0]]))
            return
        pair = list(self.made[bits[0]])
        self._set(bits, self.f.gf.mul(self.number(pair[0]), self.number(pair[-1])))


def all_steps(p: Preset, monkeypatch: pytest.MonkeyPatch) -> tuple[Formulas, Request]:
    """Run the formulas to their end; nothing is forgotten."""
    monkeypatch.setattr(engine_formulas, "BEFORE", 100)
    core = Core({"req_op_i": range(4)}, {}, [], [], [], [])
    request = Request(p, core)
    ladder = Ladder(p.curve.a, p.curve.b, p.z_roots)
    f = Formulas(p.curve.field, ladder, request.space, request.condition, p.ahead)
    while f.advance():
        pass
    assert f.step == f.m
    return f, request


@pytest.mark.parametrize("name", ["toy7-fast", "toy8-ahead", "toy5-squarer", "toy7-cascade"])
def test_the_answer_is_the_multiple(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    p, rng = binary_preset(name), random.Random(1)
    f, request = all_steps(p, monkeypatch)
    assert f.result is not None
    points = [(x, y) for x in range(1 << f.m) for y in range(1 << f.m) if p.curve.contains((x, y))]
    kinds = set()
    for _ in range(120):
        k, point = rng.getrandbits(f.m), rng.choice(points)
        want = p.multiple(k, point)
        numbers = Numbers(f, request, k, *point)
        got = tuple(numbers.number(e.bits) for e in f.result)
        affine, negate = numbers.bit(request.affine), numbers.bit(request.negate)
        assert (got if affine else None) == want
        assert got == (want or (0, 0))
        kinds.add((affine, negate))
    assert {(0, 0), (1, 0)} <= kinds


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-cascade"])
def test_a_symbol_is_of_one_element(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, _ = all_steps(binary_preset(name), monkeypatch)
    elements = {made for _, made in f.products.values()} | {n for _, n in f.names.values()}
    assert len({e[0] for e in elements} | {f.x.bits[0], f.y.bits[0]}) == len(elements) + 2
    for pair, (_, made) in f.products.items():
        a, b = list(pair) if len(pair) == 2 else list(pair) * 2
        assert f.product(a, b) == f.product(b, a) == made


def test_a_product_with_a_constant_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    p = binary_preset("toy7-fast")
    f, request = all_steps(p, monkeypatch)
    gf, numbers = p.curve.field, Numbers(f, request, 5, *next(iter_points(p)))
    x = numbers.number(f.x.bits)
    for c in (0, 1, 2, 77):
        linear = f.linear(f.x.bits, f.const(c).bits)
        assert linear is not None
        assert numbers.number(linear) == gf.mul(c, x)
    guarded = f.select(("key", 0), f.const(3), f.const(6))
    linear = f.linear(guarded.bits, f.x.bits)
    assert linear is not None
    assert numbers.number(linear) == gf.mul(3 if recode(5, f.m)[0] else 6, x)
    assert f.linear(f.select(("key", 0), f.const(3), f.y).bits, f.x.bits) is None
    assert f.product(f.x.bits, f.x.bits) is None


def iter_points(p: Preset):  # type: ignore[no-untyped-def]
    size = 1 << p.m
    return ((x, y) for x in range(1, size) for y in range(size) if p.curve.contains((x, y)))


def test_symbols_are_used_again_only_when_nothing_has_them() -> None:
    p = binary_preset("toy7-fast")
    core = Core({"req_op_i": range(4)}, {}, [], [], [], [])
    request = Request(p, core)
    ladder = Ladder(p.curve.a, p.curve.b, p.z_roots)
    f = Formulas(p.curve.field, ladder, request.space, request.condition, p.ahead)
    kept = f.atom().bits
    f.roots = lambda: kept
    for _ in range(100):
        assert not {f.atom().bits[0]} & {kept[0], f.x.bits[0], f.y.bits[0]}
    assert f.size < 100
