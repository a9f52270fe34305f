# SPDX-License-Identifier: Apache-2.0
"""What a caller gives is converted once, or refused before anything happens; on every device."""

from __future__ import annotations

import array
import contextlib
import hashlib
import itertools
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ecsm
from ecsm.curves import curve
from ecsm.device.base import Device, DeviceError
from ecsm.device.request import BadRequest, request
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import Service
from ecsm.names import UnknownName
from ecsm.schemes.inputs import flags_of, inputs, streamed
from ecsm.status import CoreError, NoKey
from tests.device.serving import serving
from tests.device.test_serial import Firmware

PRESET, C = "b163-small", curve("sect163r2")
KINDS = ("sim", "unix", "serial", "soc")
REFUSED = (TypeError, ValueError, UnknownName, CoreError, DeviceError)
"""What a call may raise, whatever it is given."""

ENDLESS = st.builds(itertools.count)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 200), 1 << 200),
    st.floats(),
    st.complex_numbers(),
    st.text(alphabet=string.printable + "٣\ud800", max_size=8),
    st.binary(max_size=40),
    st.binary(max_size=40).map(bytearray),
    st.binary(max_size=40).map(lambda octets: memoryview(octets)),
    st.lists(st.integers(), max_size=4),
    st.tuples(st.integers(), st.integers()),
    st.dictionaries(st.integers(), st.integers(), max_size=3),
    st.integers(-(1 << 63), (1 << 63) - 1).map(np.int64),
    st.lists(st.integers(0, 255), max_size=5).map(np.array),
    st.lists(st.none(), max_size=3).map(lambda v: np.array(v, dtype=object)),
    st.sampled_from([np.datetime64("2020"), np.float32(1), np.bool_(True), np.array("x")]),
    st.builds(object),
    st.sampled_from([int, print, Ellipsis, NotImplemented, range(3), ecsm]),
    ENDLESS,
)


def octets(d: int) -> bytes:
    return d.to_bytes(21, "big")


@pytest.fixture(scope="module", params=KINDS)
def device(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Device]:
    """A device of each kind, with the key 5 in slot 1."""
    match request.param:
        case "unix":
            place = tmp_path_factory.mktemp("server") / "socket"
            with serving(place, "--preset", PRESET), ecsm.open(f"unix:{place}") as made:
                yield with_key(made)
        case "serial":
            with SchemeDevice(PRESET) as core:
                firmware = Firmware(Service(core))
                firmware.start()
                with ecsm.open(f"serial:{firmware.port}?timeout=30") as made:
                    yield with_key(made)
                firmware.stop()
        case kind:
            with ecsm.open(f"{kind}:{PRESET}") as made:
                yield with_key(made)


def with_key(device: Device) -> Device:
    device.run("load", octets(5), slot=1)
    return device


def unharmed(device: Device) -> None:
    """The key is there, and slots beside it are empty."""
    x, y = C.mul(5, C.generator) or (0, 0)
    assert device.run("public", slot=1).strings == (octets(x), octets(y))
    with pytest.raises(NoKey):
        device.run("public", slot=0)


def test_a_slot_that_there_is_not(device: Device) -> None:
    """Also one whose lowest bits are those of a slot with a key."""
    for slot in (64, 65, 100, 255, 256, 257, 1 << 32 | 1, -1, -255):
        for operation, strings in (("load", (octets(7),)), ("public", ()), ("forget", ())):
            with pytest.raises(BadRequest, match="slot"):
                device.run(operation, *strings, slot=slot)
    unharmed(device)


def test_flags_that_an_operation_has_not(device: Device) -> None:
    for operation, strings in (("load", (octets(7),)), ("public", ()), ("generate", ())):
        for flags in (1 << 7, 1 << 8, -1, 1 << 32):
            with pytest.raises(BadRequest, match="flags"):
                device.run(operation, *strings, slot=1, flags=flags)
    unharmed(device)


