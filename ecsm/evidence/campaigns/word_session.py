# SPDX-License-Identifier: Apache-2.0
"""Jobs of a word engine in all lanes, one after the other, and what each of their cycles is for.

    cycle 0        the first request is accepted
    cycle c        words of strings move as the engine asks for them, in all lanes alike
    last           the last response; AFTER more cycles show what its end clears

The time does not depend on keys, points and masks (docs/security/word.md): lanes that run apart are
an error. So the program is followed once (:func:`listing`), in few lanes, and what was seen there
is true of every other run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.host import WORD
from ecsm.evidence.campaigns.lanes import Lanes, Planes
from ecsm.evidence.campaigns.subject import AFTER
from ecsm.schedule.sequential.words import PC_BITS
from ecsm.schemes.word.program import WordProgram
from ecsm.sim.cache import entry
from ecsm.status import Status

BLOCK = 8192  # cycles that are looked at together
LIMIT = 1 << 22  # cycles of a session
CONTROL, CORE = "u_scheme.u_core.u_control.", "u_scheme.u_core."
DIGIT = ("index_q[0]", "index_q[1]", "index_q[2]", "negative_q")
"""Registers of the digit, as the engine has it: changed by MASK."""
MASK = ("turn_q[0]", "turn_q[1]", "turn_q[2]", "sign_q")
LOOK_COMB = "look_comb"
LOOKUPS = {"lookup", LOOK_COMB}
"""Routines that look an entry up."""
KEPT = "listing.npz"


@dataclass(frozen=True)
class Task:
    """A request: the number of its operation, and for each of its strings what each lane gives."""

    operation: int
    strings: Sequence[Sequence[bytes]] = ()


class Session:
    """Tasks that run, in lanes that are ready for the first one. ``at``: the next cycle."""

    def __init__(self, lanes: Lanes, tasks: Sequence[Task]) -> None:
        self._lanes, self._tasks, self.at = lanes, list(tasks), 0
        self._words: list[tuple[Planes, int, int]] = []
        self._open = False  # whether a task runs
        self._heard: list[list[bytes]] = []
        self.last = -1
        """The cycle of the last task's response, once it came."""
        self.begins: list[int] = []
        """In which cycles requests were accepted."""

    def to(self, cycle: int, counts: npt.NDArray[np.uint16] | None = None, first: int = 0) -> None:
        """Run until ``cycle`` is next; ``counts`` has a row for every cycle from ``first`` on.

        Raises ValueError for lanes that run apart, or a response that is not OK.
        """
        while self.at < cycle:
            self._run(cycle - self.at, counts, first, self._watch())
            if self.at < cycle:
                moved = [p for p in self._watch() if self._all(p)]
                self._hear(moved)
                self._run(1, counts, first)
                self._act(moved)

    def _run(
        self, cycles: int, counts: npt.NDArray[np.uint16] | None, first: int,
        until: Sequence[str] = (),
    ) -> None:  # fmt: skip
        rows = None if counts is None else counts[self.at - first : self.at - first + cycles]
        self.at += self._lanes.run(cycles, rows, until)

    def _watch(self) -> list[str]:
        """Return the ports of what may happen next."""
        if self._open:
            return [*["in_ready_o"] * bool(self._words), "out_valid_o", "rsp_valid_o"]
        if self._tasks:
            self._lanes.set("req_op_i", self._tasks[0].operation)
            self._lanes.set("req_valid_i", 1)
            return ["req_ready_o"]
        return []

    def _all(self, port: str) -> bool:
        """Whether a port is 1 in all lanes."""
        seen = set(self._lanes.planes(self._lanes.circuit.ports[port])[0].tolist())
        if not seen <= {0, 0xFF} or len(seen) > 1:
            raise ValueError(f"lanes differ in {port}, cycle {self.at}")
        return seen == {0xFF}

    def _hear(self, moved: Sequence[str]) -> None:
        """Take what the first and the last lane say."""
        ends = [0, self._lanes.lanes - 1]
        if "out_valid_o" in moved:
            data, octets = (self._lanes.get(p, ends) for p in ("out_data_o", "out_bytes_o"))
            self._heard.append(
                [d.to_bytes(WORD, "big")[:n] for d, n in zip(data, octets, strict=True)]
            )
        if "rsp_valid_o" in moved:
            if not self._tasks:
                self.last = self.at
            said = set(self._lanes.get("rsp_status_o"))
            if said != {Status.OK}:
                raise ValueError(f"a word engine answered {sorted(said)} in cycle {self.at}")

    def _act(self, moved: Sequence[str]) -> None:
        """Go on behind a cycle in which words, a request or a response moved."""
        if "req_ready_o" in moved:
            self._lanes.set("req_valid_i", 0)
            self.begins.append(self.at - 1)
            self._words = list(self._octets(self._tasks.pop(0)))
            self._heard, self._open = [], True
            self._offer()
        if "in_ready_o" in moved:
            self._words.pop(0)
            self._offer()
        if "rsp_valid_o" in moved:
            self._open = False

    def _octets(self, task: Task) -> Iterator[tuple[Planes, int, int]]:
        """Yield the words of a task's strings: values, octets, whether it is a string's last."""
        for string in task.strings:
            size = len(string[0])
            for at in range(0, size, WORD):
                parts = [s[at : at + WORD] for s in string]
                values = [int.from_bytes(p.ljust(WORD, b"\0"), "big") for p in parts]
                yield self._lanes.each(values, 8 * WORD), len(parts[0]), int(at + WORD >= size)

    def _offer(self) -> None:
        """Put the next word of the strings on the port."""
        self._lanes.set("in_valid_i", int(bool(self._words)))
        if self._words:
            data, octets, last = self._words[0]
            self._lanes.set("in_data_i", data)
            self._lanes.set("in_bytes_i", octets)
            self._lanes.set("in_last_i", last)

    def octets(self, end: int) -> bytes:
        """Return what the last task gave in the first lane (0) or in the last one (1)."""
        return b"".join(word[end] for word in self._heard)


