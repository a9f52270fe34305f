# SPDX-License-Identifier: Apache-2.0
"""ECDSA through the RTL: RFC 6979, CAVP, Wycheproof, a model, every refusal."""

import hashlib
import random

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import any_preset
from ecsm.schemes.machine import NARROW
from ecsm.status import (
    CoordinateOutOfRange,
    NoKey,
    PointNotOnCurve,
    SignatureInvalid,
)
from tests import signatures
from tests.rtl.symmetric.model import HmacDrbg
from tests.schemes.checks import verify
from tests.schemes.conftest import DRAWN, SEED, curve_name, hashes
from tests.schemes.model import Model

D = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468
WYCHEPROOF = {
    "secp224r1": "sha256", "secp256r1": "sha256", "secp256k1": "sha256",
    "secp384r1": "sha384", "secp521r1": "sha512",
}  # fmt: skip
"""The hash of Wycheproof's signatures on a curve."""


def key(model: Model) -> int:
    """A private key of full length."""
    return D * D * D % model.curve.n


def published(name: str) -> list[signatures.Signature]:
    """Return RFC 6979's signatures of a machine's hashes."""
    curve = any_preset(name).curve
    return [v for v in signatures.rfc6979(curve) if v.digest in hashes(name)]


def cavp(name: str) -> list[signatures.Signature]:
    """Return CAVP's signatures of a machine's hashes."""
    return list(signatures.cavp(any_preset(name).curve, *hashes(name)))


@pytest.mark.only(device=published)
def test_published_nonces(fresh: SchemeDevice, model: Model) -> None:
    """RFC 6979, appendix A.2, of the hashes that the machine has."""
    for v in published(fresh.machine.name):
        assert v.d is not None
        fresh.run("load", model.scalar(v.d))
        signed = fresh.run(f"sign-{v.digest}", v.hashed).strings
        assert signed == (model.scalar(v.r), model.scalar(v.s)), v.name
        fresh.run(f"verify-{v.digest}", *model.public(v.d), v.hashed, *signed)


@pytest.mark.only(lambda given: given["digest"] in hashes(given["device"]))
@pytest.mark.parametrize("digest", NARROW)
def test_sign_and_verify(fresh: SchemeDevice, model: Model, digest: str) -> None:
    """The model signs alike; what is altered is refused. Cycles do not depend on key or message."""
    d, n = key(model), model.curve.n
    hashed = hashlib.new(digest, b"a message").digest()
    fresh.run("load", model.scalar(d))
    signed = fresh.run(f"sign-{digest}", hashed)
    assert signed.strings == model.sign(d, hashed, digest)
    public = model.public(d)
    assert fresh.run("public").strings == public
    fresh.run(f"verify-{digest}", *public, hashed, *signed.strings)
    r, s = signed.strings
    other = hashlib.new(digest, b"another").digest()
    wrong = [
        (*public, other, r, s),
        (*public, hashed, s, r),
        (*public, hashed, r, model.scalar(n - int.from_bytes(s, "big") ^ 1)),
        (*model.public(d + 1), hashed, r, s),
        (*public, bytes(len(hashed)), r, s),  # of which u1 is 0
        *((*public, hashed, v, s) for v in map(model.scalar, (0, n))),
        *((*public, hashed, r, v) for v in map(model.scalar, (0, n))),
        (*public, hashed, r, b"\xff" * len(s)),
    ]
    for strings in wrong:
        with pytest.raises(SignatureInvalid):
            fresh.run(f"verify-{digest}", *strings)


def test_equal_products(fresh: SchemeDevice, model: Model) -> None:
    """u1 G = u2 Q, and u1 G = -u2 Q: signatures that only the key's owner can make."""
    n = model.curve.n
    for d in range(1, 40):
        k = key(model) + d
        r, _ = (int.from_bytes(v, "big") % n for v in model.public(k))
        for e in (r * d % n, -r * d % n):  # u1 = e / s and u2 d = r d / s
            hashed = _digest_of(model, e)
            if hashed is None:
                continue
            s = pow(k, -1, n) * (e + r * d) % n
            strings = (*model.public(d), hashed, model.scalar(r), model.scalar(s or 1))
            if e == r * d % n:
                fresh.run("verify-sha256", *strings)
                return
            with pytest.raises(SignatureInvalid):
                fresh.run("verify-sha256", *strings)