def test_another_number_of_strings(device: Device) -> None:
    for operation, strings in (
        ("load", ()), ("load", (octets(7), b"")), ("forget", (b"",)), ("ecdh", (octets(5),)),
        ("public", (octets(5),)), ("sha256", (b"a", b"b")), ("sign-sha256", ()),
        ("sign-sha256", (bytes(32), b"x")), ("generate", (b"",)),
    ):  # fmt: skip
        with pytest.raises(BadRequest, match="takes"):
            device.run(operation, *strings, slot=1)
    unharmed(device)


class Feigned(bytes):
    """Octets that are converted to others."""

    def __bytes__(self) -> bytes:
        return b"others"


def test_strings_are_taken_by_their_octets(device: Device) -> None:
    words = array.array("I", [1, 2, 0x01020304])
    same: list[Any] = [
        bytearray(words.tobytes()), memoryview(words), np.array(words, dtype=np.uint32),
        memoryview(words.tobytes() * 2)[: 4 * 3], words, Feigned(words.tobytes()),
    ]  # fmt: skip
    for given_ in same:
        (digest,) = device.run("sha256", given_).strings
        assert digest == hashlib.sha256(words.tobytes()).digest()
    wrong: list[Any] = ["text", 5, None, [1, 2], np.array([object()])]
    for given_ in wrong:
        with pytest.raises(TypeError, match="buffer"):
            device.run("sha256", given_)
    unharmed(device)


def test_integers_of_numpy(device: Device) -> None:
    x, y = C.mul(5, C.generator) or (0, 0)
    flags: Any = np.uint8(0)
    for kind in (np.int64, np.uint8, np.int16):
        slot: Any = kind(1)
        assert device.run("public", slot=slot, flags=flags).strings == (octets(x), octets(y))
    for wrong in (1.0, "1", None, np.float64(1), np.array([1])):
        with pytest.raises(TypeError, match="slot is an integer"):
            device.run("public", slot=wrong)  # type: ignore[arg-type]


def test_operations_by_name(device: Device) -> None:
    names: list[Any] = ["sing", "", "public ", "PUBLIC"]
    for name in names:
        with pytest.raises(UnknownName, match="no operation"):
            device.run(name)
    for name in (5, None, b"public", ["public"]):
        with pytest.raises(TypeError, match="named by a text"):
            device.run(name)  # type: ignore[arg-type]
    unharmed(device)


def test_whatever_is_thrown_at_it(device: Device) -> None:
    """Nothing but what is documented is raised, and the key stays."""

    @settings(max_examples=300)
    @given(ANYTHING, st.lists(ANYTHING, max_size=4), ANYTHING, ANYTHING)
    def throw(operation: Any, strings: Any, slot: Any, flags: Any) -> None:
        for name in (operation, "public", "load", "ecdh"):
            with contextlib.suppress(*REFUSED):
                device.run(name, *strings, slot=slot, flags=flags)
        for message in (strings, slot):
            with contextlib.suppress(*REFUSED):
                list(device.stream("ec-aes-encrypt", *strings, message=message, flags=flags))

    throw()
    device.run("forget", slot=0)  # where a key may have got
    unharmed(device)


def test_a_point_has_places() -> None:
    """Of a set nobody says which number is x."""
    g = curve("toy7a").generator
    with ecsm.open("sim:toy7-fast") as made:
        device: Any = made
        for wrong in (set(g), frozenset(g)):
            with pytest.raises(TypeError, match="two coordinates"):
                device.kp(5, wrong)
        with pytest.raises(TypeError, match="a scalar and a point"):
            device.kp_many([{5, g}])


