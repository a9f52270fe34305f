# SPDX-License-Identifier: Apache-2.0
"""A whole signature under test: the scheme machine around a core signs digests in all lanes.

    load the key --> the request for a signature is accepted: cycle 0
                     the digest comes in, keyed hash of the nonce, kG, order arithmetic, r and s

Digests are such that the first nonce of RFC 6979 is below the order: with every other one the
machine takes the next nonce, which is public, and lanes would run apart. So what is random are the
digest, the nonce, and with ``key`` the key. The nonce is the secret that one trace may show.
After a fault lanes do run apart: then each has a host of its own (:mod:`.host`).

A machine around a masked core has noise, other noise in every lane: lanes with equal keys and
digests run with other masks, and give the same signature.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.attacks import TurnAttack
from ecsm.evidence.campaigns.circuit import Circuit, circuit_of
from ecsm.evidence.campaigns.host import WORD, Hosts, Reply, Word, words
from ecsm.evidence.campaigns.lanes import FEW, Event, Lanes
from ecsm.evidence.campaigns.spans import Span, values
from ecsm.evidence.campaigns.subject import AFTER, CHUNK, RESET, TRACES, TRAINING, CoreJobs
from ecsm.evidence.campaigns.templates import Templates, Windows
from ecsm.evidence.campaigns.textbook import ERROR, HASH, KINDS, LATE, NONE, OCTETS, RIGHT, Textbook
from ecsm.hdl.machines import machine
from ecsm.progress import Progress
from ecsm.results.sources import scheme_digest
from ecsm.schemes.words import PROGRAM_BITS
from ecsm.sim.cache import scheme_sources
from ecsm.status import Status

PREFIX = "schemes-"
OPERATION = f"sign-{HASH}"


@dataclass(frozen=True)
class Inputs:
    """A key, a digest and its nonce for each lane.

    ``same``: where a machine has noise, all lanes have the same.
    """

    keys: Sequence[int]
    digests: Sequence[bytes]
    nonces: Sequence[int]
    same: bool = False


@dataclass(frozen=True)
class Script:
    """In which cycles words of the digest are taken and words of the signature come, and the end.

    ``job``: the cycle in which the core accepts its scalar.
    """

    taken: Sequence[int]
    given: Sequence[int]
    job: int
    last: int


class Signature:
    """A preset's scheme machine, and what is known of its signatures."""

    vary: ClassVar[Sequence[str]] = ("key", "nonce")
    outcomes: ClassVar[Sequence[str]] = KINDS
    refused: ClassVar[Mapping[str, str]] = {}
    revives: ClassVar[bool] = False
    chunk: ClassVar[int] = CHUNK
    traces: ClassVar[int] = TRACES
    training: ClassVar[int] = TRAINING
    control: ClassVar[str] = "u_scheme.u_control"
    limit: ClassVar[int] = 1 << 17  # cycles of a signature

    def __init__(self, name: str, tell: Progress) -> None:
        self.name = name
        self.machine = machine(name.removeprefix(PREFIX))
        s = scheme_sources(self.machine)
        self.digest = scheme_digest(self.machine)
        self.circuit: Circuit = circuit_of(name, s.top, s.text, s.files, self.digest, tell)
        self._program = self.machine.program
        self.book = Textbook(self.machine.curve)

    @cached_property
    def _core(self) -> CoreJobs:
        return CoreJobs(self.machine.name, Progress())

    @property
    def cycles(self) -> int:
        """Cycles of a trace."""
        return self._script.last + 1 + AFTER

    @property
    def last(self) -> int:
        """The cycle of the response, without a fault."""
        return self._script.last

    @property
    def turns(self) -> list[int]:
        """The first cycle of each digit of the nonce, and the one behind the last digit's."""
        return [self._script.job + c for c in self._core.turns]

    @cached_property
    def names(self) -> list[str]:
        """What each cycle is for: before, in and after the core's job."""
        s, core = self._script, self._core.names
        found = ["keyed hash: the nonce"] * s.job + core
        found += ["s = k^-1 (e + d r)"] * (s.last - len(found))
        return [*found, *["answer"] * (self.cycles - len(found))][: self.cycles]

    @cached_property
    def phases(self) -> list[str]:
        """The part of the signature that each cycle is of."""
        s, core = self._script, self._core
        found = ["keyed hash: the nonce"] * s.job
        found += [f"kP, {part}" for part in core.phases[: core.last]]
        found += ["s = k^-1 (e + d r)"] * (s.last - len(found))
        return [*found, *["answer"] * (self.cycles - len(found))][: self.cycles]

    @cached_property
    def sequencer(self) -> list[int]:
        """The register that says whether there is a word of the program to execute."""
        return [self.circuit.registers.index(f"{self.control}.valid_q")]

    def digits(self, k: int) -> list[int]:
        """Return the digits that the engine makes of a nonce."""
        return self._core.digits(k)

    @property
    def digit_bits(self) -> int:
        """Bits of a digit."""
        return self._core.digit_bits

    def secrets(self, inputs: Inputs) -> list[list[int]]:
        """Return the digits of each lane's nonce."""
        return [self.digits(k) for k in inputs.nonces]

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Inputs:
        """Return keys and digests.

        With ``key`` digests are random, and keys in lanes that are not ``fixed``. With ``nonce``
        the key is always the same, and the digest and with it the nonce in fixed lanes.
        """
        own = random.Random(f"ecsm fixed {self.name}")
        key = own.randrange(1, self.book.n)
        same = self._digest(own, key)
        keys, digests = [], []
        for f in fixed:
            d = key if f or vary == "nonce" else rng.randrange(1, self.book.n)
            keys.append(d)
            digests.append(same if f and vary == "nonce" else self._digest(rng, d))
        pairs = zip(keys, digests, strict=True)
        return Inputs(keys, digests, [self.book.nonce(d, e) for d, e in pairs])

    def _digest(self, rng: random.Random, key: int) -> bytes:
        while True:
            digest = rng.randbytes(hashlib.new(HASH).digest_size)
            if 0 < self.book.nonce(key, digest) < self.book.n:
                return digest

    def _reset(self, lanes: Lanes, inputs: Inputs) -> None:
        """Switch on, reset, and load the keys."""
        lanes.clear()
        for port, bits in lanes.circuit.ports.items():
            if port.endswith("_i") and bits:
                lanes.set(port, 0)
        lanes.set("out_ready_i", 1)
        lanes.set("rsp_ready_i", 1)
        lanes.run(RESET)
        lanes.set("rst_ni", 1)
        self._switched_on(lanes, inputs)
        self._request(lanes, "load")
        self._feed(lanes, words(self._strings(inputs.keys)))
        lanes.run(self.limit, until="rsp_valid_o")
        if any(lanes.get("rsp_status_o")):
            raise ValueError(f"{self.name}: a key was not loaded")
        lanes.run(1)

    def _switched_on(self, lanes: Lanes, inputs: Inputs) -> None:
        """Seed the random generator of a masked machine from noise; others need none."""
        if not self._core.design.preset.random_bits:
            return
        lanes.set("noise_valid_i", 1)
        lanes.noise(
            "noise_data_i", zlib.crc32(b"".join(dict.fromkeys(inputs.digests))), inputs.same
        )
        self._request(lanes, "seed")
        lanes.run(self.limit, until="rsp_valid_o")
        if any(lanes.get("rsp_status_o")):
            raise ValueError(f"{self.name}: its random generator has no seed")
        lanes.run(1)

    def _request(
        self, lanes: Lanes, operation: str, counts: npt.NDArray[np.uint16] | None = None
    ) -> None:
        """Let all lanes accept a request."""
        lanes.set("req_op_i", self._program.number(operation))
        lanes.run(self.limit, until="req_ready_o")
        lanes.set("req_valid_i", 1)
        lanes.run(1, counts)
        lanes.set("req_valid_i", 0)

    def _offer(self, lanes: Lanes, words: Sequence[Word], number: int) -> None:
        """Put a word of a string on the port, nothing behind the last one."""
        lanes.set("in_valid_i", int(number < len(words)))
        if number < len(words):
            word = words[number]
            lanes.set("in_data_i", lanes.each(word.values, 8 * WORD))
            lanes.set("in_bytes_i", word.octets)
            lanes.set("in_last_i", int(word.last))

    def _feed(self, lanes: Lanes, words: Sequence[Word]) -> list[int]:
        """Give strings; return in which cycles from now on their words were taken."""
        taken, at = [], 0
        for number in range(len(words)):
            self._offer(lanes, words, number)
            at += lanes.run(self.limit, until="in_ready_o") + 1
            lanes.run(1)
            taken.append(at - 1)
        self._offer(lanes, words, len(words))
        return taken

    @cached_property
    def _script(self) -> Script:
        """Sign once, and look when things happen: in all lanes, and always, in the same cycles."""
        with Lanes(self.circuit, FEW) as lanes:
            inputs = self._few(lanes)
            self._reset(lanes, inputs)
            self._request(lanes, OPERATION)
            taken = [1 + c for c in self._feed(lanes, words(inputs.digests))]
            at, job, given = taken[-1] + 1, 0, []
            sequencer = [
                2 + self.circuit.inputs + i
                for i, name in enumerate(self.circuit.registers)
                if name.startswith("u_core.") and "sequencer." in name
            ]
            rest = lanes.planes(sequencer)
            while at < self.limit:
                lanes.run(0)
                if not job and (lanes.planes(sequencer) != rest).any():
                    job = at - 1
                if _all(lanes, "out_valid_o"):
                    given.append(at)
                if _all(lanes, "rsp_valid_o"):
                    return Script(taken, given, job, at)
                lanes.run(1)
                at += 1
        raise ValueError(f"{self.name}: no answer in {self.limit} cycles")

    def start(
        self, lanes: Lanes, inputs: Inputs, counts: npt.NDArray[np.uint16] | None = None
    ) -> SigningRun:
        """Load the keys, and let all lanes accept the request for a signature: cycle 0."""
        script = self._script
        self._reset(lanes, inputs)
        self._request(lanes, OPERATION, counts)
        return SigningRun(self, lanes, words(inputs.digests), script)

    def trace(self, lanes: Lanes, inputs: Inputs) -> npt.NDArray[np.uint16]:
        """Return how many bits changed: a row for each cycle, a column for each lane.

        Raises ValueError for a signature that the textbook does not give.
        """
        counts = np.zeros((self.cycles, lanes.lanes), dtype=np.uint16)
        run = self.start(lanes, inputs, counts[:1])
        run.to(self.cycles, counts)
        for lane in (0, lanes.lanes - 1):
            if run.octets(lane) != b"".join(self._strings(self._right(inputs, lane))):
                raise ValueError(f"{self.name}: the netlist signs wrong in lane {lane}")
        return counts

    def blocks(self, lanes: Lanes, inputs: Inputs) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
        """Yield the traces, all cycles at once."""
        yield 0, self.trace(lanes, inputs)

    def attack(self, centre: npt.NDArray[np.float64]) -> TurnAttack:
        """Return the attack on one trace."""
        templates = Templates(Windows.of(self.turns, self.cycles), self.digit_bits, centre)
        return TurnAttack(self, templates, len(self.digits(1)))

    def _nets(self, register: str, bits: int = 0) -> list[int]:
        """Return the nets of a register of the control, the lowest bit first; 0: it is one bit."""
        first = f"{self.control}.{register}"
        names = [f"{first}[{i}]" for i in range(bits)] or [first]
        found = [i for i, name in enumerate(self.circuit.registers) if name in names]
        return [2 + self.circuit.inputs + i for i in found]

    def _few(self, lanes: Lanes) -> Inputs:
        """Return inputs for looking at how a signature goes."""
        return self.inputs(random.Random(1), "key", [False] * lanes.lanes)

    def jobs(self, rng: random.Random, count: int, lanes: int) -> Inputs:
        """Return ``count`` random signatures to make, one after the other in the lanes."""
        few = self.inputs(rng, "key", [False] * count)
        each = [lane % count for lane in range(lanes)]
        return Inputs(
            [few.keys[i] for i in each],
            [few.digests[i] for i in each],
            [few.nonces[i] for i in each],
        )

    def spans(self, lanes: Lanes, inputs: Inputs) -> list[Span]:
        """Return from when to when words of memories matter in the first lane's signature."""
        return values(self, lanes, inputs)

    def skips(self, lanes: Lanes, inputs: Inputs) -> list[tuple[int, list[int]]]:
        """Return the cycle in which each word of the program begins, and what to flip there.

        The word is not executed if it is not valid in its first cycle: the next one is fetched.
        """
        valid, index = self._nets("valid_q"), self._nets("index_q", PROGRAM_BITS)
        run = self.start(lanes, inputs)
        found, before = [], 0
        for cycle in range(1, self.last):
            run.to(cycle)
            at = _number(lanes, index) if _number(lanes, valid) else 0
            if at not in (0, before):
                found.append((cycle, self.sequencer))
            before = at
        return found

    def judged(self, lanes: Lanes, inputs: Inputs, events: Sequence[Event]) -> list[int]:
        """Return which of :attr:`outcomes` each lane's signature is, after these faults."""
        self._reset(lanes, inputs)
        self._request(lanes, OPERATION)
        replies = Hosts(lanes, inputs.digests).run(events, 2 * self.last)
        jobs = list(zip(inputs.keys, inputs.digests, inputs.nonces, strict=True))
        right = {job: self.book.sign(*job) for job in set(jobs)}
        return [self.judge(r, job, right[job]) for r, job in zip(replies, jobs, strict=True)]

    def again(self, lanes: Lanes, inputs: Inputs) -> list[bool]:
        """Not tried: see :attr:`revives`."""
        raise NotImplementedError

    def judge(self, reply: Reply, job: tuple[int, bytes, int], right: tuple[int, int]) -> int:
        """Return which of :attr:`outcomes` a reply is; ``job``: a key, a digest and its nonce."""
        if reply.status is None:
            return NONE
        if reply.status != Status.OK:
            return ERROR
        if reply.rest or [len(s) for s in reply.strings] != [self.book.octets] * 2:
            return OCTETS
        r, s = (int.from_bytes(text, "big") for text in reply.strings)
        kind = self.book.kind(*job, right, r, s)
        return LATE if kind == RIGHT and reply.cycle != self.last else kind

    def _right(self, inputs: Inputs, lane: int) -> tuple[int, int]:
        return self.book.sign(inputs.keys[lane], inputs.digests[lane], inputs.nonces[lane])

    def _strings(self, numbers: Sequence[int]) -> list[bytes]:
        return [v.to_bytes(self.book.octets, "big") for v in numbers]


