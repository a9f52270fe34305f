# SPDX-License-Identifier: Apache-2.0
"""Programs of units on numbers: right for every operand of a toy, in as many cycles for each."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.curves import Point, curve
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.narrow.assembler import Segment, TooManyValues, assemble
from ecsm.narrow.instruction import FLAGS, INSTR_BITS, Op
from ecsm.narrow.programs import Firmware, field_unit, point_unit
from ecsm.narrow.recorder import Recorder
from ecsm.narrow.units import UnknownUnit, unit

TOYS = [("toy5a", 2), ("toy5k", 1), ("toy7b", 3)]


def toy(name: str) -> BinaryCurve:
    found = curve(name)
    assert isinstance(found, BinaryCurve)
    return found


def pair(p: Point) -> tuple[int, int]:
    return (0, 0) if p is None else p


class Runs:
    """Run programs and gather how many cycles each took."""

    def __init__(self, firmware: Firmware) -> None:
        self.firmware = firmware
        self.cycles: dict[str, set[int]] = {}

    def __call__(self, name: str, *operands: int) -> tuple[tuple[int, ...], bool, bool]:
        """Return the results, whether a point was off the curve, whether the result is infinite."""
        f, run = self.firmware, self.firmware.run(name)
        model = f.model()
        for register, value in zip(run.needs, operands, strict=True):
            model.registers[register] = value
        taken, off, infinite = model.run(f.code, run.entry)
        self.cycles.setdefault(name, set()).add(taken)
        hidden = model.registers[len(f.registers) :]
        assert not any(hidden), f"{name} leaves {hidden}"
        assert not any(model.registers[r] for r in run.clears)
        return tuple(model.registers[r] for r in run.fills), off, infinite


@pytest.mark.parametrize(("name", "digit"), TOYS)
def test_field_programs_are_right_for_every_operand(name: str, digit: int) -> None:
    gf = toy(name).field
    run = Runs(field_unit(toy(name), digit))
    some = range(1 << gf.m) if gf.m < 6 else range(0, 1 << gf.m, 3)
    for a in some:
        assert run("square", a)[0] == (gf.sqr(a),)
        assert run("invert", a)[0] == (gf.inv(a) if a else 0,)
        for b in some:
            assert run("mul", a, b)[0] == (gf.mul(a, b),)
            assert run("add", a, b)[0] == (a ^ b,)
    assert all(len(cycles) == 1 for cycles in run.cycles.values()), run.cycles


@pytest.mark.parametrize(("name", "digit"), TOYS)
def test_point_programs_are_right_for_every_point(name: str, digit: int) -> None:
    c = toy(name)
    m = c.field.m
    run = Runs(point_unit(c, digit))
    every = list(c.points())
    some = every if m < 6 else [None, *random.Random(1).sample(every, 24)]
    for p in some:
        assert run("double", *pair(p)) == (pair(d := c.double(p)), False, d is None)
        for q in some:
            assert run("add", *pair(p), *pair(q)) == (pair(r := c.add(p, q)), False, r is None)
        for k in range(1 << m) if m < 6 else (0, 1, 2, 63, 64, 127):
            r = c.mul(k, p)
            assert run("multiply", *pair(p), k) == (pair(r), False, r is None)
    off = [
        (x, y) for x in range(1 << m) for y in range(1 << m)
        if (x, y) != (0, 0) and not c.contains((x, y))
    ]  # fmt: skip
    wrong = ((0, 0), True, False)
    for bad in off if m < 6 else off[::97]:
        assert run("double", *bad) == wrong
        assert run("multiply", *bad, 3) == wrong
        assert run("add", *bad, *c.generator) == run("add", *c.generator, *bad) == wrong
        assert run("add", *bad, 0, 0) == run("add", 0, 0, *bad) == wrong
    assert all(len(cycles) == 1 for cycles in run.cycles.values()), run.cycles


def test_instruction_has_its_bits() -> None:
    code = point_unit(toy("toy5a"), 2).code
    assert all(0 <= i.code < 1 << INSTR_BITS for i in code)
    assert len({i.code for i in code}) > 50


def test_a_product_that_is_not_waited_for_is_seen() -> None:
    firmware = field_unit(toy("toy5a"), 1)
    code = tuple(replace(i, wait=False) for i in firmware.code)
    assert Runs(replace(firmware, code=code))("mul", 3, 5)[0] != (toy("toy5a").field.mul(3, 5),)


def test_too_many_values_are_refused() -> None:
    f = Recorder(5)
    a, b = f.input("a"), f.input("b")
    for i in range(15):
        f.mul(f"v{i}", f.power("", a, i + 1), b)
    outputs = dict(enumerate((s.atom for s in f.steps if s.op is Op.MUL), 1))
    with pytest.raises(TooManyValues):
        assemble(Segment(f, {0: 0, 1: 1}, outputs, kept=(0,)), 1)


def test_too_many_flags_are_refused() -> None:
    f = Recorder(5)
    a = f.input("a")
    for i in range(FLAGS + 1):
        f.test(f"t{i}", f.power("", a, i + 1))
    total = f.const(0)
    for i in range(FLAGS + 1):
        total = total + f.select((f"t{i}", 0), f.power("", a, i + 20), f.const(0))
    with pytest.raises(TooManyValues):
        assemble(Segment(f, {0: 0}, {1: f.whole(total)}), 1)


@pytest.mark.parametrize(
    "name", ["field-9", "line-163", "point-P-256", "core-p256-small", "", "core"]
)
def test_unknown_units_are_refused(name: str) -> None:
    with pytest.raises(UnknownUnit):
        unit(name)
