# SPDX-License-Identifier: Apache-2.0
"""A full disk: pages that only read are shown; a page that must write says why it cannot."""

from __future__ import annotations

import errno
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.web import Server
from tests.demo.echeque.client import Client, well_formed
from tests.demo.echeque.conftest import PRESET
from tests.demo.echeque.test_web import PAGES

ROOT = Path(__file__).parents[3]
FULL = "The disk is full, so this could not be kept. Make room on it, and try again."

NO_FILE_GROWS = """
import json, resource, signal, sys, threading
from pathlib import Path
from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.site import Echeque
from ecsm.demo.echeque.web import Server
from ecsm.demo.echeque.workshop import Workshop
from tests.demo.echeque.client import Client

parties = Parties(Path(sys.argv[1]), sys.argv[2])
with Server(Echeque(parties, Workshop(lambda p, log: ""), []).site, 0) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = Client(server)
    client.token
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    pages = {path: client.get(path).status for path in sys.argv[3:]}
    again = client.post("/again")
    print(json.dumps({"pages": pages, "again": [again.status, again.alert]}), flush=True)
    server.shutdown()
"""


def test_pages_that_only_read_write_nothing(parties: Parties, server: Server) -> None:
    """In a process in which no file may have another octet."""
    client = Client(server)
    client.write()
    client.post("/network/1/deliver")
    paths = [*PAGES, "/payer/1", "/network/1", "/bank/1", "/static/style.css"]
    folder = parties.bank._store._path.parents[1]
    done = subprocess.run(
        [sys.executable, "-c", NO_FILE_GROWS, str(folder), PRESET, *paths],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["pages"] == dict.fromkeys(paths, 200), done.stderr
    status, alert = found["again"]
    assert status in (503, 507)
    assert alert
    assert "\n" not in alert
    assert "Traceback" not in done.stderr


def test_a_page_that_must_write_says_that_the_disk_is_full(
    parties: Parties, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself finds no room for another page."""
    client = Client(server)
    client.write()
    store = parties.payers._store
    connect = store._connect

    def full() -> sqlite3.Connection:
        db = connect()
        db.execute("PRAGMA max_page_count = 1")  # no less than there are
        return db

    with closing(connect()) as db:  # so that the next row needs a page
        free = "INSERT INTO written (octets, payer, number, message, preset, steps)"
        db.execute(f"{free} SELECT octets, payer, 2, message, preset, steps FROM written")
    monkeypatch.setattr(store, "_connect", full)
    before = len(parties.payers.latest())
    answers = [client.write(number=str(n)) for n in range(3, 9)]
    refused = [a for a in answers if a.status != 303]
    assert refused
    for answer in refused:
        assert answer.status == 507
        assert answer.alert == FULL
        well_formed(answer.text)
    assert len(parties.payers.latest()) == before + len(answers) - len(refused)
    assert len(parties.network.latest()) == 1 + len(answers) - len(refused)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 507, FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 507, FULL),
        (OSError(errno.EROFS, "Read-only file system"), 503, "Read-only file system"),
    ],
)
def test_a_key_that_cannot_be_kept_is_one_line(
    error: OSError, status: int, said: str,
    parties: Parties, server: Server, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(parties, "write", refuse)
    answer = Client(server).write()
    assert answer.status == status
    assert said in answer.alert
