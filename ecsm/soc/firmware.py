# SPDX-License-Identifier: Apache-2.0
"""Compile a program for the system on chip: C11 on bare RV32IM, with the clang of the Zig wheel.

Sources are ``sw/firmware/*.c``, ``sw/firmware/apps/APP.c`` or a user's own, and those of a library;
a program may include headers that are generated for it. Images of this project's programs are
cached by content; a user's own may include what is not known here, and is compiled each time.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ecsm.device.base import NoDevice
from ecsm.device.extras import NotInstalled
from ecsm.names import joined, no_such
from ecsm.resources import resource
from ecsm.signals import scratch
from ecsm.sim.cache import cache_dir, content_key, entry
from ecsm.sim.compiling import Log, run
from ecsm.soc.emit import MEMORY
from ecsm.soc.libraries import LIBC, Library

SW = resource("sw", "firmware")
APPS = SW / "apps"
FLAGS = (
    "-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-std=c11",
    "-ffreestanding", "-fno-builtin", "-fno-sanitize=all", "-nostdlib", "-static",
    "-Wall", "-Wextra", "-Werror", "-Wconversion",
)  # fmt: skip
STRICT = ("-Werror", "-Wconversion")
"""Not asked of a user's own program."""
FAST, SMALL = "-O2", "-Os"
"""Optimisation: for programs that compute, and for those that drive a unit: their loops, transfers
in line, are to fit the CPU's instruction cache of 4 KiB."""
IMAGE = "image.bin"
BASE = ("soc", "memory")
BASE_HEADERS = ("soc.h", "measure.h", "p256/p256.h")
BLOCK_HEADERS = ("ecsm.h", "block.h")  # of programs for a block of registers


def apps() -> list[str]:
    """Return the names of the programs there are."""
    return sorted(file.stem for file in APPS.glob("*.c"))


RUN = "ecsm soc run --help"


def sources(app: str, more: Sequence[str], see: str = RUN) -> tuple[Path, list[Path] | None]:
    """Return the file of a program, and those beside a user's own. Raises as :func:`main_of`."""
    main = main_of(app, see)
    if app.endswith(".c"):
        return main, [main_of(file, see) for file in more]
    if more:
        raise NoDevice(f"program {app} is of this project: it takes no sources beside it")
    return main, None


def main_of(app: str, see: str = RUN) -> Path:
    """Return the file of a program: of a name, or a user's own, a path that ends with ``.c``.

    ``see``: the command that shows the names. Raises :class:`NoDevice` if there is none.
    """
    if not app.endswith(".c"):
        if app not in apps():
            raise NoDevice(no_such("program", app, apps(), see))
        return APPS / f"{app}.c"
    try:
        main = Path(app).resolve(strict=True)
        main.read_text(encoding="utf-8")
    except OSError as error:
        raise NoDevice(f"program {app}: {error.strerror}") from None
    except ValueError:
        raise NoDevice(f"program {app}: it is no text in UTF-8") from None
    return main


def parts(main: Path) -> list[Path]:
    """Return the folders of ``sw/firmware`` that a program includes from, compiled with it."""
    found = re.findall(r'#include "(\w+)/', main.read_text(encoding="utf-8"))
    return [SW / name for name in sorted(set(found)) if (SW / name).is_dir()]


def needs(main: Path, header: str) -> bool:
    """Return whether a program includes a header."""
    return f'#include "{header}"' in main.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Program:
    """What is compiled beside ``sw/firmware`` for a program.

    ``headers``: generated text by file name; ``sources``: of a library, ``includes``: its folders;
    ``library``: one that is not of this project; ``layout``: a script of the linker in place of
    ``link.ld``, with which what nothing uses is left out; ``defines``: macros, as ``NAME`` or
    ``NAME=VALUE``; ``optimise``: SMALL or FAST; ``memory``: of the system, in KiB.
    """

    headers: Mapping[str, str]
    sources: tuple[Path, ...] = ()
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    optimise: str = SMALL
    memory: int = MEMORY
    library: Library | None = None
    layout: str = ""