def _digest_of(model: Model, e: int) -> bytes | None:
    """Return a string of SHA-256's length that stands for e, if there is one."""
    bits = model.curve.n.bit_length()
    value = e << 256 - bits if bits < 256 else e
    return value.to_bytes(32, "big") if value < 1 << 256 else None


def test_zero_digest(fresh: SchemeDevice, model: Model) -> None:
    """A digest of 0: u1 is 0, and the sum is u2 Q."""
    d = key(model)
    fresh.run("load", model.scalar(d))
    signed = fresh.run("sign-sha256", bytes(32)).strings
    assert signed == model.sign(d, bytes(32), "sha256")
    fresh.run("verify-sha256", *model.public(d), bytes(32), *signed)


@DRAWN
def test_hedged(fresh: SchemeDevice, model: Model) -> None:
    """With flag 1 random octets join the seed: those of the generator in test mode."""
    d, hashed = key(model), hashlib.sha256(b"hedged").digest()
    fresh.run("load", model.scalar(d))
    plain = fresh.run("sign-sha256", hashed)
    signed = fresh.run("sign-sha256", hashed, flags=1)
    drbg = HmacDrbg("sha256", SEED)
    assert signed.strings == model.sign(d, hashed, "sha256", model.draw(drbg, 32))
    assert signed.strings != plain.strings
    fresh.run("verify-sha256", *model.public(d), hashed, *signed.strings)


def test_cycles(fresh: SchemeDevice, model: Model) -> None:
    """As many for every key and message of which as many nonces are rejected."""
    rng, counts, n = random.Random(1), dict[int, set[int]](), model.curve.n
    for d in (1, 2, n - 1, n // 2, *(rng.randrange(1, n) for _ in range(4))):
        hashed = hashlib.sha256(rng.randbytes(8)).digest()
        fresh.run("load", model.scalar(d))
        signed = fresh.run("sign-sha256", hashed)
        assert signed.strings == model.sign(d, hashed, "sha256")
        counts.setdefault(model.rejected(d, hashed, "sha256"), set()).add(signed.cycles)
    assert all(len(found) == 1 for found in counts.values()), counts


def test_refusals(fresh: SchemeDevice, model: Model) -> None:
    """No key; public keys that are none."""
    hashed, one = hashlib.sha256(b"").digest(), model.scalar(1)
    with pytest.raises(NoKey):
        fresh.run("sign-sha256", hashed)
    x, y = model.public(5)
    with pytest.raises(CoordinateOutOfRange):
        fresh.run("verify-sha256", b"\xff" * len(x), y, hashed, one, one)
    with pytest.raises(PointNotOnCurve):
        fresh.run("verify-sha256", x, bytes(len(y) - 1) + b"\x07", hashed, one, one)


@pytest.mark.only(device=lambda name: cavp(name))
def test_cavp(fresh: SchemeDevice, model: Model) -> None:
    """CAVP's verifications, FIPS 186-3: changed messages, keys, r and s among them."""
    verify(fresh, model, cavp(fresh.machine.name))


@pytest.mark.only(device=lambda name: WYCHEPROOF.get(curve_name(name)) in hashes(name))
def test_wycheproof(fresh: SchemeDevice, model: Model) -> None:
    """Wycheproof's with the hash of the curve: the invalid ones, and every tenth of the others."""
    todo = list(signatures.wycheproof(model.curve, WYCHEPROOF[model.curve.name]))
    bad = [v for v in todo if not v.valid]
    verify(fresh, model, [*bad, *[v for v in todo if v.valid][::10]])
