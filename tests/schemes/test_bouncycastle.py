# SPDX-License-Identifier: Apache-2.0
"""ECIES, EC-AES and ECMQV between the RTL and Bouncy Castle: each opens what the other sealed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ecsm.cores.store import design
from ecsm.device.schemes import SchemeDevice
from ecsm.schemes.machine import NARROW, WIDE
from ecsm.schemes.options import CIPHERS, COFACTOR, encryption_flags
from ecsm.status import AuthenticationFailed
from tests.schemes.bouncycastle import HINT, Peer, available, peer
from tests.schemes.conftest import SEED
from tests.schemes.model import Model

pytestmark = pytest.mark.skipif(not available(), reason=HINT)

PRESETS = [
    "b163-small",
    "b233-small",
    "k283",
    "p256-fast",
    pytest.param("p384-fast", marks=pytest.mark.slow),
]
CHOICES = list(itertools.product(("plain", "cofactor"), ("xor", *CIPHERS), range(3)))
DEFAULT = ("plain", "aes128-cbc", "sha1", "sha1")  # of Bouncy Castle's classes


@dataclass
class Parties:
    """The device, which has a key; the other party; random octets for both."""

    device: SchemeDevice
    model: Model
    peer: Peer
    rng: random.Random
    d: int

    def scalar(self) -> int:
        """A random one."""
        return self.rng.randrange(1, self.model.curve.n)


def is_wide(preset: str) -> bool:
    """Whether the machine of a preset has SHA-384 and SHA-512 here, and no other hashes."""
    return preset.startswith("p384")


@pytest.fixture(scope="module", params=PRESETS)
def parties(request: pytest.FixtureRequest) -> Iterator[Parties]:
    """Both, on the curve of a preset."""
    model, rng = Model(design(request.param).preset.curve), random.Random(request.param)
    with (
        SchemeDevice(request.param, is_wide(request.param)) as device,
        peer(model.curve.name) as other,
    ):
        device.samples(SEED)
        device.run("seed-test")
        both = Parties(device, model, other, rng, 0)
        both.d = both.scalar()
        device.run("load", model.scalar(both.d))
        yield both


def flags(primitive: str, cipher: str, kdf_hash: str, mac_hash: str) -> tuple[str, int]:
    """Return the scheme of the options, and the flags."""
    xor, cofactor = cipher == "xor", primitive == "cofactor"
    scheme = "ecies-xor" if xor else "ecies"
    known = "aes256-ctr" if xor else cipher
    return scheme, encryption_flags(scheme, cofactor, known, kdf_hash, mac_hash)


def check_there_and_back(p: Parties, options: tuple[str, str, str, str], length: int) -> None:
    """Seal on the device and open there; seal there and open on the device."""
    scheme, bits = flags(*options)
    message, infos = p.rng.randbytes(length), (p.rng.randbytes(7), p.rng.randbytes(length % 19))
    public, d, k = p.model.public(p.d), p.scalar(), p.scalar()

    given = (*p.model.public(d), message, *infos)
    x, y, sealed, tag = p.device.run(f"{scheme}-encrypt", *given, flags=bits).strings
    assert p.peer.ecies(False, options, d, (x, y), sealed + tag, infos) == message
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    assert p.peer.ecies(False, options, d, (x, y), sealed + wrong, infos) is None

    made = p.peer.ecies(True, options, k, public, message, infos)
    assert made is not None
    strings = (*p.model.public(k), made[: -len(tag)], made[-len(tag) :], *infos)
    assert p.device.run(f"{scheme}-decrypt", *strings, flags=bits).strings == (message,)


@pytest.mark.parametrize(("primitive", "cipher", "turn"), CHOICES)
def test_ecies(parties: Parties, primitive: str, cipher: str, turn: int) -> None:
    """Both primitives, every cipher, every hash of key derivation and of the tag."""
    hashes = WIDE if "sha512" in parties.device.program.operations else NARROW
    number = CHOICES.index((primitive, cipher, turn))
    pair = hashes[(turn + number // 3) % len(hashes)], hashes[turn % len(hashes)]
    check_there_and_back(parties, (primitive, cipher, *pair), 3 + 9 * turn + number % 8)


@pytest.mark.only(parties=lambda preset: not is_wide(preset))  # which has no SHA-1
@pytest.mark.parametrize("length", [1, 15, 16, 17, 400])
def test_what_is_the_default_there(parties: Parties, length: int) -> None:
    """AES-128 in CBC with HMAC-SHA-1; the primitive is the plain one without saying so."""
    check_there_and_back(parties, DEFAULT, length)


def test_the_primitives_differ_where_there_is_a_cofactor(parties: Parties) -> None:
    h, public, message = parties.model.curve.h, parties.model.public(parties.d), b"which one?"
    name = parties.device.program.operations
    alg = "sha512" if "sha512" in name else "sha256"
    k = parties.scalar()
    made = parties.peer.ecies(True, ("cofactor", "aes256-ctr", alg, alg), k, public, message)
    assert made is not None
    size = len(message)
    strings = (*parties.model.public(k), made[:size], made[size:], b"", b"")
    opened = parties.device.run("ecies-decrypt", *strings, flags=COFACTOR).strings
    assert opened == (message,)
    if h == 1:
        assert parties.device.run("ecies-decrypt", *strings).strings == (message,)
    else:
        with pytest.raises(AuthenticationFailed):
            parties.device.run("ecies-decrypt", *strings)


@pytest.mark.only(parties=lambda preset: not is_wide(preset))  # which derives with SHA-512
@pytest.mark.parametrize("primitive", ["plain", "cofactor"])
def test_ec_aes(parties: Parties, primitive: str) -> None:
    message, iv = parties.rng.randbytes(333), parties.rng.randbytes(16)
    bits, d, k = COFACTOR * (primitive == "cofactor"), parties.scalar(), parties.scalar()
    given = (*parties.model.public(d), message)
    x, y, first, sealed = parties.device.run("ec-aes-encrypt", *given, flags=bits).strings
    assert parties.peer.ec_aes(primitive, d, (x, y), first, sealed) == message
    stream = parties.peer.ec_aes(primitive, k, parties.model.public(parties.d), iv, message)
    assert stream is not None
    strings = (*parties.model.public(k), iv, stream)
    assert parties.device.run("ec-aes-decrypt", *strings, flags=bits).strings == (message,)


def test_ecmqv(parties: Parties) -> None:
    model, pair, others = parties.model, parties.scalar(), (parties.scalar(), parties.scalar())
    parties.device.run("load", model.scalar(pair), slot=1)
    theirs = [model.public(d) for d in others]
    made = parties.device.run("ecmqv", *theirs[0], *theirs[1]).strings
    own = (model.public(parties.d), model.public(pair))
    assert made == (parties.peer.ecmqv(others, own),)
