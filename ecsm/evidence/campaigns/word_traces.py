# SPDX-License-Identifier: Apache-2.0
"""Traces of a word engine: a key is loaded, then a kP or a signature is made with it.

    WORD              d Q of a key and a point, as "ecdh" gives it: vary the scalar d, or the point
    schemes-WORD      a signature: vary the key, or the digest and so the nonce

Traces have hundreds of thousands of cycles, and come in blocks. Every lane has noise of its own, so
masks are new in each trace, whether its secret is fixed or random.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.attacks import Digit, MaskedAttack
from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.lanes import FEW, Lanes
from ecsm.evidence.campaigns.signing import OPERATION, PREFIX, Signature
from ecsm.evidence.campaigns.subject import RESET
from ecsm.evidence.campaigns.word_session import (
    BLOCK,
    CORE,
    DIGIT,
    LOOK_COMB,
    MASK,
    Follower,
    Listing,
    Session,
    Task,
    listing,
    registers,
)
from ecsm.evidence.campaigns.word_signing import WordSignature
from ecsm.progress import Progress
from ecsm.schemes.word.program import WordProgram

AGREE = "ecdh"
WARM = 2048  # cycles before the first request: the noise's startup test ends in them
COMB = ("index_q[0]", "index_q[1]", "index_q[2]", "index_q[3]", "negative_q")
COMB_MASK = ("turn_q[0]", "turn_q[1]", "turn_q[2]", "turn_q[3]", "sign_q")
"""Registers of a comb's digit, and what changes them."""
LOOKUP, USE = 460, 1000  # cycles of a comb's window, before the end of the lookup and behind it
EDGE = 24  # cycles of a digit's window before the digit is taken, and behind its entry's lookup


@dataclass(frozen=True)
class Jobs:
    """Keys, and what is done with each: a point, or a digest and its nonce. ``noise``: a seed."""

    keys: Sequence[int]
    asked: Sequence[Any]
    noise: int


