# SPDX-License-Identifier: Apache-2.0
"""The bank: decrypts what arrives, verifies it, refuses or books it.

The database enforces the rules: each number of a payer's cheques is cashed once, no balance is
below zero, and money only moves from one account to another.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from ecsm.demo.echeque import cheque as cheques
from ecsm.demo.echeque import message as messages
from ecsm.demo.echeque.cheque import BadCheque, Cheque, money
from ecsm.demo.echeque.core import Core, Trail
from ecsm.demo.echeque.keys import Keys, public_part
from ecsm.demo.echeque.store import Store, dump, load
from ecsm.schemes.encoding import Key, public_pem, read_key
from ecsm.status import CoreError

NAME = "bank"  # owner of the bank's key
CUSTOMERS = (("Alice", 100_000), ("Bob", 25_000), ("Carol", 1_000))
"""Who has an account, and the cents in it at the beginning."""
GOOD_FOR = timedelta(days=180)  # a cheque is cashed until then

BOOKED = "booked"
VERDICTS = {
    BOOKED: "The signature is right, the number is new and the money is there: booked.",
    "unreadable": "The bank cannot open this: altered on its way, or not meant for this bank.",
    "altered": "The payer did not sign this: altered on its way, or forged.",
    "unknown payer": "Nobody of this name has an account here, so there is no key to verify with.",
    "unknown payee": "The payee has no account here.",
    "date": "The cheque is dated in the future, or is more than 180 days old.",
    "replayed": "This very cheque was cashed before.",
    "number used": "Another cheque of this payer with this number was cashed before.",
    "overdrawn": "The payer's account does not hold that much.",
}
_OPEN = "INSERT OR IGNORE INTO account VALUES (?, ?)"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS account (
  name TEXT PRIMARY KEY,
  balance INTEGER NOT NULL CONSTRAINT overdrawn CHECK (balance >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS customer_key (
  name TEXT NOT NULL REFERENCES account (name),
  curve TEXT NOT NULL,
  pem BLOB NOT NULL,
  PRIMARY KEY (name, curve)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cashed (
  payer TEXT NOT NULL REFERENCES account (name),
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND {cheques.MOST_NUMBER}),
  payee TEXT NOT NULL REFERENCES account (name),
  cents INTEGER NOT NULL CHECK (cents BETWEEN 1 AND {cheques.MOST_CENTS}),
  date TEXT NOT NULL CHECK (date IS date(date, '+0 days')),
  signed BLOB NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (payer, number),
  CHECK (payer <> payee)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arrival (
  id INTEGER PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ({", ".join(f"'{v}'" for v in VERDICTS)})),
  preset TEXT NOT NULL,
  said TEXT NOT NULL,
  steps TEXT NOT NULL CHECK (json_valid(steps)),
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT
"""


@dataclass(frozen=True)
class Arrival:
    """What the bank decided of one message: ``verdict`` is one of VERDICTS, ``said`` what it read.

    ``said`` is the decrypted text; in a refused message it is not signed.
    """

    id: int
    verdict: str
    said: str
    at: str
    trail: Trail


class _Refused(Exception):
    """A verdict other than booked."""


