# SPDX-License-Identifier: Apache-2.0
"""Run a preset's simulated core for a while: cycles (exact) and the simulator's speed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from ecsm.cores.store import design
from ecsm.device.opening import open_device
from ecsm.presets.table import preset


def simulate(name: str, seconds: float, progress: Callable[[str], None]) -> dict[str, Any]:
    """Run random jobs on a preset's core for about ``seconds`` of processor time."""
    curve, point = preset(name).curve, design(name).point
    rng = random.Random(name)
    progress(f"opening {name}")
    with open_device(f"sim:{name}", progress) as device:
        progress(f"measuring {name}")
        device.kp(1, point)
        bits, jobs = device.info().scalar_bits, 0
        start = time.process_time()
        while (spent := time.process_time() - start) < seconds:
            device.kp(rng.getrandbits(bits), point)
            jobs += 1
        return {
            "preset": name,
            "curve": curve.name,
            "cycles": device.last_cycles,
            "simulated_kp_per_second": round(jobs / spent, 1),
            "simulated_cycles_per_second": round(jobs * device.last_cycles / spent),
        }
