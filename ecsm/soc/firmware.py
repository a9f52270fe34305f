# SPDX-License-Identifier: Apache-2.0
"""Compile a program for the system on chip: C11 on bare RV32IM, by the clang of the Zig wheel.

Sources are ``sw/soc/*.c`` and ``sw/soc/apps/APP.c``; a program may include headers that are
generated for it. Images are cached by content.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ecsm.device.base import DeviceError
from ecsm.device.cache import cache_dir, content_key, entry

ROOT = Path(__file__).resolve().parents[2]
SW = ROOT / "sw" / "soc"
APPS = SW / "apps"
FLAGS = (
    "-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-std=c11", "-O2",
    "-ffreestanding", "-fno-builtin", "-fno-sanitize=all", "-nostdlib", "-static",
    "-Wall", "-Wextra", "-Werror", "-Wconversion",
)  # fmt: skip
IMAGE = "image.bin"


def apps() -> list[str]:
    """Return the names of the programs there are."""
    return sorted(file.stem for file in APPS.glob("*.c"))


def firmware(app: str, headers: Mapping[str, str], defines: tuple[str, ...] = ()) -> bytes:
    """Return the memory image of a program; ``headers``: generated text by file name.

    ``defines``: macros, as ``NAME`` or ``NAME=VALUE``. Raises :class:`DeviceError` if there is no
    such program or it does not compile.
    """
    if app not in apps():
        raise DeviceError(f"there is no program {app!r}: {', '.join(apps())}")
    try:
        compiler = version("ziglang")
    except PackageNotFoundError:
        raise DeviceError("ziglang is not installed: run make demo") from None
    sources = [SW / "start.S", *sorted(SW.glob("*.c")), APPS / f"{app}.c"]
    files = [*sources, *sorted(SW.glob("*.h")), SW / "link.ld"]
    texts = [part for pair in sorted(headers.items()) for part in pair]

    def make(work: Path, done: Path) -> None:
        for name, text in headers.items():
            (work / name).write_text(text, encoding="utf-8")
        elf = str(work / "program.elf")
        macros = [f"-D{name}" for name in defines]
        places = ["-I", str(work), "-I", str(SW), "-T", str(SW / "link.ld")]
        _zig(work, "cc", *FLAGS, *macros, *places, *map(str, sources), "-o", elf)
        _zig(work, "objcopy", "-O", "binary", elf, str(done / IMAGE))

    key = content_key((compiler, *FLAGS, *defines, app, *texts), files)
    return (entry(f"firmware/{app}-{key}", make) / IMAGE).read_bytes()


def _zig(work: Path, *arguments: str) -> None:
    """Run a tool of the wheel; two of them cannot share a cache of what they compile."""
    caches = {
        "ZIG_LOCAL_CACHE_DIR": str(work / "zig"),
        "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *arguments], cwd=work, env={**os.environ, **caches},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise DeviceError(f"zig {arguments[0]} failed:\n{done.stderr[-4000:]}")
