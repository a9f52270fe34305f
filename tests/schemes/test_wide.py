# SPDX-License-Identifier: Apache-2.0
"""Machines with SHA-384 and SHA-512: signatures, agreement, encryption on larger curves."""

import hashlib
import hmac
from collections.abc import Iterator

import pytest

from ecsm.cores.store import design
from ecsm.curves import Curve
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import preset
from ecsm.schemes.machine import WIDE
from ecsm.status import AuthenticationFailed, SignatureInvalid
from tests import signatures
from tests.schemes.checks import verify
from tests.schemes.conftest import SEED
from tests.schemes.model import Model, ctr, xor

pytestmark = pytest.mark.slow
PRESETS = ("p384-fast", "p384-verify", "p521-fast", "k409")


@pytest.fixture(scope="module", params=PRESETS)
def wide(request: pytest.FixtureRequest) -> Iterator[tuple[SchemeDevice, Model]]:
    """A device in test mode, and the model of its curve."""
    with SchemeDevice(request.param, wide=True) as device:
        device.samples(SEED)
        device.run("seed-test")
        yield device, Model(design(request.param).preset.curve)


def _published(curve: Curve) -> list[signatures.Signature]:
    """Return RFC 6979's signatures of the machine's hashes."""
    return [v for v in signatures.rfc6979(curve) if v.digest in WIDE]


@pytest.mark.only(wide=lambda name: _published(preset(name).curve))
def test_published_nonces(wide: tuple[SchemeDevice, Model]) -> None:
    device, model = wide
    for v in _published(model.curve):
        assert v.d is not None
        device.run("load", model.scalar(v.d))
        signed = device.run(f"sign-{v.digest}", v.hashed).strings
        assert signed == (model.scalar(v.r), model.scalar(v.s)), v.name
        device.run(f"verify-{v.digest}", *model.public(v.d), v.hashed, *signed)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_slots(wide: tuple[SchemeDevice, Model], order: tuple[int, ...]) -> None:
    """Each its own key, whichever was loaded before; forgetting one leaves the others."""
    device, model = wide
    peer, hashed = model.public(99), hashlib.sha384(b"slots").digest()

    def right(slot: int) -> None:
        d = slot + 2
        assert device.run("public", slot=slot).strings == model.public(d)
        signed = device.run("sign-sha384", hashed, slot=slot).strings
        assert signed == model.sign(d, hashed, "sha384")
        assert device.run("ecdh", *peer, slot=slot).strings == model.public(99 * d)[:1]

    for slot in order:
        device.run("load", model.scalar(slot + 2), slot=slot)
    for slot in order:
        right(slot)
    for n, slot in enumerate(order):
        device.run("forget", slot=slot)
        for other in order[n + 1 :]:
            right(other)


@pytest.mark.parametrize("digest", WIDE)
def test_sign_and_verify(wide: tuple[SchemeDevice, Model], digest: str) -> None:
    device, model = wide
    d = pow(3, 700, model.curve.n)
    hashed = hashlib.new(digest, b"a message").digest()
    assert device.run(digest, b"a message").strings == (hashed,)
    device.run("load", model.scalar(d))
    signed = device.run(f"sign-{digest}", hashed).strings
    assert signed == model.sign(d, hashed, digest)
    device.run(f"verify-{digest}", *model.public(d), hashed, *signed)
    with pytest.raises(SignatureInvalid):
        device.run(f"verify-{digest}", *model.public(d + 1), hashed, *signed)


def test_ecdh_and_ecies(wide: tuple[SchemeDevice, Model]) -> None:
    device, model = wide
    d, e, message = pow(5, 400, model.curve.n), 12345, b"to whom it may concern"
    device.run("load", model.scalar(d))
    their = model.public(e)
    assert device.run("ecdh", *their).strings == (model.secret(d, model.point(*their)),)
    infos = (b"between us", b"and those who carry it")
    given = (*model.public(d), message, *infos)
    x, y, sealed, tag = device.run("ecies-encrypt", *given).strings
    key = model.ecies_keys(d, model.point(x, y), 96, "sha512", infos[0])
    assert sealed == ctr(key[:32], bytes(16), message)
    assert tag == hmac.digest(key[32:], sealed + infos[1], "sha512")
    assert device.run("ecies-decrypt", x, y, sealed, tag, *infos).strings == (message,)
    with pytest.raises(AuthenticationFailed):
        device.run("ecies-decrypt", x, y, sealed[:-1] + b"\0", tag, *infos)
    x, y, sealed, tag = device.run("ecies-xor-encrypt", *given).strings
    key = model.ecies_keys(d, model.point(x, y), len(message) + 64, "sha512", infos[0])
    assert sealed == xor(message, key[: len(message)])
    assert tag == hmac.digest(key[len(message) :], sealed + infos[1], "sha512")
    assert device.run("ecies-xor-decrypt", x, y, sealed, tag, *infos).strings == (message,)


def test_published_signatures(wide: tuple[SchemeDevice, Model]) -> None:
    """CAVP's and Wycheproof's: the invalid ones, and some of the others."""
    device, model = wide
    todo = [*signatures.cavp(model.curve, *WIDE)]
    if model.curve.name == "secp384r1":
        todo += signatures.wycheproof(model.curve, "sha384")
    bad = [v for v in todo if not v.valid]
    verify(device, model, [*bad, *[v for v in todo if v.valid][::5]])


def test_zero_and_equal_products(wide: tuple[SchemeDevice, Model]) -> None:
    """Signatures of which u1 is 0, and of which u1 G is u2 Q or its opposite."""
    device, model = wide
    n, k, d = model.curve.n, pow(7, 300, model.curve.n), 3
    r = int.from_bytes(model.public(k)[0], "big") % n
    octets, extra = 64, 512 - n.bit_length()
    for e in (0, r * d % n, -r * d % n):
        if extra < 0 and e >> 512:  # the hash is shorter than the order
            continue
        hashed = (e << max(extra, 0)).to_bytes(octets, "big")
        s = pow(k, -1, n) * (e + r * d) % n
        strings = (*model.public(d), hashed, model.scalar(r), model.scalar(s or 1))
        if s:
            device.run("verify-sha512", *strings)
        else:
            with pytest.raises(SignatureInvalid):
                device.run("verify-sha512", *strings)
