# SPDX-License-Identifier: Apache-2.0
"""The system on chip as a serial device: a host opens a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import termios
import threading
import tty
from collections.abc import Callable
from dataclasses import replace

from ecsm.device.base import Closing, DeviceError, NoDevice
from ecsm.device.remote import RemoteDevice
from ecsm.device.schemes import LIMIT
from ecsm.device.transport import SerialLine
from ecsm.presets.table import any_preset
from ecsm.presets.word import only_here, word_preset
from ecsm.sim.cache import Log
from ecsm.soc.accelerators import SCHEMES
from ecsm.soc.firmware import image, main_of
from ecsm.soc.simulation import Soc
from ecsm.soc.system import system

PROGRAM = "serve"
DIVISOR = 32  # clock cycles of a bit: what the program does for an octet takes less than ten
_SLICE = 20_000  # clock cycles between looks at the line
_QUIET = LIMIT // 2  # clock cycles without an octet after which nothing can be under way
TIMEOUT_S = 600  # of a job, in simulation
_PAUSE_S = 0.2  # of a quiet system, between slices; an octet ends it


class SerialSoc(Closing):
    """A simulated system with the schemes of a preset, serving frames on ``path``, a terminal.

    It runs in a thread of its own until it is closed.
    """

    def __init__(self, name: str, coupling: str = "lc", log: Log | None = None) -> None:
        """Compile and start; ``name``: schemes-b163-small, ... Raises :class:`DeviceError`."""
        if why := only_here(word_preset(name.removeprefix(SCHEMES))):
            raise NoDevice(why)
        s = system(name, coupling)
        of = replace(s.program, defines=(f"SERVE_DIVISOR={DIVISOR}u",))
        memory = image(main_of(PROGRAM), of, log)
        self._soc = Soc(s.name, s.text, memory, log, divisor=DIVISOR)
        self._near, self._far = pty.openpty()
        tty.setraw(self._far, termios.TCSANOW)
        self.path = os.ttyname(self._far)
        self._stop = threading.Event()
        self._reset_in: int | None = None
        self._line: Callable[[bytes], bytes] = bytes
        self._failure: Exception | None = None
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._begun.wait()  # before that its program hears nothing
        if not self.alive():
            self.close()
            self.check()

    def reset(self, after: int = 0) -> None:
        """Reset the system, whatever it does, when so many clock cycles are over."""
        self._reset_in = after

    def disturb(self, line: Callable[[bytes], bytes]) -> None:
        """Send what comes from the host through ``line`` first; ``bytes`` is a sound one."""
        self._line = line

    def alive(self) -> bool:
        """Whether the system still runs."""
        return self._thread.is_alive()

    def check(self) -> None:
        """Raise what ended the simulation, if something did."""
        if self._failure:
            raise DeviceError(f"the system has ended: {self._failure}")

    def close(self) -> None:
        """Stop, and free the line."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        self._soc.close()
        os.close(self._near)
        os.close(self._far)

    def _run(self) -> None:
        try:
            self._serve()
        except (DeviceError, OSError) as error:
            self._failure = error
        finally:
            self._begun.set()

    def _serve(self) -> None:
        quiet = 0
        while not self._stop.is_set():
            quiet = 0 if self._reset_due() else quiet
            pause = _PAUSE_S if quiet > _QUIET else 0
            if select.select([self._near], [], [], pause)[0]:
                self._soc.send(self._line(os.read(self._near, 4096)))
                quiet = 0
            said, exited = self._soc.slice(_SLICE)
            if said:
                self._begun.set()
                self._write(said)
            if exited is not None:
                raise DeviceError(f"its program has ended with status {exited}")
            quiet = 0 if said else quiet + _SLICE

    def _reset_due(self) -> bool:
        """Reset if it is time; ``_reset_in`` is told once a slice."""
        left = self._reset_in
        if left is None:
            return False
        if left > 0:
            self._reset_in = left - _SLICE
            return False
        self._reset_in = None
        self._soc.reset()
        return True

    def _write(self, octets: bytes) -> None:
        """Hand octets to the terminal; what nobody reads is lost, as on a line."""
        while octets:
            if not select.select([], [self._near], [], 0.1)[1]:
                return
            octets = octets[os.write(self._near, octets) :]


class SocDevice(RemoteDevice):
    """The schemes of a preset on a simulated system of its own, asked over its serial port."""

    def __init__(self, preset: str, log: Log | None = None) -> None:
        """Compile and start. Raises :class:`DeviceError`, UnknownPreset, StaleSchedule."""
        any_preset(preset)  # or the complaint would be about a unit, which nobody named
        self._soc = SerialSoc(f"{SCHEMES}{preset}", log=log)
        try:
            super().__init__(SerialLine(self._soc.path), TIMEOUT_S)
        except BaseException:
            self._soc.close()
            raise

    def close(self) -> None:
        """Close the line and stop the system, and its keys with it."""
        self._loaded.clear()
        super().close()
        self._soc.close()
