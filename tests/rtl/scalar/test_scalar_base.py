# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_base, held to its model: see window_cocotb.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.hdl.files import RTL
from tests.rtl.scalar.test_scalar_double import group
from tests.rtl.scalar.test_scalar_window import check, lint
from tests.rtl.scalar.window import Base

FILES = [RTL / "scalar" / f"ecsm_scalar_{name}.sv" for name in ("comb", "base")]
# Orders of six and of eight bits: every scalar. Combs as long as n, longer, and longer than chunks.
TOYS = [
    unit
    for n in (41, 61, 199)
    for columns, groups, chunk in (
        (1, 2, 1),
        (1, 3, 7),
        (2, 2, 3),
        (2, 3, 16),
        (1, 4, 5),
        (3, 2, 2),
    )
    if (unit := Base(n, columns, groups, chunk)).comb.teeth > 1
]
TOYS += [Base(13, 2, 2, 3, 4), Base(41, 1, 3, 7, 1)]  # scalars longer than n, as on Edwards curves
REAL = [
    Base(curve(name).n, columns, groups, 16)
    for name, columns, groups in (("P-256", 4, 8), ("P-256", 9, 4), ("secp256k1", 5, 6))
]
REAL += [Base(curve("edwards25519").n, 4, 8, 16, 3)]


def test_combs_of_every_shape() -> None:
    spare = {u.comb.bits - u.bits for u in (*TOYS, *REAL)}
    assert 0 in spare
    assert max(spare) > 1
    assert any(u.comb.bits > -(-(u.bits + 1) // u.chunk) * u.chunk for u in TOYS)


def test_every_scalar_of_toy_orders() -> None:
    check(TOYS, *FILES)


def test_the_standard_orders() -> None:
    check(REAL, *FILES)


@pytest.mark.parametrize("unit", [TOYS[0], TOYS[2], *REAL])
def test_elaborates_without_a_warning(unit: Base, tmp_path: Path) -> None:
    done = lint(group(unit), tmp_path, *FILES)
    assert done.returncode == 0, done.stderr


def test_a_comb_that_is_too_short_is_refused(tmp_path: Path) -> None:
    unit = TOYS[0]
    done = lint(group(unit).replace(".Teeth(3)", ".Teeth(2)"), tmp_path, *FILES)
    assert "the combs W + 1 bits" in done.stderr
