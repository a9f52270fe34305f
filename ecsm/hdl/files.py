# SPDX-License-Identifier: Apache-2.0
"""Where the hand-written RTL is and its files in compile order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from ecsm.resources import resource

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFINES = re.compile(r"^\s*(?:module|package)\s+(\w+)", re.MULTILINE)

RTL = resource("rtl")

_PACKAGES = (
    "field/gf2m_pkg.sv",
    "field/gfp_pkg.sv",
    "scalar/ecsm_order_pkg.sv",
    "engine/ecsm_pkg.sv",
    "engine/gf2m_engine_pkg.sv",
    "engine/gf2m_halving_pkg.sv",
    "engine/gfp_engine_pkg.sv",
    "symmetric/sym_pkg.sv",
    "symmetric/sym_hash_pkg.sv",
    "symmetric/sym_aes_pkg.sv",
    "scheme/scheme_pkg.sv",
    "attach/ecsm_narrow_pkg.sv",
    "attach/ecsm_narrow_seq_pkg.sv",
)
_LAYERS = ("field", "scalar", "symmetric", "engine", "scheme", "attach")


def rtl_files() -> list[Path]:
    """Return the hand-written files: packages first, then modules by layer and name."""
    packages = [RTL / p for p in _PACKAGES]
    layers = [sorted((RTL / layer).glob("*.sv")) for layer in _LAYERS]
    return packages + [f for layer in layers for f in layer if f not in packages]


def bare(text: str) -> str:
    """Return SystemVerilog without comments and with single blanks: what is measured of it."""
    return " ".join(_COMMENT.sub(" ", text).split())


def compiled(text: str) -> str:
    """Return what a model is made of: :func:`bare` text and the comments for Verilator."""
    return bare(_COMMENT.sub(lambda m: _shown(m[0]) if "verilator" in m[0] else " ", text))


def _shown(pragma: str) -> str:
    """Return a comment as words that :func:`bare` keeps."""
    return f" `{pragma.strip('/*').strip()}` "


@lru_cache(maxsize=512)
def _names(file: Path, changed_ns: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a file, and the modules and packages that it defines."""
    text = file.read_text(encoding="utf-8")
    return frozenset(re.findall(r"\w+", bare(text))), frozenset(_DEFINES.findall(text))


def needed(text: str, files: Iterable[Path]) -> list[Path]:
    """Return those files, in their order, whose modules or packages ``text`` needs, or they do."""
    files = list(files)
    names = {f: _names(f, f.stat().st_mtime_ns) for f in files}
    known, used = set(re.findall(r"\w+", bare(text))), set[Path]()
    while more := [f for f in files if f not in used and names[f][1] & known]:
        used.update(more)
        known.update(*(names[f][0] for f in more))
    return [f for f in files if f in used]
