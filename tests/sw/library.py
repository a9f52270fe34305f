# SPDX-License-Identifier: Apache-2.0
"""libecsm compiled for this host and loaded, over a simulated block or a model of its registers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.machines import subject
from ecsm.hdl.registers import FOLDER, register_documents, register_map
from ecsm.hdl.word_image import tables_header
from ecsm.schemes.numbers import ABSENT
from ecsm.sim.cache import Sources, build
from ecsm.soc.headers import api_header

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "sw" / "libecsm"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow")
PRESET = "b163-small"
BLOCK = Build(design(PRESET), schemes=True, attach="axil")
WORD_BLOCK = Build(subject("word-p256"), attach="axil")
"""A block with fewer operations."""

READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
U8P = ctypes.POINTER(ctypes.c_uint8)


class Hal(ctypes.Structure):
    """``ecsm_hal_t``."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("read", "write", "wait", "context"))


class In(ctypes.Structure):
    """``ecsm_in_t``."""

    _fields_ = (("octets", ctypes.c_char_p), ("length", ctypes.c_size_t))


class Out(ctypes.Structure):
    """``ecsm_out_t``."""

    _fields_ = (("octets", U8P), ("room", ctypes.c_size_t), ("length", ctypes.c_size_t))


class Ecies(ctypes.Structure):
    """``ecsm_ecies_t``."""

    _fields_ = (("flags", ctypes.c_uint32), ("info1", In), ("info2", In))


class Point(ctypes.Structure):
    """``ecsm_point_t`` and ``ecsm_const_point_t``."""

    _fields_ = (("x", U8P), ("y", U8P))


def header(build: Build) -> tuple[str, str]:
    """Return the name and the text of the C header of a block."""
    registers = build.registers()
    assert registers
    name = f"{registers.block}.h"
    return name, register_documents(registers)[f"{FOLDER}/{name}"].decode()


def headers(folder: Path, block: Build = BLOCK) -> list[str]:
    """Write the block's header to ``folder``; return the compiler's options to find all."""
    name, text = header(block)
    (folder / name).write_text(text)
    (folder / "api_vectors.h").write_text(api_header(block.preset.curve))
    if block.machine.tables:
        tables = tables_header(block.machine.curve, block.machine.tables())
        (folder / "ecsm_tables.h").write_text(tables)
    return [f"-I{LIBRARY / 'include'}", f"-I{LIBRARY / 'test'}", f"-I{folder}"]


def compiled(
    folder: Path, *compiler: str, flags: tuple[str, ...] = (), block: Build = BLOCK
) -> list[Path]:
    """Compile every file of the library and its test; return the objects.

    The test is not for a wide block, which has no SHA-256.
    """
    objects = []
    test = [] if block.wide else [LIBRARY / "test" / "api.c"]
    for source in [*sorted((LIBRARY / "src").glob("*.c")), *test]:
        objects.append(folder / f"{source.stem}.o")
        command = [*compiler, *FLAGS, *flags, *headers(folder, block), "-c", str(source), "-o"]
        subprocess.run([*command, str(objects[-1])], check=True, timeout=200)
    return objects


