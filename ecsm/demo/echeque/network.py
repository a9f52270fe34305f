# SPDX-License-Identifier: Apache-2.0
"""The insecure network: its operator can read, alter, replay and drop messages."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ecsm.demo.echeque import message as messages
from ecsm.demo.echeque.cheque import AMOUNT_AT
from ecsm.demo.echeque.store import Store

WAITING, DELIVERED, DROPPED = STATES = ("waiting", "delivered", "dropped")
MOST_KEPT = 500  # messages

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS message (
  id INTEGER PRIMARY KEY,
  copy_of INTEGER REFERENCES message (id) ON DELETE SET NULL,
  sent BLOB NOT NULL,
  octets BLOB NOT NULL CHECK (length(octets) BETWEEN 1 AND {messages.MOST}),
  state TEXT NOT NULL DEFAULT '{WAITING}' CHECK (state IN {STATES}),
  arrival INTEGER,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT
"""


class NotWaiting(RuntimeError):
    """The message is gone already: delivered, dropped, or there never was one."""


class BadAlteration(ValueError):
    """What is given in a message's place is none; the message says what is wanted."""


@dataclass(frozen=True)
class Passing:
    """A message on its way.

    ``octets``: as it is now; ``sent``: as it was sent. ``copy_of``: of a replay, the message that
    was copied. ``arrival``: what the bank calls it, once it was delivered.
    """

    id: int
    copy_of: int | None
    sent: bytes
    octets: bytes
    state: str
    arrival: int | None
    at: str

    @property
    def altered(self) -> bool:
        """Whether it is another than was sent."""
        return self.sent != self.octets


class Network:
    """The messages. Safe from several threads: a message is delivered or dropped once."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder / "network.sqlite", _SCHEMA)

    def start_again(self) -> None:
        """Forget all messages."""
        with self._store.change() as db:
            db.execute("DELETE FROM message")

    def send(self, octets: bytes) -> int:
        """Take a message; return its number."""
        return self._insert("INSERT INTO message (sent, octets) VALUES (?, ?)", octets, octets)

    def replay(self, number: int) -> int:
        """Send a copy of a message, in whatever state that is; return the copy's number."""
        m = self.passing(number)
        if m is None:
            raise NotWaiting(f"There is no message {number}.")
        query = "INSERT INTO message (copy_of, sent, octets) VALUES (?, ?, ?)"
        return self._insert(query, number, m.sent, m.octets)

    def _insert(self, query: str, *values: object) -> int:
        with self._store.change() as db:
            row = db.execute(f"{query} RETURNING id", values).fetchone()
            db.execute(
                "DELETE FROM message WHERE id <= ? AND state <> ?", (row["id"] - MOST_KEPT, WAITING)
            )
        return int(row["id"])

    def alter(self, number: int, octets: bytes) -> None:
        """Put octets in the place of a waiting message's. Raises :class:`BadAlteration`."""
        if not 1 <= len(octets) <= messages.MOST:
            raise BadAlteration(f"A message has 1 to {messages.MOST} octets.")
        self._settle(number, "octets = ?", octets)

    def flip(self, number: int, part: str) -> None:
        """Alter one octet of a waiting message, in one of PLACES."""
        m = self.passing(number)
        if m is None:
            raise NotWaiting(f"There is no message {number}.")
        if part not in PLACES:
            raise BadAlteration(f"A part is one of {', '.join(PLACES)}.")
        at, bits = _place(m.octets, part)
        changed = bytearray(m.octets)
        changed[at] ^= bits
        self.alter(number, bytes(changed))

    def drop(self, number: int) -> None:
        """Take a waiting message away."""
        self._settle(number, "state = ?", DROPPED)

    def take(self, number: int) -> bytes:
        """Deliver a waiting message; return its octets."""
        return self._settle(number, "state = ?", DELIVERED)

    def back(self, number: int) -> None:
        """Let a message wait again that could not be delivered."""
        with self._store.change() as db:
            db.execute(
                "UPDATE message SET state = ? WHERE id = ? AND arrival IS NULL", (WAITING, number)
            )

    def arrived(self, number: int, arrival: int) -> None:
        """Note what the bank calls a delivered message."""
        with self._store.change() as db:
            db.execute("UPDATE message SET arrival = ? WHERE id = ?", (arrival, number))

    def _settle(self, number: int, change: str, value: object) -> bytes:
        with self._store.change() as db:
            row = db.execute(
                f"UPDATE message SET {change} WHERE id = ? AND state = '{WAITING}'"
                " RETURNING octets",
                (value, number),
            ).fetchone()
        if row is None:
            raise NotWaiting(f"Message {number} does not wait any more: see what became of it.")
        octets: bytes = row["octets"]
        return octets

    def passing(self, number: int) -> Passing | None:
        """Return a message, None if there is no such one."""
        row = self._store.row("SELECT * FROM message WHERE id = ?", number)
        return None if row is None else _passing(row)

    def latest(self) -> list[Passing]:
        """Return the messages, the latest first."""
        query = "SELECT * FROM message ORDER BY id DESC LIMIT 100"
        return [_passing(r) for r in self._store.rows(query)]


PLACES = {
    "amount": "the amount's first digit: 0 becomes 9",
    "R": "a bit of the point R",
    "IV": "a bit of the IV",
    "head": "a letter of the curve's name",
}
"""What a button alters. The amount's place follows from the layout, without any key."""


def _place(octets: bytes, part: str) -> tuple[int, int]:
    """Return the octet and the bits to flip. Raises :class:`BadAlteration`."""
    try:
        m = messages.decode(octets)
    except messages.BadMessage as error:
        raise BadAlteration(f"The message has no such part any more: {error}.") from None
    starts, at = {}, 0
    for name, text in m.parts():
        starts[name] = at
        at += len(text)
    if part == "amount":
        at = starts["encrypted"] + AMOUNT_AT
        if at >= len(octets):
            raise BadAlteration("The message is too short to have an amount.")
        return at, ord("0") ^ ord("9")
    return starts[part] + (len(messages.HEAD) + 1 if part == "head" else 0), 1


def _passing(row: sqlite3.Row) -> Passing:
    names = ("id", "copy_of", "sent", "octets", "state", "arrival", "at")
    return Passing(*(row[name] for name in names))
