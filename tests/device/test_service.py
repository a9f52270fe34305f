# SPDX-License-Identifier: Apache-2.0
"""A scheme machine with many owners: each has its own keys, and nobody loses another's job."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from ecsm.curves import curve
from ecsm.device.base import DeviceError, Result
from ecsm.device.frame import HANDLES, Ask, Frame, Kind, Link, request
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import MOST_INPUT, OWN_SLOTS, Service
from ecsm.schemes.inputs import inputs, uses_key
from ecsm.status import ScalarOutOfRange, Status
from tests.schemes.model import Model

PRESET, CURVE = "b163-small", "sect163r2"
C = curve(CURVE)
NAMED = {"till": 1001, "safe": 1002}


def scalar(d: int) -> bytes:
    return d.to_bytes(21, "big")


@pytest.fixture(scope="module")
def device() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture
def service(device: SchemeDevice) -> Service:
    device.zeroize(reset=True)
    return Service(device, {name: scalar(d) for name, d in NAMED.items()})


class Owner:
    """One that asks a service."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def ask(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Frame:
        number = self.service.device.program.number(operation)
        answer = self.service.answer(self, request(number, 7, slot, flags, *strings))
        assert (answer.kind, answer.tag) == (Kind.ANSWER, 7)
        assert not (answer.code and answer.strings)
        return answer

    def strings(self, operation: str, *strings: bytes, slot: int = 0) -> tuple[bytes, ...]:
        answer = self.ask(operation, *strings, slot=slot)
        assert answer.code == Status.OK
        return answer.strings


def public(libcrypto: ModuleType, d: int) -> tuple[bytes, ...]:
    return tuple(scalar(v) for v in libcrypto.kp(CURVE, d, C.generator))


def test_more_keys_than_slots(service: Service, libcrypto: ModuleType) -> None:
    """Six owners' keys in turn, in the same and in other slots, and both keys with names."""
    owners = [Owner(service) for _ in range(6)]
    for i, owner in enumerate(owners):
        owner.strings("load", scalar(10 + i), slot=i % 2)
    for turn in range(2):
        for i, owner in enumerate(owners):
            assert owner.strings("public", slot=i % 2) == public(libcrypto, 10 + i)
            name = list(NAMED)[(i + turn) % 2]
            handle = HANDLES + service.names.index(name)
            assert owner.strings("public", slot=handle) == public(libcrypto, NAMED[name])


def test_keys_of_others_are_out_of_reach(service: Service) -> None:
    first, second = Owner(service), Owner(service)
    first.strings("load", scalar(5), slot=3)
    for slot in range(OWN_SLOTS):
        assert second.ask("public", slot=slot).code == Status.NO_KEY
    second.strings("forget", slot=3)
    service.drop(second)
    first.strings("public", slot=3)
    service.drop(first)
    assert first.ask("public", slot=3).code == Status.NO_KEY


def test_a_refused_key_leaves_the_one_before(service: Service, libcrypto: ModuleType) -> None:
    owner = Owner(service)
    owner.strings("load", scalar(5))
    for d in (0, C.n, 1 << 167):
        assert owner.ask("load", scalar(d)).code == Status.SCALAR_OUT_OF_RANGE
        assert owner.ask("load", scalar(d), slot=1).code == Status.SCALAR_OUT_OF_RANGE
    assert owner.strings("public") == public(libcrypto, 5)
    assert owner.ask("public", slot=1).code == Status.NO_KEY


def test_keys_made_in_the_device_stay(service: Service, libcrypto: ModuleType) -> None:
    """Three of them, beside those that are loaded; one that is given back makes room."""
    owners = [Owner(service) for _ in range(4)]
    made = [owner.strings("generate", slot=9) for owner in owners[:3]]
    assert len(set(made)) == 3
    points = [tuple(int.from_bytes(v, "big") for v in p) for p in made]
    assert all(libcrypto.kp(CURVE, C.n, p) is None for p in points)
    assert owners[3].ask("generate", slot=9).code == Status.BUSY
    for slot in range(3):
        owners[3].strings("load", scalar(5 + slot), slot=slot)
    for slot in range(3):
        assert owners[3].strings("public", slot=slot) == public(libcrypto, 5 + slot)
    assert owners[3].ask("ecmqv", *made[0], *made[1]).code == Status.BUSY
    assert [owner.strings("public", slot=9) for owner in owners[:3]] == made
    service.drop(owners[0])
    owners[3].strings("generate", slot=2)
    assert [owner.strings("public", slot=9) for owner in owners[1:3]] == made[1:]
    assert owners[1].strings("generate", slot=9) != made[1]
    owners[2].strings("load", scalar(5), slot=9)
    assert owners[2].strings("public", slot=9) == public(libcrypto, 5)
    owners[0].strings("generate")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_keys_beside_each_other(service: Service, order: tuple[int, int]) -> None:
    """ECMQV, with other keys in between, and with one or both made in the device."""
    model, owner, other = Model(C), Owner(service), Owner(service)
    d = (77, 1234567)
    static, ephemeral = model.public(3), model.public(4)
    wanted = model.mqv(*d, model.point(*static), model.point(*ephemeral))
    for slot in order:
        owner.strings("load", scalar(d[slot]), slot=slot)
        other.strings("load", scalar(9), slot=slot)
    for _ in range(2):
        assert owner.strings("ecmqv", *static, *ephemeral) == (wanted,)
        for slot in (0, 1, 2, 3):
            other.strings("load", scalar(9), slot=slot)
    made = [owner.strings("generate", slot=4 + slot) for slot in order]
    theirs = [model.point(*p) for p in (made if order == (0, 1) else made[::-1])]
    secret = model.mqv(3, 4, *theirs)
    assert owner.strings("ecmqv", *static, *ephemeral, slot=4) == (secret,)
    assert owner.ask("ecmqv", *static, *ephemeral, slot=6).code == Status.NO_KEY


