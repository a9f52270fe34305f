# SPDX-License-Identifier: Apache-2.0
"""The simulated core, or farm: the preset's RTL, compiled by Verilator, called through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Container, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ecsm.cores.store import design
from ecsm.curves import Point
from ecsm.device.base import (
    Closing,
    Completion,
    DeviceError,
    DoubleJob,
    Info,
    Job,
    NoDevice,
    Part,
    Progress,
    Result,
    Turn,
    made,
)
from ecsm.device.request import OpJob, core_job, job_of, operation_of, whole
from ecsm.hdl.engines.module import TAG_BITS
from ecsm.hdl.farm import TURN, check_engines, latency, no_farm
from ecsm.hdl.machines import Subject, preset_of
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.word import WordPreset
from ecsm.sim.cache import library
from ecsm.status import ERRORS, CoreError, ScalarOutOfRange, Status, Unsupported

if TYPE_CHECKING:
    from ecsm.device.schemes import SchemeDevice

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


_TAKEN, _ANSWERED = 1, 2  # what ecsm_wait waited for


def _check(name: str, value: int, bits: int) -> None:
    """Refuse a number that the port cannot carry."""
    if not 0 <= value < 1 << bits:
        error = ERRORS[Status.COORDINATE_OUT_OF_RANGE] if name in "xy" else ScalarOutOfRange
        raise error(f"{name} is not in 0 .. 2^{bits} - 1")


def check_job(p: AnyPreset, k: int | tuple[int, int], point: Point) -> None:
    """Refuse a job that the ports of a core cannot carry: k is of kP, or (a, b) of aG + bP."""
    for name, value in zip("xy", point or (0, 0), strict=True):
        _check(name, value, p.coordinate_bits)
    if isinstance(k, tuple) and not p.double:
        raise Unsupported(f"{p.name} computes kP, not aG + bP")
    for name, value in zip("ab", k, strict=True) if isinstance(k, tuple) else (("k", k),):
        _check(name, value, p.scalar_bits // (2 if p.double else 1))


def describe(of: Subject, uri: str, engines: int = 1) -> Info:
    """Return what a device of a core or of a word engine is, at an address."""
    p = preset_of(of)
    registers = cycles = 0
    if not isinstance(of, WordPreset):
        registers, cycles = of.microcode.registers, of.microcode.cycles
    return Info(
        uri=uri,
        preset=p.name,
        curve=p.curve.name,
        field_bits=p.field_bits,
        scalar_bits=p.scalar_bits // (2 if p.double else 1),
        multipliers=p.multipliers,
        multiplier=p.describe(),
        registers=registers,
        cycles=cycles,
        engines=engines,
        double=p.double,
    )


class SimDevice(Closing):
    """A simulated core of one preset; calls from several threads run one after the other.

    ``engines``: more than one make a farm with one stream of jobs. ``core``: a compiled core with
    the same ports that stands in for the preset's RTL, as its netlist (see
    :func:`ecsm.sim.cache.build`).
    """

    def __init__(
        self,
        preset: str,
        log: Callable[[str], None] | None = None,
        core: Path | None = None,
        engines: int = 1,
    ) -> None:
        check_engines(engines)
        self._design = design(preset)
        if engines > 1 and (why := no_farm(self._design.preset)):
            raise NoDevice(why)
        self._engines = engines
        self._turn = Turn()
        self._log = log
        self._schemes: SchemeDevice | None = None  # made when it is first used
        try:
            path = library(self._design, log, engines) if core is None else core
        except OSError as error:
            what = f"{error.filename}: " if error.filename is not None else ""
            raise DeviceError(f"the core cannot be compiled: {what}{error.strerror}") from None
        try:
            self._lib = ctypes.CDLL(str(path))
            self._lib.ecsm_new.restype = ctypes.c_void_p
        except (OSError, AttributeError) as error:
            raise DeviceError(f"a core in the cache is damaged: remove {path.parent}") from error
        self._lib.ecsm_free.argtypes = (ctypes.c_void_p,)
        self._lib.ecsm_reset.argtypes = (ctypes.c_void_p,)
        self._lib.ecsm_offer.argtypes = (
            ctypes.c_void_p, ctypes.c_uint32, _U32P, _U32P, _U32P, ctypes.c_uint32, ctypes.c_uint32,
        )  # fmt: skip
        self._lib.ecsm_wait.argtypes = (
            ctypes.c_void_p, ctypes.c_uint32, _U32P, _U32P, ctypes.POINTER(_Answer),
        )  # fmt: skip
        self._lib.ecsm_cycle.argtypes = (ctypes.c_void_p,)
        self._lib.ecsm_cycle.restype = ctypes.c_uint64
        self._lib.ecsm_abort.argtypes = (
            ctypes.c_void_p, _U32P, _U32P, _U32P, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32,
        )  # fmt: skip
        self._core = made(self._lib.ecsm_new())
        p = self._design.preset
        self._words = (max(p.coordinate_bits, p.scalar_bits) + 31) // 32 + 1
        self._tag = 0
        self.last_cycles = 0

    def info(self) -> Info:
        """Return what the device is."""
        name = f"sim:{self._design.preset.name}"
        return describe(
            self._design, name + (f"*{self._engines}" if self._engines > 1 else ""), self._engines
        )

    def run(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Result:
        """Run an operation of the preset's schemes, a machine beside this core.

        See :class:`ecsm.device.base.Device`; the schemes' own device has more
        (:class:`ecsm.device.schemes.SchemeDevice`).
        """
        with self._turn.taken():
            result = self._scheme_device().run(operation, *strings, slot=slot, flags=flags)
            self.last_cycles = result.cycles
            return result

    def stream(
        self,
        operation: str,
        *strings: bytes,
        message: Iterable[bytes],
        slot: int = 0,
        flags: int = 0,
    ) -> Generator[Part, None, None]:
        """Run an operation whose last string comes in parts (see Device.stream)."""
        with self._turn.taken():
            device = self._scheme_device()
        parts = device.stream(operation, *strings, message=message, slot=slot, flags=flags)

        def counted() -> Generator[Part, None, None]:
            with self._turn.taken():
                yield from parts
                self.last_cycles = device.last_cycles

        return counted()

    def _scheme_device(self) -> SchemeDevice:
        """Return the preset's schemes, compiled when they are first used."""
        from ecsm.device.schemes import SchemeDevice

        self._open()
        if self._schemes is None:
            try:
                self._schemes = SchemeDevice(self._design.preset.name, log=self._log)
            except ValueError as error:
                raise Unsupported(str(error)) from None
        return self._schemes

    @property
    def clock(self) -> int:
        """Cycles since the core was made; can be read during as_completed."""
        if self._turn.mine:
            return int(self._lib.ecsm_cycle(self._open()))
        with self._turn.taken():
            return int(self._lib.ecsm_cycle(self._open()))

    def _open(self) -> int:
        """Return the core's handle; raises :class:`DeviceError` if it was closed."""
        if self._core is None:
            raise DeviceError("the device is closed")
        return self._core

    def _words_of(self, value: int) -> _Words:
        """Split a number into 32-bit words."""
        words = [value >> 32 * i & 0xFFFFFFFF for i in range(self._words)]
        return (ctypes.c_uint32 * self._words)(*words)

    def kp(self, k: int, point: Point) -> Point:
        """Return k*point (see :class:`ecsm.device.base.Device`)."""
        return self.job(0, k, point)

    def double_kp(self, a: int, b: int, point: Point) -> Point:
        """Return a*G + b*point (see :class:`ecsm.device.base.Device`)."""
        return self.job(0, (a, b), point)

    def job(self, op: int, k: int | tuple[int, int], point: Point) -> Point:
        """Run operation ``op`` of the core port; 0 is kP, 1 to 15 are answered "unsupported"."""
        asked = core_job(op, k, point)
        with self._turn.taken():
            (done,) = self._stream([asked])
        return done.result()

    def abort(self, k: int, point: Point, after: int, reset: bool = False) -> None:
        """Start k*point, stop it by a zeroize (or a reset) ``after`` cycles of work later.

        Raises :class:`DeviceError` if the core is then not ready for the next job, answers the
        one it lost, or shows anything but zero on its response; ValueError for another ``after``.
        """
        _, asked, at = core_job(0, k, point)
        cycles = whole("after", after)
        if cycles < 0:
            raise ValueError("a job cannot be stopped before it starts")
        if cycles >> 20:
            raise ValueError("a job is stopped at most 2^20 - 1 cycles after it starts")
        scalar, ports = self._ports(asked, at)
        clearing = self._design.preset.clearing + TURN * (self._engines > 1)
        with self._turn.taken():
            left = self._lib.ecsm_abort(self._open(), scalar, *ports, cycles, bool(reset), clearing)
        ctypes.memset(scalar, 0, ctypes.sizeof(scalar))
        if left:
            what = "reset" if reset else "zeroize"
            raise DeviceError(f"{self._design.preset.name} was not ready and empty after a {what}")

    def _ports(self, k: int | tuple[int, int], point: Point) -> tuple[_Words, list[_Words]]:
        """Return the words of the scalar's port and of the two coordinates'."""
        check_job(self._design.preset, k, point)
        return self._scalar(k), [self._words_of(value) for value in point or (0, 0)]

    def _scalar(self, k: int | tuple[int, int]) -> _Words:
        """Return the words of the scalar's port: k, or a above b, of which kP has a = 0."""
        if not isinstance(k, tuple):
            return self._words_of(k)
        return self._words_of(k[0] << self._design.preset.scalar_bits // 2 | k[1])

    def _stream(self, jobs: Iterable[OpJob]) -> Iterator[Completion]:
        """Run jobs in this turn, as many at once as the core takes; yield them as they finish."""
        core, todo = self._open(), enumerate(jobs)
        flying: dict[int, tuple[int, Point]] = {}  # offered and not answered, by tag
        offered, more = False, True
        try:
            while True:
                while more and not offered and len(flying) < 1 << TAG_BITS:
                    index, job = next(todo, (0, None))
                    if job is None:
                        more = False
                        break
                    try:
                        flying[self._offer(job, flying)] = index, job[2]
                    except CoreError as error:
                        yield Completion(index, None, error, 0)
                    else:
                        offered = True
                if not flying:
                    return
                happened, done = self._wait(flying)
                offered = offered and not happened & _TAKEN
                if done is not None:
                    yield done
        finally:
            if flying and self._core is not None:
                self._lib.ecsm_reset(core)

    def _offer(self, job: OpJob, flying: Container[int]) -> int:
        """Put a job at the request port; return its tag. Raises if the port cannot carry it."""
        op, k, point = job
        scalar, ports = self._ports(k, point)
        while self._tag in flying:
            self._tag = (self._tag + 1) % (1 << TAG_BITS)
        tag = self._tag
        self._tag = (tag + 1) % (1 << TAG_BITS)
        self._lib.ecsm_offer(self._open(), op, scalar, *ports, point is None, tag)
        ctypes.memset(scalar, 0, ctypes.sizeof(scalar))
        return tag

    def _wait(self, flying: dict[int, tuple[int, Point]]) -> tuple[int, Completion | None]:
        """Clock until the offered job is taken or one is answered, which then flies no more."""
        out_x, out_y = ((ctypes.c_uint32 * self._words)() for _ in range(2))
        answer, name = _Answer(), self._design.preset.name
        limit = 4 * self._design.cycles_alone + 64
        happened = self._lib.ecsm_wait(self._open(), limit, out_x, out_y, ctypes.byref(answer))
        if not happened:
            raise DeviceError(f"{name} did not answer within {limit} cycles")
        if not happened & _ANSWERED:
            return happened, None
        # Jobs that an engine works on together wait for each other, and answers of engines too.
        late = answer.measured - answer.cycles - latency(self._engines)
        alone = self._engines == 1 and self._design.preset.threads == 1
        if answer.tag not in flying or late < 0 or (late and alone):
            raise DeviceError(f"{name} answered another job, or counts its cycles wrongly")
        index, asked = flying.pop(answer.tag)
        self.last_cycles = answer.cycles
        status, point, error = Status(answer.status), None, None
        if status is not Status.OK:
            error = ERRORS[status](self._complaint(status, *(asked or (0, 0))))
        elif not answer.infinity:
            point = (_number(out_x), _number(out_y))
        return happened, Completion(index, point, error, answer.cycles)

    def _complaint(self, status: Status, x: int, y: int) -> str:
        curve = self._design.preset.curve
        if status is Status.COORDINATE_OUT_OF_RANGE:
            name, value = ("y", y) if curve.in_range(x, 0) else ("x", x)
            return f"{name} = {value:#x} is not an element of {curve.field_name}"
        if status is Status.POINT_NOT_ON_CURVE:
            return f"point = ({x:#x}, {y:#x}) is not on {curve.name}"
        return f"the core of {self._design.preset.name} answered {status.name}"

    def kp_many(
        self, jobs: Iterable[Job | DoubleJob], progress: Progress | None = None
    ) -> list[Point]:
        """Return the results of many jobs, in order (see :class:`ecsm.device.base.Device`)."""
        todo = [job_of(job) for job in jobs]
        results: list[Point] = [None] * len(todo)
        failed: list[Completion] = []

        def until_one_fails() -> Iterator[OpJob]:
            for job in todo:
                if failed:
                    return
                yield job

        with self._turn.taken():
            for count, done in enumerate(self._stream(until_one_fails()), start=1):
                if done.error is not None:
                    failed.append(done)
                    continue
                results[done.index] = done.point
                if progress is not None:
                    progress(count, len(todo))
        if failed:
            min(failed, key=lambda done: done.index).result()
        return results

    def as_completed(self, jobs: Iterable[Job | DoubleJob]) -> Generator[Completion, None, None]:
        """Yield jobs as they are finished (see :class:`ecsm.device.base.Device`)."""
        with self._turn.taken():
            yield from self._stream(job_of(job) for job in jobs)

    def operations(self, jobs: Iterable[OpJob]) -> Generator[Completion, None, None]:
        """Do the same with jobs that name the core port's operation; 0 is kP."""
        with self._turn.taken():
            yield from self._stream(operation_of(job) for job in jobs)

    def close(self) -> None:
        """Free the core."""
        if self._turn.mine:  # in the middle of as_completed
            self._free()
        else:
            with self._turn.taken():
                self._free()

    def _free(self) -> None:
        core, self._core = self._core, None
        if core is not None:
            self._lib.ecsm_free(core)
        if self._schemes is not None:
            self._schemes.close()


def _number(words: _Words) -> int:
    return sum(int(w) << 32 * i for i, w in enumerate(words))
