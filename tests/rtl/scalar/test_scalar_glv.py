# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_glv, held to its model: see window_cocotb.py for what is asserted of the RTL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.endomorphism import WORD, Decomposition, decomposition, roots
from ecsm.hdl.files import RTL
from tests.rtl.scalar.test_scalar_window import check, lint, linted
from tests.rtl.scalar.window import Halves

FILE = RTL / "scalar" / "ecsm_scalar_glv.sv"
N = curve("secp256k1").n


def fits(n: int, lam: int, w: int, word: int) -> bool:
    try:
        return Decomposition(n, lam, w, word).point > 0
    except ValueError:
        return False


# Digits are right whether additions are safe or not: both roots of every order.
TOYS = [
    Halves(n, lam, w, word)
    for n in (151, 211)
    for lam in roots(n)
    for w, words in {2: (2, 3), 3: (3, 5)}.items()
    for word in words
    if fits(n, lam, w, word)
]
TOYS += [replace(t, in_dsp=0) for t in TOYS[:4]]
TOYS += [replace(t, upward=1) for t in TOYS[:8]]
REAL = [
    Halves(N, lam, w, word) for lam in roots(N) for w, word in ((4, 18), (5, 18), (5, 20), (6, 24))
]
REAL.append(replace(REAL[0], in_dsp=0))
REAL += [replace(u, upward=1) for u in REAL[:4]]


def test_every_scalar_of_toy_orders() -> None:
    check(TOYS, FILE)


def test_the_toys_have_every_shape() -> None:
    assert {t.model.columns for t in TOYS} >= {2, 3, 4}
    assert {t.model.point - t.model.columns for t in TOYS} >= {0, 1}
    assert len({t.model.parities(0) + t.model.parities(1) for t in TOYS}) >= 3


def test_the_standard_order() -> None:
    check(REAL, FILE)


def test_latency() -> None:
    """Tens of cycles with eight multipliers of 18 bits."""
    d = decomposition(N, 5)
    assert (d.word, d.columns, d.latency) == (WORD, 8, 66)


@pytest.mark.parametrize("unit", [TOYS[0], TOYS[-1], REAL[1]])
def test_elaborates_without_a_warning(unit: Halves, tmp_path: Path) -> None:
    done = lint(linted(unit), tmp_path, FILE)
    assert done.returncode == 0, done.stderr


def test_bad_parameters_are_refused(tmp_path: Path) -> None:
    unit = TOYS[0]
    point = unit.model.point
    for bad in (unit.model.columns - 1, unit.model.columns * 2):
        done = lint(linted(unit).replace(f".Point({point})", f".Point({bad})"), tmp_path, FILE)
        assert done.returncode != 0, bad
