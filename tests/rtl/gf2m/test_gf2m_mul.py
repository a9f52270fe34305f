# SPDX-License-Identifier: Apache-2.0
"""gf2m_mul in every architecture: see mul_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from tests.rtl.cocotb_run import field_sources, run
from tests.rtl.gf2m.field_tops import Mul, MulGroup, mul_top

F163 = (163, (7, 6, 3, 0))
F233 = (233, (74, 0))


def small(m: int, exponents: tuple[int, ...], count: int = 0) -> MulGroup:
    """Return every kind with every parameter over a small field."""
    digits, stages = range(1, m + 1), range(1, 5)
    serial = [Mul("serial", digit=d) for d in digits]
    segmented = [Mul("segmented", digit=d, stages=s) for d in digits for s in stages]
    karatsuba = [Mul("karatsuba", depth=d, stages=s) for d in range(5) for s in stages]
    karatsuba += [
        Mul("karatsuba", depth=d, stages=s, height=h)
        for d in range(1, 5)
        for s in (2, 3)
        for h in range(1, d + 1)
    ]
    registered = [
        *(Mul("serial", digit=d, operand_reg=True) for d in (1, 2, m)),
        *(Mul("segmented", digit=2, stages=s, operand_reg=True) for s in stages),
        *(Mul("karatsuba", depth=d, stages=s, operand_reg=True) for d in range(4) for s in stages),
    ]
    return MulGroup(m, exponents, (*serial, *segmented, *karatsuba, *registered), count)


def check(group: MulGroup, optimise: str = "-O1") -> None:
    run(
        "mul_group",
        field_sources(),
        "tests.rtl.gf2m.mul_cocotb",
        text=mul_top(group),
        env={"MUL_GROUP": group.to_json()},
        optimise=optimise,
    )


@pytest.mark.parametrize(
    ("m", "exponents"),
    [(5, (2, 0)), (7, (1, 0))],
    ids=["5", "7"],
)
def test_every_pair_in_every_architecture(m: int, exponents: tuple[int, ...]) -> None:
    check(small(m, exponents))


@pytest.mark.parametrize(
    ("m", "exponents"),
    [(7, (6, 0)), (8, (4, 3, 1, 0)), (9, (4, 0))],
    ids=["7-two-top-terms", "8", "9"],
)
def test_every_architecture_on_random_pairs(m: int, exponents: tuple[int, ...]) -> None:
    check(small(m, exponents, count=400))


@pytest.mark.parametrize("field", [F163, F233], ids=["163", "233"])
@pytest.mark.parametrize("kind", ["serial", "segmented", "karatsuba"])
def test_standard_fields(field: tuple[int, tuple[int, ...]], kind: str) -> None:
    m, exponents = field
    muls = {
        "serial": [Mul("serial", digit=d) for d in (1, 13, 16, 82, m)],
        "segmented": [
            Mul("segmented", digit=d, stages=s) for d, s in ((14, 2), (m, 1), (82, 3), (32, 4))
        ],
        "karatsuba": [
            Mul("karatsuba", depth=d, stages=s, height=h)
            for d, s, h in (
                (0, 1, 0),
                (1, 2, 0),
                (2, 3, 1),
                (3, 1, 0),
                (3, 2, 2),
                (3, 4, 0),
                (4, 2, 0),
                (4, 3, 2),
            )
        ]
        + [Mul("karatsuba", depth=3, stages=2, height=3, operand_reg=True)],
    }[kind]
    check(MulGroup(m, exponents, tuple(muls), count=20 if kind == "serial" else 300), "-O0")


@pytest.mark.slow
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("field", [F163, F233], ids=["163", "233"])
def test_standard_fields_in_every_parallel_architecture(
    field: tuple[int, tuple[int, ...]], stages: int
) -> None:
    m, exponents = field
    segmented = [Mul("segmented", digit=d, stages=stages) for d in (1, 14, 41, m)]
    karatsuba = [Mul("karatsuba", depth=d, stages=stages) for d in range(6)]
    check(MulGroup(m, exponents, (*segmented, *karatsuba), count=1000), "-O0")


@pytest.mark.slow
def test_the_largest_field() -> None:
    muls = (Mul("serial", digit=64), Mul("segmented", digit=72, stages=2))
    karatsuba = tuple(Mul("karatsuba", depth=d, stages=s) for d, s in ((4, 2), (5, 4)))
    check(MulGroup(571, (10, 5, 2, 0), (*muls, *karatsuba), count=200), "-O0")


@pytest.mark.slow
@pytest.mark.parametrize("field", [F163, F233], ids=["163", "233"])
def test_standard_fields_with_many_digits(field: tuple[int, tuple[int, ...]]) -> None:
    m, exponents = field
    digits = (1, 2, 3, 4, 7, 8, 14, 16, 24, 32, 33, 41, 54, 55, 64, 81, 100, m - 1, m)
    check(MulGroup(m, exponents, tuple(Mul("serial", digit=d) for d in digits), count=300), "-O0")
