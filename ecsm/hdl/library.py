# SPDX-License-Identifier: Apache-2.0
"""The hand-written RTL as FuseSoC cores, one a folder; generated modules as cores on top of them.

Whatever is built names the same cores: two packages in one design share their modules. ::

    ecsm:cores:TOP  ->  ecsm:modules:TOP  ->  ecsm:modules:ecsm_b163_small  ->  ecsm:rtl:gf2m_engine
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from ecsm import __version__
from ecsm.hdl.build import Build
from ecsm.hdl.files import PACKAGES, RTL, bare, needed, rtl_files
from ecsm.templates import render

WAIVERS = "common/ecsm_packages.vlt"
"""What Verilator's lint is told of the packages; the folder is one that all designs need."""

MADE = "python -m ecsm.hdl.library"


def folder_of(file: Path) -> str:
    """Return the folder of a hand-written file: ``gf2m/field``."""
    return file.parent.relative_to(RTL).as_posix()


def library_core(folder: str) -> str:
    """Return the FuseSoC name of a folder's core."""
    return f"ecsm:rtl:{folder.replace('/', '_')}:{__version__}"


def module_core(module: str, text: str) -> str:
    """Return the FuseSoC name of a generated module's core; its version says what is in it.

    Two packages may have modules of one name that are not the same, as schemes with large hashes
    and without: FuseSoC refuses them in one design, and does not take the one for the other.
    """
    mark = int.from_bytes(sha256(bare(text).encode()).digest()[:4], "big")
    return f"ecsm:modules:{module}:{__version__}.{mark}"


@cache
def folders() -> dict[str, tuple[str, ...]]:
    """Return the folders of the hand-written RTL, and those that each of them needs."""
    files: dict[str, list[Path]] = {}
    for file in rtl_files():
        files.setdefault(folder_of(file), []).append(file)
    return {
        folder: tuple(sorted(_beside(needed(_text(own), rtl_files())) - {folder}))
        for folder, own in files.items()
    }


def library(modules: Mapping[str, str]) -> dict[str, str]:
    """Return, by path, the folders that generated modules need, whole, and their core files."""
    used = _beside(needed("\n".join(modules.values()), rtl_files()))
    used |= {below for folder in used for below in folders()[folder]}
    files = [f for f in rtl_files() if folder_of(f) in used]
    return {
        **{f"rtl/{f.relative_to(RTL).as_posix()}": f.read_text("utf-8") for f in files},
        **{f"rtl/{core_path(folder)}": folder_core(folder) for folder in sorted(used)},
        f"rtl/{WAIVERS}": waivers(),
    }


def core_path(folder: str) -> str:
    """Return where a folder's core file is, below ``rtl``."""
    return f"{folder}/ecsm_{folder.replace('/', '_')}.core"


def folder_core(folder: str) -> str:
    """Return the core file of a folder of the hand-written RTL."""
    return _core(
        made=MADE,
        name=library_core(folder),
        about=f"ECSM, the hand-written SystemVerilog of rtl/{folder}",
        depend=[library_core(below) for below in folders()[folder]],
        files=[f.name for f in rtl_files() if folder_of(f) == folder],
        waivers=Path(WAIVERS).name if folder == str(Path(WAIVERS).parent) else "",
    )


def waivers() -> str:
    """Return Verilator's configuration: a design need not use every constant of a package."""
    return render("hdl/packages.vlt", made=MADE, packages=[Path(p).name for p in PACKAGES])


def whole_core() -> str:
    """Return the core file of all folders together: ``ecsm:rtl:all``."""
    return _core(
        made=MADE,
        name=library_core("all"),
        about="ECSM, all of the hand-written SystemVerilog of cores",
        depend=[library_core(folder) for folder in folders()],
        files=[],
    )


def module_cores(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the core files of generated modules, by path, beside the modules.

    They are the same in every package that has the module.
    """
    return {
        f"rtl/{name}.core": _core(
            made="ecsm build",
            name=module_core(name, text),
            about=f"the generated module {name}",
            depend=_depend(name, modules),
            files=[f"{name}.sv"],
        )
        for name, text in modules.items()
    }


def generated_core(build: Build, name: str) -> dict[str, str]:
    """Return what FuseSoC's generator makes, by file: generated modules and a core of that name.

    The core depends on nothing: FuseSoC has resolved what a core needs before it generates one.
    """
    modules = build.modules()
    files = {f"{module}.sv": text for module, text in modules.items()}
    core = _core(
        made=f"ecsm build {build.command}",
        name=name,
        about=f"{build.about()}, {build.made_of()}",
        depend=[],
        files=list(files),
    )
    return files | {f"{list(modules)[-1]}.core": core}


def _core(
    made: str, name: str, about: str, depend: list[str], files: list[str], waivers: str = ""
) -> str:
    """Return a core file; ``made``: by which command, ``waivers``: a file for Verilator's lint."""
    return render("hdl/library.core", **locals())


def _depend(name: str, modules: Mapping[str, str]) -> list[str]:
    """Return the cores that a generated module needs."""
    own = modules[name]
    words = set(re.findall(r"\w+", bare(own)))
    inner = [other for other in modules if other != name and other in words]
    used = _beside(needed(own, rtl_files()))
    modules_in_it = [module_core(other, modules[other]) for other in inner]
    return [*map(library_core, sorted(used)), *modules_in_it]


def _beside(files: Iterable[Path]) -> set[str]:
    return {folder_of(f) for f in files}


def _text(files: Iterable[Path]) -> str:
    return "\n".join(f.read_text("utf-8") for f in files)


def kept() -> dict[Path, str]:
    """Return the core files that are kept beside the hand-written RTL."""
    beside = {RTL / core_path(folder): folder_core(folder) for folder in folders()}
    return beside | {RTL / "ecsm_rtl.core": whole_core(), RTL / WAIVERS: waivers()}


if __name__ == "__main__":
    for file, text in kept().items():
        file.write_text(text, encoding="utf-8")
