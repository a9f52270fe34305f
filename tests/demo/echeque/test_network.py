# SPDX-License-Identifier: Apache-2.0
"""The network: a message is delivered or dropped once; altering shows what was altered."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.demo.echeque import network as networks
from ecsm.demo.echeque.cheque import AMOUNT_AT
from ecsm.demo.echeque.message import MOST, Message
from ecsm.demo.echeque.network import BadAlteration, Network, NotWaiting

OCTETS = Message(curve("sect163r2"), bytes(42), bytes(16), bytes(100)).encode()


@pytest.fixture
def network(tmp_path: Path) -> Network:
    return Network(tmp_path)


def test_a_message_passes_once(network: Network) -> None:
    number = network.send(OCTETS)
    assert network.take(number) == OCTETS
    for deed in (network.take, network.drop, lambda n: network.flip(n, "R")):
        with pytest.raises(NotWaiting):
            deed(number)
    found = network.passing(number)
    assert found is not None
    assert (found.state, found.octets) == ("delivered", OCTETS)


def test_of_many_who_take_a_message_one_gets_it(network: Network) -> None:
    number = network.send(OCTETS)
    barrier = threading.Barrier(8)

    def take(_: int) -> bool:
        barrier.wait()
        try:
            network.take(number)
        except NotWaiting:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 1


def test_a_dropped_message_can_still_be_replayed(network: Network) -> None:
    number = network.send(OCTETS)
    network.drop(number)
    copy = network.passing(network.replay(number))
    assert copy is not None
    assert (copy.copy_of, copy.state, copy.octets) == (number, "waiting", OCTETS)
    with pytest.raises(NotWaiting):
        network.replay(999)


@pytest.mark.parametrize(
    ("part", "at", "bits"),
    [("head", 4, 1), ("R", 13, 1), ("IV", 55, 1), ("amount", 71 + AMOUNT_AT, 9)],
)
def test_one_octet_is_altered(network: Network, part: str, at: int, bits: int) -> None:
    number = network.send(OCTETS)
    network.flip(number, part)
    found = network.passing(number)
    assert found is not None
    assert found.altered
    assert found.sent == OCTETS
    expected = bytearray(OCTETS)
    expected[at] ^= bits
    assert found.octets == expected


def test_alterations_that_make_no_message_are_refused(network: Network) -> None:
    number = network.send(OCTETS)
    for octets in (b"", bytes(MOST + 1)):
        with pytest.raises(BadAlteration):
            network.alter(number, octets)
    with pytest.raises(BadAlteration):
        network.flip(number, "signature")
    network.alter(number, b"nonsense")
    with pytest.raises(BadAlteration, match="no such part"):
        network.flip(number, "R")
    assert network.take(number) == b"nonsense"


def test_a_delivery_that_failed_can_be_tried_again(network: Network) -> None:
    number = network.send(OCTETS)
    network.take(number)
    network.back(number)
    assert network.take(number) == OCTETS
    network.arrived(number, 1)
    network.back(number)
    with pytest.raises(NotWaiting):
        network.take(number)


def test_old_messages_are_forgotten(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "MOST_KEPT", 3)
    numbers = [network.send(OCTETS) for _ in range(3)]
    network.drop(numbers[1])
    copy = network.replay(numbers[1])
    network.drop(copy)
    network.send(OCTETS)
    kept = network.passing(copy)
    assert kept is not None
    assert kept.copy_of is None  # what it was copied from is gone
    for _ in range(2):
        network.send(OCTETS)
    assert [m.id for m in network.latest()] == [7, 6, 5, numbers[2], numbers[0]]