def load(folder: Path, block: Build = BLOCK) -> ctypes.CDLL:
    """Return the library as it is for this host."""
    flags = ("-fPIC", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")
    objects = compiled(folder, "cc", flags=flags, block=block)
    path = folder / "libecsm.so"
    link = ["cc", "-shared", "-fsanitize=undefined", *map(str, objects), "-o", str(path)]
    subprocess.run(link, check=True, timeout=200)
    return ctypes.CDLL(str(path))


def simulated(block: Build = BLOCK) -> ctypes.CDLL:
    """Return the registers of a simulated block, sim.cpp."""
    modules = block.modules()
    text = "\n".join(modules.values())
    files = tuple(needed(text, rtl_files()))
    wrapper = LIBRARY / "test" / "sim.cpp"
    sources = Sources(block.name, list(modules)[-1], text, files, wrapper=wrapper)
    lib = ctypes.CDLL(str(build(block.core, sources)))
    lib.sim_new.restype = ctypes.c_void_p
    lib.sim_read.restype = ctypes.c_uint32
    lib.sim_read.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    lib.sim_write.restype = None
    lib.sim_write.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
    for name in ("free", "refused", "cycles"):
        getattr(lib, f"sim_{name}").argtypes = (ctypes.c_void_p,)
    return lib


class Ecsm(ctypes.Structure):
    """The beginning of ``ecsm_t``, and room for the rest."""

    _fields_ = (
        ("hal", Hal),
        ("scalar_octets", ctypes.c_size_t),
        ("coordinate_octets", ctypes.c_size_t),
        ("steps", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
        ("rest", ctypes.c_uint8 * 512),
    )


class Device:
    """An ``ecsm_t``; calls by the library's names without ``ecsm_``, octets as bytes."""

    def __init__(self, lib: ctypes.CDLL, hal: Hal) -> None:
        self.lib = lib
        self.hal = hal
        self.state = Ecsm()
        self.opened = self.call("open", ctypes.byref(hal))

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function with the device as its first argument."""
        # An integer fills its place whole: size_t is wider than ctypes takes it for.
        wide = (ctypes.c_size_t(a) if isinstance(a, int) else a for a in arguments)
        return int(getattr(self.lib, f"ecsm_{name}")(ctypes.byref(self.state), *wide))

    def read(self, name: str) -> int:
        """Return what a register has, by the HAL."""
        registers = BLOCK.registers()
        assert registers
        return int(READ(self.hal.read)(self.hal.context, register_map(registers)[name]))

    def strings(
        self,
        function: str,
        number: int,
        *strings: bytes,
        rooms: tuple[int, ...] = (),
        slot: int = 0,
    ) -> tuple[int, Callable[[], list[bytes]]]:
        """Call ``ecsm_run`` or ``ecsm_start``; return its status, and what gives the outputs."""
        ins = (In * max(1, len(strings)))(*(In(s, len(s)) for s in strings))
        places = [(ctypes.c_uint8 * max(1, room))() for room in rooms]
        outs = (Out * max(1, len(rooms)))(
            *(Out(ctypes.cast(p, U8P), r, 0) for p, r in zip(places, rooms, strict=True))
        )
        self._kept = ins, outs, places
        status = self.call(function, number, slot, 0, ins, len(strings), outs, len(rooms))

        def found() -> list[bytes]:
            both = zip(places, outs, strict=False)
            assert all(not any(bytes(p)[o.length :]) for p, o in zip(places, outs, strict=False))
            return [bytes(p)[: o.length] for p, o in both]

        return status, found


class Registers:
    """A model of the registers: what is read, and a list of what is written."""

    def __init__(self, library: ctypes.CDLL, **values: int) -> None:
        registers = BLOCK.registers()
        assert registers
        self.at = register_map(registers)
        mask = sum(1 << i for i, name in enumerate(registers.operations) if name != ABSENT)
        right = {"ID": 0x4543534D, "VERSION": 2 << 24, "OPERATIONS": mask}
        self.values = {self.at[name]: value for name, value in (right | values).items()}
        self.written: list[tuple[int, int]] = []
        self.words: list[int] | None = None
        """What OUT has, word by word, and then 0; None: as any other register."""
        self._read = READ(lambda _, offset: self._found(offset))
        self._write = WRITE(lambda _, offset, value: self.written.append((offset, value)))
        pointers = (ctypes.cast(f, ctypes.c_void_p).value for f in (self._read, self._write))
        self.device = Device(library, Hal(*pointers, None, None))

    def commands(self) -> list[int]:
        """Return what was written to COMMAND."""
        return [value for offset, value in self.written if offset == self.at["COMMAND"]]

    def _found(self, offset: int) -> int:
        if offset == self.at["OUT"] and self.words is not None:
            return self.words.pop(0) if self.words else 0
        return self.values.get(offset, 0)


def octets(data: bytes) -> Any:
    """Return an array of octets."""
    return (ctypes.c_uint8 * max(1, len(data)))(*data)


def point(x: Any, y: Any) -> Point:
    """Return a point whose coordinates are in arrays."""
    return Point(ctypes.cast(x, U8P), ctypes.cast(y, U8P))
