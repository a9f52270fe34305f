# SPDX-License-Identifier: Apache-2.0
"""A public key kG on a word engine: its wires, held against the model of the engine.

What is recorded is the operation ``public`` of a key that was loaded before. A walk is an
operation here: it begins with its first slot, and its result is there with its last word. The
sequence of all words that are written, with their addresses, must be the model's
(:class:`ecsm.schedule.sequential.machine.Engine`). Values are what the memory has: numbers of n
words, the highest one signed, of products in Montgomery's form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ecsm.curves import Point
from ecsm.demo.live.record import Cycle, Digits, LiveError, Part, Record, Start, Write, parts
from ecsm.measure.tracing import TracingSchemes
from ecsm.measure.vcd import probe
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.machine import Engine, Strings
from ecsm.schedule.sequential.walk import Slot
from ecsm.schedule.sequential.words import Capture, Command, Condition, Mask, Move
from ecsm.schemes.word.program import WordProgram, word_program
from ecsm.status import ScalarOutOfRange, Status

CORE = "u_scheme.u_core."
SIGNALS = {
    name: CORE + name
    for name in ("slot_valid", "mac_write", "write_word", "clear", "write_address", "written")
}
ANSWER = "rsp_valid_o"
INVERSE = "inverse"  # the routine of it
SPAN = 600  # cycles of the strip


@dataclass
class Walk:
    """A walk that the model executed."""

    name: str
    pc: int
    slots: int
    operands: tuple[int, ...]
    digit: int | None  # that it is the first to look at
    writes: list[tuple[int, int]] = field(default_factory=list)  # address, word
    number: int | None = None  # that it writes
    value: int = 0


class _Host(Strings):
    """A host with one key slot."""

    full = False

    def read(self, port: int, octets: int) -> bytes:
        """Return the key."""
        return super().read(0, octets)

    def write(self, port: int, octets: bytes) -> None:
        """Keep a coordinate."""
        super().write(0, octets)

    def command(self, number: int, argument: int) -> None:
        """Note that the slot is full."""
        self.full = self.full or (number == Command.KEY and bool(argument))

    def holds(self, condition: int, argument: int) -> bool:
        """Return whether the slot is empty, if that is asked."""
        return condition == Condition.EMPTY and not self.full


class _Memory(list[int]):
    """A memory that keeps what is written."""

    log: list[tuple[int, int]] | None = None

    def __setitem__(self, at: Any, value: Any) -> None:
        """Write a word, or clear some."""
        super().__setitem__(at, value)
        if self.log is not None:
            self.log.append((at, value))


class _Model(Engine):
    """The engine, and what walks it has executed."""

    walked: list[Walk]
    places: dict[int, int]  # of the program's words
    words: int  # of a number
    fresh = False  # nothing has looked at the digit yet

    def move(self, w: Move, entry: int = 0) -> None:
        """Execute a walk and keep it."""
        assert isinstance(self.memory, _Memory)
        pc = self.places[id(w)]
        slots = (Slot(offset_b=i) for i in range(self.words))
        right = sum(self._right(s, w, entry) << self.W * s.offset_b for s in slots)
        looks = self.fresh and w.mask in (Mask.PICK, Mask.SIGN)
        self.fresh = (self.fresh and not looks) or w.capture is Capture.DIGIT
        walk = Walk(
            w.note or self.walks[w.walk].name, pc, len(self.walks[w.walk].slots),
            (self._number(self._first(w.a)), right), self.digit if looks else None,
        )  # fmt: skip
        self.memory.log = walk.writes
        super().move(w, entry)
        self.memory.log = None
        for address, _ in walk.writes:
            if address < self._scratch:
                walk.number = address // self.stride
        if walk.number is not None:
            walk.value = self._number(walk.number * self.stride)
        self.walked.append(walk)

    def _number(self, first: int) -> int:
        words = self.memory[first : first + self.words]
        return sum(word << self.W * i for i, word in enumerate(words))


def _words(built: Built) -> int:
    """Return the words of a number, which are not more than from a number to the next."""
    return next(sum(s.write for s in w.slots) for w in built.walks if w.name in ("sum", "xor"))


def modelled(found: WordProgram, k: bytes) -> tuple[list[Walk], list[bytes]]:
    """Return the walks of ``public`` with a key, and the answer's strings, by the model."""
    built: Built = found.built
    start = built.engine()
    model = _Model(**{name: getattr(start, name) for name in Engine.__dataclass_fields__})
    model.memory = _Memory(model.memory)
    model.words = _words(built)
    model.places = {id(word): pc for pc, word in enumerate(built.program)}
    model.walked = []
    host = _Host(k)
    if model.run(found.number("load"), host) != Status.OK:
        raise ScalarOutOfRange("k is not in 1 .. n - 1")
    model.walked = []
    if model.run(found.number("public"), host) != Status.OK:
        raise LiveError("the model has no public key")
    return model.walked, host.out


