# SPDX-License-Identifier: Apache-2.0
"""A host for each lane of a scheme machine: lanes may run apart, as they do after a fault.

Each host offers the words of its strings, one after the other as they are taken, takes what comes
at once, and is done with the response. Python acts in cycles with a handshake in some lane; in all
others the lanes run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ecsm.evidence.campaigns.lanes import Event, Lanes, Planes, Timed

WORD = 8  # octets
HEARD = 64  # words of a lane's answer that are kept: many more than any right one has
IN, OUT, RSP = WATCHED = ("in_ready_o", "out_valid_o", "rsp_valid_o")


@dataclass
class Reply:
    """What a lane said: whole strings, octets of one that did not end, a status, its cycle.

    ``status`` is None if there was no response until ``cycle``.
    """

    status: int | None = None
    strings: list[bytes] = field(default_factory=list)
    rest: bytes = b""
    cycle: int = 0

    def hear(self, data: int, octets: int, last: int) -> None:
        """Take a word that came out; octets that no word has are zero."""
        self.rest += data.to_bytes(WORD, "big").ljust(octets, b"\0")[:octets]
        if last:
            self.strings.append(self.rest)
            self.rest = b""


class Word(NamedTuple):
    """A word of a string: the values of all lanes, its octets, whether it is the string's last."""

    values: list[int]
    octets: int
    last: bool


def words(*strings: Sequence[bytes]) -> list[Word]:
    """Return the words of strings, one after the other; each has one length in all lanes."""
    found = []
    for lanes in strings:
        for at in range(0, len(lanes[0]), WORD):
            parts = [s[at : at + WORD] for s in lanes]
            values = [int.from_bytes(p.ljust(WORD, b"\0"), "big") for p in parts]
            found.append(Word(values, len(parts[0]), at + WORD >= len(lanes[0])))
    return found


class Hosts:
    """The hosts of all lanes, for a request that was accepted: cycle 1 is next."""

    def __init__(self, lanes: Lanes, *strings: Sequence[bytes]) -> None:
        self._lanes = lanes
        given = words(*strings)
        self._data = [lanes.each(w.values, 8 * WORD) for w in given]
        self._octets = [w.octets for w in given]
        self._last = [w.last for w in given]
        self._at = [lanes.all(int(not i), 1)[0] for i in range(len(given))]  # who offers a word
        self._open = lanes.all(1, 1)[0]  # who waits for a response
        self._heard = [0] * lanes.lanes
        self._deaf = lanes.all(0, 1)[0]  # who got more words than HEARD
        self.replies = [Reply() for _ in range(lanes.lanes)]
        self._offer()

    def run(self, events: Sequence[Event], limit: int) -> list[Reply]:
        """Run with faults until each lane has responded, at most ``limit`` cycles."""
        time = Timed(self._lanes, events)
        nets = [self._lanes.circuit.ports[p][0] for p in WATCHED]
        while self._open.any():
            listens = np.stack([self._offers(), self._open & ~self._deaf, self._open])
            time.run(limit, WATCHED, listens)
            taken, out, response = self._lanes.planes(nets) & listens
            self._hear(out)
            self._close(response, time.cycle)
            if time.cycle == limit:
                break
            time.run(time.cycle + 1)
            if taken.any() or response.any():
                self._move(taken)
                self._offer()
        for lane in _numbers(self._open):
            self.replies[lane].cycle = limit
        return self.replies

    def _offers(self) -> Planes:
        """Return who offers a word."""
        found: Planes = np.bitwise_or.reduce(self._at) & self._open
        return found

    def _offer(self) -> None:
        """Put the word on the port that each lane is at."""
        octets = self._lanes.all(0, len(self._lanes.circuit.ports["in_bytes_i"]))
        data = np.zeros_like(self._data[0])
        for who, value, size in zip(self._at, self._data, self._octets, strict=True):
            data |= value & who
            octets |= self._lanes.all(size, len(octets)) & who
        self._lanes.set("in_data_i", data)
        self._lanes.set("in_bytes_i", octets)
        last = [who for who, last in zip(self._at, self._last, strict=True) if last]
        self._lanes.set("in_last_i", np.bitwise_or.reduce(last)[None])
        self._lanes.set("in_valid_i", self._offers()[None])

    def _move(self, taken: Planes) -> None:
        """Go to the next word in lanes whose word was taken."""
        moved = [who & taken for who in self._at]
        before = [np.zeros_like(taken), *moved[:-1]]
        self._at = [who & ~m | b for who, m, b in zip(self._at, moved, before, strict=True)]

    def _hear(self, out: Planes) -> None:
        """Take a word of each of these lanes."""
        chosen = _numbers(out)
        if not chosen:
            return
        ports = ("out_data_o", "out_bytes_o", "out_last_o")
        values = zip(*(self._lanes.get(p, chosen) for p in ports), strict=True)
        for lane, (data, octets, last) in zip(chosen, values, strict=True):
            self.replies[lane].hear(data, octets, last)
            self._heard[lane] += 1
            if self._heard[lane] == HEARD:
                self._deaf[lane // 8] |= 1 << lane % 8

    def _close(self, response: Planes, cycle: int) -> None:
        """Take the response of each of these lanes."""
        chosen = _numbers(response)
        if chosen:
            for lane, status in zip(chosen, self._lanes.get("rsp_status_o", chosen), strict=True):
                self.replies[lane].status, self.replies[lane].cycle = status, cycle
            self._open = self._open & ~response


def _numbers(lanes: Planes) -> list[int]:
    """Return the numbers of lanes in a row."""
    return [int(i) for i in np.flatnonzero(np.unpackbits(lanes, bitorder="little"))]