@dataclass(frozen=True)
class Listing:
    """What each cycle of a session is for.

    ``parts``: names of parts of the program, as its counter and its stack say: the engine fetches
    ahead, so the end of a part's last walk is in the next one. ``part[c]``: the number of that of
    cycle c. ``digits``: in which cycles' clocks the engine takes a digit of the scalar, if it
    changes a register in some lane; ``behind``: a cycle for each, before which its entry of the
    table has been looked up.
    """

    parts: tuple[str, ...]
    part: npt.NDArray[np.int64]
    digits: Sequence[int]
    behind: Sequence[int]
    last: int

    @property
    def cycles(self) -> int:
        """Cycles of a trace."""
        return self.last + 1 + AFTER

    def names(self) -> list[str]:
        """Return the part of each cycle."""
        return [self.parts[p] for p in self.part.tolist()]


def registers(circuit: Circuit, names: Sequence[str]) -> list[int]:
    """Return the nets of registers."""
    at = {name: 2 + circuit.inputs + i for i, name in enumerate(circuit.registers)}
    return [at[name] for name in names]


class Follower:
    """Follows a session, and says what its cycles are for."""

    def __init__(self, circuit: Circuit, program: WordProgram, operations: Sequence[str]) -> None:
        self._program, self._operations = program, operations
        names = circuit.registers
        self._pc = [n for n in (f"{CONTROL}pc_q[{i}]" for i in range(PC_BITS)) if n in names]
        self._stack = [f"{CONTROL}stack_q[{i}]" for i in range(3 * len(self._pc))]
        digit = [f"{CORE}{n}" for n in (*DIGIT, *MASK)]
        self._nets = registers(circuit, [*self._pc, *self._stack, *digit])

    def follow(self, lanes: Lanes, session: Session) -> Listing:
        """Run a session to its end."""
        bits = len(self._pc)
        where: list[npt.NDArray[np.int64]] = []
        digits: list[int] = []
        before: Planes | None = None
        while session.last < 0 or session.at < session.last + 1 + AFTER:
            if session.at > LIMIT:
                raise ValueError(f"no answer in {LIMIT} cycles")
            first, rows = session.at, np.zeros((BLOCK, len(self._nets), lanes.lanes // 8), np.uint8)
            lanes.record(self._nets, rows)
            session.to(first + BLOCK)
            lanes.record((), None)
            values = rows[:, : 4 * bits, 0].astype(np.int64) & 1
            weights = 1 << np.arange(bits)
            where.append(values.reshape(BLOCK, 4, bits) @ weights)
            digit = rows[:, 4 * bits :]
            if before is not None:
                digit = np.concatenate([before[None], digit])
            changed = (digit[1:] != digit[:-1]).any(axis=(1, 2))
            digits += (np.flatnonzero(changed) + first - (before is not None)).tolist()
            before = digit[-1]
        return self._listing(np.concatenate(where), digits, session)

    def _listing(
        self, where: npt.NDArray[np.int64], digits: Sequence[int], session: Session
    ) -> Listing:
        """Return the listing of program counters and stacks, a row for each cycle."""
        cycles = session.last + 1 + AFTER
        found: dict[str, int] = {}
        part = np.zeros(cycles, dtype=np.int64)
        jumps = np.flatnonzero((where[1:cycles] != where[: cycles - 1]).any(axis=1)) + 1
        edges = sorted({0, *jumps.tolist(), *session.begins, session.last, cycles})
        operation, behind = "", ""  # the routine that ran last, of those that the program calls
        begins = dict(zip(session.begins, self._operations, strict=True))
        for a, b in pairwise(edges):
            if a in begins:
                operation, behind = begins[a], ""
            pc, *stack = where[a].tolist()
            calls = [self._program.routine(s - 1) for s in reversed(stack) if s]
            chain = [name for name in (*calls, self._program.routine(pc)) if name]
            behind = chain[0] if chain else behind
            inside = " > ".join(chain) or (f"behind {behind}" if behind else "begin")
            name = f"{operation}: {inside}" if a < session.last else "answer"
            part[a:b] = found.setdefault(name, len(found))
        taken = [c for c in digits if c < session.last - self._clearing(where, session.last)]
        names = list(found)
        behind_each = [_behind(part, names, c) for c in taken]
        return Listing(tuple(names), part, taken, behind_each, session.last)

    @staticmethod
    def _clearing(where: npt.NDArray[np.int64], last: int) -> int:
        """Return how many cycles before the response the program rests on its last word."""
        rests = np.flatnonzero((where[:last] != where[last]).any(axis=1))
        return last - int(rests[-1])


def _behind(part: npt.NDArray[np.int64], names: Sequence[str], cycle: int) -> int:
    """Return the cycle in which the routine ends that looks up a digit's entry."""
    looks = np.array([not LOOKUPS.isdisjoint(name.split(" > ")) for name in names])[part[cycle:]]
    first = int(np.argmax(looks))
    return cycle + first + int(np.argmin(looks[first:]))


def listing(
    name: str, digest: str, make: Follower, lanes: Lanes, session: Session, source: Path
) -> Listing:
    """Return the kept listing of a design's session, which is followed if there is none."""
    key = hashlib.sha256(b"\0".join([digest.encode(), source.read_bytes()])).hexdigest()[:16]

    def follow(_work: Path, done: Path) -> None:
        found = make.follow(lanes, session)
        np.savez(
            done / KEPT, parts=np.array(found.parts), part=found.part,
            digits=np.array(found.digits), behind=np.array(found.behind), last=found.last,
        )  # fmt: skip

    with np.load(entry(f"flow/{name}/listing-{key}", follow) / KEPT, allow_pickle=False) as kept:
        return Listing(
            tuple(kept["parts"].tolist()), kept["part"], kept["digits"].tolist(),
            kept["behind"].tolist(), int(kept["last"]),
        )  # fmt: skip
