# SPDX-License-Identifier: Apache-2.0
"""The curve model and the system's libcrypto against each other, and libcrypto's error paths."""

from __future__ import annotations

import random
from types import ModuleType

import pytest

from ecsm.curves import SEC2_CURVES, BinaryCurve, curve
from ecsm.hdl.vectors import Case, Oracle
from ecsm.oracle import libcrypto as oracle
from ecsm.presets import preset

every_curve = pytest.mark.parametrize("c", SEC2_CURVES, ids=lambda c: c.name)


@every_curve
def test_boundary_scalars_agree(c: BinaryCurve, libcrypto: ModuleType) -> None:
    for k in (0, 1, 2, c.n - 1, c.n, c.n + 1, c.n * c.h - 1, c.n * c.h + 1):
        assert libcrypto.kp(c.name, k, c.generator) == c.mul(k, c.generator), k


@every_curve
def test_random_scalars_and_points_agree(c: BinaryCurve, libcrypto: ModuleType) -> None:
    rng = random.Random(c.name)
    for _ in range(5):
        point = None
        while point is None:
            point = c.lift_x(rng.getrandbits(c.field.m))
        k = rng.getrandbits(c.field.m + 8)
        assert libcrypto.kp(c.name, k, point) == c.mul(k, point), (k, point)


@every_curve
def test_infinity_and_order_two_agree(c: BinaryCurve, libcrypto: ModuleType) -> None:
    two = (0, c.field.sqrt(c.b))
    for k in range(4):
        assert libcrypto.kp(c.name, k, None) is None
        assert libcrypto.kp(c.name, k, two) == c.mul(k, two)


def test_alias_is_accepted(libcrypto: ModuleType) -> None:
    assert libcrypto.group_params("b-163") == libcrypto.group_params("sect163r2")


def test_a_curve_it_does_not_know_takes_the_textbook(
    libcrypto: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert libcrypto.own_name("secp192r1") == "prime192v1"
    p = preset("p256-small")
    assert Oracle(p).name == libcrypto.version()
    monkeypatch.setattr(libcrypto, "_OTHER_NAMES", {})
    assert not libcrypto.knows("secp256r1")
    assert Oracle(p).name == "textbook affine formulas"
    g = p.curve.generator
    assert Oracle(p).answer(Case("5G", 5, *g)).point == p.curve.mul(5, g)


def test_version_names_the_library(libcrypto: ModuleType) -> None:
    assert libcrypto.version().startswith("OpenSSL ")


@pytest.mark.parametrize("name", ["toy7a", "nonsense"])
def test_a_curve_it_does_not_have_is_refused(name: str, libcrypto: ModuleType) -> None:
    with pytest.raises(libcrypto.OracleError, match=name):
        libcrypto.kp(name, 1, None)


@pytest.mark.parametrize(
    ("k", "point", "reason"),
    [
        (1, (1, 1), "not on curve"),
        (1, (1 << 163, 0), "outside the field"),
        (1, (-1, 0), "outside the field"),
        (-1, None, "negative"),
    ],
)
def test_bad_input_is_refused(
    k: int, point: tuple[int, int] | None, reason: str, libcrypto: ModuleType
) -> None:
    with pytest.raises(libcrypto.OracleError, match=reason):
        libcrypto.kp("sect163r2", k, point)
    with pytest.raises(libcrypto.OracleError, match=reason):
        libcrypto.double_kp("sect163r2", 5, k, point)
    with pytest.raises(libcrypto.OracleError, match="negative"):
        libcrypto.double_kp("sect163r2", -1, 1, None)


def test_two_scalars_agree(libcrypto: ModuleType) -> None:
    c, rng = curve("P-256"), random.Random(5)
    g, n = c.generator, c.n
    point = c.mul(rng.randrange(n), g)
    for a, b in ((0, 0), (5, 0), (0, 5), (n, 7), (7, n), (rng.randrange(n), rng.randrange(n))):
        for q in (point, g, c.neg(g), None):
            want = c.add(c.mul(a, g), c.mul(b, q))
            assert libcrypto.double_kp(c.name, a, b, q) == want, (a, b, q)
    assert libcrypto.double_kp(c.name, 9, n - 9, g) is None


def test_a_missing_library_is_said_once_and_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "_load", lambda: None)
    with pytest.raises(oracle.OracleError, match="install libssl3"):
        oracle.version()
