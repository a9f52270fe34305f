# SPDX-License-Identifier: Apache-2.0
"""A word engine as a device: by itself, behind a device server, on the system on chip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ecsm
from ecsm.curves.own import BadCurve
from ecsm.device.base import Device, DeviceError, Info, NoDevice, Part
from ecsm.device.frame import Ask, request
from ecsm.device.opening import open_device
from ecsm.device.remote import RemoteDevice
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import Service
from ecsm.device.word import WordDevice
from ecsm.names import UnknownName
from ecsm.presets.table import any_preset
from ecsm.schemes.numbers import ABSENT, by_number
from ecsm.soc.serial import SerialSoc
from ecsm.status import NoKey, Status, Unsupported
from tests.curves.test_own import FRP256, p256, renamed
from tests.device.serving import serving
from tests.schemes.model import Model

PRESET = "word-p256"
MODEL = Model(any_preset(PRESET).curve)
D = MODEL.curve.n * 3 // 7
OPERATIONS = (
    "load", "forget", "seed", "seed-test", "generate", "public", "ecdh", "ecdh-cofactor", "sha256",
    "sign-sha256", "verify-sha256", "self-test",
)  # fmt: skip


@pytest.fixture(scope="module")
def core() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture(params=["sim", "unix"])
def device(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Device]:
    """A device that ecsm.open returns for an address."""
    if request.param == "sim":
        with ecsm.open(f"sim:{PRESET}") as made:
            yield made
        return
    place = tmp_path / "s"
    with serving(place, "--preset", PRESET), ecsm.open(f"unix:{place}") as made:
        yield made


def works(device: Device) -> None:
    """Keys, signatures, agreement and a digest are as the model has them."""
    device.run("load", MODEL.scalar(D), slot=1)
    public, digest = MODEL.public(D), hashlib.sha256(b"a message").digest()
    assert device.run("public", slot=1).strings == public
    signature = device.run("sign-sha256", digest, slot=1).strings
    assert signature == MODEL.sign(D, digest, "sha256")
    device.run("verify-sha256", *public, digest, *signature)
    peer = MODEL.curve.mul(77, MODEL.curve.generator)
    assert device.run("ecdh", *MODEL.strings(peer), slot=1).strings == (MODEL.secret(D, peer),)
    with pytest.raises(NoKey):
        device.run("public")


def test_it_runs_its_schemes(device: Device) -> None:
    works(device)
    assert device.run("public", slot=1).cycles == device.last_cycles > 100_000
    parts = [b"abc" * 1000, b"", b"d" * 70_000]
    found = list(device.stream("sha256", message=parts))
    assert found == [Part(0, hashlib.sha256(b"".join(parts)).digest())]
    with pytest.raises(UnknownName, match="there is no operation 'sha1'"):
        device.run("sha1", b"abc")


def test_it_has_no_kp_by_itself(device: Device) -> None:
    g = MODEL.curve.generator
    calls: tuple[Callable[[], object], ...] = (
        lambda: device.kp(1, g), lambda: device.double_kp(1, 1, g),
        lambda: device.kp_many([(1, g)]), lambda: device.as_completed([(1, g)]),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(Unsupported, match="runs schemes, not kP by itself"):
            call()
    info = device.info()
    assert isinstance(info, Info)
    assert (info.preset, info.curve, info.scalar_bits, info.cycles) == (PRESET, "secp256r1", 256, 0)


def test_a_farm_of_it_there_is_not() -> None:
    with pytest.raises(UnknownName, match="has schemes and no kP port"):
        open_device(f"sim:{PRESET}*2")


def test_frames_have_the_machines_numbers(core: SchemeDevice) -> None:
    """What it has by its number; other numbers, those between them too, are unsupported."""
    service, owner = Service(core), object()
    numbered = by_number(core.program)
    info = service.answer(owner, request(Ask.INFO, 1, 0, 0)).strings
    assert info[3].decode().split() == list(numbered)
    assert (numbered.index("sha256"), numbered[20], len(numbered)) == (21, ABSENT, 31)
    answer = service.answer(owner, request(21, 1, 0, 0, b"abc"))
    assert answer.strings == (hashlib.sha256(b"abc").digest(),)
    absent = [code for code in range(64) if code >= 31 or numbered[code] == ABSENT]
    assert len(absent) == 64 - len(core.operations)
    for code in absent:
        for strings in ((), (b"abc",), (b"abc",) * 5):
            answer = service.answer(owner, request(code, 1, 0, 0, *strings))
            assert answer.code == Status.UNSUPPORTED, code


def test_what_it_is_when_another_curve_was_chosen(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(FRP256)
    with ecsm.open("sim:word-prime") as made:
        assert isinstance(made, WordDevice)
        for curve, name, bits in (
            ("P-521", "word-prime-p521", 521), (str(file), f"word-prime:{file}", 256),
            ("P-384", "word-prime", 384),
        ):  # fmt: skip
            made.choose(curve)
            info = made.info()
            assert (info.curve, info.scalar_bits) == (made.curve.name, bits)
            assert (info.preset, info.uri, made.uri) == (name, f"sim:{name}", f"sim:{name}")
            with ecsm.open(made.uri) as again:
                assert again.info() == info
        made.choose(str(file))
        file.unlink()  # what a chosen curve was of is not needed any more
        made.zeroize(reset=True)
        assert made.info().curve == "frp256v1"
        made.choose("P-256")
        for wrong in (None, 5, b"P-256"):
            with pytest.raises(TypeError, match="by its name"):
                made.choose(wrong)  # type: ignore[arg-type]
        works(made)


def test_a_curve_that_was_not_chosen_changes_nothing() -> None:
    """While an operation runs no tables are loaded, and none into a closed device."""
    made = ecsm.open("sim:word-prime")
    assert isinstance(made, WordDevice)
    before = made.info(), made.uri, made.curve, made.operations
    with made:
        made.run("load", (5).to_bytes(48, "big"))
        public = made.run("public").strings
        running = made.begin("sha256")
        with pytest.raises(DeviceError, match="not exhausted"):
            made.choose("P-521")
        running.feed(b"abc", last=True)
        assert (made.info(), made.uri, made.curve, made.operations) == before
        assert made.run("public").strings == public
        made.zeroize(reset=True)
        assert (made.info(), made.uri) == before[:2]
    with pytest.raises(DeviceError, match="closed"):
        made.choose("P-256")
    assert (made.info(), made.uri, made.curve, made.operations) == before


def test_a_curve_that_the_engine_has_no_place_for_is_not_chosen(tmp_path: Path) -> None:
    """Its tables are of another memory: what is computed with them is wrong."""
    file = tmp_path / "mine.toml"
    file.write_text(renamed("P-224", "mine"))
    with ecsm.open("sim:word-up5k") as made:
        assert isinstance(made, WordDevice)
        with pytest.raises(BadCurve, match=r"mine\.toml are not for the module of word-up5k"):
            made.choose(str(file))
        made.run("seed")
        works(made)


def test_no_link_names_a_curve_of_ones_own(tmp_path: Path) -> None:
    """So it is refused before anything is compiled; one with a known name is that curve."""
    file = tmp_path / "mine.toml"
    file.write_text(FRP256)
    with pytest.raises(NoDevice, match="a curve of your own"):
        ecsm.open(f"soc:word-prime:{file}")
    with pytest.raises(NoDevice, match="a curve of your own"):
        SerialSoc(f"schemes-word-prime:{file}")
    file.write_text(p256("secp256r1"))
    place = tmp_path / "s"
    with serving(place, "--preset", f"word-prime:{file}"), ecsm.open(f"unix:{place}") as made:
        works(made)


def test_on_the_system_on_chip() -> None:
    with ecsm.open(f"soc:{PRESET}") as made:
        assert isinstance(made, RemoteDevice)
        works(made)
        assert made.operations == OPERATIONS
        # Its firmware refuses a number between those that the machine has.
        made.operations, made._numbered = (*OPERATIONS, "ecmqv"), (*made._numbered[:8], "ecmqv")
        with pytest.raises(Unsupported):
            made.run("ecmqv", *MODEL.public(5), *MODEL.public(6), slot=1)
        assert made.run("public", slot=1).strings == MODEL.public(D)
    with pytest.raises(DeviceError, match="closed"):
        made.run("public", slot=1)


def test_tables_on_a_system_on_chip() -> None:
    """The program loads the tables through libecsm, and serves the curve that they are of."""
    model = Model(any_preset("word-prime-p521").curve)
    d, digest = model.curve.n // 3, hashlib.sha512(b"a message").digest()
    with ecsm.open("soc:word-prime-p521") as made:
        made.run("load", model.scalar(d))
        assert made.run("public").strings == model.public(d)
        signature = made.run("sign-sha512", digest).strings
        assert signature == model.sign(d, digest, "sha512")
        made.run("verify-sha512", *model.public(d), digest, *signature)
        with pytest.raises(Unsupported):
            made.run("verify-sha512", *model.public(d), digest[1:], *signature)
        with pytest.raises(NoKey):
            made.run("public", slot=3)
