# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_double and its comb, held to their model: see window_cocotb.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.endomorphism import roots
from ecsm.hdl.files import RTL
from tests.rtl.scalar.test_scalar_window import check, lint
from tests.rtl.scalar.window import Base, Double, unit_top

NAMES = ("comb", "double", "window", "glv")
FILES = [RTL / "scalar" / f"ecsm_scalar_{name}.sv" for name in NAMES]
N = curve("secp256k1").n
# Orders of six bits: every pair of scalars. Chunks that divide a + n or not, or are longer.
TOYS = [
    unit
    for n, w in ((41, 2), (59, 2), (41, 3), (61, 4))
    for groups, chunk in ((1, 1), (1, 7), (2, 3), (3, 16))
    if (unit := Double(n, w, groups, chunk, 0, 0)).comb.teeth > 1
]
HALVES = [Double(n, 2, groups, 5, roots(n)[0], word) for n in (199, 211) for groups, word in
          ((1, 3), (2, 3))]  # fmt: skip
REAL = [
    Double(curve("P-256").n, 5, 1, 16, 0, 0),
    Double(curve("P-384").n, 5, 1, 16, 0, 0),
    Double(N, 5, 2, 16, roots(N)[0], 18),
]


def test_combs_of_every_shape() -> None:
    assert {u.groups for u in TOYS} == {1, 2, 3}
    assert {u.comb.teeth for u in TOYS} >= {2, 3, 4}
    assert {u.comb.bits - u.n.bit_length() for u in (*TOYS, *REAL)} >= {1, 2}  # 1 is the least


def test_every_pair_of_scalars_of_toy_orders() -> None:
    check(TOYS, *FILES)


def test_halves_of_toy_orders() -> None:
    check(HALVES, *FILES)


def test_the_standard_orders() -> None:
    check(REAL, *FILES)


def test_the_comb_is_ready_before_b() -> None:
    for unit in REAL:
        assert unit.comb.latency(unit.chunk) < unit.b.latency == unit.latency


def group(unit: Double | Base) -> str:
    """Return the top with this unit, without what looks inside."""
    lines = unit_top([unit]).splitlines(keepends=True)
    text = "".join(line for line in lines if "busy_o[0]" not in line)
    return text.replace("module unit_group", "module linted").replace(
        "output logic [0:0] negate_o,\n  output logic [0:0] busy_o", "output logic [0:0] negate_o"
    )


@pytest.mark.parametrize("unit", [TOYS[0], TOYS[2], HALVES[-1], *REAL])
def test_elaborates_without_a_warning(unit: Double, tmp_path: Path) -> None:
    done = lint(group(unit), tmp_path, *FILES)
    assert done.returncode == 0, done.stderr


def test_a_comb_that_is_too_short_is_refused(tmp_path: Path) -> None:
    unit = TOYS[0]
    done = lint(group(unit).replace(".Teeth(3)", ".Teeth(2)"), tmp_path, *FILES)
    assert "the combs W + 1 bits" in done.stderr
