# SPDX-License-Identifier: Apache-2.0
"""The payers: each has a key, signs cheques and encrypts them to the bank."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ecsm.demo.echeque import bank
from ecsm.demo.echeque import cheque as cheques
from ecsm.demo.echeque.cheque import Cheque
from ecsm.demo.echeque.core import Core, Trail
from ecsm.demo.echeque.keys import Keys, public_part
from ecsm.demo.echeque.message import Message
from ecsm.demo.echeque.store import Store, dump, load
from ecsm.schemes.encoding import Key

STRANGER = "Mallory"
PEOPLE = (*(name for name, _ in bank.CUSTOMERS), STRANGER)
"""Who may write cheques here; the stranger has a key, but no account."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS written (
  id INTEGER PRIMARY KEY,
  octets BLOB NOT NULL,
  payer TEXT NOT NULL,
  number INTEGER NOT NULL,
  message BLOB NOT NULL,
  preset TEXT NOT NULL,
  steps TEXT NOT NULL CHECK (json_valid(steps)),
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT
"""


@dataclass(frozen=True)
class Written:
    """A cheque that was written: ``message`` is what went to the network."""

    id: int
    cheque: Cheque
    message: bytes
    at: str
    trail: Trail


class Payers:
    """The payers' keys and what they wrote. Safe from several threads."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder / "payers.sqlite", _SCHEMA)
        self._keys = Keys(folder / "keys")

    def public(self, name: str, core: Core) -> Key:
        """Return the public key of one of PEOPLE on a core's curve."""
        return public_part(self._keys.of(name.lower(), core))

    def write(self, c: Cheque, to: Key, core: Core) -> Written:
        """Sign a cheque and encrypt it to the bank's public key, on a core of that key's curve."""
        if c.payer not in PEOPLE:
            raise cheques.BadCheque(f"The payer is one of {', '.join(PEOPLE)}.")
        trail = Trail(core.preset)
        plain = c.encode()
        about = "One text for one cheque, every field in its place: this is what is signed."
        trail.add("Write the cheque", about, cheque=plain)
        signature = core.sign(self._keys.of(c.payer.lower(), core), plain, trail)
        r, iv, sealed = core.encrypt(to, plain + signature, trail)
        message = Message(core.curve, r, iv, sealed).encode()
        about = "Into the insecure network: the curve's name, R, the IV, the encrypted cheque."
        trail.add("Send", about, message=message)
        with self._store.change() as db:
            row = db.execute(
                "INSERT INTO written (octets, payer, number, message, preset, steps)"
                " VALUES (?, ?, ?, ?, ?, ?) RETURNING id, at",
                (plain, c.payer, c.number, message, trail.preset, dump(trail)),
            ).fetchone()
        return Written(row["id"], c, message, row["at"], trail)

    def start_again(self) -> None:
        """Forget all cheques; keys stay."""
        with self._store.change() as db:
            db.execute("DELETE FROM written")

    def next_number(self, name: str) -> int:
        """Return the number after the highest that somebody has used, or the lowest free one."""
        row = self._store.row("SELECT max(number) AS n FROM written WHERE payer = ?", name)
        assert row is not None
        if (highest := row["n"] or 0) < cheques.MOST_NUMBER:
            return int(highest) + 1
        row = self._store.row(_FREE, name, name)
        assert row is not None
        return min(int(row["n"]), cheques.MOST_NUMBER)

    def latest(self) -> list[Written]:
        """Return the cheques that were written, the latest first."""
        return [_written(r) for r in self._store.rows(f"{_ALL} ORDER BY id DESC LIMIT 50")]

    def written(self, number: int) -> Written | None:
        """Return a cheque that was written, None if there is no such one."""
        row = self._store.row(f"{_ALL} WHERE id = ?", number)
        return None if row is None else _written(row)


_FREE = """
SELECT used.number + 1 AS n
FROM (SELECT 0 AS number UNION SELECT number FROM written WHERE payer = ?) AS used
WHERE NOT EXISTS (SELECT 1 FROM written WHERE payer = ? AND number = used.number + 1)
ORDER BY n LIMIT 1
"""
_ALL = "SELECT id, octets, message, preset, steps, at FROM written"


def _written(row: sqlite3.Row) -> Written:
    trail = load(row["preset"], row["steps"])
    return Written(row["id"], cheques.decode(row["octets"]), row["message"], row["at"], trail)
