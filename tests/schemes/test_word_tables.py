# SPDX-License-Identifier: Apache-2.0
"""Tables of a curve that a word engine takes from the host: what is whole, what is refused."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.own import BadCurve
from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.machines import machine
from ecsm.hdl.word_image import Load, image
from ecsm.names import UnknownName
from ecsm.oracle import rawkeys
from ecsm.presets.word import WORD_PRESETS, word_preset
from ecsm.schedule.sequential import program as assembler
from ecsm.schemes.word.program import word_program
from ecsm.status import NoKey, SignatureInvalid, Unsupported
from tests.curves.test_own import FRP256
from tests.schemes.conftest import SEED
from tests.schemes.model import Model

PRESET = "word-prime-p256"
CURVES, DUAL = (
    [p.curve_name for p in WORD_PRESETS.values()
     if p.netlist == netlist and p.protected and p.weierstrass]
    for netlist in ("word-prime", "word-dual")
)  # fmt: skip
D = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468
# Of the longest numbers, y^2 = x^3 + b, made by complex multiplication (discriminant -3). Their
# primes have no sparse form, so their products are the longest.
DENSE = {
    name: f'name = "{name}"\na = "0"\n' + "".join(f'{k} = "{v}"\n' for k, v in numbers.items())
    for name, numbers in {
        "cm520": {
            "b": "5", "x": "2",
            "p": "0x9020378a28c43c2e3fbeb6a64e4afdcb059f5d14d0bfe60b7bf302dd65d7663418"
            "db9dc0b74caf64832578c5962b75c5c9b4aaea318334d57f1a8b455e3b50394d",
            "y": "0x70086777d70f48fd77857f8332c65561b90cd33d9986ab8708d8815e5df674be65"
            "4dd82a401d640cfd5c5e6a0c0fd4394948f653e2f9a48f557d781ae78da70ce",
            "n": "0x9020378a28c43c2e3fbeb6a64e4afdcb059f5d14d0bfe60b7bf302dd65d766340f"
            "106e01471fb7550fb3b51e704b8de49565309d8fb75f960946389ec4dfbd5b57",
        },
        "cm521": {
            "b": "6", "x": "3",
            "p": "0x1d48fa89d1c252a7909e2002b4aeafbadcba8cca16377e1082117284d9238c3bb5"
            "ccba52e788e1b4d42d6e0dae9cfc32a023a10e158fe9ec9ae5460d528b037e0bf",
            "y": "0x1b743e42e4cfeb60f234b1c57aeae1d94ac0986e3890ddac119354f8829d90fc30"
            "4e6c7cf4417e10cfcd7b21395387282592e7a6d9df5aaf397f38a7b51b50d5cc0",
            "n": "0x1d48fa89d1c252a7909e2002b4aeafbadcba8cca16377e1082117284d9238c3bb6"
            "753270e4d1abe84442a463861809519bba97bf9588e1a8683dc1938692ecbb703",
        },
    }.items()
}  # fmt: skip


@pytest.fixture(scope="module")
def device() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture(scope="module")
def tables() -> bytes:
    return image(word_program(WORD_PRESETS[PRESET]).built)


def ended(words: bytes) -> bytes:
    """Return words with the end that is right for them."""
    return words + (Load.END << 60 | zlib.crc32(words)).to_bytes(8, "big")


def word(kind: int, address: int, data: int) -> bytes:
    return (kind << 60 | address << 48 | data).to_bytes(8, "big")


@pytest.fixture(scope="module")
def dual() -> Iterator[SchemeDevice]:
    with SchemeDevice("word-dual-b163") as made:
        yield made


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_is_chosen(name: str, device: SchemeDevice) -> None:
    _computes(name, device)


@pytest.mark.parametrize("name", DUAL)
def test_a_curve_of_either_kind_is_chosen(name: str, dual: SchemeDevice) -> None:
    """One after the other: a binary one's tables leave nothing to a prime one's, and back."""
    _computes(name, dual)
    if name == DUAL[-1]:
        _computes(DUAL[0], dual)


def _computes(name: str, device: SchemeDevice) -> None:
    """Choose a curve: keys of the curve before are gone, and the new one computes."""
    device.choose(name)
    assert device.curve == curve(name)
    model = Model(device.curve)
    with pytest.raises(NoKey):
        device.run("public")
    device.run("load", model.scalar(D))
    assert device.run("public").strings == model.public(D)
    for i in range(4):  # of curves with a random order some nonces are drawn again
        for digest, octets in (("sha256", 32), ("sha384", 48), ("sha512", 64)):
            message = random.Random(i).randbytes(octets)
            signature = model.sign(D, message, digest)
            assert device.run(f"sign-{digest}", message).strings == signature
            device.run(f"verify-{digest}", *model.public(D), message, *signature)
    other = curve(name).mul(9, curve(name).generator)
    assert device.run("ecdh", *model.strings(other)).strings == (model.primitive(D, other),)
    secret = model.primitive(D, other, cofactor=True)
    assert device.run("ecdh-cofactor", *model.strings(other)).strings == (secret,)


def test_the_function_of_rfc_7748_is_chosen(device: SchemeDevice) -> None:
    device.choose("X25519")
    with pytest.raises(NoKey):
        device.run("public")
    device.run("load", bytes(range(32)))
    (found,) = device.run("public").strings
    assert found == rawkeys.x25519(bytes(range(32)), (9).to_bytes(32, "little"))
    device.choose("P-256")
    assert "x25519" not in device.operations


def test_a_curve_that_has_no_tables(device: SchemeDevice) -> None:
    with pytest.raises(UnknownName, match=r"no curve of word-prime.* 'sect163r2'"):
        device.choose("sect163r2")
    with SchemeDevice("word-p256") as other, pytest.raises(UnknownName, match="no curve of"):
        other.choose("P-384")


def test_a_curve_of_ones_own(device: SchemeDevice, tmp_path: Path) -> None:
    """A file is enough: no netlist is made anew."""
    file = tmp_path / "frp.toml"
    file.write_text(FRP256)
    device.choose(str(file))
    assert device.machine.name == f"word-prime:{file}"
    model, digest = Model(device.curve), bytes(range(48))
    device.run("load", model.scalar(D))
    r, s = device.run("sign-sha384", digest).strings
    assert (r, s) == model.sign(D, digest, "sha384")
    device.run("verify-sha384", *model.public(D), digest, r, s)
    with pytest.raises(SignatureInvalid):
        device.run("verify-sha384", *model.public(D + 1), digest, r, s)
    assert device.run("ecdh", *model.public(9)).strings == (model.public(9 * D)[0],)


@pytest.mark.parametrize("name", DENSE)
def test_a_curve_whose_walks_are_long(name: str, device: SchemeDevice, tmp_path: Path) -> None:
    """With a walk of squares they have no room: squares are products then."""
    file = tmp_path / "dense.toml"
    file.write_text(DENSE[name])
    device.choose(str(file))
    model, d = Model(device.curve), device.curve.n - D
    device.run("load", model.scalar(d))
    assert device.run("public").strings == model.public(d)
    for digest, octets in (("sha256", 32), ("sha384", 48), ("sha512", 64)):
        message = random.Random(octets).randbytes(octets)
        signature = device.run(f"sign-{digest}", message).strings
        assert signature == model.sign(d, message, digest)
        device.run(f"verify-{digest}", *model.public(d), message, *signature)
    assert device.run("ecdh", *model.public(9)).strings == (model.public(9 * d)[0],)


def test_the_longest_verification_ends_and_costs_no_key(device: SchemeDevice) -> None:
    """Anybody can make such a signature: u1 G + u2 Q is infinite, and is computed bit by bit."""
    device.choose("brainpoolP512r1")
    model, n = Model(device.curve), device.curve.n
    device.run("load", model.scalar(D))
    digest = bytes(63) + b"\5"
    r = -5 * pow(D, -1, n) % n
    with pytest.raises(SignatureInvalid):
        device.run("verify-sha512", *model.public(D), digest, model.scalar(r), model.scalar(7))
    assert device.run("public").strings == model.public(D)


def test_a_curve_without_a_program_is_no_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not fit at all is said in one line, and by the file's name."""
    file = tmp_path / "dense.toml"
    file.write_text(DENSE["cm520"])
    word_program(WORD_PRESETS["word-prime"])  # its netlist is that of a curve that fits
    monkeypatch.setattr(assembler, "SLOT_ADDRESS_BITS", 10)
    with pytest.raises(BadCurve, match=rf"word-prime:{file}: .*too long"):
        machine(f"word-prime:{file}")


