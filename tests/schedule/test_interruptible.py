# SPDX-License-Identifier: Apache-2.0
"""An interrupt ends a search and whoever waits for it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from ortools.sat.python import cp_model

from ecsm.schedule import interruptible

HARD = """
from ortools.sat.python import cp_model
from ecsm.schedule import interruptible
m = cp_model.CpModel()
x, y = (m.new_int_var(2, 1 << 31, "") for _ in range(2))
m.add_multiplication_equality(1073741827 * 1610612741, [x, y])  # both are primes
solver = cp_model.CpSolver()
solver.parameters.max_time_in_seconds = 100  # an interrupt that is not raised: ends, and prints
solver.parameters.num_workers = 1
print("searching", flush=True)
print(interruptible.solve(solver, m), flush=True)
"""


def test_an_interrupt_is_raised() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HARD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as search:
        assert search.stdout
        assert search.stdout.readline() == "searching\n"
        time.sleep(1)
        assert search.poll() is None, "the model is not hard"
        search.send_signal(signal.SIGINT)
        out, err = search.communicate()
    assert out == ""
    assert err.strip().endswith("KeyboardInterrupt")


def test_a_status_is_returned() -> None:
    m = cp_model.CpModel()
    x = m.new_int_var(0, 9, "x")
    m.maximize(x)
    solver = cp_model.CpSolver()
    assert interruptible.solve(solver, m) == cp_model.OPTIMAL
    assert solver.value(x) == 9
    m.add(x > 9)
    assert interruptible.solve(solver, m) == cp_model.INFEASIBLE
