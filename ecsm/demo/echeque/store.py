# SPDX-License-Identifier: Apache-2.0
"""A party's SQLite database: schema, one connection for each transaction, format of steps."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ecsm.demo.echeque.core import Step, Trail

BUSY_S = 20.0  # how long a transaction waits for another one


def no_space(error: Exception) -> bool:
    """Whether there was no space for what had to be written, of a file or of a database."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL


def private_folder(path: Path) -> None:
    """Make a folder, and those around it that there are not yet, for their owner alone."""
    for folder in [*reversed(path.parents), path]:
        folder.mkdir(mode=0o700, exist_ok=True)


class Store:
    """A database file, its owner's alone, with the schema given."""

    def __init__(self, path: Path, schema: str) -> None:
        private_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        self._path = path
        with closing(self._connect()) as db:
            # To read a database with a log ahead (WAL) makes files; to read one like this does not.
            db.execute("PRAGMA journal_mode = DELETE")
        with self.change() as db:
            for statement in schema.split(";"):
                db.execute(statement)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys = ON")
        return db

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """One transaction that writes: nobody else's is between its first read and its end."""
        with closing(self._connect()) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                if db.in_transaction:  # SQLite itself ends one for which there is no space
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        with closing(self._connect()) as db:
            return db.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> sqlite3.Row | None:
        """Return the first row of a query, None if there is none."""
        return next(iter(self.rows(query, *values)), None)


def dump(trail: Trail) -> str:
    """Return the steps of a trail as JSON."""
    return json.dumps(
        [[s.name, s.about, [[k, v.hex()] for k, v in s.octets], s.cycles] for s in trail.steps]
    )


def load(preset: str, text: str) -> Trail:
    """Inverse of :func:`dump`."""
    return Trail(
        preset,
        [
            Step(name, about, tuple((k, bytes.fromhex(v)) for k, v in octets), cycles)
            for name, about, octets, cycles in json.loads(text)
        ],
    )
