# SPDX-License-Identifier: Apache-2.0
"""Wrapped keys of a device server: an owner gets its own, and nobody gives the device key."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from Crypto.Cipher import AES

from ecsm.device.frame import HANDLES, Frame, Kind, Link, request
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import Service
from ecsm.schemes.options import DEVICE
from ecsm.status import Status, Unsupported

DEVICE_KEY = bytes(range(1, 33))
NAMED = {"till": 1001}


def scalar(d: int) -> bytes:
    return d.to_bytes(21, "big")


def wrapped(d: int, key: bytes = DEVICE_KEY) -> bytes:
    return AES.new(key, AES.MODE_KW).seal(d.to_bytes(24, "big"))


@pytest.fixture(scope="module")
def device() -> Iterator[SchemeDevice]:
    with SchemeDevice("word-full-b163") as made:
        yield made


@pytest.fixture
def service(device: SchemeDevice) -> Service:
    device.zeroize(reset=True)
    return Service(device, {name: scalar(d) for name, d in NAMED.items()}, DEVICE_KEY)


class Owner:
    """One that asks a service."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def ask(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Frame:
        number = self.service.device.program.number(operation)
        answer = self.service.answer(self, request(number, 7, slot, flags, *strings))
        assert (answer.kind, answer.tag) == (Kind.ANSWER, 7)
        return answer

    def code(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> int:
        answer = self.ask(operation, *strings, slot=slot, flags=flags)
        assert not answer.strings
        return answer.code

    def strings(self, operation: str, *strings: bytes, slot: int = 0) -> tuple[bytes, ...]:
        answer = self.ask(operation, *strings, slot=slot)
        assert answer.code == Status.OK
        return answer.strings


def test_a_key_that_the_device_made_comes_back_after_power_off(
    device: SchemeDevice, service: Service
) -> None:
    owner = Owner(service)
    public = owner.strings("generate", slot=5)
    (kept,) = owner.strings("wrap", slot=5)
    device.zeroize(reset=True)
    owner = Owner(Service(device, {}, DEVICE_KEY))
    assert owner.code("public", slot=2) == Status.NO_KEY
    assert owner.strings("unwrap", kept, slot=2) == ()
    assert owner.strings("public", slot=2) == public


def test_more_unwrapped_keys_than_slots(service: Service) -> None:
    one, other = Owner(service), Owner(service)
    for owner, first in ((one, 10), (other, 100)):
        for slot in range(6):
            assert owner.strings("unwrap", wrapped(first + slot), slot=slot) == ()
    for owner, first in ((one, 10), (other, 100)):
        for slot in range(6):
            assert owner.strings("wrap", slot=slot) == (wrapped(first + slot),)


def test_a_wrong_one_leaves_the_slot_as_it_is(service: Service) -> None:
    owner = Owner(service)
    owner.strings("load", scalar(5))
    bad = wrapped(6, bytes(31) + b"\1")
    assert owner.code("unwrap", bad) == Status.AUTHENTICATION_FAILED
    assert owner.code("unwrap", wrapped(6)[:-1]) == Status.UNSUPPORTED
    assert owner.code("unwrap") == Link.BAD_REQUEST
    assert owner.strings("wrap") == (wrapped(5),)


def test_a_device_that_has_lost_its_keys_gets_the_device_key_again(
    device: SchemeDevice, service: Service
) -> None:
    owner = Owner(service)
    owner.strings("unwrap", wrapped(7))
    owner.strings("generate", slot=1)
    device.zeroize()
    service.recover()
    assert owner.strings("wrap") == (wrapped(7),)
    assert owner.code("wrap", slot=1) == Status.NO_KEY
    service.recover()  # with the keys still there
    assert owner.strings("wrap") == (wrapped(7),)


@pytest.mark.parametrize("key", [b"", DEVICE_KEY], ids=["without", "with"])
def test_no_client_gives_the_device_key(device: SchemeDevice, key: bytes) -> None:
    device.zeroize(reset=True)
    owner = Owner(Service(device, {}, key))
    for strings in ((bytes(31) + b"\1",), (DEVICE_KEY,), ()):
        assert owner.code("wrap", *strings, flags=DEVICE) == Status.UNSUPPORTED
    owner.strings("load", scalar(5))
    if key:
        assert owner.strings("wrap") == (wrapped(5),)
    else:
        assert owner.code("wrap") == Status.NO_KEY
        assert owner.code("unwrap", wrapped(5)) == Status.NO_KEY


def test_a_key_with_a_name_is_not_wrapped(service: Service) -> None:
    owner = Owner(service)
    assert owner.code("wrap", slot=HANDLES) == Link.BAD_REQUEST
    assert owner.code("unwrap", wrapped(5), slot=HANDLES) == Link.BAD_REQUEST
    assert len(owner.strings("public", slot=HANDLES)) == 2


def test_nobody_gets_the_key_of_another(service: Service) -> None:
    one, other = Owner(service), Owner(service)
    one.strings("load", scalar(5), slot=3)
    assert other.code("wrap", slot=3) == Status.NO_KEY


def test_a_device_with_keys_is_refused(device: SchemeDevice) -> None:
    device.zeroize(reset=True)
    device.run("load", scalar(5), slot=3)
    with pytest.raises(Unsupported, match="a key in a slot"):
        Service(device, {}, DEVICE_KEY)
