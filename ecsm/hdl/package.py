# SPDX-License-Identifier: Apache-2.0
"""Write what is built as a directory that stands alone: RTL, testbench or registers, core file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ecsm.cores.store import check
from ecsm.files import named_if_full
from ecsm.hdl.block_testbench import block_testbench
from ecsm.hdl.build import Build
from ecsm.hdl.build_texts import attached_readme, scheme_readme
from ecsm.hdl.farm import top_name
from ecsm.hdl.farm_testbench import farm_testbench
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.hdl.package_texts import core_file, makefile, parameters, readme
from ecsm.hdl.registers import register_documents
from ecsm.hdl.testbench import testbench, testbench_name
from ecsm.hdl.word_image import tables_header
from ecsm.resources import resource
from ecsm.signals import scratch

MARKER = ".ecsm-build"
"""Lists the files of the directory, itself left out: what ``ecsm build`` may replace."""

PRODUCTS = "build"
"""Folder for what the directory's own Makefile and FuseSoC make."""

_LISTED = 3  # files named in a complaint
_OTHERS = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT)
"""What renaming a folder raises where somebody else puts one, or takes it away."""


class PackageError(ValueError):
    """The directory cannot be written; nothing was changed."""


def contents(build: Build) -> dict[str, str]:
    """Return the text of every file of the package by its path, the same for the same build.

    Documents of registers are not among them. Raises ValueError for a core that has no schemes.
    """
    modules = build.modules()
    rtl = _rtl(modules)
    top = list(modules)[-1]
    texts = _bare(build) if build.bare else _around(build, top)
    bench = next((name for name in texts if name.startswith("tb/")), None)
    return {
        **rtl,
        **texts,
        "files.f": "".join(f"{name}\n" for name in rtl),
        f"{top}.core": core_file(build, top, list(rtl), bench, documents(build)),
        "LICENSE": resource("LICENSE").read_text("utf-8"),
    }


def documents(build: Build) -> dict[str, bytes]:
    """Return what describes its registers, by path: C header, IP-XACT, HTML, SystemRDL."""
    registers = build.registers()
    return register_documents(registers) if registers else {}


def tables(build: Build) -> dict[str, bytes]:
    """Return the tables of the curve by path, if a word engine takes them: for a host, for C."""
    made = build.machine.tables if build.schemes else None
    if made is None:
        return {}
    octets = made()
    header = tables_header(build.preset.curve, octets).encode()
    return {"tables/ecsm_tables.bin": octets, "tables/ecsm_tables.h": header}


def _bare(build: Build) -> dict[str, str]:
    """Return what a core or a farm has beside its RTL: testbench and what is to be read."""
    design, engines = build.core, build.engines
    assert design is not None  # a word engine is not bare
    bench = testbench(design) if engines == 1 else farm_testbench(design, engines)
    return {
        f"tb/{testbench_name(design, engines)}.sv": bench,
        "parameters.json": parameters(design, engines),
        "Makefile": makefile(
            build.command, top_name(design.preset, engines), testbench_name(design, engines)
        ),
        "README.md": readme(design, engines),
    }


def _around(build: Build, top: str) -> dict[str, str]:
    """Return the same of schemes, and of what is behind a bus."""
    readme = attached_readme(build, top) if build.attach else scheme_readme(build, top)
    if not build.schemes and build.bus is None:
        return {"README.md": readme}
    name, text = block_testbench(build, top)
    return {
        f"tb/{name}.sv": text,
        "Makefile": makefile(build.command, top, name),
        "README.md": readme,
    }


def _rtl(modules: dict[str, str]) -> dict[str, str]:
    """Return the RTL that generated modules need, and themselves, in compile order."""
    rtl = {
        f"rtl/{f.relative_to(RTL).as_posix()}": f.read_text("utf-8")
        for f in needed("\n".join(modules.values()), rtl_files())
    }
    return rtl | {f"rtl/{name}.sv": text for name, text in modules.items()}


def package(build: Build, folder: Path) -> Path:
    """Write the package to ``folder``, which must not exist, be empty, or be an old package.

    The directory is made aside and renamed into place: an interrupted build changes nothing. The
    old one is looked at once more before it is removed: what came into it meanwhile keeps it.
    Raises :class:`PackageError` if the folder is something else, ValueError for a core that has no
    schemes, and OSError if it cannot be written.
    """
    target = Path(os.path.realpath(folder))  # also of a link that leads to itself
    _check(target, folder)
    if build.core is not None:
        check(build.core)
    files = {name: text.encode() for name, text in contents(build).items()}
    files |= documents(build) | tables(build)
    files[MARKER] = "".join(f"{name}\n" for name in sorted(files)).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with scratch(".ecsm-", target.parent) as aside:
        new = aside / "new"
        for name, data in files.items():
            file = new / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with named_if_full(folder):
                file.write_bytes(data)
        _swap(new, target, aside / "old", folder)
    return folder


def _check(target: Path, shown: Path) -> None:
    """Refuse a folder whose replacement would lose something of somebody else's."""
    if not target.exists():
        return
    if Path.cwd().resolve().is_relative_to(target):
        raise PackageError(f"{shown} is the current directory: name a folder in it")
    _check_content(target, shown)


def _check_content(target: Path, shown: Path) -> None:
    """Refuse a folder with files that are not of its list, without one with any; and a file."""
    if not target.is_dir():
        raise PackageError(f"{shown} is not a directory")
    marker = target / MARKER
    if not marker.is_file():
        if any(target.iterdir()):
            raise PackageError(f"{shown} is not empty and was not made by ecsm build")
        return
    ours = {MARKER, *marker.read_text("utf-8", "replace").splitlines()}
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
        names = files + [name for name in folders if (here / name).is_symlink()]
        found += [(here / name).relative_to(target).as_posix() for name in names]
    return [name for name in found if name not in ours]


def _swap(new: Path, target: Path, old: Path, shown: Path) -> None:
    """Put ``new`` where ``target`` is; the old one comes back if that fails, or is not ours now."""
    try:
        if target.exists():
            target.rename(old)
            _check_content(old, shown)
        new.rename(target)
    except BaseException as error:
        if old.exists() and not target.exists():  # whichever of the two was interrupted
            old.rename(target)
        if isinstance(error, OSError) and error.errno in _OTHERS:
            raise PackageError(f"{shown}: another program has written there meanwhile") from None
        raise
