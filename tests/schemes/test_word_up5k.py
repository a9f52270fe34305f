# SPDX-License-Identifier: Apache-2.0
"""``word-up5k``: what `word-p256` does, in the same cycles, with tables in memories of one port."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.machines import machine
from ecsm.hdl.word_image import image
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.walk import SLOT_BITS
from ecsm.schemes.word.program import word_program
from ecsm.status import NoKey, SignatureInvalid, Unsupported
from tests.schemes.conftest import SEED
from tests.schemes.model import Model
from tests.schemes.test_word_tables import REFUSED, spoiled

PRESET, NONE = "word-up5k", "word-up5k-none"
D = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468
DIGEST = bytes(range(32))


@pytest.fixture(scope="module")
def device() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture(scope="module")
def tables() -> bytes:
    return image(word_program(WORD_PRESETS[PRESET]).built)


def answers(device: SchemeDevice) -> dict[str, tuple[tuple[bytes, ...], int]]:
    """Return the strings and cycles of the operations on known samples."""
    model = Model(device.curve)
    device.zeroize(reset=True)
    device.samples(SEED)
    device.run("seed-test")
    device.run("load", model.scalar(D))  # which waits for the noise source's first samples
    signature = device.run("sign-sha256", DIGEST).strings
    given: dict[str, tuple[bytes, ...]] = {
        "load": (model.scalar(D),), "public": (), "ecdh": model.public(7), "sign-sha256": (DIGEST,),
        "verify-sha256": (*model.public(D), DIGEST, *signature), "sha256": (bytes(200),),
        "generate": (),
    }  # fmt: skip
    found = {name: device.run(name, *strings) for name, strings in given.items()}
    assert found["ecdh"].strings == model.public(7 * D)[:1]
    assert found["public"].strings == model.public(D)
    with pytest.raises(SignatureInvalid):
        device.run("verify-sha256", *model.public(D), DIGEST[::-1], *signature)
    return {name: (result.strings, result.cycles) for name, result in found.items()}


@pytest.mark.parametrize(
    ("name", "same"), [(PRESET, "word-p256"), (NONE, "word-p256-none")], ids=["full", "none"]
)
def test_strings_and_cycles_are_those_of_word_p256(name: str, same: str) -> None:
    with SchemeDevice(name) as one, SchemeDevice(same) as other:
        assert answers(one) == answers(other)


def test_both_presets_are_one_netlist(device: SchemeDevice) -> None:
    """Tables of the other one are taken, and have its cycles."""
    assert machine(NONE).netlist == machine(PRESET).netlist == PRESET
    full = device.run("load", Model(device.curve).scalar(D)).cycles
    device.tables(image(word_program(WORD_PRESETS[NONE]).built))
    assert device.run("load", Model(device.curve).scalar(D)).cycles < full / 4
    device.zeroize(reset=True)  # which loads its own tables again
    device.run("load", Model(device.curve).scalar(D))
    assert device.run("load", Model(device.curve).scalar(D)).cycles == full


def test_words_fit_the_memories() -> None:
    """Slots have the bits of two blocks of 16; four bits of a program's word are in another one."""
    for name in (PRESET, NONE):
        built = word_program(WORD_PRESETS[name]).built
        assert SLOT_BITS <= 32
        assert max(w.word() for w in built.program) < 1 << 36
        assert max(len(built.slots), len(built.program)) <= 2048


@pytest.mark.parametrize("what", REFUSED)
def test_tables_that_are_refused(what: str, device: SchemeDevice, tables: bytes) -> None:
    """Then there is no operation until tables come that are whole."""
    model = Model(device.curve)
    device.tables(tables)
    device.run("load", model.scalar(5))
    with pytest.raises(Unsupported):
        device.tables(REFUSED[what](tables))
    for number in range(63):
        with pytest.raises(Unsupported):
            device.run_number(number)
    device.tables(tables)
    with pytest.raises(NoKey):
        device.run("public")


def test_a_wrong_bit_anywhere(device: SchemeDevice, tables: bytes) -> None:
    rng = random.Random(3)
    for _ in range(20):
        with pytest.raises(Unsupported):
            device.tables(spoiled(rng, tables))
    device.tables(tables)
    device.run("load", Model(device.curve).scalar(5))
