# SPDX-License-Identifier: Apache-2.0
"""``ecsm demo echeque``: build the core, serve the pages until the user stops it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ecsm.demo.echeque.core import KINDS
from ecsm.demo.echeque.parties import Parties
from ecsm.demo.echeque.site import Echeque
from ecsm.demo.echeque.store import no_space
from ecsm.demo.echeque.web import Server
from ecsm.demo.echeque.workshop import Log, Workshop
from ecsm.demo.live.page import page
from ecsm.demo.live.recorder import presets, record
from ecsm.device.base import DeviceError
from ecsm.progress import Progress


class Unusable(Exception):
    """A port that cannot be had, or a folder in which nothing can be kept; one line."""


def live_picture(preset: str, log: Log) -> str:
    """Return the page of a recorded kP."""
    return page(record(preset, None, log))


@contextmanager
def _usable(folder: Path, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Say of which folder it is that something cannot be read or kept.

    Raises :class:`Unusable`, and :class:`DeviceError` where the disk is full.
    """
    try:
        yield
    except errors as error:
        kind = DeviceError if no_space(error) else Unusable
        why = getattr(error, "strerror", None) or error
        raise kind(f"{folder} cannot be used: {why}") from None


def run(preset: str, port: int, folder: Path, kind: str = "sim") -> int:
    """Serve the e-cheque on a port until it is interrupted; return the exit code.

    ``kind``: of the devices, of :data:`ecsm.demo.echeque.core.KINDS`.
    Raises :class:`DeviceError` if the core cannot be made or the disk is full, :class:`Unusable`
    if the port is taken, or ``folder`` is not what it should be.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    with _usable(folder, (sqlite3.Error, OSError)):
        parties = Parties(folder, preset, kind)
    try:
        site = Echeque(parties, Workshop(live_picture), presets()).site
        try:  # before minutes of compilation
            server = Server(site, port)
        except OSError as error:
            raise Unusable(f"port {port} cannot be used: {error.strerror}") from None
        with server:
            with _usable(folder, (sqlite3.Error,)), Progress() as progress:
                progress(f"opening the core {preset}: {KINDS[kind].about}")
                parties.devices.now(preset, progress)
            print(f"e-cheque: {server.url}", flush=True)
            print("Ctrl-C ends it; what happened stays in", folder, flush=True)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                print("ended", flush=True)
    finally:
        parties.close()
    return 0
