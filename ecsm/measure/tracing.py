# SPDX-License-Identifier: Apache-2.0
"""Simulated devices that tell every change of every named net (VCD), at every clock."""

from __future__ import annotations

import ctypes
import fcntl
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from ecsm.cores.store import design
from ecsm.curves import Point
from ecsm.device.base import DeviceError
from ecsm.device.schemes import SchemeDevice
from ecsm.device.sim import SimDevice
from ecsm.hdl.machines import machine
from ecsm.measure.vcd import Scope, toggles
from ecsm.sim.cache import RUNTIME, Sources, build, rtl_sources, scheme_sources, traced_schemes

J = TypeVar("J")
T = TypeVar("T")
PIPE_OCTETS = 1 << 20
Log = Callable[[str], None]


def with_tracing(s: Sources) -> Sources:
    """Return the sources of a simulated core that can be traced."""
    return replace(
        s,
        name=f"{s.name}-trace",
        verilator=(
            "--trace-vcd", "--no-trace-params", "--trace-max-width", "4096", "--trace-max-array",
            "4096",
        ),
        # A core that runs a few jobs is sooner ready without optimisation.
        cxx=("-O0", "-DECSM_TRACE", "-DVM_TRACE=1", "-DVM_TRACE_VCD=1"),
        runtime=(*RUNTIME, "verilated_vcd_c.cpp"),
    )  # fmt: skip


def traced(
    lib: ctypes.CDLL,
    core: int | None,
    job: Callable[[], J],
    read: Callable[[Iterable[bytes]], T],
) -> tuple[J, T]:
    """Run a job on a simulated core; return its result, and that of ``read`` on the value changes.

    Raises :class:`DeviceError` if the trace fails, and what the job raises.
    """
    lib.ecsm_trace.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
    lib.ecsm_trace_end.argtypes = (ctypes.c_void_p,)
    source, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, PIPE_OCTETS)

    def run() -> J:
        try:
            if lib.ecsm_trace(core, f"/proc/self/fd/{write}".encode()):
                raise DeviceError("the trace cannot be opened")
            try:
                return job()
            finally:
                lib.ecsm_trace_end(core)
        finally:
            os.close(write)

    with ThreadPoolExecutor(1) as pool, os.fdopen(source, "rb") as stream:
        running = pool.submit(run)
        try:
            found = read(stream)
        finally:
            for _ in stream:  # or the core would wait for ever for a reader
                pass
            result = running.result()
        return result, found


class TracingDevice(SimDevice):
    """A simulated core that can be traced."""

    def __init__(self, name: str, log: Log | None = None) -> None:
        d = design(name)
        super().__init__(name, log, build(d, with_tracing(rtl_sources(d)), log))

    def toggles(self, k: int, point: Point) -> dict[Scope, int]:
        """Return the toggles by scope while k*point is computed and the core is emptied again.

        Raises as :meth:`trace` does.
        """
        return self.trace(k, point, toggles)[1]

    def trace(self, k: int, point: Point, read: Callable[[Iterable[bytes]], T]) -> tuple[Point, T]:
        """Compute k*point; return and raise as :func:`traced` and :meth:`kp`."""
        return traced(self._lib, self._core, lambda: self.kp(k, point), read)


class TracingSchemes(SchemeDevice):
    """A simulated machine of schemes that can be traced."""

    def __init__(self, name: str, log: Log | None = None) -> None:
        m = machine(name)
        core = build(m.design, with_tracing(traced_schemes(scheme_sources(m))), log)
        super().__init__(name, log=log, core=core)

    def trace(self, job: Callable[[], J], read: Callable[[Iterable[bytes]], T]) -> tuple[J, T]:
        """Run a job of the device; return and raise as :func:`traced`."""
        return traced(self._lib, self._core, job, read)
