# SPDX-License-Identifier: Apache-2.0
"""libecsm on a block that answers nonsense, as one without a clock or with other tables."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.sw.library import U8P, Ecies, In, Out, Registers, load, octets, point

BUSY, NO_ROOM, SHORT = 18, 19, 21
ANSWER, LAST, ONES = 2, 8, 0xFFFFFFFF
CODE = 15  # of a STATUS of ones


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return load(tmp_path_factory.mktemp("libecsm"))


def out(place: Any) -> Out:
    """Return an output whose length is not set yet."""
    return Out(ctypes.cast(place, U8P), len(place), 7)


def test_a_bus_that_reads_ones_for_ever_is_given_up(library: ctypes.CDLL) -> None:
    """As of a card that was taken out."""
    registers = Registers(library)
    for name in ("STATUS", "OUT", "OUT_DATA"):
        registers.values[registers.at[name]] = ONES
    registers.words = [ONES] * 100_000  # so that a driver that reads on fails, and waits for nobody
    status, found = registers.device.strings("run", 3, b"abc", rooms=(8,))
    assert (status, found()) == (CODE, [b""])
    assert len(registers.words) > 99_000


@pytest.mark.parametrize("octets_of_a_word", [5, 6, 7])
def test_a_word_has_no_more_than_four_octets(library: ctypes.CDLL, octets_of_a_word: int) -> None:
    registers = Registers(library)
    registers.values[registers.at["STATUS"]] = ANSWER
    registers.words = [1 << 8 | LAST | octets_of_a_word]
    status, found = registers.device.strings("run", 3, b"abc", rooms=(8,))
    assert (status, found()) == (NO_ROOM, [b""])


@pytest.mark.parametrize("words", [0, 1, 4])
def test_an_answer_that_is_too_short_is_none(library: ctypes.CDLL, words: int) -> None:
    """So many strings of a word, with status ok, where a scheme has longer ones."""
    registers = Registers(library, ORDER=163, SIZE=168 << 16 | 163)
    registers.values[registers.at["STATUS"]] = ANSWER
    registers.values[registers.at["OUT_DATA"]] = 0x01020304
    places = [octets(bytes(64)) for _ in range(4)]
    first, second = point(*places[:2]), point(*map(octets, (bytes(64), bytes(64))))
    how = Ecies(0, In(b"", 0), In(b"", 0))
    rest = [ctypes.byref(out(place)) for place in places[2:]]
    nine, digest = octets(bytes(9)), octets(bytes(32))
    calls: tuple[tuple[Any, ...], ...] = (
        ("public", 0, first),
        ("keygen", 0, first),
        ("sign", 0, digest, *places[:2]),
        ("sha256", nine, 9, places[0]),
        ("agree", 0, second, places[0]),
        ("encrypt", second, nine, 9, first, *places[2:]),
        ("encrypt_with", ctypes.byref(how), second, In(b"abc", 3), first, *rest),
        ("decrypt", 0, second, nine, 9, digest, places[0]),
        ("encapsulate", second, first, *places[2:]),
        ("decapsulate", 0, second, digest, places[0]),
    )
    for name, *arguments in calls:
        few = 1 if words == 4 and name in {"sha256", "agree", "decrypt", "decapsulate"} else words
        few = 2 if words == 4 and name in {"public", "keygen", "sign"} else few
        registers.words = [1 << 8 | LAST | 4] * few
        assert registers.device.call(name, *arguments) == SHORT, name
        assert not any(map(any, places)), name


def test_a_length_is_none_where_nothing_began(library: ctypes.CDLL) -> None:
    """While another job goes on."""
    device = Registers(library, STATUS=1).device
    how, places = Ecies(0, In(b"", 0), In(b"", 0)), [octets(bytes(64)) for _ in range(4)]
    sealed, tag, message = map(out, places[:3])
    key, string, to = point(*places[:2]), In(b"abc", 3), ctypes.byref
    assert device.opened == BUSY
    assert device.call("encrypt_with", to(how), key, string, key, to(sealed), to(tag)) == BUSY
    assert device.call("decrypt_with", to(how), 0, key, string, string, to(message)) == BUSY
    assert [sealed.length, tag.length, message.length] == [0, 0, 0]
