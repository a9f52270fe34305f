# SPDX-License-Identifier: Apache-2.0
"""Write a preset as a directory that stands alone: RTL, testbench, Makefile, FuseSoC core file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ecsm.hdl.farm import emit_modules, top_name
from ecsm.hdl.farm_testbench import farm_testbench
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.hdl.package_texts import core_file, makefile, parameters, readme
from ecsm.hdl.scheme_emit import emit_schemes, scheme_readme
from ecsm.hdl.testbench import testbench, testbench_name
from ecsm.presets.store import AnyDesign, check

MARKER = ".ecsm-build"
"""Lists the files of the directory, itself left out: what ``ecsm build`` may replace."""

PRODUCTS = "build"
"""Folder for what the directory's own Makefile and FuseSoC make."""

_LISTED = 3  # files named in a complaint


class PackageError(ValueError):
    """The directory cannot be written; nothing was changed."""


def contents(design: AnyDesign, engines: int = 1) -> dict[str, str]:
    """Return the text of every file of the package by its path, the same for the same design.

    With more than one engine the top is a farm. Raises ValueError for a number that no farm has.
    """
    modules = emit_modules(design, engines)
    rtl = _rtl(modules)
    top = top_name(design.preset, engines)
    bench = f"tb/{testbench_name(design, engines)}.sv"
    files = {
        **rtl,
        bench: testbench(design) if engines == 1 else farm_testbench(design, engines),
        "files.f": "".join(f"{name}\n" for name in rtl),
        "parameters.json": parameters(design, engines),
        f"{top}.core": core_file(design, list(rtl), bench, engines),
        "Makefile": makefile(design, engines),
        "README.md": readme(design, engines),
        "LICENSE": (RTL.parent / "LICENSE").read_text("utf-8"),
    }
    return {**files, MARKER: "".join(f"{name}\n" for name in sorted(files))}


def scheme_contents(design: AnyDesign, wide: bool = False) -> dict[str, str]:
    """Return the same of the preset's schemes: RTL, list of files, what it is. No testbench."""
    modules = emit_schemes(design, wide)
    rtl = _rtl(modules)
    files = {
        **rtl,
        "files.f": "".join(f"{name}\n" for name in rtl),
        "README.md": scheme_readme(design, list(modules)[-1]),
        "LICENSE": (RTL.parent / "LICENSE").read_text("utf-8"),
    }
    return {**files, MARKER: "".join(f"{name}\n" for name in sorted(files))}


def _rtl(modules: dict[str, str]) -> dict[str, str]:
    """Return the RTL that generated modules need, and themselves, in compile order."""
    rtl = {
        f"rtl/{f.relative_to(RTL).as_posix()}": f.read_text("utf-8")
        for f in needed("\n".join(modules.values()), rtl_files())
    }
    return rtl | {f"rtl/{name}.sv": text for name, text in modules.items()}


def package(
    design: AnyDesign, folder: Path, engines: int = 1, files: dict[str, str] | None = None
) -> Path:
    """Write the package to ``folder``, which must not exist, be empty, or be an old package.

    ``engines``: more than one make a farm (:mod:`ecsm.hdl.farm`). ``files``: other contents than
    the core's or the farm's.

    The directory is made aside and renamed into place: an interrupted build changes nothing.
    Raises :class:`PackageError` if the folder is something else, and OSError if it cannot be
    written.
    """
    target = folder.resolve()
    _check(target, folder)
    check(design)
    if files is None:
        files = contents(design, engines)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
        new = Path(scratch) / "new"
        for name, text in files.items():
            file = new / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        _swap(new, target, Path(scratch) / "old")
    return folder


def _check(target: Path, shown: Path) -> None:
    """Refuse a folder whose replacement would lose something of somebody else's."""
    if not target.exists():
        return
    if not target.is_dir():
        raise PackageError(f"{shown} is not a directory")
    if Path.cwd().resolve().is_relative_to(target):
        raise PackageError(f"{shown} is the current directory: name a folder in it")
    marker = target / MARKER
    if not marker.is_file():
        if any(target.iterdir()):
            raise PackageError(f"{shown} is not empty and was not made by ecsm build")
        return
    ours = {MARKER, *marker.read_text("utf-8").splitlines()}
    foreign = sorted(_foreign(target, ours))
    if foreign:
        more = f" and {len(foreign) - _LISTED} more" if len(foreign) > _LISTED else ""
        names = ", ".join(foreign[:_LISTED])
        raise PackageError(f"{shown} has files that ecsm build did not write: {names}{more}")


def _foreign(target: Path, ours: set[str]) -> list[str]:
    found = []
    for root, folders, files in os.walk(target):
        here = Path(root)
        if here == target and PRODUCTS in folders:
            folders.remove(PRODUCTS)
        found += [(here / name).relative_to(target).as_posix() for name in files]
    return [name for name in found if name not in ours]


def _swap(new: Path, target: Path, old: Path) -> None:
    """Put ``new`` where ``target`` is; the old one comes back if that fails."""
    replaced = target.exists()
    if replaced:
        target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        if replaced:
            old.rename(target)
        raise