class SigningRun:
    """A signature that runs, from cycle 1 on."""

    def __init__(self, of: Signature, lanes: Lanes, words: Sequence[Word], script: Script) -> None:
        self._of, self._lanes, self._words, self._script = of, lanes, words, script
        self._at, self._taken = 1, 0
        self._out: list[tuple[list[int], list[int]]] = []
        of._offer(lanes, words, 0)

    def to(self, cycle: int, counts: npt.NDArray[np.uint16] | None = None) -> None:
        """Run until this cycle is next; ``counts`` has a row for every cycle from 0 on."""
        s = self._script
        stops = sorted({c for c in (*s.given, *(c + 1 for c in s.taken)) if self._at <= c < cycle})
        for stop in (*stops, cycle):
            self._lanes.run(stop - self._at, None if counts is None else counts[self._at : stop])
            self._at = stop
            if stop in s.given and stop < cycle:
                octets = self._lanes.get("out_bytes_o")
                self._out.append((self._lanes.get("out_data_o"), octets))
            if stop - 1 in s.taken and stop < cycle:
                self._taken += 1
                self._of._offer(self._lanes, self._words, self._taken)

    def octets(self, lane: int) -> bytes:
        """Return what came out in a lane."""
        return b"".join(
            data[lane].to_bytes(WORD, "big")[: octets[lane]] for data, octets in self._out
        )


def _number(lanes: Lanes, nets: Sequence[int]) -> int:
    """Return the number that nets are in the first lane, the lowest bit first."""
    return sum(int(b) << i for i, b in enumerate(lanes.planes(nets)[:, 0] & 1))


def _all(lanes: Lanes, port: str) -> bool:
    """Whether a port of one bit is 1 in all lanes; ValueError if lanes differ."""
    found = set(lanes.get(port))
    if len(found) > 1:
        raise ValueError(f"lanes differ in {port}")
    return found == {1}
