# SPDX-License-Identifier: Apache-2.0
"""Many runs of a circuit at once, one in each bit of a vector: see lanes.cpp.

A value of a port in all lanes is an array of octets, ``bits`` rows of ``lanes / 8``: bit i of the
row k (the lowest first) is bit k of the port in lane i.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import Circuit, groups_of
from ecsm.evidence.campaigns.lanes_code import code
from ecsm.sim.cache import entry
from ecsm.sim.compiling import run

SOURCE = Path(__file__).with_name("lanes.cpp")
SHARED = SOURCE.with_name("lanes_circuit.h")
"""What other simulators of a circuit have in common with this one."""
HEADERS = (SHARED.name, "lanes_moments.h", "lanes_vector.h")
LIBRARY = "lanes.so"
WIDTHS = {512: ("avx512f", "avx512bw", "avx512dq"), 256: ("avx2",), 64: ()}
"""How many lanes there may be, most first, and what a processor needs for so many."""
FEW = 64
LARGE = 3000
"""From so many LUTs on a campaign's circuit is worth the compiler's time, some 2 s a 1,000 LUTs."""
PARTS = "parts.h"
FLIP, FLIP_CELL, STUCK_0, STUCK_1 = range(4)
"""Kinds of an event; the last two last until :meth:`Lanes.clear`, or the next of their bit."""

Planes = npt.NDArray[np.uint8]


class Event(NamedTuple):
    """A fault in one lane, before a cycle of a run. ``target``: a register, or a memory's bit."""

    cycle: int
    kind: int
    target: int
    lane: int