class Bank:
    """The bank with its database and keys. Safe from several threads."""

    def __init__(self, folder: Path, keys: Keys, today: Callable[[], date] = date.today) -> None:
        self._store = Store(folder / "bank.sqlite", _SCHEMA)
        self._keys = keys
        self._today = today
        with self._store.change() as db:
            db.executemany(_OPEN, CUSTOMERS)

    def start_again(self) -> None:
        """Forget all cheques; accounts are as at the beginning, keys stay."""
        with self._store.change() as db:
            db.execute("DELETE FROM arrival")
            db.execute("DELETE FROM cashed")
            db.executemany("UPDATE account SET balance = ?2 WHERE name = ?1", CUSTOMERS)

    def public(self, core: Core) -> Key:
        """Return the bank's public key on a core's curve."""
        return public_part(self._keys.of(NAME, core))

    def register(self, name: str, key: Key) -> None:
        """Note a customer's public key, in the place of an earlier one on the same curve.

        Raises ValueError if nobody of this name has an account.
        """
        try:
            with self._store.change() as db:
                db.execute(
                    "INSERT INTO customer_key VALUES (?, ?, ?)"
                    " ON CONFLICT (name, curve) DO UPDATE SET pem = excluded.pem",
                    (name, key.curve.name, public_pem(key)),
                )
        except sqlite3.IntegrityError:
            raise ValueError(f"{name} has no account") from None

    def receive(self, octets: bytes, core: Core) -> Arrival:
        """Decide of a message, on a core of its curve; book it or not."""
        trail, said, verdict = Trail(core.preset), "", BOOKED
        genuine: Cheque | None = None
        try:
            plain, signature = self._open(octets, core, trail)
            said = _words(plain)
            genuine = self._verified(plain, signature, core, trail)
        except _Refused as refusal:
            verdict = str(refusal)
        with self._store.change() as db:  # money moves if what is said of it is kept, too
            if genuine is not None:
                verdict = _book(db, genuine)
            trail.add(*_last_step(verdict, genuine))
            done = db.execute(
                "INSERT INTO arrival (verdict, preset, said, steps)"
                " VALUES (?, ?, ?, ?) RETURNING *",
                (verdict, trail.preset, said, dump(trail)),
            ).fetchone()
        return _arrival(done)

    def _open(self, octets: bytes, core: Core, trail: Trail) -> tuple[bytes, bytes]:
        """Return the octets that were signed and the signature, neither of which is checked."""
        try:
            m = messages.decode(octets)
        except messages.BadMessage as error:
            trail.add("Take apart", f"Impossible: {error}.", message=octets)
            raise _Refused("unreadable") from None
        if m.curve.name != core.curve.name:
            trail.add("Take apart", f"The bank's device is not of {m.curve.name}.", message=octets)
            raise _Refused("unreadable")
        if len(m.sealed) > core.room:
            trail.add("Take apart", "It is longer than any cheque.", message=octets)
            raise _Refused("unreadable")
        trail.add("Take apart", "The parts of the message.", R=m.r, IV=m.iv, encrypted=m.sealed)
        try:
            plain = core.decrypt(self._keys.of(NAME, core), m.r, m.iv, m.sealed, trail)
        except CoreError as error:
            trail.add("Decrypt", f"The device refuses R: {error.status.name.replace('_', ' ')}.")
            raise _Refused("unreadable") from None
        at = len(plain) - 2 * core.order_octets
        if at <= 0:
            raise _Refused("unreadable")
        return plain[:at], plain[at:]

    def _verified(self, plain: bytes, signature: bytes, core: Core, trail: Trail) -> Cheque:
        """Return the cheque that a customer signed."""
        try:
            c = cheques.decode(plain)
        except BadCheque:
            raise _Refused("altered") from None
        known = {row["name"] for row in self._store.rows("SELECT name FROM account")}
        if c.payer not in known:
            raise _Refused("unknown payer")
        pem = self._store.row(
            "SELECT pem FROM customer_key WHERE name = ? AND curve = ?", c.payer, core.curve.name
        )
        if pem is None or not core.verify(read_key(pem["pem"]), plain, signature, trail):
            raise _Refused("altered")
        if c.payee not in known:
            raise _Refused("unknown payee")
        if not self._today() - GOOD_FOR <= c.date <= self._today():
            raise _Refused("date")
        return c

    def book(self, c: Cheque) -> str:
        """Move the money of a cheque that is genuine, or none of it; return the verdict.

        The database decides in one transaction, also if others book at the same time.
        """
        with self._store.change() as db:
            return _book(db, c)

    def accounts(self) -> list[tuple[str, int]]:
        """Return names and balances in cents."""
        return [(r["name"], r["balance"]) for r in self._store.rows("SELECT * FROM account")]

    def cashed(self) -> list[sqlite3.Row]:
        """Return the cheques that were booked, the latest first."""
        return self._store.rows("SELECT * FROM cashed ORDER BY at DESC, number DESC LIMIT 100")

    def arrivals(self) -> list[Arrival]:
        """Return what was decided, the latest first."""
        query = "SELECT * FROM arrival ORDER BY id DESC LIMIT 100"
        return [_arrival(r) for r in self._store.rows(query)]

    def arrival(self, number: int) -> Arrival | None:
        """Return what was decided of one message, None if there is no such one."""
        row = self._store.row("SELECT * FROM arrival WHERE id = ?", number)
        return None if row is None else _arrival(row)


def _book(db: sqlite3.Connection, c: Cheque) -> str:
    """Book a cheque in a transaction, see :meth:`Bank.book`; a refused one changes nothing."""
    signed = c.encode()
    pay = "UPDATE account SET balance = balance + ? WHERE name = ?"
    before = db.execute(
        "SELECT signed FROM cashed WHERE payer = ? AND number = ?", (c.payer, c.number)
    ).fetchone()
    if before is not None:
        return "replayed" if before["signed"] == signed else "number used"
    db.execute("SAVEPOINT booking")
    try:
        db.execute(
            "INSERT INTO cashed (payer, number, payee, cents, date, signed)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (c.payer, c.number, c.payee, c.cents, c.date.isoformat(), signed),
        )
        db.execute(pay, (-c.cents, c.payer))
        db.execute(pay, (c.cents, c.payee))
    except sqlite3.IntegrityError as error:
        if "overdrawn" not in str(error):
            raise
        db.execute("ROLLBACK TO booking")
        return "overdrawn"
    return BOOKED


def _last_step(verdict: str, c: Cheque | None) -> tuple[str, str]:
    """Return the name of the last step of a trail, and what is said of it."""
    if c is None or verdict != BOOKED:
        return "Refuse", VERDICTS[verdict]
    return "Book", f"{money(c.cents)} from {c.payer} to {c.payee}, in one transaction."


def _words(plain: bytes) -> str:
    try:
        c = cheques.decode(plain)
    except BadCheque:
        return ""
    return f"No. {c.number}, {c.date.isoformat()}: {c.payer} pays {c.payee} {money(c.cents)}"


def _arrival(row: sqlite3.Row) -> Arrival:
    trail = load(row["preset"], row["steps"])
    return Arrival(row["id"], row["verdict"], row["said"], row["at"], trail)
