# SPDX-License-Identifier: Apache-2.0
"""Keys and random state of the scheme machine: made, kept, forgotten, and never without entropy."""

import hashlib
import random

import pytest

from ecsm.device.request import BadRequest
from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.schemes.inputs import flags_of, inputs
from ecsm.schemes.machine import SLOTS
from ecsm.schemes.words import FLAGS_BITS
from ecsm.status import NoEntropy, NoKey, ScalarOutOfRange, Unsupported
from tests.rtl.symmetric.model import HmacDrbg
from tests.schemes.conftest import DRAWN, SEED
from tests.schemes.model import Model


def test_load(fresh: SchemeDevice, model: Model) -> None:
    """What is not in 1 .. n - 1 is refused, and the slot stays as it was."""
    n = model.curve.n
    fresh.run("load", model.scalar(7))
    top = (1 << 8 * model.order_octets) - 1
    for d in (0, n, n + 1, top, n | 1 << 8 * model.order_octets - 1):
        if 0 < d < n:
            continue
        with pytest.raises(ScalarOutOfRange):
            fresh.run("load", model.scalar(d))
        assert fresh.run("public").strings == model.public(7)
    for d in (1, n - 1):
        fresh.run("load", model.scalar(d))
        assert fresh.run("public").strings == model.public(d)


@DRAWN
def test_slots(fresh: SchemeDevice, model: Model) -> None:
    """Each its own key; forgetting one leaves the others; zeroize and reset forget all."""
    for slot in range(SLOTS):
        fresh.run("load", model.scalar(slot + 2), slot=slot)
    for slot in range(SLOTS):
        assert fresh.run("public", slot=slot).strings == model.public(slot + 2)
    fresh.run("forget", slot=1)
    with pytest.raises(NoKey):
        fresh.run("public", slot=1)
    assert fresh.run("public", slot=2).strings == model.public(4)
    for reset in (False, True):
        fresh.run("load", model.scalar(3))
        fresh.zeroize(reset)
        for slot in range(SLOTS):
            with pytest.raises(NoKey):
                fresh.run("public", slot=slot)


def _drawn(model: Model, drbg: HmacDrbg) -> int:
    """Return the random key that comes next."""
    d = 0
    while not 0 < d < model.curve.n:
        d = model.bits2int(model.draw(drbg, model.order_octets))
    return d


@DRAWN
def test_generate(fresh: SchemeDevice, model: Model) -> None:
    """The first candidate of the generator below the order, and its public key."""
    drbg = HmacDrbg("sha256", SEED)
    for slot in (0, 3):
        d = _drawn(model, drbg)
        made = fresh.run("generate", slot=slot).strings
        assert made == model.public(d) == fresh.run("public", slot=slot).strings


@DRAWN
def test_no_entropy(device: SchemeDevice, model: Model) -> None:
    """Without a seed, with a silent source: nothing that needs random octets is done."""
    x, y = model.public(5)
    todo = {
        "generate": (), "encapsulate": (x, y), "ecies-encrypt": (x, y, b"m", b"", b""),
        "ec-aes-encrypt": (x, y, b"m"), "demo-encrypt": (x, y, x),
    }  # fmt: skip
    device.zeroize(reset=True)
    for operation in todo.keys() & set(device.operations):
        with pytest.raises(NoEntropy):
            device.run(operation, *todo[operation])
    device.run("load", model.scalar(3))
    with pytest.raises(NoEntropy):
        device.run("sign-sha256", bytes(32), flags=1)
    device.samples(silent=True)
    try:
        with pytest.raises(NoEntropy):
            device.run("seed")
        with pytest.raises(NoEntropy):
            device.run("generate", slot=1)
    finally:
        device.samples()
        device.zeroize(reset=True)


def test_noise(device: SchemeDevice, model: Model) -> None:
    """Seeded by noise, two devices' keys differ."""
    found = set()
    for _ in range(2):
        device.zeroize(reset=True)
        device.run("seed")
        made = device.run("generate").strings
        assert model.curve.contains(model.point(*made))
        found.add(made)
    assert len(found) == 2


@DRAWN
def test_test_mode(device: SchemeDevice, model: Model) -> None:
    """It cannot be entered once a secret was loaded."""
    device.zeroize(reset=True)
    device.run("load", model.scalar(3))
    device.samples(SEED)
    with pytest.raises(Unsupported):
        device.run("seed-test")
    device.zeroize(reset=True)


