# SPDX-License-Identifier: Apache-2.0
"""gfp_divsteps against ecsm.curves.gfp.divsteps: see divsteps_cocotb.py for what is asserted."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ecsm.curves.gfp.curve25519 import EDWARDS25519
from ecsm.curves.gfp.sec2 import SEC2_PRIME_CURVES
from ecsm.hdl.files import rtl_file
from ecsm.sim.cache import verilator_env
from tests.rtl.cocotb_run import run
from tests.rtl.gfp.divsteps_top import Lane, divsteps_top, to_json

SOURCES = [rtl_file("gfp_divsteps_step"), rtl_file("gfp_divsteps")]
PRIMES = [c.p for c in (*SEC2_PRIME_CURVES, EDWARDS25519)]


def check(lanes: Sequence[Lane], count: int = 0) -> None:
    run(
        "divsteps_group",
        SOURCES,
        "tests.rtl.gfp.divsteps_cocotb",
        text=divsteps_top(lanes),
        env={"DIVSTEPS_LANES": to_json(lanes), "DIVSTEPS_COUNT": str(count)},
        args=("-fno-inline",),  # lanes that are alike then share their code
        optimise="-O0",
    )


def test_every_value_of_two_redundant_limbs() -> None:
    kinds = [(p, 2, 4, 6, 4, per_cycle) for p in (31, 127, 241, 251) for per_cycle in (1, 2)]
    check([Lane.enough(*kind) for kind in kinds for _ in range(8)])


def test_every_value_of_three_redundant_limbs() -> None:
    kinds = [(509, 3, 4, 5, 4, per_cycle) for per_cycle in (1, 2)]
    check([Lane.enough(*kind) for kind in kinds for _ in range(64)])


def test_any_shape() -> None:
    """Small and large slack, one limb, limbs that are wider than the batch and narrower."""
    check(
        [
            Lane.enough(509, 3, 4, 6, 3, 1),
            Lane.enough(251, 2, 4, 6, 6, 2),
            Lane.enough(509, 3, 4, 6, 30, 2),
            Lane.enough(509, 3, 4, 8, 1, 1),
            Lane.enough(31, 1, 5, 5, 2, 2),
            Lane.enough(8191, 1, 16, 20, 5, 1),
            Lane.enough(2**31 - 1, 8, 4, 7, 8, 2),
            Lane.enough(2**61 - 1, 16, 4, 4, 36, 2),
            Lane.enough(2**61 - 1, 4, 16, 32, 16, 1),
            Lane.enough(251, 2, 4, 6, 6, 2, rest=1),
            Lane.enough(509, 3, 4, 6, 30, 1, rest=5),
        ],
        count=100,
    )


@pytest.mark.parametrize("per_cycle", [1, 2])
def test_standard_fields(per_cycle: int) -> None:
    lanes = [
        Lane.enough(p, -(-p.bit_length() // 64), 64, 66, batch, per_cycle, 4 * p)
        for p in PRIMES
        for batch in ((60, 62) if p.bit_length() in (255, 256) else (62,))
    ]
    check(lanes, count=30)


@pytest.mark.parametrize(
    "parameters",
    [
        {"PerCycle": 3},
        {"Batch": 61},
        {"Batch": 0},
        {"NumBatch": 0},
        {"InW": 63},
        {"InW": 129},
        {"LimbW": 4, "NumLimb": 64, "InW": 5, "Batch": 62},
        {"Modulus": "256'd2"},
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, object], tmp_path: Path) -> None:
    values = [f"-G{name}={value}" for name, value in parameters.items()]
    done = subprocess.run(
        ["verilator", "--lint-only", "--top-module", "gfp_divsteps", *values, *map(str, SOURCES)],
        env=verilator_env(), cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "gfp_divsteps: " in done.stderr
