# SPDX-License-Identifier: Apache-2.0
"""The simulated core: the preset's RTL, compiled by Verilator, called through ctypes."""

from __future__ import annotations

import ctypes
import operator
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from ecsm.curves import Point
from ecsm.device.base import DeviceError, Info, Job, Progress
from ecsm.device.cache import library
from ecsm.presets.store import design
from ecsm.status import ERRORS, ScalarOutOfRange, Status

_U32P = ctypes.POINTER(ctypes.c_uint32)
_Words = ctypes.Array[ctypes.c_uint32]


class _Answer(ctypes.Structure):
    _fields_ = (
        ("status", ctypes.c_uint32),
        ("infinity", ctypes.c_uint32),
        ("tag", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
        ("measured", ctypes.c_uint32),
    )


class SimDevice:
    """A simulated core of one preset; jobs from several threads run one after the other.

    ``core``: a compiled core with the same ports that stands in for the preset's RTL, as its
    netlist (see :func:`ecsm.device.cache.build`).
    """

    _core: int | None = None

    def __init__(
        self, preset: str, log: Callable[[str], None] | None = None, core: Path | None = None
    ) -> None:
        self._design = design(preset)
        self._lock = threading.Lock()
        try:
            path = library(self._design, log) if core is None else core
        except OSError as error:
            raise DeviceError(f"the cache of cores cannot be used: {error}") from None
        try:
            self._lib = ctypes.CDLL(str(path))
            self._lib.ecsm_new.restype = ctypes.c_void_p
        except (OSError, AttributeError) as error:
            raise DeviceError(f"a core in the cache is damaged: remove {path.parent}") from error
        self._lib.ecsm_free.argtypes = (ctypes.c_void_p,)
        self._lib.ecsm_job.argtypes = (
            ctypes.c_void_p, ctypes.c_uint32, _U32P, _U32P, _U32P, ctypes.c_uint32,
            ctypes.c_uint32, ctypes.c_uint32, _U32P, _U32P, ctypes.POINTER(_Answer),
        )  # fmt: skip
        self._lib.ecsm_abort.argtypes = (
            ctypes.c_void_p, _U32P, _U32P, _U32P, ctypes.c_uint32, ctypes.c_uint32,
        )  # fmt: skip
        self._core = self._lib.ecsm_new()
        self._words = (self._design.preset.coordinate_bits + 31) // 32 + 1
        self._tag = 0
        self.last_cycles = 0

    def info(self) -> Info:
        """Return what the device is."""
        p = self._design.preset
        return Info(
            uri=f"sim:{p.name}",
            preset=p.name,
            curve=p.curve.name,
            field_bits=p.field_bits,
            scalar_bits=p.scalar_bits,
            multipliers=p.multipliers,
            multiplier=p.describe(),
            registers=self._design.microcode.registers,
            cycles=self._design.microcode.cycles,
        )

    def _port(self, name: str, value: int, bits: int) -> _Words:
        """Split a number into 32-bit words; one that the port cannot carry is refused here."""
        if not 0 <= value < 1 << bits:
            error = ScalarOutOfRange if name == "k" else ERRORS[Status.COORDINATE_OUT_OF_RANGE]
            raise error(f"{name} is not in 0 .. 2^{bits} - 1")
        words = [value >> 32 * i & 0xFFFFFFFF for i in range(self._words)]
        return (ctypes.c_uint32 * self._words)(*words)

    def kp(self, k: int, point: Point) -> Point:
        """Return k*point (see :class:`ecsm.device.base.Device`)."""
        return self.job(0, k, point)

    def job(self, op: int, k: int, point: Point) -> Point:
        """Run operation ``op`` of the core port; 0 is kP, 1 to 15 are answered "unsupported"."""
        if not 0 <= op < 16:
            raise ValueError("op has 4 bits")
        scalar, ports = self._ports(k, point)
        with self._lock:
            answer, out_x, out_y = self._run(op, scalar, ports, point is None)
        status = Status(answer.status)
        if status is not Status.OK:
            raise ERRORS[status](self._complaint(status, *(point or (0, 0))))
        if answer.infinity:
            return None
        return _number(out_x), _number(out_y)

    def abort(self, k: int, point: Point, after: int, reset: bool = False) -> None:
        """Start k*point, stop it by a zeroize (or a reset) ``after`` cycles of work later.

        Raises :class:`DeviceError` if the core is then not ready for the next job, answers the
        one it lost, or shows anything but zero on its response; ValueError if ``after`` < 0.
        """
        if after < 0:
            raise ValueError("a job cannot be stopped before it starts")
        scalar, ports = self._ports(k, point)
        with self._lock:
            if self._core is None:
                raise DeviceError("the device is closed")
            left = self._lib.ecsm_abort(self._core, scalar, *ports, after, reset)
        ctypes.memset(scalar, 0, ctypes.sizeof(scalar))
        if left:
            what = "reset" if reset else "zeroize"
            raise DeviceError(f"{self._design.preset.name} was not ready and empty after a {what}")

    def _ports(self, k: int, point: Point) -> tuple[_Words, list[_Words]]:
        """Return the words of the scalar's port and of the two coordinates'."""
        p = self._design.preset
        named = zip("xy", (0, 0) if point is None else point, strict=True)
        ports = [self._port(n, operator.index(v), p.coordinate_bits) for n, v in named]
        return self._port("k", operator.index(k), p.scalar_bits), ports

    def _run(
        self, op: int, scalar: _Words, ports: list[_Words], infinity: bool
    ) -> tuple[_Answer, _Words, _Words]:
        """Run one job on the core, under the lock; wipe the scalar."""
        if self._core is None:
            raise DeviceError("the device is closed")
        p = self._design.preset
        out_x, out_y = ((ctypes.c_uint32 * self._words)() for _ in range(2))
        answer = _Answer()
        self._tag = (self._tag + 1) & 0xFF
        cycles = self._design.microcode.cycles
        silent = self._lib.ecsm_job(
            self._core, op, scalar, *ports, infinity, self._tag, 4 * cycles + 64,
            out_x, out_y, ctypes.byref(answer),
        )  # fmt: skip
        ctypes.memset(scalar, 0, ctypes.sizeof(scalar))
        if silent:
            raise DeviceError(f"{p.name} did not answer within {4 * cycles + 64} cycles")
        if answer.tag != self._tag or answer.cycles != answer.measured:
            raise DeviceError(f"{p.name} answered another job, or counts its cycles wrongly")
        self.last_cycles = answer.cycles
        return answer, out_x, out_y

    def _complaint(self, status: Status, x: int, y: int) -> str:
        curve = self._design.preset.curve
        if status is Status.COORDINATE_OUT_OF_RANGE:
            name, value = ("y", y) if curve.in_field(x) else ("x", x)
            return f"{name} = {value:#x} is not an element of {curve.field_name}"
        if status is Status.POINT_NOT_ON_CURVE:
            return f"point = ({x:#x}, {y:#x}) is not on {curve.name}"
        return f"the core of {self._design.preset.name} answered {status.name}"

    def kp_many(self, jobs: Iterable[Job], progress: Progress | None = None) -> list[Point]:
        """Return the results of many jobs, in order."""
        todo = list(jobs)
        results = []
        for i, (k, point) in enumerate(todo):
            results.append(self.kp(k, point))
            if progress is not None:
                progress(i + 1, len(todo))
        return results

    def close(self) -> None:
        """Free the core."""
        with self._lock:
            if self._core is not None:
                self._lib.ecsm_free(self._core)
                self._core = None

    def __reduce__(self) -> NoReturn:
        """A core cannot be copied or pickled."""
        raise TypeError("a device cannot be copied")

    def __enter__(self) -> Self:
        """Return the device."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the device."""
        self.close()

    def __del__(self) -> None:
        """Close the device if nobody did."""
        if getattr(self, "_core", None) is not None:
            self.close()


def _number(words: _Words) -> int:
    return sum(int(w) << 32 * i for i, w in enumerate(words))
