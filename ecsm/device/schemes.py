# SPDX-License-Identifier: Apache-2.0
"""Schemes on a simulated core: the scheme machine's RTL, compiled by Verilator, called by name."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from itertools import islice

from ecsm.device.base import Closing, DeviceError, Result
from ecsm.device.cache import build, scheme_sources
from ecsm.presets.store import design
from ecsm.schemes.program import program
from ecsm.status import ERRORS, Status

LIMIT = 4_000_000  # cycles of an operation, at most
ROOM, MOST = 1 << 16, 8  # octets and strings that an operation hands out, at most


class _Answer(ctypes.Structure):
    _fields_ = (
        ("status", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
        ("measured", ctypes.c_uint32),
        ("strings", ctypes.c_uint32),
        ("taken", ctypes.c_uint32),
    )


class SchemeDevice(Closing):
    """The schemes of a preset, simulated; calls from several threads run one after the other.

    ``wide``: the machine hashes with SHA-384 and SHA-512 instead of SHA-1, SHA-224 and SHA-256.
    """

    def __init__(
        self, preset: str, wide: bool = False, log: Callable[[str], None] | None = None
    ) -> None:
        d = design(preset)
        self.program = program(d.preset, wide)
        self.preset = d.preset
        self._lock = threading.Lock()
        path = build(d, scheme_sources(d, wide), log)
        self._lib = ctypes.CDLL(str(path))
        self._lib.ecsm_scheme_new.restype = ctypes.c_void_p
        for name in ("free", "samples", "zeroize", "run"):
            function = getattr(self._lib, f"ecsm_scheme_{name}")
            function.argtypes = _ARGUMENTS[name]
        self._core = self._lib.ecsm_scheme_new()
        self.last_cycles = 0

    def _open(self) -> int:
        if self._core is None:
            raise DeviceError("the device is closed")
        return self._core

    def run(
        self,
        operation: str,
        *strings: bytes,
        slot: int = 0,
        flags: int = 0,
        stop: int = 0,
    ) -> Result:
        """Run an operation; return what it hands out.

        Raises the :class:`~ecsm.status.CoreError` of the machine's status; KeyError for an
        operation that it has not; :class:`DeviceError` if it does not answer, or hands something
        out with an error. ``stop``: drop it after so many cycles by a zeroize.
        """
        return self.run_number(
            self.program.number(operation), *strings, slot=slot, flags=flags, stop=stop
        )

    def run_number(
        self, number: int, *strings: bytes, slot: int = 0, flags: int = 0, stop: int = 0
    ) -> Result:
        """Do the same with an operation by its number, 0 to 63."""
        octets = b"".join(strings)
        lengths = (ctypes.c_uint32 * max(1, len(strings)))(*map(len, strings))
        out, out_lengths = (ctypes.c_uint8 * ROOM)(), (ctypes.c_uint32 * MOST)()
        answer = _Answer()
        with self._lock:
            core = self._open()
            happened = self._lib.ecsm_scheme_run(
                core, number, slot, flags, octets, lengths, len(strings),
                out, ROOM, out_lengths, MOST, LIMIT, stop, ctypes.byref(answer),
            )  # fmt: skip
            if happened == 1:
                return self._result(answer, bytes(out), out_lengths)
            ready = self._lib.ecsm_scheme_zeroize(core, False, LIMIT)
        if happened == 2 and ready:
            return Result((), stop)
        raise DeviceError(f"{self.preset.name}: operation {number} did not answer as it must")

    def _result(self, answer: _Answer, out: bytes, lengths: Iterable[int]) -> Result:
        name, status = self.preset.name, Status(answer.status)
        if answer.cycles != answer.measured:
            raise DeviceError(f"{name} counts its cycles wrongly")
        self.last_cycles = answer.cycles
        found, at = [], 0
        for length in islice(lengths, answer.strings):
            found.append(out[at : at + length])
            at += length
        if status is not Status.OK:
            if found or any(out):
                raise DeviceError(f"{name} handed something out with an error")
            raise ERRORS[status](f"the device answered {status.name}")
        return Result(tuple(found), answer.cycles)

    def zeroize(self, reset: bool = False) -> None:
        """Drop every key and the random state, by a zeroize or a reset."""
        with self._lock:
            if not self._lib.ecsm_scheme_zeroize(self._open(), reset, LIMIT):
                raise DeviceError(f"{self.preset.name} was not ready after a zeroize")

    def samples(self, octets: bytes = b"", silent: bool = False) -> None:
        """Give samples for the random generator's test mode; ``silent``: no noise comes."""
        with self._lock:
            self._lib.ecsm_scheme_samples(self._open(), octets, len(octets), silent)

    def close(self) -> None:
        """Free the core."""
        with self._lock:
            core, self._core = self._core, None
            if core is not None:
                self._lib.ecsm_scheme_free(core)


_U8P, _U32P = ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32)
_ARGUMENTS: dict[str, tuple[type, ...]] = {
    "free": (ctypes.c_void_p,),
    "samples": (ctypes.c_void_p, _U8P, ctypes.c_uint32, ctypes.c_uint32),
    "zeroize": (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32),
    "run": (
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, _U8P, _U32P,
        ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint8), ctypes.c_uint32, _U32P, ctypes.c_uint32,
        ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(_Answer),
    ),
}  # fmt: skip
