# SPDX-License-Identifier: Apache-2.0
"""Lint the tops of boards as Verilator elaborates them, with the model of the rings."""

from __future__ import annotations

from ecsm.backend.lint import lint_top
from ecsm.boards.board import board
from ecsm.boards.designs import TOP, board_design
from ecsm.boards.netlist import simulated
from ecsm.soc.emit import cpu_file


def lint_board(name: str, where: str) -> tuple[bool, str]:
    """Elaborate a design for a board under ``verilator --lint-only -Wall``."""
    text, files = simulated(board_design(name, board(where)))
    return lint_top(TOP, text, [f for f in files if f != cpu_file()])
