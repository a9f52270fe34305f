# SPDX-License-Identifier: Apache-2.0
"""What the payer makes is what the standards say: openssl verifies it, libcrypto opens it."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from ecsm.demo.echeque.cheque import Cheque
from ecsm.demo.echeque.core import Core, offered, placed
from ecsm.demo.echeque.keys import KeyFileError, Keys
from ecsm.demo.echeque.message import BadMessage, Message, decode
from ecsm.demo.echeque.parties import Devices, Parties
from ecsm.presets.table import binary_preset
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.results.kept import RESULTS
from ecsm.schemes.encoding import public_pem, read_key, signature_der
from tests.demo.echeque.conftest import PRESET, TODAY
from tests.rtl.symmetric.model import kdf
from tests.schemes.model import ctr

GOOD = Cheque("Alice", "Zoë", 1250, TODAY, 1)


def keys_of(parties: Parties, tmp_path: Path) -> tuple[Path, Path]:
    del parties
    data = tmp_path / "data"
    name = f"{binary_preset(PRESET).curve.name}.pem"
    return data / "payers" / "keys" / f"alice.{name}", data / "bank" / "keys" / f"bank.{name}"


def opened(m: Message, bank: Path, libcrypto: ModuleType) -> bytes:
    """Open a message by libcrypto's point and a textbook's cipher; ``bank``: the key's file."""
    private, half = read_key(bank.read_bytes()), len(m.r) // 2
    assert private.d is not None
    point = (int.from_bytes(m.r[:half], "big"), int.from_bytes(m.r[half:], "big"))
    secret = libcrypto.kp(m.curve.name, private.d, point)
    key = kdf("sha256", secret[0].to_bytes(m.curve.octets, "big"), 32, 1)
    return ctr(key, m.iv, m.sealed)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
