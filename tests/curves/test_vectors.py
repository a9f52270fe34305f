# SPDX-License-Identifier: Apache-2.0
"""The curve model against published vectors."""

from __future__ import annotations

import pytest

from ecsm.curves import SEC2_CURVES, SEC2_PRIME_CURVES, BinaryCurve, Curve
from tests import vectors

NIST_CURVES = [c for c in SEC2_CURVES if c.aliases]
NIST_PRIME_CURVES = [c for c in SEC2_PRIME_CURVES if c.aliases]
every_nist_curve = pytest.mark.parametrize(
    "c", [*NIST_CURVES, *NIST_PRIME_CURVES], ids=lambda c: c.name
)


@pytest.mark.parametrize("standard", ["FIPS_186-3", "FIPS_186-2"])
@every_nist_curve
def test_cavp_key_pairs(c: Curve, standard: str) -> None:
    pairs = [p for p in vectors.key_pairs(standard) if p.curve == c]
    assert len(pairs) == 10
    for pair in pairs[: 10 if c.octets < 50 else 3]:
        assert c.mul(pair.d, c.generator) == pair.public


@every_nist_curve
def test_cavp_public_key_validation(c: Curve) -> None:
    cases = [v for v in vectors.key_validations() if v.curve == c]
    assert len(cases) == 12
    for case in cases:
        assert c.contains(case.public) == case.valid, case.reason


@pytest.mark.parametrize("c", NIST_CURVES, ids=lambda c: c.name)
def test_cavp_public_keys_with_an_added_point_of_order_two(c: BinaryCurve) -> None:
    # On the Koblitz curves they are on the curve with n*Q not infinity, as meant. On the others
    # the file's points are not even on the curve.
    cases = [v for v in vectors.key_validations("FIPS_186-2") if v.curve == c]
    added = [v.public for v in cases if "order 2" in v.reason]
    assert len(added) == 4
    for public in added:
        assert c.contains(public) == (c.b == 1)
        assert c.b != 1 or c.mul(c.n, public) == (0, 1)


@pytest.mark.parametrize(
    ("file", "count"),
    [
        pytest.param("evppkey_kas.txt", 250, id="cavp-ecc-cdh"),
        pytest.param("evppkey_ecdh.txt", 36, id="openssl-ecdh"),
        pytest.param("evppkey_ecc.txt", 84, id="openssl-low-order"),
    ],
)
def test_shared_secrets(file: str, count: int) -> None:
    cases = vectors.derive_cases(file)
    if cases is None:
        pytest.skip(vectors.OPENSSL_HINT)
    assert len(cases) == count
    for case in cases[:: count // 36]:
        point = case.curve.mul(case.k, case.peer)
        assert (None if point is None else point[0]) == case.shared, case.name


@pytest.mark.slow
def test_all_cavp_shared_secrets() -> None:
    cases = vectors.derive_cases("evppkey_kas.txt")
    if cases is None:
        pytest.skip(vectors.OPENSSL_HINT)
    for case in cases:
        point = case.curve.mul(case.k, case.peer)
        assert point is not None, case.name
        assert point[0] == case.shared, case.name


def test_an_unknown_standard_is_refused() -> None:
    with pytest.raises(ValueError, match="standard must be one of"):
        vectors.key_pairs("FIPS_186-9")


def test_a_missing_file_gives_no_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_VECTORS", "no-such-folder")
    assert vectors.derive_cases("evppkey_kas.txt") is None