def image(
    main: Path, of: Program, log: Log | None = None, more: Sequence[Path] | None = None
) -> bytes:
    """Return the memory image of the program whose main is in that file; ``log``: of progress.

    ``more``: of a user's own program, the sources beside it; it may have warnings, which are told.
    No image of a program that is not in ``sw`` is kept, whether ``more`` is given or not.
    Raises :class:`NoDevice` if it needs what its accelerator has not; :class:`DeviceError` if it
    does not compile.
    """
    try:
        compiler = version("ziglang")
    except PackageNotFoundError:
        raise NotInstalled("ziglang") from None
    _check(main, of)
    own, ours, others, library = parts(main), more is None, more or (), of.library
    joins = library.own if library else ()
    sources = [SW / "start.S", *_own_sources(of, own), *of.sources, *joins, main, *others]
    theirs = () if ours else sorted({file.parent for file in (main, *others)})
    folders = [SW, *of.includes, *theirs, *([LIBC, *library.places()] if library else ())]
    foreign = library.files() if library else []
    special = library.flags if library else ()

    def make(work: Path, done: Path) -> None:
        for name, text in of.headers.items():
            (work / name).write_text(text, encoding="utf-8")
        layout = of.layout or (SW / "link.ld").read_text(encoding="utf-8")
        sized = layout.replace(f"LENGTH = {MEMORY}K", f"LENGTH = {of.memory}K")
        (work / "link.ld").write_text(sized, encoding="utf-8")
        elf = str(work / "program.elf")
        macros = [f"-D{name}" for name in of.defines]
        places = [f"-I{folder}" for folder in (work, *folders)]
        script = ["-T", str(work / "link.ld")]
        strict = [f for f in FLAGS if ours or f not in STRICT]
        least = ["-ffunction-sections", "-Wl,--gc-sections"] if of.layout else []
        flags = [*strict, of.optimise, *least, *special, *macros, *places, *script]
        tell(f"compiling {main.name} with what it needs (Zig, which sets itself up first)")
        objects = []
        for file in foreign:  # its warnings are its own
            objects.append(str(work / f"{file.stem}.o"))
            plain = [f for f in (*FLAGS, *special) if not f.startswith("-W")]
            quiet = [*plain, "-w", of.optimise, *places]
            _zig(work, tell, "cc", *quiet, "-c", str(file), "-o", objects[-1])
        said = _zig(work, tell, "cc", *flags, *map(str, sources), *objects, "-o", elf)
        for line in said.splitlines():
            tell(line)
        _zig(work, tell, "objcopy", "-O", "binary", elf, str(done / IMAGE))

    tell = log or (lambda _: None)
    if not ours or not main.is_relative_to(SW.parent):
        with scratch("ecsm-") as folder:
            make(folder, folder)
            return (folder / IMAGE).read_bytes()
    headers = [h for f in (*folders, *own) for h in sorted(f.glob("*.h"))]
    files = [*sources, *foreign, *headers, SW / "link.ld"]
    texts = [of.layout] + [part for pair in sorted(of.headers.items()) for part in pair]
    key = content_key(
        (compiler, *FLAGS, *special, of.optimise, str(of.memory), *of.defines, main.stem, *texts),
        files,
    )
    return (entry(f"firmware/{main.stem}-{key}", make, tell) / IMAGE).read_bytes()


def _own_sources(of: Program, own: list[Path]) -> list[Path]:
    """The sources of ``sw/firmware``: those of points only where there is a unit or its curve."""
    base = [f for f in sorted(SW.glob("*.c")) if f.stem in BASE or "unit.h" in of.headers]
    return [*base, *(f for folder in own for f in sorted(folder.glob("*.c")))]


def _check(app: Path, of: Program) -> None:
    """Refuse a program for another accelerator in one line, where the compiler needs many."""
    text = app.read_text(encoding="utf-8")
    headers = set(re.findall(r'#include "(.+)"', text))
    block = bool(headers.intersection(BLOCK_HEADERS))
    points = any((SW / header).exists() for header in headers.difference(BASE_HEADERS))
    for wanted, header, other in (
        (block, "ecsm_block_scheme.h", "schemes-word-p256 --coupling lc"),
        (points, "unit.h", "field-163"),
    ):
        if wanted and header not in of.headers:
            raise NoDevice(f"program {app.stem} needs another accelerator: --unit {other}")
    tight = "BLOCK_TC" in of.headers.get("block.h", "")
    if tight and "SOC_AXIL" in text and "ecsm_hal_custom" not in text:
        raise NoDevice(f"program {app.stem} accesses the block on the bus: --coupling lc")
    has = of.headers.get("ecsm_block_scheme.h", "")
    lacking = set(re.findall(r"\bECSM_OPERATION_\w+", text)) - set(re.findall(r"\w+", has))
    if lacking:
        prefix = "ECSM_OPERATION_"
        names = sorted(name.removeprefix(prefix).lower().replace("_", "-") for name in lacking)
        raise NoDevice(f"program {app.stem} needs an accelerator with {joined(names, 'and')}")


def _zig(work: Path, log: Log, *arguments: str) -> str:
    """Run a tool of the wheel; return what it says.

    Two of them cannot share a cache of what they compile.
    """
    caches = {
        "ZIG_LOCAL_CACHE_DIR": str(work / "zig"),
        "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig"),
    }
    command = [sys.executable, "-m", "ziglang", *arguments]
    name = f"zig {arguments[0]}"
    return run(command, work, log, name, env={**os.environ, **caches}, name=name)