def test_a_curve_that_has_no_place_is_told_by_its_bits(tmp_path: Path) -> None:
    """And which engine may have it."""
    file = tmp_path / "mine.toml"
    file.write_text(FRP256)
    said = "word-up5k has no place for the program of a curve with p of 256 bits and n of 256 bits"
    p = word_preset(f"word-up5k:{file}")
    assert p is not None
    with pytest.raises(BadCurve, match=rf"word-up5k:{file}: {said}; word-prime has more room: "):
        word_program(p)


def spoiled(rng: random.Random, tables: bytes) -> bytes:
    """Return tables with one bit that is wrong."""
    at = rng.randrange(8 * len(tables))
    octets = bytearray(tables)
    octets[at // 8] ^= 1 << at % 8
    return bytes(octets)


def appended(text: bytes) -> Callable[[bytes], bytes]:
    """Return what puts a word before the end, which is right for it."""
    return lambda tables: ended(tables[:-8] + text)


REFUSED: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "an end alone, which is not its": lambda _: word(Load.END, 0, 1),
    "no end": lambda tables: tables[:-8],
    "an end that is not whole": lambda tables: tables[:-1],
    "more behind the end": lambda tables: tables + bytes(8),
    "a word that is not whole": lambda tables: ended(tables[:-8] + b"\x10"),
    "a word of no kind": appended(word(Load.NONE, 0, 0)),
    "a word of another kind": appended(word(7, 0, 0)),
    "a start of walk 32": appended(word(Load.START, 32, 0)),
    "a constant in the place of a key": appended(word(Load.MEMORY, 952, 1)),
    "bits where none are": appended(word(Load.SLOT, 0, 1 << 36)),
    "an end with an address": lambda t: t[:-8] + word(Load.END, 1, zlib.crc32(t[:-8])),
    "an end with more bits": lambda t: t[:-8] + word(Load.END, 0, 1 << 32 | zlib.crc32(t[:-8])),
}


