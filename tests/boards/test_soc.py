# SPDX-License-Identifier: Apache-2.0
"""The system on chip on a board, simulated by the pins of its serial port, opened as a device."""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ecsm
from ecsm.boards import make, netlist
from ecsm.boards.board import board
from ecsm.boards.designs import IMAGE, BoardDesign, board_design
from ecsm.device.remote import RemoteDevice
from ecsm.device.transport import BAUD
from ecsm.presets.table import any_preset
from ecsm.progress import Progress
from ecsm.sim.cache import Sources
from tests.boards.simulation import SimulatedBoard
from tests.boards.simulation import rtl as rtl_sources
from tests.schemes.model import Model

PRESET = "word-p256"
SLICE = 20_000
WAIT_S = 1200


def words(d: BoardDesign) -> list[int]:
    """Return the content of the memory as a bitstream has it."""
    with Progress() as log:
        return make.memory_words(make.application(), d, log)


@contextmanager
def served(d: BoardDesign, s: Sources) -> Iterator[str]:
    """Run a board until the block ends; yield the path of its serial line, a terminal."""
    near, far = pty.openpty()
    tty.setraw(far)
    stop = threading.Event()

    def serve() -> None:
        with SimulatedBoard(d, s, round(d.mhz * 1e6 / BAUD)) as b:
            while not stop.is_set():
                if select.select([near], [], [], 0)[0]:
                    b.send(os.read(near, 4096))
                if said := b.run(SLICE).octets:
                    os.write(near, said)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield os.ttyname(far)
    finally:
        stop.set()
        thread.join()
        os.close(near)
        os.close(far)


def signs(path: str) -> None:
    """It signs with a key of ours, and makes one of its own from its noise."""
    model, d, digest = Model(any_preset(PRESET).curve), 77, bytes(range(32))
    with ecsm.open(f"serial:{path}?timeout={WAIT_S}") as device:
        assert isinstance(device, RemoteDevice)
        device.run("load", model.scalar(d), slot=1)
        assert device.run("sign-sha256", digest, slot=1).strings == model.sign(d, digest, "sha256")
        device.run("generate", slot=2)
        x, y = (int.from_bytes(s, "big") for s in device.run("public", slot=2).strings)
        assert model.curve.contains((x, y))


@pytest.mark.timeout(2 * WAIT_S)
def test_a_board_is_a_device_at_a_serial_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = board_design(f"schemes-{PRESET}", board("ulx3s-85f"))
    (tmp_path / IMAGE).write_text(netlist.image_text(words(d)))
    monkeypatch.chdir(tmp_path)
    with served(d, rtl_sources(d)) as path:
        signs(path)