@DRAWN
def test_stopped(fresh: SchemeDevice, model: Model) -> None:
    """A zeroize in any cycle: no key and no random state is left, and what follows works."""
    x, y = model.public(5)
    fresh.run("load", model.scalar(3))
    for operation, strings in {"ecdh": (x, y), "sign-sha256": (bytes(32),)}.items():
        cycles = fresh.run(operation, *strings).cycles
        rng = random.Random(operation)
        for stop in (1, 2, 3, 4, 50, cycles - 2, *(rng.randrange(5, cycles) for _ in range(4))):
            fresh.run(operation, *strings, stop=stop)
            with pytest.raises(NoKey):
                fresh.run("public")
            fresh.run("load", model.scalar(3))
        assert fresh.run(operation, *strings).cycles == cycles


def test_no_word_is_offered_behind_a_zeroize(fresh: SchemeDevice) -> None:
    """In any cycle of an operation, also while a word waits: what was to come is gone at once."""
    digest = hashlib.sha256(b"").digest()
    assert fresh.run("sha256", b"").strings == (digest,)
    for stop in range(1, 700):
        fresh.run("sha256", b"", stop=stop)  # raises DeviceError if a word is offered
    assert fresh.run("sha256", b"").strings == (digest,)


def test_a_number_of_cycles_that_is_none_stops_nothing(fresh: SchemeDevice, model: Model) -> None:
    """It lost its upper bits, so that the operation was dropped, and its keys with it."""
    fresh.run("load", model.scalar(3))
    for stop in (-1, (1 << 32) + 5):
        with pytest.raises(BadRequest, match="cycles"):
            fresh.run("public", stop=stop)
        with pytest.raises(BadRequest, match="cycles"):
            fresh.run_number(0, stop=stop)
    fresh.run("public")


def test_stopped_with_random_octets(device: SchemeDevice, model: Model) -> None:
    """Of operations that draw: afterwards there is no seed, and a new one gives what it gave."""
    x, y = model.public(5)
    todo = {
        "generate": (), "encapsulate": (x, y), "ecies-xor-encrypt": (x, y, bytes(20), b"a", b"b"),
    }  # fmt: skip
    for operation in sorted(todo.keys() & set(device.operations)):
        strings = todo[operation]

        def seeded() -> SchemeDevice:
            device.zeroize(reset=True)  # a test mode is not entered behind a secret
            device.samples(SEED)
            device.run("seed-test")
            return device

        made = seeded().run(operation, *strings)
        rng = random.Random(operation)
        for stop in (1, 5, 40, made.cycles - 1, *(rng.randrange(6, made.cycles) for _ in range(3))):
            seeded().run(operation, *strings, stop=stop)
            with pytest.raises(NoEntropy):
                device.run("generate")
            with pytest.raises(NoKey):
                device.run("public")
        assert seeded().run(operation, *strings) == made


@DRAWN
def test_unknown_flags(fresh: SchemeDevice, model: Model) -> None:
    """Every flag that an operation has not is refused by the machine, and nothing happens."""
    fresh.run("load", model.scalar(7))
    x, y = model.public(5)
    strings = {1: (model.scalar(9),), 0: ()}
    for operation in fresh.operations:
        number = fresh.program.number(operation)
        given = strings.get(inputs(operation), (x, y, bytes(32), x, y, y)[: inputs(operation)])
        for bit in range(FLAGS_BITS):
            if flags_of(operation) >> bit & 1:
                continue
            for slot in (0, 1):
                with pytest.raises(Unsupported):
                    fresh.run_number(number, *given, slot=slot, flags=1 << bit)
    assert fresh.run("public").strings == model.public(7)
    with pytest.raises(NoKey):
        fresh.run("public", slot=1)
    made = fresh.run("generate", slot=1).strings
    assert made == model.public(_drawn(model, HmacDrbg("sha256", SEED)))  # nothing was drawn


def test_unknown_operation(fresh: SchemeDevice) -> None:
    """By name it is an error of the caller, by number of the machine."""
    with pytest.raises(KeyError):
        fresh.run("sing")
    numbers = {fresh.program.number(operation) for operation in fresh.operations}
    if fresh.machine.tables:
        numbers.add(LOAD_OPERATION)
    for number in {*range(64)} - numbers:
        with pytest.raises(Unsupported):
            fresh.run_number(number)
