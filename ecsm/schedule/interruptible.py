# SPDX-License-Identifier: Apache-2.0
"""Solve a model so that an interrupt ends it, and the command with it.

The solver's own handler of SIGINT ends the search as if its time were over, and reports nothing.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

from ortools.sat.python import cp_model

AGAIN = 0.1  # seconds after which a search that has not heard it is told again to stop


def solve(solver: cp_model.CpSolver, model: cp_model.CpModel) -> cp_model.CpSolverStatus:
    """Return the status; an exception that a signal raises meanwhile stops the search first."""
    solver.parameters.catch_sigint_signal = False
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(solver.solve, model)
        try:
            return found.result()
        finally:
            while not found.done():
                solver.stop_search()
                wait([found], AGAIN)
