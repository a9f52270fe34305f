# SPDX-License-Identifier: Apache-2.0
"""Digests of everything that is generated, by group and kind.

A digest is the SHA-256 of a text or of numbers. Comments and layout are taken out of
SystemVerilog, C and SystemRDL first. Module and file names stay in, but for those of circuits,
which are netlists without names: an engine without protection stays the circuit that it is. The
version of the project is replaced by 0.0.0. Not covered: files that are copied (rtl/, LICENSE, the
cocotb driver), whose names are, and the HTML pages of registers.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ecsm.backend.same_netlist import digest as netlist_digest
from ecsm.backend.same_netlist import netlist_of_design
from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.emit import emit
from ecsm.hdl.harness import harness
from ecsm.hdl.package import contents, documents
from ecsm.narrow.units import unit, unit_curves
from ecsm.presets.table import all_presets, preset
from ecsm.results.sources import sources
from ecsm.schemes.program import has_schemes, program
from ecsm.soc.system import system

Digests = dict[str, str]
"""Digests by kind, as ``rtl``, or by path in a package."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r"\b(?:(\d+)'([bdh]))?([0-9a-f]+)\b")
_BASES = {"b": 2, "d": 10, "h": 16}
_COMMENTED = {".c", ".h", ".rdl", ".sv", ".svh"}

FAMILIES = ("b163-small", "b163-halving", "p256-small", "p256-verify", "x25519")
"""Presets that are packaged: one of each family, and of each kind of job over GF(p)."""
_PACKAGES: tuple[dict[str, Any], ...] = (
    {}, {"attach": "axil"}, {"attach": "stream"}, {"engines": 3},
    {"engines": 2, "attach": "stream"}, {"schemes": True}, {"schemes": True, "attach": "axil"},
    {"schemes": True, "wide": True}, {"attach": "wishbone"}, {"schemes": True, "attach": "apb"},
)  # fmt: skip
SYSTEMS = (
    ("field-163", "tc"), ("point-163", "lc"), ("field-163", "software"), ("core-b163-fast", "tc"),
    ("schemes-b163-small", "tc"), ("schemes-b163-small", "lc"), ("axil-b163-small", "lc"),
    ("axil-p256-small", "lc"),
)  # fmt: skip


def text_digest(text: str) -> str:
    """Return the digest of a text as it is."""
    return hashlib.sha256(text.encode()).hexdigest()


def source_digest(text: str) -> str:
    """Return the digest of SystemVerilog or C without comments, and with single blanks."""
    return text_digest(" ".join(_COMMENT.sub(" ", text).split()))


def number_digest(numbers: object) -> str:
    """Return the digest of nested lists of numbers."""
    return text_digest(json.dumps(numbers))


def literals(text: str) -> list[list[int]]:
    """Return the numbers in SystemVerilog in their order, each as width (0: none) and value."""
    return [
        [int(width or 0), int(value, _BASES[base] if base else 10)]
        for width, base, value in _LITERAL.findall(_COMMENT.sub(" ", text))
        if base or value.isdigit()
    ]


@contextmanager
def no_version() -> Iterator[None]:
    """Let the project have version 0.0.0: caches of generated texts know it from the real one."""
    before = {
        name: module.__version__
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "ecsm" and hasattr(module, "__version__")
    }
    try:
        for name in before:
            sys.modules[name].__dict__["__version__"] = "0.0.0"
        yield
    finally:
        for name, version in before.items():
            sys.modules[name].__dict__["__version__"] = version


def of_core(d: AnyDesign) -> Digests:
    """Return the digests of a core.

    ``rtl``: the generated module; ``microcode``: the numbers in it, which are the control words,
    what their bits mean, constants and sizes, without any name; ``program``: the address of the
    word of every cycle, and the cycles; ``harness``: the module that is placed and routed.
    """
    code, rtl = d.microcode, emit(d)
    address = {id(word): i for i, word in enumerate(code.words)}
    executed = [address[id(word)] for word in code.unrolled()]
    return {
        "rtl": source_digest(rtl),
        "microcode": number_digest(literals(rtl.partition("module ")[2])),
        "program": number_digest([executed, code.cycles, code.registers]),
        "harness": source_digest(harness(d.preset)),
    }


def of_package(build: Build) -> Digests:
    """Return the digests of the files of a package, and of their names, by path."""
    files = contents(build)
    files |= {
        name: text.decode()
        for name, text in documents(build).items()
        if "html" not in PurePosixPath(name).parts
    }
    copied = {"LICENSE", *(name for name in files if _copied(name, files[name]))}
    found = {
        name: (source_digest if PurePosixPath(name).suffix in _COMMENTED else text_digest)(text)
        for name, text in files.items()
        if name not in copied
    }
    return {**found, "names of files": text_digest("\n".join(files))}


def _copied(name: str, text: str) -> bool:
    driver = name.startswith("cocotb/") and "# Generated by: ecsm" not in text
    return driver or (name.startswith("rtl/") and "// Generated by: ecsm" not in text)


def of_schemes(name: str, wide: bool) -> Digests:
    """Return the digests of the program of a core's schemes."""
    found = program(preset(name), wide)
    return {
        "operations": text_digest("\n".join(found.operations)),
        "words": number_digest([word.bits for word in found.words]),
        "constants": number_digest(found.constants),
        "texts": number_digest(found.texts),
    }


def of_system(name: str, coupling: str) -> Digests:
    """Return the digests of a system on chip: its modules, the headers of its programs."""
    found = system(name, coupling)
    headers = {file: source_digest(text) for file, text in found.program.headers.items()}
    return {"rtl": source_digest(found.text), **headers}


def of_unit(name: str) -> Digests:
    """Return the digests of the modules of a unit on the narrow port."""
    return {module: source_digest(text) for module, text in unit(name).modules.items()}


def _builds(name: str) -> Iterator[Build]:
    for options in _PACKAGES:
        if has_schemes(preset(name)) or not options.get("schemes"):
            yield Build(design(name), **options)


def _preset(name: str) -> dict[str, Digests]:
    packages = _builds(name) if name in FAMILIES else ()
    return {f"core {name}": of_core(design(name))} | {
        f"build {b.command}": of_package(b) for b in packages
    }


def _schemes() -> dict[str, Digests]:
    return {
        f"schemes {p.name}{' --wide' * wide}": of_schemes(p.name, wide)
        for p in all_presets()
        if has_schemes(p)
        for wide in (False, True)
    }


def _systems() -> dict[str, Digests]:
    return {f"soc {name} {coupling}": of_system(name, coupling) for name, coupling in SYSTEMS}


def _units() -> dict[str, Digests]:
    names = [name for name in unit_curves() if not name.startswith("core-")]
    return {f"unit {name}": of_unit(name) for name in names}


CIRCUITS = (
    "toy7-fast", "toy8-ahead", "toy107-halving", "toyp7-a", "toyp7-v", "toyp8-glv-t", "toyp7-x",
    "toyp7-d", "b163-small", "p256-small",
)  # fmt: skip
"""Presets whose netlists are held: unprotected engines of each kind, and two for users."""


def _circuits() -> dict[str, Digests]:
    netlists = {name: netlist_of_design(sources(design(name))) for name in CIRCUITS}
    return {f"circuit {name}": {"netlist": netlist_digest(n)} for name, n in netlists.items()}


PARTS: dict[str, Callable[[], dict[str, Digests]]] = {
    **{p.name: partial(_preset, p.name) for p in all_presets()},
    "schemes": _schemes, "systems": _systems, "units": _units, "circuits": _circuits,
}  # fmt: skip
"""What computes digests, by group: a part is a test."""


def computed(part: str) -> dict[str, Digests]:
    """Return the digests of a part as they are now."""
    with no_version():
        return PARTS[part]()


def part_of(group: str) -> str:
    """Return the part that a group of digests belongs to."""
    kind, name = group.split()[:2]
    return {
        "schemes": "schemes",
        "soc": "systems",
        "unit": "units",
        "circuit": "circuits",
    }.get(kind, name)
