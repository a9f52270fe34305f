# SPDX-License-Identifier: Apache-2.0
"""The PKCS#11 module under python-pkcs11, while servers come, go and change."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pkcs11
import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS
from pkcs11 import KDF, Attribute, KeyType, Mechanism, ObjectClass
from pkcs11.exceptions import (
    AttributeSensitive,
    DeviceError,
    DeviceRemoved,
    KeyHandleInvalid,
    NoSuchKey,
    TokenNotPresent,
    TokenNotRecognised,
)

from ecsm.device.frame import Ask, Decoder, Frame, Kind, encode
from tests.device.serving import serving

# Where a search cannot begin, python-pkcs11 ends it all the same, and warns that it cannot.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PRESET = ("--preset", "p256-fast")
INFO = (b"1", b"fake", b"secp256r1", b"load public sign-sha256", b"web")
POINT = ECC.construct(curve="P-256", d=7).pointQ
X, Y = (int(n).to_bytes(32, "big") for n in (POINT.x, POINT.y))


@pytest.fixture
def place(tmp_path: Path, pkcs11_so: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A socket's place, where the module of this process looks for a server."""
    place = tmp_path / "s"
    monkeypatch.setenv("ECSM_SOCKET", str(place))
    monkeypatch.delenv("ECSM_GROUP", raising=False)
    pkcs11.lib(str(pkcs11_so)).reinitialize()
    yield place
    pkcs11.lib(str(pkcs11_so)).finalize()


@pytest.fixture
def slot(place: Path, pkcs11_so: Path) -> pkcs11.Slot:
    """The slot of that server."""
    (found,) = pkcs11.lib(str(pkcs11_so)).get_slots()
    return found


def new_key(place: Path, name: str = "web") -> ECC.EccKey:
    """Make a key, and a file of it beside the socket."""
    key = ECC.generate(curve="P-256")
    (place.parent / f"{name}.pem").write_text(key.export_key(format="PEM"))
    return key


def words(place: Path, name: str = "web") -> tuple[str, ...]:
    return (*PRESET, "--key", f"{name}={place.parent / 'web.pem'}")


def objects(session: pkcs11.Session) -> list[str]:
    return [str(one[Attribute.LABEL]) for one in session.get_objects()]


def private(session: pkcs11.Session) -> Any:
    """Return the private key: what one can do is known when it is there, and not to mypy."""
    (found,) = session.get_objects({Attribute.CLASS: ObjectClass.PRIVATE_KEY})
    return found


def signs(key: Any, with_key: ECC.EccKey) -> bool:
    """Whether it signs as PyCryptodome verifies it."""
    signature = key.sign(b"message", mechanism=Mechanism.ECDSA_SHA256)
    DSS.new(with_key, "fips-186-3").verify(SHA256.new(b"message"), signature)
    return True


def test_what_is_said_of_a_key(place: Path, slot: pkcs11.Slot) -> None:
    key = new_key(place)
    with serving(place, *words(place)), slot.get_token().open() as session:
        found = private(session)
        point = key.public_key().export_key(format="raw")
        assert found.id == hashlib.sha1(point).digest()
        assert found[Attribute.SENSITIVE]
        for name in (Attribute.EXTRACTABLE, Attribute.NEVER_EXTRACTABLE, Attribute.MODIFIABLE):
            assert not found[name]
        with pytest.raises(AttributeSensitive):
            found[Attribute.VALUE]
        other = ECC.generate(curve="P-256")
        secret = found.derive_key(
            KeyType.GENERIC_SECRET, 256, template={Attribute.SENSITIVE: False},
            mechanism_param=(KDF.NULL, None, other.public_key().export_key(format="raw")),
        )  # fmt: skip
        product = key.pointQ * other.d
        assert secret[Attribute.VALUE] == int(product.x).to_bytes(32, "big")


def test_keys_are_found_by_name_and_by_identifier(place: Path, slot: pkcs11.Slot) -> None:
    keys = {name: new_key(place, name) for name in ("web", "we", "api")}
    named = [f"--key={name}={place.parent / name}.pem" for name in keys]
    with serving(place, *PRESET, *named), slot.get_token().open() as session:
        assert objects(session) == [name for name in keys for _ in range(2)]
        for name, key in keys.items():
            by_name = session.get_key(object_class=ObjectClass.PRIVATE_KEY, label=name)
            assert signs(by_name, key)
            point = key.public_key().export_key(format="raw")
            by_id = session.get_key(
                object_class=ObjectClass.PRIVATE_KEY, id=hashlib.sha1(point).digest()
            )
            assert by_id == by_name
        with pytest.raises(NoSuchKey):
            session.get_key(label="ap")


