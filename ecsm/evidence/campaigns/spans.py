# SPDX-License-Identifier: Apache-2.0
"""From when to when bits of a memory have a value that is read in a job.

A word that is read in every cycle, because its address rests, counts as read. Bits of a word that
are not written together have spans of their own. What a word has before the job counts from cycle 1
on, unless it is zero: a key in its slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import READ, Circuit, Memory
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.protocols import Faultable

BLOCK = 4096  # cycles that are looked at together
Nets = Sequence[int]
Row = npt.NDArray[Any]


class Span(NamedTuple):
    """``bits`` of a word of a memory have a value from cycle ``first`` to before ``end``."""

    memory: int
    word: int
    bits: tuple[int, ...]
    first: int
    end: int


class _Reads(NamedTuple):
    """What is read, in the order of words and then of cycles; ``data``: whether it is not zero."""

    word: Row
    cycle: Row
    data: Row

    def of(self, word: int) -> tuple[Row, Row]:
        """Return the cycles in which a word is read, and whether it is not zero there."""
        here = slice(*np.searchsorted(self.word, (word, word + 1)))
        return self.cycle[here], self.data[here]


class _Job:
    """The values of nets in each cycle of a job from cycle 1 on, in the first lane."""

    def __init__(self, core: Faultable, lanes: Lanes, inputs: Any, nets: Sequence[int]) -> None:
        self._column = {net: i for i, net in enumerate(nets)}
        self._seen = np.zeros((core.last - 1, len(nets)), dtype=bool)
        run = core.start(lanes, inputs)
        for first in range(1, core.last, BLOCK):
            end = min(first + BLOCK, core.last)
            rows = np.zeros((end - first, len(nets), lanes.lanes // 8), dtype=np.uint8)
            lanes.record(nets, rows)
            run.to(end)
            lanes.record((), None)
            self._seen[first - 1 : end - 1] = rows[:, :, 0] & 1

    def bits(self, nets: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return a row for each cycle."""
        return self._seen[:, [self._column[n] for n in nets]]

    def number(self, nets: Sequence[int]) -> Row:
        """Return the number that nets are, in each cycle."""
        found: Row = self.bits(nets) @ (1 << np.arange(len(nets)))
        return found

    def reads(self, ports: Sequence[tuple[Nets, Nets]]) -> _Reads:
        """Return what these ports read: their addresses and their data."""
        cycles = np.arange(1, len(self._seen) + 1)
        rows = [(self.number(a), cycles, self.bits(d).any(axis=1)) for a, d in ports]
        word, cycle, data = (np.concatenate(part) for part in zip(*rows, strict=True))
        order = np.lexsort((cycle, word))
        return _Reads(word[order], cycle[order], data[order])


def values(core: Faultable, lanes: Lanes, inputs: Any) -> list[Span]:
    """Return the spans of a job, the first lane's: all lanes have to do the same."""
    c = core.circuit
    reads = _reads(c)
    nets = {n for ports in reads.values() for port in ports for part in port for n in part}
    nets |= {n for m in reads for w in c.memories[m].writes for n in (*w.address, *w.enable)}
    job = _Job(core, lanes, inputs, sorted(nets))
    found = []
    for m, ports in reads.items():
        for bits in _together(c.memories[m]):
            used = job.reads([(a, [data[b] for b in bits]) for a, data in ports])
            writes = [(job.number(w.address), job.bits([w.enable[bits[0]]])[:, 0])
                      for w in c.memories[m].writes if w.enable[bits[0]]]  # fmt: skip
            for word in np.unique(used.word):
                written = [np.flatnonzero(on & (at == word)) + 1 for at, on in writes]
                when = np.unique(np.concatenate([*written, np.zeros(0, dtype=np.int64)]))
                found += [Span(m, int(word), bits, *cycles)
                          for cycles in _lives(*used.of(word), when, core.last)]  # fmt: skip
    return [s for s in found if s.word < c.memories[s.memory].words]


def _reads(c: Circuit) -> dict[int, list[tuple[Nets, Nets]]]:
    """Return the nets of address and data of each read of a memory that is written."""
    found: dict[int, list[tuple[Nets, Nets]]] = {}
    out = 2 + c.inputs + len(c.registers)
    for g in c.groups:
        if g.table == READ and c.memories[g.inputs[0]].writes:
            data = range(out, out + g.outputs)
            found.setdefault(g.inputs[0], []).append((g.inputs[1:], data))
        out += g.outputs
    return found


def _together(memory: Memory) -> list[tuple[int, ...]]:
    """Return the bits of a memory's word in parts that are written together."""
    parts: dict[tuple[int, ...], list[int]] = {}
    for bit in range(memory.width):
        parts.setdefault(tuple(w.enable[bit] for w in memory.writes), []).append(bit)
    return [tuple(bits) for bits in parts.values()]


def _lives(read: Row, data: Row, written: Row, end: int) -> Iterator[tuple[int, int]]:
    """Yield from which cycle to before which one a word has a value that is read.

    ``read`` and ``written`` are cycles. A read in the cycle of a write has the value before it.
    """
    begins, ends = [1, *(written + 1)], [*written, end]
    for begin, last in zip(begins, ends, strict=True):
        first, behind = np.searchsorted(read, begin), np.searchsorted(read, last, side="right")
        if first < behind and (begin > 1 or data[first:behind].any()):
            yield int(begin), int(read[behind - 1]) + 1
