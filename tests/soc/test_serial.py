# SPDX-License-Identifier: Apache-2.0
"""The serial device: the SoC's own UART in simulation, over a pseudo-terminal, by `ecsm.open`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ecsm
from ecsm.cli import main
from ecsm.cores.store import design
from ecsm.device.base import DeviceError
from ecsm.device.remote import RemoteDevice
from ecsm.device.request import BadRequest
from ecsm.presets.table import any_preset
from ecsm.schemes.encoding import Key, public_pem
from ecsm.soc.serial import SerialSoc
from ecsm.status import NoKey, PointNotOnCurve
from tests.schemes.model import Model

PRESET = "b163-small"
MODEL = Model(design(PRESET).preset.curve)
D = MODEL.curve.n * 3 // 7


@pytest.fixture(scope="module")
def soc() -> Iterator[SerialSoc]:
    with SerialSoc(f"schemes-{PRESET}") as made:
        yield made


@pytest.fixture
def device(soc: SerialSoc) -> Iterator[RemoteDevice]:
    soc.check()
    soc.disturb(bytes)
    with ecsm.open(f"serial:{soc.path}?timeout=60") as made:
        assert isinstance(made, RemoteDevice)
        made.run("load", MODEL.scalar(D), slot=1)
        yield made
    soc.disturb(bytes)
    soc.check()


def once(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return a line that changes the first octets that come, and is sound then."""
    left = [change]
    return lambda octets: left.pop()(octets) if left else octets


def right(device: RemoteDevice) -> None:
    """The device does what it must, with the key in slot 1."""
    assert device.run("public", slot=1).strings == MODEL.public(D)


def test_a_command_with_a_message_in_parts_is_refused(
    soc: SerialSoc, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``ecsm encrypt --scheme ec-aes`` is one line: a serial line takes no messages in parts."""
    key = Key(MODEL.curve, None, MODEL.curve.generator)
    (tmp_path / "k.pub").write_bytes(public_pem(key))
    (tmp_path / "m").write_bytes(b"a message")
    words = ["--to", str(tmp_path / "k.pub"), "-o", str(tmp_path / "s"), str(tmp_path / "m")]
    assert main(["encrypt", "--scheme", "ec-aes", "--device", f"serial:{soc.path}", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "takes no message in parts" in line
    assert not (tmp_path / "s").exists()


def test_keys_signatures_agreement(device: RemoteDevice) -> None:
    right(device)
    digest = hashlib.sha1(b"a message").digest()
    signed = device.run("sign-sha1", digest, slot=1)
    assert signed.strings == MODEL.sign(D, digest, "sha1")
    assert signed.cycles > 20_000
    x, y = MODEL.public(D)
    device.run("verify-sha1", x, y, digest, *signed.strings)
    peer = MODEL.curve.mul(77, MODEL.curve.generator)
    assert device.run("ecdh", *MODEL.strings(peer), slot=1).strings == (MODEL.secret(D, peer),)
    with pytest.raises(PointNotOnCurve):
        device.run("ecdh", x, x, slot=1)
    message = bytes(i & 0xFF for i in range(1500))
    assert device.run("sha256", message).strings == (hashlib.sha256(message).digest(),)
    assert device.run("sha256", b"").strings == (hashlib.sha256(b"").digest(),)


def test_made_keys_and_sealed_messages(device: RemoteDevice) -> None:
    public = device.run("generate", slot=2).strings
    sealed = device.run("ec-aes-encrypt", *public, b"pay 12.50 to Ada").strings
    assert device.run("ec-aes-decrypt", *sealed, slot=2).strings == (b"pay 12.50 to Ada",)


@pytest.mark.parametrize(
    "change",
    [lambda o: o[:9] + o[10:], lambda o: bytes([*o[:9], o[9] ^ 4]) + o[10:], lambda o: o[:-1]],
    ids=["an octet lost", "a bit turned", "the end lost"],
)
def test_what_the_line_does_to_a_request_is_an_error(
    soc: SerialSoc, device: RemoteDevice, change: Callable[[bytes], bytes]
) -> None:
    device.timeout = 8
    soc.disturb(once(change))
    with pytest.raises(DeviceError):
        device.run("public", slot=1)
    device.timeout = 60
    right(device)


def test_noise_before_a_request_is_told_and_does_no_harm(
    soc: SerialSoc, device: RemoteDevice
) -> None:
    soc.disturb(once(lambda o: bytes(range(20)) + o))
    with pytest.raises(DeviceError, match="damaged"):
        right(device)
    right(device)


def test_reset_in_mid_job_is_an_error_and_takes_the_keys(
    soc: SerialSoc, device: RemoteDevice
) -> None:
    def line(octets: bytes) -> bytes:
        soc.reset(after=30_000)  # the request takes 10,000 cycles, the job 41,000
        return octets

    soc.disturb(once(line))
    with pytest.raises(DeviceError, match="was reset"):
        device.run("generate", slot=2)
    with pytest.raises(NoKey):
        device.run("public", slot=1)
    device.run("load", MODEL.scalar(D), slot=1)
    right(device)


def test_two_clients_at_once(soc: SerialSoc, device: RemoteDevice) -> None:
    with pytest.raises(DeviceError, match="in use"):
        ecsm.open(f"serial:{soc.path}")
    right(device)


def test_a_system_of_its_own() -> None:
    with ecsm.open(f"soc:{PRESET}") as made:
        assert isinstance(made, RemoteDevice)
        made.run("load", MODEL.scalar(D), slot=1)
        right(made)
    made.close()
    with pytest.raises(DeviceError, match="closed"):
        right(made)


@pytest.mark.full
def test_a_word_engine_on_the_line() -> None:
    """Signs, agrees and keeps its key, also behind a request that the line has changed."""
    model, d, digest = Model(any_preset("word-p256").curve), D, bytes(range(32))
    with (
        SerialSoc("schemes-word-p256") as soc,
        ecsm.open(f"serial:{soc.path}?timeout=60") as device,
    ):
        assert isinstance(device, RemoteDevice)
        device.run("load", model.scalar(d), slot=1)
        signed = device.run("sign-sha256", digest, slot=1).strings
        assert signed == model.sign(d, digest, "sha256")
        device.run("verify-sha256", *model.public(d), digest, *signed)
        device.timeout = 8
        soc.disturb(once(lambda o: bytes([*o[:9], o[9] ^ 4]) + o[10:]))
        with pytest.raises(DeviceError):
            device.run("public", slot=1)
        device.timeout = 60
        assert device.run("public", slot=1).strings == model.public(d)
        assert device.run("ecdh", *model.public(77), slot=1).strings == model.public(77 * d)[:1]
        with pytest.raises(NoKey):
            device.run("public", slot=2)
        soc.disturb(bytes)
        soc.check()


def test_what_the_program_does_not_take(device: RemoteDevice) -> None:
    with pytest.raises(BadRequest, match="takes 0 strings, not 1"):
        device.run("public", b"x", slot=1)
    with pytest.raises(BadRequest, match="no such key slot"):
        device.run("public", slot=4)
    with pytest.raises(DeviceError, match="damaged"):
        device.run("sha256", bytes(5000))  # more than it has room for
    right(device)
