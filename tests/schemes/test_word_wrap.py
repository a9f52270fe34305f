# SPDX-License-Identifier: Apache-2.0
"""Keys that a word engine wraps: its RTL against PyCryptodome and openssl."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from Crypto.Cipher import AES

from ecsm.device.schemes import SchemeDevice
from ecsm.schemes.inputs import uses_key
from ecsm.schemes.options import DEVICE
from ecsm.schemes.wrap import semiblocks
from ecsm.status import (
    AuthenticationFailed,
    NoEntropy,
    NoKey,
    ScalarOutOfRange,
    Unsupported,
)

DEVICE_KEY = bytes(range(1, 33))
QUICK = "sect163r2"
CURVES = [
    QUICK,
    "secp256r1",
    *(pytest.param(name, marks=pytest.mark.full)
      for name in ("secp224r1", "sect193r1", "secp521r1", "sect571k1", "brainpoolP512r1")),
]  # fmt: skip
WRAP, UNWRAP = 28, 29


@pytest.fixture(scope="module")
def engine() -> Iterator[SchemeDevice]:
    with SchemeDevice("word-full-b163") as made:
        yield made


@pytest.fixture
def device(engine: SchemeDevice) -> SchemeDevice:
    """The engine with the smallest curve and a device key."""
    return ready(engine, QUICK)


def ready(engine: SchemeDevice, curve: str, key: bytes = DEVICE_KEY) -> SchemeDevice:
    """Choose a curve, which drops all keys; load the device key."""
    engine.choose(curve)
    engine.run("wrap", key, flags=DEVICE)
    return engine


def octets(device: SchemeDevice) -> int:
    return -(-device.curve.n.bit_length() // 8)


def scalar(device: SchemeDevice, d: int) -> bytes:
    return d.to_bytes(octets(device), "big")


def plain(device: SchemeDevice, d: int) -> bytes:
    """Return a private key as it is wrapped."""
    return d.to_bytes(8 * semiblocks(octets(device)), "big")


def wrapped(device: SchemeDevice, d: int, key: bytes = DEVICE_KEY) -> bytes:
    """Return what PyCryptodome makes of a private key."""
    return AES.new(key, AES.MODE_KW).seal(plain(device, d))


def by_openssl(way: str, given: bytes) -> bytes:
    """Return what openssl makes of octets."""
    words = ["openssl", "enc", way, "-id-aes256-wrap", "-K", DEVICE_KEY.hex(), "-iv", "A6" * 8]
    return subprocess.run(words, input=given, capture_output=True, check=True).stdout


@pytest.mark.parametrize("curve", CURVES)
def test_wrapped_keys_are_those_of_a_library_in_the_same_cycles(
    engine: SchemeDevice, curve: str
) -> None:
    cycles = set()
    for key in (DEVICE_KEY, bytes(31) + b"\1", b"\xff" * 32):
        device = ready(engine, curve, key)
        n = device.curve.n
        for slot, d in enumerate((1, n - 1, n // 3, 1 << n.bit_length() - 2)):
            device.run("load", scalar(device, d), slot=slot)
            done = device.run("wrap", slot=slot)
            assert done.strings == (wrapped(device, d, key),)
            other = (slot + 1) % 4
            back = device.run("unwrap", *done.strings, slot=other)
            assert back.strings == ()
            assert device.run("wrap", slot=other).strings == done.strings
            cycles.add((done.cycles, back.cycles))
    assert len(cycles) == 1


def test_openssl_opens_what_is_wrapped_and_wraps_what_is_opened(device: SchemeDevice) -> None:
    device.run("load", scalar(device, 1001))
    (out,) = device.run("wrap").strings
    assert by_openssl("-d", out) == plain(device, 1001)
    device.run("unwrap", by_openssl("-e", plain(device, 2002)), slot=1)
    assert device.run("wrap", slot=1).strings == (wrapped(device, 2002),)


def test_a_generated_key_survives_power_off(device: SchemeDevice) -> None:
    device.run("seed")
    public = device.run("generate", slot=2).strings
    (out,) = device.run("wrap", slot=2).strings
    device.zeroize(reset=True)
    with pytest.raises(NoKey, match=r"no device key$"):
        device.run("unwrap", out)
    device.run("wrap", DEVICE_KEY, flags=DEVICE)
    device.run("unwrap", out)
    assert device.run("public").strings == public
    device.choose(QUICK)
    device.run("wrap", bytes(31) + b"\1", flags=DEVICE)
    with pytest.raises(AuthenticationFailed):
        device.run("unwrap", out)


def test_a_wrong_octet_is_refused_wherever_it_is(device: SchemeDevice) -> None:
    good = wrapped(device, 5)
    device.run("load", scalar(device, 77))
    for i in range(len(good)):
        bad = bytearray(good)
        bad[i] ^= 0x80 >> i % 8
        with pytest.raises(AuthenticationFailed):
            device.run("unwrap", bytes(bad))
        with pytest.raises(AuthenticationFailed):
            device.run("unwrap", bytes(bad), slot=1)
    assert device.run("wrap").strings == (wrapped(device, 77),)
    with pytest.raises(NoKey):
        device.run("public", slot=1)


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_out_of_range_is_refused(engine: SchemeDevice, curve: str) -> None:
    device = ready(engine, curve)
    device.run("load", scalar(device, 77))
    n, most = device.curve.n, 1 << 8 * len(plain(device, 0))
    for d in [0, *(v for v in (n, n + 1, most - 1, most >> 1, most // 2 + 5, most - n) if v >= n)]:
        with pytest.raises(ScalarOutOfRange):
            device.run("unwrap", wrapped(device, d))
    assert device.run("wrap").strings == (wrapped(device, 77),)


@pytest.mark.parametrize("drop", ["zeroize", "reset", "tables"])
def test_the_device_key_goes_with_all_keys(device: SchemeDevice, drop: str) -> None:
    device.run("load", scalar(device, 5))
    if drop == "tables":
        device.choose(QUICK)
    else:
        device.zeroize(reset=drop == "reset")
    device.run("load", scalar(device, 5))
    with pytest.raises(NoKey, match=r"no device key, or the slot is empty$"):
        device.run("wrap")


def test_a_key_that_is_forgotten_leaves_the_device_key(device: SchemeDevice) -> None:
    device.run("load", scalar(device, 5))
    device.run("forget")
    with pytest.raises(NoKey):
        device.run("wrap")
    device.run("load", scalar(device, 6))
    assert device.run("wrap").strings == (wrapped(device, 6),)


@pytest.mark.parametrize("slot", range(4))
def test_no_device_key_comes_behind_a_key(engine: SchemeDevice, slot: int) -> None:
    """Nobody brings a device key of his own to have keys that are there."""
    engine.choose(QUICK)
    engine.run("load", scalar(engine, 5), slot=slot)
    for asked in range(4):
        with pytest.raises(Unsupported, match=r"a device key already, or a key in a slot$"):
            engine.run("wrap", DEVICE_KEY, slot=asked, flags=DEVICE)
    with pytest.raises(NoKey):
        engine.run("wrap", slot=slot)
    engine.run("forget", slot=slot)
    engine.run("wrap", DEVICE_KEY, slot=slot, flags=DEVICE)
    with pytest.raises(Unsupported):
        engine.run("wrap", bytes(32), flags=DEVICE)


def test_a_device_key_of_zeros_is_none(engine: SchemeDevice) -> None:
    engine.choose(QUICK)
    with pytest.raises(ScalarOutOfRange):
        engine.run("wrap", bytes(32), flags=DEVICE)
    engine.run("wrap", DEVICE_KEY, flags=DEVICE)


def test_what_is_not_as_it_must_be(device: SchemeDevice) -> None:
    good = wrapped(device, 5)
    for bad in (good[:-1], good + b"0", good[8:]):
        with pytest.raises(Unsupported, match="the wrapped key has"):
            device.run("unwrap", bad)
    for number in (WRAP, UNWRAP):
        for flags in (2, 3, 0x81) if number == WRAP else (1, 0x80):
            with pytest.raises(Unsupported):
                device.run_number(number, good, flags=flags)
    device.zeroize()
    for wrong in (DEVICE_KEY[1:], DEVICE_KEY + b"0"):
        with pytest.raises(Unsupported, match="the device key has"):
            device.run("wrap", wrong, flags=DEVICE)
    assert uses_key("wrap")
    assert not uses_key("unwrap")


def test_without_noise_a_key_in_two_parts_is_not_put_together(device: SchemeDevice) -> None:
    device.run("load", scalar(device, 5))
    device.samples(silent=True)
    with pytest.raises(NoEntropy):
        device.run("wrap")
    device.samples()
    device.zeroize(reset=True)


def test_other_tables_have_no_wrapped_keys(engine: SchemeDevice) -> None:
    engine.choose("curve25519")
    for number, strings in ((WRAP, ()), (UNWRAP, (bytes(40),))):
        with pytest.raises(Unsupported):
            engine.run_number(number, *strings)
        with pytest.raises(Unsupported):
            engine.run_number(number, DEVICE_KEY, flags=DEVICE)


def test_an_engine_without_protection(engine: SchemeDevice) -> None:
    with SchemeDevice("word-full-none") as device:
        device.run("wrap", DEVICE_KEY, flags=DEVICE)
        device.run("load", scalar(device, 5))
        assert device.run("wrap").strings == (wrapped(device, 5),)
        device.run("unwrap", wrapped(device, 7), slot=1)
        assert device.run("wrap", slot=1).strings == (wrapped(device, 7),)
