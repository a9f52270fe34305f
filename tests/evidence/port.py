# SPDX-License-Identifier: Apache-2.0
"""Random inputs of a core's port, and what Verilator's model of the core answers, by cycle."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.hdl.files import rtl_files
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import engine_top

INPUTS = (
    "rst_ni", "zeroize", "req_valid", "req_op", "req_scalar", "req_x", "req_y", "req_infinity",
    "req_tag", "rsp_ready",
)  # fmt: skip
KINDS = ("streaming", "pressed", "zeroized", "reset", "mixed", "sparse", "mixed", "pressed")
"""How each run treats the port; as many as bits of an octet."""
RESET = 3  # cycles
Cycle = dict[str, int]


def length(d: AnyDesign) -> int:
    """Return the cycles of a run: some jobs, or batches of jobs."""
    return 60 + 5 * d.cycles_alone


def inputs(name: str, seed: int) -> list[Cycle]:
    """Return the inputs of each cycle; what a cycle asks for does not depend on the answers."""
    d, kind = design(name), KINDS[seed]
    rng = random.Random(f"port of {name} {seed}")
    job = d.cycles_alone
    chance = {
        "req_valid": {"streaming": 1.0, "sparse": 2 / job}.get(kind, 0.5),
        "rsp_ready": {"streaming": 1.0, "sparse": 1.0, "pressed": 3 / job}.get(kind, 0.3),
        "zeroize": {"zeroized": 1 / job, "mixed": 0.4 / job}.get(kind, 0.0),
        "reset": {"reset": 1 / job, "mixed": 0.2 / job}.get(kind, 0.0),
    }
    some = _points(d, rng)
    found, low = [], RESET
    for _ in range(length(d)):
        if not low and rng.random() < chance["reset"]:
            low = RESET
        flags = {n: int(rng.random() < chance[n]) for n in ("req_valid", "rsp_ready", "zeroize")}
        found.append({"rst_ni": int(not low), **flags, **_request(d, rng, rng.choice(some))})
        low = max(0, low - 1)
    return found


def _points(d: AnyDesign, rng: random.Random) -> list[tuple[int, int]]:
    c: Any = d.preset.curve
    found = [c.mul(rng.randrange(1, c.n), c.generator) for _ in range(20)]
    return [p for p in found if p]


def _request(d: AnyDesign, rng: random.Random, point: tuple[int, int]) -> Cycle:
    """Return a request; half of them are right."""
    p, kind = d.preset, rng.randrange(8)
    x, y = point if kind < 6 else (rng.getrandbits(p.coordinate_bits) for _ in range(2))
    if kind == 7:
        x = (1 << p.coordinate_bits) - 1  # of a prime field: not in range
    return {
        "req_op": rng.randrange(1, 16) if kind == 4 else 0,
        "req_scalar": rng.getrandbits(p.scalar_bits), "req_x": x,
        "req_y": y ^ 1 if kind == 5 else y, "req_infinity": int(rng.randrange(8) == 0),
        "req_tag": rng.getrandbits(8),
    }  # fmt: skip


def recorded(name: str, runs: list[list[Cycle]]) -> list[list[int]]:
    """Return the whole port of answers (``tops.ANSWER``) in each cycle of each run."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "asked.json"), Path(folder, "answered.json")
        asked.write_text(json.dumps(runs))
        run(
            "engine_top",
            rtl_files(),
            "tests.evidence.port_cocotb",
            text=engine_top(name),
            env={"PORT_INPUTS": str(asked), "PORT_ANSWERS": str(answered)},
            args=("--unroll-count", "1024"),
        )
        found: list[list[int]] = json.loads(answered.read_text())
    return found
