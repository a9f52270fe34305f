# SPDX-License-Identifier: Apache-2.0
"""A system on chip by its accelerator's name: modules around the CPU, headers of programs.

``field-163``, ``point-233``, ``core-b163-fast``: a unit on both narrow ports
(:mod:`ecsm.narrow.units`). ``schemes-b163-small``: the schemes of a preset as a block of registers,
tightly coupled behind a custom instruction, or loosely behind AXI4-Lite with its interrupt;
``schemes-word-p256``: those of a word engine.
``axil-b163-small``: a preset's core as such a block, behind AXI4-Lite.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.cores.store import design
from ecsm.device.base import NoDevice
from ecsm.device.frame import HIDDEN, description
from ecsm.hdl.build import Build
from ecsm.hdl.machines import Machine, Subject, subject
from ecsm.hdl.registers import register_documents
from ecsm.hdl.scheme_emit import SLOT_BITS
from ecsm.hdl.word_image import tables_header
from ecsm.names import no_such
from ecsm.narrow.units import SEE, UnknownUnit, unit
from ecsm.presets.table import UnknownPreset
from ecsm.schemes.inputs import inputs
from ecsm.schemes.numbers import ABSENT, by_number
from ecsm.soc.accelerators import AXIL, SCHEMES, accelerators
from ecsm.soc.emit import MEMORY, NONE, PLACES, soc_top
from ecsm.soc.firmware import FAST, SMALL, SW, Program
from ecsm.soc.headers import COUPLINGS, FIRST, api_header, unit_header, vectors_header
from ecsm.soc.simulation import DIVISOR

LIBECSM = SW.parent / "libecsm"
FRAME, FRAMES = SW.parent / "frame", "ecsm_frame.c"


@dataclass(frozen=True)
class System:
    """``name``: for caches; ``text``: the generated modules; ``program``: of software."""

    name: str
    text: str
    program: Program


def system(
    name: str, coupling: str, divisor: int = DIVISOR, alone: bool = False, image: str = "",
    rom: int = 0,
) -> System:  # fmt: skip
    """Return a system with an accelerator by name, reached by ``coupling``.

    ``divisor``: clock cycles of a bit on the UART; ``alone``: a unit is on the one port only that
    ``coupling`` names; ``image``: of schemes, the file of the memory's initial content, ``rom``:
    the KiB of it that cannot be written. Raises
    :class:`NoDevice` for a coupling that it has not; UnknownUnit or StaleSchedule.
    """
    if coupling not in COUPLINGS:
        raise NoDevice(no_such("coupling", coupling, COUPLINGS, SEE))
    try:
        if name.startswith(SCHEMES):
            return _schemes(name, coupling, divisor, image, rom)
        if name.startswith(AXIL):
            return _core(name, coupling, divisor)
        u = unit(name)
    except UnknownPreset:
        names = (a.unit for a in accelerators(toys="toy" in name))
        raise UnknownUnit(no_such("unit", name, names, SEE)) from None
    headers = {"unit.h": unit_header(u, coupling), "vectors.h": vectors_header(u.curve)}
    tc, lc = (NONE if alone and coupling != place else u.module for place in PLACES)
    text = "\n".join([*u.modules.values(), soc_top(tc, lc, divisor=divisor)])
    return System(
        u.name, text, Program(headers, optimise=FAST if coupling == "software" else SMALL)
    )


def serve_header(m: Machine) -> str:
    """Return ``serve.h``: what the program ``serve`` says that it is, strings of each operation.

    SERVE_NONE stands for the strings of a number that no operation has; with SERVE_TABLES the
    program loads the tables of ecsm_tables.h. It has no device key, so no line gets wrapped keys.
    """
    wrapping = ("wrap", "unwrap")
    operations = tuple(ABSENT if name in wrapping else name for name in by_number(m.program))
    info = description(m.name, m.curve.name, operations)
    counts = ("SERVE_NONE" if name == ABSENT else str(inputs(name)) for name in operations)
    return f"""{FIRST}#define SERVE_INFO {{{", ".join(f'"{text}"' for text in info)}}}
#define SERVE_NONE 255u
#define SERVE_INPUTS {{{", ".join(counts)}}}
#define SERVE_SLOTS {1 << SLOT_BITS}
#define SERVE_HIDDEN {operations.index(HIDDEN)}
{"#define SERVE_TABLES" if m.tables else ""}
"""


def _schemes(name: str, coupling: str, divisor: int, image: str, rom: int) -> System:
    if coupling == "software":
        raise NoDevice(f"{name} has no coupling software: choose tc or lc")
    b = _built(subject(name.removeprefix(SCHEMES)), schemes=True)
    modules, tables = _modules(b), b.machine.tables
    memory = 2 * MEMORY if tables else MEMORY
    top = soc_top(
        block=list(modules)[-1], custom=coupling == "tc", divisor=divisor, memory=memory,
        image=image, rom=rom,
    )  # fmt: skip
    loaded = {"ecsm_tables.h": tables_header(b.machine.curve, tables())} if tables else {}
    return System(
        f"{name}-{coupling}" + f"-rom{rom}" * (rom > 0),
        "\n".join([*modules.values(), top]),
        Program(
            {
                **_headers(b, coupling),
                **loaded,
                "api_vectors.h": api_header(b.preset.curve),
                "serve.h": serve_header(b.machine),
            },
            sources=(
                *sorted((LIBECSM / "src").glob("*.c")),
                LIBECSM / "test" / "api.c",
                FRAME / FRAMES,
            ),
            includes=(LIBECSM / "include", LIBECSM / "test", FRAME),
            memory=memory,
        ),
    )


def _core(name: str, coupling: str, divisor: int) -> System:
    if coupling != "lc":
        raise NoDevice(f"{name} has no coupling {coupling}: choose lc")
    b = _built(design(name.removeprefix(AXIL)))
    modules = _modules(b)
    top = soc_top(block=list(modules)[-1], noise=False, divisor=divisor)
    return System(name, "\n".join([*modules.values(), top]), Program(_headers(b, coupling)))


def _built(of: Subject, schemes: bool = False) -> Build:
    try:
        return Build(of, schemes=schemes, attach="axil", self_test=False)
    except ValueError as error:
        raise NoDevice(str(error)) from None


def _modules(b: Build) -> dict[str, str]:
    try:
        return b.modules()
    except ValueError as error:
        raise NoDevice(str(error)) from None


def _headers(b: Build, coupling: str) -> dict[str, str]:
    """Return the headers of a block's registers, and ``block.h``: how a program reaches them."""
    registers = b.registers()
    assert registers is not None
    name = f"{registers.block}.h"
    made = register_documents(registers)
    header = next(text for file, text in made.items() if file.endswith(name))
    return {name: header.decode(), "block.h": f"{FIRST}#define BLOCK_{coupling.upper()}\n"}
