# SPDX-License-Identifier: Apache-2.0
"""Multipliers are proven at full width, and wrong ones are not."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from ecsm.evidence.gates import Function, Gates, UnknownCell, ordered, read
from ecsm.evidence.multiplier import NETLISTS, check, netlist, prove, seeded
from ecsm.evidence.polynomials import Polynomial
from ecsm.presets.table import PRESETS, RECOMMENDED, binary_preset
from ecsm.progress import Progress

WIDE = 163  # bits above which a proof takes a minute or more
TOYS = ("toy7-fast", "toy7-small", "toy7-ahead", "toy5-serial", "toy9-four", "toy9-balanced")


def widest() -> list[object]:
    """Return a recommended preset for each multiplier that they have; the largest are slow."""
    found: dict[object, str] = {}
    for name in RECOMMENDED:
        if p := PRESETS.get(name):
            found.setdefault((p.curve.field.poly, p.multiplier, p.ahead), name)
    return [
        pytest.param(n, marks=pytest.mark.slow) if binary_preset(n).m > WIDE else n
        for n in found.values()
    ]


def gates(name: str, kind: str = "ecp5") -> Gates:
    with Progress() as tell:
        return netlist(binary_preset(name), kind, tell)


@pytest.mark.parametrize("kind", NETLISTS)
@pytest.mark.parametrize("name", [*TOYS, *widest()])
def test_every_product_is_right(name: str, kind: str) -> None:
    with Progress() as tell:
        proof = prove(binary_preset(name), kind, tell)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (5, 5)


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small"])
def test_any_inverted_function_is_found(name: str) -> None:
    p, found = binary_preset(name), gates(name)
    assert check(p, found) == ""
    for i, f in enumerate(found.functions):
        table = tuple(1 - bit for bit in f.table)
        assert check(p, found.changed(i, Function(f.output, f.inputs, table)))


def test_a_register_less_is_found() -> None:
    """A path is a cycle shorter: something unknown reaches the product."""
    p, found = binary_preset("toy7-ahead"), gates("toy7-ahead")
    assert found.registers
    for q, d in found.registers.items():
        less = {other: net for other, net in found.registers.items() if other != q}
        functions = ordered([*found.functions, Function(q, (d,), (0, 1))])
        assert check(p, replace(found, registers=less, functions=functions))


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small", "toy7-ahead"])
def test_a_register_more_is_found(name: str) -> None:
    p, found = binary_preset(name), gates(name)
    for bit in range(p.m):
        nets = list(found.ports["p_o"])
        registers = {**found.registers, -1000: nets[bit]}
        nets[bit] = -1000
        assert check(p, replace(found, registers=registers, ports={**found.ports, "p_o": nets}))


def test_another_field_or_schedule_is_refused() -> None:
    found = gates("toy7-fast")
    other = next(
        p for p in PRESETS.values()
        if p.m == 7 and p.multiplier.latency(7) != binary_preset("toy7-fast").multiplier.latency(7)
    )  # fmt: skip
    assert check(other, found)


def test_a_multiplier_that_is_not_cleared_is_found() -> None:
    """Without the clear, what the registers had before reaches the product or stays."""
    p, found = binary_preset("toy7-small"), gates("toy7-small", "rtl")
    clear = found.ports["clear_i"][0]
    never = [
        replace(f, inputs=tuple("0" if n == clear else n for n in f.inputs))
        for f in found.functions
    ]
    assert "not clear" in check(p, replace(found, functions=never)) or check(
        p, replace(found, functions=never)
    )


@pytest.mark.parametrize("kind", NETLISTS)
def test_the_netlist_runs_as_the_field_on_numbers(kind: str) -> None:
    """All operands of a toy as constants: the models of cells, without any symbol."""
    p = binary_preset("toy5-serial")
    found, gf = gates("toy5-serial", kind), p.curve.field
    one, zero = Polynomial(5, 1), Polynomial(5)
    due = 1 + int(p.ahead) + p.multiplier.latency(5) - 1

    def bits(x: int) -> list[Polynomial]:
        return [Polynomial(5, x >> i & 1) for i in range(5)]

    for a, b in product(range(0, 32, 3), range(32)):
        cycles = [
            {"clear_i": [one if t == 0 else zero], "start_i": [one if t == 1 + p.ahead else zero],
             "a_i": bits(a), "b_i": bits(b)}
            for t in range(due + 1)
        ]  # fmt: skip
        got = found.port("p_o", found.run(5, cycles)[due])
        assert got == bits(gf.mul(a, b))


def test_seeded_faults_are_as_many_as_asked_for_and_differ() -> None:
    found = gates("toy7-fast")
    faults = seeded(found, 7)
    assert len({tuple(f.functions) for f in faults}) == 7
    assert all(f.functions != found.functions for f in faults)
    every = seeded(found, len(found.functions) + 1)
    assert len({tuple(f.functions) for f in every}) == len(every) == len(found.functions)


def test_a_cell_without_a_model_is_refused() -> None:
    cell = {"type": "MULT18X18D", "parameters": {}, "connections": {}}
    with pytest.raises(UnknownCell, match="MULT18X18D"):
        read({"cells": {"m": cell}, "ports": {}})
