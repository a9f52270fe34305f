# SPDX-License-Identifier: Apache-2.0
"""What a user waits for before anything is done."""

import subprocess
import sys


def test_a_design_needs_no_solver() -> None:
    code = (
        "import sys; from ecsm.cores.store import design\n"
        "design('b163-fast'); design('p256-fast')\n"
        "assert 'ortools' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
