# SPDX-License-Identifier: Apache-2.0
"""Schemes on a simulated core: the scheme machine's RTL, compiled by Verilator, called by name."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Generator, Iterable
from enum import IntEnum
from itertools import islice
from pathlib import Path

from ecsm.device.base import Closing, DeviceError, Part, Result, Turn, collected, made, parts_of
from ecsm.device.request import PIECE, BadRequest, Request, octets, request, whole
from ecsm.hdl.machines import Machine, machine
from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.presets.word import with_curve
from ecsm.schemes.inputs import streamed
from ecsm.schemes.machine import SLOTS
from ecsm.sim.cache import build, scheme_sources
from ecsm.status import Status

# Cycles in which no word goes in or out, at most. Twice those of the longest operation there is, a
# verification on brainpoolP512r1 whose sum is infinite: whoever makes a signature chooses that.
LIMIT = 64_000_000
ROOM, MOST = 2 * PIECE, 8  # octets and strings that come out meanwhile, at most
_WORD = 8  # octets
_MOST_CYCLES = (1 << 24) - 1  # where the machine's counter stays


class _Answer(ctypes.Structure):
    _fields_ = (
        ("measured", ctypes.c_uint64),
        ("status", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
        ("used", ctypes.c_uint32),
        ("strings", ctypes.c_uint32),
        ("happened", ctypes.c_uint32),
    )


class _Happened(IntEnum):
    """What ecsm_scheme_go returns (schemes.cpp)."""

    STUCK = 0
    ANSWERED = 1
    STOPPED = 2
    WANTS = 3
    FULL = 4


def _cycles(stop: object) -> int:
    """Return after how many cycles to stop. Raises BadRequest for a number of more than 32 bits."""
    cycles = whole("stop", stop)
    if not 0 <= cycles < 1 << 32:
        raise BadRequest("an operation is stopped after 0 to 2^32 - 1 cycles; 0: it is not")
    return cycles


class SchemeDevice(Closing):
    """The schemes of a preset, simulated; calls from several threads run one after the other.

    ``wide``: the machine hashes with SHA-384 and SHA-512 instead of SHA-1, SHA-224 and SHA-256.
    ``self_test``: a word engine tests itself after reset and after tables, as what is shipped does;
    that takes a second or more. Without it the operation ``self-test`` does so. ``core``: a
    compiled core with the same ports that stands in for it.
    """

    def __init__(
        self,
        preset: str,
        wide: bool = False,
        log: Callable[[str], None] | None = None,
        self_test: bool = False,
        core: Path | None = None,
    ) -> None:
        self._use(machine(preset, wide))
        self.turn = Turn()
        self._process = os.getpid()
        if core is None:
            core = build(self.machine.design, scheme_sources(self.machine, self_test), log)
        self._lib = ctypes.CDLL(str(core))
        self._lib.ecsm_scheme_new.restype = ctypes.c_void_p
        for name, arguments in _ARGUMENTS.items():
            getattr(self._lib, f"ecsm_scheme_{name}").argtypes = arguments
        self._core = made(self._lib.ecsm_scheme_new())
        self.last_cycles = 0
        self._load()

    def _load(self) -> None:
        """Load the tables of the curve, if the machine takes them from the host."""
        if self.machine.tables is not None:
            self.tables(self.machine.tables())

    def tables(self, given: bytes) -> None:
        """Load tables (:mod:`ecsm.hdl.word_image`): keys and the random state are dropped first.

        Raises :class:`~ecsm.status.Unsupported` if they are none; then the machine has no tables,
        and refuses everything until it gets some.
        """
        whole = octets("tables", given)
        self._loading().feed(whole, last=True)

    def _loading(self, taken: bool = False) -> Running:
        """Begin to load tables: from here on there are no keys, and no other tables."""
        asked, _ = Request("tables", (b"",), 0, 0).in_parts()
        return Running(self, asked, LOAD_OPERATION, taken=taken)

    def choose(self, curve: str) -> None:
        """Load the tables of another curve, by its name or its file; keys are dropped.

        Nothing changes if they cannot be loaded now: another call runs, or the device is closed.
        Raises UnknownName if the machine has none of that name, BadCurve for a file that is none,
        TypeError for what is no text.
        """
        if not isinstance(curve, str):
            raise TypeError("a curve is chosen by its name, or by that of its file")
        chosen = machine(with_curve(self.machine.name, curve))
        assert chosen.tables is not None
        tables = chosen.tables()
        running = self._loading()
        self._use(chosen)
        running.feed(tables, last=True)

    def _use(self, chosen: Machine) -> None:
        """Be another machine on the same netlist."""
        self.machine, self.program, self.curve = chosen, chosen.program, chosen.curve

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of what it does."""
        return self.program.operations

    def _open(self) -> int:
        if self._core is None:
            raise DeviceError("the device is closed")
        if self._process != os.getpid():  # its random numbers would be the parent's
            raise DeviceError("the device is the parent process's: open another one")
        return self._core

    def run(
        self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0, stop: int = 0
    ) -> Result:
        """Run an operation; return what it hands out (see :class:`ecsm.device.base.Device`).

        ``stop``: drop it after so many cycles by a zeroize, which also erases all keys.
        """
        asked, message = self._asked(operation, strings, slot, flags), b""
        if streamed(operation):
            asked, message = asked.in_parts()
        return self._collected(None, asked, message, _cycles(stop))

    def stream(
        self,
        operation: str,
        *strings: bytes,
        message: Iterable[bytes],
        slot: int = 0,
        flags: int = 0,
    ) -> Generator[Part, None, None]:
        """Run an operation whose last string comes in parts (see Device.stream)."""
        asked = self._asked(operation, strings, slot, flags, opened=True)
        return parts_of(lambda: self._begin(asked), message)

    def begin(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Running:
        """Begin an operation whose last string is given in parts; it has the machine until it ends.

        Raises as ``run`` does for a request that is none.
        """
        return self._begin(self._asked(operation, strings, slot, flags, opened=True))

    def _begin(self, asked: Request) -> Running:
        return Running(self, asked)

    def _asked(
        self,
        operation: str,
        strings: Iterable[bytes],
        slot: int,
        flags: int,
        opened: bool = False,
    ) -> Request:
        return request(self.operations, operation, strings, slot, flags, SLOTS, opened)

    def run_number(
        self, number: int, *strings: bytes, slot: int = 0, flags: int = 0, stop: int = 0
    ) -> Result:
        """Run an operation by its number, 0 to 63, with strings and flags that it may refuse."""
        op, place, bits = whole("number", number), whole("slot", slot), whole("flags", flags)
        if not (0 <= op < 64 and 0 <= place < SLOTS and 0 <= bits < 256):
            raise BadRequest("an operation has 6 bits, flags have 8, and there are 4 slots")
        given = tuple(octets("a string", s) for s in strings)
        if sum(map(len, given)) > PIECE:
            raise BadRequest(f"an operation by number takes {PIECE:,} octets at most")
        asked = Request(f"operation {op}", given, place, bits)
        return self._collected(op, asked, b"", _cycles(stop))

    def _collected(self, number: int | None, asked: Request, message: bytes, stop: int) -> Result:
        running = Running(self, asked, number, stop)
        return Result(collected(running.feed(message, last=True)), running.cycles)

    def zeroize(self, reset: bool = False) -> None:
        """Drop every key and the random state, by a zeroize or a reset, which loads tables anew."""
        with self.turn.taken():
            self._zeroize(bool(reset))
            if reset and self.machine.tables is not None:
                self._loading(taken=True).feed(self.machine.tables(), last=True)

    def _zeroize(self, reset: bool = False) -> None:
        if not self._lib.ecsm_scheme_zeroize(self._open(), reset, LIMIT):
            raise DeviceError(
                f"{self.machine.name} was not ready after a zeroize, or still handed out a word"
            )

    def samples(self, samples: bytes = b"", silent: bool = False) -> None:
        """Give samples for the random generator's test mode; ``silent``: no noise comes."""
        given = octets("samples", samples)
        with self.turn.taken():
            self._lib.ecsm_scheme_samples(self._open(), given, len(given), bool(silent))

    def close(self) -> None:
        """Free the core."""
        if self.turn.mine:  # in the middle of a stream
            self._free()
        else:
            with self.turn.taken():
                self._free()

    def _free(self) -> None:
        core, self._core = self._core, None
        if core is not None:
            self._lib.ecsm_scheme_free(core)


class Running:
    """An operation that runs; it has the machine until it has answered or is given up.

    ``number``: of the operation, None: the one that its name has when its turn comes. ``taken``:
    the caller has the turn, and keeps it. ``cycles``: what the machine has counted, when it has
    answered. Raises UnknownName for a name that the machine has no more.
    """

    def __init__(
        self,
        device: SchemeDevice,
        asked: Request,
        number: int | None = None,
        stop: int = 0,
        taken: bool = False,
    ) -> None:
        self._device, self._asked, self._stop = device, asked, stop
        self._held = b""  # of the open string: a word at least stays until its end is known
        self._first = True
        self._done = False
        self._string = 0  # of those that come out: which one is next
        self._begun = False  # whether some of it has come
        self._answer = _Answer(happened=_Happened.WANTS)  # of the last call
        self.cycles = 0
        self._hold = None if taken else device.turn.take()
        try:
            core, self._machine = device._open(), device.machine
            op = self._machine.program.number(asked.operation) if number is None else number
            device._lib.ecsm_scheme_begin(core, op, asked.slot, asked.flags)
        except BaseException:
            self._end()
            raise

    def feed(self, part: bytes, last: bool = False) -> list[Part]:
        """Give the next octets of the open string; return what came out.

        Raises what the operation ends with, and then it has ended; DeviceError if it has.
        """
        if self._done:
            raise DeviceError("the operation has ended")
        try:
            found: list[Part] = []
            for piece, ends in self._pieces(part, last):
                found += self._go(piece, ends)
            if last and not self._done:
                raise self._failed()
            return found
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Abandon the operation: run it to its end and drop its output.

        Keys stay, unless the machine does not end.
        """
        if self._done:
            return
        core = self._device._core
        if core is not None and self._answer.happened == _Happened.WANTS:
            held, self._held = self._held, b""
            self._call(core, self._strings(held), opened=False)
        if core is not None and self._answer.happened != _Happened.ANSWERED:
            self._device._lib.ecsm_scheme_zeroize(core, False, LIMIT)
        self._end()

    def _end(self) -> None:
        self._done = True
        if self._hold is not None:
            self._device.turn.give(self._hold)

    def _pieces(self, part: bytes, last: bool) -> Iterable[tuple[bytes, bool]]:
        """Yield whole words of the open string, and at its end what is left: one octet or more.

        What is not whole, or may be the end, is held.
        """
        if not self._asked.open:
            yield b"", True
            return
        at, left = 0, memoryview(part)
        while len(self._held) + len(left) - at > PIECE:
            size = PIECE - len(self._held)
            yield self._held + left[at : at + size], False
            at, self._held = at + size, b""
        rest = self._held + left[at:]
        keep = len(rest) if last else min(len(rest), (len(rest) - 1) % _WORD + 1)
        self._held = b"" if last else rest[len(rest) - keep :]
        if last or len(rest) > keep or self._first:
            yield (rest if last else rest[: len(rest) - keep]), last

    def _strings(self, piece: bytes) -> tuple[bytes, ...]:
        """Return the strings that are given now: those before the open one once."""
        before = self._asked.strings if self._first else ()
        self._first = False
        return (*before, piece) if self._asked.open else before

    def _go(self, piece: bytes, ends: bool) -> list[Part]:
        """Give strings, or a piece of the open one; return what came out."""
        device = self._device
        out, lengths = self._call(device._open(), self._strings(piece), opened=not ends)
        answer = self._answer
        if answer.happened == _Happened.STOPPED:
            device._zeroize()
            self.cycles = self._stop
            self._end()
            return []
        if answer.happened == _Happened.WANTS:
            return self._parts(out, lengths)
        if answer.happened != _Happened.ANSWERED:
            raise self._failed()
        self._end()
        status, name = Status(answer.status), self._machine.name
        if answer.cycles != min(answer.measured, _MOST_CYCLES):
            raise DeviceError(f"{name} counts its cycles wrongly")
        self.cycles = device.last_cycles = answer.cycles
        if status is not Status.OK:
            if out or self._string or self._begun:
                raise DeviceError(f"{name} handed something out with an error")
            raise self._asked.refused(status, self._machine.curve, self._machine.program.operations)
        if not ends:
            raise self._failed()
        return self._parts(out, lengths)

    def _failed(self) -> DeviceError:
        what, name = self._asked.operation, self._machine.name
        return DeviceError(f"{name}: {what} did not answer as it must")

    def _call(self, core: int, strings: tuple[bytes, ...], opened: bool) -> tuple[bytes, list[int]]:
        """Let the machine go on; return what came out, and where in it strings end."""
        given = b"".join(strings)
        lengths = (ctypes.c_uint32 * max(1, len(strings)))(*map(len, strings))
        out, ends = (ctypes.c_uint8 * ROOM)(), (ctypes.c_uint32 * MOST)()
        self._answer = answer = _Answer()
        self._device._lib.ecsm_scheme_go(
            core, given, lengths, len(strings), opened, out, ROOM, ends, MOST, LIMIT,
            self._stop, ctypes.byref(answer),
        )  # fmt: skip
        found = ctypes.string_at(out, answer.used)
        ctypes.memset(out, 0, answer.used)
        return found, list(islice(ends, answer.strings))

    def _parts(self, out: bytes, ends: list[int]) -> list[Part]:
        """Return the octets that came out as parts of strings: each string has one at least."""
        found, at = [], 0
        for end in ends:
            found.append(Part(self._string, out[at:end]))
            at, self._string, self._begun = end, self._string + 1, False
        if at < len(out):
            found.append(Part(self._string, out[at:]))
            self._begun = True
        return found


_U8P, _U32P = ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32)
_ARGUMENTS: dict[str, tuple[type, ...]] = {
    "free": (ctypes.c_void_p,),
    "samples": (ctypes.c_void_p, _U8P, ctypes.c_uint32, ctypes.c_uint32),
    "zeroize": (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32),
    "begin": (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32),
    "go": (
        ctypes.c_void_p, _U8P, _U32P, ctypes.c_uint32, ctypes.c_uint32,
        ctypes.POINTER(ctypes.c_uint8), ctypes.c_uint32, _U32P, ctypes.c_uint32,
        ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(_Answer),
    ),
}  # fmt: skip
