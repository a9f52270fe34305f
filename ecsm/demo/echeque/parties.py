# SPDX-License-Identifier: Apache-2.0
"""All parties together: which party sends what to which, and on which core."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ecsm.demo.echeque import bank, message
from ecsm.demo.echeque.bank import Arrival, Bank
from ecsm.demo.echeque.cheque import Cheque
from ecsm.demo.echeque.core import Core, Log, offered
from ecsm.demo.echeque.keys import Keys
from ecsm.demo.echeque.network import Network
from ecsm.demo.echeque.payer import Payers, Written
from ecsm.demo.echeque.workshop import Workshop


class NotReady(RuntimeError):
    """There is no core to do it; the message says what to do."""


@dataclass(frozen=True)
class Devices:
    """The payers' device and the bank's, of one preset."""

    payer: Core
    bank: Core


class Parties:
    """Payers, network and bank in a folder; ``preset``: whose cores are used until another is.

    ``kind``: of the devices, of :data:`ecsm.demo.echeque.core.KINDS`.
    """

    def __init__(self, folder: Path, preset: str, kind: str = "sim") -> None:
        self.kind = kind
        self.bank = Bank(folder / "bank", Keys(folder / "bank" / "keys"))
        self.payers = Payers(folder / "payers")
        self.network = Network(folder / "network")
        self.devices = Workshop(self._open)
        self.preset = preset

    def _open(self, preset: str, log: Log) -> Devices:
        """Open a preset's devices."""
        found = Devices(Core(preset, log, self.kind), Core(preset, log, self.kind))
        log("making keys")
        self._introduce(found)
        return found

    def _introduce(self, devices: Devices) -> None:
        """Customers bring the bank their public keys on a curve."""
        for name, _ in bank.CUSTOMERS:
            self.bank.register(name, self.payers.public(name, devices.payer))

    def choose(self, preset: str) -> None:
        """Use the cores of another preset from now on. Raises ValueError for one not offered."""
        if preset not in {p.name for p in offered()}:
            raise ValueError(f"{preset} is not offered here.")
        self.preset = preset
        self.devices.want(preset)

    def chosen(self) -> Devices:
        """Return the devices of the preset chosen. Raises :class:`NotReady`."""
        job = self.devices.want(self.preset)
        if job.made is None:
            raise NotReady(f"The core of {self.preset} is not ready: {job.said}.")
        return job.made

    def write(self, c: Cheque) -> Written:
        """Sign and encrypt a cheque, and send it into the network."""
        devices = self.chosen()
        written = self.payers.write(c, self.bank.public(devices.bank), devices.payer)
        self.network.send(written.message)
        return written

    def deliver(self, number: int) -> Arrival:
        """Hand a waiting message to the bank, and return what it decided."""
        found = self.network.passing(number)
        device = self._device(b"" if found is None else found.octets)
        octets = self.network.take(number)
        try:
            arrival = self.bank.receive(octets, device)
        except BaseException:
            self.network.back(number)
            raise
        with contextlib.suppress(sqlite3.OperationalError):  # the bank has decided, and has kept it
            self.network.arrived(number, arrival.id)
        return arrival

    def _device(self, octets: bytes) -> Core:
        """Return a device of the bank's that fits a message; any, if none can."""
        device = self.chosen().bank
        try:
            curve = message.decode(octets).curve.name
        except message.BadMessage:
            return device
        open_now = [device, *(d.bank for d in self.devices.made())]
        for one in open_now:
            if one.curve.name == curve:
                return one
        fit = [p.name for p in offered() if p.curve.name == curve]
        if not fit:
            return device
        raise NotReady(f"The bank has no device of {curve} open: choose the preset {fit[0]} first.")

    def start_again(self) -> None:
        """Forget all cheques and messages; keys stay."""
        self.network.start_again()
        self.payers.start_again()
        self.bank.start_again()

    def close(self) -> None:
        """Free the devices."""
        for d in self.devices.made():
            d.payer.close()
            d.bank.close()
