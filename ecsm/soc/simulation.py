# SPDX-License-Identifier: Apache-2.0
"""The simulated system on chip: compiled by Verilator, called through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ecsm.device.base import Closing, DeviceError, made
from ecsm.sim.cache import Log, Sources, build
from ecsm.soc.emit import TOP, cpu_file, soc_files

WRAPPER = Path(__file__).with_name("soc.cpp")
MEMORY = Path(__file__).with_name("memory.vlt")
DIVISOR = 8  # of the simulated UART: quick, and as exact as any
CYCLES_A_CALL = 200_000
CYCLES_A_KEY = 20_000  # between octets that are typed
_ROOM = 4096

_LIBRARY = {
    "soc_new": (ctypes.c_void_p, (ctypes.c_uint32,)),
    "soc_free": (None, (ctypes.c_void_p,)),
    "soc_load": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)),
    "soc_type": (None, (ctypes.c_void_p, ctypes.c_uint8)),
    "soc_run": (
        ctypes.c_uint32,
        (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32,
         ctypes.c_void_p, ctypes.c_void_p),
    ),
    "soc_cycles": (ctypes.c_uint64, (ctypes.c_void_p,)),
}  # fmt: skip


class SocTimeout(DeviceError):
    """The program did not exit in the cycles that it was given."""


@dataclass(frozen=True)
class Exit:
    """How a program ended: its status, what it printed, the clock cycles it took."""

    status: int
    output: bytes
    cycles: int


def soc_sources(name: str, text: str) -> Sources:
    """Return what a simulated system on chip is compiled from; ``text``: its generated modules."""
    return Sources(
        f"soc-{name}",
        TOP,
        text,
        (MEMORY, cpu_file(), *soc_files(text)),
        wrapper=WRAPPER,
    )


class Soc(Closing):
    """A simulated system on chip with a program in its memory; calls do not overlap."""

    def __init__(
        self, name: str, text: str, image: bytes, log: Log | None = None, divisor: int = DIVISOR
    ) -> None:
        """Compile ``text`` (:func:`ecsm.soc.emit.soc_top` and its units) if need be, and load.

        ``divisor``: clock cycles of a bit on the UART, as the program has it. Raises
        :class:`DeviceError` if a tool fails or the image is larger than the memory.
        """
        self._lib = ctypes.CDLL(str(build(None, soc_sources(name, text), log)))
        for function, (result, arguments) in _LIBRARY.items():
            getattr(self._lib, function).restype = result
            getattr(self._lib, function).argtypes = arguments
        self._core = made(self._lib.soc_new(divisor))
        self._typed = b""
        self._image = image
        self._load()

    def _load(self) -> None:
        image = self._image
        padded = image + bytes(-len(image) % 4)
        words = (ctypes.c_uint32 * (len(padded) // 4)).from_buffer_copy(padded)
        if self._lib.soc_load(self._core, words, len(words)):
            self.close()
            raise DeviceError(f"a program of {len(image):,} bytes is too large for the memory")

    def close(self) -> None:
        """Free it."""
        if self._core is not None:
            self._lib.soc_free(self._core)
            self._core = None

    def reset(self) -> None:
        """Begin anew: the program as it was loaded, nothing on the lines."""
        self._load()

    def send(self, octets: bytes) -> None:
        """Send octets one after the other, without a pause, after those that wait."""
        for octet in octets:
            self._lib.soc_type(self._core, octet)

    def slice(self, cycles: int) -> tuple[bytes, int | None]:
        """Run some clock cycles; return what the program prints and its status, if it exits."""
        octets = (ctypes.c_uint8 * _ROOM)()
        exited, status = ctypes.c_uint32(), ctypes.c_uint32()
        count = self._lib.soc_run(
            self._core, cycles, octets, _ROOM, ctypes.byref(exited), ctypes.byref(status)
        )
        return bytes(octets[:count]), status.value if exited.value else None

    def type(self, octets: bytes) -> None:
        """Queue octets for the program's serial port; they are sent at a typist's pace.

        The port stores 32 octets. If the program does not read them in time, octets are lost.
        """
        self._typed += octets

    def run(self, cycles: int, heard: Callable[[bytes], None] | None = None) -> Exit:
        """Run the program to its exit; ``heard`` is given what it prints, as it comes.

        Raises :class:`SocTimeout` after ``cycles`` clock cycles, with what it has printed.
        """
        output, status = b"", None
        end = self._lib.soc_cycles(self._core) + cycles
        while status is None:
            left = end - self._lib.soc_cycles(self._core)
            if left <= 0:
                said = "".join(
                    c if c.isprintable() or c == "\n" else "?"
                    for c in output[-200:].decode("latin-1")
                ).strip()
                told = f"; it said: {said}" if said else ", and has said nothing"
                raise SocTimeout(f"the program is not done after {cycles:,} cycles{told}")
            turn = CYCLES_A_CALL
            if self._typed:
                self.send(self._typed[:1])
                self._typed, turn = self._typed[1:], CYCLES_A_KEY
            new, status = self.slice(min(left, turn))
            output += new
            if heard and new:
                heard(new)
        return Exit(status, output, self._lib.soc_cycles(self._core))
