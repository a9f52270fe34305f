# SPDX-License-Identifier: Apache-2.0
"""A machine around a masked core: it draws masks for all that it does, and answers as others do."""

import hashlib
import random

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import any_preset, protects_keys
from ecsm.schemes import masking
from ecsm.schemes.inputs import flags_of, inputs
from ecsm.schemes.machine import Machine
from ecsm.schemes.options import GIVEN, HEDGED
from ecsm.schemes.words import FLAGS_BITS
from ecsm.status import AuthenticationFailed, NoEntropy, NoKey, Unsupported
from tests.schemes.conftest import SEED, masked
from tests.schemes.model import Model

pytestmark = pytest.mark.only(device=masked)
HASHED = hashlib.sha256(b"masked").digest()


def seeded(device: SchemeDevice, seed: bytes = SEED) -> SchemeDevice:
    """The device without keys, seeded in test mode."""
    device.zeroize(reset=True)
    device.samples(seed)
    device.run("seed-test")
    return device


def test_it_protects_keys(device: SchemeDevice) -> None:
    assert protects_keys(any_preset(device.machine.name))


def test_masks_change_and_answers_do_not(device: SchemeDevice, model: Model) -> None:
    """Seeds say nothing in a deterministic signature, in an agreement, in a public key."""
    d, (x, y) = 12345, model.public(99)
    found = set()
    for seed in (SEED, SEED[::-1], bytes(48)):
        seeded(device, seed).run("load", model.scalar(d))
        for _ in range(2):  # the key is masked anew by each use
            signed = device.run("sign-sha256", HASHED).strings
            found.add((*signed, *device.run("ecdh", x, y).strings, *device.run("public").strings))
    (answer,) = found
    assert answer[:2] == model.sign(d, HASHED, "sha256")
    assert answer[3:] == model.public(d)


def test_slots(device: SchemeDevice, model: Model) -> None:
    """Each its own key; forgetting one leaves the others; the other slot of a pair stays, too."""
    seeded(device)
    for slot in range(4):
        device.run("load", model.scalar(slot + 2), slot=slot)
    for slot in range(4):
        device.run("sign-sha256", HASHED, slot=slot)
        assert device.run("public", slot=slot).strings == model.public(slot + 2)
    device.run("forget", slot=1)
    with pytest.raises(NoKey):
        device.run("public", slot=1)
    assert device.run("public", slot=0).strings == model.public(2)
    device.zeroize(reset=False)
    for slot in range(4):
        with pytest.raises(NoKey):
            device.run("public", slot=slot)


def test_generate(device: SchemeDevice) -> None:
    """A key that signs, another one each time; the seed decides which."""
    again = []
    for _ in range(2):
        seeded(device)
        made = [device.run("generate", slot=slot).strings for slot in (0, 1)]
        assert made[0] != made[1]
        for slot, public in enumerate(made):
            assert device.run("public", slot=slot).strings == public
            signed = device.run("sign-sha256", HASHED, slot=slot).strings
            device.run("verify-sha256", *public, HASHED, *signed)
        again.append(made)
    assert again[0] == again[1]


def test_hedged(device: SchemeDevice, model: Model) -> None:
    """Random octets join the nonce's seed: another signature each time, and a right one."""
    seeded(device).run("load", model.scalar(77))
    found = {device.run("sign-sha256", HASHED, flags=HEDGED).strings for _ in range(3)}
    found.add(device.run("sign-sha256", HASHED).strings)
    assert len(found) == 4
    for signed in found:
        device.run("verify-sha256", *model.public(77), HASHED, *signed)


def test_psec(device: SchemeDevice, model: Model) -> None:
    """Of a given string as the model has it; of random ones both ways."""
    d, r = 4321, random.Random(5).randbytes(32)
    point = model.point(*model.public(d))
    seeded(device).run("load", model.scalar(d))
    sealed = device.run("encapsulate", *model.public(d), r, flags=GIVEN).strings
    assert sealed == model.encapsulate(point, r)
    assert device.run("decapsulate", *sealed[:3]).strings == sealed[3:]
    found = {device.run("encapsulate", *model.public(d)).strings for _ in range(2)}
    assert len(found) == 2
    for x, y, c2, key in found:
        assert device.run("decapsulate", x, y, c2).strings == (key,)
        with pytest.raises(AuthenticationFailed):
            device.run("decapsulate", x, y, bytes(32))


