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

PACKAGES = (
    "gf2m/field/gf2m_pkg.sv",
    "gfp/field/gfp_pkg.sv",
    "scalar/ecsm_order_pkg.sv",
    "common/ecsm_pkg.sv",
    "common/ecsm_protect_pkg.sv",
    "gf2m/engine/gf2m_engine_pkg.sv",
    "gf2m/halving/gf2m_halving_pkg.sv",
    "gfp/engine/gfp_engine_pkg.sv",
    "gfp/masked/gfp_masked_pkg.sv",
    "symmetric/sym_pkg.sv",
    "symmetric/sym_hash_pkg.sv",
    "symmetric/sym_aes_pkg.sv",
    "scheme/scheme_pkg.sv",
    "attach/ecsm_narrow_pkg.sv",
    "attach/ecsm_narrow_seq_pkg.sv",
    "word/word_pkg.sv",
)
_LAYERS = ("common", "gf2m", "gfp", "scalar", "symmetric", "scheme", "attach", "word")


def rtl_files() -> list[Path]:
    """Return the hand-written files of cores: packages first, then modules by name.

    The order is not that of folders: a file that moves leaves every design as it was.
    """
    packages = [RTL / p for p in PACKAGES]
    found = {f for layer in _LAYERS for f in (RTL / layer).rglob("*.sv")} - set(packages)
    return packages + sorted(found, key=lambda f: f.name)


def rtl_file(module: str) -> Path:
    """Return the hand-written file of a module or package; KeyError if there is none."""
    return {f.stem: f for f in rtl_files()}[module]


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
