# SPDX-License-Identifier: Apache-2.0
"""Every operation with a secret on a word engine: edge keys have the cycles of all others.

Each result is the model's. Nonces and keys that are drawn again are no secrets: operations are
compared with those of which as many are.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict

import pytest

from ecsm.device.schemes import SchemeDevice
from tests.rtl.symmetric.model import HmacDrbg
from tests.schemes.conftest import SEED
from tests.schemes.model import Model

MESSAGE = b"between us"
OTHER, PEER, PASSING = 0x1234_5678_9ABC_DEF1, 9, 13
Cycles = dict[tuple[str, int], set[int]]


def keys(n: int) -> list[int]:
    """Return edges, powers of two beside the words' ends among them, and others."""
    rng, bits = random.Random(n), n.bit_length()
    powers = [1 << i for i in (5, 31, 32, bits // 2, bits - 2)]
    return [1, 2, n - 2, n - 1, *powers, *(rng.randrange(1, n) for _ in range(2))]


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param("word-p256", marks=pytest.mark.always),
        pytest.param("word-dual-b163", marks=pytest.mark.full),
        pytest.param("word-full-b163", marks=pytest.mark.full),
    ],
)
def test_edge_keys_take_no_other_cycles(preset: str) -> None:
    cycles: Cycles = defaultdict(set)
    with SchemeDevice(preset) as device:
        device.samples(SEED)
        device.run("seed-test")
        model, drbg = Model(device.curve), HmacDrbg("sha256", SEED)
        for _ in range(4):
            _generate(device, model, drbg, cycles)
        for d in keys(model.curve.n):
            _use(device, model, d, cycles)
            if "ecmqv" in device.operations:
                _open(device, model, d, cycles)
    assert {name: found for name, found in cycles.items() if len(found) > 1} == {}
    assert all((name, 0) in cycles for name in ("generate", "load", "public", "ecdh", "sign"))


def _generate(device: SchemeDevice, model: Model, drbg: HmacDrbg, cycles: Cycles) -> None:
    """Compare keys that are made."""
    octets = model.order_octets
    drawn = iter(lambda: model.bits2int(model.draw(drbg, octets)), None)
    again, d = next((i, d) for i, d in enumerate(drawn) if 0 < d < model.curve.n)
    made = device.run("generate")
    assert made.strings == model.public(d)
    cycles["generate", again].add(made.cycles)


def _use(device: SchemeDevice, model: Model, d: int, cycles: Cycles) -> None:
    """Compare what every engine does with a key."""
    peer = model.curve.mul(PEER, model.curve.generator)
    digest = hashlib.sha256(MESSAGE).digest()
    todo = {
        "load": ((model.scalar(d),), ()),
        "public": ((), model.public(d)),
        "ecdh": (model.strings(peer), (model.primitive(d, peer),)),
        "ecdh-cofactor": (model.strings(peer), (model.primitive(d, peer, cofactor=True),)),
    }  # fmt: skip
    for name, (given, wanted) in todo.items():
        done = device.run(name, *given)
        assert done.strings == wanted, (name, d)
        cycles[name, 0].add(done.cycles)
    signed = device.run("sign-sha256", digest)
    assert signed.strings == model.sign(d, digest, "sha256"), d
    cycles["sign", model.rejected(d, digest, "sha256")].add(signed.cycles)


def _open(device: SchemeDevice, model: Model, d: int, cycles: Cycles) -> None:
    """Compare what else a key does: agree in two passes, open what others have sealed."""
    device.run("load", model.scalar(OTHER), slot=1)
    theirs, passing = (model.curve.mul(k, model.curve.generator) for k in (PEER, PASSING))
    capsule = model.encapsulate(model.point(*model.public(d)), bytes(range(32)))
    todo = {
        "ecmqv": ((*model.strings(theirs), *model.strings(passing)),
                  (model.mqv(d, OTHER, theirs, passing),)),
        "decapsulate": (capsule[:3], capsule[3:]),
    }  # fmt: skip
    for scheme, infos in (("ecies", (b"", b"")), ("ec-aes", ())):
        sealed = device.run(f"{scheme}-encrypt", *model.public(d), MESSAGE, *infos).strings
        todo[f"{scheme}-decrypt"] = ((*sealed, *infos), (MESSAGE,))
    for name, (given, wanted) in todo.items():
        done = device.run(name, *given)
        assert done.strings == wanted, (name, d)
        cycles[name, 0].add(done.cycles)
