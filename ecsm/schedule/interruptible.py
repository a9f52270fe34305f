# SPDX-License-Identifier: Apache-2.0
"""Solve a model so that an interrupt ends it, and the command with it.

The solver's own handler of SIGINT ends the search as if its time were over, and reports nothing.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

from ortools.sat.python import cp_model

AGAIN = 0.1  # seconds after which a search that has not heard it is told again to stop


def limited(seconds: float, workers: int = 2) -> cp_model.CpSolver:
    """Return a solver that searches for so long at most, in so many threads."""
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = 1
    return solver


def found(solver: cp_model.CpSolver, model: cp_model.CpModel) -> bool:
    """Solve as :func:`solve`; return whether there is a solution."""
    return solve(solver, model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


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
