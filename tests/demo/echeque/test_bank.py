# SPDX-License-Identifier: Apache-2.0
"""The bank books what is genuine, once, and nothing else, whoever asks at the same time."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from ecsm.demo.echeque.bank import CUSTOMERS, Bank
from ecsm.demo.echeque.cheque import MOST_NUMBER, Cheque
from ecsm.demo.echeque.core import Trail
from ecsm.demo.echeque.keys import Keys
from ecsm.demo.echeque.message import Message, decode
from ecsm.demo.echeque.parties import Devices, Parties
from tests.demo.echeque.conftest import TODAY

GOOD = Cheque("Alice", "Bob", 1250, TODAY, 1)
TOTAL = sum(cents for _, cents in CUSTOMERS)
THREADS = 12


@pytest.fixture(autouse=True)
def _today(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parties.bank, "_today", lambda: TODAY)


def sealed(parties: Parties, devices: Devices, plain: bytes, signature: bytes) -> bytes:
    """Encrypt anything to the bank, as everybody can."""
    to = parties.bank.public(devices.bank)
    r, iv, octets = devices.payer.encrypt(to, plain + signature, Trail("any"))
    return Message(devices.payer.curve, r, iv, octets).encode()


def received(parties: Parties, devices: Devices, c: Cheque) -> str:
    written = parties.payers.write(c, parties.bank.public(devices.bank), devices.payer)
    return parties.bank.receive(written.message, devices.bank).verdict


def balances(bank: Bank) -> dict[str, int]:
    return dict(bank.accounts())


def test_a_good_cheque_is_booked_and_its_replay_is_not(parties: Parties, devices: Devices) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    verdicts = [parties.bank.receive(written.message, devices.bank).verdict for _ in range(2)]
    assert verdicts == ["booked", "replayed"]
    assert balances(parties.bank) == {"Alice": 98_750, "Bob": 26_250, "Carol": 1_000}
    assert [(r["payer"], r["number"], r["cents"]) for r in parties.bank.cashed()] == [
        ("Alice", 1, 1250)
    ]


@pytest.mark.parametrize(
    ("c", "verdict"),
    [
        (replace(GOOD, payer="Mallory"), "unknown payer"),
        (replace(GOOD, payee="Mallory"), "unknown payee"),
        (replace(GOOD, payer="Carol", cents=1_001), "overdrawn"),
        (replace(GOOD, date=TODAY + timedelta(1)), "date"),
        (replace(GOOD, date=TODAY - timedelta(181)), "date"),
    ],
)
def test_what_is_refused_moves_nothing(
    parties: Parties, devices: Devices, c: Cheque, verdict: str
) -> None:
    assert received(parties, devices, c) == verdict
    assert balances(parties.bank) == dict(CUSTOMERS)
    assert not parties.bank.cashed()


def test_all_that_an_account_holds_may_be_spent(parties: Parties, devices: Devices) -> None:
    assert received(parties, devices, replace(GOOD, payer="Carol", cents=1_000)) == "booked"
    assert received(parties, devices, replace(GOOD, date=TODAY - timedelta(180))) == "booked"


def test_every_altered_octet_is_refused(parties: Parties, devices: Devices) -> None:
    """A bit in each part: head, R, IV, cheque, signature; and a message cut or lengthened."""
    octets = parties.payers.write(
        GOOD, parties.bank.public(devices.bank), devices.payer
    ).message  # fmt: skip
    ends, at = [], 0
    for _, part in decode(octets).parts():
        ends.append((at, at + len(part) - 1))
        at += len(part)
    rng = random.Random(7)
    places = [p for pair in ends for p in pair] + rng.sample(range(len(octets)), 6)
    for place in places:
        changed = bytearray(octets)
        changed[place] ^= 1 << rng.randrange(8)
        arrival = parties.bank.receive(bytes(changed), devices.bank)
        assert arrival.verdict in {"altered", "unreadable", "unknown payer"}, place
    for other in (octets[:-1], octets + b"\0", octets[:20], octets[:70], b"\0", octets * 9):
        assert parties.bank.receive(other, devices.bank).verdict in {"altered", "unreadable"}
    assert balances(parties.bank) == dict(CUSTOMERS)


def test_a_forged_cheque_is_refused(parties: Parties, devices: Devices) -> None:
    """Mallory signs with her key what says that Alice pays."""
    plain = GOOD.encode()
    key = parties.payers._keys.of("mallory", devices.payer)
    signature = devices.payer.sign(key, plain, Trail("any"))
    message = sealed(parties, devices, plain, signature)
    assert parties.bank.receive(message, devices.bank).verdict == "altered"
    size = len(signature) // 2
    for bad in (bytes(2 * size), b"\xff" * 2 * size, signature[size:] + signature[:size]):
        message = sealed(parties, devices, plain, bad)
        assert parties.bank.receive(message, devices.bank).verdict == "altered"


def test_a_number_serves_one_cheque(parties: Parties, devices: Devices) -> None:
    assert received(parties, devices, GOOD) == "booked"
    assert received(parties, devices, replace(GOOD, cents=1)) == "number used"
    assert received(parties, devices, replace(GOOD, payer="Bob", payee="Alice")) == "booked"


def test_a_key_that_was_replaced_signs_no_more(parties: Parties, devices: Devices) -> None:
    written = parties.payers.write(GOOD, parties.bank.public(devices.bank), devices.payer)
    parties.bank.register("Alice", parties.payers.public("Mallory", devices.payer))
    assert parties.bank.receive(written.message, devices.bank).verdict == "altered"
    with pytest.raises(ValueError, match="no account"):
        parties.bank.register("Mallory", parties.payers.public("Mallory", devices.payer))


# ------------------------------------------------------------------ at the same time


def at_once(deeds: Sequence[Callable[[], str]]) -> list[str]:
    """Do all in threads that begin together."""
    barrier = threading.Barrier(len(deeds))

    def one(deed: Callable[[], str]) -> str:
        barrier.wait()
        return deed()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(one, deeds))


def banks(tmp_path: Path, count: int) -> list[Bank]:
    """Banks that share a database, as processes would."""
    return [Bank(tmp_path / "bank", Keys(tmp_path / "keys")) for _ in range(count)]


def test_a_number_is_cashed_once_by_many_at_once(tmp_path: Path) -> None:
    for number in range(1, 11):
        c = replace(GOOD, number=number)
        deeds = [partial(b.book, c) for b in banks(tmp_path, THREADS)]
        assert sorted(at_once(deeds)) == ["booked"] + ["replayed"] * (THREADS - 1)
    found = balances(banks(tmp_path, 1)[0])
    assert found == {"Alice": 100_000 - 10 * 1250, "Bob": 25_000 + 10 * 1250, "Carol": 1_000}


def test_an_account_is_not_overdrawn_by_many_at_once(tmp_path: Path) -> None:
    """Carol has 10.00; of a dozen cheques over 3.00 three are booked."""
    some = [replace(GOOD, payer="Carol", cents=300, number=i + 1) for i in range(THREADS)]
    deeds = [partial(b.book, c) for b, c in zip(banks(tmp_path, THREADS), some, strict=True)]
    assert sorted(at_once(deeds)) == ["booked"] * 3 + ["overdrawn"] * (THREADS - 3)
    bank = banks(tmp_path, 1)[0]
    assert balances(bank)["Carol"] == 100
    assert sum(balances(bank).values()) == TOTAL
    refused = {c.number for c in some} - {r["number"] for r in bank.cashed()}
    assert len(refused) == THREADS - 3
    assert bank.book(replace(GOOD, payer="Bob", payee="Carol", cents=1000)) == "booked"
    assert bank.book(replace(some[0], number=min(refused))) == "booked"  # it was not used up


def test_money_only_moves(tmp_path: Path) -> None:
    """Random cheques, against a book that is kept with a dictionary."""
    (bank,) = banks(tmp_path, 1)
    rng, book, used = random.Random(3), dict(CUSTOMERS), dict[tuple[str, int], Cheque]()
    for _ in range(200):
        payer, payee = rng.sample(sorted(book), 2)
        c = Cheque(payer, payee, rng.choice([1, 500, 9_999, 60_000]), TODAY, rng.randrange(1, 60))
        before = used.get((payer, c.number))
        if before is not None:
            expected = "replayed" if before == c else "number used"
        elif c.cents > book[payer]:
            expected = "overdrawn"
        else:
            expected = "booked"
            used[payer, c.number] = c
            book[payer] -= c.cents
            book[payee] += c.cents
        assert bank.book(c) == expected
        assert balances(bank) == book
    assert sum(book.values()) == TOTAL


def test_no_money_moves_if_the_decision_cannot_be_kept(parties: Parties) -> None:
    """As on a full disk. The message waits again, and is booked when there is room."""
    parties.write(GOOD)
    (waiting,) = parties.network.latest()
    with parties.bank._store.change() as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON arrival BEGIN SELECT RAISE(FAIL, 'no'); END"
        )
    with pytest.raises(sqlite3.IntegrityError):
        parties.deliver(waiting.id)
    assert balances(parties.bank) == dict(CUSTOMERS)
    with parties.bank._store.change() as db:
        db.execute("DROP TRIGGER full")
    assert parties.deliver(waiting.id).verdict == "booked"


def test_what_the_bank_has_decided_is_answered_though_the_network_is_full(
    parties: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    parties.write(GOOD)
    (waiting,) = parties.network.latest()

    def full(number: int, arrival: int) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(parties.network, "arrived", full)
    assert parties.deliver(waiting.id).verdict == "booked"
    assert balances(parties.bank)["Bob"] == 26_250


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE account SET balance = -1 WHERE name = 'Bob'",
        "UPDATE account SET balance = 1.5 WHERE name = 'Bob'",
        "INSERT INTO cashed VALUES ('Alice', 1, 'Bob', 5, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Nobody', 2, 'Bob', 5, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Alice', 2, 'Nobody', 5, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Alice', 2, 'Alice', 5, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Alice', 2, 'Bob', 0, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Alice', 0, 'Bob', 5, '2026-03-01', x'00', '')",
        "INSERT INTO cashed VALUES ('Alice', 2, 'Bob', 5, '2026-02-30', x'00', '')",
        "INSERT INTO customer_key VALUES ('Nobody', 'sect163r2', x'00')",
        "INSERT INTO arrival (verdict, preset, said, steps) VALUES ('fine', '', '', '[]')",
        "DELETE FROM account WHERE name = 'Alice'",
    ],
)
def test_the_database_itself_refuses(tmp_path: Path, statement: str) -> None:
    (bank,) = banks(tmp_path, 1)
    assert bank.book(GOOD) == "booked"
    with pytest.raises(sqlite3.IntegrityError), bank._store.change() as db:
        db.execute(statement)


def test_the_next_number_is_a_free_one(parties: Parties) -> None:
    """After the highest number there is the lowest free one comes."""
    store = parties.payers._store

    def used(number: int) -> None:
        with store.change() as db:
            db.execute(
                "INSERT INTO written (octets, payer, number, message, preset, steps)"
                " VALUES (x'', 'Ada', ?, x'', '', '[]')",
                (number,),
            )

    assert parties.payers.next_number("Ada") == 1
    for number, following in ((1, 2), (3, 4), (MOST_NUMBER, 2), (2, 4)):
        used(number)
        assert parties.payers.next_number("Ada") == following
