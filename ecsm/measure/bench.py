# SPDX-License-Identifier: Apache-2.0
"""Measure simulated cores: cycles (exact), the simulator's speed and the tool's own cost."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ecsm.cores.store import design
from ecsm.device.sim import SimDevice
from ecsm.hdl.farm import latency
from ecsm.measure.cost import cost, slowest
from ecsm.presets.table import preset
from ecsm.progress import Progress
from ecsm.results.kept import Where
from ecsm.results.record import SimulatedRow, Simulation, save, simulation_path
from ecsm.results.sources import provenance_of

DEFAULT = (
    "b163-fast", "b163-balanced", "b163-single", "b163-small", "b163-halving", "b233-fast",
    "b283-fast", "p256-small", "p256-fast", "k256-glv", "x25519",
)  # fmt: skip


def bench(names: Sequence[str], seconds: float, as_json: bool, solve: bool, root: Where) -> int:
    """Measure presets and print a table; that of the default ones is kept below ``root``.

    Each preset is compiled anew, in a cache of its own. With ``solve`` its schedule is solved too,
    for the time that takes; the kept schedule stays.
    """
    where, rows = provenance_of("verilator"), []
    with Progress() as progress:
        for name in names or DEFAULT:
            rows.append(cost(name, seconds, solve, progress))
            if not as_json:
                with suppress(BrokenPipeError):  # what is measured is kept, read or not
                    _show(rows[-1], head=len(rows) == 1)
    record = Simulation(f"ecsm bench --seconds {seconds:g}{' --solve' * solve}", where, rows)
    if not names:
        save(simulation_path(root), record)
    if as_json:
        print(json.dumps(asdict(record), indent=1))
    else:
        print("simulated; compile: processor seconds of Verilator and g++; solve: wall seconds")
    return 0


def _show(row: SimulatedRow, head: bool) -> None:
    if head:
        print(
            f"{'preset':16}{'cycles':>8}{'kP/s':>9}{'cycles/s':>11}{'solve s':>9}{'elab. s':>9}"
            f"{'compile s':>11}  slowest step"
        )
    solved = "-" if row.solve_seconds is None else row.solve_seconds
    print(
        f"{row.preset:16}{row.cycles:>8}{row.simulated_kp_per_second:>9.1f}"
        f"{row.simulated_cycles_per_second:>11}{solved:>9}"
        f"{row.elaborate_seconds:>9.2f}{row.compile_cpu_seconds:>11.1f}  {slowest(row)}",
        flush=True,
    )


WARM, TURNS = 4, 16  # batches of an engine before those that are measured, and those


def farm_throughput(name: str, engines: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the cycles between results of a farm that always has jobs and is never stalled.

    ``cycles``: of a job, as the engine counts them. ``latency``: of a job through the farm.
    ``cycles_per_kp``: the average between two results.
    """
    p, point = preset(name), design(name).point
    curve, at_once = p.curve, engines * p.threads
    rng = random.Random(name)
    warm, count = WARM * at_once, TURNS * at_once
    jobs = ((rng.randrange(curve.n), point) for _ in range(2 * warm + count))
    with SimDevice(name, tell, engines=engines) as device:
        tell(f"measuring {engines} x {name}")
        clocks = [device.clock for done in device.as_completed(jobs) if done.error is None]
        return {
            "preset": name,
            "engines": engines,
            "cycles": device.last_cycles,
            "latency": device.last_cycles + latency(engines),
            "cycles_per_kp": round((clocks[warm + count] - clocks[warm]) / count, 3),
        }


def farm_bench(names: Sequence[str], engines: int, as_json: bool) -> int:
    """Measure farms and print a table; nothing is kept."""
    with Progress() as progress:
        rows = [farm_throughput(name, engines, progress) for name in names]
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    print(f"{'preset':16}{'engines':>8}{'cycles':>8}{'latency':>9}{'cycles a kP':>13}")
    for row in rows:
        print(
            f"{row['preset']:16}{row['engines']:>8}{row['cycles']:>8}{row['latency']:>9}"
            f"{row['cycles_per_kp']:>13}"
        )
    return 0