def widths() -> list[int]:
    """Return how many lanes this processor can run, most first."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "").split()
    return [lanes for lanes, needed in WIDTHS.items() if {*flags} >= {*needed}]


def library(lanes: int | None = None, own: str = "") -> Path:
    """Return the compiled simulator of so many lanes, by default as many as the processor can.

    ``own``: the :func:`~ecsm.evidence.campaigns.lanes_code.code` of a circuit, the only one that
    the simulator is for; without it, it takes any circuit.

    Raises :class:`ecsm.device.base.DeviceError` if it cannot be compiled.
    """
    lanes = lanes or widths()[0]
    flags = [f"-DLANES={lanes}", *(f"-m{needed}" for needed in WIDTHS[lanes])]
    if own:
        flags.append(f'-DPARTS="{PARTS}"')
    command = ["g++", "-std=c++20", "-O2", "-fPIC", "-shared", *flags]
    parts = (SOURCE, *(SOURCE.with_name(name) for name in HEADERS))
    text = b"\0".join([*(p.read_bytes() for p in parts), *(f.encode() for f in (*command, own))])

    def make(work: Path, done: Path) -> None:
        (work / PARTS).write_text(own, encoding="utf-8")
        run([*command, f"-I{work}", str(SOURCE), "-o", str(done / LIBRARY)], work)

    return entry(f"lanes-{hashlib.sha256(text).hexdigest()[:16]}", make) / LIBRARY


def lane_count() -> int:
    """Return how many runs there are at once on this processor, without a circuit."""
    return int(ctypes.CDLL(str(library())).lanes_count())


def add_moments(
    traces: npt.NDArray[np.uint16], order: npt.NDArray[np.int32], ends: npt.NDArray[np.int32],
    centre: npt.NDArray[np.float64], sums: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    """Add to ``sums[class, k, cycle]`` powers k + 1 of the distance of traces to the centre.

    ``order``: the columns of traces, class by class; ``ends``: where in it each class ends.
    """
    assert sums.shape == (len(ends), 4, len(traces))
    assert len(order) == ends[-1] == traces.shape[1]
    centre = np.ascontiguousarray(centre, dtype=np.float64)
    assert centre.shape == (len(traces),)
    lib = ctypes.CDLL(str(library()))
    lib.lanes_moments(
        pointer(traces), ctypes.c_int64(len(traces)), ctypes.c_int64(traces.shape[1]),
        pointer(order), pointer(ends), len(ends), pointer(centre), pointer(sums),
    )  # fmt: skip


class Lanes:
    """A circuit that runs in :attr:`lanes` lanes; to be closed, or used as a context.

    ``large``: from so many LUTs on the circuit is compiled, and then twice as fast; by default it
    is not.
    """

    def __init__(
        self, circuit: Circuit, lanes: int | None = None, large: float = float("inf")
    ) -> None:
        own = code(circuit) if circuit.luts >= large else ""
        self._begin(circuit, library(lanes, own))

    def _begin(self, circuit: Circuit, simulator: Path) -> None:
        self.circuit = circuit
        self._lib = ctypes.CDLL(str(simulator))
        self._lib.lanes_new.restype = ctypes.c_void_p
        self._lib.lanes_items.restype = self._lib.lanes_cells.restype = ctypes.c_int64
        self.lanes = int(self._lib.lanes_count())
        words = np.array(blob(circuit), dtype=np.int32)
        init = np.array([b for m in circuit.memories for b in m.init], dtype=np.uint8)
        self._self = ctypes.c_void_p(
            self._lib.lanes_new(
                pointer(words), ctypes.c_int64(len(words)), pointer(init), ctypes.c_int64(len(init))
            )
        )
        self.items = int(self._lib.lanes_items(self._self))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory."""
        if self._self:
            self._lib.lanes_delete(self._self)
            self._self = ctypes.c_void_p()

    def clear(self) -> None:
        """Switch power off and on: registers are zero, memories have their first content."""
        self._lib.lanes_clear(self._self)

    def all(self, value: int, bits: int) -> Planes:
        """Return one value, for all lanes."""
        rows = [0xFF * (value >> k & 1) for k in range(bits)]
        return np.repeat(np.array(rows, dtype=np.uint8)[:, None], self.lanes // 8, axis=1)

    def each(self, values: Sequence[int], bits: int) -> Planes:
        """Return a value for each lane."""
        octets = (bits + 7) // 8
        raw = np.frombuffer(b"".join(v.to_bytes(octets, "little") for v in values), dtype=np.uint8)
        spread = np.unpackbits(raw.reshape(len(values), octets), axis=1, bitorder="little")
        return np.packbits(spread[:, :bits].T, axis=1, bitorder="little")

    def set(self, port: str, value: Planes | int) -> None:
        """Set an input, which keeps its value."""
        nets = self.circuit.ports[port]
        planes = self.all(value, len(nets)) if isinstance(value, int) else value
        assert planes.shape == (len(nets), self.lanes // 8)
        planes = np.ascontiguousarray(planes)
        self._lib.lanes_set(self._self, nets[0], len(nets), pointer(planes))

    def noise(self, port: str, seed: int, same: bool = False) -> None:
        """Let an input be random in every cycle and lane from now on, until :meth:`clear`.

        ``same``: in all lanes alike, and for a seed the same whatever the number of lanes.
        """
        nets = self.circuit.ports[port]
        self._lib.lanes_noise(self._self, nets[0], len(nets), ctypes.c_uint64(seed), int(same))

    def record(self, nets: Sequence[int], rows: Planes | None) -> None:
        """Write the values of nets into ``rows[cycle, net]`` in each cycle from now on.

        ``rows`` must have room for all cycles that are run until the next call, with None, or
        :meth:`clear`, and must stay.
        """
        if rows is not None:
            assert rows.shape[1:] == (len(nets), self.lanes // 8)
            assert rows.flags.c_contiguous
        numbers = np.array(nets, dtype=np.int32)
        at = None if rows is None else pointer(rows)
        self._lib.lanes_record(self._self, pointer(numbers), len(nets), at)

    def planes(self, nets: Sequence[int]) -> Planes:
        """Return the values of nets."""
        found = np.zeros((len(nets), self.lanes // 8), dtype=np.uint8)
        numbers = np.array(nets, dtype=np.int32)
        self._lib.lanes_get(self._self, pointer(numbers), len(nets), pointer(found))
        return found

    def get(self, port: str, chosen: Sequence[int] | slice = slice(None)) -> list[int]:
        """Return the value of a port in each of the ``chosen`` lanes, after the last settling."""
        planes = self.planes(self.circuit.ports[port])
        bits = np.unpackbits(planes, axis=1, bitorder="little")[:, chosen].T
        octets = np.packbits(bits, axis=1, bitorder="little")
        return [int.from_bytes(row.tobytes(), "little") for row in octets]

    def run(
        self, cycles: int, counts: npt.NDArray[np.uint16] | None = None,
        until: str | Sequence[str] = (), lanes: Planes | None = None,
        events: Sequence[Event] | npt.NDArray[np.int32] = (),
    ) -> int:  # fmt: skip
        """Run ``cycles``, or until one of the one-bit ports ``until`` is 1 in one of its lanes.

        Return how many clocks came. Nets have settled at the end. ``counts``: an array of
        ``cycles`` rows of :attr:`lanes`, which is filled with how many bits changed. ``lanes``: of
        each port of ``until`` a row, by default all lanes.
        """
        ports = (until,) if isinstance(until, str) else until
        watch = np.array([self.circuit.ports[p][0] for p in ports], dtype=np.int32)
        shape = len(watch), self.lanes // 8
        mask = np.full(shape, 0xFF, dtype=np.uint8) if lanes is None else lanes.reshape(shape)
        mask = np.ascontiguousarray(mask)
        if counts is not None:
            assert counts.shape == (cycles, self.lanes)
            assert counts.flags.c_contiguous
        faults = np.array(events, dtype=np.int32).reshape(-1, 4)
        faults = np.ascontiguousarray(faults[np.lexsort(faults.T[::-1])])
        return int(
            self._lib.lanes_run(
                self._self, cycles, None if counts is None else pointer(counts), pointer(watch),
                len(watch), pointer(mask), pointer(faults), len(faults),
            )
        )  # fmt: skip

    def changed(self, lanes: Planes, sums: npt.NDArray[np.uint32]) -> None:
        """Add to each of the circuit's items in how many of ``lanes`` the last clock changed it."""
        assert len(sums) == self.items
        mask = np.ascontiguousarray(lanes)
        self._lib.lanes_changed(self._self, pointer(mask), pointer(sums))


def pointer(array: npt.NDArray[np.generic]) -> ctypes.c_void_p:
    """Return where an array is."""
    return ctypes.c_void_p(array.ctypes.data)


def blob(c: Circuit) -> list[int]:
    """Return a circuit as the numbers that lanes_circuit.h reads."""
    found = [c.nets, c.inputs, len(c.registers), len(c.probes), len(c.groups), len(c.memories)]
    found += [*c.inputs_of_registers, *c.probes, *groups_of(c.registers)]
    of_port = {net: i for i, nets in enumerate(c.ports.values()) for net in nets}
    found += [of_port[2 + i] for i in range(c.inputs)]
    for m in c.memories:
        found += [m.words, m.width, m.address_bits, len(m.writes)]
        for w in m.writes:
            found += [*w.address, *w.data, *w.enable]
    for g in c.groups:
        found += [g.table, g.outputs, *g.inputs]
    return found


class Timed:
    """Lanes that run with events whose cycles count from one cycle on, and stop in between.

    ``cycle`` is the next one, or the one in which the last run stopped.
    """

    def __init__(self, lanes: Lanes, events: Sequence[Event], cycle: int = 1) -> None:
        self._lanes, self.cycle, self._done = lanes, cycle, cycle - 1
        self._events = np.array(sorted(events), dtype=np.int32).reshape(-1, 4)

    def run(self, limit: int, until: str | Sequence[str] = (), lanes: Planes | None = None) -> None:
        """Run to the cycle ``limit``, or until a port is 1, as :meth:`Lanes.run` has it."""
        later = self._events[self._events[:, 0] > self._done]
        later[:, 0] -= self.cycle
        self.cycle += self._lanes.run(limit - self.cycle, None, until, lanes, later)
        self._done = self.cycle
