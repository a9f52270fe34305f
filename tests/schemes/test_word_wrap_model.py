# SPDX-License-Identifier: Apache-2.0
"""Wrapped keys of the word engine's programs, in the model, against another RFC 3394."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from Crypto.Cipher import AES

from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.machine import Engine
from ecsm.schedule.sequential.words import Aes, Command, Port
from ecsm.schemes.options import DEVICE
from ecsm.schemes.word.program import unchecked, word_operations, word_program
from ecsm.schemes.wrap import semiblocks, wrapped_octets
from ecsm.status import Status
from tests.schemes.word_units import Units

DEVICE_KEY = bytes(range(32))
LOAD, FORGET, WRAP, UNWRAP = 0, 1, 28, 29
FULL = [name for name, p in WORD_PRESETS.items() if p.full and p.weierstrass]
SOME = ["word-full-b163", "word-full-193r1", "word-full-p224"]


@dataclass
class AesUnits(Units):
    """Units with AES: octets that come and go are counted in common."""

    state: bytearray = field(default_factory=lambda: bytearray(16))
    at: int = 0
    loads: bool = False
    aes_key: bytes = b""

    def _next(self, octets: int) -> list[int]:
        found = [(self.at + i) % 16 for i in range(octets)]
        self.at = (self.at + octets) % 16
        return found

    def read(self, port: int, octets: int) -> bytes:
        """Return octets of a port."""
        if port == Port.INNER:
            return bytes(self.state[i] for i in self._next(octets))
        return super().read(port, octets)

    def write(self, port: int, octets: bytes) -> None:
        """Take octets."""
        if port == Port.LENGTH:
            self.aes_key += octets
        elif port == Port.MESSAGE:
            for i, octet in zip(self._next(len(octets)), octets, strict=True):
                self.state[i] = octet if self.loads else self.state[i] ^ octet
                self.loads = self.loads and i < 15
        else:
            super().write(port, octets)

    def command(self, number: int, argument: int) -> None:
        """Do what a unit is told."""
        if number != Command.AES:
            super().command(number, argument)
        elif argument == Aes.LOAD:
            self.loads = True
        elif argument == Aes.KEY:
            self.aes_key = b""
        elif argument in (Aes.ENCRYPT, Aes.DECRYPT):
            cipher = AES.new(self.aes_key, AES.MODE_ECB)
            of = cipher.encrypt if argument == Aes.ENCRYPT else cipher.decrypt
            self.state[:] = of(bytes(self.state))


class Model:
    """An engine with its units; what was in AES is cleared when a job begins."""

    def __init__(self, name: str) -> None:
        self.preset = WORD_PRESETS[name]
        self.curve = self.preset.curve
        self.octets = -(-self.curve.n.bit_length() // 8)
        self.built = unchecked(self.preset)
        self.engine: Engine = self.built.engine()
        self.units = AesUnits()

    def load(self, d: int, slot: int = 0) -> None:
        """Load a key."""
        assert self.run(LOAD, d.to_bytes(self.octets, "big"), slot=slot) is Status.OK

    def key(self, slot: int = 0) -> int:
        """Return the key of a slot, which is wrapped for that."""
        assert self.run(WRAP, slot=slot) is Status.OK
        (out,) = self.units.out
        return int.from_bytes(AES.new(DEVICE_KEY, AES.MODE_KW).unseal(out), "big")

    def run(self, number: int, *strings: bytes, slot: int = 0, flags: int = 0) -> Status:
        """Run an operation."""
        self.units.begin(*strings, slot=slot, flags=flags)
        self.units.state, self.units.at, self.units.loads = bytearray(16), 0, False
        return Status(self.engine.run(number, self.units))

    def wrapped(self, d: int, device: bytes = DEVICE_KEY) -> bytes:
        """Return a wrapped key as a library makes it."""
        text = d.to_bytes(8 * semiblocks(self.octets), "big")
        return AES.new(device, AES.MODE_KW).seal(text)


def _model(name: str, device: bytes = DEVICE_KEY) -> Model:
    model = Model(name)
    assert model.run(WRAP, device, flags=DEVICE) is Status.OK
    return model


def _keys(n: int) -> list[int]:
    return [1, 2, n - 1, n // 3, (1 << n.bit_length() - 1) - 1]


@pytest.mark.parametrize("name", FULL)
def test_keys_are_wrapped_and_unwrapped_as_the_library_has_it(name: str) -> None:
    model = _model(name)
    for slot, d in enumerate(_keys(model.curve.n)):
        here, there = slot % 4, (slot + 1) % 4
        model.load(d, here)
        assert model.run(WRAP, slot=here) is Status.OK
        (out,) = model.units.out
        assert (out, len(out)) == (model.wrapped(d), wrapped_octets(model.octets))
        assert model.run(UNWRAP, out, slot=there) is Status.OK
        assert model.run(WRAP, slot=there) is Status.OK
        assert model.units.out == [out]


def test_the_example_of_the_rfc() -> None:
    """Source: RFC 3394, 4.6."""
    model = _model("word-full-p256")
    model.load(int("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F", 16))
    assert model.run(WRAP) is Status.OK
    assert model.units.out[0].hex().upper() == (
        "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"
    )


@pytest.mark.parametrize("name", SOME)
def test_a_wrong_octet_is_refused_wherever_it_is(name: str) -> None:
    model = _model(name)
    model.load(77)
    good = model.wrapped(5)
    for i in range(len(good)):
        bad = bytearray(good)
        bad[i] ^= 1 << i % 8
        assert model.run(UNWRAP, bytes(bad)) is Status.AUTHENTICATION_FAILED
        assert model.units.out == []
    assert model.run(UNWRAP, model.wrapped(5, bytes(31) + b"1")) is Status.AUTHENTICATION_FAILED
    assert model.key() == 77
    assert model.run(UNWRAP, good) is Status.OK
    assert model.key() == 5


@pytest.mark.parametrize("name", [*SOME, "word-full-p521", "word-full-b283", "word-full-p256"])
def test_a_wrapped_key_out_of_range_is_refused(name: str) -> None:
    model = _model(name)
    model.load(77)
    n, most = model.curve.n, 1 << 64 * semiblocks(model.octets)
    high = [1 << bit | 5 for bit in range(n.bit_length(), most.bit_length() - 1, 7)]
    for d in [0, *(v for v in (n, n + 1, most - 1, most >> 1, most - n, *high) if v >= n)]:
        assert model.run(UNWRAP, model.wrapped(d)) is Status.SCALAR_OUT_OF_RANGE, hex(d)
        assert model.units.out == []
    assert model.key() == 77


@pytest.mark.parametrize("name", SOME)
def test_without_a_device_key_nothing_is_wrapped(name: str) -> None:
    model = Model(name)
    assert model.run(WRAP) is Status.NO_KEY
    model.load(5)
    assert model.run(WRAP) is Status.NO_KEY
    assert model.run(UNWRAP, model.wrapped(6, bytes(32))) is Status.NO_KEY
    model = _model(name)
    assert model.run(WRAP, slot=3) is Status.NO_KEY
    assert model.units.out == []


@pytest.mark.parametrize("name", [*SOME, "word-full-none"])
def test_a_device_key_comes_before_all_keys_and_once(name: str) -> None:
    other = bytes(range(1, 33))
    for slot in range(4):
        model = Model(name)
        for d in (1, model.curve.n - 1):
            model.load(d, slot)
            for asked in range(4):
                refused = model.run(WRAP, other, slot=asked, flags=DEVICE)
                assert refused is Status.UNSUPPORTED
            assert model.run(WRAP, slot=slot) is Status.NO_KEY
        assert model.run(FORGET, slot=slot) is Status.OK
        assert model.run(WRAP, DEVICE_KEY, slot=slot, flags=DEVICE) is Status.OK
        assert model.run(WRAP, other, flags=DEVICE) is Status.UNSUPPORTED
        assert model.run(UNWRAP, model.wrapped(9), slot=slot) is Status.OK
        assert model.run(WRAP, other, flags=DEVICE) is Status.UNSUPPORTED
        assert model.key(slot) == 9


@pytest.mark.parametrize("name", SOME)
def test_a_device_key_of_zeros_is_none(name: str) -> None:
    model = Model(name)
    assert model.run(WRAP, bytes(32), flags=DEVICE) is Status.SCALAR_OUT_OF_RANGE
    model.load(5)
    assert model.run(WRAP) is Status.NO_KEY


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("place", [0, 1, 15, 31])
def test_every_octet_of_a_device_key_counts(name: str, place: int) -> None:
    device = bytes(place) + b"\x80" + bytes(31 - place)
    model = _model(name, device)
    model.load(5)
    assert model.run(WRAP) is Status.OK
    assert model.units.out == [model.wrapped(5, device)]


@pytest.mark.parametrize("name", SOME)
def test_strings_of_a_wrong_length_are_refused(name: str) -> None:
    model = Model(name)
    for octets in (0, 16, 31, 33, 64):
        assert model.run(WRAP, bytes(octets), flags=DEVICE) is Status.UNSUPPORTED
    model = _model(name)
    good = model.wrapped(5)
    for bad in (b"", good[:-1], good + b"0", good[8:], good + good[:8]):
        assert model.run(UNWRAP, bad) is Status.UNSUPPORTED
    assert model.run(WRAP) is Status.NO_KEY


@pytest.mark.parametrize("name", SOME)
def test_as_many_words_for_every_key(name: str) -> None:
    counts = set()
    for d in _keys(Model(name).curve.n):
        for device in (DEVICE_KEY, bytes(31) + b"1", b"\xff" * 32):
            model, spent = _model(name, device), []
            model.load(d)
            for number, strings in ((WRAP, ()), (UNWRAP, (model.wrapped(d, device),))):
                before = model.engine.slots
                assert model.run(number, *strings) is Status.OK
                spent.append(model.engine.slots - before)
            counts.add(tuple(spent))
    assert len(counts) == 1


@pytest.mark.parametrize("name", SOME)
def test_no_secret_leaves_and_none_decides(name: str) -> None:
    """The program is looked at when it is made."""
    assert {"wrap", "unwrap"} <= set(word_program(WORD_PRESETS[name]).operations)


def test_others_have_no_such_operations() -> None:
    for name, p in WORD_PRESETS.items():
        if not (p.full and p.weierstrass):
            assert not {"wrap", "unwrap"} & set(word_operations(p)), name
