# SPDX-License-Identifier: Apache-2.0
"""Labels of a netlist's bits beside one run of it: see flow.cpp.

A label has a bit for noise, one for each of :data:`MASKS` random numbers, and three for each of
:data:`PLANES` planes: K, the secret itself, and A and B, two parts of it that tell nothing alone.
Planes are analyses of one run that differ in what is assumed. A plane's item *tells* in a cycle in
which it may change, and what it was and what it becomes depend, together, on K, or on A and B.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.lanes import SHARED, Lanes, Planes, pointer
from ecsm.sim.cache import entry
from ecsm.sim.compiling import run

SOURCE = Path(__file__).with_name("flow.cpp")
HEADERS = ("flow_values.h", "flow_writer.h")
LIBRARY = "flow.so"
PLANES, MASKS = 16, 7
NOISE = 1
_K, _A, _B = 8, 24, 40
EVERY = (1 << 64) - 1
Labels = npt.NDArray[np.uint64]


class Rule(NamedTuple):
    """A change of labels, of what a word of the program writes to some words of the memory.

    ``writer``: the word of the program; ``low``, ``high``: from which word of the memory to before
    which one. Labels of ``keep`` stay, those of ``take`` are moved from K to A, those of ``set``
    are added, for bits that have all labels of ``need``.
    """

    writer: int
    low: int
    high: int
    need: int
    keep: int
    take: int
    set: int


def mask(number: int) -> int:
    """Return the label of a random number."""
    assert number < MASKS
    return 2 << number


def secret(planes: int) -> int:
    """Return the label K of a set of planes."""
    return planes << _K


def first_part(planes: int) -> int:
    """Return the label A of a set of planes."""
    return planes << _A


def second_part(planes: int) -> int:
    """Return the label B of a set of planes."""
    return planes << _B


def library() -> Path:
    """Return the compiled simulator.

    Raises :class:`ecsm.device.base.DeviceError` if it cannot be compiled.
    """
    command = ["g++", "-std=c++20", "-O3", "-fPIC", "-shared"]
    parts = (SOURCE, SHARED, *(SOURCE.with_name(name) for name in HEADERS))
    text = b"\0".join([*(p.read_bytes() for p in parts), *(f.encode() for f in command)])

    def make(work: Path, done: Path) -> None:
        run([*command, f"-I{SHARED.parent}", str(SOURCE), "-o", str(done / LIBRARY)], work)

    return entry(f"flow-{hashlib.sha256(text).hexdigest()[:16]}", make) / LIBRARY


class Flow(Lanes):
    """A circuit that runs once, with labels; eight lanes have the same values.

    ``label_of``: the label that a port's value has, which is asked whenever it is set. The noise of
    :meth:`~ecsm.evidence.campaigns.lanes.Lanes.noise` has the label ``noise``.
    """

    def __init__(
        self, circuit: Circuit, label_of: Callable[[str], int] = lambda _: 0, noise: int = NOISE
    ) -> None:
        self._begin(circuit, library())
        self._lib.flow_writer.restype = ctypes.c_int64
        self._label_of = label_of
        self._lib.flow_noise_label(self._self, ctypes.c_uint64(noise))

    def set(self, port: str, value: Planes | int) -> None:
        """Set an input, which keeps its value."""
        super().set(port, value)
        if label := self._label_of(port):
            nets = self.circuit.ports[port]
            self._lib.flow_label(self._self, nets[0], len(nets), ctypes.c_uint64(label))

    def keep(self, register: str, labels: int) -> None:
        """Let all bits of registers whose names begin so have these labels at most."""
        for item, name in enumerate(self.circuit.registers):
            if name.startswith(register):
                self._lib.flow_keep(self._self, item, ctypes.c_uint64(labels))

    def follow(
        self, state: Sequence[int], counter: Sequence[int], valid: int, begins: int,
        walks: Sequence[bool],
    ) -> None:  # fmt: skip
        """Say which nets tell what word of a program writes, and which words are walks."""
        table = np.zeros(1 << len(counter), dtype=np.uint8)
        table[: len(walks)] = walks
        nets = [np.array(n, dtype=np.int32) for n in (state, counter)]
        self._lib.flow_follow(
            self._self,
            pointer(nets[0]),
            pointer(nets[1]),
            len(counter),
            valid,
            begins,
            pointer(table),
        )

    def writer(self) -> int:
        """Return the word of the program that could write with the last clock; -1: none."""
        return int(self._lib.flow_writer(self._self))

    def rules(self, rules: Sequence[Rule]) -> None:
        """Apply these rules from now on, and no other ones."""
        words = np.array([[*rule] for rule in rules], dtype=np.uint64)
        self._lib.flow_rules(self._self, pointer(words), ctypes.c_int64(len(rules)))

    def begin(self, rows: npt.NDArray[np.uint32]) -> None:
        """Let the next cycle be number 0, and write a row for each.

        A row: the planes in which an item tells, and how many items tell in the first one.
        ``rows`` must have room for all cycles that are run until :meth:`clear`, and must stay.
        """
        assert rows.shape[1:] == (2,)
        assert rows.flags.c_contiguous
        self._lib.flow_begin(self._self, pointer(rows))

    def labels(self, nets: Sequence[int]) -> Labels:
        """Return the labels of nets."""
        found = np.zeros(len(nets), dtype=np.uint64)
        numbers = np.array(nets, dtype=np.int32)
        self._lib.flow_labels(self._self, pointer(numbers), len(nets), pointer(found))
        return found

    def told(self) -> Labels:
        """Return what the last clock's change of each item may depend on."""
        found = np.zeros(self.items, dtype=np.uint64)
        self._lib.flow_told(self._self, pointer(found))
        return found

    def cells(self) -> Labels:
        """Return the labels of the memories' bits."""
        found = np.zeros(int(self._lib.lanes_cells(self._self)), dtype=np.uint64)
        self._lib.flow_cells(self._self, pointer(found))
        return found