@pytest.mark.parametrize("name", ["toy7-fast", "toyp8-v", "toy7-fast*3"])
def test_whatever_is_thrown_at_the_core(name: str) -> None:
    """Every call of a device that computes kP; the core is right afterwards."""
    made = ecsm.open(f"sim:{name}")
    device: Any = made
    g = device._design.preset.curve.generator
    calls: dict[str, Callable[..., Any]] = {
        "kp": device.kp,
        "double_kp": lambda a, b, c=None: device.double_kp(a, b, g if c is None else c),
        "kp_many": lambda a, b: device.kp_many([a, (b, g)]),
        "kp_many of": lambda a, b: device.kp_many(a, b),
        "as_completed": lambda a, b: list(device.as_completed([(1, g), a, (b, g)])),
        "operations": lambda a, b: list(device.operations([(0, 1, g), a, (b, 1, g)])),
        "job": lambda a, b: device.job(a, b, g),
        "job at": lambda a, b: device.job(0, a, b),
        "abort": lambda a, b: device.abort(1, a, b),
        "abort k": lambda a, b: device.abort(a, g, b),
        "run": lambda a, b: device.run("sha256", a, slot=b),
        "open": lambda a, b: ecsm.open(a, b).close(),
        "open sim": lambda a, b: ecsm.open(f"sim:{a}", b).close(),
        "open other": lambda a, b: ecsm.open(f"unix:{a}?{b}").close(),
        "open serial": lambda a, b: ecsm.open(f"serial:{a}?{b}").close(),
    }

    @settings(max_examples=100)
    @given(ANYTHING, ANYTHING)
    def throw(a: Any, b: Any) -> None:
        for call, function in calls.items():
            if "of" in call and isinstance(a, itertools.count):
                continue  # jobs without an end are the caller's
            with contextlib.suppress(*REFUSED):
                function(a, b)

    with made:
        throw()
        assert device.kp(5, g) == device._design.preset.curve.mul(5, g)


def test_what_is_computed_is_what_was_checked(libcrypto: ModuleType) -> None:
    """NumPy's integers, points of any kind of pair, scalars that are a list."""
    del libcrypto
    with ecsm.open("sim:toyp8-v") as device:
        c = device._design.preset.curve  # type: ignore[attr-defined]
        g, number = c.generator, np.int64
        point = c.mul(3, g)
        want = c.add(c.mul(2, g), c.mul(3, point))
        a, b, top = number(2), number(3), number(c.n - 1)
        same: list[Any] = [point, list(point), iter(point), np.array(point), dict.fromkeys(point)]
        for given_ in same:
            assert device.double_kp(a, b, given_) == want  # type: ignore[arg-type]
        jobs: list[Any] = [((a, b), point), [[2, 3], list(point)], ((2, b), iter(point))]
        assert device.kp_many(jobs) == [want] * 3
        assert [done.result() for done in device.as_completed(iter(jobs[:2]))] == [want] * 2
        assert device.kp(top, g) == c.neg(g)  # type: ignore[arg-type]
        many = device.kp_many((number(k), np.array(g)) for k in range(5))  # type: ignore[misc]
        assert many == [c.mul(k, g) for k in range(5)]
        off: Any = iter((1, 2))
        with pytest.raises(CoreError, match="not on"):
            device.kp(5, off)
    for engines in ("٣", "+3", " 3", "3.0", "0x3", "03000"):
        with pytest.raises(DeviceError, match="no device"):
            ecsm.open(f"sim:toy7-fast*{engines}")


def test_every_operation_says_what_it_takes() -> None:
    """The table of strings and flags has every operation of every machine, and no flag too many."""
    operations = SchemeDevice(PRESET).operations
    for name in operations:
        good = [b""] * inputs(name)
        assert request(operations, name, good, 0, 0).strings == tuple(good)
        for flags in range(256):
            given_ = [b""] * inputs(name, flags)
            if flags & ~flags_of(name):
                with pytest.raises(BadRequest):
                    request(operations, name, given_, 0, flags)
            else:
                assert request(operations, name, given_, 0, flags).flags == flags
        if not streamed(name):
            with pytest.raises(BadRequest, match="in parts"):
                request(operations, name, good[:-1], 0, 0, opened=True)


def test_paths_of_devices_that_are_none(tmp_path: Path) -> None:
    for address in (
        "unix:\0", "serial:\0", "unix:" + "x" * 300, f"serial:{tmp_path}", "unix:\ud800",
        "serial:\ud800", "serial:/dev/null", "unix:/dev/null", "unix:a?timeout=٣",
    ):  # fmt: skip
        with pytest.raises(DeviceError):
            ecsm.open(address)
