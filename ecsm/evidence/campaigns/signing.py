# SPDX-License-Identifier: Apache-2.0
"""A whole signature under test: the scheme machine around a core signs digests in all lanes.

    load the key --> the request for a signature is accepted: cycle 0
                     the digest comes in, keyed hash of the nonce, kG, order arithmetic, r and s

Digests are such that the first nonce of RFC 6979 is below the order: with every other one the
machine takes the next nonce, which is public, and lanes would run apart. So what is random are the
digest, the nonce, and with ``key`` the key. The nonce is the secret that one trace may show.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.evidence.campaigns.circuit import Circuit, circuit_of
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.subject import AFTER, RESET, CoreJobs
from ecsm.hdl.machines import machine
from ecsm.progress import Progress
from ecsm.results.sources import digest_of
from ecsm.schemes.program import program
from ecsm.sim.cache import scheme_sources

PREFIX = "schemes-"
HASH = "sha256"
OPERATION = f"sign-{HASH}"
WORD = 8  # octets
LIMIT = 1 << 17  # cycles of a signature


def subject_class(name: str) -> type[CoreJobs] | type[Signature]:
    """Return what a name is of: a preset's core, or with PREFIX its scheme machine."""
    return Signature if name.startswith(PREFIX) else CoreJobs


def scheme_digest(d: AnyDesign) -> str:
    """Return the digest of a design's scheme machine with its core."""
    s = scheme_sources(machine(d.preset.name))
    return digest_of(s.text, s.files)


def nonce(d: int, digest: bytes, n: int) -> int:
    """Return the first nonce of RFC 6979, which may be none: 0, or not below n."""
    bits = n.bit_length()
    octets = (bits + 7) // 8

    def number(text: bytes) -> int:
        return int.from_bytes(text, "big") >> max(0, 8 * len(text) - bits)

    seed = d.to_bytes(octets, "big") + (number(digest) % n).to_bytes(octets, "big")
    key, v = bytes(32), b"\1" * 32
    for mark in (b"\0", b"\1"):
        key = hmac.digest(key, v + mark + seed, HASH)
        v = hmac.digest(key, v, HASH)
    text = b""
    while len(text) < octets:
        v = hmac.digest(key, v, HASH)
        text += v
    return number(text[:octets])