def test_openssl_and_libcrypto_open_and_verify_a_message(
    parties: Parties, devices: Devices, tmp_path: Path, libcrypto: ModuleType
) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    alice, bank = keys_of(parties, tmp_path)
    plain = opened(decode(written.message), bank, libcrypto)
    at = len(plain) - 2 * devices.bank.order_octets
    text, signature = plain[:at], plain[at:]
    assert text == GOOD.encode()

    (tmp_path / "text").write_bytes(text)
    (tmp_path / "alice.pub").write_bytes(public_pem(read_key(alice.read_bytes())))
    size = len(signature) // 2
    (tmp_path / "der").write_bytes(signature_der(signature[:size], signature[size:]))
    done = subprocess.run(
        ["openssl", "dgst", "-sha256", "-verify", "alice.pub", "-signature", "der", "text"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "Verified OK\n", done.stderr


def test_steps_have_octets_and_cycles(parties: Parties, devices: Devices) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    steps = {s.name: s for s in written.trail.steps}
    assert dict(steps["Hash"].octets)["digest"] == hashlib.sha256(GOOD.encode()).digest()
    assert dict(steps["Send"].octets)["message"] == written.message
    kp = 20_843  # cycles of one; a number that is not below the order is drawn again, in a thousand
    assert kp < (steps["Sign"].cycles or 0) < 2 * kp
    assert 3 * kp < (steps["Encrypt to the bank"].cycles or 0) < 4 * kp
    assert written.trail.cycles == sum(s.cycles or 0 for s in written.trail.steps)


def test_no_private_key_is_in_what_is_kept(
    parties: Parties, devices: Devices, tmp_path: Path
) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    parties.bank.receive(written.message, devices.bank)
    secrets = [read_key(p.read_bytes()).scalar for p in keys_of(parties, tmp_path)]
    kept = [p for p in (tmp_path / "data").rglob("*.sqlite*") if p.is_file()]
    assert len(kept) >= 3
    for path in kept:
        octets = path.read_bytes()
        for secret in secrets:
            assert secret not in octets
            assert secret.hex().encode() not in octets
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_the_slot_is_empty_when_the_turn_is_over(parties: Parties, devices: Devices) -> None:
    from ecsm.status import NoKey

    parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    with pytest.raises(NoKey):
        devices.payer._device.run("public")


# ------------------------------------------------------------------ keys


def test_keys_are_their_owners_alone_and_stay(tmp_path: Path, devices: Devices) -> None:
    keys = Keys(tmp_path / "keys")
    first = keys.of("alice", devices.payer)
    assert Keys(tmp_path / "keys").of("alice", devices.payer) == first
    assert keys.of("bob", devices.payer) != first
    assert first.public == devices.payer.curve.mul(first.d or 0, devices.payer.curve.generator)
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    for path in (tmp_path / "keys").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(first.d) not in repr(first)


def test_a_key_that_others_may_read_is_refused(tmp_path: Path, devices: Devices) -> None:
    keys = Keys(tmp_path)
    keys.of("alice", devices.payer)
    (path,) = tmp_path.glob("*.pem")
    path.chmod(0o640)
    with pytest.raises(KeyFileError, match="others may read"):
        keys.of("alice", devices.payer)


def test_a_key_that_cannot_be_kept_leaves_nothing(
    tmp_path: Path, devices: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "a file system without links")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(PermissionError):
        Keys(tmp_path).of("alice", devices.payer)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_key_of_the_curve_is_refused(tmp_path: Path, devices: Devices) -> None:
    keys = Keys(tmp_path)
    good = keys.of("alice", devices.payer)
    (path,) = tmp_path.glob("*.pem")
    for octets in (b"", b"nonsense", public_pem(good)):
        path.write_bytes(octets)
        with pytest.raises(KeyFileError) as caught:
            keys.of("alice", devices.payer)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="word"):
        keys.of("../alice", devices.payer)


# ------------------------------------------------------------------ messages, presets, clocks


def test_a_message_is_its_parts(parties: Parties, devices: Devices) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    m = decode(written.message)
    assert m.encode() == written.message
    assert [name for name, _ in m.parts()] == ["head", "R", "IV", "encrypted"]
    for bad in (b"", b"EC1", b"XC1" + written.message[3:], written.message[:71], bytes(5000)):
        with pytest.raises(BadMessage):
            decode(bad)


@pytest.mark.parametrize("preset", ["word-full-b233", "word-full-p256"])
def test_a_cheque_on_a_word_engine(
    preset: str, tmp_path: Path, libcrypto: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made, opened by libcrypto's point and a textbook's cipher, booked by the bank."""
    parties = Parties(tmp_path / "data", preset)
    monkeypatch.setattr(parties.bank, "_today", lambda: TODAY)
    devices = parties.devices.now(preset, lambda _: None)
    cheque = replace(GOOD, payee="Bob")
    try:
        written = parties.payers.write(cheque, parties.bank.public(devices.bank), devices.payer)
        bank = tmp_path / f"data/bank/keys/bank.{devices.bank.curve.name}.pem"
        plain = opened(decode(written.message), bank, libcrypto)
        assert plain.startswith(cheque.encode())
        assert parties.bank.receive(written.message, devices.bank).verdict == "booked"
    finally:
        devices.payer.close()
        devices.bank.close()


def test_presets_that_have_schemes_are_offered() -> None:
    names = {p.name for p in offered()}
    assert {"b163-small", "b233-small", "p256-fast", "k163"} <= names
    assert not {"x25519", "ed25519", "toy7-fast", "toyp8-k"} & names
    assert all(not p.variable_time for p in offered() if not isinstance(p, WordPreset))
    words = {p.name for p in offered() if isinstance(p, WordPreset)}
    full = {name for name in WORD_PRESETS if name.startswith("word-full")}
    # No masks, no EC-AES, a curve that key files do not name.
    assert words == full - {"word-full-none", "word-full-x25519", "word-full-sm2"}


def test_the_placed_clock_is_that_of_the_results() -> None:
    assert placed("b233-fast") is None
    found = placed("b163-small")
    if (RESULTS / "pnr" / "b163-small.json").exists():
        assert found is not None
        assert 50 < found.mhz < 200
        assert "LFE5U" in found.device


def test_a_core_of_another_curve_reads_no_other_messages(
    parties: Parties, devices: Devices
) -> None:
    written = parties.payers.write(
        replace(GOOD, payee="Bob"), parties.bank.public(devices.bank), devices.payer
    )
    foreign = written.message.replace(b"sect163r2", b"sect163r1")
    assert parties.bank.receive(foreign, devices.bank).verdict == "unreadable"
    assert isinstance(devices.bank, Core)