def test_keys_with_names_compute_and_nothing_else(service: Service, libcrypto: ModuleType) -> None:
    owner = Owner(service)
    point = public(libcrypto, 3)
    (secret,) = owner.strings("ecdh", *point, slot=HANDLES)
    both = libcrypto.kp(CURVE, 3 * NAMED["till"] % C.n, C.generator)
    assert secret == scalar(both[0])
    for operation, strings in (("load", (scalar(5),)), ("forget", ()), ("generate", ())):
        assert owner.ask(operation, *strings, slot=HANDLES).code == Link.BAD_REQUEST
    assert owner.ask("public", slot=HANDLES + 2).code == Link.BAD_REQUEST
    service.drop("server")
    assert owner.strings("public", slot=HANDLES) == public(libcrypto, NAMED["till"])


def test_requests_that_the_device_is_not_asked(service: Service) -> None:
    """The device would wait for strings that do not come; test samples are nobody's to give."""
    owner, operations = Owner(service), service.device.program.operations
    for operation in operations:
        if operation == "seed-test":
            continue
        for count in {max(0, inputs(operation) - 1), inputs(operation) + 1} - {inputs(operation)}:
            if count <= 8:
                assert owner.ask(operation, *[b"x"] * count).code == Link.BAD_REQUEST
    assert owner.ask("public", slot=OWN_SLOTS).code == Link.BAD_REQUEST
    assert owner.ask("public", flags=8).code == Link.BAD_REQUEST
    assert owner.ask("seed-test").code == Status.UNSUPPORTED
    for code in (len(operations), 63, 65, 255):
        assert service.answer(owner, request(code, 1, 0, 0)).code == Status.UNSUPPORTED
    for frame in (
        Frame(Kind.ANSWER, 0, 1),
        Frame(Kind.REQUEST, 5, 0),
        Frame(Kind.REQUEST, 5, 1, 1),
    ):
        assert service.answer(owner, frame).code == Link.BAD_REQUEST
    info = service.answer(owner, request(Ask.INFO, 1, 0, 0)).strings
    assert [s.decode() for s in info] == [
        "1", PRESET, CURVE, " ".join(operations), " ".join(NAMED),
    ]  # fmt: skip


def test_a_message_whose_answer_is_no_frame_is_refused(service: Service) -> None:
    """And nobody loses a key by it."""
    other = Owner(service)
    made = other.strings("generate")
    x, y = public_key = made
    message = bytes(MOST_INPUT - len(x) - len(y))
    assert Owner(service).ask("ec-aes-encrypt", x, y, message).code == Status.OK
    assert Owner(service).ask("ec-aes-encrypt", x, y, message + b"0").code == Status.UNSUPPORTED
    assert other.strings("public") == public_key


def test_a_device_that_fails_begins_anew(
    service: Service, libcrypto: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has lost all keys: those that it had made are gone, the others are loaded again."""
    owner = Owner(service)
    owner.strings("load", scalar(5), slot=1)
    owner.strings("generate", slot=2)
    run = service.device.run

    def fails(operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Result:
        if operation == "sha256":
            service.device.zeroize()
            raise DeviceError("it did not answer")
        return run(operation, *strings, slot=slot, flags=flags)

    monkeypatch.setattr(service.device, "run", fails)
    assert owner.ask("sha256", b"abc").code == Link.FAILED
    assert owner.ask("public", slot=2).code == Status.NO_KEY
    assert owner.strings("public", slot=1) == public(libcrypto, 5)
    assert owner.strings("public", slot=HANDLES) == public(libcrypto, NAMED["till"])
    owner.strings("generate", slot=2)


def test_a_named_key_must_be_one(device: SchemeDevice) -> None:
    with pytest.raises(ScalarOutOfRange):
        Service(device, {"none": scalar(0)})


def test_every_operation_answers_to_as_many_strings(service: Service) -> None:
    """None waits for more: the device answers, whatever it makes of these."""
    owner = Owner(service)
    owner.strings("load", scalar(5))
    for operation in service.device.program.operations:
        if operation not in ("seed-test", "load", "forget", "generate"):
            code = owner.ask(operation, *[scalar(3)] * inputs(operation)).code
            assert code < Link.BAD_REQUEST, operation
    owner.strings("forget")
    for operation in service.device.program.operations:
        empty = owner.ask(operation, *[scalar(3)] * inputs(operation)).code == Status.NO_KEY
        assert empty == uses_key(operation), operation
        owner.strings("forget")
    with pytest.raises(KeyError):
        inputs("sing")
