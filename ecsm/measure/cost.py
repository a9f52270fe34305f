# SPDX-License-Identifier: Apache-2.0
"""What the tool itself costs for a preset: solving, elaborating in Python, compiling, simulating.

:func:`cost` runs ``python -m ecsm.measure.cost PRESET SECONDS solve|keep`` in a process of its own,
with an empty cache (``ECSM_CACHE``), so that nothing is warm.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ecsm.cores.family import SOLVE_LIMITS
from ecsm.cores.table import family
from ecsm.device.base import DeviceError
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import SimulatedRow, Simulation, agree, load, simulation_path

STEPS = {
    "solve_seconds": "solving the schedule",
    "elaborate_seconds": "elaborating in Python",
    "compile_cpu_seconds": "compiling the core",
}
"""The steps from a program to a core, by the key of their time in :func:`cost`."""


def cost(name: str, seconds: float, solve: bool, tell: Callable[[str], None]) -> SimulatedRow:
    """Return what :func:`measured` finds in a fresh process with an empty cache.

    Raises :class:`DeviceError` if the process fails; an interrupt ends it and what it started, and
    removes the cache.
    """
    with tempfile.TemporaryDirectory(prefix="ecsm-bench-", ignore_cleanup_errors=True) as cache:
        # A killed compiler leaves its own files where TMPDIR says.
        new = {"ECSM_CACHE": cache, "TMPDIR": cache, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "ecsm.measure.cost", name, str(seconds)]
        with subprocess.Popen(
            [*command, "solve" if solve else "keep"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | new,
        ) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            try:
                for line in child.stderr:
                    tell(f"{name}: {line.rstrip()}")
                text = child.stdout.read()
            except BaseException:
                os.killpg(child.pid, signal.SIGKILL)  # and its compilers
                raise
        if child.returncode != 0:
            raise DeviceError(f"measuring {name} failed: {text.strip() or child.returncode}")
    return SimulatedRow(**json.loads(text))


def measured(name: str, seconds: float, solve: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure a preset, each step once, in this process; all times in seconds.

    - ``solve_seconds``: wall time of one solve (eight threads) within SOLVE_LIMITS; None if not
      asked for.
    - ``elaborate_seconds``: processor time to trace, to assemble and to emit.
    - ``compile_seconds``, ``compile_cpu_seconds``: Verilator and g++, wall and processor time;
      ``runtime_cpu_seconds``: Verilator's own runtime, once for all cores.
    - ``rtl``: the design's digest, and what :func:`ecsm.measure.simulate.simulate` returns.
    """
    from ecsm.cores.store import design
    from ecsm.hdl.emit import emit
    from ecsm.measure.simulate import simulate
    from ecsm.presets.table import preset
    from ecsm.results.sources import sources
    from ecsm.sim.cache import library, rtl_sources, runtime

    tell("tracing and assembling")
    p = preset(name)
    with _clock() as elaborate:
        p.graph()
        d = design(name)
        emit(d)
    rtl = sources(d).digest
    took = _solve(name, tell) if solve else None
    with _clock() as once:
        runtime(rtl_sources(d), tell)
    with _clock() as compile_:
        library(d, tell)
    return {
        **simulate(name, seconds, tell),
        "solve_seconds": took,
        "elaborate_seconds": round(elaborate["cpu"], 3),
        "compile_seconds": round(compile_["wall"], 1),
        "compile_cpu_seconds": round(compile_["cpu"], 1),
        "runtime_cpu_seconds": round(once["cpu"], 1),
        "rtl": rtl,
    }


def _solve(name: str, tell: Callable[[str], None]) -> float:
    from ecsm.presets.table import preset

    tell("solving")
    p = preset(name)
    with _clock() as took:
        family(p).solve(p, *SOLVE_LIMITS)
    return round(took["wall"], 1)


@contextmanager
def _clock() -> Iterator[dict[str, float]]:
    """Give a dictionary that has ``wall`` and ``cpu`` (children included) after the block."""
    found: dict[str, float] = {}
    start, before = time.monotonic(), _cpu()
    yield found
    found.update(wall=time.monotonic() - start, cpu=_cpu() - before)


def _cpu() -> float:
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def simulated(root: Where = RESULTS) -> Iterator[tuple[str, SimulatedRow]]:
    """Yield what ``ecsm bench`` measured, each with its name, which tells one of earlier RTL.

    Raises :class:`ecsm.results.record.DamagedResult`.
    """
    from ecsm.results.sources import agree_preset, row_name

    path = simulation_path(root)
    record = load(Simulation, path)
    for r in record.results if record else []:
        agree_preset(path, r.preset)
        agree(path, r.cycles > 0 and r.simulated_cycles_per_second > 0, f"{r.preset} does nothing")
        yield row_name(r.preset, r.rtl, r.carried), r


def slowest(row: SimulatedRow) -> str:
    """Return the slowest of STEPS as text; a step that was not measured is left out."""
    known = {key: t for key in STEPS if (t := getattr(row, key)) is not None}
    worst = max(known, key=lambda key: known[key])
    return f"{STEPS[worst]} ({known[worst]:,.0f} s)"


def main() -> int:
    """Measure what the arguments say and print it as JSON; progress goes to standard error.

    What goes wrong is printed in place of it, with exit code 1.
    """
    _, name, seconds, solve = sys.argv
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with its caller (Linux)

    def tell(message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    try:
        print(json.dumps(measured(name, float(seconds), solve == "solve", tell)))
    except Exception as error:  # the other process has a user to tell
        print(f"{type(error).__name__}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
