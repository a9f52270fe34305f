# SPDX-License-Identifier: Apache-2.0
"""FuseSoC as a user runs it, without a configuration of its own."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from ecsm.sim.cache import verilator_env

QUICK = {"MAKEFLAGS": "-j2 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"}
"""For a testbench that is compiled: its compiler does not optimize."""


def run_fusesoc(
    cwd: Path, *arguments: str, verilator: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run FuseSoC in a folder; ``verilator``: the environment of another one than the pinned."""
    env = {**os.environ, **(verilator_env() if verilator is None else verilator), **QUICK}
    return subprocess.run(
        [str(Path(sysconfig.get_path("scripts")) / "fusesoc"), *arguments], cwd=cwd,
        env={**env, "HOME": str(cwd)}, capture_output=True, text=True, check=False, timeout=3600,
    )  # fmt: skip
