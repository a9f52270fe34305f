# SPDX-License-Identifier: Apache-2.0
"""gf2m_linear, gf2m_halftrace and gf2m_reduce against the field model: see linear_cocotb.py."""

from __future__ import annotations

import json
import random

import pytest

from ecsm.curves.gf2m.field import BinaryField
from tests.rtl.cocotb_run import field_sources, run
from tests.rtl.gf2m.field_tops import Exponents, linear_top, reduce_top

MODULE = "tests.rtl.gf2m.linear_cocotb"


def check_matrices(m: int, matrices: list[list[int]], module: str = "gf2m_linear") -> None:
    case = {"m": m, "matrices": [[f"{c:x}" for c in columns] for columns in matrices]}
    text = linear_top(m, matrices, module)
    run(
        "linear_group", field_sources(), MODULE, text=text, env={"LINEAR_CASE": json.dumps(case)},
        optimise="-O0",
    )  # fmt: skip


def dense(m: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.getrandbits(m) for _ in range(m)]


@pytest.mark.parametrize("m", [1, 2, 5, 8, 9, 33])
def test_any_matrix(m: int) -> None:
    identity = [1 << j for j in range(m)]
    one_column = [0] * (m - 1) + [(1 << m) - 1]
    one_row = [1] * m
    check_matrices(m, [[0] * m, identity, one_column, one_row, dense(m, 1), dense(m, 2)])


@pytest.mark.parametrize(("m", "exponents"), [(163, (7, 6, 3, 0)), (233, (74, 0))])
def test_maps_of_a_standard_field(m: int, exponents: Exponents) -> None:
    field = BinaryField(m, exponents)
    constant = random.Random(3).getrandbits(m)
    maps = [
        field.sqr,
        lambda a: field.frob(a, 2),
        lambda a: field.frob(a, m // 2),
        field.sqrt,
        field.half_trace,
        lambda a: field.mul(a, constant),
    ]
    check_matrices(m, [*(field.matrix(f) for f in maps), dense(m, 4)])


@pytest.mark.parametrize(
    ("m", "exponents"), [(7, (1, 0)), (107, (9, 7, 4, 0)), (163, (7, 6, 3, 0))]
)
def test_the_half_trace(m: int, exponents: Exponents) -> None:
    field = BinaryField(m, exponents)
    halves = field.matrix(lambda a: field.half_trace(a) ^ field.trace(a))
    check_matrices(m, [halves, dense(m, 6)], "gf2m_halftrace")


@pytest.mark.slow
def test_maps_of_the_largest_field() -> None:
    field = BinaryField(571, (10, 5, 2, 0))
    check_matrices(571, [field.matrix(field.sqr), dense(571, 5)])


def test_every_standard_reduction() -> None:
    polynomials: list[tuple[int, Exponents]] = [
        (5, (2, 0)), (7, (1, 0)), (7, (6, 0)), (8, (4, 3, 1, 0)), (8, (7, 2, 1, 0)),
        (113, (9, 0)), (131, (8, 3, 2, 0)), (163, (7, 6, 3, 0)), (193, (15, 0)), (233, (74, 0)),
        (239, (158, 0)), (283, (12, 7, 5, 0)), (409, (87, 0)), (571, (10, 5, 2, 0)),
    ]  # fmt: skip
    cases = [
        (m, exponents, in_width)
        for m, exponents in polynomials
        for in_width in (m + 1, m + m // 2, 2 * m - 1, 2 * m)
    ]
    width = 2 * 571
    case = {"width": width, "reductions": cases}
    text = reduce_top(cases, width)
    run(
        "reduce_group", field_sources(), MODULE, text=text, env={"LINEAR_CASE": json.dumps(case)},
        optimise="-O0",
    )  # fmt: skip
