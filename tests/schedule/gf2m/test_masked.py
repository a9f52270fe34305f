# SPDX-License-Identifier: Apache-2.0
"""Masked ladders: every scalar with several masks, and the rule for operands next to each other."""

from __future__ import annotations

import copy
import dataclasses
import random
from contextlib import suppress
from itertools import product

import pytest

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design
from ecsm.curves.gf2m.masked import MORE_BITS, recode_masked
from ecsm.formulas.gf2m.graph import Graph, Kind
from ecsm.presets.gf2m import Protect
from ecsm.presets.table import PRESETS, is_toy
from ecsm.schedule.gf2m.machine import Streams, masked, run
from ecsm.schedule.gf2m.verify import verify
from ecsm.schedule.program import Result
from ecsm.schedule.types import Schedule, ScheduleError

TOYS = [n for n, p in PRESETS.items() if p.protect is Protect.FULL and is_toy(p)]
every_toy = pytest.mark.parametrize("name", TOYS)


def streams(d: BinaryDesign, k: int, roles: int, factor: int) -> Streams:
    """Return the streams of a job with these masks."""
    assert d.graph.random is not None
    return masked(k, d.preset.curve, d.schedule.variables[d.graph.random], roles, factor)


def answer(d: BinaryDesign, s: Streams, point: tuple[int, int] | None) -> Result:
    """Run one job."""
    return run(d.microcode, d.preset.curve.field, d.preset.units, s, point)


@every_toy
def test_every_scalar_with_several_masks(name: str) -> None:
    d = binary_design(name)
    c, m, rng = d.preset.curve, d.preset.m, random.Random(name)
    ones = (1 << m + MORE_BITS) - 1
    masks = [(0, 1), (ones, (1 << m) - 1), (rng.getrandbits(m + MORE_BITS), rng.getrandbits(m) | 1)]
    for k in range(1 << m):
        right = Result(c.mul(k, c.generator))
        for mask in masks:
            assert answer(d, streams(d, k, *mask), c.generator) == right, (k, mask)


@every_toy
def test_every_point_and_what_is_none(name: str) -> None:
    d = binary_design(name)
    c, m, rng = d.preset.curve, d.preset.m, random.Random(name)
    off = next((x, 1) for x in range(1, c.q) if not c.contains((x, 1)))
    for point in [*c.points(), off]:
        for k in (0, c.n - 1, rng.getrandbits(m)):
            s = streams(d, k, rng.getrandbits(m + MORE_BITS), rng.getrandbits(m) | 1)
            want = Result(None, False) if point == off else Result(c.mul(k, point))
            assert answer(d, s, point) == want, (k, point)


@every_toy
def test_a_wrong_role_is_a_wrong_answer(name: str) -> None:
    """A role that keys were not masked with is another scalar's, so the masks are in use."""
    d = binary_design(name)
    c, m = d.preset.curve, d.preset.m
    s = streams(d, 5, (1 << m) // 3, 1)
    for i in range(1, len(s.roles) - 1):
        roles = [role ^ (i == j) for j, role in enumerate(s.roles)]
        with suppress(ValueError):  # the answer is not on the curve
            found = answer(d, dataclasses.replace(s, roles=roles), c.generator)
            assert found.point != c.mul(5, c.generator), f"role {i}"


def test_streams_of_a_scalar_differ_by_the_roles_alone() -> None:
    c = binary_design(TOYS[0]).preset.curve
    rng = random.Random(1)
    m = c.field.m
    seen = set()
    for _ in range(20):
        s = masked(77, c, 4, rng.getrandbits(m + MORE_BITS), 1)
        assert len(s.keys) == len(s.roles) == m + 5
        assert not s.keys[0] | s.roles[0] | s.roles[-1]
        own = [False, *s.roles[:-1]]  # the role of each step is the next one of the step before
        assert [a ^ b for a, b in zip(s.keys, own, strict=True)][1:] == recode_masked(77, c)
        seen.add(tuple(s.keys))
    assert len(seen) == 20


def changed(s: Schedule, part: str, atom: int, other: int) -> Schedule:
    """Return a schedule with an operation's operands exchanged, or two operations."""
    found = copy.deepcopy(s)
    slots = found.slots[part]
    slots[atom], slots[other] = slots[other], slots[atom]
    if atom == other:
        slots[atom] = dataclasses.replace(slots[atom], swap=not slots[atom].swap)
    return found


def refusal(graph: Graph, s: Schedule, d: BinaryDesign) -> str:
    """Return why the walk refuses a schedule; nothing if it does not."""
    try:
        verify(graph, s, d.preset.units)
    except ScheduleError as e:
        return str(e)
    return ""


@every_toy
def test_no_operand_of_the_key_is_next_to_its_candidate(name: str) -> None:
    """Exchange operands or products: some changes break nothing but this rule, and are refused."""
    d = binary_design(name)
    assert not refusal(d.graph, d.schedule, d)
    plain = dataclasses.replace(d.graph, random=None)  # the same program, without the rule
    found = set[str]()
    for part, segment in (("body", d.graph.body), ("tail", d.graph.tail)):
        products = [op.atom for op in segment.ops if op.kind is Kind.PRODUCT][:8]
        for atom, other in product(products, products):
            if atom > other:
                continue
            s = changed(d.schedule, part, atom, other)
            if not refusal(plain, s, d):
                found.add(refusal(d.graph, s, d).partition(" is ")[2])
    assert found - {""} == {"next to a candidate of its operand"}
