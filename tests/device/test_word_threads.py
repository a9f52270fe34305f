# SPDX-License-Identifier: Apache-2.0
"""A word engine with loaded tables, called from several threads while its curve changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.device.word import WordDevice
from ecsm.names import UnknownName
from tests.device.test_turn import in_time, until_waiting
from tests.schemes.model import Model


class Beside:
    """A call of another thread, which begins at a moment and waits for the turn there."""

    def __init__(self, device: SchemeDevice, call: Callable[[], object]) -> None:
        self._device, self._call = device, call
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:  # looked at by the test
            self.error = error

    def begin(self, behind: int = 0) -> None:
        """Begin it; return when it waits, behind so many others."""
        self._thread.start()
        until_waiting(self._device.turn, behind + 1)

    def end(self) -> None:
        """Wait until it has ended."""
        in_time(self._thread.join)


def right(device: SchemeDevice) -> None:
    """What it computes is on the curve that it says it has."""
    device.run("load", (5).to_bytes(32, "big"))
    point = device.curve.mul(5, device.curve.generator)
    assert device.run("public").strings == Model(device.curve).strings(point)


def reset_beside(monkeypatch: pytest.MonkeyPatch, device: SchemeDevice, beside: Beside) -> None:
    """Reset the device; the other call comes when it is zeroized and has no tables."""
    zeroize = device._zeroize

    def zeroized(reset: bool = False) -> None:
        zeroize(reset)
        beside.begin()

    with monkeypatch.context() as patch:
        patch.setattr(device, "_zeroize", zeroized)
        device.zeroize(reset=True)
    beside.end()


def test_a_reset_is_over_when_its_tables_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    with SchemeDevice("word-prime-p256") as device:
        beside = Beside(device, lambda: device.run("sha256", b"abc"))
        reset_beside(monkeypatch, device, beside)
        assert beside.error is None


def test_a_curve_chosen_while_a_reset_runs_is_the_one_that_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with SchemeDevice("word-prime-p256") as device:
        for curve in ("brainpoolP256r1", "P-256"):
            beside = Beside(device, partial(device.choose, curve))
            reset_beside(monkeypatch, device, beside)
            assert beside.error is None
            assert curve in (device.curve.name, *device.curve.aliases)
            right(device)


def test_an_operation_has_the_number_that_it_has_when_it_begins() -> None:
    """It waits behind a choice of a curve that has it not."""
    with WordDevice("word-prime-p256") as device:
        running = device.begin("sha256")
        choosing = Beside(device, lambda: device.choose("Ed25519"))
        signing = Beside(device, lambda: device.run("sign-sha512", bytes(64)))
        choosing.begin()
        signing.begin(behind=1)
        running.feed(b"abc", last=True)
        choosing.end()
        signing.end()
        assert choosing.error is None
        assert isinstance(signing.error, UnknownName)
        assert device.uri == "sim:word-prime-ed25519"