@dataclass
class _Seen:
    """What was on the wires: samples with a slot; writes with their samples; the answer's."""

    slots: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    writes: list[tuple[int, int]] = field(default_factory=list)
    answer: int = -1

    def read(self, samples: Iterable[dict[str, int]]) -> None:
        """Read a trace up to the answer."""
        for i, sample in enumerate(samples):
            if sample[ANSWER]:
                self.answer = i
                return
            v = {name: sample[path] for name, path in SIGNALS.items()}
            if v["slot_valid"]:
                self.slots.append(i)
            if (v["mac_write"] or v["write_word"]) and not v["clear"]:
                self.at.append(i)
                self.writes.append((v["write_address"], v["written"]))


def record_word(name: str, k: int, log: Callable[[str], None] | None = None) -> Record:
    """Simulate the public key of k with tracing; raises as :func:`ecsm.demo.live.recorder.record`.

    The key is from 1 to n - 1.
    """
    p, found, seen = WORD_PRESETS[name], word_program(WORD_PRESETS[name]), _Seen()
    curve = p.curve
    octets = -(-curve.n.bit_length() // 8)
    if not 0 < k < curve.n:
        raise ScalarOutOfRange("k is not in 1 .. n - 1")
    key = k.to_bytes(octets, "big")
    walks, strings = modelled(found, key)
    with TracingSchemes(name, log) as device:
        device.run("load", key)
        if log:
            log(f"recording a public key of {name}")
        answer, _ = device.trace(
            lambda: device.run("public"),
            lambda lines: seen.read(probe(lines, (*SIGNALS.values(), ANSWER))),
        )
    cycles = answer.cycles
    first = seen.answer - cycles  # the sample of cycle 0
    if seen.writes != [write for walk in walks for write in walk.writes]:
        raise LiveError(f"{name}: the core writes other words than the model")
    if len(seen.slots) != sum(walk.slots for walk in walks) or list(answer.strings) != strings:
        raise LiveError(f"{name}: the traced key is not the one on the port")
    happened, numbers, spans = _events(walks, seen, first)
    begins, inverting = [(0, "request")], []
    for walk, span in zip(walks, spans, strict=True):
        routine = found.routine(walk.pc) or "public"
        if routine != begins[-1][1]:
            begins.append((span[0], routine))
        if routine == INVERSE:
            inverting.append(span)
    point = curve.generator
    result: Point = tuple(int.from_bytes(s, "big") for s in strings)  # type: ignore[assignment]
    words = _words(found.built)
    return Record(
        preset=name, curve=curve.name,
        about=f"A public key kG. One multiplier of {p.W} bits, which goes through lists of slots"
        f" (walks), and a memory; numbers of {words} words of {p.W} bits",
        bits=words * p.W, field_bits=8 * octets, k=k, point=point, result=result,
        cycles=cycles, happened=happened,
        parts=parts(begins, cycles), inversion=Part("inversion", inverting[0][0], inverting[-1][1]),
        units=["walk"], registers=[f"n{number}" for number in numbers],
        digits=Digits(sum(w.digit is not None for w in walks), bits=False, letter="d"),
        opening=spans[0][0], span=min(cycles, SPAN),
    )  # fmt: skip


def _events(
    walks: list[Walk], seen: _Seen, first: int
) -> tuple[dict[int, Cycle], list[int], list[tuple[int, int]]]:
    """Return what happened by cycle, the numbers that are written, and the walks' cycles."""
    numbers = sorted({w.number for w in walks if w.number is not None})
    place = {number: i for i, number in enumerate(numbers)}
    left = sum(w.digit is not None for w in walks)
    happened: dict[int, Cycle] = {}
    spans: list[tuple[int, int]] = []
    slot = write = 0
    for walk in walks:
        begin, end = seen.slots[slot] - first, seen.slots[slot + walk.slots - 1] - first
        slot, write = slot + walk.slots, write + len(walk.writes)
        done = seen.at[write - 1] - first if walk.writes else end
        cycle = happened.setdefault(begin, Cycle())
        cycle.starts.append(Start(0, walk.name, end, done, walk.operands))
        if walk.digit is not None:
            left -= 1
            cycle.digit = (left, f"{walk.digit:+d}")
        if walk.number is not None:
            written = Write(place[walk.number], walk.name, walk.value)
            happened.setdefault(done, Cycle()).writes.append(written)
        spans.append((begin, end))
    return dict(sorted(happened.items())), numbers, spans