def test_no_entropy(device: SchemeDevice, model: Model) -> None:
    """Without a seed it takes no key and multiplies no point, also for a verification.

    A hash needs none. With a seed that comes later all is there.
    """
    x, y = model.public(5)
    r, s = model.sign(5, HASHED, "sha256")
    todo = {
        "load": (model.scalar(3),), "generate": (), "encapsulate": (x, y),
        "verify-sha256": (x, y, HASHED, r, s), "ecies-encrypt": (x, y, b"m", b"", b""),
        "ec-aes-encrypt": (x, y, b"m"), "demo-encrypt": (x, y, x),
    }  # fmt: skip
    device.zeroize(reset=True)
    for operation, strings in todo.items():
        with pytest.raises(NoEntropy):
            device.run(operation, *strings)
    assert device.run("sha256", b"").strings == (hashlib.sha256(b"").digest(),)
    device.samples(SEED)
    device.run("seed-test")
    for operation, strings in todo.items():
        device.run(operation, *strings)


def test_unknown_flags(device: SchemeDevice, model: Model) -> None:
    """Every flag that an operation has not is refused; nothing happens, and nothing is drawn."""
    made = []
    for flags in (False, True):
        seeded(device).run("load", model.scalar(7))
        if flags:
            for operation in device.operations:
                number, (x, y) = device.program.number(operation), model.public(5)
                given = (x, y, bytes(32), x, y, y)[: inputs(operation)]
                for bit in range(FLAGS_BITS):
                    if not flags_of(operation) >> bit & 1:
                        with pytest.raises(Unsupported):
                            device.run_number(number, *given, flags=1 << bit)
        assert device.run("public").strings == model.public(7)
        made.append(device.run("generate", slot=1).strings)
    assert made[0] == made[1]


def test_stopped(device: SchemeDevice, model: Model) -> None:
    """A zeroize in any cycle: no key and no random state is left, and what follows works.

    Also in a draw for the core, and while the core waits for it.
    """
    x, y = model.public(5)
    for operation, strings in {"ecdh": (x, y), "sign-sha256": (HASHED,), "generate": ()}.items():
        seeded(device).run("load", model.scalar(3))
        first = device.run(operation, *strings)
        rng = random.Random(operation)
        cycles = first.cycles
        for stop in (1, 2, 40, cycles - 2, *(rng.randrange(5, cycles) for _ in range(6))):
            seeded(device).run("load", model.scalar(3))
            device.run(operation, *strings, stop=stop)
            with pytest.raises(NoKey):
                device.run("public")
            with pytest.raises(NoEntropy):
                device.run("load", model.scalar(3))
        seeded(device).run("load", model.scalar(3))
        assert device.run(operation, *strings) == first


def test_a_cycle_shows_no_bit_of_key_or_digest(device: SchemeDevice, model: Model) -> None:
    """As many cycles for every key and digest of which as many nonces are rejected."""
    rng, counts, n = random.Random(1), dict[int, set[int]](), model.curve.n
    for d in (1, n - 1, *(rng.randrange(1, n) for _ in range(3))):
        hashed = rng.randbytes(32)
        seeded(device).run("load", model.scalar(d))
        device.run("sha256", b"")  # a draw is made ahead
        found = device.run("sign-sha256", hashed).cycles
        counts.setdefault(model.rejected(d, hashed, "sha256"), set()).add(found)
    assert all(len(found) == 1 for found in counts.values()), counts


def test_a_draw_that_waits_is_a_fault_of_the_program(device: SchemeDevice) -> None:
    """The core's draw would wait for ever behind one that nobody takes."""
    preset = any_preset(device.machine.name)
    m = Machine(preset)  # type: ignore[arg-type]
    m.random(8)
    with pytest.raises(ValueError, match="wait for ever"):
        m.kp(masking.D, m.generator)