class WordTraces:
    """What is known of a word engine's traces; :class:`Multiples` and :class:`Signatures`."""

    vary: ClassVar[Sequence[str]]
    operation: ClassVar[str]
    chunk: ClassVar[int] = 1024
    traces: ClassVar[int] = 4096
    training: ClassVar[int] = 1024

    def __init__(self, name: str, tell: Progress) -> None:
        self.name = name
        self._signature = WordSignature(PREFIX + name.removeprefix(PREFIX), tell)
        self.machine = self._signature.machine
        self.circuit: Circuit = self._signature.circuit
        self.digest = self._signature.digest
        program = self.machine.program
        assert isinstance(program, WordProgram)
        self._program = program
        self._curve: Any = self.machine.curve
        self._octets = (int(self._curve.n).bit_length() + 7) // 8
        self._most = 0

    def cut(self, digits: int) -> None:
        """Let traces end behind the window of so many digits: what is later is not simulated.

        Raises ValueError for more digits than there are.
        """
        if not 0 < digits <= len(self.windows):
            raise ValueError(f"{self.name} has {len(self.windows)} digits that are looked at")
        self._most = digits

    # ---------------------------------------------------------------- what is asked of a subject
    @cached_property
    def listing(self) -> Listing:
        """What each cycle is for: kept, or followed in few lanes."""
        follower = Follower(self.circuit, self._program, ("load", self.operation))
        source = Path(__file__).with_name("word_session.py")
        with Lanes(self.circuit, FEW) as lanes:
            rng = random.Random(1)
            session = self._session(lanes, self.inputs(rng, self.vary[0], [False] * lanes.lanes))
            return listing(self.name, self.digest, follower, lanes, session, source)

    @property
    def cycles(self) -> int:
        """Cycles of a trace."""
        return self.windows[-1][1] if self._most else self.listing.cycles

    @cached_property
    def names(self) -> list[str]:
        """The part of the program that each cycle is of."""
        return self.listing.names()[: self.cycles]

    @property
    def turns(self) -> list[int]:
        """In which cycle each digit is taken, and the end."""
        return [*(c for c in self.listing.digits if c < self.cycles), self.cycles]

    @property
    def digit_bits(self) -> int:
        """Bits of a digit: three of its entry, one of its sign."""
        return len(DIGIT)

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Jobs:
        """Return jobs: in lanes that are not ``fixed``, ``vary`` is random."""
        raise NotImplementedError

    def _strings(self, inputs: Jobs) -> list[list[bytes]]:
        """Return the strings that the operation takes, each by lane."""
        raise NotImplementedError

    def right(self, key: int, asked: Any) -> bytes:
        """Return the octets of the answer, by the textbook."""
        raise NotImplementedError

    def scalar(self, key: int, asked: Any) -> int:
        """Return what the point is multiplied by, modulo the order."""
        raise NotImplementedError

    def attack(self, centre: npt.NDArray[np.float64]) -> MaskedAttack:
        """Return the attack on one trace."""
        return MaskedAttack(self, centre, [len(DIGIT) - 1, 1])

    # ---------------------------------------------------------------- runs
    def _session(self, lanes: Lanes, inputs: Jobs) -> Session:
        """Switch on and reset, and let noise come; nothing is requested yet."""
        lanes.clear()
        for port, nets in lanes.circuit.ports.items():
            if port.endswith("_i") and nets:
                lanes.set(port, 0)
        for port in ("out_ready_i", "rsp_ready_i", "noise_valid_i"):
            lanes.set(port, 1)
        lanes.noise("noise_data_i", inputs.noise)
        lanes.run(RESET)
        lanes.set("rst_ni", 1)
        lanes.run(WARM)
        number = self._program.number
        keys = [k.to_bytes(self._octets, "big") for k in inputs.keys]
        return Session(
            lanes,
            [Task(number("load"), [keys]), Task(number(self.operation), self._strings(inputs))],
        )

    def start(self, lanes: Lanes, inputs: Jobs) -> Session:
        """Let all lanes accept the first request: cycle 0."""
        found = self._session(lanes, inputs)
        found.to(1)
        return found

    def blocks(self, lanes: Lanes, inputs: Jobs) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
        """Yield the traces in blocks of cycles: the first one's number, then a row for each.

        A block is valid until the next one. Raises ValueError for an answer that is wrong, unless
        traces are cut.
        """
        session = self._session(lanes, inputs)
        counts = np.zeros((BLOCK, lanes.lanes), dtype=np.uint16)
        for first in range(0, self.cycles, BLOCK):
            rows = counts[: min(BLOCK, self.cycles - first)]
            session.to(first + len(rows), rows, first)
            yield first, rows
        if not self._most:
            self._check(lanes, inputs, session)

    def _check(self, lanes: Lanes, inputs: Jobs, session: Session) -> None:
        if session.last != self.listing.last:
            raise ValueError(f"{self.name}: an answer in cycle {session.last}")
        for end, lane in enumerate((0, lanes.lanes - 1)):
            if session.octets(end) != self.right(inputs.keys[lane], inputs.asked[lane]):
                raise ValueError(f"{self.name}: the netlist is wrong in lane {lane}")

    @property
    def windows(self) -> list[tuple[int, int]]:
        """From which cycle to before which one each digit's window is; all of one length."""
        spans = [
            (a - EDGE, b + EDGE)
            for a, b in zip(self.listing.digits, self.listing.behind, strict=True)
        ]
        lengths = sorted(b - a for a, b in spans)
        middle = lengths[len(lengths) // 2]
        found = [(a, b) for a, b in spans if b - a == middle]
        return found[: self._most or len(found)]

    def digits(self, lanes: Lanes, inputs: Jobs) -> Iterator[Digit]:
        """Run, and yield the window of each digit that has one."""
        session = self._session(lanes, inputs)
        place = registers(self.circuit, [f"{CORE}{n}" for n in (*DIGIT[:3], *MASK[:3])])
        sign = registers(self.circuit, [f"{CORE}{n}" for n in (DIGIT[3], MASK[3])])
        for number, (a, b) in enumerate(self.windows):
            session.to(a)
            counts = np.zeros((b - a, lanes.lanes), dtype=np.uint16)
            session.to(b, counts, a)
            yield Digit(number, counts, *(_numbers(lanes, nets) for nets in (place, sign)))


def _numbers(lanes: Lanes, nets: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the number that nets are in each lane, the lowest bit first."""
    bits = np.unpackbits(lanes.planes(nets), axis=1, bitorder="little").astype(np.int64)
    found: npt.NDArray[np.int64] = (1 << np.arange(len(nets))) @ bits
    return found


class Multiples(WordTraces):
    """d Q: the scalar is the key, which is loaded."""

    vary: ClassVar[Sequence[str]] = ("scalar", "point")
    operation: ClassVar[str] = AGREE

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Jobs:
        """Return keys and points; the fixed point is the generator."""
        c = self._curve
        own = random.Random(f"ecsm fixed {self.name}")
        d, g = own.randrange(1, c.n), c.generator
        noise = rng.getrandbits(64)
        if vary == "scalar":
            keys = [d if f else rng.randrange(1, c.n) for f in fixed]
            return Jobs(keys, [g] * len(keys), noise)
        at, step = (c.mul(rng.randrange(1, c.n), g) for _ in range(2))
        points = []
        for f in fixed:
            at = c.add(at, step)
            points.append(g if f else at)
        return Jobs([d] * len(points), points, noise)

    def _strings(self, inputs: Jobs) -> list[list[bytes]]:
        size = self._curve.octets
        return [[q[axis].to_bytes(size, "big") for q in inputs.asked] for axis in range(2)]

    def right(self, key: int, asked: Any) -> bytes:
        """Return x of d Q."""
        x: int = self._curve.mul(key, asked)[0]
        return x.to_bytes(self._curve.octets, "big")

    def scalar(self, key: int, asked: Any) -> int:
        """Return the key."""
        return key


class Signatures(WordTraces):
    """Signatures of digests, with nonces of RFC 6979.

    Their digits are those of a comb, of the two parts of a nonce. Entries are constants that
    everybody knows: a window has the entry's lookup and what is computed with it, and the attacker
    learns what each entry looks like there.
    """

    vary: ClassVar[Sequence[str]] = Signature.vary
    operation: ClassVar[str] = OPERATION

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Jobs:
        """See :meth:`~ecsm.evidence.campaigns.signing.Signature.inputs`."""
        noise = rng.getrandbits(64)
        found = self._signature.inputs(rng, vary, fixed)
        asked = zip(found.digests, found.nonces, strict=True)
        return Jobs(found.keys, list(asked), noise)

    def _strings(self, inputs: Jobs) -> list[list[bytes]]:
        return [[digest for digest, _ in inputs.asked]]

    def right(self, key: int, asked: Any) -> bytes:
        """Return r and s."""
        r, s = self._signature.book.sign(key, *asked)
        return b"".join(v.to_bytes(self._octets, "big") for v in (r, s))

    def scalar(self, key: int, asked: Any) -> int:
        """Return the nonce."""
        nonce: int = asked[1]
        return nonce

    @property
    def digit_bits(self) -> int:
        """Bits of a digit: four of its entry, one of its sign."""
        return len(COMB)

    def attack(self, centre: npt.NDArray[np.float64]) -> MaskedAttack:
        """Return the attack on one trace."""
        return MaskedAttack(self, centre, [len(COMB) - 1, 1])

    @cached_property
    def _looked(self) -> list[int]:
        """The cycles behind the lookups of digits: what follows uses the entry."""
        parts = [name.endswith(f" > {LOOK_COMB}") for name in self.listing.parts]
        looks = np.array(parts)[self.listing.part]
        return [int(c) + 1 for c in np.flatnonzero(looks[:-1] & ~looks[1:])]

    @property
    def windows(self) -> list[tuple[int, int]]:
        """From which cycle to before which one each digit's window is; all of one length."""
        found = [(c - LOOKUP, c + USE) for c in self._looked]
        return found[: self._most or len(found)]

    @property
    def turns(self) -> list[int]:
        """In which cycle each digit's entry has been looked up, and the end."""
        return [*(c for c in self._looked if c < self.cycles), self.cycles]

    def digits(self, lanes: Lanes, inputs: Jobs) -> Iterator[Digit]:
        """Run, and yield the window of each digit."""
        session, last = self._session(lanes, inputs), len(COMB) - 1
        names = (*COMB[:last], *COMB_MASK[:last], COMB[last], COMB_MASK[last])
        nets = registers(self.circuit, [f"{CORE}{n}" for n in names])
        for number, (first, end) in enumerate(self.windows):
            session.to(first)
            counts = np.zeros((end - first, lanes.lanes), dtype=np.uint16)
            session.to(first + LOOKUP, counts, first)
            place, sign = (_numbers(lanes, of) for of in (nets[: 2 * last], nets[2 * last :]))
            session.to(end, counts, first)
            yield Digit(number, counts, place, sign)