def test_a_server_that_begins_anew_goes_on(place: Path, slot: pkcs11.Slot) -> None:
    """A session and an object stay what they are, while there is none they say so."""
    key = new_key(place)
    with pytest.raises(TokenNotPresent):
        slot.get_token()
    with serving(place, *words(place)) as server:
        session = slot.get_token().open()
        found = private(session)
        assert signs(found, key)
        assert server.stop() == 0
    for _ in range(2):
        with pytest.raises(DeviceRemoved):
            signs(found, key)
    with pytest.raises(DeviceRemoved):
        objects(session)
    with serving(place, *words(place)):
        assert signs(found, key)
        assert objects(session) == ["web", "web"]
        assert private(session) == found
        session.close()


def test_another_key_under_the_same_name_is_another_object(place: Path, slot: pkcs11.Slot) -> None:
    key = new_key(place)
    with serving(place, *words(place)):
        session = slot.get_token().open()
        found = private(session)
        assert signs(found, key)
    other = new_key(place)
    with serving(place, *words(place)):
        with pytest.raises(KeyHandleInvalid):
            signs(found, key)
        assert private(session) != found
        assert signs(private(session), other)
    (place.parent / "web.pem").write_text(key.export_key(format="PEM"))
    with serving(place, *words(place, "api")):
        with pytest.raises(KeyHandleInvalid):  # the same key, but under another name
            signs(found, key)
        assert objects(session) == ["api", "api"]
    with serving(place, *words(place)):
        assert signs(found, key)
        session.close()


def test_another_curve_is_another_object(place: Path, slot: pkcs11.Slot) -> None:
    key = new_key(place)
    with serving(place, *words(place)):
        session = slot.get_token().open()
        found = private(session)
        assert signs(found, key)
    binary = place.parent / "b.pem"
    option = "ec_paramgen_curve:B-163"
    make = ("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", option, "-out", binary)
    subprocess.run(make, check=True)
    with serving(place, "--preset", "b163-small", "--key", f"web={binary}"):
        with pytest.raises(KeyHandleInvalid):
            signs(found, key)
        assert private(session)[Attribute.EC_PARAMS] == bytes.fromhex("06052b8104000f")  # B-163
        session.close()


# ------------------------------------------------------------------ servers that are none


class Fake(threading.Thread):
    """Something that listens at a server's place and answers as it is told."""

    def __init__(self, place: Path, info: tuple[bytes, ...], *answers: tuple[bytes, ...]) -> None:
        super().__init__(daemon=True)
        self.info, self.answers = info, answers
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(place))
        self.listener.listen()
        self.start()

    def run(self) -> None:
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            with line:
                self.talk(line)

    def talk(self, line: socket.socket) -> None:
        decoder, left = Decoder(), list(self.answers)
        while octets := line.recv(4096):
            for asked in decoder.feed(octets):
                assert isinstance(asked, Frame)
                if asked.code == Ask.INFO:
                    strings = self.info
                elif left:
                    strings = left.pop(0)
                else:
                    return
                line.sendall(encode(Frame(Kind.ANSWER, 0, asked.tag, 0, strings)))

    def stop(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.mark.parametrize("info", [(b"2", *INFO[1:]), INFO[:4], (b"1", b"\0", *INFO[2:])])
def test_what_is_no_server_is_no_token(
    place: Path, slot: pkcs11.Slot, info: tuple[bytes, ...]
) -> None:
    fake = Fake(place, info)
    with pytest.raises(TokenNotRecognised):
        slot.get_token()
    fake.stop()


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([()], DeviceError),
        ([(X,)], DeviceError),
        ([(X, Y[:-1])], DeviceError),
        ([(X, Y, X)], DeviceError),
        ([(X, Y)], DeviceRemoved),
        ([(X, Y), (X,)], DeviceError),
        ([(X, Y), (X, Y + b"\0")], DeviceError),
    ],
)
def test_a_device_that_answers_something_else(
    place: Path, slot: pkcs11.Slot, answers: list[tuple[bytes, ...]], error: type[Exception]
) -> None:
    """No public key of a wrong length, or signature; a line that ends is a device that is gone."""
    fake = Fake(place, INFO, *answers)
    session = slot.get_token().open()
    with pytest.raises(error):
        private(session).sign(b"message", mechanism=Mechanism.ECDSA_SHA256)
    fake.stop()
    session.close()


def test_a_curve_that_libcrypto_does_not_know_has_no_objects(
    place: Path, slot: pkcs11.Slot
) -> None:
    fake = Fake(place, (b"1", b"toy", b"toy7", *INFO[3:]))
    with slot.get_token().open() as session:
        assert objects(session) == []
    assert slot.get_mechanisms() == set()
    fake.stop()
