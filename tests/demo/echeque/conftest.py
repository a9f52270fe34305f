# SPDX-License-Identifier: Apache-2.0
"""Devices of the quickest preset for all tests, and parties in a folder of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ecsm.demo.echeque.core import Core
from ecsm.demo.echeque.parties import Devices, Parties
from ecsm.demo.echeque.site import Echeque
from ecsm.demo.echeque.web import Server
from ecsm.demo.echeque.workshop import Log, Workshop
from ecsm.demo.live.page import page
from ecsm.demo.live.recorder import record

PRESET = "b163-small"
LIVE = "toy7-fast"
TODAY = date(2026, 3, 1)


@pytest.fixture(scope="session")
def devices() -> Iterator[Devices]:
    """The payers' and the bank's device."""
    made = Devices(Core(PRESET), Core(PRESET))
    yield made
    made.payer.close()
    made.bank.close()


class SharedParties(Parties):
    """Parties that take the devices of all tests."""

    def __init__(self, folder: Path, devices: Devices) -> None:
        self._shared = devices
        super().__init__(folder, PRESET)
        self.devices.now(PRESET, lambda _: None)

    def _open(self, preset: str, log: Log) -> Devices:
        if preset != PRESET:
            return super()._open(preset, log)
        self._introduce(self._shared)
        return self._shared


@pytest.fixture
def parties(tmp_path: Path, devices: Devices) -> Parties:
    """Parties with nothing written yet."""
    return SharedParties(tmp_path / "data", devices)


def live(preset: str, log: Log) -> str:
    return page(record(preset, None, log))


@pytest.fixture
def server(parties: Parties) -> Iterator[Server]:
    """A server of the e-cheque on some port."""
    echeque = Echeque(parties, Workshop(live), [LIVE])
    with Server(echeque.site, 0) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield made
        made.shutdown()
        thread.join()
