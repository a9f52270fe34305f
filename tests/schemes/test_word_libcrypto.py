# SPDX-License-Identifier: Apache-2.0
"""A word engine and openssl (libcrypto): random keys and digests of either, in both directions."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.encoding import Key, public_pem, read_key, read_signature, signature_der
from ecsm.status import SignatureInvalid
from tests.schemes.conftest import QUICK, SEED, hashes
from tests.schemes.key_files import openssl
from tests.schemes.model import Model

OCTETS = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
# Without SM2: openssl signs otherwise on its curve.
REST = [p.name for p in WORD_PRESETS.values()
        if p.weierstrass and p.curve.name != "SM2" and p.name != "word-p256"]  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "count"),
    [
        ("word-p256", 3),
        *(
            pytest.param(
                name,
                2 if WORD_PRESETS[name].full else 5,
                marks=pytest.mark.full if name in QUICK else pytest.mark.slow,
            )
            for name in REST
        ),
    ],
)
def test_random_keys_and_digests(preset: str, count: int, tmp_path: Path) -> None:
    """``count`` rounds: keys of both, a signature and an agreement of each, with each hash."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    rng = random.Random(preset)
    with SchemeDevice(preset) as device:
        device.samples(SEED)
        device.run("seed-test")
        for _ in range(count):
            _round(device, {digest: rng.randbytes(OCTETS[digest]) for digest in hashes(preset)},
                   tmp_path)  # fmt: skip


def _round(device: SchemeDevice, digests: dict[str, bytes], folder: Path) -> None:
    """Slot 0 has a key that openssl has made, slot 1 one of its own."""
    model, other = Model(device.curve), folder / "other.pem"
    theirs = _made(device, other)
    device.run("load", theirs.scalar)
    public = device.run("public").strings
    assert model.point(*public) == theirs.public
    point = device.run("generate", slot=1).strings
    ours = folder / "ours.pem"
    ours.write_bytes(public_pem(Key(device.curve, None, model.point(*point))))
    (secret,) = device.run("ecdh", *public, slot=1).strings
    assert openssl("pkeyutl", "-derive", "-inkey", other, "-peerkey", ours) == secret
    assert device.run("ecdh", *point).strings == (secret,)
    file, signature = folder / "digest", folder / "signature"
    for name, digest in digests.items():
        file.write_bytes(digest)
        signature.write_bytes(signature_der(*device.run(f"sign-{name}", digest, slot=1).strings))
        verify = ("pkeyutl", "-verify", "-pubin", "-inkey", ours, "-sigfile", signature)
        assert b"Verified Successfully" in openssl(*verify, "-in", file)
        made = openssl("pkeyutl", "-sign", "-inkey", other, "-in", file)
        strings = read_signature(made, model.order_octets)
        device.run(f"verify-{name}", *public, digest, *strings)
        with pytest.raises(SignatureInvalid):
            device.run(f"verify-{name}", *public, digest[::-1], *strings)


def _made(device: SchemeDevice, file: Path) -> Key:
    """Let openssl make a private key of the curve."""
    name = device.curve.name
    known = {"secp256r1": "prime256v1"}.get(name, name)
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{known}", "-out", file)
    key = read_key(file.read_bytes())
    assert key.curve == device.curve
    return key