@dataclass(frozen=True)
class Inputs:
    """A key, a digest and its nonce for each lane."""

    keys: Sequence[int]
    digests: Sequence[bytes]
    nonces: Sequence[int]


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

    def __init__(self, name: str, tell: Progress) -> None:
        self.name = name
        self.design: AnyDesign = design(name.removeprefix(PREFIX))
        s = scheme_sources(machine(self.design.preset.name))
        self.digest = scheme_digest(self.design)
        self.circuit: Circuit = circuit_of(name, s.top, s.text, s.files, self.digest, tell)
        self._program = program(self.design.preset)
        self._n = self.design.preset.curve.n
        self._octets = (self._n.bit_length() + 7) // 8

    @cached_property
    def _core(self) -> CoreJobs:
        return CoreJobs(self.design.preset.name, Progress())

    @property
    def cycles(self) -> int:
        """Cycles of a trace."""
        return self._script.last + 1 + AFTER

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
        key = own.randrange(1, self._n)
        same = self._digest(own, key)
        keys, digests = [], []
        for f in fixed:
            d = key if f or vary == "nonce" else rng.randrange(1, self._n)
            keys.append(d)
            digests.append(same if f and vary == "nonce" else self._digest(rng, d))
        pairs = zip(keys, digests, strict=True)
        return Inputs(keys, digests, [nonce(d, e, self._n) for d, e in pairs])

    def _digest(self, rng: random.Random, key: int) -> bytes:
        while True:
            digest = rng.randbytes(hashlib.new(HASH).digest_size)
            if 0 < nonce(key, digest, self._n) < self._n:
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
        words = _words([k.to_bytes(self._octets, "big") for k in inputs.keys])
        self._request(lanes, "load")
        self._feed(lanes, words)
        lanes.run(LIMIT, until="rsp_valid_o")
        if any(lanes.get("rsp_status_o")):
            raise ValueError(f"{self.name}: a key was not loaded")
        lanes.run(1)

    def _request(
        self, lanes: Lanes, operation: str, counts: npt.NDArray[np.uint16] | None = None
    ) -> None:
        """Let all lanes accept a request."""
        lanes.set("req_op_i", self._program.number(operation))
        lanes.run(LIMIT, until="req_ready_o")
        lanes.set("req_valid_i", 1)
        lanes.run(1, counts)
        lanes.set("req_valid_i", 0)

    def _offer(self, lanes: Lanes, words: Sequence[tuple[list[int], int]], number: int) -> None:
        """Put a word of a string on the port, nothing behind the last one."""
        lanes.set("in_valid_i", int(number < len(words)))
        if number < len(words):
            values, octets = words[number]
            lanes.set("in_data_i", lanes.each(values, 8 * WORD))
            lanes.set("in_bytes_i", octets)
            lanes.set("in_last_i", int(number == len(words) - 1))

    def _feed(self, lanes: Lanes, words: Sequence[tuple[list[int], int]]) -> list[int]:
        """Give a string; return in which cycles from now on its words were taken."""
        taken, at = [], 0
        for number in range(len(words)):
            self._offer(lanes, words, number)
            at += lanes.run(LIMIT, until="in_ready_o") + 1
            lanes.run(1)
            taken.append(at - 1)
        self._offer(lanes, words, len(words))
        return taken

    @cached_property
    def _script(self) -> Script:
        """Sign once, and look when things happen: in all lanes, and always, in the same cycles."""
        with Lanes(self.circuit, wide=False) as lanes:
            inputs = self.inputs(random.Random(1), "key", [False] * lanes.lanes)
            self._reset(lanes, inputs)
            self._request(lanes, OPERATION)
            taken = [1 + c for c in self._feed(lanes, _words(inputs.digests))]
            at, job, given = taken[-1] + 1, 0, []
            sequencer = [
                2 + self.circuit.inputs + i
                for i, name in enumerate(self.circuit.registers)
                if name.startswith("u_core.") and "sequencer." in name
            ]
            rest = lanes.planes(sequencer)
            while at < LIMIT:
                lanes.run(0)
                if not job and (lanes.planes(sequencer) != rest).any():
                    job = at - 1
                if _all(lanes, "out_valid_o"):
                    given.append(at)
                if _all(lanes, "rsp_valid_o"):
                    return Script(taken, given, job, at)
                lanes.run(1)
                at += 1
        raise ValueError(f"{self.name}: no answer in {LIMIT} cycles")

    def start(
        self, lanes: Lanes, inputs: Inputs, counts: npt.NDArray[np.uint16] | None = None
    ) -> SigningRun:
        """Load the keys, and let all lanes accept the request for a signature: cycle 0."""
        s = self._script
        self._reset(lanes, inputs)
        self._request(lanes, OPERATION, counts)
        return SigningRun(self, lanes, _words(inputs.digests), s)

    def trace(self, lanes: Lanes, inputs: Inputs) -> npt.NDArray[np.uint16]:
        """Return how many bits changed: a row for each cycle, a column for each lane.

        Raises ValueError for a signature that the textbook does not give.
        """
        counts = np.zeros((self.cycles, lanes.lanes), dtype=np.uint16)
        run = self.start(lanes, inputs, counts[:1])
        run.to(self.cycles, counts)
        for lane in (0, lanes.lanes - 1):
            want = self._sign(inputs.keys[lane], inputs.digests[lane], inputs.nonces[lane])
            if run.octets(lane) != want:
                raise ValueError(f"{self.name}: the netlist signs wrong in lane {lane}")
        return counts

    def _sign(self, d: int, digest: bytes, k: int) -> bytes:
        """Return r and s, by the textbook."""
        n, curve = self._n, self.design.preset.curve
        point: Any = curve.mul(k, curve.generator)
        e = int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - n.bit_length())
        r = int(point[0]) % n
        s = pow(k, -1, n) * (e + d * r) % n
        return r.to_bytes(self._octets, "big") + s.to_bytes(self._octets, "big")


class SigningRun:
    """A signature that runs, from cycle 1 on."""

    def __init__(
        self, of: Signature, lanes: Lanes, words: Sequence[tuple[list[int], int]], script: Script
    ) -> None:
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


def _all(lanes: Lanes, port: str) -> bool:
    """Whether a port of one bit is 1 in all lanes; ValueError if lanes differ."""
    found = set(lanes.get(port))
    if len(found) > 1:
        raise ValueError(f"lanes differ in {port}")
    return found == {1}


def _words(strings: Sequence[bytes]) -> list[tuple[list[int], int]]:
    """Return strings of equal length as words: the values of all lanes, and the octets of each."""
    length = len(strings[0])
    found = []
    for at in range(0, length, WORD):
        parts = [s[at : at + WORD] for s in strings]
        size = len(parts[0])
        found.append(([int.from_bytes(p.ljust(WORD, b"\0"), "big") for p in parts], size))
    return found
