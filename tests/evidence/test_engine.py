# SPDX-License-Identifier: Apache-2.0
"""Whole engines over GF(2^m) are proven to answer as the formulas say, and wrong ones are not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import pytest

from ecsm.cores.store import binary_design
from ecsm.evidence.engine import faults
from ecsm.evidence.engine.formulas import Formulas
from ecsm.evidence.engine.job import Job
from ecsm.evidence.engine.maps import check_maps
from ecsm.evidence.engine.netlist import Core, Register, WrongBox, core, netlist
from ecsm.evidence.engine.prove import check, prove_engine, restarts
from ecsm.evidence.engine.run import Outside, Run, Vector
from ecsm.evidence.engine.values import Space, Value
from ecsm.evidence.gates import Function
from ecsm.hdl.engines.gf2m import multiplier_parameters
from ecsm.presets.gf2m import Preset
from ecsm.presets.table import PRESETS, RECOMMENDED, binary_preset, is_toy
from ecsm.progress import Progress
from ecsm.status import Status

WIDE = [n for n in RECOMMENDED if n in PRESETS and PRESETS[n].m <= 163 and n != "b163-small"]
TOYS = [name for name, p in PRESETS.items() if is_toy(p) and not p.protected]


@lru_cache(maxsize=4)
def engine(name: str) -> Core:
    with Progress() as tell:
        return netlist(binary_design(name), tell)


@pytest.mark.parametrize("name", TOYS)
def test_an_engine_answers_as_the_formulas_say(name: str) -> None:
    with Progress() as tell:
        proof = prove_engine(binary_preset(name), tell, 6)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (6, 6)
    assert proof.holds


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("b163-small", marks=pytest.mark.full),
        *(pytest.param(name, marks=pytest.mark.slow) for name in WIDE),
    ],
)
def test_an_engine_of_full_size(name: str) -> None:
    with Progress() as tell:
        proof = prove_engine(binary_preset(name), tell)
    assert proof.wrong == ""
    assert proof.found == proof.faults >= 3


KINDS = {
    "data": (faults.data_gates, faults._gate),
    "word": (faults.word_bits, faults._word),
    "key": (faults.key_gates, faults._key),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small", "toy8-ahead"])
def test_faults_of_every_kind_are_found(name: str, kind: str) -> None:
    """A gate of the data path, a bit of a word, a choice by a bit of the scalar."""
    d, c, rng = binary_design(name), engine(name), random.Random(1)
    find, make = KINDS[kind]
    places = find(d, c)
    assert len(places) > 20
    for place in rng.sample(places, 10):
        fault = make(c, place, rng)
        assert check(d, fault.core), fault.what


def test_seeded_faults_are_of_three_kinds() -> None:
    found = list(faults.seeded(binary_design("toy7-fast"), engine("toy7-fast"), 6))
    kinds = ("inverted added", "0 for 1", "opposite bit")
    for i, fault in enumerate(found):
        assert any(word in fault.what for word in kinds[i % 3].split()), fault.what
    assert len({fault.what for fault in found}) == 6


def wired(c: Core, name: str, bit: int, value: str) -> Core:
    """Return a netlist in which what reads a signal of the engine sees a constant."""
    net = c.engine(name)[bit]
    functions = [
        replace(f, inputs=tuple(value if n == net else n for n in f.inputs)) for f in c.functions
    ]
    registers = [replace(r, d=value if r.d == net else r.d) for r in c.registers]
    return replace(c, functions=functions, registers=registers)


@pytest.mark.parametrize(
    ("signal", "value", "message"),
    [
        ("u_front.flag_q", "1", "rsp_"),  # one of the tests does not matter
        ("u_front.infinity_q", "0", "rsp_"),
        ("u_front.unsupported_q", "0", "rsp_status_o"),
        ("u_front.range_q", "0", "rsp_"),
        ("u_front.tag_q", "0", "rsp_tag_o"),
        ("u_front.done_q", "0", "rsp_"),
        ("u_gates.negate_i", "0", "rsp_"),
        ("u_gates.affine_i", "1", "rsp_"),
        ("gen_none.u_scalar.bits_q", "0", "formulas"),
    ],
)
def test_a_signal_that_is_stuck_is_found(signal: str, value: str, message: str) -> None:
    c = engine("toy7-fast")
    assert message in check(binary_design("toy7-fast"), wired(c, signal, 0, value))


def test_data_at_the_ports_before_the_answer_is_found() -> None:
    c = engine("toy7-fast")
    ports = {**c.ports, "rsp_x_o": [*c.engine("u_regfile.gen_reg[2].data_q"), "0"]}
    assert "before the answer" in check(binary_design("toy7-fast"), replace(c, ports=ports))


def test_registers_that_are_not_cleared_are_found() -> None:
    never = wired(engine("toy7-fast"), "u_regfile.clear_i", 0, "0")
    assert "not clear" in check(binary_design("toy7-fast"), never)


def test_an_answer_that_does_not_stay_is_found() -> None:
    """It is dropped in the cycle in which it is there."""
    c = engine("toy7-fast")
    (respond,) = c.engine("u_front.respond")
    functions = [f for f in c.functions if f.output != respond]
    functions.append(Function(respond, tuple(c.ports["rsp_valid_o"]), (0, 1)))
    drops = replace(c, functions=functions)
    assert "does not stay" in check(binary_design("toy7-fast"), drops)


def test_a_register_less_is_found() -> None:
    """The enable of a term comes a cycle early."""
    d, c = binary_design("toy7-small"), engine("toy7-small")
    enables = set(c.engine("enable"))
    early = next(r for r in c.registers if r.q in enables)
    registers = [r for r in c.registers if r is not early]
    functions = [*c.functions, Function(early.q, (early.d,), (0, 1))]
    assert check(d, replace(c, registers=registers, functions=functions))


def test_a_register_more_is_found() -> None:
    """A bit of the scalar, or of a register of the file, comes a cycle late."""
    d, c = binary_design("toy7-small"), engine("toy7-small")
    for name in ("gen_none.u_scalar.bits_q", "u_regfile.gen_reg[2].data_q"):
        late = c.engine(name)[-1]
        registers = [replace(r, q=-9) if r.q == late else r for r in c.registers]
        assert check(d, replace(c, registers=[*registers, Register(late, -9)]))


def test_a_program_of_another_curve_or_length_is_refused() -> None:
    c, d = engine("toy7-fast"), binary_design("toy7-fast")
    other = replace(d.preset, curve_name="toy7k")
    assert check(replace(d, preset=other), c)
    longer = replace(
        d.microcode,
        words=[*d.microcode.words, d.microcode.words[-1]],
        repeat=[*d.microcode.repeat, 0],
    )
    assert "rsp_valid_o" in check(replace(d, microcode=longer), c)


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small", "toy9-four", "toy8-ahead"])
def test_maps_are_the_matrices_of_the_field(name: str) -> None:
    d, c = binary_design(name), engine(name)
    assert check_maps(d, c) == ""
    places = [i for (i,) in faults.data_gates(d, c) if c.functions[i].table == (0, 1, 1, 0)]
    for i in random.Random(1).sample(places, 10):
        f = c.functions[i]
        dropped = Function(f.output, f.inputs, (0, 1, 0, 1))
        assert "is another map" in check_maps(d, c.with_function(i, dropped))


def test_a_multiplier_that_the_proof_is_not_of_is_refused() -> None:
    d = binary_design("toy7-fast")
    parameters = dict.fromkeys(multiplier_parameters(d.preset), "0")
    cell = {"type": "gf2m_mul", "parameters": parameters, "connections": {}}
    with pytest.raises(WrongBox, match="M is 0, not 7"):
        core({"cells": {"m": cell}, "ports": {}, "netnames": {}}, d)


def test_a_start_of_a_serial_multiplier_needs_no_clear() -> None:
    with Progress() as tell:
        assert restarts(binary_preset("toy7-small"), tell) == ""
        assert restarts(binary_preset("toy7-fast"), tell) == ""


@pytest.mark.parametrize("signal", ["start", "clear"])
def test_a_serial_multiplier_that_is_disturbed_has_no_product(signal: str) -> None:
    d, c = binary_design("toy7-small"), engine("toy7-small")
    (box,) = c.boxes
    boxes = [replace(box, start="1") if signal == "start" else replace(box, clear="1")]
    assert check(d, replace(c, boxes=boxes))


def bits(number: int, width: int) -> Vector:
    return tuple(number >> i & 1 for i in range(width))


def numbers(vector: Sequence[Value]) -> int:
    assert all(bit in (0, 1) for bit in vector)
    return sum(bit << i for i, bit in enumerate(vector) if isinstance(bit, int))


def answer(p: Preset, c: Core, k: int, point: tuple[int, int]) -> tuple[int, ...]:
    """Run a job on numbers: no symbol is there."""
    m, gf = p.m, p.curve.field

    def multiply(unit: int, start: Value, a: Vector, b: Vector) -> Vector | None:
        known = all(bit in (0, 1) for bit in (*a, *b))
        return bits(gf.mul(numbers(a), numbers(b)), m) if known else None

    job = Job(binary_design(p.name), c)
    serial = p.multiplier.kind == "serial"
    delay = p.multiplier.latency(m) - 1 + int(p.ahead)
    run = job.run = Run(c, Space(0), Outside(multiply, delay, not serial, lambda value, _: value))
    job.to_ready()
    octets = p.coordinate_bits
    ports = {"req_valid_i": (1, 1), "req_op_i": (0, 4), "req_x_i": (point[0], octets),
             "req_y_i": (point[1], octets), "req_scalar_i": (k, m), "req_infinity_i": (0, 1),
             "req_tag_i": (5, 8)}  # fmt: skip
    for name, (number, width) in ports.items():
        run.drive(name, bits(number, width))
    for _ in range(binary_design(p.name).microcode.cycles):
        run.settle()
        run.clock()
        run.drive("req_valid_i", [0])
    run.settle()
    names = ("valid", "status", "infinity", "x", "y", "tag")
    return tuple(numbers(run.port(f"rsp_{name}_o")) for name in names)


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small", "toy8-ahead", "toy7-two"])
def test_the_netlist_runs_as_the_curve_on_numbers(name: str) -> None:
    """The models of cells and of time, without any symbol."""
    p, c, rng = binary_preset(name), engine(name), random.Random(1)
    size = 1 << p.m
    points = [(x, y) for x in range(size) for y in range(size) if p.curve.contains((x, y))]
    for _ in range(6):
        k, point = rng.randrange(size), rng.choice(points)
        want = p.multiple(k, point)
        x, y = want or (0, 0)
        assert answer(p, c, k, point) == (1, Status.OK, int(want is None), x, y, 5)
    off = next((x, y) for x in range(size) for y in range(size) if not p.curve.contains((x, y)))
    assert answer(p, c, 3, off) == (1, Status.POINT_NOT_ON_CURVE, 0, 0, 0, 5)


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small", "toy8-ahead", "toy9-balanced"])
def test_symbols_that_are_never_used_again_prove_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And symbols that are used again as soon as they can be."""

    def more(f: Formulas) -> None:
        f.free = [f.size]
        f.size += 1

    sweep = Formulas._sweep

    def at_once(f: Formulas) -> None:
        sweep(f)
        f.free = f.free[:1]

    for way in (more, at_once):
        monkeypatch.setattr(Formulas, "_sweep", way)
        assert check(binary_design(name), engine(name)) == ""