@pytest.mark.parametrize("what", REFUSED)
def test_tables_that_are_refused(what: str, device: SchemeDevice, tables: bytes) -> None:
    """Then there is no operation, whatever number it has, until tables come that are whole."""
    device.choose("P-256")
    with pytest.raises(Unsupported):
        device.tables(REFUSED[what](tables))
    for number in range(63):
        with pytest.raises(Unsupported):
            device.run_number(number)
    device.tables(tables)
    model = Model(device.curve)
    device.run("load", model.scalar(5))
    assert device.run("public").strings == model.public(5)


def test_a_wrong_bit_anywhere(device: SchemeDevice, tables: bytes) -> None:
    rng = random.Random(2)
    for _ in range(60):
        with pytest.raises(Unsupported):
            device.tables(spoiled(rng, tables))
    device.choose("P-256")


def test_keys_are_gone_before_tables_come(device: SchemeDevice, tables: bytes) -> None:
    """Those of every slot and the generator's seed, also if the tables are none."""
    device.choose("P-256")
    model = Model(device.curve)
    for given in (tables, tables[:-8]):
        device.zeroize(reset=True)
        device.samples(SEED)
        device.run("seed-test")
        for slot in range(4):
            device.run("load", model.scalar(D + slot), slot=slot)
        try:
            device.tables(given)
        except Unsupported:
            device.tables(tables)
        for slot in range(4):
            with pytest.raises(NoKey):
                device.run("public", slot=slot)


@pytest.mark.parametrize("cycles", [1, 2, 3, 1000, 2400, 9000])
def test_tables_that_are_dropped(cycles: int, device: SchemeDevice, tables: bytes) -> None:
    """A zeroize in any phase: there are no tables then."""
    device.choose("P-256")
    device.run_number(63, tables[: 8 * 4000], stop=cycles)
    with pytest.raises(Unsupported):
        device.run("public")
    device.choose("P-256")


def test_a_reset_drops_tables(device: SchemeDevice) -> None:
    device.choose("P-256")
    assert device._lib.ecsm_scheme_zeroize(device._open(), True, 100_000)
    with pytest.raises(Unsupported):
        device.run("public")
    device.choose("P-256")


def test_what_was_in_the_memory_is_cleared(device: SchemeDevice) -> None:
    """A digest of one curve's program, then another curve's: nothing of the first is there."""
    device.choose("P-521")
    model = Model(device.curve)
    device.run("load", model.scalar(D))
    device.run("public")
    device.choose("P-224")
    model = Model(device.curve)
    device.run("load", model.scalar(7))
    assert device.run("public").strings == model.public(7)
    assert device.run("ecdh", *model.public(9)).strings == (model.public(63)[0],)
